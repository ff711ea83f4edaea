/* R' R is the product of the matrix with itself, whatever Q was. */
#include <criterion/criterion.h>

#include "lib/math/qr.h"
#include "tests/support/robots.h"

static double dot_columns(const double *A, size_t rows, size_t n, size_t a, size_t b)
{
  double sum = 0;
  for (size_t i = 0; i < rows; i++) sum += A[i * n + a] * A[i * n + b];
  return sum;
}

Test(qr, factors_a_matrix_of_any_rank)
{
  enum { M = 12, N = 8 };
  struct dice dice = { 4 };
  for (size_t rank = 0; rank <= N; rank++) {
    double left[M * N], right[N * N], A[M * N] = { 0 }, R[M * N], scratch[N];
    size_t order[N];
    dice_fill(&dice, left, M * N, -1, 1);
    dice_fill(&dice, right, N * N, -1, 1);
    for (size_t k = 0; k < M * N * rank; k++) {
      A[k / rank] += left[k / rank / N * N + k % rank] * right[k % rank * N + k / rank % N];
    }
    memcpy(R, A, sizeof A);
    cr_assert_eq(qr_pivoted(M, N, R, order, scratch, 1e-12), rank);
    for (size_t a = 0; a < N; a++) {
      for (size_t b = 0; b < N; b++) {
        cr_assert_float_eq(dot_columns(R, rank, N, a, b), dot_columns(A, M, N, order[a], order[b]), 1e-12);
      }
      for (size_t i = a + 1; i < rank; i++) cr_assert_eq(R[i * N + a], 0);
      if (a > 0 && a < rank) cr_assert_leq(fabs(R[a * N + a]), fabs(R[(a - 1) * N + a - 1]) * (1 + 1e-12));
    }
  }
}
