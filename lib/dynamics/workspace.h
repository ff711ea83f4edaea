/* Scratch memory of the kernels, and the first step of all of them. */
#ifndef LIB_DYNAMICS_WORKSPACE_H
#define LIB_DYNAMICS_WORKSPACE_H

#include "armdyn/dynamics.h"
#include "lib/model/compiled.h"

struct armdyn_workspace {
  struct pose *pose; /* n: every canonical frame in its parent's, set by pose_joints */
  double *force;     /* n x 6 [moment; force] on link i, canonical frame */
  void *links;       /* n links of links_kernel.h, of as many samples as a vector has at most */
  double *matrix;    /* n x n */
  double *vector;    /* n */
  double *zero;      /* n, always zero */
};

/* Poses of all joints at q: P_i Rz(q) or P_i Tz(q). */
void pose_joints(const struct armdyn_robot *robot, const double *q, struct pose *pose);

/* M += reflected rotor inertia, n x n */
void rotor_inertia_matrix_add(const struct armdyn_robot *robot, double *M);
/* y += (reflected rotor inertia) x */
void rotor_inertia_add(const struct armdyn_robot *robot, const double *x, double *y);

#endif
