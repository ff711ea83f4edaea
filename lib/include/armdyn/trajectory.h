/* Joint trajectories: classic profiles through waypoints, checked against limits, and sampled at any rate. */
#ifndef ARMDYN_TRAJECTORY_H
#define ARMDYN_TRAJECTORY_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The profiles are rows of a table in lib/trajectory/profile.c, in this order. */
enum armdyn_profile {
  ARMDYN_TRAPEZOID, /* trapezoidal velocity on the straight joint-space line, rest at every waypoint; ramps are rounded
                       to keep a jerk limit (double S) */
  ARMDYN_QUINTIC,   /* quintic spline through the waypoints, continuous to the fourth derivative, ends at rest with zero
                       acceleration */
  ARMDYN_CUBIC,     /* cubic spline through the waypoints, continuous acceleration, ends at rest */
  ARMDYN_PROFILE_COUNT
};
const char *armdyn_profile_name(enum armdyn_profile profile); /* "trapezoid", "quintic", "cubic" */

/* What is asked of a profile. */
struct armdyn_profile_request {
  enum armdyn_profile profile;
  size_t point_count;                 /* start, waypoints, goal: at least 2 */
  const double *points;               /* point_count x n, rad (m) */
  const double *times;                /* point_count: passing times, s; NAN = free; the first is 0. NULL = all free */
  double duration;                    /* s, 1e-6 to 1e6; NAN = the shortest that keeps the limits */
  const struct armdyn_limits *limits; /* n, in force for this motion; NULL = the robot's own */
};
/* Free passing times: between two given ones every segment gets time in proportion to its own shortest duration
 * (trapezoid, where limits give one) or else to the square root of its length; segments without length get none.
 * A time that is given for the last point is the duration. */

/* Piecewise polynomials: on piece k, with s = t - breaks[k], q_j = sum_i coefficients[(k n + j) (degree + 1) + i] s^i.
 * Owned: release with armdyn_trajectory_free. */
struct armdyn_trajectory {
  size_t joint_count, piece_count, degree;
  double *breaks;       /* piece_count + 1, s, the first 0 */
  double *coefficients; /* piece_count x n x (degree + 1) */
  size_t waypoint_count;
  double *waypoint_times; /* waypoint_count = point_count, s */
};

/* What is limited. Torque rate is the rate of the torque without the change of sign of dry friction, which is a step at
 * rest that no profile can avoid. Jerk and torque rate are limits inside the motion: a cubic starts and ends with a step
 * of acceleration, and so does a trapezoid where neither of the two is limited (where one is, its ramps are rounded). */
enum armdyn_limit_kind {
  ARMDYN_LIMIT_POSITION,
  ARMDYN_LIMIT_VELOCITY,
  ARMDYN_LIMIT_ACCELERATION,
  ARMDYN_LIMIT_JERK,
  ARMDYN_LIMIT_TORQUE,
  ARMDYN_LIMIT_TORQUE_RATE,
  ARMDYN_LIMIT_KINDS
};
const char *armdyn_limit_name(enum armdyn_limit_kind kind); /* "position", ..., "torque_rate" */

/* The point of a motion where one limit of one joint is used most, from a search over at least 16 samples of every piece
 * (192 of a motion) that refines the highest peaks between them.
 * usage is value / limit (for position: distance from the middle of the range over half of it, and with a single bound
 * 0 inside and 1 + the excess outside); > 1 is a violation, 0 where there is no limit. time is NAN where a point that was
 * asked for is itself beyond a position limit. */
struct armdyn_margin {
  enum armdyn_limit_kind limit;
  size_t joint;
  double usage, value, time;
};

/* Mechanical energy of a motion, J. positive_work = kinetic + gravity + friction + braked, to the
 * accuracy of the quadrature. */
struct armdyn_motion_energy {
  /* what drives without regeneration deliver: sum over joints of the integral of max(0, tau qd) */
  double positive_work;
  double kinetic;     /* change of kinetic energy */
  double gravity;     /* change of potential energy */
  double friction;    /* work against friction */
  double braked;      /* sum over joints of the integral of max(0, -tau qd) */
  double torque_cost; /* integral of sum (tau_j / the robot's torque limit_j)^2 (limit 1 where there is none), s */
  double by_joint[ARMDYN_JOINTS_MAX]; /* positive work of every joint */
};

/* Plan a profile and check it densely against every limit.
 *   robot    in
 *   request  in
 *   out      out  release with armdyn_trajectory_free; nothing to release after a refusal
 *   margin   out  ARMDYN_LIMIT_KINDS x n, row-major by limit, then joint; of the motion found or, after EINFEASIBLE, of
 *                 the motion that fails
 *   minimum_duration out  s, the smallest duration of this profile with these points that keeps the limits (to 1e-6
 *                 relative): the end of the feasible durations that is met first, going up from too short
 *                 ones; 0 (or the last passing time given) when nothing limits the speed; NAN where
 *                 no duration does (position limits, static torque)
 *   cancelled in  called now and then with `context`; true ends the work with ECANCELLED; NULL = never
 *   error    out
 * With a free duration and nothing that limits the speed: EINPUT; points that are all the same then take no time.
 * OK; EINPUT (pointer into the trajectory request of the HTTP API: "/start/q/0", "/waypoints/1/time", ...), EINFEASIBLE
 * (the message names limit, joint and time), ECANCELLED, EMEMORY. Allocates; never call it in a loop that must not. */
