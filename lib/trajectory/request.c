#include "lib/trajectory/request.h"

#include <math.h>

static const double MAGNITUDE_MAX = 1e12;

static const struct {
  const char *name;
  const char *unit[2]; /* of a revolute and a prismatic joint */
  size_t offset;       /* in struct armdyn_limits */
} kinds[ARMDYN_LIMIT_KINDS] = {
  [ARMDYN_LIMIT_POSITION] = { "position", { "rad", "m" }, offsetof(struct armdyn_limits, position) },
  [ARMDYN_LIMIT_VELOCITY] = { "velocity", { "rad/s", "m/s" }, offsetof(struct armdyn_limits, velocity) },
  [ARMDYN_LIMIT_ACCELERATION] = { "acceleration",
                                  { "rad/s^2", "m/s^2" },
                                  offsetof(struct armdyn_limits, acceleration) },
  [ARMDYN_LIMIT_JERK] = { "jerk", { "rad/s^3", "m/s^3" }, offsetof(struct armdyn_limits, jerk) },
  [ARMDYN_LIMIT_TORQUE] = { "torque", { "N m", "N" }, offsetof(struct armdyn_limits, torque) },
  [ARMDYN_LIMIT_TORQUE_RATE] = { "torque_rate", { "N m/s", "N/s" }, offsetof(struct armdyn_limits, torque_rate) },
};

const char *armdyn_limit_name(enum armdyn_limit_kind kind)
{
  return (unsigned)kind < ARMDYN_LIMIT_KINDS ? kinds[kind].name : "unknown";
}

void request_limits(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                    struct armdyn_limits *limits)
{
  for (size_t j = 0; j < armdyn_robot_joint_count(robot); j++) {
    limits[j] = request->limits ? request->limits[j] : armdyn_robot_description(robot)->joints[j].limits;
  }
}

enum armdyn_status limits_check(const struct armdyn_limits *limits, size_t joint, struct armdyn_error *error)
{
  char where[64];
  if (!(limits->position[0] < limits->position[1])) {
    snprintf(where, sizeof where, "/limits/position/%zu", joint);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be [lower, upper] with lower < upper, got [%g, %g]",
                         limits->position[0], limits->position[1]);
  }
  for (int kind = ARMDYN_LIMIT_VELOCITY; kind < ARMDYN_LIMIT_KINDS; kind++) {
    const double limit = *(const double *)(const void *)((const unsigned char *)limits + kinds[kind].offset);
    if (limit > 0) continue;
    snprintf(where, sizeof where, "/limits/%s/%zu", kinds[kind].name, joint);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be > 0, got %g", limit);
  }
  return ARMDYN_OK;
}

/* "/start", "/waypoints/k" or "/goal" */
static void point_pointer(char *out, size_t size, size_t k, size_t count)
{
  if (k == 0) {
    snprintf(out, size, "/start");
  } else if (k + 1 == count) {
    snprintf(out, size, "/goal");
  } else {
    snprintf(out, size, "/waypoints/%zu", k - 1);
  }
}

static enum armdyn_status points_check(const struct armdyn_profile_request *request, size_t n,
                                       struct armdyn_error *error)
{
  char point[64], where[sizeof error->pointer];
  for (size_t k = 0; k < request->point_count * n; k++) {
    const double x = request->points[k];
    if (fabs(x) <= MAGNITUDE_MAX) continue;
    point_pointer(point, sizeof point, k / n, request->point_count);
    snprintf(where, sizeof where, "%s/q/%zu", point, k % n);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be finite and of magnitude <= %g, got %g", MAGNITUDE_MAX,
                         x);
  }
  return ARMDYN_OK;
}

/* Given times start at 0 and increase; the last one is a duration. */
static enum armdyn_status times_check(const struct armdyn_profile_request *request, double duration,
                                      struct armdyn_error *error)
{
  char point[64], where[sizeof error->pointer];
  double last = 0;
  for (size_t k = 0; request->times && k < request->point_count; k++) {
    const double t = request->times[k];
    if (isnan(t)) continue;
    point_pointer(point, sizeof point, k, request->point_count);
    snprintf(where, sizeof where, "%s/time", point);
    if (k == 0 && t != 0) return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be 0, got %g", t);
    if (k > 0 && !(t > last && isfinite(t))) {
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be after %g s, got %g", last, t);
    }
    if (k + 1 < request->point_count && !isnan(duration) && !(t < duration)) {
      return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be before the end at %g s, got %g", duration, t);
    }
    last = t;
  }
  return ARMDYN_OK;
}

