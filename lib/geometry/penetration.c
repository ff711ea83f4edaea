/* How deep cores are in each other: the distance from the origin to the nearest facet of their difference. */
#include <math.h>
#include <string.h>

#include "lib/geometry/gjk.h"

enum { VERTICES_MAX = 160, FACES_MAX = 2 * VERTICES_MAX, EDGES_MAX = 3 * FACES_MAX };

static double normalize(double v[3])
{
  const double length = sqrt(dot3(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
  return length;
}

/* Some unit vector across v, which is not zero. */
static void across(const double v[3], double out[3])
{
  double e[3] = { 0 };
  int least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(v[i]) < fabs(v[least])) least = i;
  e[least] = 1;
  cross3(out, v, e);
  normalize(out);
}

/* -- zonotopes: points, segments and boxes. Their difference has facets across each pair of generators -- */

static size_t generators(const struct convex *body, double out[3][3])
{
  if (body->core == CORE_SEGMENT) memcpy(out[0], body->axis[0], sizeof out[0]);
  if (body->core != CORE_BOX) return body->core == CORE_SEGMENT;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) out[i][k] = body->half[i] * body->axis[i][k];
  }
  return 3;
}

double zonotopes_depth(const struct convex *a, const struct convex *b, double normal[3])
{
  double g[6][3], c[3], least = INFINITY;
  const size_t of_a = generators(a, g), count = of_a + generators(b, g + of_a);
  for (int i = 0; i < 3; i++) c[i] = a->center[i] - b->center[i];
  for (size_t i = 0; i < count; i++) {
    for (size_t j = i + 1; j < count; j++) {
      double u[3], depth = 0;
      cross3(u, g[i], g[j]);
      if (dot3(u, u) <= 1e-20 * dot3(g[i], g[i]) * dot3(g[j], g[j])) continue;
      normalize(u);
      for (size_t k = 0; k < count; k++) depth += fabs(dot3(g[k], u));
      depth -= fabs(dot3(c, u));
      if (depth >= least) continue;
      least = depth;
      for (int k = 0; k < 3; k++) normal[k] = dot3(c, u) < 0 ? -u[k] : u[k];
    }
  }
  if (isfinite(least)) return fmax(least, 0);
  /* no plane: points and segments in a line */
  memcpy(normal, (const double[3]){ 0, 0, 1 }, 3 * sizeof *normal);
  for (size_t i = 0; i < count; i++)
    if (dot3(g[i], g[i]) > 0) across(g[i], normal);
  return 0;
}

/* -- any cores -- */

struct face {
  size_t v[3]; /* counter-clockwise seen from outside */
  double normal[3], distance;
};

struct polytope {
  size_t vertex_count, face_count;
  double vertex[VERTICES_MAX][3];
  struct face face[FACES_MAX];
  double size; /* of the difference, which rounding is a share of */
};

/* false: it has no area */
static bool face_add(struct polytope *p, size_t i, size_t j, size_t k)
{
  struct face *f = &p->face[p->face_count];
  double e[3], g[3];
  for (int x = 0; x < 3; x++) {
    e[x] = p->vertex[j][x] - p->vertex[i][x];
    g[x] = p->vertex[k][x] - p->vertex[i][x];
  }
  cross3(f->normal, e, g);
  if (!(dot3(f->normal, f->normal) > 1e-28 * p->size * p->size * p->size * p->size)) return false;
  normalize(f->normal);
  f->v[0] = i, f->v[1] = j, f->v[2] = k;
  f->distance = dot3(f->normal, p->vertex[i]);
  p->face_count++;
  return true;
}

/* A vertex more, off the plane through the first one across `direction`. false: nothing is. */
static bool widen(struct simplex *s, const struct convex *a, const struct convex *b, const double direction[3],
                  double extent)
{
  for (int side = -1; side <= 1; side += 2) {
    const double way[3] = { side * direction[0], side * direction[1], side * direction[2] };
    struct difference d;
    difference_support(a, b, way, &d);
    double e[3];
    for (int i = 0; i < 3; i++) e[i] = d.w[i] - s->vertex[0].w[i];
    if (fabs(dot3(e, direction)) <= extent) continue;
    s->vertex[s->count++] = d;
    return true;
  }
  return false;
}