enum armdyn_status armdyn_profile_plan(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       double *minimum_duration, bool (*cancelled)(void *context), void *context,
                                       struct armdyn_error *error);
void armdyn_trajectory_free(struct armdyn_trajectory *trajectory);

/* -- energy-optimal motions -- */

/* Asked at every iteration. */
enum armdyn_go {
  ARMDYN_GO_ON,
  ARMDYN_GO_FINISH, /* the time is over: end with the best that is known */
  ARMDYN_GO_CANCEL
};

/* Minimise the integral of sum R_j tau_j^2 from rest to rest in a given time. */
struct armdyn_optimal_request {
  const double *start, *goal;            /* n, rad (m) */
  double duration;                       /* s, 1e-3 to 1e3 */
  const struct armdyn_limits *limits;    /* n; NULL = the robot's own. A limit of the torque rate is EINPUT */
  const double *weights;                 /* n, R_j > 0; NULL = 1 / torque limit_j^2, or 1 where there is none */
  size_t intervals;                      /* of the spline, 8 to 2000 */
  bool zero_boundary_acceleration;       /* else the optimal torque starts with a step */
  size_t starts;                         /* 1 to 64: the cubic, then random ones around it */
  unsigned long seed;                    /* of the random starts: same seed, same answer */
  const struct armdyn_trajectory *guess; /* NULL = the cubic: a motion of degree 3 and this duration to start from */
};

struct armdyn_iteration {
  double cost, residual, barrier, step;
  bool curved; /* with the second derivatives of the torques, else Gauss-Newton */
};

enum { ARMDYN_MINIMA_MAX = 64, ARMDYN_ITERATIONS_MAX = 400 };

struct armdyn_optimal_result {
  bool optimal;         /* a local minimum, to the residual below; false: feasible, but the time
                             was over or no step made it better: dry friction has kinks */
  double cost;          /* of the trajectory, by Gauss quadrature finer than the solver's */
  double residual;      /* of stationarity: largest gradient of the Lagrangian over its largest summand */
  double violation;     /* worst usage of a limit anywhere beyond 1; at most 1e-3 */
  size_t intervals;     /* after refinement: doubled while a limit is violated by more than that between knots */
  size_t iterations;    /* of all starts */
  size_t starts;        /* tried */
  size_t minimum_count; /* different local minima found, */
  double minima[ARMDYN_MINIMA_MAX]; /* their costs, ascending, on the mesh that was asked for */
  size_t log_count;                 /* of the start that was best */
  struct armdyn_iteration log[ARMDYN_ITERATIONS_MAX];
};

/* Plan an energy-optimal motion: a cubic spline whose torques are integrated by Simpson's rule and limited at its knots,
 * by a primal-dual interior point; then check it densely. It is a local minimum: nobody proves that it is the global one.
 *   out     out  release with armdyn_trajectory_free; nothing to release after a refusal
 *   margin  out  ARMDYN_LIMIT_KINDS x n as in armdyn_profile_plan; NULL = not wanted
 *   result  out  after a refusal too, as far as the work got
 *   go      in   called at every iteration with `context`; NULL = always on
 * OK; EINPUT, EINFEASIBLE (the message names limit, joint and time), ECANCELLED, EMEMORY; EUNAVAILABLE when the time was
 * over, or no progress was possible, before anything feasible was known.
 * Allocates before each solution, never within. Linear in the number of intervals. */
enum armdyn_status armdyn_optimal_plan(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       struct armdyn_trajectory *out, struct armdyn_margin *margin,
                                       struct armdyn_optimal_result *result, enum armdyn_go (*go)(void *context),
                                       void *context, struct armdyn_error *error);

/* Duration, s. */
double armdyn_trajectory_duration(const struct armdyn_trajectory *trajectory);

/* State at time t (clamped to the duration; qdd of the left piece at the end). Any out pointer may be NULL; n each. */
void armdyn_trajectory_state(const struct armdyn_trajectory *trajectory, double t, double *q, double *qd, double *qdd,
                             double *qddd);

/* The times of a sampling: k / rate for k = 0, 1, ... below the duration, and the duration itself as the last. */
size_t armdyn_sample_count(const struct armdyn_trajectory *trajectory, double rate);
double armdyn_sample_time(const struct armdyn_trajectory *trajectory, double rate, size_t index);

/* One row of samples: [t, q (n), qd (n), qdd (n), tau (n), power (n)], power = tau qd in W.
 *   row  out  1 + 5 n */
void armdyn_trajectory_sample(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory, double t,
                              struct armdyn_workspace *workspace, double *row);

/* Energy of a motion by Gauss-Legendre quadrature on every piece, refined to 1e-9 relative; less exact where a motion
 * turns so often (millions of revolutions) that its refinement is cut off, after some seconds. OK or EMEMORY. */
enum armdyn_status armdyn_trajectory_energy(const struct armdyn_robot *robot,
                                            const struct armdyn_trajectory *trajectory,
                                            struct armdyn_motion_energy *energy);

#ifdef __cplusplus
}
#endif
#endif
