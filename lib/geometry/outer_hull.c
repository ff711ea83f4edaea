/* A convex polytope of few corners around triangles.
 *
 * It is the set of points x with n_i . x <= h_i, h_i the largest n_i . v over all corners v: so it encloses them whatever the
 * n_i are, and is their hull where the n_i are those of its faces. The n_i are the normals of the triangles, those of much
 * area first, no two alike; of what is round, those in which it stands out farthest, one after the other. A polytope of m
 * faces has at most 2 m - 4 corners (Euler), so 34 faces are as many as 64 corners allow. Corners: of every three planes the
 * point in common, if it lies behind all others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/clearance.h"
#include "armdyn/enclose.h"
#include "lib/geometry/cloud.h"
#include "lib/math/vector.h"

enum { PLANES_MOST = ARMDYN_CONVEX_POINTS_MAX / 2 + 2, GROUPS_MOST = 256 };

static const double alike = 0.999;        /* cosine: normals that count as one */
static const double thinnest = 1e-6;      /* m */
static const double one_corner = 1e-9;    /* of the size: corners that are one */
static const double worth_a_plane = 1e-4; /* of the size: what it must stand out to be cut */
static const double same_volume = 1e-6;   /* of it: the polytope is the hull */
static const double pushed_out = 1e-10;   /* of the size: every plane, for rounding */

struct plane {
  double normal[3], offset, area;
};

struct hull {
  const double *corners;
  size_t corner_count;
  struct plane groups[GROUPS_MOST]; /* normals of triangles that are alike */
  size_t group_count;
  struct plane planes[PLANES_MOST];
  size_t plane_count;
  double size;
};

/* -- normals -- */

static void add_normal(struct hull *h, const double *triangle)
{
  double a[3], b[3], n[3];
  for (size_t k = 0; k < 3; k++) a[k] = triangle[3 + k] - triangle[k], b[k] = triangle[6 + k] - triangle[k];
  cross3(n, a, b);
  const double length = sqrt(dot3(n, n));
  if (!(length > 0)) return;
  for (size_t k = 0; k < 3; k++) n[k] /= length;
  size_t i = 0;
  while (i < h->group_count && dot3(h->groups[i].normal, n) < alike) i++;
  if (i == GROUPS_MOST) return;
  if (i == h->group_count) {
    memcpy(h->groups[i].normal, n, sizeof n);
    h->groups[i].area = 0;
    h->group_count++;
  }
  h->groups[i].area += length / 2;
}

static int by_area(const void *left, const void *right)
{
  const struct plane *a = left, *b = right;
  return a->area < b->area ? 1 : a->area > b->area ? -1 : 0;
}

static double extent(const struct hull *h, const double normal[3])
{
  double most = -INFINITY;
  for (size_t i = 0; i < h->corner_count; i++) most = fmax(most, dot3(normal, h->corners + 3 * i));
  return most;
}

static bool is_new_normal(const struct hull *h, const double normal[3])
{
  size_t i = 0;
  while (i < h->plane_count && dot3(h->planes[i].normal, normal) <= alike) i++;
  return i == h->plane_count;
}

static void add_plane(struct hull *h, size_t most, const double normal[3])
{
  if (h->plane_count == most || !is_new_normal(h, normal)) return;
  struct plane *plane = &h->planes[h->plane_count++];
  memcpy(plane->normal, normal, sizeof plane->normal);
  plane->offset = extent(h, normal) + pushed_out * h->size;
}

/* Along x, y, z, and the way back. */
static void add_box(struct hull *h, size_t most)
{
  for (int k = 0; k < 6; k++) {
    double n[3] = { 0 };
    n[k / 2] = k % 2 ? -1 : 1;
    add_plane(h, most, n);
  }
}

enum { EVEN_DIRECTIONS = 27 };

/* To the faces, edges and corners of a cube, by their numbers; 0 of its middle. */
static void even_direction(int number, double out[3])
{
  const int digits[3] = { number % 3, number / 3 % 3, number / 9 };
  for (size_t k = 0; k < 3; k++) out[k] = digits[k] - 1;
}

/* A plane of a triangle and the opposite one, if what they enclose has no thickness, are moved apart. */
static void thicken(struct hull *h)
{
  for (size_t i = 0; i < h->plane_count; i++) {
    double back[3];
    for (size_t k = 0; k < 3; k++) back[k] = -h->planes[i].normal[k];
    const double thickness = h->planes[i].offset + extent(h, back);
    if (thickness < thinnest) h->planes[i].offset += (thinnest - thickness) / 2 + pushed_out * h->size;
  }
}

/* Which planes: those of faces alone, or with the box that bounds it whatever they are. */
enum choice { FACES, BOUNDED };

