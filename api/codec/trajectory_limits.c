/* Limits as a request wishes them, over the robot's own. */
#include <math.h>

#include "api/codec/trajectory.h"

enum { PAIRS = 2 };

static void decode_limit(struct json_reader *r, const struct json_field *field, struct limit_wish *wish, size_t joint)
{
  double *value = wish->value[joint];
  if (json_read_null(r)) {
    wish->removed[joint] = true;
  } else if (field->columns == PAIRS) {
    if (json_read_numbers(r, "[lower, upper] or null", PAIRS, value) && !(value[0] < value[1]))
      json_fault(r, NULL, FAULT_INCONSISTENT, "the lower end must be below the upper one, got [%g, %g]", value[0],
                 value[1]);
  } else if (json_read_number(r, "a number or null", value) && !(value[0] > 0))
    json_fault(r, NULL, FAULT_MINIMUM, "must be > 0, got %g", value[0]);
}

static void decode_wish(struct json_reader *r, const struct json_field *field, void *member,
                        const struct json_context *context)
{
  struct limit_wish *wish = member;
  wish->given = true;
  if (json_read_null(r)) {
    for (size_t j = 0; j < context->joint_count; j++) wish->removed[j] = true;
    return;
  }
  if (!json_enter_array(r, "an array with a limit or null for each joint, or null")) return;
  size_t count = 0;
  for (; json_next_element(r); count++)
    if (count < context->joint_count)
      decode_limit(r, field, wish, count);
    else
      json_skip(r, NULL);
  if (!r->status && count != context->joint_count)
    json_fault(r, NULL, FAULT_LENGTH, "must have %zu elements (one for each joint), got %zu", context->joint_count,
               count);
}

#define LIMIT_WISH(member_, columns_, unit_)                                                                           \
  CUSTOM(struct limit_wishes, member_, decode_wish, NULL, unit_), .columns = columns_

static const struct json_field limits_fields[] = {
  { LIMIT_WISH(position, PAIRS, "rad, m") },
  { LIMIT_WISH(velocity, 1, "rad/s, m/s") },
  { LIMIT_WISH(acceleration, 1, "rad/s^2, m/s^2") },
  { LIMIT_WISH(jerk, 1, "rad/s^3, m/s^3") },
  { LIMIT_WISH(torque, 1, "N m, N") },
  { LIMIT_WISH(torque_rate, 1, "N m/s, N/s") },
};
const struct json_type limit_wishes_type = JSON_TYPE("the limits", limits_fields, struct limit_wishes, NULL, NULL);

/* The same kinds for the code below: where the wish is, and where the limit of a joint (position apart). */
static const struct limit_place {
  enum armdyn_limit_kind kind;
  size_t wish, limit;
} places[] = {
  { ARMDYN_LIMIT_POSITION, offsetof(struct limit_wishes, position), offsetof(struct armdyn_limits, position) },
  { ARMDYN_LIMIT_VELOCITY, offsetof(struct limit_wishes, velocity), offsetof(struct armdyn_limits, velocity) },
  { ARMDYN_LIMIT_ACCELERATION, offsetof(struct limit_wishes, acceleration),
    offsetof(struct armdyn_limits, acceleration) },
  { ARMDYN_LIMIT_JERK, offsetof(struct limit_wishes, jerk), offsetof(struct armdyn_limits, jerk) },
  { ARMDYN_LIMIT_TORQUE, offsetof(struct limit_wishes, torque), offsetof(struct armdyn_limits, torque) },
  { ARMDYN_LIMIT_TORQUE_RATE, offsetof(struct limit_wishes, torque_rate), offsetof(struct armdyn_limits, torque_rate) },
};
_Static_assert(sizeof places / sizeof *places == ARMDYN_LIMIT_KINDS, "place every kind of limit");

static const struct limit_wish *wish_of(const struct limit_wishes *wishes, const struct limit_place *place)
{
  return (const struct limit_wish *)((const char *)wishes + place->wish);
}

/* Lower and upper end of a position, else the limit in [1] (and its mirror in [0]). */
static void limit_get(const struct armdyn_limits *limits, const struct limit_place *place, double ends[2])
{
  const double *limit = (const double *)((const char *)limits + place->limit);
  ends[0] = place->kind == ARMDYN_LIMIT_POSITION ? limit[0] : -limit[0];
  ends[1] = place->kind == ARMDYN_LIMIT_POSITION ? limit[1] : limit[0];
}

void limit_wishes_in_force(const struct limit_wishes *wishes, const struct armdyn_robot_description *robot,
                           struct armdyn_limits *limits)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    limits[j] = robot->joints[j].limits;
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      const struct limit_wish *wish = wish_of(wishes, &places[k]);
      if (!wish->given) continue;
      double *limit = (double *)((char *)&limits[j] + places[k].limit);
      bool position = places[k].kind == ARMDYN_LIMIT_POSITION;
      limit[0] = !wish->removed[j] ? wish->value[j][0] : position ? -INFINITY : INFINITY;
      if (position) limit[1] = wish->removed[j] ? INFINITY : wish->value[j][1];
    }
  }
}

bool trajectory_limited(const struct armdyn_limits *limits, enum armdyn_limit_kind kind)
{
  double ends[2];
  limit_get(limits, &places[kind], ends);
  return isfinite(ends[0]) || isfinite(ends[1]);
}

size_t limit_wishes_blockers(const struct limit_wishes *wishes, const struct armdyn_robot_description *robot,
                             struct trajectory_blocker *blockers)
{
  size_t count = 0;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  limit_wishes_in_force(wishes, robot, limits);
  for (size_t j = 0; j < robot->joint_count; j++)
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      double own[2], asked[2];
      limit_get(&robot->joints[j].limits, &places[k], own);
      limit_get(&limits[j], &places[k], asked);
      if (asked[0] >= own[0] && asked[1] <= own[1]) continue;
      blockers[count++] = (struct trajectory_blocker){
        .code = wish_of(wishes, &places[k])->removed[j] ? "limit_removed" : "limit_raised",
        .limit = places[k].kind,
        .joint = j,
      };
    }
  return count;
}
