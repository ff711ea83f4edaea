/* Damped Newton for functions that are infinite outside of where they may be looked at. */
#ifndef LIB_MATH_NEWTON_H
#define LIB_MATH_NEWTON_H

#include <stdbool.h>
#include <stddef.h>

/* What is minimised. */
struct newton {
  size_t p;
  double (*value)(void *context, const double *x); /* INFINITY: x is not allowed */
  /* Gradient (p) and Hessian (p x p) at an x that is. */
  void (*slopes)(void *context, const double *x, double *gradient, double *hessian);
  void *context;
  bool quadratic;                                    /* one whole step is the minimum */
  double *step, *trial, *gradient, *hessian, *scale; /* scratch: p, p, p, p x p, p */
};

/* From x, which must be allowed, to the minimum; only lower values are gone to. Answers the rounds.
 * Source: Nocedal & Wright, 3.3. */
size_t newton_minimise(const struct newton *newton, double *x);

#endif
