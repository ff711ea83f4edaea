#include "lib/geometry/gjk.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 128 };

/* The gap between the distance found and the one proved, as a share of it, at which the search ends. */
static const double gap = 1e-14;
/* Cores nearer than this share of their extent touch: the difference of the nearest points no longer has a direction. */
static const double touching = 1e-12;

void difference_support(const struct convex *a, const struct convex *b, const double direction[3],
                        struct difference *out)
{
  const double back[3] = { -direction[0], -direction[1], -direction[2] };
  core_support(a, direction, out->a);
  core_support(b, back, out->b);
  for (int i = 0; i < 3; i++) out->w[i] = out->a[i] - out->b[i];
}

/* The point of the vertices' line, plane or space that is nearest to the origin, and their weights in it: shares of lengths,
 * areas and volumes. Each returns false where there is none to share. The point is no sum by weights: where vertices are
 * close together, as on the rim of a cylinder, those are uncertain, and the direction of the point would be. */
static bool share_length(const double *const w[4], double weight[4], double at[3])
{
  double e[3];
  for (int k = 0; k < 3; k++) e[k] = w[1][k] - w[0][k];
  const double square = dot3(e, e);
  if (!(square > 0)) return false;
  weight[1] = -dot3(w[0], e) / square;
  weight[0] = 1 - weight[1];
  const double *near = weight[1] > 0.5 ? w[1] : w[0];
  const double along = dot3(near, e) / square;
  for (int k = 0; k < 3; k++) at[k] = near[k] - along * e[k];
  return true;
}

/* Of the two shorter sides, which are the most certain. */
static bool share_area(const double *const w[4], double weight[4], double at[3])
{
  double e[3][3], square[3], normal[3], part[3]; /* e[i] is opposite to w[i] */
  int last = 0;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) e[i][k] = w[(i + 2) % 3][k] - w[(i + 1) % 3][k];
    square[i] = dot3(e[i], e[i]);
    if (square[i] > square[last]) last = i;
  }
  const int one = (last + 1) % 3, other = (last + 2) % 3;
  cross3(normal, e[one], e[other]);
  const double area = dot3(normal, normal);
  if (!(area > 1e-28 * square[one] * square[other])) return false;
  cross3(part, w[other], e[one]);
  weight[one] = dot3(part, normal) / area;
  cross3(part, w[last], e[other]);
  weight[other] = dot3(part, normal) / area;
  weight[last] = 1 - weight[one] - weight[other];
  const double height = dot3(normal, w[last]) / area;
  for (int k = 0; k < 3; k++) at[k] = height * normal[k];
  return true;
}

static double volume(const double *a, const double *b, const double *c)
{
  double normal[3];
  cross3(normal, b, c);
  return dot3(a, normal);
}

static bool share_volume(const double *const w[4], double weight[4], double at[3])
{
  double e[3][3], size = 1e-14;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) e[i][k] = w[i + 1][k] - w[0][k];
    size *= sqrt(dot3(e[i], e[i]));
  }
  const double whole = volume(e[0], e[1], e[2]);
  if (!(fabs(whole) > size)) return false;
  weight[0] = volume(w[1], w[2], w[3]) / whole;
  weight[1] = -volume(w[0], w[2], w[3]) / whole;
  weight[2] = volume(w[0], w[1], w[3]) / whole;
  weight[3] = -volume(w[0], w[1], w[2]) / whole;
  memset(at, 0, 3 * sizeof *at);
  return true;
}

/* The nearest point of what the chosen vertices span, and its weights. false: it is not between them. */
static bool project(const struct simplex *s, const size_t *chosen, size_t count, double weight[4], double at[3])
{
  static bool (*const shares[])(const double *const w[4], double weight[4],
                                double at[3]) = { NULL, NULL, share_length, share_area, share_volume };
  const double *w[4] = { 0 };
  for (size_t i = 0; i < count; i++) w[i] = s->vertex[chosen[i]].w;
  weight[0] = 1, memcpy(at, w[0], 3 * sizeof *at);
  if (count > 1 && !shares[count](w, weight, at)) return false;
  for (size_t i = 0; i < count; i++)
    if (!(weight[i] >= 0)) return false;
  return true;
}

/* Keep of the simplex what its nearest point to the origin needs, which is v; the newest vertex is part of that. */
static void reduce(struct simplex *s, double v[3])
{
  const size_t newest = s->count - 1;
  double best = INFINITY, best_weight[4] = { 0 };
  size_t best_chosen[4] = { newest }, best_count = 0;
  for (unsigned others = 0; others < 1u << newest; others++) {
    size_t chosen[4] = { newest }, count = 1;
    double weight[4], at[3];
    for (size_t i = 0; i < newest; i++)
      if (others >> i & 1) chosen[count++] = i;
    if (!project(s, chosen, count, weight, at)) continue;
    const double square = dot3(at, at);
    if (square >= best) continue;
    best = square, best_count = count;
    memcpy(best_weight, weight, sizeof weight), memcpy(best_chosen, chosen, sizeof chosen), memcpy(v, at, sizeof at);
  }
  const struct simplex old = *s;
  s->count = best_count;
  for (size_t i = 0; i < best_count; i++) {
    s->vertex[i] = old.vertex[best_chosen[i]];
    s->weight[i] = best_weight[i];
  }
}

static bool has(const struct simplex *s, const double w[3])
{
  for (size_t i = 0; i < s->count; i++)
    if (!memcmp(s->vertex[i].w, w, 3 * sizeof *w)) return true;
  return false;
}

bool gjk(const struct convex *a, const struct convex *b, double pa[3], double pb[3], struct simplex *s)
{
  double v[3], size = a->reach + b->reach;
  for (int i = 0; i < 3; i++) v[i] = a->center[i] - b->center[i];
  if (!(dot3(v, v) > 0)) v[0] = 1;
  s->count = 0;
  for (int round = 0; round < ITERATIONS_MAX; round++) {
    struct difference next;
    const double back[3] = { -v[0], -v[1], -v[2] }, square = dot3(v, v);
    difference_support(a, b, back, &next);
    /* v.w / |v| is proved */
    if (s->count && (square - dot3(v, next.w) <= gap * square || has(s, next.w))) break;
    const struct simplex before = *s;
    double from[3] = { v[0], v[1], v[2] };
    s->vertex[s->count++] = next;
    reduce(s, v);
    if (before.count && dot3(v, v) >= square && s->count < 4) { /* rounding: no nearer than before */
      *s = before, memcpy(v, from, sizeof v);
      break;
    }
    if (s->count == 4 || dot3(v, v) <= touching * touching * size * size) return false;
  }
  memset(pa, 0, 3 * sizeof *pa);
  for (size_t i = 0; i < s->count; i++) {
    for (int k = 0; k < 3; k++) pa[k] += s->weight[i] * s->vertex[i].a[k];
  }
  for (int k = 0; k < 3; k++) pb[k] = pa[k] - v[k];
  return true;
}
