/* Dense linear algebra of small matrices, row-major. */
#ifndef LIB_MATH_LINEAR_H
#define LIB_MATH_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

/* A = L L' in the lower triangle of A (n x n, symmetric; the upper is not read). False: not positive definite. */
bool cholesky_factor(size_t n, double *A);
/* x = (L L')^-1 x */
void cholesky_solve(size_t n, const double *L, double *x);

/* inverse = A^-1 by Gauss-Jordan with full row pivoting. A is overwritten. False: singular to working precision, that is
 * a pivot below 1e-12 of the largest element. */
bool invert(size_t n, double *A, double *inverse);

/* Eigenvalues of a symmetric 3 x 3 matrix (xx yy zz xy xz yz), ascending. Jacobi rotations; Golub & Van Loan, 8.5. */
void eigenvalues3(const double s[6], double values[3]);

/* x = A^-1 d for a block of right-hand sides (n x columns, overwritten), A tridiagonal and diagonally dominant:
 * row i is below[i] x_{i-1} + diagonal[i] x_i + above[i] x_{i+1}. diagonal is overwritten. Thomas. */
void tridiagonal_solve(size_t n, size_t columns, const double *below, double *diagonal, const double *above, double *d);

#endif
