/* Bounds of derivatives over a box: a pendulum's and a two-link arm's in closed form, and those of arms at points by chance, by
 * differences of what zone_centre_at does not use. */
#include "lib/control/zone_bounds.h"

#include "tests/unit/control/loops.h"

static const double GRAVITY = 9.81;
/* Two rods in a vertical plane, as far as their bounds go. */
static const double A1 = 0.4, M1 = 5, C1 = 0.18, I1 = 0.08, M2 = 3, C2 = 0.14, I2 = 0.03;

static struct armdyn_robot *two_links(void)
{
  static struct armdyn_robot_description d;
  const double lengths[] = { A1, 0.3 }, masses[] = { M1, M2 }, arms[] = { C1, C2 }, inertias[] = { I1, I2 };
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.convention = ARMDYN_DH;
  d.gravity[0] = d.gravity[2] = 0, d.gravity[1] = -GRAVITY;
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    d.joints[j].a = lengths[j];
    d.joints[j].link.mass = masses[j];
    d.joints[j].link.com[0] = arms[j] - lengths[j];
    d.joints[j].link.inertia.zz = inertias[j], d.joints[j].link.inertia.yy = inertias[j];
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* d2g1/dq1^2 is at most (m1 c1 + m2 a1) g + m2 c2 g where both hang together, all with joint 2 m2 c2 g; M_11 has
 * 2 m2 a1 c2 cos q2 and M_12 half of it, M_22 none. Bounds of inertia may be larger: |dp/dq1| of link 2 is not orthogonal to
 * its slope. */
Test(zone_bounds, of_two_links_are_their_amplitudes)
{
  struct armdyn_robot *robot = two_links();
  const double low[] = { -3, -3 }, high[] = { 3, 3 }, beyond = M2 * C2 * GRAVITY;
  struct zone_bounds bounds;
  cr_assert_eq(zone_bounds_new(robot, low, high, &bounds), ARMDYN_OK);
  for (size_t i = 0; i < 2; i++)
    for (size_t jk = 0; jk < 4; jk++) {
      const bool both = i || jk / 2 || jk % 2;
      const double wanted = both ? beyond : (M1 * C1 + M2 * A1) * GRAVITY + beyond;
      cr_assert_float_eq(bounds.gravity[4 * i + jk], wanted, 1e-9, "g_%zu by %zu: %.12g", i + 1, jk,
                         bounds.gravity[4 * i + jk]);
    }
  const double true_11 = 2 * M2 * A1 * C2, *by_22 = bounds.inertia + 3;
  cr_assert(by_22[0] >= true_11 && by_22[0] < 8 * true_11, "M_11: %g of %g", by_22[0], true_11);
  cr_assert(by_22[4] >= true_11 / 2 && by_22[4] < 16 * true_11, "M_12: %g of %g", by_22[4], true_11 / 2);
  cr_assert_eq(by_22[12], 0, "M_22 does not see joint 2");
  for (size_t ij = 0; ij < 4; ij++)
    for (size_t kl = 0; kl < 3; kl++) cr_assert_eq(bounds.inertia[4 * ij + kl], 0, "no inertia sees joint 1");
  zone_bounds_free(&bounds);
  armdyn_robot_free(robot);
}

/* The centre's slope of M_11 is -2 m2 a1 c2 sin q2, and the remainder adds half its bound by the square of the width. */
Test(zone_bounds, within_a_box_are_slope_and_remainder)
{
  struct armdyn_robot *robot = two_links();
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  const double low[] = { -1, -1 }, high[] = { 1, 1 }, q[] = { 0.3, 0.8 }, half[] = { 0.05, 0.02 };
  struct zone_bounds bounds;
  struct zone_centre centre;
  double gravity[2], inertia[4];
  cr_assert_eq(zone_bounds_new(robot, low, high, &bounds), ARMDYN_OK);
  cr_assert_eq(zone_centre_new(2, &centre), ARMDYN_OK);
  zone_centre_at(robot, q, workspace, &centre);
  const double second = M2 * C2 * GRAVITY, slope = -2 * M2 * A1 * C2 * sin(q[1]);
  cr_assert_float_eq(centre.gravity[1], second * cos(q[0] + q[1]), 1e-12);
  cr_assert_float_eq(centre.stiffness[3], -second * sin(q[0] + q[1]), 1e-12);
  cr_assert_float_eq(centre.slope[1], slope, 1e-12);
  cr_assert_float_eq(centre.slope[3], slope / 2, 1e-12, "of M_12");
  zone_bounds_within(&bounds, &centre, half, gravity, inertia);
  cr_assert_float_eq(gravity[1], second * pow(half[0] + half[1], 2) / 2, 2e-9);
  cr_assert_float_eq(inertia[0], fabs(slope) * half[1] + bounds.inertia[3] * half[1] * half[1] / 2, 2e-9);
  cr_assert_float_eq(inertia[1], inertia[2], 0);
  cr_assert_eq(inertia[3], 0);
  free(centre.gravity);
  zone_bounds_free(&bounds);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* No second difference of gravity torque or mass matrix within the box is beyond its bound, slides and all. */
static void differ(const char *file, struct dice *dice)
{
  static struct scene scene;
  double low[N], high[N], q[N], M[4][N * N], g[4][N];
  const double step = 1e-3;
  struct zone_bounds bounds;
  an_arm(&scene, file);
  scene_open(&scene, ARMDYN_LAW_PID, 3, 100);
  const size_t n = scene.n;
  for (size_t j = 0; j < n; j++) low[j] = -0.7, high[j] = 0.9;
  cr_assert_eq(zone_bounds_new(scene.model, low, high, &bounds), ARMDYN_OK);
  for (int round = 0; round < 60; round++) {
    const size_t k = (size_t)dice_uniform(dice, 0, (double)n), l = (size_t)dice_uniform(dice, 0, (double)n);
    for (size_t j = 0; j < n; j++) q[j] = dice_uniform(dice, low[j] + 2 * step, high[j] - 2 * step);
    for (int corner = 0; corner < 4; corner++) {
      double at[N];
      memcpy(at, q, sizeof at);
      at[k] += corner & 1 ? step : -step, at[l] += corner & 2 ? step : -step;
      armdyn_gravity_torque(scene.model, at, scene.workspace, g[corner]);
      armdyn_mass_matrix(scene.model, at, scene.workspace, M[corner]);
    }
    for (size_t i = 0; i < n; i++) {
      const double curve = fabs(g[3][i] - g[2][i] - g[1][i] + g[0][i]) / (4 * step * step);
      cr_assert_leq(curve, bounds.gravity[(i * n + k) * n + l] * (1 + 1e-6) + 1e-6, "%s: g_%zu by %zu, %zu", file,
                    i + 1, k + 1, l + 1);
      for (size_t j = i; j < n; j++) {
        const size_t e = i * n + j;
        const double bend = fabs(M[3][e] - M[2][e] - M[1][e] + M[0][e]) / (4 * step * step);
        cr_assert_leq(bend, bounds.inertia[(e * n + k) * n + l] * (1 + 1e-6) + 1e-6, "%s: M_%zu,%zu by %zu, %zu", file,
                      i + 1, j + 1, k + 1, l + 1);
      }
    }
  }
  zone_bounds_free(&bounds);
  scene_close(&scene);
}

Test(zone_bounds, no_difference_is_beyond_them)
{
  static const char *const files[] = { "scara", "puma560", "ur10" };
  struct dice dice = { 21 };
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) differ(files[f], &dice);
}

/* A slide of the scara lifts against gravity, its turning axes are level: nothing of gravity changes, whatever turns. */
Test(zone_bounds, level_joints_feel_no_gravity)
{
  static struct scene scene;
  const double low[N] = { -2, -2, 0, -2 }, high[N] = { 2, 2, 0.2, 2 };
  struct zone_bounds bounds;
  an_arm(&scene, "scara");
  scene_open(&scene, ARMDYN_LAW_PID, 3, 100);
  cr_assert_eq(zone_bounds_new(scene.model, low, high, &bounds), ARMDYN_OK);
  for (size_t k = 0; k < 64; k++) cr_assert_eq(bounds.gravity[k], 0);
  zone_bounds_free(&bounds);
  scene_close(&scene);
}
