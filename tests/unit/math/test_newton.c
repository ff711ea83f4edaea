/* Damped Newton on functions whose minima are known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/math/newton.h"

enum { P = 4 };

struct scratch {
  double step[P], trial[P], gradient[P], hessian[P * P], scale[P];
};

static size_t looks; /* at slopes */

static size_t minimise_known(bool quadratic, size_t p, double (*value)(void *, const double *),
                             void (*slopes)(void *, const double *, double *, double *), double *x)
{
  struct scratch s;
  const struct newton newton = { .p = p,
                                 .value = value,
                                 .slopes = slopes,
                                 .quadratic = quadratic,
                                 .step = s.step,
                                 .trial = s.trial,
                                 .gradient = s.gradient,
                                 .hessian = s.hessian,
                                 .scale = s.scale };
  looks = 0;
  return newton_minimise(&newton, x);
}

static size_t minimise(size_t p, double (*value)(void *, const double *),
                       void (*slopes)(void *, const double *, double *, double *), double *x)
{
  return minimise_known(false, p, value, slopes, x);
}

/* 1/2 (x - c)' A (x - c) + 7 of scales far apart: one step is the whole way. */
static const double A[9] = { 4e6, 1e3, 0, 1e3, 2, 1e-3, 0, 1e-3, 1e-4 }, centre[3] = { 3, -20, 500 };

static double bowl(void *context, const double *x)
{
  double sum = 7;
  (void)context;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += A[3 * i + j] * (x[i] - centre[i]) * (x[j] - centre[j]) / 2;
  return sum;
}

static void bowl_slopes(void *context, const double *x, double *gradient, double *hessian)
{
  (void)context;
  looks++;
  memcpy(hessian, A, sizeof A);
  for (int i = 0; i < 3; i++) {
    gradient[i] = 0;
    for (int j = 0; j < 3; j++) gradient[i] += A[3 * i + j] * (x[j] - centre[j]);
  }
}

Test(newton, a_quadratic_takes_one_step)
{
  double x[3] = { -100, 50, 0 };
  cr_assert_eq(minimise(3, bowl, bowl_slopes, x), 1);
  for (int i = 0; i < 3; i++) cr_assert_float_eq(x[i], centre[i], 1e-9 * fabs(centre[i]), "%d: %.17g", i, x[i]);
}

/* One that is known to be quadratic is not looked at again to see that it is. */
Test(newton, a_known_quadratic_is_looked_at_once)
{
  double x[3] = { -100, 50, 0 };
  cr_assert_eq(minimise_known(true, 3, bowl, bowl_slopes, x), 1);
  cr_assert_eq(looks, 1);
  for (int i = 0; i < 3; i++) cr_assert_float_eq(x[i], centre[i], 1e-9 * fabs(centre[i]), "%d: %.17g", i, x[i]);
  cr_assert_eq(minimise_known(true, 3, bowl, bowl_slopes, x), 0, "the minimum is left where it is");
}

/* The barrier problem  x_k - mu_k log x_k  has its minimum at mu_k, and is not allowed at x_k <= 0, where a whole step
 * from beyond 2 mu_k would lead. */
static const double mu[P] = { 1e-3, 0.4, 2, 30 };

static double barrier(void *context, const double *x)
{
  double sum = 0;
  (void)context;
  for (int k = 0; k < P; k++) {
    if (!(x[k] > 0)) return INFINITY;
    sum += x[k] - mu[k] * log(x[k]);
  }
  return sum;
}

static void barrier_slopes(void *context, const double *x, double *gradient, double *hessian)
{
  (void)context;
  memset(hessian, 0, P * P * sizeof *hessian);
  for (int k = 0; k < P; k++) {
    gradient[k] = 1 - mu[k] / x[k];
    hessian[k * P + k] = mu[k] / (x[k] * x[k]);
  }
}

Test(newton, a_barrier_is_never_crossed)
{
  double x[P] = { 1, 1e-6, 9, 31 };
  const size_t rounds = minimise(P, barrier, barrier_slopes, x);
  cr_assert_gt(rounds, 3, "a whole first step is not allowed");
  cr_assert_lt(rounds, 200, "it has not just run out of rounds");
  for (int k = 0; k < P; k++) cr_assert_float_eq(x[k], mu[k], 2e-6 * (1 + mu[k]), "%d: %.17g, %.17g", k, x[k], mu[k]);
}

/* A hill: there is no way down to find with this Hessian, and nothing is moved. */
static double hill(void *context, const double *x)
{
  (void)context;
  return -x[0] * x[0];
}

static void hill_slopes(void *context, const double *x, double *gradient, double *hessian)
{
  (void)context;
  gradient[0] = -2 * x[0];
  hessian[0] = -2;
}

Test(newton, a_hill_is_left_alone)
{
  double x[1] = { 0.5 };
  cr_assert_eq(minimise(1, hill, hill_slopes, x), 0);
  cr_assert_eq(x[0], 0.5);
}
