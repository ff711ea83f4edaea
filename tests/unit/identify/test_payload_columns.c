/* What a payload at the tool does to an arm of one joint: a pendulum's torque by closed form. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/armdyn.h"
#include "lib/identify/payload_columns.h"

enum { SAMPLES = 3 };

/* At r = a + tool from the axis, x along it: m is a point there, m r (r qdd + g cos q); one of m x, two points of mass 1 and -1
 * about it, 2 r qdd + g cos q; m y, across, -g sin q; Izz, qdd. What lies along the axis of the joint does nothing. */
Test(payload_columns, a_pendulum_feels_mass_first_moments_and_inertia_about_its_axis)
{
  static struct armdyn_robot_description arm;
  double q[SAMPLES] = { 0.3, -1.2, 2 }, qd[SAMPLES] = { 1, -2, 0 }, qdd[SAMPLES] = { 0.5, 3, -4 };
  double out[SAMPLES * PAYLOAD_TEN], zero[SAMPLES] = { 0 };
  const double a = 0.4, tool = 0.15, g = 9.81, r = a + tool;
  const struct armdyn_motion motion = {
    .count = SAMPLES, .rate = 100, .q = q, .qd = qd, .qdd = qdd, .tau = zero, .tau_raw = zero
  };
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error;
  struct payload_columns columns;
  armdyn_robot_description_init(&arm);
  arm.joint_count = 1;
  arm.joints[0].a = a;
  arm.tool.translation[0] = tool;
  memcpy(arm.gravity, (double[3]){ 0, -g, 0 }, sizeof arm.gravity);
  cr_assert_eq(armdyn_robot_new(&arm, &robot, &error), ARMDYN_OK);
  cr_assert(payload_columns_open(&columns, robot));
  payload_columns_fill(&columns, &motion, 1, SAMPLES - 1, out); /* all but the first */
  for (int k = 1; k < SAMPLES; k++) {
    const double c = g * cos(q[k]), s = g * sin(q[k]);
    const double wanted[PAYLOAD_TEN] = { r * (r * qdd[k] + c), 2 * r * qdd[k] + c, -s, [9] = qdd[k] };
    for (int p = 0; p < PAYLOAD_TEN; p++)
      cr_expect_float_eq(out[(k - 1) * PAYLOAD_TEN + p], wanted[p], 1e-12, "sample %d, parameter %d: %g, not %g", k, p,
                         out[(k - 1) * PAYLOAD_TEN + p], wanted[p]);
  }
  payload_columns_close(&columns);
  armdyn_robot_free(robot);
}
