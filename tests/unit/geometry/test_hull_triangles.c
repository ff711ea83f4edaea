/* The surface of a hull: closed and turned outward (every edge is there once each way), with every point behind every triangle,
 * and so the hull; volumes by closed forms. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "armdyn/armdyn.h"

struct surface {
  double triangles[9 * ARMDYN_HULL_TRIANGLES_MAX];
  size_t count;
};

static size_t times_there(const struct surface *s, const double *from, const double *to)
{
  size_t times = 0;
  for (size_t i = 0; i < 3 * s->count; i++) {
    const double *a = s->triangles + 3 * i, *b = s->triangles + 3 * (i - i % 3 + (i + 1) % 3);
    times += !memcmp(a, from, 3 * sizeof *a) && !memcmp(b, to, 3 * sizeof *b);
  }
  return times;
}

static double six_volumes(const double *a, const double *b, const double *c, const double *d)
{
  double e[3][3];
  for (int k = 0; k < 3; k++) e[0][k] = b[k] - a[k], e[1][k] = c[k] - a[k], e[2][k] = d[k] - a[k];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* Answers the volume. */
static double checked(const double *points, size_t count, struct surface *s)
{
  double volume = 0;
  s->count = armdyn_hull_triangles(points, count, s->triangles);
  cr_assert_geq(s->count, 4);
  for (size_t i = 0; i < 3 * s->count; i++) {
    const double *a = s->triangles + 3 * i, *b = s->triangles + 3 * (i - i % 3 + (i + 1) % 3);
    cr_assert_eq(times_there(s, a, b), 1);
    cr_assert_eq(times_there(s, b, a), 1);
  }
  for (size_t i = 0; i < s->count; i++) {
    const double *t = s->triangles + 9 * i;
    for (size_t k = 0; k < count; k++)
      cr_assert_leq(six_volumes(t, t + 3, t + 6, points + 3 * k), 1e-9, "point %zu is in front of triangle %zu", k, i);
    volume -= six_volumes(t, t + 3, t + 6, points) / 6;
  }
  return volume;
}

static double roll(unsigned *state)
{
  *state = *state * 1664525U + 1013904223U;
  return (double)(*state >> 8) / (double)(1U << 24) * 2 - 1;
}

Test(hull_triangles, of_random_points)
{
  unsigned dice = 7;
  struct surface s;
  for (size_t round = 0; round < 200; round++) {
    double points[3 * ARMDYN_CONVEX_POINTS_MAX];
    const size_t count = 4 + round % (ARMDYN_CONVEX_POINTS_MAX - 3);
    for (size_t i = 0; i < count; i++) {
      double *p = points + 3 * i, length = 0;
      for (int k = 0; k < 3; k++) p[k] = roll(&dice), length += p[k] * p[k];
      for (int k = 0; k < 3 && round % 2; k++) p[k] /= sqrt(length); /* all of them are corners */
    }
    cr_assert_gt(checked(points, count, &s), 0);
    if (round % 2) cr_assert_eq(s.count, 2 * count - 4); /* Euler */
  }
}

/* A grid of a turned box: nearly all points are inside of faces and edges. */
Test(hull_triangles, of_points_in_faces)
{
  unsigned dice = 3;
  struct surface s;
  for (int round = 0; round < 50; round++) {
    const struct armdyn_pose pose = { { 0 }, { roll(&dice), roll(&dice), roll(&dice) } };
    double frame[16], points[3 * ARMDYN_CONVEX_POINTS_MAX];
    armdyn_pose_matrix(&pose, frame);
    for (size_t i = 0; i < 64; i++) {
      const size_t j = (i * 29 + (size_t)round) % 64; /* in any order */
      const double p[3] = { (double)(j % 4) / 3, (double)(j / 4 % 4) * 2 / 3, (double)(j / 16) };
      for (int k = 0; k < 3; k++)
        points[3 * i + (size_t)k] = frame[4 * k] * p[0] + frame[4 * k + 1] * p[1] + frame[4 * k + 2] * p[2];
    }
    cr_assert_float_eq(checked(points, 64, &s), 6, 1e-9);
  }
}

Test(hull_triangles, what_has_none)
{
  double points[3 * (ARMDYN_CONVEX_POINTS_MAX + 1)], triangles[9 * ARMDYN_HULL_TRIANGLES_MAX];
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) points[i] = i % 3 < 2 ? sin((double)i) : 0.5;
  cr_assert_eq(armdyn_hull_triangles(points, 3, triangles), 0);
  cr_assert_eq(armdyn_hull_triangles(points, 20, triangles), 0, "in one plane");
  cr_assert_eq(armdyn_hull_triangles(points, ARMDYN_CONVEX_POINTS_MAX + 1, triangles), 0);
  memset(points, 0, sizeof points);
  cr_assert_eq(armdyn_hull_triangles(points, 8, triangles), 0, "one point");
}
