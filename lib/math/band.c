#include "lib/math/band.h"

#include <math.h>

static size_t row_length(size_t n, size_t width, size_t r)
{
  return n - r < width ? n - r : width;
}

bool band_factor(size_t n, size_t width, double *A)
{
  for (size_t r = 0; r < n; r++) {
    double *row = A + r * width;
    const size_t length = row_length(n, width, r);
    if (!(row[0] > 0) || isinf(row[0])) return false;
    const double scale = 1 / sqrt(row[0]);
    for (size_t c = 0; c < length; c++) row[c] *= scale;
    for (size_t i = 1; i < length; i++) {
      double *restrict below = row + i * width;
      const double *restrict u = row + i, factor = row[i];
      for (size_t c = 0; c < length - i; c++) below[c] -= factor * u[c];
    }
  }
  return true;
}

void band_solve(size_t n, size_t width, const double *U, double *x)
{
  for (size_t r = 0; r < n; r++) {
    const double *row = U + r * width;
    const size_t length = row_length(n, width, r);
    x[r] /= row[0];
    for (size_t c = 1; c < length; c++) x[r + c] -= row[c] * x[r];
  }
  for (size_t r = n; r-- > 0;) {
    const double *row = U + r * width;
    const size_t length = row_length(n, width, r);
    double sum = x[r];
    for (size_t c = 1; c < length; c++) sum -= row[c] * x[r + c];
    x[r] = sum / row[0];
  }
}
