#include <criterion/criterion.h>

#include "lib/math/linear.h"
#include "lib/math/triangle.h"
#include "tests/support/robots.h"

enum { N = 7, M = 40 };

/* R'R = A'A, however the rows of A come. */
Test(triangle, has_the_normal_equations_of_all_rows)
{
  struct dice dice = { 4 };
  double A[M * N], rows[M * N], R[N * N] = { 0 }, dot[2 * N];
  static const size_t blocks[] = { 1, 9, 25, 5 };
  dice_fill(&dice, A, M * N, -1, 1);
  for (size_t k = 0; k < M; k++) A[k * N + 2] = k % 2 ? 0 : 1e-165; /* a column of zeros, or nearly, is no trouble */
  memcpy(rows, A, sizeof A);
  size_t at = 0;
  for (int b = 0; b < 4; at += blocks[b++]) triangle_update(N, R, blocks[b], rows + at * N, dot);
  for (size_t i = 0; i < N; i++) {
    for (size_t j = i; j < N; j++) {
      double left = 0, right = 0;
      for (size_t k = 0; k <= i; k++) left += R[k * N + i] * R[k * N + j];
      for (size_t k = 0; k < M; k++) right += A[k * N + i] * A[k * N + j];
      cr_assert_float_eq(left, right, 1e-12);
    }
  }
}

Test(triangle, solves_both_ways)
{
  struct dice dice = { 5 };
  double R[N * N], x[N], y[N], back[N];
  dice_fill(&dice, R, N * N, 0.5, 2);
  dice_fill(&dice, x, N, -1, 1);
  triangle_solve(N, R, N, x, y);
  for (size_t i = 0; i < N; i++) {
    back[i] = 0;
    for (size_t j = i; j < N; j++) back[i] += R[i * N + j] * y[j];
    cr_assert_float_eq(back[i], x[i], 1e-10);
  }
  triangle_solve_transposed(N, R, N, x, y);
  for (size_t i = 0; i < N; i++) {
    back[i] = 0;
    for (size_t j = 0; j <= i; j++) back[i] += R[j * N + i] * y[j];
    cr_assert_float_eq(back[i], x[i], 1e-10);
  }
}

/* Of a symmetric positive matrix they are its eigenvalues. */
Test(triangle, singular_values_are_eigenvalues)
{
  const double s[6] = { 3, 2, 1, 0.5, 0.3, 0.2 };
  double A[9] = { 3, 0.5, 0.3, 0.5, 2, 0.2, 0.3, 0.2, 1 }, values[3], expected[3];
  eigenvalues3(s, expected);
  singular_values(3, 3, A, values);
  for (int k = 0; k < 3; k++) {
    double nearest = INFINITY;
    for (int j = 0; j < 3; j++) nearest = fmin(nearest, fabs(values[j] - expected[k]));
    cr_assert_lt(nearest, 1e-12);
  }
}
