#include "server/data/tool_motion.h"

#include <math.h>
#include <string.h>

#include "armdyn/terms.h"

void tool_motion(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                 struct armdyn_workspace *workspace, double *columns)
{
  double at[16];
  struct armdyn_frame_motion tool;
  armdyn_forward_kinematics(robot, q, workspace, at, NULL);
  armdyn_link_motion(robot, q, qd, qdd, workspace, &tool, NULL);
  for (size_t k = 0; k < 3; k++) columns[k] = at[4 * k + 3];
  memcpy(columns + TOOL_VELOCITY, tool.velocity + 3, 3 * sizeof *columns);
  memcpy(columns + TOOL_ACCELERATION, tool.acceleration + 3, 3 * sizeof *columns);
}

double tool_motion_length(const double *vector)
{
  return hypot(hypot(vector[0], vector[1]), vector[2]);
}
