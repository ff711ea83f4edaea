/* The surface of the hull of a few points, as triangles.
 *
 * Points are added one after the other to a tetrahedron: the triangles that a point is in front of go, and the edges between
 * what goes and what stays are joined to it (the beneath-beyond method; Preparata & Shamos 1985, 3.4). What is within rounding
 * of a triangle's plane counts as behind it, so points inside of faces are left out. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "armdyn/clearance.h"
#include "armdyn/enclose.h"
#include "lib/math/vector.h"

static const double behind = 1e-10; /* of the size: what is in front of a plane by less is not */

enum { ROOM = 2 * ARMDYN_HULL_TRIANGLES_MAX };

struct facet {
  size_t corners[3];
  double normal[3], offset;
  bool gone;
};

struct growing {
  const double *points;
  double size;
  struct facet facets[ROOM];
  size_t count;
};

static double height(const struct facet *f, const double point[3])
{
  return dot3(f->normal, point) - f->offset;
}

static bool add_facet(struct growing *g, size_t a, size_t b, size_t c)
{
  const double *p = g->points + 3 * a, *q = g->points + 3 * b, *r = g->points + 3 * c;
  if (g->count == ROOM) return false;
  struct facet *f = &g->facets[g->count++];
  double u[3], v[3];
  *f = (struct facet){ .corners = { a, b, c } };
  for (size_t k = 0; k < 3; k++) u[k] = q[k] - p[k], v[k] = r[k] - p[k];
  cross3(f->normal, u, v);
  const double length = sqrt(dot3(f->normal, f->normal));
  for (size_t k = 0; k < 3; k++) f->normal[k] = length > 0 ? f->normal[k] / length : 0;
  f->offset = dot3(f->normal, p);
  return true;
}

/* -- a tetrahedron of points that are far from each other -- */

static size_t farthest(const double *points, size_t count, const size_t *chosen, size_t chosen_count, double *most)
{
  const double *o = points + 3 * chosen[0];
  size_t best = 0;
  *most = 0;
  for (size_t i = 0; i < count; i++) {
    double d[3], axis[3], out[3];
    for (size_t k = 0; k < 3; k++) d[k] = points[3 * i + k] - o[k];
    for (size_t k = 0; k < 3 && chosen_count > 1; k++) axis[k] = points[3 * chosen[1] + k] - o[k];
    double measure = dot3(d, d);
    if (chosen_count > 1) cross3(out, d, axis), measure = dot3(out, out) / dot3(axis, axis);
    if (chosen_count > 2) {
      double other[3], normal[3];
      for (size_t k = 0; k < 3; k++) other[k] = points[3 * chosen[2] + k] - o[k];
      cross3(normal, axis, other);
      measure = dot3(d, normal) * dot3(d, normal) / dot3(normal, normal);
    }
    if (measure > *most) *most = measure, best = i;
  }
  *most = sqrt(*most);
  return best;
}

/* false: the points are in one plane. */
static bool begin(struct growing *g, size_t count)
{
  size_t c[4] = { 0 };
  for (size_t i = 1; i < 4; i++) {
    double most;
    c[i] = farthest(g->points, count, c, i, &most);
    if (i == 1) g->size = most;
    if (!(most > 100 * behind * g->size)) return false;
  }
  if (!add_facet(g, c[0], c[1], c[2])) return false;
  if (height(&g->facets[0], g->points + 3 * c[3]) > 0) {
    const size_t swapped = c[1];
    c[1] = c[2], c[2] = swapped, g->count = 0;
    if (!add_facet(g, c[0], c[1], c[2])) return false;
  }
  return add_facet(g, c[1], c[0], c[3]) && add_facet(g, c[2], c[1], c[3]) && add_facet(g, c[0], c[2], c[3]);
}

/* -- and on to every point that is outside -- */

static bool goes_with(const struct growing *g, size_t count, size_t a, size_t b)
{
  for (size_t i = 0; i < count; i++) {
    const size_t *c = g->facets[i].corners;
    for (size_t k = 0; k < 3 && g->facets[i].gone; k++)
      if (c[k] == a && c[(k + 1) % 3] == b) return true;
  }
  return false;
}

static bool reach(struct growing *g, size_t point)
{
  const size_t before = g->count;
  size_t gone = 0, kept = 0;
  for (size_t i = 0; i < before; i++) {
    g->facets[i].gone = height(&g->facets[i], g->points + 3 * point) > behind * g->size;
    gone += g->facets[i].gone;
  }
  for (size_t i = 0; i < before && gone; i++) {
    const size_t *c = g->facets[i].corners;
    for (size_t k = 0; k < 3 && g->facets[i].gone; k++)
      if (!goes_with(g, before, c[(k + 1) % 3], c[k]) && !add_facet(g, c[k], c[(k + 1) % 3], point)) return false;
  }
  for (size_t i = 0; i < g->count; i++)
    if (!g->facets[i].gone) g->facets[kept++] = g->facets[i];
  g->count = kept;
  return true;
}

size_t armdyn_hull_triangles(const double *points, size_t count, double *triangles)
{
  struct growing g = { .points = points };
  if (count < 4 || count > ARMDYN_CONVEX_POINTS_MAX || !begin(&g, count)) return 0;
  for (size_t i = 0; i < count; i++)
    if (!reach(&g, i)) return 0;
  if (g.count > ARMDYN_HULL_TRIANGLES_MAX) return 0;
  for (size_t i = 0; i < g.count; i++)
    for (size_t k = 0; k < 3; k++)
      memcpy(triangles + 9 * i + 3 * k, points + 3 * g.facets[i].corners[k], 3 * sizeof *points);
  return g.count;
}
