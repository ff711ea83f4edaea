/* The limits of a transcription: a table with a row a kind. A bound b keeps room = most - scale value >= 0 at the knots, and
 * whoever minimises needs of it, for multipliers z and stiffnesses w of its rows:
 *   value    of one knot, by which its room is found
 *   change   d value along a step of the controls and of log T
 *   pull     gradient of sum z scale value
 *   squares  sum w scale^2 (d value)(d value)'
 *   bend     sum z scale d^2 value, as far as it is not the torques' (curvature.c has that) */
#ifndef LIB_TRAJECTORY_BOUND_H
#define LIB_TRAJECTORY_BOUND_H

#include "lib/trajectory/hessian.h"

/* What pulls at one point: derivatives by the torques, and by derivative r of the positions with the torques held. */
struct point_pull {
  double torque[ARMDYN_JOINTS_MAX], motion[4][ARMDYN_JOINTS_MAX];
  double bend[ARMDYN_JOINTS_MAX]; /* second derivatives by the speeds beyond those of the torques */
};

/* A step of the controls and of log T, and what it changes at a knot: q, qd, qdd, qddd and tau. */
struct knot_step {
  const double *controls;
  double duration, x[5][ARMDYN_JOINTS_MAX];
};

/* `multiplier` and `stiffness` are the bound's own, one for every knot. What is NULL has nothing to say. */
struct bound_kind {
  bool of_interval; /* a value of the interval after the knot; else of the knot alone */
  /* What values and derivatives are made of, once for all bounds, where the motion stands. */
  void (*prepare)(struct transcription *t);
  /* Is it a limit on the unknowns at this knot, or given by an end? */
  bool (*applies)(const struct transcription *t, const struct bound *b, size_t knot);
  double (*value)(const struct transcription *t, const struct bound *b, size_t knot);
  double (*change)(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot);
  /* += what pulls at a knot by its motion and torques; and, with the weights of squares, where these are diagonal there */
  void (*pull)(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
               struct point_pull *out);
  void (*stiffen)(const struct transcription *t, const struct bound *b, const double *stiffness, size_t knot,
                  struct point_pull *out);
  /* += what pulls at the controls themselves; size: its largest magnitude joins. Returns the pull at log T beyond that of
   * the motion and torques */
  double (*pull_controls)(const struct transcription *t, const struct bound *b, const double *multiplier,
                          double *gradient, double *size);
  /* += the squares that `stiffen` leaves, and bends of the value that are squares too */
  void (*squares)(const struct transcription *t, const struct bound *b, const double *stiffness,
                  const double *multiplier, double *H, struct duration_bend *bend);
  /* += the other bends: derivatives by q and q, and q and qd, n x n */
  void (*bend)(const struct transcription *t, const struct bound *b, double multiplier, size_t knot, double *qq,
               double *qv);
};

extern const struct bound_kind position_bound, velocity_bound, acceleration_bound, jerk_bound, torque_bound,
    torque_rate_bound, tool_bound, clearance_bound;
extern const struct bound_kind
    *const bound_kinds[BOUND_KINDS]; /* by enum armdyn_limit_kind, BOUND_TOOL_SPEED, _CLEARANCE */

static inline bool bound_applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  return bound_kinds[b->kind]->applies(t, b, knot);
}

/* How many controls, of position, velocity and acceleration, the end at a knot gives; 0: it is no end. */
size_t bound_given(const struct transcription *t, size_t knot);

/* Control k of the velocity's spline: these are what its limits hold (velocity_bound.c). */
double velocity_control(const struct transcription *t, const double *controls, size_t k, size_t joint);
/* How much faster and slower the joints of a motion are within half an interval of every knot (torque_bound.c). */
void torque_bound_reach(struct transcription *t, const struct armdyn_trajectory *motion);

#endif
