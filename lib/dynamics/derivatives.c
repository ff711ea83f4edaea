/* The kernels are in derivatives_kernel.h; here is what is diagonal, or the same for all samples. */
#include "armdyn/derivatives.h"

#include "lib/dynamics/lanes.h"
#include "lib/dynamics/workspace.h"
#include "lib/model/friction.h"

/* Rotors and the slopes of friction; NULL: not wanted. */
static void drives_add(const struct armdyn_robot *robot, const double *q, const double *qd, bool frictionless,
                       double *dtau_dq, double *dtau_dqd, double *mass_matrix)
{
  const size_t n = robot->joint_count;
  if (mass_matrix) rotor_inertia_matrix_add(robot, mass_matrix);
  for (size_t i = 0; i < n && !frictionless; i++) {
    double by_position, by_speed;
    if (!robot->joints[i].friction) continue;
    friction_slopes(robot, i, q[i], qd[i], &by_position, &by_speed);
    if (dtau_dq) dtau_dq[i * n + i] += by_position;
    if (dtau_dqd) dtau_dqd[i * n + i] += by_speed;
  }
}

void armdyn_inverse_dynamics_derivatives(const struct armdyn_robot *robot, const double *q, const double *qd,
                                         const double *qdd, const struct armdyn_load *load,
                                         struct armdyn_workspace *workspace, double *dtau_dq, double *dtau_dqd,
                                         double *mass_matrix)
{
  const struct lanes_slopes out = { { dtau_dq, 0 }, { dtau_dqd, 0 }, { mass_matrix, 0 } };
  lanes_fastest()->derivatives(robot, q, qd, qdd, load, workspace->links, &out);
  drives_add(robot, q, qd, load && load->frictionless, dtau_dq, dtau_dqd, mass_matrix);
}

/* The results of sample k; aside where they are not wanted. */
static struct lanes_table table_at(double *data, size_t size, size_t k, double *aside)
{
  return data ? (struct lanes_table){ data + k * size, size } : (struct lanes_table){ aside, 0 };
}

void armdyn_inverse_dynamics_derivatives_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                               struct armdyn_workspace *workspace, double *dtau_dq, double *dtau_dqd,
                                               double *mass_matrix)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t size = robot->joint_count * robot->joint_count;
  double *aside = workspace->matrix;
  const bool many = samples->count >= kernels->width;
  if (many) {
    const struct lanes_slopes out = { table_at(dtau_dq, size, 0, aside), table_at(dtau_dqd, size, 0, aside),
                                      table_at(mass_matrix, size, 0, aside) };
    kernels->derivatives_batch(robot, samples, workspace->links, &out);
  }
  for (size_t k = 0; k < samples->count; k++) {
    const struct armdyn_rows *w = &samples->wrench;
    const double *q = samples->q.data + k * samples->q.stride, *qd = samples->qd.data + k * samples->qd.stride;
    if (!many) {
      const struct armdyn_load load = { w->data ? w->data + k * w->stride : NULL, samples->wrench_frame,
                                        samples->frictionless };
      const struct lanes_slopes out = { table_at(dtau_dq, size, k, aside), table_at(dtau_dqd, size, k, aside),
                                        table_at(mass_matrix, size, k, aside) };
      kernels->derivatives(robot, q, qd, samples->qdd.data + k * samples->qdd.stride, &load, workspace->links, &out);
    }
    drives_add(robot, q, qd, samples->frictionless, dtau_dq ? dtau_dq + k * size : NULL,
               dtau_dqd ? dtau_dqd + k * size : NULL, mass_matrix ? mass_matrix + k * size : NULL);
  }
}

/* What drives add to the derivatives of a weighted sum. */
static void drives_add_weighted(const struct armdyn_robot *robot, const double *q, const double *qd,
                                const double *weight, bool frictionless, double *by_q, double *by_qd, double *by_qdd)
{
  rotor_inertia_add(robot, weight, by_qdd); /* symmetric */
  for (size_t i = 0; i < robot->joint_count && !frictionless; i++) {
    double by_position, by_speed;
    if (!robot->joints[i].friction) continue;
    friction_slopes(robot, i, q[i], qd[i], &by_position, &by_speed);
    by_q[i] += weight[i] * by_position;
    by_qd[i] += weight[i] * by_speed;
  }
}

void armdyn_inverse_dynamics_adjoint_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                           const struct armdyn_rows *weights, struct armdyn_workspace *workspace,
                                           double *by_q, double *by_qd, double *by_qdd)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t n = robot->joint_count;
  const bool many = samples->count >= kernels->width;
  if (many) {
    const struct lanes_slopes out = { { by_q, n }, { by_qd, n }, { by_qdd, n } };
    kernels->adjoint_batch(robot, samples, weights, workspace->links, &out);
  }
  for (size_t k = 0; k < samples->count; k++) {
    const struct armdyn_rows *w = &samples->wrench;
    const double *q = samples->q.data + k * samples->q.stride, *qd = samples->qd.data + k * samples->qd.stride;
    const double *weight = weights->data + k * weights->stride;
    if (!many) {
      const struct armdyn_load load = { w->data ? w->data + k * w->stride : NULL, samples->wrench_frame,
                                        samples->frictionless };
      const struct lanes_slopes out = { { by_q + k * n, 0 }, { by_qd + k * n, 0 }, { by_qdd + k * n, 0 } };
      kernels->adjoint(robot, q, qd, samples->qdd.data + k * samples->qdd.stride, &load, weight, workspace->links,
                       &out);
    }
    drives_add_weighted(robot, q, qd, weight, samples->frictionless, by_q + k * n, by_qd + k * n, by_qdd + k * n);
  }
}
