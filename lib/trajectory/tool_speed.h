/* How fast the tool moves and accelerates. */
#ifndef LIB_TRAJECTORY_TOOL_SPEED_H
#define LIB_TRAJECTORY_TOOL_SPEED_H

#include "armdyn/trajectory.h"

/* Speed of the tool's origin, m/s. */
double tool_speed(const struct armdyn_robot *robot, const double *q, const double *qd,
                  struct armdyn_workspace *workspace);

/* The highest speed of a motion and when it is reached: every piece is sampled, ends included, and what may be the highest
 * peak is found by golden section between its neighbours.
 *   time  out  s; NULL = not wanted */
double tool_speed_most(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                       struct armdyn_workspace *workspace, double *time);

#endif
