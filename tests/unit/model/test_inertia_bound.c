/* What a joint's inertia is held against, where the mass matrix may be singular. */
#include <criterion/criterion.h>

#include "lib/model/compiled.h"
#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX, ARMS = 200, POSITIONS = 5 };

/* No position has more inertia than the bound, and arms reach a good part of it. */
Test(inertia_bound, is_kept_by_the_mass_matrix)
{
  static struct armdyn_robot_description description;
  static double M[N * N];
  struct dice dice = { 27 };
  double most = 0;
  for (size_t k = 0; k < ARMS; k++) {
    struct armdyn_robot *robot;
    struct armdyn_error error;
    random_description(&dice, &description, 1 + k % N, (enum armdyn_convention)(k % 3));
    const size_t n = description.joint_count;
    cr_assert_eq(armdyn_robot_new(&description, &robot, &error), ARMDYN_OK, "%s", error.message);
    struct armdyn_workspace *workspace = armdyn_workspace_new(n);
    for (int position = 0; position < POSITIONS; position++) {
      double q[N], slid = 0;
      dice_fill(&dice, q, n, -3, 3);
      armdyn_mass_matrix(robot, q, workspace, M);
      for (size_t i = n; i-- > 0;) {
        const bool slides = description.joints[i].type == ARMDYN_PRISMATIC;
        const double inertia = M[i * (n + 1)], bound = robot->bounds[i].still + robot->bounds[i].slid * slid;
        cr_assert_leq(inertia, bound * (1 + 1e-12), "%zu joints, joint %zu", n, i + 1);
        if (slides)
          slid += q[i] * q[i];
        else
          most = fmax(most, inertia / bound);
      }
    }
    armdyn_workspace_free(workspace);
    armdyn_robot_free(robot);
  }
  cr_assert_gt(most, 0.5);
}
