/* Limits of joints as limits of the path parameter of a straight segment. */
#ifndef LIB_TRAJECTORY_PATH_H
#define LIB_TRAJECTORY_PATH_H

#include "lib/trajectory/profile_problem.h"

/* For every segment: velocity, acceleration and jerk are the smallest limit over the joints divided by the joint's way.
 * A torque-rate limit makes a jerk limit too, because a step of acceleration is a step of torque: half of it is for
 * M(q) times the jerk of the joints, half is left for what else changes the torque. (The dense check has the last word.) */
void path_limits_find(const struct profile_problem *problem, struct path_limits *path);

/* About how long a segment from rest to rest takes with thirds as ramps; 1 s where nothing limits it. */
double path_duration(const struct path_limits *path);

#endif
