/* Dense linear algebra of small matrices, row-major. */
#ifndef LIB_MATH_LINEAR_H
#define LIB_MATH_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

/* A = L L' in the lower triangle of A (n x n, symmetric; the upper is not read). False: not positive definite. */
bool cholesky_factor(size_t n, double *A);
/* Row i of L from row i of A and the rows of L before it: the factorisation step by step. */
bool cholesky_row(size_t n, double *A, size_t i);
/* x = (L L')^-1 x */
void cholesky_solve(size_t n, const double *L, double *x);

/* cholesky_factor of a matrix whose rows have very different units: rows and columns are scaled to a diagonal of 1 first.
 *   scale  out  n, to be handed to scaled_cholesky_solve */
bool scaled_cholesky_factor(size_t n, double *A, double *scale);
void scaled_cholesky_solve(size_t n, const double *L, const double *scale, double *x);

/* inverse = A^-1 by Gauss-Jordan with partial pivoting. A is overwritten. False: singular to working precision, that is
 * a pivot below 1e-12 of the largest element. */
bool invert(size_t n, double *A, double *inverse);

/* Eigenvalues of a symmetric 3 x 3 matrix (xx yy zz xy xz yz), ascending. Jacobi rotations; Golub & Van Loan, 8.5. */
void eigenvalues3(const double s[6], double values[3]);
/* Eigenvalues of a symmetric matrix, 3 x 3 row-major, in no order, and in column k of `vectors` the unit vector of value k. */
void eigenvectors3(const double matrix[9], double values[3], double vectors[9]);

/* Solve a block tridiagonal system, rows lower_i x_(i-1) + diagonal_i x_i + upper_i x_(i+1) = d_i, by block elimination
 * without pivoting between blocks (spline equations need none).
 *   n, b, columns           in      blocks, order of a block (1 or 2), right-hand sides
 *   lower, diagonal, upper  in/out  n x b x b each; overwritten
 *   d                       in/out  n x b x columns; becomes x */
void block_tridiagonal_solve(size_t n, size_t b, size_t columns, const double *lower, double *diagonal, double *upper,
                             double *d);

#endif
