/* Limits of a request, over the robot's own. */
#include <math.h>

#include "api/codec/trajectory.h"

enum { PAIRS = 2 };

static void decode_limit(struct json_reader *r, const struct json_field *field, struct requested_limit *one,
                         size_t joint)
{
  double *value = one->value[joint];
  if (json_read_null(r)) {
    one->removed[joint] = true;
  } else if (field->columns == PAIRS) {
    if (json_read_numbers(r, "[lower, upper] or null", PAIRS, value) && !(value[0] < value[1]))
      json_fault(r, NULL, FAULT_INCONSISTENT, "the lower end must be below the upper one, got [%g, %g]", value[0],
                 value[1]);
  } else if (json_read_number(r, "a number or null", value) && !(value[0] > 0))
    json_fault(r, NULL, FAULT_MINIMUM, "must be > 0, got %g", value[0]);
}

static void decode_requested(struct json_reader *r, const struct json_field *field, void *member,
                             const struct json_context *context)
{
  struct requested_limit *one = member;
  one->given = true;
  if (json_read_null(r)) {
    for (size_t j = 0; j < context->joint_count; j++) one->removed[j] = true;
    return;
  }
  if (!json_enter_array(r, "an array with a limit or null for each joint, or null")) return;
  size_t count = 0;
  for (; json_next_element(r); count++)
    if (count < context->joint_count)
      decode_limit(r, field, one, count);
    else
      json_skip(r, NULL);
  if (!r->status && count != context->joint_count)
    json_fault(r, NULL, FAULT_LENGTH, "must have %zu elements (one for each joint), got %zu", context->joint_count,
               count);
}

#define REQUESTED_LIMIT(member_, columns_, unit_)                                                                      \
  CUSTOM(struct requested_limits, member_, decode_requested, NULL, unit_), .columns = columns_

static const struct json_field limits_fields[] = {
  { REQUESTED_LIMIT(position, PAIRS, "rad, m") },
  { REQUESTED_LIMIT(velocity, 1, "rad/s, m/s") },
  { REQUESTED_LIMIT(acceleration, 1, "rad/s^2, m/s^2") },
  { REQUESTED_LIMIT(jerk, 1, "rad/s^3, m/s^3") },
  { REQUESTED_LIMIT(torque, 1, "N m, N") },
  { REQUESTED_LIMIT(torque_rate, 1, "N m/s, N/s") },
};
const struct json_type requested_limits_type =
    JSON_TYPE("the limits", limits_fields, struct requested_limits, NULL, NULL);

/* The same kinds for the code below: where the requested one is, and where the limit of a joint (position apart). */
static const struct limit_place {
  enum armdyn_limit_kind kind;
  size_t requested, limit;
} places[] = {
  { ARMDYN_LIMIT_POSITION, offsetof(struct requested_limits, position), offsetof(struct armdyn_limits, position) },
  { ARMDYN_LIMIT_VELOCITY, offsetof(struct requested_limits, velocity), offsetof(struct armdyn_limits, velocity) },
  { ARMDYN_LIMIT_ACCELERATION, offsetof(struct requested_limits, acceleration),
    offsetof(struct armdyn_limits, acceleration) },
  { ARMDYN_LIMIT_JERK, offsetof(struct requested_limits, jerk), offsetof(struct armdyn_limits, jerk) },
  { ARMDYN_LIMIT_TORQUE, offsetof(struct requested_limits, torque), offsetof(struct armdyn_limits, torque) },
  { ARMDYN_LIMIT_TORQUE_RATE, offsetof(struct requested_limits, torque_rate),
    offsetof(struct armdyn_limits, torque_rate) },
};
_Static_assert(sizeof places / sizeof *places == ARMDYN_LIMIT_KINDS, "place every kind of limit");

static const struct requested_limit *requested_of(const struct requested_limits *requested,
                                                  const struct limit_place *place)
{
  return (const struct requested_limit *)((const char *)requested + place->requested);
}

/* Lower and upper end of a position, else the limit in [1] (and its mirror in [0]). */
static void limit_get(const struct armdyn_limits *limits, const struct limit_place *place, double ends[2])
{
  const double *limit = (const double *)((const char *)limits + place->limit);
  ends[0] = place->kind == ARMDYN_LIMIT_POSITION ? limit[0] : -limit[0];
  ends[1] = place->kind == ARMDYN_LIMIT_POSITION ? limit[1] : limit[0];
}

void requested_limits_in_force(const struct requested_limits *requested, const struct armdyn_robot_description *robot,
                               struct armdyn_limits *limits)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    limits[j] = robot->joints[j].limits;
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      const struct requested_limit *one = requested_of(requested, &places[k]);
      if (!one->given) continue;
      double *limit = (double *)((char *)&limits[j] + places[k].limit);
      bool position = places[k].kind == ARMDYN_LIMIT_POSITION;
      limit[0] = !one->removed[j] ? one->value[j][0] : position ? -INFINITY : INFINITY;
      if (position) limit[1] = one->removed[j] ? INFINITY : one->value[j][1];
    }
  }
}

bool trajectory_limited(const struct armdyn_limits *limits, enum armdyn_limit_kind kind)
{
  double ends[2];
  limit_get(limits, &places[kind], ends);
  return isfinite(ends[0]) || isfinite(ends[1]);
}

size_t requested_limits_blockers(const struct requested_limits *requested, const struct armdyn_robot_description *robot,
                                 struct trajectory_blocker *blockers)
{
  size_t count = 0;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  requested_limits_in_force(requested, robot, limits);
  for (size_t j = 0; j < robot->joint_count; j++)
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      double own[2], asked[2];
      limit_get(&robot->joints[j].limits, &places[k], own);
      limit_get(&limits[j], &places[k], asked);
      if (asked[0] >= own[0] && asked[1] <= own[1]) continue;
      blockers[count++] = (struct trajectory_blocker){
        .code = requested_of(requested, &places[k])->removed[j] ? "limit_removed" : "limit_raised",
        .limit = places[k].kind,
        .joint = j,
      };
    }
  return count;
}
