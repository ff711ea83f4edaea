#include "armdyn/terms.h"

#include "lib/dynamics/methods.h"
#include "lib/dynamics/rnea.h"

void armdyn_coriolis_torque(const struct armdyn_robot *robot, const double *q, const double *qd,
                            struct armdyn_workspace *workspace, double *tau)
{
  pose_joints(robot, q, workspace->pose);
  rnea_torques(robot, &(struct rnea_input){ qd, workspace->zero, false, NULL }, workspace, tau);
}

void armdyn_gravity_torque(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                           double *tau)
{
  pose_joints(robot, q, workspace->pose);
  rnea_torques(robot, &(struct rnea_input){ workspace->zero, workspace->zero, true, NULL }, workspace, tau);
}

void armdyn_gravity_torque_batch(const struct armdyn_robot *robot, const struct armdyn_samples *samples,
                                 struct armdyn_workspace *workspace, double *tau)
{
  const struct armdyn_rows still = { workspace->zero, 0 };
  const struct armdyn_samples at_rest = {
    .count = samples->count, .q = samples->q, .qd = still, .qdd = still, .frictionless = true
  };
  armdyn_inverse_dynamics_batch(robot, &at_rest, workspace, tau);
}

void armdyn_friction_torques(const struct armdyn_robot *robot, const double *q, const double *qd, double *tau)
{
  memset(tau, 0, robot->joint_count * sizeof *tau);
  friction_add(robot, q, qd, NULL, tau);
}

void armdyn_transmitted_torques(const struct armdyn_robot *robot, const double *q, const double *qd, const double *tau,
                                double *transmitted)
{
  memmove(transmitted, tau, robot->joint_count * sizeof *tau);
  friction_take_off(robot, q, qd, NULL, transmitted);
}

/* A wrench at the canonical frame, seen from a frame at `at` in it: r'(moment - p x force), r' force. */
static void wrench_seen_from(const struct pose *at, const double *wrench, double *restrict out)
{
  double moment[3];
  cross3(moment, at->p, wrench + 3);
  for (int k = 0; k < 3; k++) moment[k] = wrench[k] - moment[k];
  unrotate3(out, at->r, moment);
  unrotate3(out + 3, at->r, wrench + 3);
}

/* What a recursion left in the workspace. */
static void wrenches_in_link_frames(const struct armdyn_robot *robot, const struct armdyn_workspace *workspace,
                                    double *joint_wrenches)
{
  for (size_t i = 0; i < robot->joint_count; i++)
    wrench_seen_from(&robot->joints[i].frame, workspace->force + 6 * i, joint_wrenches + 6 * i);
}

void armdyn_statics(const struct armdyn_robot *robot, const double *q, const double *wrench,
                    enum armdyn_wrench_frame frame, struct armdyn_workspace *workspace, double *tau,
                    double *joint_wrenches)
{
  const double *zero = workspace->zero;
  const struct armdyn_load load = { .wrench = wrench, .wrench_frame = frame };
  double memory[6];
  pose_joints(robot, q, workspace->pose);
  const double *on_last = load_on_last_link(robot, &load, workspace->pose, memory);
  rnea_torques(robot, &(struct rnea_input){ zero, zero, true, on_last }, workspace, tau);
  if (joint_wrenches) wrenches_in_link_frames(robot, workspace, joint_wrenches);
}

void armdyn_joint_wrenches(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                           const struct armdyn_load *load, struct armdyn_workspace *workspace, double *joint_wrenches)
{
  double memory[6], tau[ARMDYN_JOINTS_MAX];
  pose_joints(robot, q, workspace->pose);
  const double *on_last = load_on_last_link(robot, load, workspace->pose, memory);
  rnea_torques(robot, &(struct rnea_input){ qd, qdd, true, on_last }, workspace, tau);
  wrenches_in_link_frames(robot, workspace, joint_wrenches);
}
