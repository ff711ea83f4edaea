/* Distances of convex bodies against another library, against planes and points that prove them, and against every facet. */
#include <criterion/criterion.h>

#include "lib/geometry/distance.h"
#include "lib/math/rotation.h"
#include "tests/support/robots.h"

enum { POINTS = 12, CORNERS = 16 };

/* -- against another library, which iterates towards what is curved -- */

static bool read_shape(FILE *file, struct armdyn_shape *shape)
{
  char kind[16];
  double c[3], rpy[3], d[3], r[9];
  if (fscanf(file, "%15s %lf %lf %lf %lf %lf %lf %lf %lf %lf", kind, c, c + 1, c + 2, rpy, rpy + 1, rpy + 2, d, d + 1,
             d + 2) != 10)
    return false;
  memset(shape, 0, sizeof *shape);
  rotation_of_rpy(rpy, r);
  shape->radius = d[0];
  memcpy(shape->pose.translation, c, sizeof c), memcpy(shape->pose.rpy, rpy, sizeof rpy);
  memcpy(shape->size, d, sizeof d);
  shape->kind = !strcmp(kind, "sphere")    ? ARMDYN_SPHERE
                : !strcmp(kind, "capsule") ? ARMDYN_CAPSULE
                : !strcmp(kind, "box")     ? ARMDYN_BOX
                                           : ARMDYN_CYLINDER;
  for (int i = 0; i < 3; i++) {
    const double half = shape->kind == ARMDYN_CAPSULE ? r[3 * i + 2] * d[2] / 2 : 0;
    shape->from[i] = c[i] - half, shape->to[i] = c[i] + half;
  }
  return true;
}

Test(distance, agrees_with_another_library)
{
  FILE *file = fopen("tests/data/distances/fcl.txt", "r");
  struct armdyn_shape shape[2];
  size_t count = 0, apart = 0;
  double expected;
  cr_assert(file);
  for (int c = fgetc(file); c == '#'; c = fgetc(file)) {
    while (c != '\n' && c != EOF) c = fgetc(file);
  }
  fseek(file, -1, SEEK_CUR);
  while (read_shape(file, &shape[0]) && read_shape(file, &shape[1]) && fscanf(file, "%lf ", &expected) == 1) {
    struct convex a, b;
    convex_of_shape(&shape[0], &a), convex_of_shape(&shape[1], &b);
    const double ours = convex_distance(&a, &b, NULL);
    count++;
    if (expected >= 0) apart++;
    if (expected >= 0)
      cr_assert_float_eq(ours, expected, 1e-6, "row %zu: %.12g, theirs %.12g, kinds %d %d", count, ours, expected,
                         (int)shape[0].kind, (int)shape[1].kind);
    else
      cr_assert_leq(ours, 1e-9, "row %zu: %.12g, they overlap", count, ours);
  }
  fclose(file);
  cr_assert_eq(count, 600);
  cr_assert_gt(apart, 500);
}

/* -- random bodies -- */

static void random_shape(struct dice *dice, enum armdyn_shape_kind kind, double spread, double *points,
                         struct armdyn_shape *out)
{
  memset(out, 0, sizeof *out);
  out->kind = kind;
  dice_fill(dice, out->from, 3, -spread, spread);
  for (int i = 0; i < 3; i++) out->to[i] = out->from[i] + dice_uniform(dice, -0.5, 0.5);
  out->radius = dice_uniform(dice, 0.02, 0.2);
  dice_fill(dice, out->size, 3, 0.05, 0.6);
  memcpy(out->pose.translation, out->from, sizeof out->from);
  dice_fill(dice, out->pose.rpy, 3, -3, 3);
  if (kind == ARMDYN_HALF_SPACE) {
    const double length = sqrt(dot3(out->from, out->from));
    for (int i = 0; i < 3; i++) out->from[i] /= length;
    out->offset = dice_uniform(dice, -1, 0);
  }
  if (kind != ARMDYN_CONVEX) return;
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++) points[3 * i + k] = out->from[k] + dice_uniform(dice, -0.3, 0.3);
  }
  out->points = points, out->point_count = POINTS;
}

