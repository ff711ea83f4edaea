/* The optimal control problem as a problem in the controls of a spline and, where it is free, the logarithm of its
 * duration: Simpson's rule for the cost, limits at the knots. */
#ifndef LIB_TRAJECTORY_TRANSCRIPTION_H
#define LIB_TRAJECTORY_TRANSCRIPTION_H

#include "lib/base/carve.h"
#include "lib/trajectory/cost.h"

/* One side of one limit of one joint at all knots: room = most - scale value >= 0. Jerk and torque rate belong to
 * intervals and are kept at the knot before; the torque rate is the mean of an interval, without friction's sign. The
 * velocity is limited by its controls instead of knots. The tool's speed is of no joint: half its square, in units of the
 * limit's. */
#define BOUND_TOOL_SPEED ARMDYN_LIMIT_KINDS
struct bound {
  enum armdyn_limit_kind kind;
  size_t joint;
  double scale;
};
enum { BOUNDS_MAX = 2 * ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX + 1 };

/* Start or goal: the first `given` of position, velocity and acceleration are. */
struct end_state {
  double x[3][ARMDYN_JOINTS_MAX];
  size_t given;
};

/* Friction of one joint at a knot: torque and slopes, and the slopes without friction's sign. */
struct knot_friction {
  double torque, slope[2], smooth[2];
};

/* What the friction of another speed is more than that of a knot: torque, slope and bend by the speed. */
struct friction_shift {
  double torque, slope, bend;
};

/* Points are knots (even) and middles of intervals (odd). */
struct transcription {
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct cost cost;
  size_t n, intervals, points, controls, bound_count;
  struct end_state ends[2];
  bool free_duration, rated; /* rated: torque rates are limited */
  bool wary;                 /* limits of torques hold for the friction around a knot, not only at it */
  double tool_speed;         /* m/s, at most; 0: not limited */
  double h, total;           /* length of an interval; the cost at the last evaluation */
  struct bound bounds[BOUNDS_MAX];
  double *most;                         /* bound_count x knots, in the unit of the scaled value */
  double (*unit)[4][4], (*basis)[4][4]; /* points x derivative x function, by intervals and by seconds */
  double *drift;                        /* controls x n: change of the given ones with log T */
  const double *at;                     /* the controls of the last evaluation */
  double *q, *qd, *qdd, *tau;           /* points x n */
  double *jacobian;                     /* 3 x points x n x n: dtau/dq, dtau/dqd, M */
  double *by_duration;                  /* points x 5 x n: q, qd, qdd, qddd, tau by log T; NULL: a given duration */
  struct knot_friction *friction;       /* knots x n where `rated`, else NULL */
  double *reach;                        /* 2 x knots x n (torque_bound.c) where `wary`, else NULL */
  struct friction_shift *shift;         /* as reach */
  double *tool;      /* knots x TOOL_FIGURES(n) (tool_bound.c) where its speed is limited, else NULL */
  double *room;      /* bound_count x knots */
  double *curvature; /* scratch of curvature.c */
};

/* Second derivatives with log T: by every control, and by itself. */
struct duration_bend {
  double *mixed, corner;
};

/* Lay out for a mesh; what is above the arrays must be set. */
void transcription_carve(struct transcription *t, struct carve *c);
void transcription_init(struct transcription *t, double duration);
void transcription_set_duration(struct transcription *t, double duration);
double transcription_duration(const struct transcription *t);
/* Give the controls at the ends the values that make the ends what they are to be. */
void transcription_set_ends(struct transcription *t, double *controls);

/* Motion, torque and room at all points; returns the cost. */
double transcription_evaluate(struct transcription *t, const double *controls);
/* Derivatives where it was evaluated. */
void transcription_differentiate(struct transcription *t, const double *controls);

/* Is this bound a limit on the unknowns at this knot? */
bool transcription_bounds(const struct transcription *t, const struct bound *b, size_t knot);

/* What pulls at one point: derivatives of cost + multiplier . (-room) by the torques, and by derivative r of the positions
 * with the torques held. */
struct point_pull {
  double torque[ARMDYN_JOINTS_MAX], motion[4][ARMDYN_JOINTS_MAX];
  double bend[ARMDYN_JOINTS_MAX]; /* second derivatives by the speeds beyond those of the torques */
};
/*   multiplier  in  bound_count x knots, as everywhere below; NULL = none */
void transcription_pull(const struct transcription *t, size_t point, const double *multiplier, struct point_pull *out);

