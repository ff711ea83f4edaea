/* Motions that lead past obstacles: ways from point to point (way.c), one after the other, as one spline. */
#include <math.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/times.h"

enum { N = ARMDYN_JOINTS_MAX, POINTS = ARMDYN_WAYPOINTS_MAX + 2, INTERVALS = 48 };

/* The whole way through all points: corners, the length to each in time at the limits of speed, and which of them the points
 * are. */
struct route {
  size_t n, count, points[POINTS];
  double *q, *length;
};

static enum armdyn_status route_add(struct route *r, const struct planner *p, const struct way *way)
{
  const size_t n = r->n, skipped = r->count > 0, count = r->count + way->count - skipped;
  double *q = realloc(r->q, count * n * sizeof *q), *length = q ? realloc(r->length, count * sizeof *length) : NULL;
  if (q) r->q = q;
  if (!length) return ARMDYN_EMEMORY;
  r->length = length;
  memcpy(q + r->count * n, way->q + skipped * n, (way->count - skipped) * n * sizeof *q);
  for (size_t i = r->count; i < count; i++)
    length[i] = i == 0 ? 0 : length[i - 1] + planner_travel_time(p, q + (i - 1) * n, q + i * n);
  r->count = count;
  return ARMDYN_OK;
}

/* When a point is passed, as asked; NAN: that is free. */
static double time_asked(const struct planner *p, size_t k)
{
  const struct armdyn_optimal_request *r = p->request;
  if (k == 0) return 0;
  if (k > r->waypoint_count) return r->duration;
  return r->waypoint_times ? r->waypoint_times[k - 1] : NAN;
}

static enum armdyn_status route_find(struct planner *p, struct route *r, bool *found)
{
  enum armdyn_status rc = ARMDYN_OK;
  *found = true;
  for (size_t k = 0; k <= p->request->waypoint_count && !rc && *found; k++) {
    struct way way;
    const double times[2] = { time_asked(p, k), time_asked(p, k + 1) };
    rc = way_find(p, planner_point(p, k), planner_point(p, k + 1), times, &way);
    *found = way.q != NULL;
    if (!rc && *found) rc = route_add(r, p, &way);
    r->points[k + 1] = r->count - 1;
    free(way.q);
  }
  return rc;
}

/* When a part of the length is behind: slowly at first and at last, as 3 x^2 - 2 x^3. */
static double smooth_time(double part)
{
  double low = 0, high = 1;
  for (int i = 0; i < 40; i++) {
    const double x = (low + high) / 2;
    if (x * x * (3 - 2 * x) < part)
      low = x;
    else
      high = x;
  }
  return (low + high) / 2;
}

/* When the points are passed: at given times, else by the lengths. */
static void point_times(const struct planner *p, const struct route *r, double T, double *times)
{
  const size_t points = p->request->waypoint_count + 2;
  const double *timed = p->request->waypoint_times, whole = r->length[r->count - 1];
  double given[POINTS], weights[POINTS];
  for (size_t k = 0; k < points; k++) {
    given[k] = k == 0 ? 0 : k + 1 == points ? T : timed ? timed[k - 1] : NAN;
    times[k] = k + 1 == points ? T : T * smooth_time(r->length[r->points[k]] / whole);
    if (k > 0) weights[k - 1] = fmax(r->length[r->points[k]] - r->length[r->points[k - 1]], 1e-3 * whole);
  }
  if (timed) times_distribute(points, given, weights, times);
}

/* When corner i is passed. */
static double corner_time(const struct planner *p, const struct route *r, const double *times, double T, size_t i)
{
  const double whole = r->length[r->count - 1];
  if (!p->request->waypoint_times) return T * smooth_time(r->length[i] / whole);
  size_t k = 1;
  while (i > r->points[k]) k++;
  const double from = r->length[r->points[k - 1]], to = r->length[r->points[k]];
  return times[k - 1] + (r->length[i] - from) / fmax(to - from, 1e-12 * whole) * (times[k] - times[k - 1]);
}

/* From corner to corner at constant speed. */
static enum armdyn_status line_through(const struct planner *p, const struct route *r, const double *times, double T,
                                       struct armdyn_trajectory *line)
{
  const size_t n = r->n, last = r->count - 1;
  const enum armdyn_status rc = trajectory_allocate(line, n, last, 3, 0);
  for (size_t i = 0; i < last && !rc; i++) {
    const double at = i + 1 == last ? T : corner_time(p, r, times, T, i + 1);
    line->breaks[i + 1] = fmax(at, line->breaks[i] + 1e-9 * T);
    for (size_t j = 0; j < n; j++) {
      double *c = line->coefficients + (i * n + j) * 4;
      c[0] = r->q[i * n + j];
      c[1] = (r->q[(i + 1) * n + j] - c[0]) / (line->breaks[i + 1] - line->breaks[i]);
    }
  }
  if (!rc) line->breaks[last] = T;
  return rc;
}

/* The line as a spline: the controls of one stay within the hull of its corners. */
static enum armdyn_status route_motion(const struct planner *p, const struct route *r, struct armdyn_trajectory *out)
{
  const size_t points = p->request->waypoint_count + 2;
  const double T = planner_duration_guess(p);
  struct armdyn_trajectory line;
  double controls[(INTERVALS + 3) * N], times[POINTS];
  point_times(p, r, T, times);
  enum armdyn_status rc = line_through(p, r, times, T, &line);
  if (rc) return rc;
  rc = trajectory_allocate(out, r->n, INTERVALS, 3, points);
  if (!rc) {
    bspline_controls(INTERVALS, &line, controls);
    bspline_pieces(INTERVALS, T, controls, out);
    memcpy(out->waypoint_times, times, points * sizeof *times);
  }
  armdyn_trajectory_free(&line);
  return rc;
}

enum armdyn_status route_past(struct planner *p, struct armdyn_trajectory *out)
{
  struct route route = { .n = armdyn_robot_joint_count(p->robot) };
  bool found;
  *out = (struct armdyn_trajectory){ 0 };
  enum armdyn_status rc = route_find(p, &route, &found);
  if (!rc && found) rc = route_motion(p, &route, out);
  free(route.q);
  free(route.length);
  return rc;
}
