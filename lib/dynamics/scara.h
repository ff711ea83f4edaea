/* The closed form of SCARA arms: three bodies that turn about parallel axes, and a slide along them. */
#ifndef LIB_DYNAMICS_SCARA_H
#define LIB_DYNAMICS_SCARA_H

#include "lib/dynamics/workspace.h"

/* A body in the plane across the axes, in the axes of the first joint's frame at q = 0. */
struct scara_body {
  double m, h[2], inertia; /* about the body's own axis; h is m times the centre of mass from there */
  double next[2];          /* from its axis to that of the next body, in the last one to the tool */
  double sense;            /* +1, -1: does its joint turn as the first one does? */
  size_t joint;
};

struct scara {
  struct scara_body bodies[3]; /* inner arm, outer arm, wrist; a slide's mass is part of the body that carries it */
  double slide_mass, slide_sense;
  size_t slide;
  struct pose base; /* the first joint's frame at q = 0, in the base frame */
  double tool[9];   /* axes of the tool at q = 0, in the first joint's frame */
};

/* OK, or EINPUT with the reason. */
enum armdyn_status scara_compile(const struct armdyn_robot *robot, struct scara *arm, struct armdyn_error *error);

/* Links, gravity and wrench, without rotors and friction, as rnea_torques. */
void scara_torques(const struct armdyn_robot *robot, const struct scara *arm, const double *q, const double *qd,
                   const double *qdd, const struct armdyn_load *load, double *tau);

#endif
