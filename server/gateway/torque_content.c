#include "server/gateway/torque_content.h"

#include <string.h>

#include "armdyn/terms.h"

void torque_content_left_out(enum torque_content content, const struct armdyn_robot *robot, const double *q,
                             const double *qd, struct armdyn_workspace *workspace, double *part)
{
  double friction[ARMDYN_JOINTS_MAX];
  const size_t n = armdyn_robot_joint_count(robot);
  memset(part, 0, n * sizeof *part);
  if (content == TORQUE_FULL) return;
  armdyn_gravity_torque(robot, q, workspace, part);
  if (content == TORQUE_WITHOUT_GRAVITY) return;
  armdyn_friction_torques(robot, q, qd, friction);
  for (size_t j = 0; j < n; j++) part[j] += friction[j];
}