/* gradient += of cost + sum multiplier . (-room); size: the largest sum of magnitudes that an element is made of.
 * Returns the derivative by log T, 0 where the duration is given. */
double transcription_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size);
/* H (band, 4 n wide) = what the squares of the cost and the stiffness of the bounds make, without the curvature of the
 * torques. bend is set where the duration is free; it takes the multipliers' share in it. */
void transcription_gauss_newton(const struct transcription *t, const double *stiffness, const double *multiplier,
                                double *H, struct duration_bend *bend);
/* S (band) and bend = the curvature of the torques, by differences of the analytic derivatives. */
void transcription_curvature(const struct transcription *t, const double *multiplier, double *S,
                             struct duration_bend *bend);
/* S and bend += what the squares of the cost leave out of its second derivative. */
void transcription_dent_add(const struct transcription *t, double *S, struct duration_bend *bend);
/* Change of every room for a change of the controls and of log T. */
void transcription_room_change(const struct transcription *t, const double *step, double duration_step, double *change);

/* dtau/dq (r = 0), dtau/dqd (1), M (2) of a point */
const double *transcription_slopes(const struct transcription *t, size_t point, size_t r);
/* The interval whose controls a point uses. */
size_t transcription_interval(const struct transcription *t, size_t point);
/* Derivative r of the spline of one joint at a point */
double transcription_combine(const struct transcription *t, const double *controls, size_t point, size_t r,
                             size_t joint);

enum { CURVATURE_POINTS = 32 };
void curvature_carve(struct transcription *t, struct carve *c);

/* -- limits of velocities (velocity_bound.c) -- */

double velocity_bound_value(const struct transcription *t, const double *controls, size_t k, size_t joint);
double velocity_bound_by_duration(const struct transcription *t, const double *controls, size_t k, size_t joint);
/* Add what the multipliers of one bound pull; returns their derivative by log T. */
double velocity_bound_pull(const struct transcription *t, const struct bound *b, const double *multiplier,
                           double *gradient, double *largest);
void velocity_bound_bend(const struct transcription *t, const struct bound *b, const double *stiffness,
                         const double *multiplier, double *H, struct duration_bend *bend);

/* -- limits of torques where friction changes its sign between knots (torque_bound.c) -- */

/* How much faster and slower the joints of a motion are within half an interval of every knot. */
void torque_bound_reach(struct transcription *t, const struct armdyn_trajectory *motion);
/* The friction of these speeds, beyond that of the knots, where it was evaluated. */
void torque_bound_shift(struct transcription *t);
/* Where `wary` is set; nothing for other limits than those of torques. */
const struct friction_shift *torque_bound_at(const struct transcription *t, const struct bound *b, size_t knot);

/* -- limits of the tool's speed (tool_bound.c) -- */

/* Of a knot: its value; the value's slopes by the positions and velocities; and those of the three components of the
 * tool's velocity, of which the value is half the sum of squares. */
#define TOOL_FIGURES(n) (1 + 4 * 2 * (n))
void tool_bound_evaluate(struct transcription *t);
double tool_bound_value(const struct transcription *t, size_t knot);
/* Slopes of the value (part 0) or of component part - 1: n by positions, then n by velocities. */
const double *tool_bound_slopes(const struct transcription *t, size_t knot, size_t part);
/* Add what multiplier times the value bends beyond the squares of the components: derivatives by q and q, and q and qd. */
void tool_bound_bend(const struct transcription *t, size_t knot, double multiplier, double *qq, double *qv);

/* -- rates of torques (torque_rate.c) -- */

void torque_rate_friction(struct transcription *t);
double torque_rate_value(const struct transcription *t, size_t interval, size_t joint);
/* += what amounts on the rates of the intervals at a knot pull */
void torque_rate_pull(const struct transcription *t, size_t joint, size_t knot, const double *amount, double scale,
                      struct point_pull *out);
/* The rate's derivatives by the 4 n controls of its interval; returns that by log T. */
double torque_rate_row(const struct transcription *t, size_t interval, size_t joint, double *row);

#endif
