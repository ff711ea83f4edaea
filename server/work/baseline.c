#include "server/work/baseline.h"

#include <math.h>

const enum armdyn_profile baseline_profiles[BASELINES] = { ARMDYN_TRAPEZOID, ARMDYN_QUINTIC };

bool baseline_plan(const struct armdyn_robot *robot, enum armdyn_profile profile, const double *points,
                   const double *times, size_t count, const struct armdyn_limits *limits, double tool_speed,
                   struct armdyn_trajectory *out, bool *feasible)
{
  struct armdyn_limits none[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++)
    none[j] = (struct armdyn_limits){ { -INFINITY, INFINITY }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
  struct armdyn_profile_request request = {
    .profile = profile,
    .point_count = count,
    .points = points,
    .times = times,
    .duration = times[count - 1],
    .limits = limits,
    .tool_speed = isnan(tool_speed) ? 0 : tool_speed,
  };
  *feasible = !armdyn_profile_plan(robot, &request, out, NULL, NULL, NULL, NULL, NULL);
  request.limits = none;
  request.tool_speed = 0;
  return *feasible || !armdyn_profile_plan(robot, &request, out, NULL, NULL, NULL, NULL, NULL);
}
