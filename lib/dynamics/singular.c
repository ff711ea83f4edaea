#include "armdyn/methods.h"
#include "lib/dynamics/workspace.h"
#include "lib/math/linear.h"

size_t armdyn_massless_joint(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace)
{
  const size_t n = robot->joint_count;
  armdyn_mass_matrix(robot, q, workspace, workspace->matrix);

  /* M is positive definite when all its leading minors are */
  for (size_t k = 1; k <= n; k++) {
    double leading[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
    for (size_t i = 0; i < k; i++) memcpy(leading + i * k, workspace->matrix + i * n, k * sizeof *leading);
    if (!cholesky_factor_sound(k, leading)) return k - 1;
  }
  return n;
}