/* Farthest in a direction, by what the shape says; a cylinder's rim point by point. */
static double extent(const struct armdyn_shape *s, const double u[3])
{
  double r[9], own[3], most = -INFINITY;
  rotation_of_rpy(s->pose.rpy, r);
  unrotate3(own, r, u);
  const double at = dot3(s->pose.translation, u);
  switch (s->kind) {
  case ARMDYN_SPHERE: return dot3(s->from, u) + s->radius;
  case ARMDYN_CAPSULE: return fmax(dot3(s->from, u), dot3(s->to, u)) + s->radius;
  case ARMDYN_BOX:
    for (int i = 0; i < 8; i++)
      most = fmax(most, at + (i & 1 ? own[0] : -own[0]) * s->size[0] / 2 + (i & 2 ? own[1] : -own[1]) * s->size[1] / 2 +
                            (i & 4 ? own[2] : -own[2]) * s->size[2] / 2);
    return most;
  case ARMDYN_CYLINDER: return at + s->radius * sqrt(own[0] * own[0] + own[1] * own[1]) + s->size[2] / 2 * fabs(own[2]);
  case ARMDYN_CONVEX:
    for (size_t i = 0; i < s->point_count; i++) most = fmax(most, dot3(s->points + 3 * i, u));
    return most;
  default: return INFINITY;
  }
}

/* Is the point in the body, or this near to it? */
static bool holds(const struct armdyn_shape *s, const double p[3], double tolerance)
{
  double r[9], own[3], from[3], e[3], d[3];
  rotation_of_rpy(s->pose.rpy, r);
  for (int i = 0; i < 3; i++) from[i] = p[i] - s->pose.translation[i], d[i] = s->to[i] - s->from[i];
  unrotate3(own, r, from);
  switch (s->kind) {
  case ARMDYN_SPHERE:
  case ARMDYN_CAPSULE: {
    for (int i = 0; i < 3; i++) e[i] = p[i] - s->from[i];
    double t = s->kind == ARMDYN_CAPSULE ? fmax(0, fmin(1, dot3(e, d) / dot3(d, d))) : 0;
    for (int i = 0; i < 3; i++) e[i] -= t * d[i];
    return sqrt(dot3(e, e)) <= s->radius + tolerance;
  }
  case ARMDYN_BOX:
    return fabs(own[0]) <= s->size[0] / 2 + tolerance && fabs(own[1]) <= s->size[1] / 2 + tolerance &&
           fabs(own[2]) <= s->size[2] / 2 + tolerance;
  case ARMDYN_CYLINDER:
    return hypot(own[0], own[1]) <= s->radius + tolerance && fabs(own[2]) <= s->size[2] / 2 + tolerance;
  case ARMDYN_HALF_SPACE: return dot3(p, s->from) <= s->offset + tolerance;
  default: { /* every direction keeps a point of the hull on the inside */
    struct dice dice = { 5 };
    for (int i = 0; i < 200; i++) {
      double u[3];
      dice_fill(&dice, u, 3, -1, 1);
      if (dot3(p, u) > extent(s, u) + tolerance) return false;
    }
    return true;
  }
  }
}

/* Bodies that are apart: points of both as far apart as told, and a plane between them that leaves as much: no other points
 * can be nearer. Bodies that overlap: moved by what is told they only touch. */
