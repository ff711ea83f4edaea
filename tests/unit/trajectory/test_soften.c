/* Dry friction that changes its sign more slowly: over a part of the largest speed of a joint in a motion. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/joint_path.h"
#include "lib/trajectory/planner.h"

enum { JOINTS = 4 };

/* Joints with dry friction, with stiction alone, with none, and with a sign that changes slowly already. */
static struct armdyn_robot *arm(void)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = JOINTS;
  for (size_t j = 0; j < JOINTS; j++) {
    armdyn_joint_init(&d.joints[j]);
    d.joints[j].drive.rotor_inertia = 1;
    d.joints[j].velocity_scale = j == 3 ? 1 : 1e-3;
    d.joints[j].friction.viscous.positive = d.joints[j].friction.viscous.negative = 2;
    if (j != 2) d.joints[j].friction.coulomb.positive = d.joints[j].friction.coulomb.negative = 5;
  }
  d.joints[1].friction.coulomb.positive = 0;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* q = w (3 s^2 - 2 s^3) over a second: the largest speed, 1.5 w, is reached half-way. */
Test(soften, scales_are_parts_of_the_largest_speeds)
{
  static const double s[] = { 0, 1 }, rest[2 * JOINTS], points[2 * JOINTS] = { 0, 0, 0, 0, 0.8, -0.4, 1, 1 };
  struct planner p = { .robot = arm() };
  struct candidate c = { 0 };
  struct armdyn_robot *soft = NULL;
  bool differs;
  cr_assert_eq(joint_path_spline(JOINTS, 2, s, points, rest, &c.trajectory), ARMDYN_OK);
  cr_assert_eq(robot_softened(&p, &c.trajectory, 0.3, &soft, &differs), ARMDYN_OK);
  cr_assert(differs && soft);
  const double want[JOINTS] = { 0.3 * 1.5 * 0.8, 0.3 * 1.5 * 0.4, 1e-3, 1 };
  for (size_t j = 0; j < JOINTS; j++) {
    const struct armdyn_joint *is = &armdyn_robot_description(soft)->joints[j];
    cr_expect_float_eq(is->velocity_scale, want[j], 1e-12, "joint %zu: %g", j, is->velocity_scale);
    cr_expect_eq(is->friction.viscous.positive, 2);
  }
  cr_expect_eq(armdyn_robot_description(p.robot)->joints[0].velocity_scale, 1e-3, "the robot itself stays");
  armdyn_robot_free(soft);

  soft = NULL;
  cr_assert_eq(robot_softened(&p, &c.trajectory, 0.3e-3, &soft, &differs), ARMDYN_OK);
  cr_expect(!differs && !soft, "its own is wider");
  armdyn_trajectory_free(&c.trajectory);
  armdyn_robot_free((struct armdyn_robot *)p.robot);
}

/* Only where a direction differs there is another model; it is the same robot, and so is what it weighs. */
Test(soften, directions_blend_where_they_differ)
{
  struct armdyn_robot *robot = arm(), *blended = NULL;
  cr_assert_eq(robot_blended(robot, &blended), ARMDYN_OK);
  cr_assert_not_null(blended, "joint 2 has Coulomb friction in one direction alone");
  for (size_t j = 0; j < JOINTS; j++)
    for (double qd = -0.5; qd < 1; qd += 1)
      cr_expect_float_eq(armdyn_friction_torque(blended, j, 0, qd), armdyn_friction_torque(robot, j, 0, qd),
                         j == 3 ? 1e-12 : 1e-9);
  cr_expect_float_eq(armdyn_friction_torque(blended, 1, 0, -1e-4), -5 * tanh(0.1) * (1 + tanh(0.1)) / 2 - 2e-4, 1e-12);
  struct armdyn_robot_description same = *armdyn_robot_description(robot);
  armdyn_robot_free(blended), armdyn_robot_free(robot);
  same.joints[1].friction.coulomb.positive = 5;
  cr_assert_eq(armdyn_robot_new(&same, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(robot_blended(robot, &blended), ARMDYN_OK);
  cr_expect_null(blended);
  armdyn_robot_free(robot);
}
