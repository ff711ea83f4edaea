#include "lib/geometry/distance.h"

#include <math.h>
#include <string.h>

#include "lib/geometry/gjk.h"

static double clamp(double x, double lower, double upper)
{
  return x < lower ? lower : x > upper ? upper : x;
}

/* -- nearest points of two cores, by closed forms -- */

/* From the box's middle, in its axes. */
static void in_axes(const struct convex *box, const double point[3], double out[3])
{
  const double from[3] = { point[0] - box->center[0], point[1] - box->center[1], point[2] - box->center[2] };
  for (int i = 0; i < 3; i++) out[i] = dot3(box->axis[i], from);
}

static void from_axes(const struct convex *box, const double own[3], double out[3])
{
  memcpy(out, box->center, sizeof box->center);
  for (int i = 0; i < 3; i++) core_along(box, i, own[i], out);
}

static void point_point(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  memcpy(pa, a->center, sizeof a->center);
  memcpy(pb, b->center, sizeof b->center);
}

static void point_segment(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  const double c[3] = { a->center[0] - b->center[0], a->center[1] - b->center[1], a->center[2] - b->center[2] };
  point_point(a, b, pa, pb);
  core_along(b, 0, clamp(dot3(c, b->axis[0]) / dot3(b->axis[0], b->axis[0]), -1, 1), pb);
}

static void point_box(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  double own[3];
  memcpy(pa, a->center, sizeof a->center);
  in_axes(b, pa, own);
  for (int i = 0; i < 3; i++) own[i] = clamp(own[i], -b->half[i], b->half[i]);
  from_axes(b, own, pb);
}

static void point_cylinder(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  double own[3];
  memcpy(pa, a->center, sizeof a->center);
  in_axes(b, pa, own);
  const double out = hypot(own[0], own[1]);
  for (int i = 0; i < 2; i++)
    if (out > b->half[0]) own[i] *= b->half[0] / out;
  own[2] = clamp(own[2], -b->half[2], b->half[2]);
  from_axes(b, own, pb);
}

/* min |c + s u - t v|^2 over [-1, 1]^2: along one side or the other, unless the lines' own nearest points are inside. */
static void segment_segment(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  const double *u = a->axis[0], *v = b->axis[0];
  const double c[3] = { a->center[0] - b->center[0], a->center[1] - b->center[1], a->center[2] - b->center[2] };
  const double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), cu = dot3(c, u), cv = dot3(c, v);
  double best = INFINITY, at[2] = { 0, 0 };
  double s[5] = { -1, 1 }, t[5] = { 0, 0, -1, 1 };
  for (int i = 0; i < 2; i++) t[i] = clamp((cv + s[i] * uv) / vv, -1, 1);
  for (int i = 2; i < 4; i++) s[i] = clamp((t[i] * uv - cu) / uu, -1, 1);
  const double det = uu * vv - uv * uv;
  int count = 4;
  if (det > 1e-12 * uu * vv) {
    s[4] = (uv * cv - vv * cu) / det, t[4] = (uu * cv - uv * cu) / det;
    if (fabs(s[4]) <= 1 && fabs(t[4]) <= 1) count = 5;
  } else { /* as good as parallel: the middle of one seen from the other, where that is inside */
    s[4] = clamp(-cu / uu, -1, 1), t[4] = clamp((cv + s[4] * uv) / vv, -1, 1), count = 5;
  }
  for (int i = 0; i < count; i++) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
      const double e = c[k] + s[i] * u[k] - t[i] * v[k];
      square += e * e;
    }
    if (square < best) best = square, at[0] = s[i], at[1] = t[i];
  }
  point_point(a, b, pa, pb);
  core_along(a, 0, at[0], pa), core_along(b, 0, at[1], pb);
}

/* The squared distance of m + t d from the box is convex in t, and half of its slope
 *   sum_i d_i excess_i(m_i + t d_i)
 * piecewise linear, with breaks where a coordinate passes a face. The breaks narrow [-1, 1] until none is inside. */
static double segment_box_slope(const double m[3], const double d[3], const double half[3], double t)
{
  double slope = 0;
  for (int i = 0; i < 3; i++) {
    const double x = m[i] + t * d[i];
    slope += d[i] * (x - clamp(x, -half[i], half[i]));
  }
  return slope;
}

static void segment_box(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  double m[3], d[3], own[3];
  in_axes(b, a->center, m);
  for (int i = 0; i < 3; i++) d[i] = dot3(b->axis[i], a->axis[0]);
  double lower = -1, upper = 1;
  double at_lower = segment_box_slope(m, d, b->half, lower), at_upper = segment_box_slope(m, d, b->half, upper);
  double t = at_lower >= 0 ? lower : upper;
  if (at_lower < 0 && at_upper > 0) {
    for (int k = 0; k < 6; k++) {
      const int i = k / 2;
      const double turn = ((k % 2 ? b->half[i] : -b->half[i]) - m[i]) / d[i];
      if (!(turn > lower && turn < upper)) continue; /* also where d[i] is 0 */
      const double slope = segment_box_slope(m, d, b->half, turn);
      if (slope < 0)
        lower = turn, at_lower = slope;
      else
        upper = turn, at_upper = slope;
    }
    t = clamp(lower - at_lower * (upper - lower) / (at_upper - at_lower), lower, upper);
  }
  for (int i = 0; i < 3; i++) own[i] = clamp(m[i] + t * d[i], -b->half[i], b->half[i]);
  memcpy(pa, a->center, sizeof a->center);
  core_along(a, 0, t, pa);
  from_axes(b, own, pb);
}

