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
  double tool_speed;                  /* m/s: most of the tool's origin, > 0; 0 = not limited */
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
 *                 no duration does (position limits, static torque); NULL = not wanted, and not looked for
 *                     where the duration is given
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

/* What a motion may cost, each as an integral over its duration; rows of a table in lib/trajectory/cost.c. */
enum armdyn_cost_model {
  ARMDYN_COST_TORQUE,     /* sum R_j tau_j^2 */
  ARMDYN_COST_TIME,       /* 1: a price on every second */
  ARMDYN_COST_ELECTRICAL, /* electrical power under a model of regeneration (armdyn/electrical.h), W; once in a sum */
  ARMDYN_COST_MODELS
};
const char *armdyn_cost_name(enum armdyn_cost_model model); /* "torque", "time", "electrical" */

struct armdyn_electrical_model;

/* One term of a weighted sum of models. */
struct armdyn_cost_term {
  enum armdyn_cost_model model;
  double weight;                                    /* > 0 */
  const double *joint_weights;                      /* torque: n, R_j > 0; NULL = those of the request */
  const struct armdyn_electrical_model *electrical; /* electrical: NULL = no regeneration */
};
enum { ARMDYN_COST_TERMS_MAX = 8 };

/* What a motion is to stay clear of, as a controller plays it: samples, and lines between them. */
struct armdyn_scene; /* clearance.h */
struct armdyn_surroundings {
  const struct armdyn_scene *scene; /* of the robot that moves */
  double clearance;                 /* m, >= 0: at least; 0: it touches nothing */
  const double *deviation;          /* n; NULL: none: as in armdyn_motion_clearance */
  double sample_rate;               /* Hz, > 0 */
};

/* Minimise a cost, or the integral of sum R_j tau_j^2 where none is named. Fields that are zero ask for nothing: from rest
 * to rest, in the duration that is given, past no waypoint. */
struct armdyn_optimal_request {
  const double *start, *goal; /* n, rad (m) */
  /* s, 1e-3 to 1e3; NAN = free: the best one in the range below. Then a time term of the cost or duration_max is needed:
   * without a price on it a longer time is mostly cheaper */
  double duration;
  const struct armdyn_limits *limits; /* n; NULL = the robot's own */
  const double *weights;              /* n, R_j > 0; NULL = 1 / torque limit_j^2, or 1 where there is none */
  size_t intervals;                   /* of the spline, 8 to 2000 */
  double tool_speed;                  /* m/s: most of the tool's origin, > 0; 0 = not limited */
  bool zero_boundary_acceleration;    /* else the optimal torque starts with a step */
  /* 1 to 64: the cubic, then random ones around it. Where the cost has kinks (electrical) and the duration is given, the
   * motion of least torque and the cheapest classic profile that keeps the limits come before */
  size_t starts;
  unsigned long seed;                    /* of the random starts: same seed, same answer */
  const struct armdyn_trajectory *guess; /* NULL = the cubic: a motion to start from, whatever its duration */
  size_t cost_count;                     /* terms that are added up; 0 = one of the torques */
  const struct armdyn_cost_term *costs;
  double duration_min, duration_max; /* s, of a free duration; 0 = 1e-3 and 1e3 */
  /* n each; NULL = rest. An acceleration that is not given is free, or zero if zero_boundary_acceleration */
  const double *start_velocity, *goal_velocity, *start_acceleration, *goal_acceleration;
  size_t waypoint_count;        /* up to ARMDYN_WAYPOINTS_MAX, and 4 intervals for each segment */
  const double *waypoints;      /* waypoint_count x n, passed in this order without a stop */
  const double *waypoint_times; /* waypoint_count, s; NAN = free, chosen for the least cost; NULL = all free */
  const struct armdyn_surroundings *around; /* NULL: nothing */
  bool minimum_duration; /* find the smallest feasible one too, whatever is asked; infeasible ones always do */
};
enum { ARMDYN_WAYPOINTS_MAX = 64 };

