#include "armdyn/derivatives.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/singular.h"
#include "lib/math/linear.h"

/* Rows n .. 2n - 1 of `out` (2n x width), from column `first` on: factor M^-1 gain^-1 X, X n x n. */
static void divide(const double *factor_of_M, const double *gain, size_t n, const double *X, double factor, double *out,
                   size_t width, size_t first)
{
  for (size_t j = 0; j < n; j++) {
    double column[ARMDYN_JOINTS_MAX];
    for (size_t i = 0; i < n; i++) column[i] = factor * X[i * n + j] / gain[i];
    cholesky_solve(n, factor_of_M, column);
    for (size_t i = 0; i < n; i++) out[(n + i) * width + first + j] = column[i];
  }
}

enum armdyn_status armdyn_linearize(const struct armdyn_robot *robot, const double *q, const double *qd,
                                    const double *tau, const struct armdyn_load *load,
                                    struct armdyn_workspace *workspace, double *a, double *b)
{
  const size_t n = robot->joint_count;
  double qdd[ARMDYN_JOINTS_MAX], gain[ARMDYN_JOINTS_MAX], slope[ARMDYN_JOINTS_MAX],
      *dtau_dq = a, *dtau_dqd = a + n * n, *unit = b; /* in the upper halves, for a while */
  const enum armdyn_status rc = armdyn_forward_dynamics(robot, q, qd, tau, load, workspace, qdd);
  if (rc) return rc;
  armdyn_inverse_dynamics_derivatives(robot, q, qd, qdd, load, workspace, dtau_dq, dtau_dqd, workspace->matrix);
  for (size_t i = 0; i < n; i++) gain[i] = 1;
  if (robot->load_friction && !(load && load->frictionless)) load_gains(robot, q, qd, qdd, load, gain, slope);
  if (!mass_matrix_factor(robot, q, workspace->matrix)) return ARMDYN_ESINGULAR;
  divide(workspace->matrix, gain, n, dtau_dq, -1, a, 2 * n, 0);
  divide(workspace->matrix, gain, n, dtau_dqd, -1, a, 2 * n, n);
  memset(a, 0, 2 * n * n * sizeof *a);
  for (size_t i = 0; i < n; i++) a[i * 2 * n + n + i] = 1;

  memset(unit, 0, n * n * sizeof *unit);
  for (size_t i = 0; i < n; i++) unit[i * n + i] = 1;
  divide(workspace->matrix, gain, n, unit, 1, b, n, 0);
  memset(unit, 0, n * n * sizeof *unit);
  return ARMDYN_OK;
}
