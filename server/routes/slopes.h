/* Derivatives of what was logged. */
#ifndef SERVER_ROUTES_SLOPES_H
#define SERVER_ROUTES_SLOPES_H

#include "armdyn/dynamics.h"

/* Central differences, one-sided at the ends.
 *   t       in   count, s, increasing
 *   values  in   count x n
 *   out     out  count x n, per second; count >= 2 */
void slopes(size_t count, size_t n, const struct armdyn_rows *t, const struct armdyn_rows *values, double *out);

#endif
