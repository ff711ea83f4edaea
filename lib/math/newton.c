#include "lib/math/newton.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"

enum { ROUNDS_MAX = 200, STEPS_MAX = 60 };

/* The first of the steps 1, 1/2, 1/4, .. that lowers the value enough is gone. Answers that there was one. */
static bool descend(const struct newton *n, double decrement, double *value, double *x)
{
  double length = 1;
  for (int tried = 0; tried < STEPS_MAX; tried++, length /= 2) {
    for (size_t k = 0; k < n->p; k++) n->trial[k] = x[k] - length * n->step[k];
    const double there = n->value(n->context, n->trial);
    if (!(there <= *value - 1e-4 * length * decrement)) continue;
    *value = there;
    memcpy(x, n->trial, n->p * sizeof *x);
    return true;
  }
  return false; /* nothing but rounding is left */
}

size_t newton_minimise(const struct newton *n, double *x)
{
  double value = n->value(n->context, x);
  for (size_t round = 0; round < ROUNDS_MAX; round++) {
    double decrement = 0;
    n->slopes(n->context, x, n->gradient, n->hessian);
    if (!scaled_cholesky_factor(n->p, n->hessian, n->scale)) return round;
    memcpy(n->step, n->gradient, n->p * sizeof *n->step);
    scaled_cholesky_solve(n->p, n->hessian, n->scale, n->step);
    for (size_t k = 0; k < n->p; k++) decrement += n->step[k] * n->gradient[k];
    if (!(decrement > 1e-12 * (1 + fabs(value)))) return round;
    if (!descend(n, decrement, &value, x)) return round;
    if (n->quadratic) return round + 1;
  }
  return ROUNDS_MAX;
}
