/* The optimal control problem as a problem in the controls of a spline: Simpson's rule for the cost, limits at the knots. */
#ifndef LIB_TRAJECTORY_TRANSCRIPTION_H
#define LIB_TRAJECTORY_TRANSCRIPTION_H

#include "armdyn/trajectory.h"
#include "lib/base/carve.h"

/* One side of one limit of one joint at all knots: room = most - scale value >= 0. */
struct bound {
  enum armdyn_limit_kind kind;
  size_t joint;
  double scale, most;
};
enum { BOUNDS_MAX = 2 * (ARMDYN_LIMIT_TORQUE + 1) * ARMDYN_JOINTS_MAX };

/* Points are knots (even) and middles of intervals (odd); the first and last `fixed` controls are given. */
struct transcription {
  const struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  double weights[ARMDYN_JOINTS_MAX]; /* R_j */
  size_t n, intervals, points, controls, fixed, bound_count;
  double h;
  struct bound bounds[BOUNDS_MAX];
  double (*basis)[4][4];      /* points x derivative x function */
  double *q, *qd, *qdd, *tau; /* points x n */
  double *jacobian;           /* points x 3 x n x n: dtau/dq, dtau/dqd, M */
  double *room;               /* bound_count x knots */
};

/* Lay out for a mesh; the rest of `t` must be set. Jerk has one value for an interval, kept at the knot before it. */
void transcription_carve(struct transcription *t, struct carve *c);
void transcription_init(struct transcription *t);

/* Motion, torque and room at all points; returns the cost. */
double transcription_evaluate(struct transcription *t, const double *controls);
void transcription_differentiate(struct transcription *t);

/* Is this bound a limit on the unknowns at this knot? */
bool transcription_bounds(const struct transcription *t, const struct bound *b, size_t knot);

/* Pull of cost and bounds on the torques of a point: d(cost + multiplier . (-room)) / dtau.
 *   multiplier  in  bound_count x knots, as everywhere below; NULL = none */
void transcription_torque_pull(const struct transcription *t, size_t point, const double *multiplier, double *pull);
/* gradient += of cost + sum multiplier . (-room); size: the largest sum of magnitudes that an element is made of. */
void transcription_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size);
/* H (band, 4 n wide) = J' W J of cost and bounds. */
void transcription_gauss_newton(const struct transcription *t, const double *stiffness, double *H);
/* S (band) = the curvature of the torques that Gauss-Newton leaves out, by differences of the analytic derivatives. */
void transcription_curvature(const struct transcription *t, const double *multiplier, double *S);
/* Change of every room for a change of the controls. */
void transcription_room_change(const struct transcription *t, const double *step, double *change);

#endif
