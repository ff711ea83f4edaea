/* Quadratic functions over what is not negative. */
#ifndef LIB_MATH_NONNEGATIVE_H
#define LIB_MATH_NONNEGATIVE_H

#include <stdbool.h>
#include <stddef.h>

/* min x'S x / 2 + d'x over x >= 0.
 *   S        in   n x n, symmetric, positive semidefinite; a direction in which it is flat stays where it is
 *   d        in   n
 *   x        out  n
 *   scratch  -    n (n + 3)
 * O(n^4) at worst, n is small. Cannot fail. Source: Lawson & Hanson 1974, 23.3. */
void nonnegative_minimum(size_t n, const double *S, const double *d, double *x, double *scratch);

#endif
