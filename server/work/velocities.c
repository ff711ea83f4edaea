#include "server/work/velocities.h"

#include "server/work/conditioning.h"

enum armdyn_status velocities_choose(const struct identification_request *request, const struct armdyn_robot *robot,
                                     const struct armdyn_conditioning *conditioning, bool trained,
                                     struct logged_motion *logged, struct identification_velocity *out,
                                     struct armdyn_warnings *warnings, struct armdyn_error *error)
{
  const bool wanted = request->velocities == VELOCITIES_LOGGED;
  struct armdyn_log log;
  if (!logged->has_velocities && wanted && trained)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/velocities",
                         "has no velocities, which \"velocities\": \"logged\" wants; upload it with columns qd1..");
  if (!logged->has_velocities) return ARMDYN_OK;
  enum armdyn_status status = logged_motion_head(logged, HEAD_SECONDS, &log, error);
  if (!status) status = armdyn_check_velocities(robot, &log, conditioning, out->found, error);
  if (status) return status;
  out->has = true;
  for (size_t j = 0; j < logged->robot->joint_count; j++) {
    const bool differentiated = conditioning->method != ARMDYN_TRACKING_DIFFERENTIATOR;
    out->used[j] = logged->use_qd[j] = wanted || (differentiated && out->found[j].verdict == ARMDYN_VELOCITY_AGREES);
  }
  armdyn_velocity_warnings(robot, out->found, out->used, warnings);
  return ARMDYN_OK;
}
