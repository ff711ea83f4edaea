/* Minima over what is not negative, by the conditions that only they fulfil, and against all choices of what is 0. */
#include <criterion/criterion.h>

#include "lib/math/linear.h"
#include "lib/math/nonnegative.h"
#include "tests/support/robots.h"

enum { N = 6, ROWS = 8 };

static double value(const double *S, const double *d, const double *x)
{
  double sum = 0;
  for (size_t i = 0; i < N; i++) {
    sum += d[i] * x[i];
    for (size_t k = 0; k < N; k++) sum += x[i] * S[i * N + k] * x[k] / 2;
  }
  return sum;
}

static void random_problem(struct dice *dice, size_t rows, double S[N * N], double d[N])
{
  double A[ROWS * N];
  dice_fill(dice, A, rows * N, -1, 1);
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < N; k++) {
      S[i * N + k] = 0;
      for (size_t r = 0; r < rows; r++) S[i * N + k] += A[r * N + i] * A[r * N + k];
    }
  }
  dice_fill(dice, d, N, -1, 1);
}

/* x >= 0, S x + d >= 0, and one of both is 0 (Karush, Kuhn, Tucker): of a convex function these are the minimum. */
Test(nonnegative, fulfils_the_conditions_of_a_minimum)
{
  struct dice dice = { 11 };
  for (int trial = 0; trial < 2000; trial++) {
    double S[N * N], d[N], x[N], scratch[N * (N + 3)];
    random_problem(&dice, ROWS, S, d);
    nonnegative_minimum(N, S, d, x, scratch);
    for (size_t i = 0; i < N; i++) {
      double slope = d[i];
      for (size_t k = 0; k < N; k++) slope += S[i * N + k] * x[k];
      cr_assert(x[i] >= 0 && slope >= -1e-9, "%d: x %g, slope %g", trial, x[i], slope);
      cr_assert(fabs(x[i] * slope) < 1e-8, "%d: x %g, slope %g", trial, x[i], slope);
    }
  }
}

/* No choice of what is 0 has a lower value. */
Test(nonnegative, is_the_best_of_all_faces)
{
  struct dice dice = { 12 };
  for (int trial = 0; trial < 50; trial++) {
    double S[N * N], d[N], x[N], scratch[N * (N + 3)];
    random_problem(&dice, ROWS, S, d);
    nonnegative_minimum(N, S, d, x, scratch);
    const double found = value(S, d, x);
    for (unsigned face = 0; face < 1u << N; face++) {
      double A[N * N] = { 0 }, inverse[N * N], y[N] = { 0 };
      bool inside = true;
      for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < N; k++) A[i * N + k] = face >> i & face >> k & 1 ? S[i * N + k] : i == k;
      }
      cr_assert(invert(N, A, inverse));
      for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < N; k++) y[i] -= (face >> i & face >> k & 1) ? inverse[i * N + k] * d[k] : 0;
        inside = inside && y[i] >= 0;
      }
      if (inside) cr_assert_leq(found, value(S, d, y) + 1e-9);
    }
  }
}

/* Flat directions, and nothing to do. */
Test(nonnegative, bears_what_is_singular)
{
  struct dice dice = { 13 };
  for (int trial = 0; trial < 500; trial++) {
    double S[N * N], d[N], x[N], scratch[N * (N + 3)];
    random_problem(&dice, 3, S, d);
    nonnegative_minimum(N, S, d, x, scratch);
    for (size_t i = 0; i < N; i++) cr_assert(isfinite(x[i]) && x[i] >= 0);
  }
  double S[1] = { 0 }, d[1] = { -1 }, x[1], scratch[4];
  nonnegative_minimum(1, S, d, x, scratch);
  cr_assert_eq(x[0], 0);
}
