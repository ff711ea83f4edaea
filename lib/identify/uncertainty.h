#ifndef LIB_IDENTIFY_UNCERTAINTY_H
#define LIB_IDENTIFY_UNCERTAINTY_H

#include "lib/identify/training.h"

/* Sums over the blocks so far, by joint. */
struct residual_sums {
  const double *clip;   /* n: a residual beyond this counts as this much, NULL: none does */
  double count, judged; /* samples; those whose correlation was taken */
  double square[ARMDYN_JOINTS_MAX], correlation[ARMDYN_JOINTS_MAX];
  double inside[ARMDYN_JOINTS_MAX]; /* samples that are not clipped */
};
/* Residuals of a block, count x n, which are clipped; the correlation of only some blocks is taken where there are many. */
void residual_sums_add(struct residual_sums *sums, size_t n, size_t block, size_t blocks, size_t count, double *e);
/* Their deviations when so many parameters were fitted, and how many samples count as one (n each). */
void residual_sums_end(const struct residual_sums *sums, size_t n, size_t parameters, double *deviation,
                       double *correlation);

/* Deviation and autocorrelation of every joint's residuals, the latter of some blocks where there are many; and how many of
 * the training's are not clipped. */
enum armdyn_status residual_figures(struct training *training, struct armdyn_estimate *out, struct armdyn_error *error);

/* Covariance and deviations of a least-squares estimate of the equations that are stacked, whose scores vary by T'T
 * (scores.h). Needs full rank. */
enum armdyn_status covariance_of(struct training *training, const double *T, struct armdyn_estimate *out);

#endif
