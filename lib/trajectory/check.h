/* How far a trajectory uses its limits, by a dense search. */
#ifndef LIB_TRAJECTORY_CHECK_H
#define LIB_TRAJECTORY_CHECK_H

#include "armdyn/trajectory.h"

/* Usage beyond 1 by rounding is no violation. */
#define USAGE_MOST (1 + 1e-9)

/* What the check needs. Torque rate is the rate of the torque without the change of sign of friction: dry friction is a
 * step at rest, which no profile can avoid, and the width of s(v) is not a property of the arm. */
struct check {
  const struct armdyn_robot *robot;
  const struct armdyn_limits *limits; /* n */
  struct armdyn_workspace *workspace;
};

/* What a motion uses at points of a piece, from s on, `step` apart, of the kinds of limits that some joint has; the rest is
 * not set.
 *   count  in  at most CHECK_POINTS */
struct usage_point {
  double usage[ARMDYN_LIMIT_KINDS][ARMDYN_JOINTS_MAX], value[ARMDYN_LIMIT_KINDS][ARMDYN_JOINTS_MAX];
};
enum { CHECK_POINTS = 19 }; /* a piece of 17, and two before */
void check_points(const struct check *check, const struct armdyn_trajectory *trajectory, size_t piece, double s,
                  double step, size_t count, struct usage_point *out);

/* Every piece is sampled from its own polynomial, ends included (so a step between pieces is seen from both sides), and
 * the highest peak of every limit and joint is then found by golden section between its neighbours.
 *   margin  out  ARMDYN_LIMIT_KINDS x n */
void check_margins(const struct check *check, const struct armdyn_trajectory *trajectory, struct armdyn_margin *margin);

/* Are all limits kept? The same search, ended by the first violation. */
bool check_holds(const struct check *check, const struct armdyn_trajectory *trajectory);

#endif
