/* Symmetric positive definite band matrices: row r holds its elements of columns r .. r + width - 1. */
#ifndef LIB_MATH_BAND_H
#define LIB_MATH_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* A = U' U in place.
 *   n, width  in      order; elements of a row. Elements beyond the last column are not touched.
 *   A         in/out  n x width
 * False: not positive definite. O(n width^2). */
bool band_factor(size_t n, size_t width, double *A);

/* Rows that a matrix is the sum of weighted squares of. */
struct band_rows {
  size_t count, length, stride; /* length: columns, at most BAND_COLUMNS_MAX */
  const double *weight;         /* count */
  const double *data;           /* count rows, `stride` apart */
};
enum { BAND_COLUMNS_MAX = 128 };

/* A += sum of weight row' row, where the rows begin at the first element of A.
 *   width  in      elements of a row of A, >= rows->length
 *   A      in/out  rows->length x width */
void band_squares_add(const struct band_rows *rows, size_t width, double *A);

/* x = (U' U)^-1 x. O(n width). */
void band_solve(size_t n, size_t width, const double *U, double *x);
/* The same for several right-hand sides, as many at a time as the processor's vectors hold.
 *   count    in      sides
 *   stride   in      from one to the next, >= n
 *   x        in/out  count x stride
 *   scratch  out     n x BAND_SIDES, aligned to 64 bytes */
enum { BAND_SIDES = 8 };
void band_solve_all(size_t n, size_t width, const double *U, size_t count, size_t stride, double *x, double *scratch);

#endif
