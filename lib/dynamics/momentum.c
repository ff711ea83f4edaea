#include "armdyn/terms.h"

#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

void armdyn_momentum(const struct armdyn_robot *robot, const double *q, const double *qd,
                     struct armdyn_workspace *workspace, double momentum[6])
{
  double velocity[6] = { 0 }, *link = workspace->force;
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < robot->joint_count; i++) {
    velocity_outward(velocity, velocity + 3, &workspace->pose[i], robot->joints[i].prismatic, qd[i]);
    body_times(link + 6 * i, &robot->joints[i].link, velocity);
  }
  /* momentum moves from frame to frame as a force does */
  memset(momentum, 0, 6 * sizeof *momentum);
  for (size_t i = robot->joint_count; i-- > 0;) {
    force_inward(i > 0 ? link + 6 * (i - 1) : momentum, &workspace->pose[i], link + 6 * i);
  }
}
