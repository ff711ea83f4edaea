#include "api/report/thin.h"

#include <math.h>

enum { OF_A_BIN = 5 }; /* first, lowest, highest, last, and a gap */

static double x_of(const struct thin_points *p, size_t i)
{
  return p->x[i * p->x_step];
}

static double y_of(const struct thin_points *p, size_t i)
{
  return p->y[i * p->y_step];
}

static bool is_gap(const struct thin_points *p, size_t i)
{
  return !isfinite(x_of(p, i)) || !isfinite(y_of(p, i));
}

size_t thin_room(size_t count, size_t bins)
{
  return count < OF_A_BIN * bins ? count : OF_A_BIN * bins;
}

/* Does x ascend? Its ends are told then. */
static bool ascends(const struct thin_points *p, double *from, double *to)
{
  *from = NAN, *to = NAN;
  for (size_t i = 0; i < p->count; i++) {
    if (is_gap(p, i)) continue;
    if (x_of(p, i) < *to) return false;
    if (isnan(*from)) *from = x_of(p, i);
    *to = x_of(p, i);
  }
  return *from < *to;
}

/* Where bin b ends: the first index of the next one. */
static size_t end_of_bin(const struct thin_points *p, size_t first, size_t bin, size_t bins, bool by_x,
                         const double range[2])
{
  if (bin + 1 == bins) return p->count;
  if (!by_x) return (size_t)((double)p->count / (double)bins * (double)(bin + 1));
  double part = (double)(bin + 1) / (double)bins, edge = range[0] * (1 - part) + range[1] * part;
  while (first < p->count && !(x_of(p, first) >= edge)) first++;
  return first;
}

/* The points of one bin that matter, in their order. */
static size_t choose(const struct thin_points *p, size_t first, size_t end, size_t *chosen)
{
  size_t marks[OF_A_BIN] = { 0 }, marked = 0, gap = end, low = end, high = end, begin = end, last = end, count = 0;
  for (size_t i = first; i < end; i++) {
    if (is_gap(p, i)) {
      gap = i;
      continue;
    }
    if (begin == end) begin = i;
    last = i;
    if (low == end || y_of(p, i) < y_of(p, low)) low = i;
    if (high == end || y_of(p, i) > y_of(p, high)) high = i;
  }
  const size_t wanted[OF_A_BIN] = { begin, low, high, last, gap };
  for (size_t k = 0; k < OF_A_BIN; k++)
    if (wanted[k] < end) marks[marked++] = wanted[k];
  for (size_t k = 1; k < marked; k++) /* five of them: by insertion */
    for (size_t i = k; i > 0 && marks[i - 1] > marks[i]; i--) {
      size_t swap = marks[i];
      marks[i] = marks[i - 1], marks[i - 1] = swap;
    }
  for (size_t k = 0; k < marked; k++)
    if (!k || marks[k] != marks[k - 1]) chosen[count++] = marks[k];
  return count;
}

size_t thin(const struct thin_points *points, size_t bins, size_t *chosen)
{
  size_t count = 0, first = 0;
  if (points->count <= OF_A_BIN * bins) {
    for (size_t i = 0; i < points->count; i++) chosen[count++] = i;
    return count;
  }
  double range[2] = { 0, 0 }; /* only asked when by_x */
  bool by_x = !points->in_turn && ascends(points, &range[0], &range[1]);
  for (size_t b = 0; b < bins; b++) {
    size_t end = end_of_bin(points, first, b, bins, by_x, range);
    count += choose(points, first, end, chosen + count);
    first = end;
  }
  return count;
}
