/* What a prediction leaves: errors of data of any length, spectra, and how fast a motion is. */
#ifndef ARMDYN_RESIDUALS_H
#define ARMDYN_RESIDUALS_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums behind an armdyn_fit, for numbers that come one after the other. */
struct armdyn_fit_sums {
  double count, error2, torque2, mean, spread2, low, high, max;
};
void armdyn_fit_begin(struct armdyn_fit_sums *sums);
void armdyn_fit_add(struct armdyn_fit_sums *sums, double measured, double predicted);
/* A figure whose denominator is 0 is NAN; so are all of no numbers. */
struct armdyn_fit armdyn_fit_end(const struct armdyn_fit_sums *sums);

/* Power spectral density of a column: the mean over windows of 2 (lines - 1) samples that overlap by half, with Hann's
 * weights, mean taken out.
 *   x          in   count, x[k * step]
 *   lines      in   1 + a power of two, at least 3
 *   frequency  out  lines, Hz, from 0 to rate / 2
 *   density    out  lines, one-sided, unit of x squared per Hz; their sum times the distance of two lines is about the
 *                   variance
 * OK; EINPUT: fewer samples than one window; EMEMORY. Source: Welch 1967. */
enum armdyn_status armdyn_spectrum(size_t count, size_t step, double rate, const double *x, size_t lines,
                                   double *frequency, double *density);

/* How fast a motion is: the lowest of some frequencies (steps of a fifth, 0.05 Hz to a fifth of the rate) below which a
 * low-pass of armdyn_lowpass leaves 99 % of the power of every column's rate of change, noise beyond 20 Hz left out.
 *   q  in  count x columns, even clock
 * OK, EINPUT (fewer than 64 samples) or EMEMORY. */
enum armdyn_status armdyn_bandwidth(size_t count, size_t columns, double rate, const double *q, double *bandwidth);

#ifdef __cplusplus
}
#endif
#endif
