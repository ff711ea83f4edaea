#include <math.h>

#include "server/gateway/source.h"
#include "server/gateway/torque_content.h"

/* Joint positions, velocities and torques of sample k; at rest: of the end, without motion. */
static void sample(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory, double t, bool at_rest,
                   struct armdyn_workspace *workspace, double *q, double *qd, double *tau)
{
  static const double rest[ARMDYN_JOINTS_MAX];
  double row[1 + 5 * ARMDYN_JOINTS_MAX];
  size_t n = trajectory->joint_count;
  if (at_rest) {
    armdyn_trajectory_state(trajectory, t, q, NULL, NULL, NULL);
    memcpy(qd, rest, n * sizeof *qd);
    armdyn_inverse_dynamics(robot, q, rest, rest, NULL, workspace, tau);
    return;
  }
  armdyn_trajectory_sample(robot, trajectory, t, workspace, row); /* t, q, qd, qdd, tau, power */
  memcpy(q, row + 1, n * sizeof *q);
  memcpy(qd, row + 1 + n, n * sizeof *qd);
  memcpy(tau, row + 1 + 3 * n, n * sizeof *tau);
}

enum armdyn_status profile_of_trajectory(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                                         const struct axis_map *map, enum torque_content content,
                                         enum sample_format format, double rate, struct profile *profile,
                                         struct armdyn_error *error)
{
  uint32_t period_us;
  enum armdyn_status rc = profile_period(rate, &period_us, error);
  if (rc) return rc;
  double duration = armdyn_trajectory_duration(trajectory);
  if (duration * rate > LIMIT_SERIES_ROWS)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "/rate", "%g s at %g Hz are more than %d samples", duration, rate,
                         LIMIT_SERIES_ROWS);
  size_t count = armdyn_sample_count(trajectory, rate), last = count - 1;
  bool on_grid = fabs((double)last * period_us * 1e-6 - duration) < 1e-9 * (1 + duration);

  if ((rc = profile_init(profile, map, format, period_us, count, error))) return rc;
  struct armdyn_workspace *workspace = armdyn_workspace_new(trajectory->joint_count);
  if (!workspace) {
    profile_release(profile);
    return ARMDYN_EMEMORY;
  }
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], tau[ARMDYN_JOINTS_MAX], part[ARMDYN_JOINTS_MAX];
  profile->head.torque_content = (uint16_t)content;
  for (size_t k = 0; k < count; k++) {
    double t = armdyn_sample_time(trajectory, rate, k);
    sample(robot, trajectory, t, k == last && !on_grid, workspace, q, qd, tau);
    torque_content_left_out(content, robot, q, qd, workspace, part);
    for (size_t j = 0; j < trajectory->joint_count; j++) tau[j] -= part[j];
    profile_put(profile, map, k, q, tau);
    if (profile->head.format == FORMAT_MOTION) profile_put_velocity(profile, map, k, qd);
  }
  profile_finish(profile);
  armdyn_workspace_free(workspace);
  return ARMDYN_OK;
}
