/* The recursion of inverse dynamics in its parts. pose_joints comes first; outputs are n. */
#ifndef LIB_DYNAMICS_RNEA_H
#define LIB_DYNAMICS_RNEA_H

#include "lib/dynamics/workspace.h"

struct rnea_input {
  const double *qd, *qdd; /* n */
  bool gravity;
  const double *wrench; /* 6, on the last link, at and in its canonical frame; NULL = none */
};

/* M_links qdd + C qd + g - J' w, without friction and rotor inertia */
void rnea_torques(const struct armdyn_robot *robot, const struct rnea_input *in, struct armdyn_workspace *workspace,
                  double *tau);
/* -J' w alone */
void rnea_wrench_torques(const struct armdyn_robot *robot, const double wrench[6], struct armdyn_workspace *workspace,
                         double *tau);
/* The load's wrench moved to the canonical frame of the last link, into `memory`; NULL when there is none. */
const double *load_on_last_link(const struct armdyn_robot *robot, const struct armdyn_load *load,
                                const struct pose *pose, double memory[6]);

#endif
