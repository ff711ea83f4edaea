/* Scratch memory of the kernels, and the first step of all of them. */
#ifndef LIB_DYNAMICS_WORKSPACE_H
#define LIB_DYNAMICS_WORKSPACE_H

#include "armdyn/dynamics.h"
#include "lib/model/compiled.h"

/* A link in base axes, motions and forces at the base origin: for kernels that compare links with each other. */
struct link_in_base {
  struct pose at;                      /* of the canonical frame */
  double axis[6];                      /* [angular; linear] motion for unit speed of the joint */
  double velocity[6], acceleration[6]; /* of the link; what gravity feels like is in it */
  double turned[6], turned_twice[6];   /* velocity before the joint x axis; its rate: see derivatives.c */
  struct distribution body;            /* the following of the link and, after a sum, of all beyond it */
  double carried[9], momentum[3];      /* integral V x' dm, integral V dm */
  double force[6];
};

struct armdyn_workspace {
  struct pose *pose;          /* n: every canonical frame in its parent's, set by pose_joints */
  double *force;              /* n x 6 [moment; force] on link i, canonical frame */
  struct link_in_base *links; /* n */
  double *matrix;             /* n x n */
  double *vector;             /* n */
  double *zero;               /* n, always zero */
};

/* Poses of all joints at q: P_i Rz(q) or P_i Tz(q). */
void pose_joints(const struct armdyn_robot *robot, const double *q, struct pose *pose);

/* M += reflected rotor inertia, n x n */
void rotor_inertia_matrix_add(const struct armdyn_robot *robot, double *M);
/* y += (reflected rotor inertia) x */
void rotor_inertia_add(const struct armdyn_robot *robot, const double *x, double *y);

#endif
