/* Kernels of band.c that were compiled several times, for the vector units that this processor may have.
 * To add one: a file like band_avx2.c, and a row in lib/math/band.c. */
#ifndef LIB_MATH_BAND_LANES_H
#define LIB_MATH_BAND_LANES_H

#include <stdbool.h>
#include <stddef.h>

struct band_rows; /* band.h */

struct band_kernels {
  const char *name;
  size_t lanes;
  bool (*factor)(size_t n, size_t width, double *A);
  void (*solve)(size_t n, size_t width, const double *U, double *x);
  void (*solve_all)(size_t n, size_t width, const double *U, size_t count, size_t stride, double *x, double *scratch);
  void (*squares_add)(const struct band_rows *rows, size_t width, double *A);
};

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define BAND_OF_X86_64
extern const struct band_kernels band_avx2, band_avx512;
#elif defined __aarch64__
#define BAND_OF_AARCH64
extern const struct band_kernels band_neon;
#endif
extern const struct band_kernels band_baseline;

/* Those that this processor can run, the fastest first; the baseline is always the last. Answers how many. */
enum { BAND_KINDS = 3 };
size_t band_supported(const struct band_kernels *kinds[BAND_KINDS]);

#endif
