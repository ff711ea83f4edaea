/* Recursive Newton-Euler: velocities and accelerations outward, forces inward. */
#include "lib/dynamics/rnea.h"

#include "lib/dynamics/motion.h"

/* Forces on the links to joint torques; the forces are summed up inward in place. */
static void torques_inward(const struct armdyn_robot *robot, const struct pose *pose, double *force, double *tau)
{
  for (size_t i = robot->joint_count; i-- > 0;) {
    tau[i] = force[6 * i + (robot->joints[i].prismatic ? 5 : 2)];
    if (i > 0) force_inward(force + 6 * (i - 1), &pose[i], force + 6 * i);
  }
}

void rnea_torques(const struct armdyn_robot *robot, const struct rnea_input *in, struct armdyn_workspace *workspace,
                  double *tau)
{
  const struct pose *pose = workspace->pose;
  struct motion motion[2] = { 0 }; /* of link i - 1 and i, by turns */
  if (in->gravity) {               /* a base that accelerates upwards is what gravity feels like */
    for (int k = 0; k < 3; k++) motion[1].a[k] = -robot->gravity[k];
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct compiled_joint *joint = &robot->joints[i];
    motion_outward(&motion[i % 2], &motion[(i + 1) % 2], &pose[i], joint->prismatic, in->qd[i], in->qdd[i]);
    inertial_force(workspace->force + 6 * i, &motion[i % 2], &joint->link);
  }
  if (in->wrench) {
    double *last = workspace->force + 6 * (robot->joint_count - 1);
    for (int k = 0; k < 6; k++) last[k] -= in->wrench[k];
  }
  torques_inward(robot, pose, workspace->force, tau);
}

void rnea_wrench_torques(const struct armdyn_robot *robot, const double wrench[6], struct armdyn_workspace *workspace,
                         double *tau)
{
  const size_t n = robot->joint_count;
  memset(workspace->force, 0, 6 * n * sizeof *workspace->force);
  for (int k = 0; k < 6; k++) workspace->force[6 * (n - 1) + (size_t)k] = -wrench[k];
  torques_inward(robot, workspace->pose, workspace->force, tau);
}

static void wrench_on_last_link(const struct armdyn_robot *robot, const struct pose *pose, const double *wrench,
                                enum armdyn_wrench_frame frame, double out[6])
{
  const struct pose *tool = &robot->tool;
  double arm[3], by_turns[2][6];
  if (frame == ARMDYN_WRENCH_TOOL) {
    rotate3(out, tool->r, wrench);
    rotate3(out + 3, tool->r, wrench + 3);
  } else {
    memcpy(by_turns[1], wrench, sizeof by_turns[1]);
    for (size_t i = 0; i < robot->joint_count; i++) {
      unrotate3(by_turns[i % 2], pose[i].r, by_turns[(i + 1) % 2]);
      unrotate3(by_turns[i % 2] + 3, pose[i].r, by_turns[(i + 1) % 2] + 3);
    }
    memcpy(out, by_turns[(robot->joint_count - 1) % 2], 6 * sizeof *out);
  }
  cross3(arm, tool->p, out + 3);
  for (int k = 0; k < 3; k++) out[k] += arm[k];
}

const double *load_on_last_link(const struct armdyn_robot *robot, const struct armdyn_load *load,
                                const struct pose *pose, double memory[6])
{
  if (!load || !load->wrench) return NULL;
  wrench_on_last_link(robot, pose, load->wrench, load->wrench_frame, memory);
  return memory;
}