/* A tetrahedron that holds the origin. false: the difference is flat across `normal`, nothing is deep in it. */
static bool tetrahedron(struct simplex *s, const struct convex *a, const struct convex *b, double extent,
                        double normal[3])
{
  static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  double e[2][3];
  for (int i = 0; i < 3 && s->count == 1; i++) {
    memcpy(normal, axes[i], sizeof axes[i]);
    widen(s, a, b, normal, extent);
  }
  if (s->count == 1) return false;
  for (int k = 0; k < 3; k++) e[0][k] = s->vertex[1].w[k] - s->vertex[0].w[k];
  across(e[0], normal);
  if (s->count == 2 && !widen(s, a, b, normal, extent)) {
    double other[3];
    cross3(other, e[0], normal);
    normalize(other);
    if (!widen(s, a, b, other, extent)) return false;
  }
  for (int k = 0; k < 3; k++) e[1][k] = s->vertex[2].w[k] - s->vertex[0].w[k];
  cross3(normal, e[0], e[1]);
  if (!(dot3(normal, normal) > 0)) {
    across(e[0], normal);
    return false;
  }
  normalize(normal);
  return s->count == 4 || widen(s, a, b, normal, extent);
}

static void polytope_start(struct polytope *p, const struct simplex *s)
{
  static const size_t sides[4][4] = { { 0, 1, 2, 3 }, { 0, 3, 1, 2 }, { 0, 2, 3, 1 }, { 1, 3, 2, 0 } };
  p->vertex_count = 4, p->face_count = 0;
  for (size_t i = 0; i < 4; i++) memcpy(p->vertex[i], s->vertex[i].w, sizeof p->vertex[i]);
  for (size_t i = 0; i < 4; i++) {
    const size_t *v = sides[i];
    if (!face_add(p, v[0], v[1], v[2])) continue;
    struct face *f = &p->face[p->face_count - 1];
    if (dot3(f->normal, p->vertex[v[3]]) <= f->distance) continue;
    f->v[1] = v[2], f->v[2] = v[1], f->distance = -f->distance;
    for (int k = 0; k < 3; k++) f->normal[k] = -f->normal[k];
  }
}

/* Take in the vertex that was added last: what it sees goes, and the rim of that is joined to it. false: no room. */
static bool polytope_grow(struct polytope *p)
{
  const size_t newest = p->vertex_count - 1;
  size_t rim[EDGES_MAX][2], rim_count = 0, kept = 0;
  for (size_t i = 0; i < p->face_count; i++) {
    const struct face f = p->face[i];
    if (dot3(f.normal, p->vertex[newest]) <= f.distance + 1e-14 * p->size) {
      p->face[kept++] = f;
      continue;
    }
    for (size_t k = 0; k < 3; k++) { /* an edge that both of its sides lose is inside */
      const size_t from = f.v[k], to = f.v[(k + 1) % 3];
      size_t twin = 0;
      while (twin < rim_count && !(rim[twin][0] == to && rim[twin][1] == from)) twin++;
      if (twin < rim_count)
        memcpy(rim[twin], rim[--rim_count], sizeof *rim);
      else
        rim[rim_count][0] = from, rim[rim_count++][1] = to;
    }
  }
  p->face_count = kept;
  if (kept + rim_count > FACES_MAX) return false;
  for (size_t i = 0; i < rim_count; i++) face_add(p, rim[i][0], rim[i][1], newest);
  return p->face_count > 0;
}

double expanding_depth(const struct convex *a, const struct convex *b, const struct simplex *simplex, double normal[3])
{
  const double size = a->reach + b->reach, enough = 1e-12 * size;
  struct simplex start = *simplex;
  struct polytope p;
  double least = INFINITY;
  if (!tetrahedron(&start, a, b, 1e-9 * size, normal)) return 0;
  p.size = size;
  polytope_start(&p, &start);
  while (p.face_count > 0) {
    size_t nearest = 0;
    for (size_t i = 1; i < p.face_count; i++)
      if (p.face[i].distance < p.face[nearest].distance) nearest = i;
    const struct face f = p.face[nearest];
    struct difference next;
    difference_support(a, b, f.normal, &next);
    const double beyond = dot3(f.normal, next.w); /* no way out is longer than this one */
    if (beyond < least) {
      least = beyond;
      for (int k = 0; k < 3; k++) normal[k] = -f.normal[k];
    }
    if (least - f.distance <= enough || p.vertex_count == VERTICES_MAX) break;
    memcpy(p.vertex[p.vertex_count++], next.w, sizeof next.w);
    if (!polytope_grow(&p)) break;
  }
  return isfinite(least) ? fmax(least, 0) : 0;
}
