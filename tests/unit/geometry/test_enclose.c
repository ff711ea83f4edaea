/* Bodies around meshes: every corner lies within, by closed forms that the fit does not use; known solids are found; and a
 * polytope encloses what it was made of. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "armdyn/armdyn.h"
#include "tests/support/outside.h"
#include "tests/support/sanitized.h"

enum { MOST = 4000 };

struct mesh {
  double triangles[9 * MOST];
  size_t count;
};

struct dice {
  unsigned state;
};
static double roll(struct dice *dice, double low, double high)
{
  dice->state = dice->state * 1664525U + 1013904223U;
  return low + (high - low) * (double)(dice->state >> 8) / (double)(1U << 24);
}

static void add(struct mesh *m, const double a[3], const double b[3], const double c[3])
{
  const double *corners[] = { a, b, c };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) m->triangles[9 * m->count + (size_t)(3 * i + k)] = corners[i][k];
  m->count++;
}

/* A tube of a regular polygon's section about z, from z = -length / 2, closed by fans; outside is right. */
static void prism(struct mesh *m, double radius, double length, int sides)
{
  for (int i = 0; i < sides; i++) {
    const double a = 2 * M_PI * i / sides, b = 2 * M_PI * (i + 1) / sides, low = -length / 2, high = length / 2;
    const double p[3] = { radius * cos(a), radius * sin(a), low }, q[3] = { radius * cos(b), radius * sin(b), low };
    const double r[3] = { p[0], p[1], high }, s[3] = { q[0], q[1], high }, down[3] = { 0, 0, low },
                 up[3] = { 0, 0, high };
    add(m, p, q, s), add(m, p, s, r), add(m, down, q, p), add(m, up, r, s);
  }
}

/* Turned about a skew axis by an angle, and moved. */
static void place(struct mesh *m, size_t first, double angle, const double by[3])
{
  const double u[3] = { 2 / 3., -1 / 3., 2 / 3. }, c = cos(angle), s = sin(angle);
  for (size_t i = 3 * first; i < 3 * m->count; i++) {
    double *p = m->triangles + 3 * i, out[3];
    const double along = u[0] * p[0] + u[1] * p[1] + u[2] * p[2];
    const double cross[3] = { u[1] * p[2] - u[2] * p[1], u[2] * p[0] - u[0] * p[2], u[0] * p[1] - u[1] * p[0] };
    for (int k = 0; k < 3; k++) out[k] = p[k] * c + cross[k] * s + u[k] * along * (1 - c) + by[k];
    for (int k = 0; k < 3; k++) p[k] = out[k];
  }
}

static void box(struct mesh *m, double x, double y, double z)
{
  const size_t first = m->count;
  prism(m, sqrt(0.5), 1, 4); /* a cube of edge 1, turned by an eighth */
  for (size_t i = 3 * first; i < 3 * m->count; i++) {
    double *p = m->triangles + 3 * i;
    const double a = (p[0] - p[1]) * sqrt(0.5), b = (p[0] + p[1]) * sqrt(0.5);
    p[0] = a * x, p[1] = b * y, p[2] *= z;
  }
}

/* Does each triangle lie in one body, at least `margin` deep? */
static void assert_enclosed(const struct mesh *m, const struct armdyn_shape *bodies, size_t used, double margin)
{
  for (size_t i = 0; i < m->count; i++) {
    double best = INFINITY;
    for (size_t b = 0; b < used; b++) {
      double worst = -INFINITY;
      for (size_t k = 0; k < 3; k++) worst = fmax(worst, outside(&bodies[b], m->triangles + 9 * i + 3 * k));
      best = fmin(best, worst);
    }
    cr_assert_leq(best, -margin + 1e-10, "triangle %zu is %.3g m out", i, best + margin);
  }
}

static const unsigned ball = 1U << ARMDYN_SPHERE, capsule = 1U << ARMDYN_CAPSULE, cuboid = 1U << ARMDYN_BOX;

static double enclose(const struct mesh *m, unsigned kinds, double margin, size_t most, struct armdyn_shape *bodies,
                      size_t *used)
{
  double volume;
  struct armdyn_error error = { "", "" };
  const struct armdyn_enclosing how = { kinds, margin, most };
  cr_assert_eq(armdyn_enclose(m->triangles, m->count, &how, bodies, used, &volume, &error), ARMDYN_OK, "%s",
               error.message);
  cr_assert(*used >= 1 && *used <= most);
  assert_enclosed(m, bodies, *used, margin);
  return volume;
}

