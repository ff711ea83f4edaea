/* Tests of hypotheses. */
#ifndef LIB_MATH_DISTRIBUTION_H
#define LIB_MATH_DISTRIBUTION_H

#include <stddef.h>

/* P(F >= f) of the F distribution with d1 and d2 degrees of freedom, f >= 0, d1, d2 > 0. Cannot fail; relative error below
 * 1e-9. Source: Abramowitz & Stegun 26.6.2 and 26.5.8. */
double f_distribution_tail(double f, double d1, double d2);

/* P(X <= x) of the beta distribution with parameters a, b > 0: I_x(a, b). It is P(X >= a) of a + b - 1 trials that succeed with
 * probability x. Cannot fail; errors as above. Source: Abramowitz & Stegun 26.5.8 and 26.5.24. */
double beta_distribution(double x, double a, double b);

/* The mean of a - b in standard errors of that mean, which Student's distribution with count - 1 degrees of freedom has if
 * both are alike. count >= 2. Cannot fail. Source: Student 1908. */
double paired_t(size_t count, const double *a, const double *b);

#endif
