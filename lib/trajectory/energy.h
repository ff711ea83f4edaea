/* What two states of an arm differ in. */
#ifndef LIB_TRAJECTORY_ENERGY_H
#define LIB_TRAJECTORY_ENERGY_H

#include "armdyn/trajectory.h"

/* Change of kinetic and potential energy from the first state to the second, J. */
void energy_of_ends(const struct armdyn_robot *robot, const double *const q[2], const double *const qd[2],
                    struct armdyn_workspace *workspace, double *kinetic, double *gravity);

/* The same from the start of a motion to its end. */
void energy_of_trajectory_ends(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                               struct armdyn_workspace *workspace, double *kinetic, double *gravity);

#endif
