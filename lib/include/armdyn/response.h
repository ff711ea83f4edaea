/* What a loop makes of a step and of a sine: the figures of a joint's answer, taken sample by sample. */
#ifndef ARMDYN_RESPONSE_H
#define ARMDYN_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "armdyn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a step: what is wanted goes from `from` to `to` at t = 0. In what follows y = (q - from) / (to - from), and between
 * samples q goes as the cubic that its values and velocities make. NAN where something does not happen. */
struct armdyn_step_response {
  double from, to, duration, band; /* of y: 0.02 */
  /* found: */
  double rise[2];      /* s: y first reaches 0.1 and 0.9 */
  double peak, peak_t; /* the largest y, and when, s */
  double settled_t;    /* s: from there on |y - 1| <= band; NAN: not within the duration */
  double steady;       /* wanted - q, in the mean over the last tenth of the duration */
  /* its memory: */
  bool begun;
  double t, q, qd, area, span;
};

/*   band  in  > 0, of the step */
void armdyn_step_init(struct armdyn_step_response *step, double from, double to, double duration, double band);
/* The next sample; the first at t = 0, the last at the duration. O(1), cannot fail. */
void armdyn_step_take(struct armdyn_step_response *step, double t, double q, double qd);
/* max(0, peak - 1) */
double armdyn_step_overshoot(const struct armdyn_step_response *step);

/* ---- a sine: q = mean + a sin(w t) + b cos(w t) + what is left, by least squares over samples at any times, which need not
 * be whole periods. */
struct armdyn_sine_fit {
  double w; /* rad/s */
  /* its memory: sums of products of (1, sin, cos) and of these with q, and of q^2 */
  double normal[9], right[3], square;
  size_t count;
};
void armdyn_sine_init(struct armdyn_sine_fit *fit, double frequency); /* Hz */
void armdyn_sine_take(struct armdyn_sine_fit *fit, double t, double q);
/* What is found.
 *   component  out  2: a, b
 *   left       out  rms of what is no sine of this frequency
 * OK; EINPUT with fewer than 3 samples, or those that do not tell sine, cosine and mean apart. */
enum armdyn_status armdyn_sine_end(const struct armdyn_sine_fit *fit, double component[2], double *left);

/* Gain and phase from one sine to another one.
 *   in, out  in  2: a, b
 *   gain     out
 *   phase    out  rad, -pi to pi; below 0: the answer lags */
void armdyn_sine_ratio(const double in[2], const double out[2], double *gain, double *phase);

/* Where gains first fall below 1/sqrt(2), on straight lines in decibels over the logarithm of the frequency.
 *   frequencies, gains  in   count, frequencies increasing
 * Answers it in Hz; NAN: nowhere, or there is no frequency before. */
double armdyn_gain_bandwidth(const double *frequencies, const double *gains, size_t count);

#ifdef __cplusplus
}
#endif
#endif
