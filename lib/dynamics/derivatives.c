/* The kernels are in derivatives_kernel.h; here is what is diagonal, or the same for all samples. */
#include "armdyn/derivatives.h"

#include <math.h>

#include "lib/dynamics/lanes.h"
#include "lib/dynamics/methods.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"

void load_gains(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                const struct armdyn_load *load, double *gain, double *slope)
{
  const struct armdyn_load bare = { load ? load->wrench : NULL, load ? load->wrench_frame : ARMDYN_WRENCH_TOOL, true };
  double transmitted[ARMDYN_JOINTS_MAX];
  armdyn_inverse_dynamics(robot, q, qd, qdd, &bare, NULL, transmitted);
  for (size_t i = 0; i < robot->joint_count; i++) {
    double by_speed;
    const double share = load_share(robot, i, qd[i], &by_speed);
    gain[i] = transmitted[i] < 0 ? 1 - share : 1 + share;
    slope[i] = by_speed * fabs(transmitted[i]);
  }
}

static void rows_scale(size_t n, const double *factor, double *matrix)
{
  for (size_t k = 0; k < n * n && matrix; k++) matrix[k] *= factor[k / n];
}

/* One sample of the derivatives. */
struct sample {
  const double *q, *qd, *qdd;
  struct armdyn_load load;
};
static struct sample sample_at(const struct armdyn_samples *samples, size_t k)
{
  const struct armdyn_rows *w = &samples->wrench;
  return (struct sample){ samples->q.data + k * samples->q.stride,
                          samples->qd.data + k * samples->qd.stride,
                          samples->qdd.data + k * samples->qdd.stride,
                          { w->data ? w->data + k * w->stride : NULL, samples->wrench_frame, samples->frictionless } };
}

/* Slopes of f(p, v) at p = G q, v = G qd. */
static void gear_friction_slopes(const struct armdyn_robot *robot, const struct sample *x, double *by_position,
                                 double *by_speed)
{
  double p[ARMDYN_JOINTS_MAX], v[ARMDYN_JOINTS_MAX];
  gear_motion(robot, x->q, p);
  gear_motion(robot, x->qd, v);
  for (size_t i = 0; i < robot->joint_count; i++) friction_slopes(robot, i, p[i], v[i], &by_position[i], &by_speed[i]);
}

static void gears_add(const struct armdyn_robot *robot, const struct sample *x, double *dtau_dq, double *dtau_dqd)
{
  double by_position[ARMDYN_JOINTS_MAX], by_speed[ARMDYN_JOINTS_MAX];
  if (x->load.frictionless) return;
  gear_friction_slopes(robot, x, by_position, by_speed);
  if (dtau_dq) gear_slopes_add(robot, by_position, dtau_dq);
  if (dtau_dqd) gear_slopes_add(robot, by_speed, dtau_dqd);
}

/* Rotors and the slopes of friction; NULL: not wanted. */
static void drives_add(const struct armdyn_robot *robot, const struct sample *x, double *dtau_dq, double *dtau_dqd,
                       double *mass_matrix)
{
  const size_t n = robot->joint_count;
  const double *q = x->q, *qd = x->qd;
  const bool frictionless = x->load.frictionless;
  if (mass_matrix) rotor_inertia_matrix_add(robot, mass_matrix);
  if (robot->friction_at_motors) {
    gears_add(robot, x, dtau_dq, dtau_dqd);
    return;
  }
  if (robot->load_friction && !frictionless) {
    double gain[ARMDYN_JOINTS_MAX], slope[ARMDYN_JOINTS_MAX];
    load_gains(robot, q, qd, x->qdd, &x->load, gain, slope);
    rows_scale(n, gain, dtau_dq);
    rows_scale(n, gain, dtau_dqd);
    for (size_t i = 0; i < n && dtau_dqd; i++) dtau_dqd[i * n + i] += slope[i];
  }
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
  const struct sample x = { q, qd, qdd, load ? *load : (struct armdyn_load){ 0 } };
  drives_add(robot, &x, dtau_dq, dtau_dqd, mass_matrix);
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
    const struct sample x = sample_at(samples, k);
    if (!many) {
      const struct lanes_slopes out = { table_at(dtau_dq, size, k, aside), table_at(dtau_dqd, size, k, aside),
                                        table_at(mass_matrix, size, k, aside) };
      kernels->derivatives(robot, x.q, x.qd, x.qdd, &x.load, workspace->links, &out);
    }
    drives_add(robot, &x, dtau_dq ? dtau_dq + k * size : NULL, dtau_dqd ? dtau_dqd + k * size : NULL,
               mass_matrix ? mass_matrix + k * size : NULL);
  }
}

