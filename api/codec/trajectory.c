#include "api/codec/trajectory.h"

#include <math.h>

/* In the order of enum armdyn_profile. */
static const char *const methods[] = { "trapezoid", "quintic", "cubic" };
_Static_assert(sizeof methods / sizeof *methods == ARMDYN_PROFILE_COUNT, "name every profile");

#define POSITIONS BETWEEN(-1e6, 1e6) /* beyond any arm, and far from overflow */

/* -- points -- */

static const struct json_field state_fields[] = {
  { NUMBERS(struct trajectory_point, q, PER_JOINT, POSITIONS, "rad, m"), REQUIRED },
};
static void point_init(void *object)
{
  *(struct trajectory_point *)object = (struct trajectory_point){ .time = NAN };
}
static const struct json_type state_type =
    JSON_TYPE("a state", state_fields, struct trajectory_point, point_init, NULL);

static const struct json_field waypoint_fields[] = {
  { NUMBERS(struct trajectory_point, q, PER_JOINT, POSITIONS, "rad, m"), REQUIRED },
  { NUMBER(struct trajectory_point, time, POSITIVE, "s"), NULLABLE },
};
static const struct json_type waypoint_type =
    JSON_TYPE("a waypoint", waypoint_fields, struct trajectory_point, point_init, NULL);

/* -- limits -- */

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
static const struct json_type limits_type = JSON_TYPE("the limits", limits_fields, struct limit_wishes, NULL, NULL);

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

void trajectory_request_limits(const struct trajectory_request *request, const struct armdyn_robot_description *robot,
                               struct armdyn_limits *limits)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    limits[j] = robot->joints[j].limits;
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      const struct limit_wish *wish = wish_of(&request->limits, &places[k]);
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

size_t trajectory_request_blockers(const struct trajectory_request *request,
                                   const struct armdyn_robot_description *robot, struct trajectory_blocker *blockers)
{
  size_t count = 0;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  trajectory_request_limits(request, robot, limits);
  for (size_t j = 0; j < robot->joint_count; j++)
    for (size_t k = 0; k < ARMDYN_LIMIT_KINDS; k++) {
      double own[2], asked[2];
      limit_get(&robot->joints[j].limits, &places[k], own);
      limit_get(&limits[j], &places[k], asked);
      if (asked[0] >= own[0] && asked[1] <= own[1]) continue;
      blockers[count++] = (struct trajectory_blocker){
        .code = wish_of(&request->limits, &places[k])->removed[j] ? "limit_removed" : "limit_raised",
        .limit = places[k].kind,
        .joint = j,
      };
    }
  return count;
}

/* -- the request -- */

static void request_init(void *object)
{
  struct trajectory_request *request = object;
  memset(request, 0, sizeof *request);
  request->duration = NAN;
  request->sample_rate = 1000;
}

static void check_points(struct json_reader *r, const struct trajectory_request *request,
                         const struct armdyn_robot_description *robot, const struct armdyn_limits *limits)
{
  for (size_t p = 0; p < request->waypoint_count + 2; p++) {
    char below[64];
    const struct trajectory_point *point = &request->start;
    snprintf(below, sizeof below, "/start");
    if (p == request->waypoint_count + 1) {
      point = &request->goal;
      snprintf(below, sizeof below, "/goal");
    } else if (p > 0) {
      point = &request->waypoints[p - 1];
      snprintf(below, sizeof below, "/waypoints/%zu", p - 1);
    }
    for (size_t j = 0; j < robot->joint_count; j++) {
      const double *ends = limits[j].position;
      bool low = point->q[j] < ends[0];
      if (!low && !(point->q[j] > ends[1])) continue;
      char where[96];
      snprintf(where, sizeof where, "%s/q/%zu", below, j);
      json_fault(r, where, low ? FAULT_MINIMUM : FAULT_MAXIMUM,
                 "must be within the position limits of joint %s, [%g, %g], got %g", robot->joints[j].name, ends[0],
                 ends[1], point->q[j]);
    }
  }
}

/* Passing times increase and lie within the motion. */
static void check_times(struct json_reader *r, const struct trajectory_request *request)
{
  double last = 0;
  for (size_t i = 0; i < request->waypoint_count; i++) {
    double time = request->waypoints[i].time;
    if (isnan(time)) continue;
    char where[64];
    snprintf(where, sizeof where, "/waypoints/%zu/time", i);
    if (!(time > last))
      json_fault(r, where, FAULT_INCONSISTENT, "must be later than %g s, when the point before is passed, got %g", last,
                 time);
    else if (time >= request->duration)
      json_fault(r, where, FAULT_INCONSISTENT, "must be before the end, %g s, got %g", request->duration, time);
    last = time;
  }
}

