/* A motion convolved with impulses: the sum of its own shifted copies, piece by piece. */
#include <math.h>
#include <stdlib.h>

#include "armdyn/shaper.h"
#include "lib/trajectory/polynomial.h"

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* All ends of pieces of all copies, in order, those that rounding tells apart as one. Answers how many. */
static size_t merge_breaks(const struct armdyn_trajectory *t, const struct armdyn_impulses *impulses, double *breaks)
{
  const size_t each = t->piece_count + 1;
  const double end = armdyn_trajectory_duration(t) + impulses->time[impulses->count - 1];
  size_t kept = 0;
  for (size_t i = 0; i < impulses->count * each; i++) breaks[i] = t->breaks[i % each] + impulses->time[i / each];
  qsort(breaks, impulses->count * each, sizeof *breaks, ascending);
  for (size_t i = 1; i < impulses->count * each; i++)
    if (breaks[i] > breaks[kept] + 1e-12 * end) breaks[++kept] = breaks[i];
  if (kept == 0) kept = 1; /* no motion and no time */
  breaks[kept] = end;
  return kept + 1;
}

/* One piece of the sum, from `begin`; `middle` lies in it. */
static void build_piece(const struct armdyn_trajectory *t, const struct armdyn_impulses *impulses, double begin,
                        double middle, double *c)
{
  const size_t n = t->joint_count, terms = t->degree + 1, last = t->piece_count - 1;
  const double T = armdyn_trajectory_duration(t);
  for (size_t i = 0; i < impulses->count; i++) {
    const double at = middle - impulses->time[i];
    double rest[ARMDYN_JOINTS_MAX];
    size_t k = 0;
    if (at <= 0 || at >= T) {
      piece_state(t, at <= 0 ? 0 : last, at <= 0 ? 0 : T - t->breaks[last], rest, NULL, NULL, NULL);
      for (size_t j = 0; j < n; j++) c[j * terms] += impulses->amplitude[i] * rest[j];
      continue;
    }
    for (size_t high = t->piece_count; high - k > 1;) { /* the piece that `at` lies on */
      const size_t half = (k + high) / 2;
      if (t->breaks[half] <= at)
        k = half;
      else
        high = half;
    }
    const double s = begin - impulses->time[i] - t->breaks[k];
    for (size_t j = 0; j < n; j++)
      polynomial_add_shifted(t->coefficients + (k * n + j) * terms, t->degree, s, impulses->amplitude[i],
                             c + j * terms);
  }
}

enum armdyn_status armdyn_trajectory_shape(const struct armdyn_trajectory *trajectory,
                                           const struct armdyn_impulses *impulses, struct armdyn_trajectory *out)
{
  const size_t n = trajectory->joint_count, terms = trajectory->degree + 1, waypoints = trajectory->waypoint_count;
  double *breaks = malloc((impulses->count * (trajectory->piece_count + 1) + 1) * sizeof *breaks), mean = 0;
  if (!breaks) return ARMDYN_EMEMORY;
  const size_t count = merge_breaks(trajectory, impulses, breaks);
  enum armdyn_status rc = trajectory_allocate(out, n, count - 1, trajectory->degree, waypoints);
  if (rc) goto out;
  memcpy(out->breaks, breaks, count * sizeof *breaks);
  for (size_t k = 0; k + 1 < count; k++)
    build_piece(trajectory, impulses, breaks[k], (breaks[k] + breaks[k + 1]) / 2, out->coefficients + k * n * terms);
  for (size_t i = 0; i < impulses->count; i++) mean += impulses->amplitude[i] * impulses->time[i];
  for (size_t k = 1; k < waypoints; k++)
    out->waypoint_times[k] = k + 1 < waypoints ? trajectory->waypoint_times[k] + mean : breaks[count - 1];
out:
  free(breaks);
  return rc;
}
