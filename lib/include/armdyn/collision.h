/* Collisions without a sensor for them: what acts on an arm besides its drives, from positions, velocities and torques.
 *
 * The observer of momentum follows the external torque of M qdd + C qd + g + F = tau + tau_ext as a filter of first order,
 * r' = K (tau_ext - r), without accelerations: r = K (p - p(0) - integral of (tau + C' qd - g - F + r) dt), p = M qd. An
 * alarm tells from r when something was touched.
 *
 * Allocation-free and streaming: one call a sample, O(n), made for a controller's cycle. Not a safety function: what the
 * model has wrong (a payload, friction) is in r too, and is told from a collision by nothing but its size.
 * Source: De Luca & Mattone 2003; Haddadin, De Luca & Albu-Schaeffer, Robot Collisions: A Survey, T-RO 2017. */
#ifndef ARMDYN_COLLISION_H
#define ARMDYN_COLLISION_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the observer */

/* One arm's observer; armdyn_observer_init fills it, and no member is written by the caller after that. */
struct armdyn_observer {
  double gain;                        /* K, 1/s: 2 pi times the bandwidth */
  bool held;                          /* the torque of a sample acted since the sample before, see armdyn_observe */
  double residual[ARMDYN_JOINTS_MAX]; /* r, n, N m (N) */
  /* of the last sample */
  bool begun;
  double t;
  double momentum[ARMDYN_JOINTS_MAX], push[ARMDYN_JOINTS_MAX]; /* p; tau + C' qd - g - F */
};

/* r = 0, before the first sample.
 *   gain  in   K, 1/s, > 0: a step of the external torque shows as 1 - exp(-K t) of itself
 *   held  in   is the torque commanded and held for a period (true), or measured at the samples (false)? */
void armdyn_observer_init(struct armdyn_observer *observer, double gain, bool held);

/* Take in a sample; observer->residual is that of its time.
 *   t       in   s; a sample whose time is not after the one before is passed over, times need not be even
 *   q, qd   in   n, at t
 *   tau     in   n, torques of the drives, N m (N): at t, or held from the sample before until t
 *   load    in   what is known to act: a wrench on the tool that is no collision, and whether there is friction; as in
 *                armdyn_inverse_dynamics, NULL = no wrench, with friction
 * Between samples the external torque is taken as constant, for which the filter is exact however long the period is; p
 * is exact, and the integral of the other torques is a trapezoid (a rectangle for a held torque, which is exact). So r is
 * of second order in the period (friction that depends on the load is that of a held torque's own period at both its ends),
 * and of a ramp it lags by T/2 coth(K T/2) = 1/K (1 + (K T)^2 / 12).
 * O(n), no allocation, cannot fail. */
void armdyn_observe(struct armdyn_observer *observer, const struct armdyn_robot *robot, double t, const double *q,
                    const double *qd, const double *tau, const struct armdyn_load *load,
                    struct armdyn_workspace *workspace);

/* ---------------------------------------------------------------- the alarm */

enum armdyn_alarm_change { ARMDYN_ALARM_NONE, ARMDYN_ALARM_BEGINS, ARMDYN_ALARM_ENDS };

/* Of one collision it makes one alarm: it ends when no residual was beyond its threshold for the time `hold`, e.g. 3 / K,
 * which is what the observer remembers. */
struct armdyn_alarm {
  const double *threshold; /* n, N m (N), > 0 */
  double hold;             /* s */
  /* of the present alarm, or the last one */
  bool on;
  size_t joint;                   /* whose residual was farthest beyond its threshold when it began, from 0 */
  double begin, end;              /* s: the first sample beyond a threshold, and the last one so far */
  double residual;                /* N m (N): that joint's residual then; its sign is the push's direction */
  double peak[ARMDYN_JOINTS_MAX]; /* n: the largest residuals of it, signed */
};

/*   threshold  in   n, which must live as long as the alarm */
void armdyn_alarm_init(struct armdyn_alarm *alarm, const double *threshold, double hold);
/* Take in the residuals of a sample.
 *   n         in
 *   t         in   s, not before the sample before
 *   residual  in   n
 * O(n), no allocation, cannot fail. */
enum armdyn_alarm_change armdyn_alarm_take(struct armdyn_alarm *alarm, size_t n, double t, const double *residual);

/* How many alarms must be reckoned with, where `count` were seen: the mean number for which so few would be seen with the
 * probability 1 - confidence only. For none and 0.95 that is 3.0, "the rule of three".
 *   confidence  in   0 .. 0.999999
 * O(count). Source: Garwood 1936 (Poisson counts). */
double armdyn_alarms_at_most(size_t count, double confidence);

#ifdef __cplusplus
}
#endif
#endif
