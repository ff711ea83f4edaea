/* The convex problem of timing a path: on interval k the acceleration along the path is (b_(k+1) - b_k) / (2 h_k), b the
 * square of the speed along it at the ends of the intervals, 0 at both ends of the path. */
#ifndef LIB_TRAJECTORY_TIMING_PROBLEM_H
#define LIB_TRAJECTORY_TIMING_PROBLEM_H

#include "armdyn/trajectory.h"

/* x b_k + y b_(k+1) <= most */
struct timing_row {
  double x, y, most;
};

/* On one interval. Torque cost: the duration times xx b_k^2 + 2 xy b_k b_(k+1) + yy b_(k+1)^2 + 2 x b_k + 2 y b_(k+1) + one. */
struct timing_interval {
  double h;
  double xx, xy, yy, x, y, one;
  size_t row_first, row_count;
};

struct timing_problem {
  size_t intervals;
  struct timing_interval *interval;
  struct timing_row *rows;
  size_t row_count;
  double torque_price, time_price;
};

/* Cost of an interval with its derivatives by b_k and b_(k+1); duration alone for the prices 0 and 1. */
struct timing_cost {
  double value, x, y, xx, xy, yy;
};
struct timing_cost timing_cost_of(const struct timing_problem *problem, size_t k, const double *b, double torque_price,
                                  double time_price);
double timing_duration(const struct timing_problem *problem, const double *b);

/* The largest factor, up to INFINITY, by which b keeps all rows. */
double timing_room(const struct timing_problem *problem, const double *b);

struct timing_solution {
  size_t iterations;
  double cost, gap; /* gap: absolute bound of what the cost is above the optimum */
};

/* Minimise the prices' sum from a strictly feasible b.
 *   b   in/out  intervals + 1, the first and the last 0
 *   go  in      NULL = always on
 * OK, ECANCELLED, EMEMORY; EUNAVAILABLE when no progress was possible before the gap was closed to 1e-6 of the cost. */
enum armdyn_status timing_solve(const struct timing_problem *problem, double *b, enum armdyn_go (*go)(void *context),
                                void *context, struct timing_solution *solution);

#endif
