#include <math.h>

#include "lib/dynamics/lanes.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/singular.h"
#include "lib/math/linear.h"

enum armdyn_status forward_by_mass_matrix(const struct armdyn_robot *robot, const double *q, const double *qd,
                                          const double *tau, const struct armdyn_load *load,
                                          struct armdyn_workspace *workspace, double *qdd)
{
  const size_t n = robot->joint_count;
  armdyn_mass_matrix(robot, q, workspace, workspace->matrix);
  if (!mass_matrix_factor(robot, q, workspace->matrix)) return ARMDYN_ESINGULAR;

  /* M qdd = what the drives transmit - (C qd + g - J' w) */
  const struct armdyn_load bare = { load ? load->wrench : NULL, load ? load->wrench_frame : ARMDYN_WRENCH_TOOL, true };
  double transmitted[ARMDYN_JOINTS_MAX];
  memcpy(transmitted, tau, n * sizeof *tau);
  friction_take_off(robot, q, qd, load, transmitted);
  armdyn_inverse_dynamics(robot, q, qd, workspace->zero, &bare, workspace, workspace->vector);
  for (size_t i = 0; i < n; i++) workspace->vector[i] = transmitted[i] - workspace->vector[i];
  cholesky_solve(n, workspace->matrix, workspace->vector);
  memcpy(qdd, workspace->vector, n * sizeof *qdd);
  return ARMDYN_OK;
}

enum armdyn_status armdyn_forward_dynamics_by(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                                              const double *q, const double *qd, const double *tau,
                                              const struct armdyn_load *load, struct armdyn_workspace *workspace,
                                              double *qdd)
{
  static enum armdyn_status (*const methods[])(const struct armdyn_robot *, const double *, const double *,
                                               const double *, const struct armdyn_load *, struct armdyn_workspace *,
                                               double *) = {
    [ARMDYN_FORWARD_ABA] = forward_by_articulated_bodies,
    [ARMDYN_FORWARD_CRBA] = forward_by_mass_matrix,
    [ARMDYN_FORWARD_GAUSS] = forward_by_least_constraint,
  };
  return methods[method](robot, q, qd, tau, load, workspace, qdd);
}

enum armdyn_status armdyn_forward_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd,
                                           const double *tau, const struct armdyn_load *load,
                                           struct armdyn_workspace *workspace, double *qdd)
{
  return forward_by_articulated_bodies(robot, q, qd, tau, load, workspace, qdd);
}

enum armdyn_status armdyn_forward_dynamics_batch_by(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                                                    const struct armdyn_samples *samples,
                                                    struct armdyn_workspace *workspace, double *qdd)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t n = robot->joint_count;
  enum armdyn_status rc = ARMDYN_OK;
  if (!robot->coupled && samples->count >= kernels->width && method != ARMDYN_FORWARD_CRBA) {
    const bool by_gauss = method == ARMDYN_FORWARD_GAUSS;
    return kernels->forward_batch(robot, samples, by_gauss, qdd) ? ARMDYN_OK : ARMDYN_ESINGULAR;
  }
  for (size_t k = 0; k < samples->count; k++) {
    const struct armdyn_rows *w = &samples->wrench;
    const struct armdyn_load load = { w->data ? w->data + k * w->stride : NULL, samples->wrench_frame,
                                      samples->frictionless };
    double *row = qdd + k * n;
    if (armdyn_forward_dynamics_by(robot, method, samples->q.data + k * samples->q.stride,
                                   samples->qd.data + k * samples->qd.stride,
                                   samples->tau.data + k * samples->tau.stride, &load, workspace, row)) {
      for (size_t i = 0; i < n; i++) row[i] = NAN;
      rc = ARMDYN_ESINGULAR;
    }
  }
  return rc;
}

enum armdyn_status armdyn_forward_dynamics_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                                 struct armdyn_workspace *workspace, double *qdd)
{
  return armdyn_forward_dynamics_batch_by(robot, ARMDYN_FORWARD_ABA, samples, workspace, qdd);
}
