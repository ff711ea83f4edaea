/* Splines in joint space: through their points, twice continuously differentiable, with the ends that were asked for. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/joint_path.h"

enum { COUNT = 5, JOINTS = 2 };
static const double at[COUNT] = { 0, 0.3, 0.45, 1.1, 1.6 };

/* Derivative r of a cubic, another one for every joint. */
static double cubic(size_t joint, double s, int r)
{
  const double sign = joint ? -2 : 1;
  if (r == 0) return sign * (1 + 2 * s - 3 * s * s + 0.5 * s * s * s);
  if (r == 1) return sign * (2 - 6 * s + 1.5 * s * s);
  return sign * (-6 + 3 * s);
}

Test(joint_path, a_cubic_with_its_own_slopes_comes_back)
{
  double points[COUNT * JOINTS], slopes[2 * JOINTS];
  struct armdyn_trajectory path;
  for (size_t j = 0; j < JOINTS; j++) {
    for (size_t k = 0; k < COUNT; k++) points[k * JOINTS + j] = cubic(j, at[k], 0);
    slopes[j] = cubic(j, at[0], 1), slopes[JOINTS + j] = cubic(j, at[COUNT - 1], 1);
  }
  cr_assert_eq(joint_path_spline(JOINTS, COUNT, at, points, slopes, &path), ARMDYN_OK);
  cr_expect(path.piece_count == COUNT - 1 && path.waypoint_count == COUNT && path.waypoint_times[2] == at[2]);
  for (int i = 0; i <= 160; i++) {
    double x[3][JOINTS];
    armdyn_trajectory_state(&path, 0.01 * i, x[0], x[1], x[2], NULL);
    for (size_t j = 0; j < JOINTS; j++)
      for (int r = 0; r < 3; r++)
        cr_expect_float_eq(x[r][j], cubic(j, 0.01 * i, r), 1e-11, "derivative %d of joint %zu at %g", r, j, 0.01 * i);
  }
  armdyn_trajectory_free(&path);
}

/* Through 0, 1, 0 at 0, 1, 2 the natural spline begins as 3/2 s - 1/2 s^3, and its second half is the mirror of that. */
Test(joint_path, natural_ends_do_not_bend)
{
  static const double s[] = { 0, 1, 2 }, points[] = { 0, 1, 0 };
  struct armdyn_trajectory path;
  cr_assert_eq(joint_path_spline(1, 3, s, points, NULL, &path), ARMDYN_OK);
  for (int i = 0; i <= 20; i++) {
    const double t = 0.1 * i, x = t < 1 ? t : 2 - t;
    double q, bend;
    armdyn_trajectory_state(&path, t, &q, NULL, &bend, NULL);
    cr_expect_float_eq(q, 1.5 * x - 0.5 * x * x * x, 1e-14, "at %g", t);
    cr_expect_float_eq(bend, -3 * x, 1e-13, "bend at %g", t);
  }
  armdyn_trajectory_free(&path);
}
