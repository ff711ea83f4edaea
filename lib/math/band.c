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
  fastest()->solve(n, width, U, x);
}