Test(enclose, finds_known_solids_wherever_they_lie)
{
  static struct mesh m;
  struct armdyn_shape body[ARMDYN_ENCLOSING_MOST];
  size_t used;
  struct dice dice = { 7 };
  for (int round = 0; round < (SANITIZED ? 2 : 6); round++) {
    const double by[3] = { roll(&dice, -2, 2), roll(&dice, -2, 2), roll(&dice, -2, 2) }, angle = roll(&dice, 0, 3);
    m.count = 0, box(&m, 0.2, 0.3, 0.7), place(&m, 0, angle, by);
    const double v = enclose(&m, ball | capsule | cuboid, 0, 1, body, &used);
    cr_assert(body[0].kind == ARMDYN_BOX && v < 0.042 * 1.01, "%.9g m^3 of 0.042", v);
    m.count = 0, prism(&m, 0.1, 1, 32), place(&m, 0, angle, by);
    const double c = enclose(&m, capsule, 0, 1, body, &used); /* around a tube: pi r^2 (l + 4/3 r) is one of them */
    cr_assert(c < M_PI * 0.01 * (1 + 0.4 / 3) * 1.01, "%.9g", c);
    m.count = 0, box(&m, 0.2, 0.3, 0.6), place(&m, 0, angle, by); /* half a diagonal: 0.35 */
    enclose(&m, ball, 0.05, 1, body, &used);
    cr_assert(body[0].radius >= 0.4 && body[0].radius < 0.402, "%.9g", body[0].radius);
    for (int k = 0; k < 3; k++) cr_assert_float_eq(body[0].from[k], by[k], 5e-3);
  }
}

Test(enclose, parts_what_is_bent)
{
  static struct mesh m;
  struct armdyn_shape one[ARMDYN_ENCLOSING_MOST], more[ARMDYN_ENCLOSING_MOST];
  size_t used;
  m.count = 0;
  prism(&m, 0.1, 1, 24);
  const size_t first = m.count;
  box(&m, 1, 0.2, 0.2);
  place(&m, first, 0, (const double[]){ 0.5, 0, 0.5 });
  const double whole = enclose(&m, capsule | cuboid, 0.01, 1, one, &used);
  const double parts = enclose(&m, capsule | cuboid, 0.01, 4, more, &used);
  cr_assert(used >= 2 && parts < 0.6 * whole, "%zu: %.6g of %.6g", used, parts, whole);
  /* of what is one thing already, no second one is made */
  m.count = 0, box(&m, 0.3, 0.3, 0.3);
  enclose(&m, cuboid, 0, 4, more, &used);
  cr_assert_eq(used, 1);
}

Test(enclose, takes_what_is_flat_or_a_point)
{
  static struct mesh m;
  struct armdyn_shape body;
  size_t used;
  const double a[3] = { 1, 2, 3 }, b[3] = { 2, 2, 3 }, c[3] = { 1, 3, 3 };
  m.count = 0, add(&m, a, b, c);
  for (unsigned kind = ball; kind <= cuboid; kind *= 2) enclose(&m, kind, 0, 1, &body, &used);
  m.count = 0, add(&m, a, a, a);
  for (unsigned kind = ball; kind <= cuboid; kind *= 2) enclose(&m, kind, 0.02, 1, &body, &used);
  struct armdyn_error error;
  const struct armdyn_enclosing good = { ball, 0, 1 };
  const struct armdyn_enclosing bad[] = { { 0, 0, 1 },     { 1U << ARMDYN_CYLINDER, 0, 1 },
                                          { ball, -1, 1 }, { ball, NAN, 1 },
                                          { ball, 0, 0 },  { ball, 0, 9 } };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    cr_assert_eq(armdyn_enclose(m.triangles, m.count, &bad[i], &body, &used, NULL, &error), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_enclose(m.triangles, 0, &good, &body, &used, NULL, &error), ARMDYN_EINPUT);
  m.triangles[4] = NAN;
  cr_assert_eq(armdyn_enclose(m.triangles, m.count, &good, &body, &used, NULL, &error), ARMDYN_EINPUT);
}

/* -- polytopes -- */

