/* Gaussian elimination of small complex matrices, row-major. */
#ifndef LIB_MATH_ELIMINATION_H
#define LIB_MATH_ELIMINATION_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/* X = A^-1 X, X n x columns, with partial pivoting. A is overwritten. False: A is singular. Source: Golub & Van Loan, 3.4. */
bool complex_solve(size_t n, double complex *A, size_t columns, double complex *X);

/* The pivots of A without exchanging rows: ratios of its leading minors, whose product is det A. A is overwritten; a pivot that
 * is 0 ends it, those after it are 1.
 *   pivots  out  n */
void complex_pivots(size_t n, double complex *A, double complex *pivots);

#endif