Test(distance, is_proved_by_its_points_and_a_plane)
{
  struct dice dice = { 7 };
  double points[2][3 * POINTS];
  size_t apart = 0, overlap = 0;
  for (int round = 0; round < 4000; round++) {
    for (int pair = 0; pair < 18; pair++) {
      const enum armdyn_shape_kind kind_a = (enum armdyn_shape_kind)(pair % 3),
                                   kind_b = (enum armdyn_shape_kind)(pair / 3);
      struct armdyn_shape shape[2];
      struct convex a, b;
      struct nearest n;
      random_shape(&dice, kind_a, 0.6, points[0], &shape[0]);
      random_shape(&dice, kind_b, 0.6, points[1], &shape[1]);
      convex_of_shape(&shape[0], &a), convex_of_shape(&shape[1], &b);
      const double d = convex_distance(&a, &b, &n), back[3] = { -n.normal[0], -n.normal[1], -n.normal[2] };
      const double tolerance = d < 0 && (kind_b == ARMDYN_CYLINDER) ? 2e-6 : 1e-10;
      cr_assert_eq(d, n.distance);
      cr_assert_float_eq(dot3(n.normal, n.normal), 1, 1e-12);
      for (int i = 0; i < 3; i++) cr_assert_float_eq(n.a[i] - n.b[i], d * n.normal[i], 1e-12);
      cr_assert(holds(&shape[0], n.a, tolerance) && holds(&shape[1], n.b, tolerance),
                "round %d: kinds %d %d, distance %g", round, (int)kind_a, (int)kind_b, d);
      const double top = kind_b == ARMDYN_HALF_SPACE ? shape[1].offset : extent(&shape[1], n.normal);
      const double gap = -extent(&shape[0], back) - top;
      cr_assert_float_eq(gap, d, tolerance, "kinds %d %d: %.15g, the plane leaves %.15g", (int)kind_a, (int)kind_b, d,
                         gap);
      if (d > 0)
        apart++;
      else
        overlap++;
    }
  }
  cr_assert(apart > 40000 && overlap > 5000, "%zu apart, %zu overlap", apart, overlap);
}

/* -- depth, by every facet that the difference of two polytopes can have -- */

static size_t corners(const struct armdyn_shape *s, double out[CORNERS][3])
{
  double r[9];
  if (s->kind == ARMDYN_CONVEX) {
    memcpy(out, s->points, s->point_count * 3 * sizeof(double));
    return s->point_count;
  }
  if (s->kind == ARMDYN_SPHERE || s->kind == ARMDYN_CAPSULE) {
    memcpy(out[0], s->from, sizeof s->from), memcpy(out[1], s->to, sizeof s->to);
    return s->kind == ARMDYN_SPHERE ? 1 : 2;
  }
  rotation_of_rpy(s->pose.rpy, r);
  for (int i = 0; i < 8; i++) {
    const double own[3] = { (i & 1 ? .5 : -.5) * s->size[0], (i & 2 ? .5 : -.5) * s->size[1],
                            (i & 4 ? .5 : -.5) * s->size[2] };
    rotate3(out[i], r, own);
    for (int k = 0; k < 3; k++) out[i][k] += s->pose.translation[k];
  }
  return 8;
}

/* The smallest extent of the difference across planes through three of its corners that leave all of it on one side. */
static double brute_depth(const struct armdyn_shape *a, const struct armdyn_shape *b)
{
  static double w[CORNERS * CORNERS][3];
  double ca[CORNERS][3], cb[CORNERS][3], least = INFINITY;
  const size_t na = corners(a, ca), nb = corners(b, cb), n = na * nb;
  for (size_t i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) w[i][k] = ca[i / nb][k] - cb[i % nb][k];
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i + 1; j < n; j++) {
      for (size_t l = j + 1; l < n; l++) {
        double e[3], f[3], u[3];
        for (int k = 0; k < 3; k++) e[k] = w[j][k] - w[i][k], f[k] = w[l][k] - w[i][k];
        cross3(u, e, f);
        const double length = sqrt(dot3(u, u));
        if (length < 1e-9) continue;
        for (int k = 0; k < 3; k++) u[k] /= length;
        const double h = dot3(u, w[i]);
        if (fabs(h) >= least) continue;
        bool above = false, below = false;
        for (size_t m = 0; m < n && !(above && below); m++) {
          above |= dot3(u, w[m]) > h + 1e-12;
          below |= dot3(u, w[m]) < h - 1e-12;
        }
        if (!(above && below)) least = fabs(h);
      }
    }
  }
  return least;
}