/* How far a point is outside of the hull of points: by the planes through three of them that have all others behind. */
static double outside_hull(const double *points, size_t count, const double *p)
{
  double most = -INFINITY;
  for (size_t a = 0; a < count; a++)
    for (size_t b = 0; b < count; b++)
      for (size_t c = a + 1; c < count; c++) {
        double u[3], v[3], n[3], behind = -INFINITY, length = 0;
        if (b == a || b == c) continue;
        for (int k = 0; k < 3; k++)
          u[k] = points[3 * b + (size_t)k] - points[3 * a + (size_t)k],
          v[k] = points[3 * c + (size_t)k] - points[3 * a + (size_t)k];
        n[0] = u[1] * v[2] - u[2] * v[1], n[1] = u[2] * v[0] - u[0] * v[2], n[2] = u[0] * v[1] - u[1] * v[0];
        for (int k = 0; k < 3; k++) length += n[k] * n[k];
        if (!(length > 1e-10)) continue;
        for (size_t i = 0; i < count && behind < 1e-6; i++) {
          double along = 0;
          for (int k = 0; k < 3; k++)
            along += n[k] * (points[3 * i + (size_t)k] - points[3 * a + (size_t)k]) / sqrt(length);
          behind = fmax(behind, along);
        }
        if (behind > 1e-7) continue;
        double along = 0;
        for (int k = 0; k < 3; k++) along += n[k] * (p[k] - points[3 * a + (size_t)k]) / sqrt(length);
        most = fmax(most, along);
      }
  return most;
}

static size_t polytope(const struct mesh *m, double *points, double volumes[2])
{
  size_t used;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_enclose_convex(m->triangles, m->count, points, &used, volumes, &error), ARMDYN_OK, "%s",
               error.message);
  cr_assert(used >= 4 && used <= ARMDYN_CONVEX_POINTS_MAX, "%zu", used);
  return used;
}

Test(enclose, polytopes_of_few_faces_are_the_solid_itself)
{
  static struct mesh m;
  double points[3 * ARMDYN_CONVEX_POINTS_MAX], volumes[2];
  const double by[3] = { 0.4, -0.3, 1.7 };
  m.count = 0, box(&m, 0.2, 0.3, 0.7), place(&m, 0, 1.1, by);
  cr_assert_eq(polytope(&m, points, volumes), 8);
  cr_assert(fabs(volumes[0] - 0.042) < 1e-8 && fabs(volumes[1] - 0.042) < 1e-12, "%.12g %.12g", volumes[0], volumes[1]);
  m.count = 0, prism(&m, 0.1, 1, 12), place(&m, 0, 0.7, by);
  const double area = 12 * 0.5 * 0.01 * sin(M_PI / 6);
  cr_assert_eq(polytope(&m, points, volumes), 24);
  cr_assert(fabs(volumes[0] - area) < 1e-8 && fabs(volumes[1] - area) < 1e-12, "%.12g %.12g of %.12g", volumes[0],
            volumes[1], area);
}

Test(enclose, polytopes_enclose_and_tell_what_they_fill_up)
{
  static struct mesh m;
  double points[3 * ARMDYN_CONVEX_POINTS_MAX], volumes[2];
  struct dice dice = { 3 };
  for (int round = 0; round < (SANITIZED ? 1 : 4); round++) {
    m.count = 0;
    const double by[3] = { roll(&dice, -1, 1), roll(&dice, -1, 1), 5 };
    prism(&m, roll(&dice, 0.1, 0.5), 0.3, 60); /* rounder than a polytope of 64 corners can be */
    const size_t first = m.count;
    box(&m, 0.1, 0.1, 1.5); /* and a post: concave together */
    place(&m, first, 0, (const double[]){ 0, 0, 0.7 });
    place(&m, 0, roll(&dice, 0, 3), by);
    const size_t used = polytope(&m, points, volumes);
    for (size_t i = 0; i < 3 * m.count; i += 31)
      cr_assert_leq(outside_hull(points, used, m.triangles + 3 * i), 1e-7, "corner %zu", i);
    cr_assert_gt(volumes[0], volumes[1]);
  }
  /* of what is round little is filled up */
  m.count = 0, prism(&m, 0.3, 0.5, 60), place(&m, 0, 0.8, (double[]){ 0.1, 0.2, 0.3 });
  polytope(&m, points, volumes);
  cr_assert(volumes[0] > volumes[1] && volumes[0] < 1.12 * volumes[1], "%.4g", volumes[0] / volumes[1]);
  /* what is flat has a thickness afterwards */
  m.count = 0, add(&m, (double[]){ 0, 0, 0 }, (double[]){ 1, 0, 0 }, (double[]){ 0, 1, 0 });
  polytope(&m, points, volumes);
  cr_assert(volumes[0] > 0 && volumes[0] < 1e-3, "%.3g", volumes[0]);
}