enum armdyn_status request_check(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                 const struct armdyn_limits *limits, double duration_min, double duration_max,
                                 double *duration, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot), count = request->point_count;
  enum armdyn_status rc;
  if ((unsigned)request->profile >= ARMDYN_PROFILE_COUNT) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/method", "is no profile: %d", (int)request->profile);
  }
  if (count < 2) return armdyn_refuse(error, ARMDYN_EINPUT, "/goal", "is needed: %zu points are no motion", count);
  for (size_t j = 0; j < n; j++) {
    if ((rc = limits_check(&limits[j], j, error))) return rc;
  }
  if ((rc = points_check(request, n, error))) return rc;
  if (!(request->tool_speed >= 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/tool_speed_max", "must be > 0, got %g", request->tool_speed);
  const double end = request->times ? request->times[count - 1] : NAN;
  *duration = isnan(request->duration) ? end : request->duration;
  if (!isnan(end) && fabs(end - *duration) > 1e-9 * end) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "is %g s, but the goal is to be reached at %g s", *duration,
                         end);
  }
  if (!isnan(*duration) && !(*duration >= duration_min && *duration <= duration_max)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/duration", "must be >= %g and <= %g s, got %g", duration_min,
                         duration_max, *duration);
  }
  return times_check(request, *duration, error);
}

enum armdyn_status request_points_within(const struct armdyn_robot *robot, const struct armdyn_profile_request *request,
                                         const struct armdyn_limits *limits, struct armdyn_margin *margin,
                                         struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  char point[64], where[sizeof error->pointer];
  for (size_t k = 0; k < ARMDYN_LIMIT_KINDS * n; k++) {
    margin[k] = (struct armdyn_margin){ .limit = (enum armdyn_limit_kind)(k / n), .joint = k % n };
  }
  for (size_t k = 0; k < request->point_count * n; k++) {
    const struct armdyn_joint *joint = &armdyn_robot_description(robot)->joints[k % n];
    const double *range = limits[k % n].position, q = request->points[k];
    if (q >= range[0] && q <= range[1]) continue;
    const double excess = fmax(range[0] - q, q - range[1]), half = (range[1] - range[0]) / 2;
    margin[k % n].usage = 1 + (isfinite(half) ? excess / half : excess);
    margin[k % n].value = q;
    margin[k % n].time = NAN;
    point_pointer(point, sizeof point, k / n, request->point_count);
    snprintf(where, sizeof where, "%s/q/%zu", point, k % n);
    return armdyn_refuse(error, ARMDYN_EINFEASIBLE, where,
                         "position of joint %s is %g %s, %g beyond its limits [%g, %g]", joint->name, q,
                         kinds[ARMDYN_LIMIT_POSITION].unit[joint->type], excess, range[0], range[1]);
  }
  return ARMDYN_OK;
}

bool request_is_still(size_t joints, size_t points, const double *q)
{
  for (size_t k = joints; k < points * joints; k++) {
    if (q[k] != q[k - joints]) return false;
  }
  return true;
}

/* What duration would do. */
static void word_remedy(double minimum_duration, char *out, size_t size)
{
  if (isnan(minimum_duration))
    snprintf(out, size, "no duration of this profile keeps all limits");
  else
    snprintf(out, size, "the shortest duration of this profile is %.6g s", minimum_duration);
}

enum armdyn_status infeasible_tool(double speed, double time, double duration, double usage, double minimum_duration,
                                   struct armdyn_error *error)
{
  char remedy[96];
  word_remedy(minimum_duration, remedy, sizeof remedy);
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/duration",
                       "the speed of the tool is %.6g m/s at %.6g s of %.6g s, %.6g times its limit; %s", speed, time,
                       duration, usage, remedy);
}

enum armdyn_status infeasible(const struct armdyn_robot *robot, const struct armdyn_margin *margin, double duration,
                              double minimum_duration, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  const struct armdyn_margin *worst = margin;
  char remedy[96];
  for (size_t k = 1; k < ARMDYN_LIMIT_KINDS * n; k++) {
    if (margin[k].usage > worst->usage) worst = &margin[k];
  }
  word_remedy(minimum_duration, remedy, sizeof remedy);
  const struct armdyn_joint *joint = &armdyn_robot_description(robot)->joints[worst->joint];
  return armdyn_refuse(error, ARMDYN_EINFEASIBLE, "/duration",
                       "%s of joint %zu %s is %.6g %s at %.6g s of %.6g s, %.6g times its limit; %s",
                       kinds[worst->limit].name, worst->joint + 1, joint->name, worst->value,
                       kinds[worst->limit].unit[joint->type], worst->time, duration, worst->usage, remedy);
}
