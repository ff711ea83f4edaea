#include <criterion/criterion.h>

#include "lib/math/linear.h"
#include "tests/support/robots.h"

enum { N = 12 };

static void random_positive(struct dice *dice, double *A)
{
  double B[N * N];
  dice_fill(dice, B, N * N, -1, 1);
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) {
      A[i * N + j] = i == j ? 0.1 : 0;
      for (size_t k = 0; k < N; k++) A[i * N + j] += B[i * N + k] * B[j * N + k];
    }
  }
}

Test(linear, cholesky_solves_what_was_multiplied)
{
  struct dice dice = { 1 };
  double A[N * N], L[N * N], x[N], b[N] = { 0 };
  random_positive(&dice, A);
  dice_fill(&dice, x, N, -1, 1);
  for (size_t k = 0; k < N * N; k++) b[k / N] += A[k] * x[k % N];
  memcpy(L, A, sizeof L);
  cr_assert(cholesky_factor(N, L));
  cholesky_solve(N, L, b);
  for (size_t i = 0; i < N; i++) cr_assert_float_eq(b[i], x[i], 1e-10);
}

Test(linear, cholesky_refuses_what_is_not_positive_definite)
{
  double indefinite[4] = { 1, 2, 2, 1 }, zero[1] = { 0 }, nan[1] = { NAN };
  cr_assert_not(cholesky_factor(2, indefinite));
  cr_assert_not(cholesky_factor(1, zero));
  cr_assert_not(cholesky_factor(1, nan));
}

Test(linear, inverse_times_matrix_is_identity)
{
  struct dice dice = { 2 };
  double A[N * N], copy[N * N], inverse[N * N];
  dice_fill(&dice, A, N * N, -1, 1);
  A[0] = 0; /* needs pivoting */
  memcpy(copy, A, sizeof copy);
  cr_assert(invert(N, copy, inverse));
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) {
      double sum = 0;
      for (size_t k = 0; k < N; k++) sum += inverse[i * N + k] * A[k * N + j];
      cr_assert_float_eq(sum, i == j, 1e-11);
    }
  }
  double singular[4] = { 1, 2, 2, 4 };
  cr_assert_not(invert(2, singular, inverse));
}

/* A = Q diag Q' with Q a rotation by 0.7 about z and then by -0.4 about x has the eigenvalues of the diagonal. */
Test(linear, eigenvalues_of_a_turned_diagonal)
{
  const double values[3] = { -2, 0.5, 3 }, c = cos(0.7), s = sin(0.7), d = cos(-0.4), e = sin(-0.4);
  const double Q[3][3] = { { c, -s, 0 }, { d * s, d * c, -e }, { e * s, e * c, d } };
  const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
  double A[6] = { 0 }, out[3];
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < 3; i++) A[k] += Q[row[k]][i] * values[i] * Q[column[k]][i];
  }
  eigenvalues3(A, out);
  for (int i = 0; i < 3; i++) cr_assert_float_eq(out[i], values[i], 1e-14);
  eigenvalues3((const double[6]){ 0 }, out);
  for (int i = 0; i < 3; i++) cr_assert_eq(out[i], 0);
}

/* The residual of A x - d, from copies taken before solving. */
Test(linear, block_tridiagonal_solution_satisfies_its_rows)
{
  struct dice dice = { 3 };
  enum { BLOCKS = 9, COLUMNS = 3 };
  for (size_t b = 1; b <= 2; b++) {
    double lower[BLOCKS * 4], diagonal[BLOCKS * 4], upper[BLOCKS * 4], x[BLOCKS * 2 * COLUMNS];
    double diagonal0[BLOCKS * 4], upper0[BLOCKS * 4], d[BLOCKS * 2 * COLUMNS];
    dice_fill(&dice, lower, BLOCKS * 4, -1, 1);
    dice_fill(&dice, upper, BLOCKS * 4, -1, 1);
    dice_fill(&dice, diagonal, BLOCKS * 4, -1, 1);
    for (size_t i = 0; i < BLOCKS; i++) {
      for (size_t r = 0; r < b; r++) diagonal[(i * b + r) * b + r] += 5;
    }
    dice_fill(&dice, d, BLOCKS * 2 * COLUMNS, -1, 1);
    memcpy(diagonal0, diagonal, sizeof diagonal);
    memcpy(upper0, upper, sizeof upper);
    memcpy(x, d, sizeof x);
    block_tridiagonal_solve(BLOCKS, b, COLUMNS, lower, diagonal, upper, x);
    for (size_t at = 0; at < BLOCKS * b * COLUMNS; at++) {
      const size_t row = at / COLUMNS, i = row / b, c = at % COLUMNS;
      double sum = -d[at];
      for (size_t k = 0; k < b; k++) {
        if (i > 0) sum += lower[row * b + k] * x[((i - 1) * b + k) * COLUMNS + c];
        sum += diagonal0[row * b + k] * x[(i * b + k) * COLUMNS + c];
        if (i + 1 < BLOCKS) sum += upper0[row * b + k] * x[((i + 1) * b + k) * COLUMNS + c];
      }
      cr_assert_float_eq(sum, 0, 1e-13);
    }
  }
}
