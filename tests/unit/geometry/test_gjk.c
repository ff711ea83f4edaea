/* gjk.c and penetration.c by themselves, without the closed forms that distance.c has for most pairs: nearest points and
 * depths of cores against what boxes, balls of a cylinder and segments have by formula, and the proof of optimality that a
 * support function gives. */
#include <criterion/criterion.h>

#include "lib/geometry/gjk.h"
#include "lib/math/rotation.h"
#include "tests/support/robots.h"

static const double tight = 1e-12;

static struct pose random_pose(struct dice *dice)
{
  struct pose pose;
  double rpy[3];
  dice_fill(dice, rpy, 3, -3, 3), dice_fill(dice, pose.p, 3, -2, 2);
  rotation_of_rpy(rpy, pose.r);
  return pose;
}

static struct convex box_at(const double center[3], const double size[3])
{
  struct armdyn_shape shape = { .kind = ARMDYN_BOX };
  struct convex out;
  memcpy(shape.size, size, sizeof shape.size), memcpy(shape.pose.translation, center, sizeof shape.pose.translation);
  convex_of_shape(&shape, &out);
  return out;
}

/* About z. */
static struct convex cylinder_at(const double center[3], double radius, double length)
{
  struct armdyn_shape shape = { .kind = ARMDYN_CYLINDER, .radius = radius, .size = { 0, 0, length } };
  struct convex out;
  memcpy(shape.pose.translation, center, sizeof shape.pose.translation);
  convex_of_shape(&shape, &out);
  return out;
}

