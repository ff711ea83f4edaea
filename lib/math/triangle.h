/* Least squares that takes in its equations block by block. */
#ifndef LIB_MATH_TRIANGLE_H
#define LIB_MATH_TRIANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* R <- the triangle of the QR factorisation of [R; A].
 *   n, R  in/out  n x n upper triangle, row-major; what is below the diagonal is not read
 *   m, A  in/out  m x n rows; overwritten
 *   scratch  -    2 n
 * O(m n^2), no square root of a difference. Source: Golub & Van Loan, 6.5. */
void triangle_update(size_t n, double *R, size_t m, double *A, double *scratch);

/* x = R^-1 z for the leading k x k of R, whose rows are `stride` apart. x may be z. No element of the diagonal is 0. */
void triangle_solve(size_t k, const double *R, size_t stride, const double *z, double *x);

/* x = R'^-1 z, alike. */
void triangle_solve_transposed(size_t k, const double *R, size_t stride, const double *z, double *x);

/* Singular values of A (m x n, overwritten), not sorted, by one-sided Jacobi rotations: `values` has n.
 * Source: Golub & Van Loan, 8.6. */
void singular_values(size_t m, size_t n, double *A, double *values);

#endif
