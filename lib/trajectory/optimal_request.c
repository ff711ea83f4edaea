/* What may be asked of the planner of energy-optimal motions: every number of a request is judged before anything is solved. */
#include <math.h>

#include "lib/model/friction.h"
#include "lib/model/gears.h"
#include "lib/trajectory/planner.h"
#include "lib/trajectory/request.h"

enum { INTERVALS_MIN = 8, INTERVALS_MAX = 2000, PER_SEGMENT = 4 };
static const double DURATION_MIN = 1e-3, DURATION_MAX = 1e3, TOOL_SPEED_MAX = 1e6;

static enum armdyn_status judge_duration(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  bool priced = false;
  for (size_t k = 0; k < p->cost.count; k++) priced = priced || p->cost.terms[k].model == ARMDYN_COST_TIME;
  p->free_duration = isnan(r->duration);
  p->duration_min = r->duration_min > 0 ? r->duration_min : DURATION_MIN;
  p->duration_max = r->duration_max > 0 ? r->duration_max : DURATION_MAX;
  if (!p->free_duration && !(r->duration >= DURATION_MIN && r->duration <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration);
  if (p->free_duration && !priced && !(r->duration_max > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration",
                         "is needed where neither time has a price nor duration_max is given");
  if (!(r->duration_min >= 0 && p->duration_min >= DURATION_MIN && p->duration_min <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration_min", "must be >= %g and <= %g s, got %g", DURATION_MIN,
                         DURATION_MAX, r->duration_min);
  if (!(r->duration_max >= 0 && p->duration_max > p->duration_min && p->duration_max <= DURATION_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration_max", "must be > %g and <= %g s, got %g", p->duration_min,
                         DURATION_MAX, r->duration_max);
  return ARMDYN_OK;
}

static enum armdyn_status judge_numbers(const struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot);
  if (r->intervals < INTERVALS_MIN || r->intervals > INTERVALS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %d and <= %d, got %zu", INTERVALS_MIN,
                         INTERVALS_MAX, r->intervals);
  if (r->waypoint_count > ARMDYN_WAYPOINTS_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/waypoints", "are %zu, at most %d are possible", r->waypoint_count,
                         ARMDYN_WAYPOINTS_MAX);
  if (r->waypoint_count > 0 && r->intervals < PER_SEGMENT * (r->waypoint_count + 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/intervals", "must be >= %zu for %zu waypoints, got %zu",
                         PER_SEGMENT * (r->waypoint_count + 1), r->waypoint_count, r->intervals);
  if (r->starts < 1 || r->starts > ARMDYN_MINIMA_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/multistart", "must be >= 1 and <= %d, got %zu", ARMDYN_MINIMA_MAX,
                         r->starts);
  if (!(r->tool_speed >= 0 && r->tool_speed <= TOOL_SPEED_MAX))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool_speed_max", "must be > 0 and <= %g m/s, got %g", TOOL_SPEED_MAX,
                         r->tool_speed);
  if (r->guess && (r->guess->joint_count != n || r->guess->piece_count < 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/seed_trajectory", "must be of %zu joints", n);
  return ARMDYN_OK;
}

/* Velocities and accelerations that are given at the ends: finite and within their limits. */
static enum armdyn_status judge_ends(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const double *given[2][3] = { { r->start, r->start_velocity, r->start_acceleration },
                                { r->goal, r->goal_velocity, r->goal_acceleration } };
  static const char *const names[3] = { "q", "qd", "qdd" };
  char where[64];
  for (size_t e = 0; e < 2; e++) {
    p->ends[e].given = given[e][2] || r->zero_boundary_acceleration ? 3 : 2;
    for (size_t i = 0; i < 3 * armdyn_robot_joint_count(p->robot); i++) {
      const size_t kind = i % 3, j = i / 3;
      const double x = given[e][kind] ? given[e][kind][j] : 0;
      const double most = kind == 1 ? p->limits[j].velocity : kind == 2 ? p->limits[j].acceleration : INFINITY;
      p->ends[e].x[kind][j] = x;
      if (isfinite(x) && fabs(x) <= most) continue;
      snprintf(where, sizeof where, "/%s/%s/%zu", e ? "goal" : "start", names[kind], j);
      if (!isfinite(x)) return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be finite, got %g", x);
      return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where, "is %g, beyond the limit of %g", x, most);
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status judge_points(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot), count = r->waypoint_count + 2;
  double *points = calloc(count * (n + 1), sizeof *points), *times = points ? points + count * n : NULL, ignored;
  if (!points) return ARMDYN_EMEMORY;
  const struct armdyn_profile_request profile = { .profile = ARMDYN_CUBIC,
                                                  .point_count = count,
                                                  .points = points,
                                                  .times = times,
                                                  .duration = p->free_duration ? NAN : r->duration,
                                                  .limits = r->limits };
  memcpy(points, r->start, n * sizeof *points);
  memcpy(points + (count - 1) * n, r->goal, n * sizeof *points);
  if (r->waypoint_count > 0) memcpy(points + n, r->waypoints, r->waypoint_count * n * sizeof *points);
  for (size_t k = 1; k < count; k++) times[k] = k + 1 < count && r->waypoint_times ? r->waypoint_times[k - 1] : NAN;
  request_limits(p->robot, &profile, p->limits);
  enum armdyn_status rc = request_check(p->robot, &profile, p->limits, DURATION_MIN, DURATION_MAX, &ignored, error);
  if (!rc) rc = request_points_within(p->robot, &profile, p->limits, p->margin.of, error);
  free(points);
  return rc;
}

/* All points are to stay clear themselves. */
static enum armdyn_status judge_obstacles(struct planner *p, struct armdyn_error *error)
{
  const struct armdyn_optimal_request *r = p->request;
  const size_t n = armdyn_robot_joint_count(p->robot);
  if (!r->around) return ARMDYN_OK;
  enum armdyn_status rc = obstacles_new(p->robot, r->around, p->limits, &p->obstacles);
  for (size_t k = 0; k < r->waypoint_count + 2 && !rc; k++) {
    const bool first = k == 0, last = k == r->waypoint_count + 1;
    const double *q = first ? r->start : last ? r->goal : r->waypoints + (k - 1) * n;
    const double time = first ? 0 : last ? r->duration : r->waypoint_times ? r->waypoint_times[k - 1] : NAN;
    char where[32];
    snprintf(where, sizeof where, first ? "/start" : last ? "/goal" : "/waypoints/%zu", k - 1);
    rc = obstacles_judge_state(p->obstacles, q, time, where, error);
  }
  return rc;
}

enum armdyn_status planner_judge(struct planner *p, struct armdyn_error *error)
{
  enum armdyn_status rc = load_friction_refuse(p->robot, "an optimal motion", error);
  if (!rc) rc = gear_friction_refuse(p->robot, "an optimal motion", error);
  if (!rc) rc = cost_init(&p->cost, p->robot, p->request, error);
  if (!rc) rc = judge_duration(p, error);
  if (!rc) rc = judge_numbers(p, error);
  if (!rc) rc = judge_points(p, error);
  if (!rc) rc = judge_ends(p, error);
  if (!rc) rc = judge_obstacles(p, error);
  return rc;
}
