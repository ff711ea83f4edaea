/* The optimal control problem with its motion written as a spline (direct transcription): what is left are finitely many
 * unknowns. Here are the motion and its derivatives; bound.h has the limits, lagrangian.h what is minimised.
 *
 *   unknowns  c_i, i = 0 .. N + 2: controls of a clamped cubic B-spline on N intervals, n of each; s = log T where T is free
 *   motion    q^(r)(p) = sum_a basis[p][r][a] c_(i(p) + a), r = 0 .. 3, a = 0 .. 3, at 2 N + 1 points p = 0 .. 2 N: knots (even)
 *             and middles of intervals (odd); basis[p][r] = unit[p][r] / h^r, h = T / N
 *   torques   tau(p) = inverse dynamics of (q, q', q'')(p), with Q, V, M = dtau/dq, dtau/dq', dtau/dq''
 *   ends      where q, q' or q'' is given, controls follow from it: the first `given` of c_0, c_1, c_2, and the last. Where
 *             h^r is in them they change with T: drift = dc/ds
 *   by s      dq^(r)/ds = sum_a basis[p][r][a] drift_(i(p) + a) - r q^(r);  dtau/ds = Q dq/ds + V dq'/ds + M dq''/ds
 *   objective f = sum_p w_p l(q, q', tau)(p), Simpson's rule: w = h / 6 at the ends, h / 3 at knots, 2 h / 3 in middles
 *   rows      room = most - scale value >= 0 for every bound at every knot
 * Sources: Betts, Practical Methods for Optimal Control (2010), ch. 4; de Boor, A Practical Guide to Splines, ch. IX to XI. */
#ifndef LIB_TRAJECTORY_TRANSCRIPTION_H
#define LIB_TRAJECTORY_TRANSCRIPTION_H

#include "lib/base/carve.h"
#include "lib/trajectory/cost.h"
#include "lib/trajectory/obstacles.h"

/* One side of one limit of one joint at all knots: room = most - scale value >= 0. Its kind is a row of bound.h: the limits of
 * joints, then that of the tool's speed, which is of no joint, and clearances, which are of pairs of bodies. */
#define BOUND_TOOL_SPEED ARMDYN_LIMIT_KINDS
#define BOUND_CLEARANCE  (ARMDYN_LIMIT_KINDS + 1)
struct bound {
  enum armdyn_limit_kind kind;
  size_t joint; /* of a clearance: which of the obstacles' pairs */
  double scale;
};
enum { BOUND_KINDS = BOUND_CLEARANCE + 1 };
enum { BOUNDS_MAX = 2 * ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX + 1 + PAIRS_MAX };

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

/* Points a time that curvature.c takes, so that the processor's vectors are filled and the cache holds them. */
enum { CURVATURE_POINTS = 32 };

struct transcription {
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  struct cost cost;
  size_t n, intervals, points, controls, bound_count;
  struct end_state ends[2];
  bool free_duration, rated; /* rated: torque rates are limited */
  bool robust;               /* limits of torques hold for the friction around a knot, not only at it */
  bool sided;                /* sides of the cost's kinks are unknowns of their own */
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
  double *reach;                        /* 2 x knots x n (torque_bound.c) where `robust`, else NULL */
  struct friction_shift *shift;         /* as reach */
  const struct obstacles *obstacles;    /* NULL: none */
  double *nearness;       /* pairs x knots x (1 + n): distances and their slopes (clearance_bound.c); NULL: no pairs */
  double *tool;           /* knots x TOOL_FIGURES(n) (tool_bound.c) where its speed is limited, else NULL */
  double *sides, *powers; /* points x n, of the cost's kinks (electrical_cost.c) where `sided`, else NULL */
  double *room;           /* bound_count x knots */
  double *middles; /* gradient of the cost of scale 1 at the middles of intervals alone, which no limit pulls at; */
  double middles_most, middles_by_duration; /* its largest summand, and by log T */
  double *cost_slopes; /* points x 3 x n: of the cost, unscaled, by q, qd and tau, times the weight of the point */
  double *curvature;   /* scratch of curvature.c: points x CURVATURE_FIGURES(n) */
};
/* Of a knot: half the square of the tool's speed; its slopes by the positions and velocities; and those of the three
 * components of the tool's velocity. */
#define TOOL_FIGURES(n)      (1 + 4 * 2 * (n))
#define CURVATURE_FIGURES(n) (4 * (n) + 6 * (n) + 4 * (n) * (n))

/* Lay out for a mesh; what is above the arrays must be set. */
void transcription_carve(struct transcription *t, struct carve *c);
void transcription_init(struct transcription *t, double duration);
void transcription_set_duration(struct transcription *t, double duration);
double transcription_duration(const struct transcription *t);
/* Give the controls at the ends the values that make the ends what they are to be. */
void transcription_set_ends(struct transcription *t, double *controls);

/* Motion and torques at all points, and their derivatives there. */
void transcription_move(struct transcription *t, const double *controls);
void transcription_differentiate(struct transcription *t, const double *controls);

/* The interval whose controls a point uses. */
size_t transcription_interval(const struct transcription *t, size_t point);
/* Derivative r of the spline of one joint at a point, and of all joints */
double transcription_combine(const struct transcription *t, const double *controls, size_t point, size_t r,
                             size_t joint);
void transcription_combine_all(const struct transcription *t, const double *controls, size_t point, size_t r,
                               double *out);
/* dtau/dq (r = 0), dtau/dqd (1), M (2) of a point, and out += one of them times x */
const double *transcription_slopes(const struct transcription *t, size_t point, size_t r);
void transcription_slopes_apply(const struct transcription *t, size_t point, size_t r, const double *x, double *out);
/* The torque of joint i at a point by the 4 n controls of its interval: basis[0] Q_i + basis[1] V_i + basis[2] M_i */
void transcription_torque_row(const struct transcription *t, size_t point, size_t i, double *row);
/* All n of them. */
void transcription_torque_rows(const struct transcription *t, size_t point, double *rows);

#endif
