#include "lib/math/elimination.h"

#include <math.h>

/* Row `to` of a matrix loses `factor` times row `from`, from column `first` on: by products of reals, as C's complex ones look
 * for NaN each time. */
static void reduce(double complex *M, size_t columns, size_t to, size_t from, size_t first, double complex factor)
{
  const double re = creal(factor), im = cimag(factor);
  for (size_t k = first; k < columns; k++) {
    const double x = creal(M[from * columns + k]), y = cimag(M[from * columns + k]);
    M[to * columns + k] -= re * x - im * y + I * (re * y + im * x);
  }
}

static void exchange(double complex *M, size_t columns, size_t a, size_t b)
{
  for (size_t k = 0; k < columns; k++) {
    const double complex kept = M[a * columns + k];
    M[a * columns + k] = M[b * columns + k], M[b * columns + k] = kept;
  }
}

/* As LAPACK's: no root, and as good for choosing a pivot. */
static double size_of(double complex z)
{
  return fabs(creal(z)) + fabs(cimag(z));
}

bool complex_solve(size_t n, double complex *A, size_t columns, double complex *X)
{
  for (size_t i = 0; i < n; i++) {
    size_t pivot = i;
    for (size_t r = i + 1; r < n; r++)
      if (size_of(A[r * n + i]) > size_of(A[pivot * n + i])) pivot = r;
    if (A[pivot * n + i] == 0) return false;
    if (pivot != i) exchange(A, n, pivot, i), exchange(X, columns, pivot, i);
    const double complex inverse = 1 / A[i * n + i]; /* a division costs more than a row */
    for (size_t r = i + 1; r < n; r++) {
      const double complex factor = A[r * n + i] * inverse;
      if (factor == 0) continue;
      reduce(A, n, r, i, i, factor);
      reduce(X, columns, r, i, 0, factor);
    }
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) reduce(X, columns, i, k, 0, A[i * n + k]);
    const double complex inverse = 1 / A[i * n + i];
    for (size_t k = 0; k < columns; k++) X[i * columns + k] *= inverse;
  }
  return true;
}

void complex_pivots(size_t n, double complex *A, double complex *pivots)
{
  for (size_t i = 0; i < n; i++) pivots[i] = 1;
  for (size_t i = 0; i < n; i++) {
    pivots[i] = A[i * n + i];
    if (pivots[i] == 0) return;
    for (size_t r = i + 1; r < n; r++) reduce(A, n, r, i, i, A[r * n + i] / pivots[i]);
  }
}
