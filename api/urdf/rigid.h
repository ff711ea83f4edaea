/* Frames and bodies of URDF: poses composed and rewritten, bodies moved and joined. */
#ifndef API_URDF_RIGID_H
#define API_URDF_RIGID_H

#include "armdyn/robot.h"

/* Maps child coordinates x into the parent's: r x + p; r is row-major. */
struct rigid {
  double r[9], p[3];
};
extern const struct rigid rigid_identity;

struct rigid rigid_of_pose(const struct armdyn_pose *pose);
/* The same frame as translation and rpy, to rounding, at the gimbal lock (pitch +-pi/2) too. */
struct armdyn_pose rigid_to_pose(const struct rigid *x);
struct rigid rigid_multiply(const struct rigid *a, const struct rigid *b);
/* A turn about a unit axis by an angle, and a shift along it. Rodrigues' formula. */
struct rigid rigid_turn(const double axis[3], double angle);
struct rigid rigid_shift(const double axis[3], double length);

/* A body of the frame x in the parent's frame. */
struct armdyn_body rigid_move(const struct rigid *x, const struct armdyn_body *body);
/* Make two bodies of one frame one: masses add up, inertias about the common centre of mass (Steiner). */
void body_join(struct armdyn_body *into, const struct armdyn_body *other);
/* No mass and no inertia. */
bool body_is_nothing(const struct armdyn_body *body);

#endif