/* The normals that have most of the surface first. */
static void choose_planes(struct hull *h, enum choice choice, size_t most)
{
  const size_t kept = choice == FACES ? 0 : 6;
  h->plane_count = 0;
  for (size_t i = 0; i < h->group_count && h->plane_count + kept < most; i++) add_plane(h, most, h->groups[i].normal);
  if (choice >= BOUNDED) add_box(h, most);
  thicken(h);
}

/* -- corners -- */

static bool meet(const struct plane *a, const struct plane *b, const struct plane *c, double out[3])
{
  double bc[3], ca[3], ab[3];
  cross3(bc, b->normal, c->normal), cross3(ca, c->normal, a->normal), cross3(ab, a->normal, b->normal);
  const double determinant = dot3(a->normal, bc);
  if (fabs(determinant) < 1e-7) return false;
  for (size_t k = 0; k < 3; k++) out[k] = (a->offset * bc[k] + b->offset * ca[k] + c->offset * ab[k]) / determinant;
  return true;
}

static bool is_behind_all(const struct hull *h, const double point[3])
{
  for (size_t i = 0; i < h->plane_count; i++)
    if (dot3(h->planes[i].normal, point) > h->planes[i].offset + one_corner * h->size) return false;
  return true;
}

static bool is_new(const struct hull *h, const double *points, size_t count, const double point[3])
{
  for (size_t i = 0; i < count; i++) {
    double d = 0;
    for (size_t k = 0; k < 3; k++) d = fmax(d, fabs(points[3 * i + k] - point[k]));
    if (d < one_corner * h->size) return false;
  }
  return true;
}

/* false: there are more than there is room for. */
static bool find_corners(const struct hull *h, double *points, size_t *used)
{
  *used = 0;
  for (size_t a = 0; a < h->plane_count; a++)
    for (size_t b = a + 1; b < h->plane_count; b++)
      for (size_t c = b + 1; c < h->plane_count; c++) {
        double point[3];
        if (!meet(&h->planes[a], &h->planes[b], &h->planes[c], point) || !is_behind_all(h, point) ||
            !is_new(h, points, *used, point))
          continue;
        if (*used == ARMDYN_CONVEX_POINTS_MAX) return false;
        memcpy(points + 3 * (*used)++, point, sizeof point);
      }
  return *used >= 4;
}

/* -- volumes: sums of pyramids from a point -- */

static double surface_volume(const double *triangles, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double a[3], b[3], n[3];
    for (size_t k = 0; k < 3; k++) {
      a[k] = triangles[9 * i + 3 + k] - triangles[k];
      b[k] = triangles[9 * i + 6 + k] - triangles[k];
    }
    double from[3];
    for (size_t k = 0; k < 3; k++) from[k] = triangles[9 * i + k] - triangles[k];
    cross3(n, a, b);
    sum += dot3(from, n) / 6;
  }
  return fabs(sum);
}

struct around {
  double angle;
  const double *point;
};

static int by_angle(const void *left, const void *right)
{
  const struct around *a = left, *b = right;
  return a->angle < b->angle ? -1 : a->angle > b->angle ? 1 : 0;
}

/* The area of a face by its corners in order around it, times the height of the pyramid over it. */
static double pyramid(const struct hull *h, const struct plane *face, const double *points, size_t count,
                      const double top[3])
{
  struct around ring[ARMDYN_CONVEX_POINTS_MAX];
  size_t on = 0;
  double middle[3] = { 0 }, u[3], v[3], area = 0;
  for (size_t i = 0; i < count; i++) {
    if (fabs(dot3(face->normal, points + 3 * i) - face->offset) > 4 * one_corner * h->size) continue;
    ring[on++].point = points + 3 * i;
    for (size_t k = 0; k < 3; k++) middle[k] += points[3 * i + k];
  }
  if (on < 3) return 0;
  for (size_t k = 0; k < 3; k++) middle[k] /= (double)on, u[k] = ring[0].point[k] - middle[k];
  cross3(v, face->normal, u);
  for (size_t i = 0; i < on; i++) {
    double d[3];
    for (size_t k = 0; k < 3; k++) d[k] = ring[i].point[k] - middle[k];
    ring[i].angle = atan2(dot3(d, v), dot3(d, u));
  }
  qsort(ring, on, sizeof *ring, by_angle);
  for (size_t i = 0; i < on; i++) {
    double a[3], b[3], n[3];
    const double *next = ring[(i + 1) % on].point;
    for (size_t k = 0; k < 3; k++) a[k] = ring[i].point[k] - middle[k], b[k] = next[k] - middle[k];
    cross3(n, a, b);
    area += sqrt(dot3(n, n)) / 2;
  }
  return area * (face->offset - dot3(face->normal, top)) / 3;
}

static double polytope_volume(const struct hull *h, const double *points, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < h->plane_count; i++) sum += pyramid(h, &h->planes[i], points, count, points);
  return sum;
}

