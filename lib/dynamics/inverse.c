#include "lib/dynamics/lanes.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/rnea.h"
#include "lib/dynamics/scara.h"
#include "lib/model/friction.h"
#include "lib/model/gears.h"
#include "lib/model/motor.h"

/* tau += sign G' f(G q, G qd) */
static void friction_of_gears_add(const struct armdyn_robot *robot, const double *q, const double *qd, double sign,
                                  double *tau)
{
  double p[ARMDYN_JOINTS_MAX], v[ARMDYN_JOINTS_MAX], t[ARMDYN_JOINTS_MAX];
  gear_motion(robot, q, p);
  gear_motion(robot, qd, v);
  for (size_t i = 0; i < robot->joint_count; i++) t[i] = sign * armdyn_friction_torque(robot, i, p[i], v[i]);
  gear_torques_add(robot, t, tau);
}

void friction_add(const struct armdyn_robot *robot, const double *q, const double *qd, const struct armdyn_load *load,
                  double *tau)
{
  if (load && load->frictionless) return;
  if (robot->friction_at_motors) {
    friction_of_gears_add(robot, q, qd, 1, tau);
    return;
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    if (!robot->joints[i].friction) continue;
    if (robot->load_friction) tau[i] += armdyn_friction_of_load(robot, i, qd[i], tau[i]);
    tau[i] += armdyn_friction_torque(robot, i, q[i], qd[i]);
  }
}

void friction_take_off(const struct armdyn_robot *robot, const double *q, const double *qd,
                       const struct armdyn_load *load, double *tau)
{
  double by_speed;
  if (load && load->frictionless) return;
  if (robot->friction_at_motors) {
    friction_of_gears_add(robot, q, qd, -1, tau);
    return;
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    if (!robot->joints[i].friction) continue;
    tau[i] -= armdyn_friction_torque(robot, i, q[i], qd[i]);
    if (robot->load_friction) tau[i] = load_transmitted(tau[i], load_share(robot, i, qd[i], &by_speed));
  }
}

void armdyn_inverse_dynamics(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                             const struct armdyn_load *load, struct armdyn_workspace *workspace, double *tau)
{
  (void)workspace;
  lanes_fastest()->inverse(robot, q, qd, qdd, load, tau);
  rotor_inertia_add(robot, qdd, tau);
  friction_add(robot, q, qd, load, tau);
}

enum armdyn_status armdyn_inverse_dynamics_by(const struct armdyn_robot *robot, enum armdyn_inverse_method method,
                                              const double *q, const double *qd, const double *qdd,
                                              const struct armdyn_load *load, struct armdyn_workspace *workspace,
                                              double *tau, struct armdyn_error *error)
{
  struct scara arm;
  if (method == ARMDYN_INVERSE_NEWTON_EULER) {
    armdyn_inverse_dynamics(robot, q, qd, qdd, load, workspace, tau);
    return ARMDYN_OK;
  }
  if (method == ARMDYN_INVERSE_CLOSED_FORM) {
    const enum armdyn_status rc = scara_compile(robot, &arm, error);
    if (rc) return rc;
    scara_torques(robot, &arm, q, qd, qdd, load, tau);
  } else {
    pose_joints(robot, q, workspace->pose);
    lagrange_torques(robot, qd, qdd, load, workspace->pose, tau);
  }
  rotor_inertia_add(robot, qdd, tau);
  friction_add(robot, q, qd, load, tau);
  return ARMDYN_OK;
}

void armdyn_inverse_dynamics_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                   struct armdyn_workspace *workspace, double *tau)
{
  const struct lanes_kernels *kernels = lanes_fastest();
  if (samples->count >= kernels->width) {
    kernels->inverse_batch(robot, samples, tau);
    return;
  }
  for (size_t k = 0; k < samples->count; k++) {
    const struct armdyn_rows *w = &samples->wrench;
    const struct armdyn_load load = { w->data ? w->data + k * w->stride : NULL, samples->wrench_frame,
                                      samples->frictionless };
    armdyn_inverse_dynamics(robot, samples->q.data + k * samples->q.stride, samples->qd.data + k * samples->qd.stride,
                            samples->qdd.data + k * samples->qdd.stride, &load, workspace,
                            tau + k * robot->joint_count);
  }
}

/* friction += what of tau is friction of the load */
static void load_part_add(const struct armdyn_robot *robot, const double *q, const double *qd,
                          const struct armdyn_load *load, const double *tau, double *friction)
{
  double transmitted[ARMDYN_JOINTS_MAX];
  memcpy(transmitted, tau, robot->joint_count * sizeof *tau);
  friction_take_off(robot, q, qd, load, transmitted);
  for (size_t i = 0; i < robot->joint_count && !(load && load->frictionless); i++)
    friction[i] += armdyn_friction_of_load(robot, i, qd[i], transmitted[i]);
}

void armdyn_inverse_dynamics_parts(const struct armdyn_robot *robot, const double *q, const double *qd,
                                   const double *qdd, const struct armdyn_load *load,
                                   struct armdyn_workspace *workspace, double *tau,
                                   const struct armdyn_torque_parts *parts)
{
  const size_t n = robot->joint_count;
  const double *zero = workspace->zero;
  double memory[6];
  armdyn_inverse_dynamics(robot, q, qd, qdd, load, workspace, tau);
  pose_joints(robot, q, workspace->pose);
  const double *wrench = load_on_last_link(robot, load, workspace->pose, memory);
  if (parts->inertial) {
    rnea_torques(robot, &(struct rnea_input){ zero, qdd, false, NULL }, workspace, parts->inertial);
    rotor_inertia_add(robot, qdd, parts->inertial);
  }
  if (parts->coriolis) rnea_torques(robot, &(struct rnea_input){ qd, zero, false, NULL }, workspace, parts->coriolis);
  if (parts->gravity) rnea_torques(robot, &(struct rnea_input){ zero, zero, true, NULL }, workspace, parts->gravity);
  if (parts->friction) {
    memset(parts->friction, 0, n * sizeof *parts->friction);
    friction_add(robot, q, qd, load, parts->friction);
    if (robot->load_friction) load_part_add(robot, q, qd, load, tau, parts->friction);
  }
  if (parts->external) {
    memset(parts->external, 0, n * sizeof *parts->external);
    if (wrench) rnea_wrench_torques(robot, wrench, workspace, parts->external);
  }
  if (parts->motor) motor_torques(robot, tau, parts->motor);
}
