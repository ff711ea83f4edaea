/* The linear algebra of lib/math against LAPACK, on random matrices of many orders and conditions. */
#include <criterion/criterion.h>
#include <lapacke.h>

#include "lib/math/band.h"
#include "lib/math/linear.h"
#include "lib/math/qr.h"
#include "lib/math/symmetric.h"
#include "lib/math/triangle.h"
#include "tests/support/robots.h"

enum { MOST = 32, ROWS = 2 * MOST };

/* rows x n whose columns have sizes from 1 to `spread`, in no order. */
static void random_matrix(struct dice *dice, size_t rows, size_t n, double spread, double *A)
{
  dice_fill(dice, A, rows * n, -1, 1);
  for (size_t j = 0; j < n; j++) {
    const double scale = pow(spread, dice_uniform(dice, 0, 1));
    for (size_t i = 0; i < rows; i++) A[i * n + j] *= scale;
  }
}

/* A'A of a random matrix with twice as many rows: positive definite. */
static void random_definite(struct dice *dice, size_t n, double spread, double *S)
{
  static double A[ROWS * MOST];
  random_matrix(dice, 2 * n, n, spread, A);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < 2 * n; k++) sum += A[k * n + i] * A[k * n + j];
      S[i * n + j] = sum;
    }
}

static double largest(const double *x, size_t count)
{
  double most = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void assert_near(const double *ours, const double *theirs, size_t count, double tolerance, const char *what)
{
  const double scale = largest(theirs, count);
  for (size_t i = 0; i < count; i++)
    cr_assert(fabs(ours[i] - theirs[i]) <= tolerance * scale, "%s: element %zu is %.17g, not %.17g (of %g)", what, i,
              ours[i], theirs[i], scale);
}

Test(lapack, cholesky)
{
  struct dice dice = { 11 };
  for (lapack_int n = 1; n <= MOST; n++) {
    const size_t count = (size_t)n * (size_t)n;
    double A[MOST * MOST], L[MOST * MOST], x[MOST], y[MOST];
    random_definite(&dice, (size_t)n, 10, A);
    memcpy(L, A, sizeof L);
    dice_fill(&dice, x, (size_t)n, -1, 1);
    memcpy(y, x, sizeof y);
    cr_assert(cholesky_factor((size_t)n, L));
    cr_assert_eq(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, A, n, y, 1), 0);
    for (size_t i = 0; i < (size_t)n; i++)
      for (size_t j = i + 1; j < (size_t)n; j++) A[i * (size_t)n + j] = L[i * (size_t)n + j] = 0;
    assert_near(L, A, count, 1e-13, "factor");
    cholesky_solve((size_t)n, L, x);
    assert_near(x, y, (size_t)n, 1e-9, "solution");
  }
}

/* Rows of very different units: LAPACK's own equilibration is the judge. */
Test(lapack, scaled_cholesky)
{
  struct dice dice = { 12 };
  for (lapack_int n = 1; n <= MOST; n++) {
    double A[MOST * MOST], L[MOST * MOST], factored[MOST * MOST], scale[MOST], x[MOST], b[MOST], y[MOST], s[MOST];
    double rcond, forward, backward;
    char equed;
    random_definite(&dice, (size_t)n, 1e4, A);
    memcpy(L, A, sizeof L);
    dice_fill(&dice, b, (size_t)n, -1, 1);
    memcpy(x, b, sizeof x);
    cr_assert(scaled_cholesky_factor((size_t)n, L, scale));
    scaled_cholesky_solve((size_t)n, L, scale, x);
    cr_assert_eq(LAPACKE_dposvx(LAPACK_ROW_MAJOR, 'E', 'L', n, 1, A, n, factored, n, &equed, s, b, 1, y, 1, &rcond,
                                &forward, &backward),
                 0);
    for (size_t i = 0; i < (size_t)n; i++) /* each in its own unit */
      cr_assert(fabs(x[i] - y[i]) <= 1e-9 * largest(y, (size_t)n) || fabs(x[i] - y[i]) <= 1e-9 * fabs(y[i]),
                "order %d, element %zu: %.17g, not %.17g", n, i, x[i], y[i]);
  }
}

Test(lapack, inverses)
{
  struct dice dice = { 13 };
  for (lapack_int n = 1; n <= MOST; n++) {
    double A[MOST * MOST], ours[MOST * MOST], theirs[MOST * MOST];
    lapack_int pivots[MOST];
    random_matrix(&dice, (size_t)n, (size_t)n, 10, A);
    memcpy(theirs, A, sizeof theirs);
    cr_assert(invert((size_t)n, A, ours));
    cr_assert_eq(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, theirs, n, pivots), 0);
    cr_assert_eq(LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, theirs, n, pivots), 0);
    assert_near(ours, theirs, (size_t)n * (size_t)n, 1e-10, "inverse");
  }
}

Test(lapack, eigenvalues)
{
  struct dice dice = { 14 };
  for (lapack_int n = 1; n <= MOST; n++) {
    const size_t count = (size_t)n;
    double A[MOST * MOST], ours[MOST], vectors[MOST * MOST], theirs[MOST], scratch[3 * MOST], copy[MOST * MOST];
    dice_fill(&dice, A, count * count, -1, 1);
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < i; j++) A[j * count + i] = A[i * count + j];
    memcpy(copy, A, sizeof copy);
    symmetric_eigen(count, copy, ours, vectors, scratch);
    cr_assert_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', n, A, n, theirs), 0);
    assert_near(ours, theirs, count, 1e-13, "eigenvalues");
    for (size_t k = 0; k < count;
         k++) { /* those of random matrices are apart: so are their vectors, but for the sign */
      double along = 0;
      for (size_t i = 0; i < count; i++) along += vectors[k * count + i] * A[i * count + k];
      cr_assert_float_eq(fabs(along), 1, 1e-10, "order %d, vector %zu: %g", n, k, along);
    }
  }
}

