/* The dynamics along a path: with b = (ds/dt)^2 and a = db/ds / 2 every torque is inertia a + centrifugal b + weight
 * + friction. */
#ifndef LIB_TRAJECTORY_PATH_SAMPLING_H
#define LIB_TRAJECTORY_PATH_SAMPLING_H

#include "lib/trajectory/timing_problem.h"

enum { PATH_POINTS = 3 }; /* of an interval: its begin, middle and end */

struct path_sampling {
  size_t n, intervals;
  double *s;                /* intervals + 1 */
  size_t *piece;            /* of the path, for every interval */
  double *q, *slope, *bend; /* q, dq/ds, d2q/ds2: (intervals x PATH_POINTS) x n, as all below */
  double *inertia, *centrifugal, *weight, *friction; /* N m */
  double *speed;                                     /* |dx/ds| of the tool's origin, m: intervals x PATH_POINTS */
  double *memory;
  bool speed_dependent; /* the model's friction changes with the speed, beyond its sign */
};

/* Every piece of the path in equal intervals, in proportion to its length, together at least `intervals`.
 * OK; EINPUT for a path that stands still or has a corner; EMEMORY. */
enum armdyn_status path_sampling_new(struct path_sampling *p, const struct armdyn_robot *robot,
                                     const struct armdyn_trajectory *path, size_t intervals,
                                     struct armdyn_workspace *workspace, struct armdyn_error *error);
void path_sampling_free(struct path_sampling *p);

/* Take friction as it is at the speeds of b; NULL: as it is in slow motion. `share` of the change is taken. Answers the
 * largest change, as a part of the largest friction and weight. */
double path_friction_at(struct path_sampling *p, const struct armdyn_robot *robot, const double *b, double share);

/* Room for the rows of an interval. */
size_t path_rows_most(size_t n);

/* The problem's intervals and rows.
 *   tool_speed  in  limit of the tool's origin, m/s; INFINITY: none
 *   margin  out  only where a position limit, or a torque at standstill, is exceeded
 * OK, or EINFEASIBLE where the arm may not be, or cannot be held. */
enum armdyn_status path_rows_build(const struct path_sampling *p, const struct armdyn_robot *robot,
                                   const struct armdyn_limits *limits, double tool_speed, const double *weights,
                                   struct timing_problem *problem, struct armdyn_margin *margin,
                                   struct armdyn_error *error);

#endif
