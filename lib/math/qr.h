/* QR factorisation with column pivoting. */
#ifndef LIB_MATH_QR_H
#define LIB_MATH_QR_H

#include <stddef.h>

/* A P = Q R by Householder reflections, in each step the column with most left first.
 *   m, n       in      rows and columns
 *   A          in/out  m x n row-major; becomes R in its first `rank` rows (its lower triangle is 0)
 *   order      out     n: column k of R is column order[k] of A
 *   scratch    out     n
 *   tolerance  in      a column of which less than this, times the first pivot, is left depends on those before it
 * Answers the rank. O(m n rank). Source: Golub & Van Loan, 5.4. */
size_t qr_pivoted(size_t m, size_t n, double *A, size_t *order, double *scratch, double tolerance);

#endif