/* The corners of a box as a hull; `points` must live as long. */
static struct convex hull_at(const double center[3], const double size[3], double points[24])
{
  struct armdyn_shape shape = { .kind = ARMDYN_CONVEX, .points = points, .point_count = 8 };
  struct convex out;
  for (size_t i = 0; i < 24; i++) points[i] = center[i % 3] + (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * size[i % 3];
  convex_of_shape(&shape, &out);
  return out;
}

/* |p_a - p_b|, and the proof that nothing is nearer: along p_a - p_b no point of a - b is nearer to the origin. */
static double proved_distance(const struct convex *a, const struct convex *b)
{
  double pa[3], pb[3], v[3];
  struct simplex simplex;
  struct difference support;
  cr_assert(gjk(a, b, pa, pb, &simplex));
  for (int k = 0; k < 3; k++) v[k] = pa[k] - pb[k];
  const double square = dot3(v, v), back[3] = { -v[0], -v[1], -v[2] };
  difference_support(a, b, back, &support);
  cr_assert_geq(dot3(v, support.w), square - 1e-11 * (1 + square));
  for (int k = 0; k < 3; k++) cr_assert_float_eq(support.w[k], support.a[k] - support.b[k], 0);
  /* either point is one of its core: nowhere beyond its support */
  const double *const points[2] = { pa, pb };
  const struct convex *const bodies[2] = { a, b };
  for (int body = 0; body < 2; body++) {
    for (int way = 0; way < 6; way++) {
      double direction[3] = { 0 }, from[3];
      direction[way / 2] = way % 2 ? -1 : 1;
      for (int k = 0; k < 3; k++) from[k] = points[body][k] - bodies[body]->center[k];
      cr_assert_leq(dot3(direction, from), core_extent(bodies[body], direction) + 1e-11);
    }
  }
  return sqrt(square);
}

/* Boxes along the axes: what is between them along each. Turned together nothing changes; as hulls of corners neither. */
Test(gjk, boxes_are_as_far_apart_as_their_sides)
{
  struct dice dice = { 5 };
  size_t by_face = 0, by_corner = 0;
  for (int round = 0; round < 300; round++) {
    double c[2][3], size[2][3], corners[24], square = 0;
    size_t apart = 0;
    for (int i = 0; i < 2; i++) dice_fill(&dice, c[i], 3, -1, 1), dice_fill(&dice, size[i], 3, 0.05, 0.8);
    for (int k = 0; k < 3; k++) {
      const double gap = fabs(c[0][k] - c[1][k]) - (size[0][k] + size[1][k]) / 2;
      if (gap > 0) square += gap * gap, apart++;
    }
    if (!apart) continue;
    by_face += apart == 1, by_corner += apart == 3;
    const struct pose pose = random_pose(&dice);
    const struct convex a = box_at(c[0], size[0]), b = box_at(c[1], size[1]), hull = hull_at(c[1], size[1], corners);
    struct convex turned[3];
    convex_move(&pose, &a, &turned[0]), convex_move(&pose, &b, &turned[1]), convex_move(&pose, &hull, &turned[2]);
    cr_assert_float_eq(proved_distance(&a, &b), sqrt(square), tight);
    cr_assert_float_eq(proved_distance(&turned[0], &turned[1]), sqrt(square), 1e-11);
    cr_assert_float_eq(proved_distance(&turned[0], &turned[2]), sqrt(square), 1e-11);
  }
  cr_assert(by_face > 20 && by_corner > 20, "%zu %zu", by_face, by_corner);
}

/* Upright cylinders: circles in the plane, intervals along z. A point is a sphere's core, a segment a capsule's. */
Test(gjk, upright_cylinders_are_circles_and_intervals)
{
  struct dice dice = { 8 };
  size_t counted = 0;
  for (int round = 0; round < 200; round++) {
    double c[2][3], r[2], length[2];
    for (int i = 0; i < 2; i++) dice_fill(&dice, c[i], 3, -1, 1);
    dice_fill(&dice, r, 2, 0.05, 0.5), dice_fill(&dice, length, 2, 0.1, 1);
    const double across = hypot(c[0][0] - c[1][0], c[0][1] - c[1][1]) - r[0] - r[1];
    const double along = fabs(c[0][2] - c[1][2]) - (length[0] + length[1]) / 2;
    if (across <= 1e-3 && along <= 1e-3) continue;
    counted++;
    const struct convex a = cylinder_at(c[0], r[0], length[0]), b = cylinder_at(c[1], r[1], length[1]);
    const struct pose pose = random_pose(&dice);
    struct convex turned[2];
    convex_move(&pose, &a, &turned[0]), convex_move(&pose, &b, &turned[1]);
    cr_assert_float_eq(proved_distance(&turned[0], &turned[1]), hypot(fmax(across, 0), fmax(along, 0)), 1e-9);
  }
  cr_assert_gt(counted, 100);
}

/* Segments: parallel ones side by side, and skew ones whose common normal meets both. */
Test(gjk, segments)
{
  const struct armdyn_shape along_x = {
    .kind = ARMDYN_CAPSULE, .from = { -1, 0, 0 }, .to = { 1, 0, 0 }, .radius = 0.1
  };
  const struct armdyn_shape beside = {
    .kind = ARMDYN_CAPSULE, .from = { 0.5, 3, 4 }, .to = { 4, 3, 4 }, .radius = 0.1
  };
  const struct armdyn_shape behind = { .kind = ARMDYN_CAPSULE, .from = { 4, 4, 0 }, .to = { 9, 4, 0 }, .radius = 0.1 };
  const struct armdyn_shape skew = {
    .kind = ARMDYN_CAPSULE, .from = { 0.3, -2, 7 }, .to = { 0.3, 5, 7 }, .radius = 0.1
  };
  const struct armdyn_shape *const others[] = { &beside, &behind, &skew };
  static const double expected[] = { 5, 5, 7 };
  struct convex a, b;
  convex_of_shape(&along_x, &a);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    convex_of_shape(others[i], &b);
    cr_assert_float_eq(proved_distance(&a, &b), expected[i], tight, "row %zu", i);
    cr_assert_float_eq(proved_distance(&b, &a), expected[i], tight, "row %zu", i);
  }
}

/* Overlapping boxes along the axes are parted by the smallest of their overlaps, along that axis: by zonotopes, and by the
 * polytope that expands, which knows nothing of boxes. */
