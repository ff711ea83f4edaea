#include "lib/dynamics/roads.h"
#include "lib/math/linear.h"

enum armdyn_status forward_by_mass_matrix(const struct armdyn_robot *robot, const double *q, const double *qd,
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

enum armdyn_status armdyn_forward_dynamics_by(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                                              const double *q, const double *qd, const double *tau,
                                              const struct armdyn_load *load, struct armdyn_workspace *workspace,
                                              double *qdd)
{
  static enum armdyn_status (*const roads[])(const struct armdyn_robot *, const double *, const double *,
                                             const double *, const struct armdyn_load *, struct armdyn_workspace *,
                                             double *) = {
    [ARMDYN_FORWARD_ABA] = forward_by_articulated_bodies,
    [ARMDYN_FORWARD_CRBA] = forward_by_mass_matrix,
    [ARMDYN_FORWARD_GAUSS] = forward_by_least_constraint,
  };
  return roads[method](robot, q, qd, tau, load, workspace, qdd);
}

enum armdyn_status armdyn_forward_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd,
                                           const double *tau, const struct armdyn_load *load,
                                           struct armdyn_workspace *workspace, double *qdd)
{
  return forward_by_articulated_bodies(robot, q, qd, tau, load, workspace, qdd);
}
