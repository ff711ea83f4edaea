/* Scratch memory of the kernels, and the first step of all of them. */
#ifndef LIB_DYNAMICS_WORKSPACE_H
#define LIB_DYNAMICS_WORKSPACE_H

#include "armdyn/dynamics.h"
#include "lib/model/compiled.h"

/* Articulated-body inertia: what moment and force the first of several jointed bodies needs for a motion of its own,
 * [moment; force] = [angular coupling; coupling' mass] [angular acceleration; acceleration]. */
struct articulated {
  double angular[6];  /* symmetric */
  double coupling[9]; /* row-major */
  double mass[6];     /* symmetric */
};

/* A joint between articulated bodies: its column of the inertia, the joint's own inertia, the torque left for it. */
struct hinge {
  double column[6], inertia, torque;
};

struct armdyn_workspace {
  struct pose *pose;               /* n: every canonical frame in its parent's, set by pose_joints */
  double *force;                   /* n x 6 [moment; force] on link i, canonical frame */
  struct distribution *composite;  /* n: link i and all beyond it */
  struct articulated *articulated; /* n */
  struct hinge *hinge;             /* n */
  double *matrix;                  /* n x n */
  double *vector;                  /* n */
  double *zero;                    /* n, always zero */
};

/* Poses of all joints at q: P_i Rz(q) or P_i Tz(q). */
void pose_joints(const struct armdyn_robot *robot, const double *q, struct pose *pose);

/* y += (reflected rotor inertia) x */
void rotor_inertia_add(const struct armdyn_robot *robot, const double *x, double *y);

#endif
