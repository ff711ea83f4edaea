#include "lib/dynamics/workspace.h"
#include "lib/math/linear.h"

enum armdyn_status armdyn_forward_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd,
                                           const double *tau, const struct armdyn_load *load,
                                           struct armdyn_workspace *workspace, double *qdd)
{
  const size_t n = robot->joint_count;
  armdyn_mass_matrix(robot, q, workspace, workspace->matrix);
  if (!cholesky_factor(n, workspace->matrix)) return ARMDYN_ESINGULAR;

  /* M qdd = tau - (C qd + g + F - J' w) */
  armdyn_inverse_dynamics(robot, q, qd, workspace->zero, load, workspace, workspace->vector);
  for (size_t i = 0; i < n; i++) workspace->vector[i] = tau[i] - workspace->vector[i];
  cholesky_solve(n, workspace->matrix, workspace->vector);
  memcpy(qdd, workspace->vector, n * sizeof *qdd);
  return ARMDYN_OK;
}