Test(penetration, boxes_are_as_deep_as_their_least_overlap)
{
  struct dice dice = { 21 };
  size_t counted = 0;
  for (int round = 0; round < 300; round++) {
    double c[2][3], size[2][3], least = INFINITY, normal[3], corners[24], pa[3], pb[3];
    int axis = 0;
    for (int i = 0; i < 2; i++) dice_fill(&dice, c[i], 3, -0.4, 0.4), dice_fill(&dice, size[i], 3, 0.2, 1);
    for (int k = 0; k < 3; k++) {
      const double overlap = (size[0][k] + size[1][k]) / 2 - fabs(c[0][k] - c[1][k]);
      if (overlap < least) least = overlap, axis = k;
    }
    if (least < 1e-3) continue;
    counted++;
    const struct pose pose = random_pose(&dice);
    const struct convex a = box_at(c[0], size[0]), b = box_at(c[1], size[1]), hull = hull_at(c[1], size[1], corners);
    struct convex turned[3];
    struct simplex simplex;
    convex_move(&pose, &a, &turned[0]), convex_move(&pose, &b, &turned[1]), convex_move(&pose, &hull, &turned[2]);
    const double way = c[0][axis] < c[1][axis] ? -1 : 1;
    cr_assert_float_eq(zonotopes_depth(&turned[0], &turned[1], normal), least, tight);
    for (int k = 0; k < 3; k++) cr_assert_float_eq(normal[k], way * pose.r[3 * k + axis], 1e-9);
    for (int other = 1; other < 3; other++) {
      cr_assert_not(gjk(&turned[0], &turned[other], pa, pb, &simplex));
      cr_assert_float_eq(expanding_depth(&turned[0], &turned[other], &simplex, normal), least, 1e-9);
      cr_assert_float_eq(dot3(normal, normal), 1, tight);
    }
  }
  cr_assert_gt(counted, 200);
}

/* What the depth says parts them, and nothing less along that way: cylinders, whose rims the polytope only comes near to. */
Test(penetration, moved_by_its_depth_a_cylinder_is_free)
{
  struct dice dice = { 34 };
  for (int round = 0; round < 60; round++) {
    double c[2][3], r[2], length[2], normal[3], pa[3], pb[3];
    for (int i = 0; i < 2; i++) dice_fill(&dice, c[i], 3, -0.1, 0.1);
    dice_fill(&dice, r, 2, 0.2, 0.5), dice_fill(&dice, length, 2, 0.3, 1);
    const double across = r[0] + r[1] - hypot(c[0][0] - c[1][0], c[0][1] - c[1][1]);
    const double along = (length[0] + length[1]) / 2 - fabs(c[0][2] - c[1][2]);
    const struct convex a = cylinder_at(c[0], r[0], length[0]), b = cylinder_at(c[1], r[1], length[1]);
    struct simplex simplex;
    struct convex moved = a;
    cr_assert_not(gjk(&a, &b, pa, pb, &simplex));
    const double depth = expanding_depth(&a, &b, &simplex, normal);
    cr_assert(depth >= fmin(across, along) - tight && depth <= fmin(across, along) + 1e-5, "%.9g, %.9g and %.9g", depth,
              across, along);
    for (int k = 0; k < 3; k++) moved.center[k] += (depth + 1e-4) * normal[k];
    cr_assert(gjk(&moved, &b, pa, pb, &simplex));
    for (int k = 0; k < 3; k++) moved.center[k] = a.center[k] + (depth - 1e-4) * normal[k];
    cr_assert_not(gjk(&moved, &b, pa, pb, &simplex));
  }
}

/* The simplex that holds the origin says so by its weights. */
Test(gjk, what_overlaps_has_a_simplex_about_the_origin)
{
  struct dice dice = { 3 };
  for (int round = 0; round < 50; round++) {
    double c[2][3], pa[3], pb[3], sum = 0, at[3] = { 0 };
    const double size[3] = { 1, 0.8, 0.6 };
    for (int i = 0; i < 2; i++) dice_fill(&dice, c[i], 3, -0.25, 0.25);
    const struct pose pose = random_pose(&dice);
    const struct convex a = box_at(c[0], size), b = cylinder_at(c[1], 0.4, 0.7);
    struct convex turned[2];
    struct simplex s;
    convex_move(&pose, &a, &turned[0]), convex_move(&pose, &b, &turned[1]);
    cr_assert_not(gjk(&turned[0], &turned[1], pa, pb, &s));
    cr_assert(s.count >= 1 && s.count <= 4);
    for (size_t i = 0; i < s.count; i++) {
      cr_assert_geq(s.weight[i], 0);
      sum += s.weight[i];
      for (int k = 0; k < 3; k++) at[k] += s.weight[i] * s.vertex[i].w[k];
    }
    cr_assert_float_eq(sum, 1, tight);
    cr_assert_float_eq(sqrt(dot3(at, at)), 0, 1e-11);
  }
}
