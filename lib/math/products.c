#include "lib/math/products.h"

#include "lib/math/vector_units.h"

/* Four rows at a time share the loads of the sums. */
FOR_VECTOR_UNITS
void products_add(size_t width, size_t count, const double *rows, double *sums)
{
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *restrict r0 = rows + k * width, *restrict r1 = r0 + width;
    const double *restrict r2 = r1 + width, *restrict r3 = r2 + width;
    for (size_t a = 0; a < width; a++) {
      const double f0 = r0[a], f1 = r1[a], f2 = r2[a], f3 = r3[a];
      double *restrict to = sums + a * width;
      if (f0 == 0 && f1 == 0 && f2 == 0 && f3 == 0) continue;
      for (size_t b = a; b < width; b++) to[b] += (f0 * r0[b] + f1 * r1[b]) + (f2 * r2[b] + f3 * r3[b]);
    }
  }
  for (; k < count; k++) {
    const double *restrict row = rows + k * width;
    for (size_t a = 0; a < width; a++) {
      const double factor = row[a];
      double *restrict to = sums + a * width;
      if (factor == 0) continue;
      for (size_t b = a; b < width; b++) to[b] += factor * row[b];
    }
  }
}

FOR_VECTOR_UNITS
void rows_take_off(size_t count, const double *factors, size_t width, const double *rows, double *to)
{
  double *restrict left = to;
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const double *restrict r0 = rows + k * width, *restrict r1 = r0 + width;
    const double *restrict r2 = r1 + width, *restrict r3 = r2 + width;
    const double f0 = factors[k], f1 = factors[k + 1], f2 = factors[k + 2], f3 = factors[k + 3];
    for (size_t d = 0; d < width; d++) left[d] -= (f0 * r0[d] + f1 * r1[d]) + (f2 * r2[d] + f3 * r3[d]);
  }
  for (; k < count; k++) {
    const double *restrict row = rows + k * width;
    for (size_t d = 0; d < width; d++) left[d] -= factors[k] * row[d];
  }
}

static void divide(size_t count, double by, double *x)
{
  for (size_t k = 0; k < count; k++) x[k] /= by;
}

static void multiply_rows(size_t n, const double *scale, size_t columns, double *X)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t d = 0; d < columns; d++) X[i * columns + d] *= scale[i];
  }
}

/* Row i of X of L' Z = X, once those below it are known: column i of L stands across its rows. */
FOR_VECTOR_UNITS
static void take_off_below(size_t n, const double *L, size_t i, size_t columns, double *X)
{
  double *restrict to = X + i * columns;
  size_t k = i + 1;
  for (; k + 4 <= n; k += 4) {
    const double *restrict r0 = X + k * columns, *restrict r1 = r0 + columns;
    const double *restrict r2 = r1 + columns, *restrict r3 = r2 + columns;
    const double *column = L + k * n + i;
    const double f0 = column[0], f1 = column[n], f2 = column[2 * n], f3 = column[3 * n];
    for (size_t d = 0; d < columns; d++) to[d] -= (f0 * r0[d] + f1 * r1[d]) + (f2 * r2[d] + f3 * r3[d]);
  }
  for (; k < n; k++) {
    const double *restrict row = X + k * columns;
    for (size_t d = 0; d < columns; d++) to[d] -= L[k * n + i] * row[d];
  }
}

void scaled_cholesky_solve_columns(size_t n, const double *L, const double *scale, size_t columns, double *X)
{
  multiply_rows(n, scale, columns, X);
  for (size_t i = 0; i < n; i++) {
    rows_take_off(i, L + i * n, columns, X, X + i * columns);
    divide(columns, L[i * n + i], X + i * columns);
  }
  for (size_t i = n; i-- > 0;) {
    take_off_below(n, L, i, columns, X);
    divide(columns, L[i * n + i], X + i * columns);
  }
  multiply_rows(n, scale, columns, X);
}
