/* Eigenvalues against closed forms and their own equation. */
#include <criterion/criterion.h>

#include "lib/math/symmetric.h"
#include "tests/support/robots.h"

enum { MOST = 60 };

Test(symmetric, the_second_difference_has_its_closed_form)
{
  double A[MOST * MOST], values[MOST], scratch[3 * MOST];
  for (size_t n = 1; n <= MOST; n++) {
    memset(A, 0, sizeof A);
    for (size_t i = 0; i < n; i++) {
      A[i * n + i] = 2;
      if (i > 0) A[i * n + i - 1] = -1;
    }
    symmetric_eigen(n, A, values, NULL, scratch);
    for (size_t k = 0; k < n; k++) {
      const double half = (double)(k + 1) * 3.14159265358979323846 / (2 * ((double)n + 1));
      cr_assert_float_eq(values[k], 4 * sin(half) * sin(half), 1e-13, "%zu of %zu", k, n);
    }
  }
}

/* A = Q diag(1 .. 1e-8, one of them twice) Q' of a random Q, made by reflections. */
Test(symmetric, vectors_and_values_fit_the_matrix)
{
  enum { N = 24 };
  double A[N * N] = { 0 }, kept[N * N], values[N], vectors[N * N], scratch[3 * N];
  struct dice dice = { 7 };
  for (size_t k = 0; k < N; k++) A[k * N + k] = pow(10, -8.0 * (double)(k == 5 ? 6 : k) / (N - 1));
  for (int turn = 0; turn < N; turn++) {
    double v[N], square = 0, Av[N], along = 0;
    dice_fill(&dice, v, N, -1, 1);
    for (size_t i = 0; i < N; i++) square += v[i] * v[i];
    for (size_t i = 0; i < N; i++) {
      Av[i] = 0;
      for (size_t j = 0; j < N; j++) Av[i] += A[i * N + j] * v[j];
    }
    for (size_t i = 0; i < N; i++) along += v[i] * Av[i];
    for (size_t i = 0; i < N; i++) {
      for (size_t j = 0; j < N; j++) {
        A[i * N + j] += -2 / square * (v[i] * Av[j] + Av[i] * v[j]) + 4 / (square * square) * along * v[i] * v[j];
      }
    }
  }
  memcpy(kept, A, sizeof A);
  symmetric_eigen(N, A, values, vectors, scratch);
  for (size_t k = 0; k < N; k++) {
    const size_t at = N - 1 - k; /* the test counts from the largest */
    cr_assert_float_eq(values[k], pow(10, -8.0 * (double)(at == 5 ? 6 : at) / (N - 1)), 1e-13);
    for (size_t i = 0; i < N; i++) {
      double sum = -values[k] * vectors[k * N + i], unit = -(i == k);
      for (size_t j = 0; j < N; j++) {
        sum += kept[i * N + j] * vectors[k * N + j];
        unit += vectors[i * N + j] * vectors[k * N + j];
      }
      cr_assert_float_eq(sum, 0, 1e-13);
      cr_assert_float_eq(unit, 0, 1e-13);
    }
  }
}

Test(symmetric, zero_stays_zero)
{
  double A[9] = { 0 }, values[3], vectors[9], scratch[9];
  symmetric_eigen(3, A, values, vectors, scratch);
  for (int k = 0; k < 3; k++) cr_assert_eq(values[k], 0);
}