/* G' diag(slopes) G weight: the matrices are symmetric. */
static void gears_add_weighted(const struct armdyn_robot *robot, const struct sample *x, const double *weight,
                               double *by_q, double *by_qd)
{
  double by_position[ARMDYN_JOINTS_MAX], by_speed[ARMDYN_JOINTS_MAX], turned[ARMDYN_JOINTS_MAX];
  if (x->load.frictionless) return;
  gear_friction_slopes(robot, x, by_position, by_speed);
  gear_motion(robot, weight, turned);
  for (size_t i = 0; i < robot->joint_count; i++) by_position[i] *= turned[i], by_speed[i] *= turned[i];
  gear_torques_add(robot, by_position, by_q);
  gear_torques_add(robot, by_speed, by_qd);
}

/* What drives add to the derivatives of a weighted sum.
 *   weight  in  n, of the torques
 *   inner   in  n, of what is transmitted */
static void drives_add_weighted(const struct armdyn_robot *robot, const struct sample *x, const double *weight,
                                const double *inner, double *by_q, double *by_qd, double *by_qdd)
{
  rotor_inertia_add(robot, inner, by_qdd); /* symmetric */
  if (robot->friction_at_motors) {
    gears_add_weighted(robot, x, weight, by_q, by_qd);
    return;
  }
  for (size_t i = 0; i < robot->joint_count && !x->load.frictionless; i++) {
    double by_position, by_speed;
    if (!robot->joints[i].friction) continue;
    friction_slopes(robot, i, x->q[i], x->qd[i], &by_position, &by_speed);
    by_q[i] += weight[i] * by_position;
    by_qd[i] += weight[i] * by_speed;
  }
}

/* Weights of what joints transmit; by_qd += what the load's friction has of the speed. */
static void weigh_loads(const struct armdyn_robot *robot, const struct sample *x, const double *weight, double *inner,
                        double *slope)
{
  memset(slope, 0, robot->joint_count * sizeof *slope);
  memcpy(inner, weight, robot->joint_count * sizeof *inner);
  if (!robot->load_friction || x->load.frictionless) return;
  load_gains(robot, x->q, x->qd, x->qdd, &x->load, inner, slope);
  for (size_t i = 0; i < robot->joint_count; i++) inner[i] *= weight[i], slope[i] *= weight[i];
}

void armdyn_inverse_dynamics_adjoint_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                           const struct armdyn_rows *weights, struct armdyn_workspace *workspace,
                                           double *by_q, double *by_qd, double *by_qdd)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  const size_t n = robot->joint_count;
  const bool loaded = robot->load_friction && !samples->frictionless; /* every sample has weights of its own */
  const bool many = samples->count >= kernels->width && !loaded;
  if (many) {
    const struct lanes_slopes out = { { by_q, n }, { by_qd, n }, { by_qdd, n } };
    kernels->adjoint_batch(robot, samples, weights, workspace->links, &out);
  }
  for (size_t k = 0; k < samples->count; k++) {
    const struct sample x = sample_at(samples, k);
    const double *weight = weights->data + k * weights->stride;
    double inner[ARMDYN_JOINTS_MAX], slope[ARMDYN_JOINTS_MAX];
    weigh_loads(robot, &x, weight, inner, slope);
    if (!many) {
      const struct lanes_slopes out = { { by_q + k * n, 0 }, { by_qd + k * n, 0 }, { by_qdd + k * n, 0 } };
      kernels->adjoint(robot, x.q, x.qd, x.qdd, &x.load, inner, workspace->links, &out);
    }
    drives_add_weighted(robot, &x, weight, inner, by_q + k * n, by_qd + k * n, by_qdd + k * n);
    for (size_t i = 0; i < n && loaded; i++) by_qd[k * n + i] += slope[i];
  }
}
