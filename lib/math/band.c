#include "lib/math/band.h"

#include <math.h>

#include "lib/math/band_lanes.h"

size_t band_supported(const struct band_kernels *kinds[BAND_KINDS])
{
  size_t count = 0;
#ifdef BAND_OF_X86_64
  if (__builtin_cpu_supports("x86-64-v4")) kinds[count++] = &band_avx512;
  if (__builtin_cpu_supports("x86-64-v3")) kinds[count++] = &band_avx2;
#elif defined BAND_OF_AARCH64
  kinds[count++] = &band_neon;
#endif
  kinds[count++] = &band_baseline;
  return count;
}

static const struct band_kernels *fastest(void)
{
  const struct band_kernels *kinds[BAND_KINDS];
  band_supported(kinds);
  return kinds[0];
}

void band_squares_add(const struct band_rows *rows, size_t width, double *A)
{
  fastest()->squares_add(rows, width, A);
}

static size_t row_length(size_t n, size_t width, size_t r)
{
  return n - r < width ? n - r : width;
}

bool band_factor(size_t n, size_t width, double *A)
{
  return fastest()->factor(n, width, A);
}

void band_solve_all(size_t n, size_t width, const double *U, size_t count, size_t stride, double *x, double *scratch)
{
  fastest()->solve_all(n, width, U, count, stride, x, scratch);
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
    double sum[4] = { x[r] }; /* four at a time, as none waits for another */
    for (size_t c = 1; c < length; c++) sum[c % 4] -= row[c] * x[r + c];
    x[r] = (sum[0] + sum[1] + sum[2] + sum[3]) / row[0];
  }
}
