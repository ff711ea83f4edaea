/* What the planner gives a profile to work with, and what a profile gives back. */
#ifndef LIB_TRAJECTORY_PROFILE_PROBLEM_H
#define LIB_TRAJECTORY_PROFILE_PROBLEM_H

#include "armdyn/trajectory.h"

/* Most that the path parameter s of a straight segment, 0 to 1, may do: 1/s, 1/s^2, 1/s^3; INFINITY = no limit. */
struct path_limits {
  double velocity, acceleration, jerk;
};

struct profile_problem {
  const struct armdyn_robot *robot;
  size_t joint_count, point_count;
  const double *points;               /* point_count x n */
  const struct armdyn_limits *limits; /* n */
  const struct path_limits *path;     /* point_count - 1, of the straight line of every segment */
  struct armdyn_workspace *workspace;
  double *memory; /* for builders: point_count x (14 + 2 n) */
};

/* A profile: fills pieces from the points and their times. Equal times occur only at equal points; such segments have no
 * piece. A motion of duration 0 has one piece of length 0. */
typedef void profile_builder(const struct profile_problem *problem, const double *times,
                             struct armdyn_trajectory *trajectory);
profile_builder trapezoid_build, quintic_build, cubic_build;

#endif
