#include "armdyn/terms.h"

#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

/* Column i: [z; z x (tool - joint)] of a turning joint, [0; z] of a sliding one. */
void armdyn_jacobian(const struct armdyn_robot *robot, const double *q, enum armdyn_jacobian_frame frame,
                     struct armdyn_workspace *workspace, double *jacobian)
{
  const size_t n = robot->joint_count;
  struct pose from_tool = robot->tool, here; /* the tool in canonical frame i */
  const struct pose *pose = workspace->pose;
  pose_joints(robot, q, workspace->pose);
  for (size_t i = n; i-- > 0;) {
    const double *p = from_tool.p, *r = from_tool.r;
    /* in the joint's own axes: z x p = (-p_y, p_x, 0); then in the tool's */
    const double z[3] = { 0, 0, 1 }, across[3] = { -p[1], p[0], 0 };
    double angular[3] = { 0 }, linear[3];
    if (!robot->joints[i].prismatic) unrotate3(angular, r, z);
    unrotate3(linear, r, robot->joints[i].prismatic ? z : across);
    for (size_t k = 0; k < 3; k++) {
      jacobian[k * n + i] = angular[k];
      jacobian[(3 + k) * n + i] = linear[k];
    }
    here = from_tool;
    pose_multiply(&from_tool, &pose[i], &here);
  }
  if (frame == ARMDYN_JACOBIAN_TOOL) return;
  for (size_t i = 0; i < 2 * n; i++) {
    const size_t at = i / n * 3 * n + i % n;
    double turned[3];
    const double column[3] = { jacobian[at], jacobian[at + n], jacobian[at + 2 * n] };
    rotate3(turned, from_tool.r, column); /* the tool in the base's frame by now */
    for (size_t k = 0; k < 3; k++) jacobian[at + k * n] = turned[k];
  }
}

void armdyn_jacobian_dot_qd(const struct armdyn_robot *robot, const double *q, const double *qd,
                            enum armdyn_jacobian_frame frame, struct armdyn_workspace *workspace, double out[6])
{
  const size_t n = robot->joint_count;
  const struct pose *pose = workspace->pose;
  struct motion motion[2] = { 0 };
  struct pose at[2] = { { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  double w[3] = { 0 }, v[3] = { 0 }, a[3], swing[3];
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < n; i++) {
    motion_outward(&motion[i % 2], &motion[(i + 1) % 2], &pose[i], robot->joints[i].prismatic, qd[i], 0);
    velocity_outward(w, v, &pose[i], robot->joints[i].prismatic, qd[i]);
    pose_multiply(&at[i % 2], &at[(i + 1) % 2], &pose[i]);
  }
  const struct motion *last = &motion[(n - 1) % 2];
  rotate3(a, last->K, robot->tool.p);
  for (int k = 0; k < 3; k++) a[k] += last->a[k];
  if (frame == ARMDYN_JACOBIAN_BASE) {
    rotate3(out, at[(n - 1) % 2].r, last->wd);
    rotate3(out + 3, at[(n - 1) % 2].r, a);
    return;
  }
  /* in axes that turn with w: a - w x v */
  unrotate3(out, robot->tool.r, last->wd);
  unrotate3(out + 3, robot->tool.r, a);
  velocity_outward(w, v, &robot->tool, true, 0);
  cross3(swing, w, v);
  for (int k = 0; k < 3; k++) out[3 + k] -= swing[k];
}
