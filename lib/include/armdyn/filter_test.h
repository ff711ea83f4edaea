/* Are the filters of an identification right? The test of Durbin, Wu and Hausman.
 *
 * Least squares of tau = X beta + e want columns X, of filtered positions, that the error e knows nothing of. Noise in the
 * positions is in both, and so is what a filter took off the motion. Instruments Z are the columns of the same motion got
 * another way; what they do not explain of the predicted torque is added as a column, and has no coefficient if X is sound.
 */
#ifndef ARMDYN_FILTER_TEST_H
#define ARMDYN_FILTER_TEST_H

#include "armdyn/identify.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armdyn_filter_test {
  double statistic;              /* F, of all joints */
  double numerator, denominator; /* its degrees of freedom; numerator: joints that could be tested */
  double p;       /* of such an F or a larger one, if the filters were right; NAN: no joint could be tested */
  size_t samples; /* after decimation */
  double t[ARMDYN_JOINTS_MAX]; /* n: the added column's coefficient of each joint in its deviations; NAN: not tested */
};

/* A cut-off for instruments that follow the measured path through a filter of their own: with that of the identification they
 * would be its own columns, and no test at all.
 *   cutoff     in   Hz, of the positions that are identified from; 0: not filtered
 *   bandwidth  in   Hz, of the motion (armdyn_bandwidth)
 *   rate       in   Hz
 * Returns Hz, at least a factor of 1.5 from the cut-off. */
double armdyn_instrument_cutoff(double cutoff, double bandwidth, double rate);

/* Test the columns of a source by those of another.
 *   source       in  the training data
 *   instruments  in  the same samples, block by block, with positions that came another way; its torques are not looked at
 *   out          out
 * Data are decimated to twice the torque's cut-off, beyond which filtered errors are hardly correlated; the covariance is that
 * of Newey and West, which needs neither equal nor independent errors nor independent joints. Reads everything three times.
 * OK, EINPUT (sources that differ in their samples), the refusals of either source, or EMEMORY.
 * Source: Janot, Vandanjon & Gautier 2014, A Durbin-Wu-Hausman test for industrial robot identification; Wooldridge,
 * Econometric Analysis of Cross Section and Panel Data, 6.2.1, for the augmented regression. */
enum armdyn_status armdyn_test_filters(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                       const struct armdyn_source *instruments, struct armdyn_filter_test *out,
                                       struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