/* -- the whole -- */

struct polytope {
  double points[3 * ARMDYN_CONVEX_POINTS_MAX], volume;
  size_t used;
};

/* With as many planes as there is room for corners. */
static void make(struct hull *h, enum choice choice, struct polytope *out)
{
  size_t most = PLANES_MOST;
  do choose_planes(h, choice, most);
  while (!find_corners(h, out->points, &out->used) && --most >= 6);
  out->volume = polytope_volume(h, out->points, out->used);
}

/* The direction in which the polytope stands out farthest, of those of faces and of many that are even. false: nowhere. */
static bool stands_out(const struct hull *h, const double *extents, const struct polytope *p, double out[3])
{
  const struct hull its = { .corners = p->points, .corner_count = p->used };
  double most = worth_a_plane * h->size;
  for (size_t i = 0; i < h->group_count + CLOUD_DIRECTIONS; i++) {
    double n[3];
    if (i < h->group_count)
      memcpy(n, h->groups[i].normal, sizeof n);
    else
      cloud_direction((int)(i - h->group_count), n);
    const double over = extent(&its, n) - extents[i];
    if (over > most && is_new_normal(h, n)) most = over, memcpy(out, n, sizeof n);
  }
  return most > worth_a_plane * h->size;
}

/* From the box on, cut by cut. */
static void cut(struct hull *h, struct polytope *out)
{
  double extents[GROUPS_MOST + CLOUD_DIRECTIONS], n[3];
  for (size_t i = 0; i < h->group_count; i++) extents[i] = extent(h, h->groups[i].normal);
  for (int i = 0; i < CLOUD_DIRECTIONS; i++) {
    cloud_direction(i, n);
    extents[h->group_count + (size_t)i] = extent(h, n);
  }
  h->plane_count = 0;
  add_box(h, PLANES_MOST);
  thicken(h);
  find_corners(h, out->points, &out->used);
  struct polytope next = { .used = 0 };
  while (h->plane_count < PLANES_MOST && stands_out(h, extents, out, n)) {
    add_plane(h, PLANES_MOST, n);
    if (!find_corners(h, next.points, &next.used)) {
      h->plane_count--; /* more corners than there is room for */
      break;
    }
    *out = next;
  }
  out->volume = polytope_volume(h, out->points, out->used);
}

/* Is it all there, though no box bounds it? Then it is as large as what the surface encloses, and as wide as that is along
 * every even direction: it is the hull itself. */
static bool is_the_hull(const struct hull *h, const struct polytope *p, double enclosed)
{
  if (p->used < 4 || fabs(p->volume - enclosed) > same_volume * enclosed) return false;
  const struct hull its = { .corners = p->points, .corner_count = p->used };
  for (int number = 0; number < EVEN_DIRECTIONS; number++) {
    double n[3];
    even_direction(number, n);
    if (extent(&its, n) < extent(h, n) - one_corner * h->size) return false;
  }
  return true;
}

static void measure(struct hull *h)
{
  for (size_t i = 0; i < 3 * h->corner_count; i++) h->size = fmax(h->size, fabs(h->corners[i] - h->corners[i % 3]));
  for (size_t k = 0; k < 3; k++) h->size = fmax(h->size, 1e-3 * fabs(h->corners[k])); /* rounding of what is far away */
  h->size = fmax(h->size, thinnest);
}

/* The hull itself, or the smaller of two that enclose it. */
static void make_smallest(struct hull *h, double enclosed, struct polytope *out)
{
  struct polytope other;
  make(h, FACES, out);
  if (is_the_hull(h, out, enclosed)) return;
  make(h, BOUNDED, out);
  cut(h, &other);
  if (other.volume < out->volume) *out = other;
}

enum armdyn_status armdyn_enclose_convex(const double *triangles, size_t count, double *points, size_t *used,
                                         double volumes[2], struct armdyn_error *error)
{
  struct polytope found;
  if (!count) return armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no triangle");
  for (size_t i = 0; i < 9 * count; i++)
    if (!(fabs(triangles[i]) <= 1e4))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "a corner of triangle %zu is at %g: must be within 10000 m", i / 9,
                           triangles[i]);
  struct hull *h = calloc(1, sizeof *h);
  if (!h) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "not enough memory");
  h->corners = triangles, h->corner_count = 3 * count;
  measure(h);
  for (size_t i = 0; i < count; i++) add_normal(h, triangles + 9 * i);
  qsort(h->groups, h->group_count, sizeof *h->groups, by_area);
  const double enclosed = surface_volume(triangles, count);
  make_smallest(h, enclosed, &found);
  memcpy(points, found.points, 3 * found.used * sizeof *points);
  *used = found.used;
  if (volumes) volumes[0] = found.volume, volumes[1] = enclosed;
  free(h);
  return ARMDYN_OK;
}
