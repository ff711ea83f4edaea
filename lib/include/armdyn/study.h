/* Monte Carlo of an identification: noise like that which it left, and how well what many simulated runs of it state agrees
 * with the truth that they were simulated from. */
#ifndef ARMDYN_STUDY_H
#define ARMDYN_STUDY_H

#include <stdint.h>

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- noise */

/* Gaussian noise of several columns: each autoregressive in time,
 *   e_k = sum_i a_i e_(k-i) + u_k,
 * the u of a moment correlated between columns. Immutable; threads may share it. */
struct armdyn_noise;
enum { ARMDYN_NOISE_ORDER_MAX = 100 };

/* Residuals of one stretch of time. */
struct armdyn_residuals {
  size_t count;
  const double *values; /* count x columns */
};
/* Noise with the autocovariances of residuals: Yule and Walker's equations; the order of each column is that with the least
 * information criterion of Schwarz. What stays alike for longer than ARMDYN_NOISE_ORDER_MAX samples is as slow as that.
 *   columns     in   at most ARMDYN_JOINTS_MAX
 *   stretches   in   stretch_count of them; the mean of residuals is taken for 0
 *   out         out  release with armdyn_noise_free
 * OK; EINPUT: fewer than 16 samples; EMEMORY. O(samples x columns x ARMDYN_NOISE_ORDER_MAX).
 * Sources: Brockwell & Davis 1991, 8.1 and 8.2 (Levinson and Durbin); Schwarz 1978. */
enum armdyn_status armdyn_noise_fit(size_t columns, const struct armdyn_residuals *stretches, size_t stretch_count,
                                    struct armdyn_noise **out, struct armdyn_error *error);
void armdyn_noise_free(struct armdyn_noise *noise);
/* Standard deviation of a column, its order, and how many samples count as one, >= 1. */
double armdyn_noise_deviation(const struct armdyn_noise *noise, size_t column);
size_t armdyn_noise_order(const struct armdyn_noise *noise, size_t column);
double armdyn_noise_correlation(const struct armdyn_noise *noise, size_t column);
/* White noise of standard deviations that are known.
 *   deviations  in   columns, >= 0
 *   out         out  release with armdyn_noise_free
 * OK or EMEMORY. */
enum armdyn_status armdyn_noise_white(size_t columns, const double *deviations, struct armdyn_noise **out);
/* One stretch of it; the same seed draws the same.
 *   out  out  count x columns
 * OK or EMEMORY. */
enum armdyn_status armdyn_noise_draw(const struct armdyn_noise *noise, uint64_t seed, size_t count, double *out);

/* ---------------------------------------------------------------- how estimates agree with the truth */

/* Within so many deviations as a normal distribution has these shares. */
enum armdyn_study_width { ARMDYN_WITHIN_68, ARMDYN_WITHIN_95, ARMDYN_STUDY_WIDTHS };
extern const double armdyn_study_deviations[ARMDYN_STUDY_WIDTHS];
extern const double armdyn_study_shares[ARMDYN_STUDY_WIDTHS];

/* A share of trials, and where it lies with the probability that was asked for; NAN: of no trials. */
struct armdyn_share {
  double value, low, high;
};
/* Of `hits` in `trials`, whose interval holds the true share at least as often as `level` says.
 * Cannot fail. Source: Clopper & Pearson 1934. */
struct armdyn_share armdyn_binomial_share(size_t hits, size_t trials, double level);

struct armdyn_study;
/*   truth  in   the unknowns that are told of, and beta, what they truly are; both must live as long
 *   out    out  release with armdyn_study_free
 * OK or EMEMORY. */
enum armdyn_status armdyn_study_new(const struct armdyn_unknowns *truth, const double *beta, struct armdyn_study **out);
void armdyn_study_free(struct armdyn_study *study);
/* Take in what one simulated run found, which may have other terms of friction: of those that it lacks it says nothing.
 * OK or EMEMORY. */
enum armdyn_status armdyn_study_add(struct armdyn_study *study, const struct armdyn_unknowns *unknowns,
                                    const struct armdyn_estimate *estimate);

/* One base parameter. */
struct armdyn_study_parameter {
  double truth;
  size_t runs;                        /* that found it */
  double mean, spread;                /* of what they found */
  double bias, bias_error;            /* mean - truth, and the standard error of that; NAN: fewer than 2 runs */
  double stated;                      /* root mean square of the deviations that they state; NAN: none */
  size_t at_bound;                    /* runs that state none, because a sign of friction holds it */
  size_t within[ARMDYN_STUDY_WIDTHS]; /* runs whose value is so near to the truth, of runs - at_bound */
};
struct armdyn_study_parameter armdyn_study_parameter(const struct armdyn_study *study, size_t k);
/* All parameters together: the mean share of a run, whose interval is from the spread between runs, as parameters of one run
 * err together (mean +- 1.96 standard errors, within 0 .. 1). */
struct armdyn_share armdyn_study_coverage(const struct armdyn_study *study, enum armdyn_study_width width);

#ifdef __cplusplus
}
#endif
#endif