Test(distance, depth_is_that_of_the_nearest_facet)
{
  static const enum armdyn_shape_kind kinds[][2] = { { ARMDYN_CAPSULE, ARMDYN_BOX },
                                                     { ARMDYN_SPHERE, ARMDYN_BOX },
                                                     { ARMDYN_BOX, ARMDYN_BOX },
                                                     { ARMDYN_CAPSULE, ARMDYN_CONVEX },
                                                     { ARMDYN_SPHERE, ARMDYN_CONVEX } };
  struct dice dice = { 11 };
  double points[2][3 * POINTS];
  size_t deep = 0;
  for (int round = 0; round < 240; round++) {
    const enum armdyn_shape_kind *kind = kinds[round % 5];
    struct armdyn_shape shape[2];
    struct convex a, b;
    random_shape(&dice, kind[0], 0.15, points[0], &shape[0]);
    random_shape(&dice, kind[1], 0.15, points[1], &shape[1]);
    shape[0].radius = shape[1].radius = 1e-3;
    convex_of_shape(&shape[0], &a), convex_of_shape(&shape[1], &b);
    const double d = convex_distance(&a, &b, NULL);
    if (d > -1.1e-3) continue;
    deep++;
    const double expected = -brute_depth(&shape[0], &shape[1]) - (kind[0] == ARMDYN_BOX ? 0 : 1e-3);
    cr_assert_float_eq(d, expected, 1e-9, "kinds %d %d: %.12g, by all facets %.12g", (int)kind[0], (int)kind[1], d,
                       expected);
  }
  cr_assert_gt(deep, 60);
}

/* By hand: what is degenerate. */
Test(distance, of_what_coincides_or_is_parallel)
{
  const struct armdyn_shape sphere = { .kind = ARMDYN_SPHERE, .radius = 0.1 };
  const struct armdyn_shape capsule = {
    .kind = ARMDYN_CAPSULE, .from = { 0, 0, -1 }, .to = { 0, 0, 1 }, .radius = 0.1
  };
  const struct armdyn_shape beside = { .kind = ARMDYN_CAPSULE, .from = { 1, 0, 0 }, .to = { 1, 0, 3 }, .radius = 0.2 };
  const struct armdyn_shape box = { .kind = ARMDYN_BOX, .size = { 2, 2, 2 } };
  const struct armdyn_shape floor = { .kind = ARMDYN_HALF_SPACE, .from = { 0, 0, 1 }, .offset = -2 };
  static const double flat_points[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
  const struct armdyn_shape flat = { .kind = ARMDYN_CONVEX, .points = flat_points, .point_count = 3 };
  static const struct {
    int a, b;
    double distance;
  } rows[] = {
    { 0, 0, -0.2 }, { 0, 1, -0.2 }, { 1, 1, -0.2 }, { 1, 2, 0.7 }, { 2, 1, 0.7 }, { 0, 3, -1.1 },
    { 1, 3, -1.1 }, { 3, 3, -2 },   { 1, 4, 0.9 },  { 4, 0, 1.9 }, { 4, 3, 1 },   { 0, 5, -0.1 },
    { 5, 1, -0.1 }, { 5, 4, 2 },    { 2, 3, -0.2 }, { 5, 5, 0 },
  };
  const struct armdyn_shape *const shapes[] = { &sphere, &capsule, &beside, &box, &floor, &flat };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct convex a, b;
    struct nearest n;
    convex_of_shape(shapes[rows[i].a], &a), convex_of_shape(shapes[rows[i].b], &b);
    cr_assert_float_eq(convex_distance(&a, &b, &n), rows[i].distance, 1e-12, "row %zu: %.15g", i, n.distance);
    for (int k = 0; k < 3; k++) cr_assert_float_eq(n.a[k] - n.b[k], n.distance * n.normal[k], 1e-12, "row %zu", i);
  }
}
