/* Shapes of bodies: of links, tools and loads, and of what stands around an arm. m and rad. */
#ifndef ARMDYN_SHAPE_H
#define ARMDYN_SHAPE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pose: R = Rz(rpy[2]) Ry(rpy[1]) Rx(rpy[0]), fixed axes as in URDF; m and rad. */
struct armdyn_pose {
  double translation[3];
  double rpy[3];
};

enum armdyn_shape_kind {
  ARMDYN_SPHERE,
  ARMDYN_CAPSULE,
  ARMDYN_BOX,
  ARMDYN_CYLINDER,
  ARMDYN_HALF_SPACE,
  ARMDYN_CONVEX,
  ARMDYN_SHAPE_KIND_COUNT
};

/* The first three kinds may be bodies of a robot, all of them bodies of a cell. What a kind does not use is zero. */
struct armdyn_shape {
  enum armdyn_shape_kind kind;
  double from[3]; /* capsule: one end of its middle line; sphere: its centre; half-space: the direction out of it */
  double to[3];   /* capsule: the other end, which may be the same */
  double radius;  /* sphere, capsule, cylinder: > 0 */
  double size[3]; /* box: its three edges, > 0; cylinder: [2] is its length along z, > 0 */
  double offset;  /* half-space: what lies in it has direction . x <= offset, direction of length 1 */
  struct armdyn_pose pose; /* box, cylinder: of its middle */
  const double *points;    /* convex: point_count x 3, whose hull it is */
  size_t point_count;
};

#ifdef __cplusplus
}
#endif
#endif
