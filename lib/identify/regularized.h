#ifndef LIB_IDENTIFY_REGULARIZED_H
#define LIB_IDENTIFY_REGULARIZED_H

#include "lib/identify/prior.h"
#include "lib/identify/training.h"

/* Estimates with a prior: the standard parameters x that minimise
 *     |A x - z|^2 / 2 + strength * penalty(x)
 * A, z the weighted equations per sample. A strength of 0 in `estimation` is found by cross-validation. Fills beta,
 * standard, prior_strength, rounds and the curve.
 * OK, ECANCELLED or EMEMORY. */
enum armdyn_status regularized_solve(struct training *training, enum penalty penalty,
                                     const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                     struct armdyn_error *error);

/* Deviations and covariance, from the joints' deviations and correlations, and what the scores vary by: T'T (scores.h).
 * OK or EMEMORY. */
enum armdyn_status regularized_spread(struct training *training, bool ignore_prior, const double *T,
                                      struct armdyn_estimate *out);

#endif