/* -- signed distances -- */

/* Nearest points of two cores; those of any by gjk. To add one: a row, the first core before the second in enum core. */
static void (*const closed_forms[CORE_COUNT][CORE_COUNT])(const struct convex *a, const struct convex *b, double pa[3],
                                                          double pb[3]) = {
  [CORE_POINT] = { [CORE_POINT] = point_point,
                   [CORE_SEGMENT] = point_segment,
                   [CORE_BOX] = point_box,
                   [CORE_CYLINDER] = point_cylinder },
  [CORE_SEGMENT] = { [CORE_SEGMENT] = segment_segment, [CORE_BOX] = segment_box },
};

/* Cores nearer than this share of their extent have no direction between their nearest points that is worth something. */
static const double touching = 1e-11;

static void nearest_of_cores(const struct convex *a, const struct convex *b, double pa[3], double pb[3])
{
  struct simplex simplex;
  if (closed_forms[a->core][b->core])
    closed_forms[a->core][b->core](a, b, pa, pb);
  else if (!gjk(a, b, pa, pb, &simplex))
    memcpy(pb, pa, 3 * sizeof *pa);
}

/* Cores that overlap. The points that touch when a has left b are nearest, too, when it goes on. */
static double overlapping(const struct convex *a, const struct convex *b, const struct simplex *simplex,
                          struct nearest *out)
{
  double normal[3], pa[3], pb[3];
  const double depth = a->core <= CORE_BOX && b->core <= CORE_BOX ? zonotopes_depth(a, b, normal)
                                                                  : expanding_depth(a, b, simplex, normal);
  const double distance = -depth - a->radius - b->radius;
  if (!out) return distance;
  struct convex gone = *a;
  const double way = depth + (a->reach + b->reach) / 8;
  for (int i = 0; i < 3; i++) gone.center[i] += way * normal[i];
  nearest_of_cores(&gone, b, pa, pb);
  out->distance = distance;
  for (int i = 0; i < 3; i++) {
    out->normal[i] = normal[i];
    out->b[i] = pb[i] + b->radius * normal[i];
    out->a[i] = out->b[i] + distance * normal[i];
  }
  return distance;
}

static double half_space_distance(const struct convex *a, const struct convex *b, struct nearest *out)
{
  const double *n = b->axis[0], back[3] = { -n[0], -n[1], -n[2] };
  double p[3];
  if (a->core == CORE_HALF_SPACE) return -INFINITY;
  core_support(a, back, p);
  const double from[3] = { p[0] - b->center[0], p[1] - b->center[1], p[2] - b->center[2] };
  const double distance = dot3(from, n) - a->radius;
  if (!out) return distance;
  out->distance = distance;
  for (int i = 0; i < 3; i++) {
    out->normal[i] = n[i];
    out->a[i] = p[i] - a->radius * n[i];
    out->b[i] = out->a[i] - distance * n[i];
  }
  return distance;
}

static double ordered_distance(const struct convex *a, const struct convex *b, struct nearest *out)
{
  struct simplex simplex = { 0 };
  double pa[3] = { 0 }, pb[3] = { 0 }, e[3], square = 0;
  if (b->core == CORE_HALF_SPACE) return half_space_distance(a, b, out);
  if (closed_forms[a->core][b->core])
    closed_forms[a->core][b->core](a, b, pa, pb);
  else if (!gjk(a, b, pa, pb, &simplex))
    return overlapping(a, b, &simplex, out);
  for (int i = 0; i < 3; i++) {
    e[i] = pa[i] - pb[i];
    square += e[i] * e[i];
  }
  const double apart = touching * (a->reach + b->reach);
  if (square <= apart * apart) {
    simplex.count = 1;
    memcpy(simplex.vertex[0].w, e, sizeof e);
    return overlapping(a, b, &simplex, out);
  }
  const double between = sqrt(square), distance = between - a->radius - b->radius;
  if (!out) return distance;
  out->distance = distance;
  for (int i = 0; i < 3; i++) {
    out->normal[i] = e[i] / between;
    out->a[i] = pa[i] - a->radius * out->normal[i];
    out->b[i] = pb[i] + b->radius * out->normal[i];
  }
  return distance;
}

double convex_distance(const struct convex *a, const struct convex *b, struct nearest *out)
{
  if (a->core <= b->core) return ordered_distance(a, b, out);
  const double distance = ordered_distance(b, a, out);
  if (!out) return distance;
  for (int i = 0; i < 3; i++) {
    const double x = out->a[i];
    out->a[i] = out->b[i], out->b[i] = x;
    out->normal[i] = -out->normal[i];
  }
  return distance;
}