struct armdyn_iteration {
  double cost, residual, barrier, step;
  bool curved; /* with the second derivatives of the torques, else Gauss-Newton */
};

enum { ARMDYN_MINIMA_MAX = 64, ARMDYN_ITERATIONS_MAX = 400 };

struct armdyn_optimal_result {
  bool optimal;     /* a local minimum, to the residual below; false: feasible, but the time
                             was over or no step made it better: dry friction has kinks */
  double cost;      /* of the trajectory, by Gauss quadrature finer than the solver's */
  double residual;  /* of stationarity: largest gradient of the Lagrangian over its largest summand */
  double violation; /* worst usage of a limit anywhere beyond 1, by the dense check: limits are tightened at knots
                             until it is below 1e-9; where that fails it is at most 1e-3 */
  size_t
      intervals; /* of the answer: doubled while a limit is violated by more than that between knots; pieces of `instead` */
  size_t iterations; /* of all starts */
  size_t starts;     /* tried */
  /* what is the answer because the search found nothing cheaper: "trapezoid", "quintic", "cubic" or "motion of least
   * torque"; NULL: it did */
  const char *instead;
  size_t minimum_count;             /* different local minima found, */
  double minima[ARMDYN_MINIMA_MAX]; /* their costs, ascending, on the mesh that was asked for */
  size_t log_count;                 /* of the start that was best */
  struct armdyn_iteration log[ARMDYN_ITERATIONS_MAX];
  double terms[ARMDYN_COST_TERMS_MAX]; /* what every term adds to the cost */
  double duration;                     /* s, of the trajectory */
  /* s, the smallest for which these limits can be kept, found from the motion above (a local minimum of the duration, on a
   * mesh of up to 48 intervals); 0 when nothing limits the speed; NAN: not asked for, not found, or there is none */
  double minimum_duration;
};

/* Plan an energy-optimal motion: a cubic spline whose torques are integrated by Simpson's rule and limited at its knots,
 * by a primal-dual interior point; then check it densely. It is a local minimum: nobody proves that it is the global one.
 * Starts are solved on a coarse mesh first, where those that meet are told apart from those that do not; dry friction with
 * a narrow velocity_scale is approached from a wide one. No answer costs more than a classic profile through the points in
 * the same time that keeps the limits, nor, where the cost has kinks and the duration is given, than the motion of least
 * torque: where none cheaper is found, that is the answer. The trajectory's waypoint_times are start, waypoints and goal.
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

/* What a second costs: the cheapest motions of several durations, the longest first, each of which is the start for the next
 * shorter one. A local minimum is followed from duration to duration; nobody proves that no other is lower.
 *   request           in   as in armdyn_optimal_plan. Its duration is not looked at; guess and starts are those of the
 *                          longest one
 *   durations, count  in   s, 1e-3 to 1e3, in any order; 1 to ARMDYN_PARETO_MAX
 *   points            out  count, in the same order
 *   motions           out  count, each to release with armdyn_trajectory_free (all zero where there is none) unless refused;
 *                          NULL = not wanted
 *   minimum_duration  out  s, of the longest duration that keeps no limits: what would; NAN: all do, or none was found.
 *                          Durations below it are infeasible without another search
 *   go                in   as in armdyn_optimal_plan; when it ends, what is left is EUNAVAILABLE
 * OK, whatever becomes of single points; EINPUT, ECANCELLED, EMEMORY. */
enum { ARMDYN_PARETO_MAX = 64 };
struct armdyn_pareto_point {
  double duration;           /* s */
  enum armdyn_status status; /* OK, EINFEASIBLE or EUNAVAILABLE, as armdyn_optimal_plan answers */
  bool optimal;              /* the rest as in struct armdyn_optimal_result */
  double cost;               /* NAN: none */
  double terms[ARMDYN_COST_TERMS_MAX];
  double violation;
  size_t iterations;
};
enum armdyn_status armdyn_optimal_pareto(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                         const double *durations, size_t count, struct armdyn_pareto_point *points,
                                         struct armdyn_trajectory *motions, double *minimum_duration,
                                         enum armdyn_go (*go)(void *context), void *context,
                                         struct armdyn_error *error);

