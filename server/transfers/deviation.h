/* How a motion was measured to be played, against its plan at the same moments: worst moments, lags, parts without a gap, and
 * what braking gave back. Numbers alone; playback.c has where they come from. */
#ifndef SERVER_TRANSFERS_DEVIATION_H
#define SERVER_TRANSFERS_DEVIATION_H

#include "api/codec/transfer.h"

/* count x n each, at the same moments. */
struct motion {
  double *q, *qd, *qdd, *tau;
};

/* Where each joint was farthest from its plan.
 *   t                  in      count, s
 *   planned, measured  in      count x n
 *   errors             in-out  n; `worst` and `worst_at` are set */
void deviation_worst(size_t count, size_t n, const double *t, const double *planned, const double *measured,
                     struct playback_error *errors);

/* How far joint j is behind its plan: the lag and the constant offset that explain most of its positions, by least squares,
 *   q_measured(t) = q_planned(t - lag) + offset,
 * the plan being continued by its velocity and acceleration. All NAN where it hardly moves, or no lag below 0.2 s explains
 * it. */
struct playback_lag deviation_lag(size_t count, size_t n, size_t j, const struct motion *planned,
                                  const double *measured_q);

/* Stretches without a gap: a motion that was held has several. How many, at least 1; what is beyond `room` is one with the
 * last.
 *   t  in  count >= 2, s, increasing */
size_t deviation_parts(size_t count, const double *t, struct playback_part *parts, size_t room);

/* What the joints gave back: the integral of the sum of max(0, -tau qd), J, by the trapezoidal rule. */
double deviation_braking(size_t count, size_t n, const double *t, const double *qd, const double *tau);

#endif
