/* The arm at the other end of a simulated controller: a robot model moved by forward dynamics under a position loop with
 * torque feed-forward, or, without a model, unit inertias that follow the reference. */
#ifndef SERVER_SIMULATOR_ARM_H
#define SERVER_SIMULATOR_ARM_H

#include <stdbool.h>

#include "armdyn/dynamics.h"

struct arm {
  size_t axes;
  const struct armdyn_robot *robot; /* NULL: unit inertias */
  struct armdyn_workspace *workspace;
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX];
  double tau[ARMDYN_JOINTS_MAX]; /* of the drives, over the last step */
  double mass_matrix[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
};

/* What the drives are told for one control period. */
struct arm_drive {
  const double *torque;         /* feed-forward; NULL: the arm's own gravity torque */
  const double *position;       /* reference of the position loop; NULL: torque alone */
  const double *position_speed; /* its speed */
};

/* axes is used without a robot. OK, EMEMORY. */
enum armdyn_status arm_init(struct arm *arm, const struct armdyn_robot *robot, size_t axes);
void arm_release(struct arm *arm);
/* Put the arm somewhere, at rest. */
void arm_place(struct arm *arm, const double *q);
/* Let it move for dt seconds. An unphysical model whose mass matrix is singular stays where it is. */
void arm_step(struct arm *arm, const struct arm_drive *drive, double dt);

#endif
