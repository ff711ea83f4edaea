/* Eigenvalues of symmetric matrices. */
#ifndef LIB_MATH_SYMMETRIC_H
#define LIB_MATH_SYMMETRIC_H

#include <stddef.h>

/* Eigenvalues, ascending, and eigenvectors: by Householder reflections to a tridiagonal matrix and implicit QR steps.
 *   A        in   n x n, the lower triangle is read; overwritten
 *   values   out  n
 *   vectors  out  n x n, row k the unit vector of values[k]; NULL = not wanted
 *   scratch  -    3 n
 * O(n^3). Source: Golub & Van Loan, 8.3. */
void symmetric_eigen(size_t n, double *A, double *values, double *vectors, double *scratch);

#endif
