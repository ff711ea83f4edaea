/* Several bodies around a mesh: its triangles are parted by planes across a piece, at what makes all of them smaller, each
 * triangle going to the side of its centre. So each lies in one body, wholly, for the bodies are convex. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "armdyn/enclose.h"
#include "lib/geometry/cloud.h"

enum { AXES = 3, PLACES = 3 };

static const double worth = 0.9; /* of the volume before: what a further body must leave at most */

struct piece {
  size_t first, count; /* triangles */
  double volume;       /* of its body, roughly */
};

struct enclosing {
  double *triangles, *spare; /* in the order of the pieces */
  double *room, *extremes;
  const struct armdyn_enclosing *how;
  struct piece pieces[ARMDYN_ENCLOSING_MOST];
  size_t count;
};

static double fit(struct enclosing *e, size_t first, size_t count, bool rough, struct armdyn_shape *out)
{
  const struct cloud all = { e->triangles + 9 * first, 3 * count };
  const struct cloud extremes = { e->extremes, cloud_extremes(&all, e->extremes) };
  return cloud_enclose(&all, &extremes, e->how->kinds, e->how->margin, rough, e->room, out);
}

static double centre(const double *triangle, int axis)
{
  return (triangle[axis] + triangle[3 + axis] + triangle[6 + axis]) / 3;
}

/* Put the triangles of a piece that lie below a plane first. Answers how many. */
static size_t part(struct enclosing *e, const struct piece *piece, int axis, double at)
{
  double *first = e->triangles + 9 * piece->first;
  size_t below = 0, above = 0;
  for (size_t i = 0; i < piece->count; i++) {
    const double *triangle = first + 9 * i;
    const bool is_below = centre(triangle, axis) < at;
    memmove(is_below ? first + 9 * below++ : e->spare + 9 * above++, triangle, 9 * sizeof *triangle);
  }
  memcpy(first + 9 * below, e->spare, 9 * above * sizeof *first);
  return below;
}

static void extent(const struct enclosing *e, const struct piece *piece, int axis, double *low, double *high)
{
  *low = INFINITY, *high = -INFINITY;
  for (size_t i = 0; i < piece->count; i++) {
    const double at = centre(e->triangles + 9 * (piece->first + i), axis);
    *low = fmin(*low, at), *high = fmax(*high, at);
  }
}

struct cut {
  size_t piece;
  int axis;
  double at, left; /* m, m^3 of both bodies together */
};

/* The cut of one piece that leaves the least. */
static void try_cuts(struct enclosing *e, size_t index, struct cut *best, double *gain)
{
  struct piece *piece = &e->pieces[index];
  for (int axis = 0; axis < AXES; axis++) {
    double low, high;
    extent(e, piece, axis, &low, &high);
    for (int k = 1; k <= PLACES; k++) {
      const double at = low + (high - low) * k / (PLACES + 1);
      const size_t below = part(e, piece, axis, at);
      if (!below || below == piece->count) continue;
      const double left =
          fit(e, piece->first, below, true, NULL) + fit(e, piece->first + below, piece->count - below, true, NULL);
      if (!(piece->volume - left > *gain)) continue;
      *gain = piece->volume - left;
      *best = (struct cut){ index, axis, at, left };
    }
  }
}

/* false: none is worth it. */
static bool cut_once(struct enclosing *e)
{
  struct cut best = { 0 };
  double gain = 0, whole = 0;
  for (size_t i = 0; i < e->count; i++) {
    whole += e->pieces[i].volume;
    try_cuts(e, i, &best, &gain);
  }
  if (!(whole - gain < worth * whole)) return false;
  struct piece *piece = &e->pieces[best.piece];
  const size_t below = part(e, piece, best.axis, best.at);
  struct piece *other = &e->pieces[e->count++];
  *other = (struct piece){ .first = piece->first + below, .count = piece->count - below };
  piece->count = below;
  piece->volume = fit(e, piece->first, piece->count, true, NULL);
  other->volume = fit(e, other->first, other->count, true, NULL);
  return true;
}

static enum armdyn_status check(const double *triangles, size_t count, const struct armdyn_enclosing *how,
                                struct armdyn_error *error)
{
  const unsigned all = 1U << ARMDYN_SPHERE | 1U << ARMDYN_CAPSULE | 1U << ARMDYN_BOX;
  if (!count) return armdyn_refuse(error, ARMDYN_EINPUT, "", "there is no triangle");
  if (!(how->kinds & all) || how->kinds & ~all)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/kinds", "must be spheres, capsules or boxes");
  if (!(how->margin >= 0 && how->margin < 1e4))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/margin", "must be >= 0 m, got %g", how->margin);
  if (how->most < 1 || how->most > ARMDYN_ENCLOSING_MOST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/most", "must be 1 to %d, got %zu", ARMDYN_ENCLOSING_MOST, how->most);
  for (size_t i = 0; i < 9 * count; i++)
    if (!(fabs(triangles[i]) <= 1e4))
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "a corner of triangle %zu is at %g: must be within 10000 m", i / 9,
                           triangles[i]);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_enclose(const double *triangles, size_t count, const struct armdyn_enclosing *how,
                                  struct armdyn_shape *bodies, size_t *used, double *volume, struct armdyn_error *error)
{
  struct enclosing e = { .how = how, .count = 1 };
  enum armdyn_status status = check(triangles, count, how, error);
  if (status) return status;
  e.triangles = malloc(3 * 9 * count * sizeof *e.triangles);
  e.extremes = malloc(3 * CLOUD_DIRECTIONS * sizeof *e.extremes);
  e.room = malloc((9 * count + 3 * CLOUD_DIRECTIONS) * sizeof *e.room);
  if (e.triangles && e.extremes && e.room) {
    double sum = 0;
    e.spare = e.triangles + 9 * count;
    memcpy(e.triangles, triangles, 9 * count * sizeof *e.triangles);
    e.pieces[0] = (struct piece){ .count = count };
    e.pieces[0].volume = fit(&e, 0, count, true, NULL);
    while (e.count < how->most && cut_once(&e)) {
    }
    for (size_t i = 0; i < e.count; i++) sum += fit(&e, e.pieces[i].first, e.pieces[i].count, false, &bodies[i]);
    *used = e.count;
    if (volume) *volume = sum;
  } else {
    status = armdyn_refuse(error, ARMDYN_EMEMORY, "", "not enough memory");
  }
  free(e.triangles), free(e.extremes), free(e.room);
  return status;
}
