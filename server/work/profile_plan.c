/* Classic profiles. */
#include <math.h>
#include <stdlib.h>

#include "server/work/plan.h"

static bool go_on(void *context)
{
  work_progress(context, 0, "planning");
  return false; /* to cancel is to kill */
}

double *plan_times(const struct plan *p, double time_scale)
{
  double *times = malloc(p->point_count * sizeof *times);
  for (size_t i = 0; times && i < p->point_count; i++)
    times[i] = i == 0 ? 0 : time_scale > 0 ? p->times[i] * time_scale : NAN;
  return times;
}

enum armdyn_status profile_find(struct plan *p, double duration, double time_scale, struct armdyn_trajectory *out,
                                struct armdyn_margin *margin, double *minimum, struct armdyn_error *error)
{
  double *times = plan_times(p, time_scale);
  if (!times) return ARMDYN_EMEMORY;
  const struct armdyn_profile_request request = {
    .profile = (enum armdyn_profile)p->request.method,
    .point_count = p->point_count,
    .points = p->points,
    .times = times,
    .duration = duration,
    .limits = p->limits,
    .tool_speed = isnan(p->request.tool_speed_max) ? 0 : p->request.tool_speed_max,
  };
  enum armdyn_status status = armdyn_profile_plan(p->robot, &request, out, margin, minimum, go_on, p->work, error);
  free(times);
  return status;
}
