/* Sums of products of rows, for tables of normal equations. */
#ifndef LIB_MATH_PRODUCTS_H
#define LIB_MATH_PRODUCTS_H

#include <stddef.h>

/* Upper triangle of sums (width x width) += rows' rows, rows being count x width. Rows of zeros at the same places cost
 * little. */
void products_add(size_t width, size_t count, const double *rows, double *sums);

/* to (width) -= factors (count) times rows (count x width) */
void rows_take_off(size_t count, const double *factors, size_t width, const double *rows, double *to);

/* X = (L L')^-1 X for a matrix X, n x columns, by a factor and scale of scaled_cholesky_factor. Many right-hand sides that
 * stand side by side fill a vector unit, which one does not. */
void scaled_cholesky_solve_columns(size_t n, const double *L, const double *scale, size_t columns, double *X);

#endif