Test(lapack, eigenvalues_of_three)
{
  struct dice dice = { 15 };
  for (int trial = 0; trial < 200; trial++) {
    double s[6], values[3], theirs[3];
    dice_fill(&dice, s, 6, -1, 1);
    if (trial % 2) s[3] *= 1e-7, s[4] *= 1e-7, s[5] *= 1e-7;
    double A[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] }, again[9], unsorted[3], vectors[9];
    memcpy(again, A, sizeof again);
    eigenvalues3(s, values);
    eigenvectors3(again, unsorted, vectors);
    cr_assert_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', 3, A, 3, theirs), 0);
    assert_near(values, theirs, 3, 1e-14, "eigenvalues");
    for (int k = 0; k < 3; k++) {
      double nearest = INFINITY;
      for (int i = 0; i < 3; i++) nearest = fmin(nearest, fabs(unsorted[k] - theirs[i]));
      cr_assert(nearest <= 1e-14 * largest(theirs, 3), "%.17g is none of them", unsorted[k]);
    }
  }
}

/* The same pivots, so the same triangle but for signs of rows. */
Test(lapack, pivoted_qr)
{
  struct dice dice = { 16 };
  for (lapack_int n = 1; n <= MOST; n++) {
    const lapack_int m = n + (n * 7) % (ROWS - MOST);
    double A[ROWS * MOST], ours[ROWS * MOST], scratch[MOST], tau[MOST];
    size_t order[MOST];
    lapack_int pivots[MOST] = { 0 };
    random_matrix(&dice, (size_t)m, (size_t)n, 1e3, A);
    memcpy(ours, A, sizeof ours);
    cr_assert_eq(qr_pivoted((size_t)m, (size_t)n, ours, order, scratch, 1e-12), (size_t)n);
    cr_assert_eq(LAPACKE_dgeqp3(LAPACK_ROW_MAJOR, m, n, A, n, pivots, tau), 0);
    for (size_t k = 0; k < (size_t)n; k++) {
      cr_assert_eq(order[k], (size_t)pivots[k] - 1, "order %d: column %zu", n, k);
      for (size_t j = k; j < (size_t)n; j++)
        cr_assert_float_eq(fabs(ours[k * (size_t)n + j]), fabs(A[k * (size_t)n + j]), 1e-12 * fabs(A[0]));
    }
  }
}

/* Block by block the triangle of all rows at once. */
Test(lapack, triangles)
{
  struct dice dice = { 17 };
  for (lapack_int n = 1; n <= MOST; n++) {
    double A[ROWS * MOST], block[MOST * MOST], R[MOST * MOST] = { 0 }, scratch[2 * MOST], tau[MOST];
    random_matrix(&dice, 2 * (size_t)n, (size_t)n, 100, A);
    for (size_t half = 0; half < 2; half++) {
      memcpy(block, A + half * (size_t)(n * n), sizeof *A * (size_t)(n * n));
      triangle_update((size_t)n, R, (size_t)n, block, scratch);
    }
    cr_assert_eq(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, 2 * n, n, A, n, tau), 0);
    for (size_t i = 0; i < (size_t)n; i++)
      for (size_t j = i; j < (size_t)n; j++)
        cr_assert_float_eq(fabs(R[i * (size_t)n + j]), fabs(A[i * (size_t)n + j]), 1e-12 * largest(A, (size_t)(n * n)));
  }
}

static int falling(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

Test(lapack, singular_values)
{
  struct dice dice = { 18 };
  for (lapack_int n = 1; n <= MOST; n++) {
    const lapack_int m = n + n % 5;
    double A[ROWS * MOST], copy[ROWS * MOST], ours[MOST], theirs[MOST], superb[MOST];
    random_matrix(&dice, (size_t)m, (size_t)n, 1e6, A);
    memcpy(copy, A, sizeof copy);
    singular_values((size_t)m, (size_t)n, copy, ours);
    qsort(ours, (size_t)n, sizeof *ours, falling);
    cr_assert_eq(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, A, n, theirs, NULL, 1, NULL, 1, superb), 0);
    assert_near(ours, theirs, (size_t)n, 1e-13, "singular values");
  }
}

/* Diagonally dominant bands of every width; LAPACK keeps its bands by column. */
Test(lapack, bands)
{
  struct dice dice = { 19 };
  enum { N = 50, WIDEST = 12 };
  for (size_t width = 1; width <= WIDEST; width++) {
    double ours[N * WIDEST], theirs[WIDEST * N] = { 0 }, x[N], y[N];
    dice_fill(&dice, ours, N * width, -1, 1);
    dice_fill(&dice, x, N, -1, 1);
    memcpy(y, x, sizeof y);
    for (size_t r = 0; r < N; r++) {
      ours[r * width] = 2 * (double)width + dice_uniform(&dice, 0, 1);
      for (size_t k = 0; k < width && r + k < N; k++) theirs[(width - 1 - k) * N + r + k] = ours[r * width + k];
    }
    cr_assert(band_factor(N, width, ours));
    band_solve(N, width, ours, x);
    cr_assert_eq(LAPACKE_dpbsv(LAPACK_ROW_MAJOR, 'U', N, (lapack_int)width - 1, 1, theirs, N, y, 1), 0);
    assert_near(x, y, N, 1e-13, "solution");
  }
}