/* Nothing but velocity and acceleration limits makes a motion take time. */
static void check_free_duration(struct json_reader *r, const struct armdyn_robot_description *robot,
                                const struct armdyn_limits *limits)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    if (isinf(limits[j].velocity))
      json_fault(r, "/limits/velocity", FAULT_REQUIRED,
                 "a free duration needs a velocity limit of every joint; %s has none", robot->joints[j].name);
    if (isinf(limits[j].acceleration))
      json_fault(r, "/limits/acceleration", FAULT_REQUIRED,
                 "a free duration needs an acceleration limit of every joint; %s has none", robot->joints[j].name);
  }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  const struct trajectory_request *request = object;
  const struct armdyn_robot_description *robot = context->user;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  trajectory_request_limits(request, robot, limits);
  check_points(r, request, robot, limits);
  check_times(r, request);
  if (isnan(request->duration))
    check_free_duration(r, robot, limits);
  else if (request->duration * request->sample_rate > LIMIT_SERIES_ROWS - 2)
    json_fault(r, "/sample_rate", FAULT_MAXIMUM,
               "%g s at %g Hz are more than the %d samples that are kept of one trajectory", request->duration,
               request->sample_rate, LIMIT_SERIES_ROWS);
}

static const struct json_field request_fields[] = {
  { ENUM(struct trajectory_request, method, methods), REQUIRED },
  { OBJECT(struct trajectory_request, start, state_type), REQUIRED },
  { OBJECT(struct trajectory_request, goal, state_type), REQUIRED },
  { LIST_ALLOCATED(struct trajectory_request, waypoints, waypoint_count, 0, LIMIT_WAYPOINTS, waypoint_type) },
  { NUMBER(struct trajectory_request, duration, BETWEEN(1e-6, 1e6), "s"), NULLABLE },
  { OBJECT(struct trajectory_request, limits, limits_type) },
  { NUMBER(struct trajectory_request, sample_rate, BETWEEN(1, 100000), "Hz") },
  RESULT_LABELS(struct trajectory_request),
};
static const struct json_type request_type =
    JSON_TYPE("a trajectory request", request_fields, struct trajectory_request, request_init, request_check);

enum armdyn_status trajectory_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct trajectory_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

void trajectory_request_release(struct trajectory_request *request)
{
  json_release(&request_type, request);
}

/* -- the same request with another duration -- */

static void copy_value(struct json_reader *r, struct json_writer *w)
{
  struct json_slice raw = { 0 };
  if (json_skip(r, &raw)) json_write_raw_n(w, raw.data, raw.length);
}

static void copy_key(struct json_writer *w, struct json_slice key)
{
  char name[LIMIT_TAG + 1];
  json_slice_decode(key, name, sizeof name);
  json_key(w, name);
}

static void rewrite_waypoint(struct json_reader *r, struct json_writer *w, double time_scale)
{
  struct json_slice key;
  double time;
  json_begin_object(w);
  json_enter_object(r, NULL);
  while (json_next_member(r, &key)) {
    copy_key(w, key);
    if (!json_slice_is(key, "time") || json_peek(r) != JSON_NUMBER)
      copy_value(r, w);
    else if (json_read_number(r, NULL, &time))
      json_write_number(w, time_scale > 0 ? time_scale * time : NAN);
  }
  json_end_object(w);
}

void trajectory_request_rewrite(const char *text, size_t length, double duration, double time_scale, struct buffer *out)
{
  struct json_reader r;
  struct json_writer w = { .out = out };
  struct json_slice key;
  json_reader_init(&r, text, length, NULL);
  json_begin_object(&w);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (json_slice_is(key, "duration")) {
      json_skip(&r, NULL);
      continue;
    }
    copy_key(&w, key);
    if (!json_slice_is(key, "waypoints")) {
      copy_value(&r, &w);
      continue;
    }
    json_begin_array(&w);
    json_enter_array(&r, NULL);
    while (json_next_element(&r)) rewrite_waypoint(&r, &w, time_scale);
    json_end_array(&w);
  }
  json_key(&w, "duration"), json_write_number(&w, duration);
  json_end_object(&w);
}
