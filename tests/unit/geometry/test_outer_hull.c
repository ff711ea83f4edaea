/* Hulls of triangles by planes: those of solids whose volumes, corners and support functions are known. */
#include <criterion/criterion.h>

#include "armdyn/enclose.h"
#include "lib/math/rotation.h"
#include "lib/math/spatial.h"
#include "tests/support/robots.h"

enum { MOST = ARMDYN_CONVEX_POINTS_MAX, TRIANGLES = 2000 };

static double extent(const double *points, size_t count, const double direction[3])
{
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++) most = fmax(most, dot3(direction, points + 3 * i));
  return most;
}

/* Turned and moved, the triangles of a hull of points; answers how many. */
static size_t triangles_of(struct dice *dice, double *points, size_t count, double *triangles)
{
  double rpy[3], r[9], at[3], turned[3];
  dice_fill(dice, rpy, 3, -3, 3), dice_fill(dice, at, 3, -1, 1);
  rotation_of_rpy(rpy, r);
  for (size_t i = 0; i < count; i++) {
    rotate3(turned, r, points + 3 * i);
    for (size_t k = 0; k < 3; k++) points[3 * i + k] = turned[k] + at[k];
  }
  return armdyn_hull_triangles(points, count, triangles);
}

/* How far the hull that is found stands out of `points`, in the direction in which it does most; fails where it does not
 * reach them. */
static double farthest_out(struct dice *dice, const double *points, size_t count, const double *found, size_t used)
{
  double most = 0;
  for (int i = 0; i < 500; i++) {
    double direction[3];
    dice_fill(dice, direction, 3, -1, 1);
    const double length = sqrt(dot3(direction, direction));
    for (int k = 0; k < 3; k++) direction[k] /= length;
    const double over = extent(found, used, direction) - extent(points, count, direction);
    cr_assert_geq(over, -1e-12);
    most = fmax(most, over);
  }
  return most;
}

/* A box, a wedge, a tetrahedron and an octahedron have so few faces that the hull is found itself. */
Test(outer_hull, of_few_faces_is_the_solid_itself)
{
  static const struct {
    const char *name;
    size_t count;
    double points[8 * 3], volume;
  } solids[] = {
    { "box", 8, { 0, 0, 0, 2, 0, 0, 0, 3, 0, 2, 3, 0, 0, 0, 0.5, 2, 0, 0.5, 0, 3, 0.5, 2, 3, 0.5 }, 3 },
    { "wedge", 6, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2 }, 1 },
    { "tetrahedron", 4, { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 }, 1.0 / 6 },
    { "octahedron", 6, { 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1 }, 4.0 / 3 },
  };
  struct dice dice = { 17 };
  for (size_t s = 0; s < sizeof solids / sizeof *solids; s++) {
    double points[24], triangles[9 * 64], found[3 * MOST], volumes[2];
    size_t used;
    memcpy(points, solids[s].points, sizeof points);
    const size_t count = triangles_of(&dice, points, solids[s].count, triangles);
    cr_assert_eq(armdyn_enclose_convex(triangles, count, found, &used, volumes, NULL), ARMDYN_OK);
    cr_assert_eq(used, solids[s].count, "%s: %zu corners", solids[s].name, used);
    cr_assert_float_eq(volumes[0], solids[s].volume, 1e-6, "%s: %.12g", solids[s].name, volumes[0]);
    cr_assert_float_eq(volumes[1], solids[s].volume, 1e-12, "%s: %.12g", solids[s].name, volumes[1]);
    cr_assert_leq(farthest_out(&dice, points, solids[s].count, found, used), 1e-6, "%s", solids[s].name);
  }
}

/* Of a ball no few planes are the hull: everything of it is enclosed, and what that costs is little. */
Test(outer_hull, of_a_ball_encloses_all_of_it)
{
  static double points[3 * MOST], triangles[9 * TRIANGLES], found[3 * MOST];
  struct dice dice = { 23 };
  for (int round = 0; round < 3; round++) {
    double volumes[2];
    size_t used;
    const double radius = 0.1 + round;
    for (size_t i = 0; i < MOST; i++) {
      double *p = points + 3 * i;
      dice_fill(&dice, p, 3, -1, 1);
      const double length = sqrt(dot3(p, p));
      for (int k = 0; k < 3; k++) p[k] *= radius / length;
    }
    const size_t count = triangles_of(&dice, points, MOST, triangles);
    cr_assert_gt(count, MOST);
    cr_assert_eq(armdyn_enclose_convex(triangles, count, found, &used, volumes, NULL), ARMDYN_OK);
    cr_assert(used >= 4 && used <= MOST);
    cr_assert_geq(volumes[0], volumes[1]);
    cr_assert_leq(volumes[1], 4.0 / 3 * 3.14159265358979 * radius * radius * radius);
    cr_assert_leq(farthest_out(&dice, points, MOST, found, used), 0.3 * radius);
    cr_assert_leq(volumes[0], 1.1 * volumes[1], "%.3g of %.3g", volumes[0], volumes[1]);
  }
}

/* A face alone has no thickness: it gets one, about it. */
Test(outer_hull, a_face_gets_a_thickness)
{
  static const double face[9] = { 0, 0, 1, 1, 0, 1, 0, 1, 1 };
  double found[3 * MOST], volumes[2], up[3] = { 0, 0, 1 }, down[3] = { 0, 0, -1 };
  size_t used;
  cr_assert_eq(armdyn_enclose_convex(face, 1, found, &used, volumes, NULL), ARMDYN_OK);
  const double above = extent(found, used, up) - 1, below = extent(found, used, down) + 1;
  cr_assert(above > 0 && below > 0 && above + below < 1e-2, "%g %g", above, below);
  cr_assert_eq(volumes[1], 0);
  cr_assert_gt(volumes[0], 0);
}

Test(outer_hull, what_is_no_body_is_refused)
{
  double found[3 * MOST];
  size_t used;
  struct armdyn_error error;
  static const double far[9] = { 0, 0, 0, 1, 0, 0, 0, 10001, 0 }, wrong[9] = { 0, 0, 0, 1, 0, NAN, 0, 1, 0 };
  cr_assert_eq(armdyn_enclose_convex(far, 0, found, &used, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.message, "there is no triangle");
  cr_assert_eq(armdyn_enclose_convex(far, 1, found, &used, NULL, &error), ARMDYN_EINPUT);
  cr_assert_not_null(strstr(error.message, "triangle 0 is at 10001"), "%s", error.message);
  cr_assert_eq(armdyn_enclose_convex(wrong, 1, found, &used, NULL, &error), ARMDYN_EINPUT);
}
