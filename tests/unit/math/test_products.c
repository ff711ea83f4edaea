#include <criterion/criterion.h>

#include "lib/math/linear.h"
#include "lib/math/products.h"
#include "tests/support/robots.h"

enum { N = 11, M = 14, COLUMNS = 9 };

/* Also of counts that no vector fills, of none, and where rows of zeros are left out. */
Test(products, sums_are_those_of_single_products)
{
  struct dice dice = { 3 };
  double rows[M * N];
  dice_fill(&dice, rows, M * N, -1, 1);
  for (size_t k = 0; k < M; k++) rows[k * N + 4] = k < 8 ? 0 : rows[k * N + 4];
  for (size_t count = 0; count <= M; count++) {
    double sums[N * N] = { 0 };
    products_add(N, count, rows, sums);
    for (size_t a = 0; a < N; a++) {
      for (size_t b = 0; b < N; b++) {
        double expected = 0;
        for (size_t k = 0; k < count && b >= a; k++) expected += rows[k * N + a] * rows[k * N + b];
        cr_assert_float_eq(sums[a * N + b], expected, 1e-14);
      }
    }
  }
}

Test(products, rows_are_taken_off)
{
  struct dice dice = { 4 };
  double rows[M * N], factors[M], first[N], left[N];
  dice_fill(&dice, rows, M * N, -1, 1);
  dice_fill(&dice, factors, M, -1, 1);
  dice_fill(&dice, first, N, -1, 1);
  for (size_t count = 0; count <= M; count++) {
    memcpy(left, first, sizeof left);
    rows_take_off(count, factors, N, rows, left);
    for (size_t d = 0; d < N; d++) {
      double expected = first[d];
      for (size_t k = 0; k < count; k++) expected -= factors[k] * rows[k * N + d];
      cr_assert_float_eq(left[d], expected, 1e-14);
    }
  }
}

/* A X = B, whatever the units of A's rows: B is what A makes of X. */
Test(products, many_right_hand_sides_are_solved)
{
  struct dice dice = { 5 };
  double half[N * N], A[N * N], scale[N], X[N * COLUMNS], B[N * COLUMNS] = { 0 };
  dice_fill(&dice, half, N * N, -1, 1);
  dice_fill(&dice, X, N * COLUMNS, -1, 1);
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) {
      A[i * N + j] = i == j ? 0.1 : 0;
      for (size_t k = 0; k < N; k++) A[i * N + j] += half[i * N + k] * half[j * N + k];
      A[i * N + j] *= (i == 2 ? 1e5 : 1) * (j == 2 ? 1e5 : 1);
    }
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t d = 0; d < COLUMNS; d++) {
      for (size_t j = 0; j < N; j++) B[i * COLUMNS + d] += A[i * N + j] * X[j * COLUMNS + d];
    }
  }
  cr_assert(scaled_cholesky_factor(N, A, scale));
  scaled_cholesky_solve_columns(N, A, scale, COLUMNS, B);
  for (size_t k = 0; k < N * COLUMNS; k++) cr_assert_float_eq(B[k], X[k], 1e-9);
}
