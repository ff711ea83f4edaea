#ifndef LIB_IDENTIFY_UNCERTAINTY_H
#define LIB_IDENTIFY_UNCERTAINTY_H

#include "lib/identify/estimate.h"

/* Deviation and autocorrelation of every joint's residuals. */
void residual_figures(const struct training *training, const double *residuals, struct armdyn_estimate *out);

/* Covariance and deviations of a least-squares estimate with these joint weights. Needs full rank. */
enum armdyn_status covariance_of(struct training *training, const double *weight, struct armdyn_estimate *out);

#endif
