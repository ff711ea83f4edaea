/* What an observer of momentum feels of an arm that nothing touches. */
#ifndef TESTS_SUPPORT_OBSERVED_H
#define TESTS_SUPPORT_OBSERVED_H

#include <criterion/criterion.h>

#include "armdyn/terms.h"
#include "tests/support/robots.h"

/* Four joints that swing for a second at 3 to 6 rad/s, as their drives make them: felt is but the error of its trapezoids. What
 * makes torques so steep that trapezoids miss them is taken out. */
static inline void expect_unfelt(struct armdyn_robot_description *d)
{
  struct armdyn_robot *robot;
  struct armdyn_observer observer;
  struct armdyn_workspace *workspace = armdyn_workspace_new(4);
  double x[12], tau[4], most = 0, scale = 0;
  for (size_t i = 0; i < 4; i++) d->joints[i].velocity_scale = 0.1, d->joints[i].friction.ripple_count = 0;
  cr_assert_eq(armdyn_robot_new(d, &robot, NULL), ARMDYN_OK);
  armdyn_observer_init(&observer, 60, false);
  for (size_t k = 0; k <= 2000; k++) {
    const double t = 5e-4 * (double)k;
    for (size_t i = 0; i < 4; i++) {
      const double w = 3 + (double)i;
      x[i] = sin(w * t), x[4 + i] = w * cos(w * t), x[8 + i] = -w * w * sin(w * t);
    }
    armdyn_inverse_dynamics(robot, x, x + 4, x + 8, NULL, workspace, tau);
    armdyn_observe(&observer, robot, t, x, x + 4, tau, NULL, workspace);
    for (size_t i = 0; i < 4; i++) most = fmax(most, fabs(observer.residual[i])), scale = fmax(scale, fabs(tau[i]));
  }
  cr_expect_lt(most, 1e-4 * scale, "%g of %g", most, scale);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

#endif
