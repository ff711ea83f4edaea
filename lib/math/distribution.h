/* Tails of distributions, for tests of hypotheses. */
#ifndef LIB_MATH_DISTRIBUTION_H
#define LIB_MATH_DISTRIBUTION_H

/* P(F >= f) of the F distribution with d1 and d2 degrees of freedom, f >= 0, d1, d2 > 0. Cannot fail; relative error below
 * 1e-9. Source: Abramowitz & Stegun 26.6.2 and 26.5.8. */
double f_distribution_tail(double f, double d1, double d2);

#endif
