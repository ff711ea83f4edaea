#include "lib/dynamics/workspace.h"

static void write_homogeneous(double *out, const struct pose *x)
{
  for (int i = 0; i < 3; i++) {
    memcpy(out + 4 * i, x->r + 3 * i, 3 * sizeof *out);
    out[4 * i + 3] = x->p[i];
  }
  memcpy(out + 12, (const double[4]){ 0, 0, 0, 1 }, 4 * sizeof *out);
}

void armdyn_forward_kinematics(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                               double *tool, double *links)
{
  struct pose at[2], shown; /* the canonical frames i - 1 and i in the base frame, by turns */
  pose_joints(robot, q, workspace->pose);
  at[0] = workspace->pose[0];
  for (size_t i = 0; i < robot->joint_count; i++) {
    if (i > 0) pose_multiply(&at[i % 2], &at[(i + 1) % 2], &workspace->pose[i]);
    if (!links) continue;
    pose_multiply(&shown, &at[i % 2], &robot->joints[i].frame);
    write_homogeneous(links + 16 * i, &shown);
  }
  if (!tool) return;
  pose_multiply(&shown, &at[(robot->joint_count - 1) % 2], &robot->tool);
  write_homogeneous(tool, &shown);
}
