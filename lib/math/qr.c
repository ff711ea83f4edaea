#include "lib/math/qr.h"

#include <math.h>
#include <string.h>

/* Sums of squares of every column below row k. */
static void sums_below(size_t m, size_t n, const double *A, size_t k, double *sum)
{
  memset(sum, 0, n * sizeof *sum);
  for (size_t i = k; i < m; i++) {
    for (size_t j = k; j < n; j++) sum[j] += A[i * n + j] * A[i * n + j];
  }
}

static void swap_columns(size_t m, size_t n, double *A, size_t *order, size_t a, size_t b)
{
  const size_t kept = order[a];
  order[a] = order[b];
  order[b] = kept;
  for (size_t i = 0; i < m; i++) {
    const double x = A[i * n + a];
    A[i * n + a] = A[i * n + b];
    A[i * n + b] = x;
  }
}

/* Reflect rows k .. m - 1 so that column k, of length `length`, becomes a multiple of the first unit vector. */
static void reflect(size_t m, size_t n, double *A, size_t k, double length, double *dot)
{
  const double pivot = -copysign(length, A[k * n + k]), head = A[k * n + k] - pivot;
  const double factor = -1 / (pivot * head); /* 2 / (v . v), v the column with `head` on top */
  memset(dot, 0, n * sizeof *dot);
  A[k * n + k] = head;
  for (size_t i = k; i < m; i++) {
    for (size_t j = k + 1; j < n; j++) dot[j] += A[i * n + k] * A[i * n + j];
  }
  for (size_t i = k; i < m; i++) {
    const double v = factor * A[i * n + k];
    for (size_t j = k + 1; j < n; j++) A[i * n + j] -= v * dot[j];
    A[i * n + k] = 0;
  }
  A[k * n + k] = pivot;
}

size_t qr_pivoted(size_t m, size_t n, double *A, size_t *order, double *scratch, double tolerance)
{
  double first = 0;
  for (size_t j = 0; j < n; j++) order[j] = j;
  for (size_t k = 0; k < m && k < n; k++) {
    size_t best = k;
    sums_below(m, n, A, k, scratch);
    for (size_t j = k; j < n; j++) {
      if (scratch[j] > scratch[best]) best = j;
    }
    const double length = sqrt(scratch[best]);
    if (k == 0) first = length;
    if (!(length > tolerance * first)) return k;
    swap_columns(m, n, A, order, k, best);
    reflect(m, n, A, k, length, scratch);
  }
  return m < n ? m : n;
}
