/* Limits of torque hold between the knots too, on meshes so coarse that the knots alone would not see to it. */
#include <criterion/criterion.h>

#include "tests/support/optima.h"

enum { N = 6, SAMPLES = 20000 };

/* The largest torque over its limit at equal times of the motion, by inverse dynamics of its state alone. */
static double largest_usage(const struct armdyn_robot_description *d, const struct armdyn_robot *robot,
                            const struct armdyn_trajectory *motion)
{
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  double q[N], qd[N], qdd[N], tau[N], most = 0;
  for (size_t k = 0; k <= SAMPLES; k++) {
    armdyn_trajectory_state(motion, armdyn_trajectory_duration(motion) * (double)k / SAMPLES, q, qd, qdd, NULL);
    armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, workspace, tau);
    for (size_t j = 0; j < N; j++) most = fmax(most, fabs(tau[j]) / d->joints[j].limits.torque);
  }
  armdyn_workspace_free(workspace);
  return most;
}

Test(tighten, torque_limits_hold_between_the_knots_of_coarse_meshes)
{
  static const size_t intervals[] = { 8, 12, 20, 33 };
  for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
    struct optimum_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory motion;
    struct armdyn_optimal_result result;
    struct armdyn_error error;
    cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK);
    const struct armdyn_optimal_request request = optimum_request(&c, intervals[k]);
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
                 error.message);
    const double usage = largest_usage(&c.robot, robot, &motion);
    cr_expect(usage < 1 + 1e-6, "%zu intervals: %.9f of a limit", intervals[k], usage);
    cr_expect(usage > 0.99, "%zu intervals: no limit is in the way", intervals[k]);
    cr_expect(result.cost >= c.cost * (1 - 1e-6), "%zu intervals: below the optimum", intervals[k]);
    armdyn_trajectory_free(&motion);
    armdyn_robot_free(robot);
  }
}