/* What any motion costs by the cost of a request, of which nothing but weights and costs is looked at.
 *   cost   out
 *   terms  out  what every term adds, cost_count (at least 1); NULL = not wanted
 * OK, EINPUT, EMEMORY. */
enum armdyn_status armdyn_optimal_cost(const struct armdyn_robot *robot, const struct armdyn_optimal_request *request,
                                       const struct armdyn_trajectory *trajectory, double *cost, double *terms,
                                       struct armdyn_error *error);

/* A motion again as cubic pieces of equal length through its positions and velocities, in another duration: a guess for
 * armdyn_optimal_plan. A motion of so many equal cubic pieces in its own duration stays what it is.
 *   duration  in   s, > 0
 *   out       out  release with armdyn_trajectory_free unless refused; its waypoints are start and goal
 * OK, EINPUT, EMEMORY. */
enum armdyn_status armdyn_trajectory_cubic(const struct armdyn_trajectory *motion, size_t pieces, double duration,
                                           struct armdyn_trajectory *out, struct armdyn_error *error);
/* The same of what is left of it from `begin` on, s: a guess for the rest of a motion from where the arm is now. */
enum armdyn_status armdyn_trajectory_remainder(const struct armdyn_trajectory *motion, double begin, size_t pieces,
                                               double duration, struct armdyn_trajectory *out,
                                               struct armdyn_error *error);

/* A step of a sequence: a motion, or rest where the arm stands. */
struct armdyn_sequence_step {
  const struct armdyn_trajectory *motion; /* from rest to rest; NULL = rest */
  double rest;                            /* s, >= 0, of a rest */
};

/* Motions and rests one after the other as one motion: every piece is what it was, bit for bit, only later; between them the
 * arm stands where the motion before ended (before the first: where that begins).
 *   steps  in   count, one motion at least
 *   out    out  release with armdyn_trajectory_free unless refused; waypoint_times are the borders of the steps, count + 1
 * OK; EINPUT ("/steps/2": begins more than 1e-6 rad (m) from where the motion before ends, has other joints, or begins or
 * ends at more than 1e-6 rad/s (m/s); "/steps/1/dwell": not a time; "/steps": no motion, or one that takes no time); EMEMORY.
 */
enum armdyn_status armdyn_trajectory_sequence(const struct armdyn_sequence_step *steps, size_t count,
                                              struct armdyn_trajectory *out, struct armdyn_error *error);

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

/* How far any motion uses its limits: the dense search that the planners answer with (struct armdyn_margin).
 *   limits  in   n; NULL = the robot's own
 *   margin  out  ARMDYN_LIMIT_KINDS x n, row-major by limit, then joint
 * OK or EMEMORY. */
enum armdyn_status armdyn_trajectory_margins(const struct armdyn_robot *robot, const struct armdyn_limits *limits,
                                             const struct armdyn_trajectory *trajectory, struct armdyn_margin *margin);

/* Energy of a motion by Gauss-Legendre quadrature on every piece, refined to 1e-9 relative; a velocity or power that turns
 * its sign next to the end of a refined interval may be seen late (2e-8 at worst in 150 motions of a Puma 560). Less exact
 * where a motion turns so often (millions of revolutions) that its refinement is cut off, after some seconds. OK or
 * EMEMORY. */
enum armdyn_status armdyn_trajectory_energy(const struct armdyn_robot *robot,
                                            const struct armdyn_trajectory *trajectory,
                                            struct armdyn_motion_energy *energy);

#ifdef __cplusplus
}
#endif
#endif
