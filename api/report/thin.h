/* Which points of a long line are drawn: a picture of a million samples has no more than a thousand columns. */
#ifndef API_REPORT_THIN_H
#define API_REPORT_THIN_H

#include <stdbool.h>
#include <stddef.h>

/* Columns of a matrix as a line: point i is (x[i * x_step], y[i * y_step]). */
struct thin_points {
  const double *x, *y;
  size_t count, x_step, y_step;
  bool in_turn; /* so many points in turn even where x ascends, e.g. on a logarithmic axis */
};

/* Choose points that look the same: of every bin (a column of the picture where x ascends, else so many points in turn)
 * the first, the lowest, the highest and the last, in their order. A gap (a point that is not finite) stays one.
 *   bins    in   at least 1
 *   chosen  out  indices, ascending; room for thin_room(count, bins)
 * Answers how many. */
size_t thin(const struct thin_points *points, size_t bins, size_t *chosen);
size_t thin_room(size_t count, size_t bins);

#endif
