#include "api/codec/trajectory.h"

#include <math.h>

#include "api/codec/inverse_kinematics.h"

/* In the order of enum trajectory_method. */
static const char *const methods[] = { "trapezoid",   "quintic", "cubic",   "energy_optimal",
                                       "path_timing", "samples", "sequence" };
_Static_assert(sizeof methods / sizeof *methods == TRAJECTORY_METHODS, "name every method");

static const char *const paths[] = { "joint", "line", "arc" };
_Static_assert(sizeof paths / sizeof *paths == TRAJECTORY_PATHS, "name every path");

const char *trajectory_method_name(enum trajectory_method method)
{
  return methods[method];
}

bool trajectory_is_searched(enum trajectory_method method)
{
  return method == TRAJECTORY_ENERGY_OPTIMAL || method == TRAJECTORY_PATH_TIMING;
}

/* In the order of enum armdyn_cost_model, and of enum armdyn_regeneration. */
static const char *const cost_models[] = { "torque", "time", "electrical" };
_Static_assert(sizeof cost_models / sizeof *cost_models == ARMDYN_COST_MODELS, "name every model of a cost");
static const char *const regenerations[] = { "none", "shared_bus", "grid" };
_Static_assert(sizeof regenerations / sizeof *regenerations == ARMDYN_REGENERATION_COUNT, "name every regeneration");

enum { INTERVALS_A_SEGMENT = 4 }; /* at least, as armdyn_optimal_plan has it */
#define OPTIMAL_DURATION_MIN 1e-3 /* s, as armdyn_optimal_plan has them */
#define OPTIMAL_DURATION_MAX 1e3
_Static_assert(LIMIT_DURATIONS == ARMDYN_PARETO_MAX, "as many as armdyn_optimal_pareto takes");

#define POSITIONS BETWEEN(-1e6, 1e6) /* beyond any arm, and far from overflow */

/* -- points -- */

static const struct json_field state_fields[] = {
  { NUMBERS(struct trajectory_point, q, PER_JOINT, POSITIONS, "rad, m"), REQUIRED },
  { TEXT(struct trajectory_point, controller), MATCHES(json_name_pattern), NULLABLE },
};
static void point_init(void *object)
{
  *(struct trajectory_point *)object = (struct trajectory_point){ .time = NAN, .task = ARMDYN_TASK_ALL };
}
static const struct json_type state_type =
    JSON_TYPE("a state", state_fields, struct trajectory_point, point_init, NULL);

/* The first rows of points that are given by positions of the joints, or by the tool. */
#define PLACE_ROWS                                                                                                     \
  { NUMBERS(struct trajectory_point, q, PER_JOINT, POSITIONS, "rad, m"), NULLABLE },                                   \
      { OBJECT(struct trajectory_point, tool, tool_pose_type), HAS(struct trajectory_point, by_tool), NULLABLE },      \
  {                                                                                                                    \
    CUSTOM(struct trajectory_point, task, pose_task_decode, NULL, "names of components"), NULLABLE                     \
  }
enum { GIVEN_Q = 1, GIVEN_TOOL = 1 << 1, GIVEN_TASK = 1 << 2 };

static void place_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct trajectory_point *point = object;
  (void)context;
  if (!(given & (GIVEN_Q | GIVEN_TOOL)))
    json_fault(r, "/q", FAULT_REQUIRED, "is missing: an array of one number for each joint, or tool instead");
  if ((given & GIVEN_Q) && (given & GIVEN_TOOL))
    json_fault(r, "/tool", FAULT_INCONSISTENT, "the point is given by q already: one of the two");
  if ((given & GIVEN_TASK) && !(given & GIVEN_TOOL))
    json_fault(r, "/task", FAULT_INCONSISTENT, "says what counts of a tool, which is not given");
  if (point->by_tool && !(r->wrong & GIVEN_TOOL)) tool_pose_check(r, &point->tool, point->task);
}

static const struct json_field place_fields[] = { PLACE_ROWS };
static const struct json_type place_type = JSON_TYPE("a place, {\"q\": [...]} or {\"tool\": {...}},", place_fields,
                                                     struct trajectory_point, point_init, place_check);

static const struct json_field waypoint_fields[] = {
  PLACE_ROWS,
  { NUMBER(struct trajectory_point, time, POSITIVE, "s"), NULLABLE },
};
static const struct json_type waypoint_type =
    JSON_TYPE("a waypoint", waypoint_fields, struct trajectory_point, point_init, place_check);

/* -- the cost -- */

static const struct json_field cost_fields[] = {
  { ENUM(struct trajectory_cost, model, cost_models) },
  { NUMBERS(struct trajectory_cost, weights, PER_JOINT, ABOVE_UP_TO(0, 1e12), "1/(N m)^2, 1/N^2"), NULLABLE,
    HAS(struct trajectory_cost, weighted) },
  { ENUM(struct trajectory_cost, drives.regeneration, regenerations), NAMED("regeneration") },
  { NUMBER(struct trajectory_cost, drives.grid_efficiency, BETWEEN(0, 1), NULL), NAMED("grid_efficiency") },
};
/* rows of the table */
enum { GIVEN_MODEL = 1, GIVEN_WEIGHTS = 1 << 1, GIVEN_REGENERATION = 1 << 2, GIVEN_GRID_EFFICIENCY = 1 << 3 };

static void cost_init(void *object)
{
  *(struct trajectory_cost *)object = (struct trajectory_cost){ .drives.grid_efficiency = 0.8 };
}

/* What electrical energy needs and this drive has not; NULL: nothing. */
static const char *missing_of(const struct armdyn_drive *drive)
{
  return isnan(drive->torque_constant) ? "torque_constant"
         : isnan(drive->resistance)    ? "resistance"
         : isnan(drive->efficiency)    ? "efficiency"
                                       : NULL;
}

/* The drives' data that electrical energy needs, of every joint. */
static void check_drives(struct json_reader *r, const struct armdyn_robot_description *robot)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    const char *missing = missing_of(&robot->joints[j].drive);
    if (missing)
      json_fault(r, "/model", FAULT_REQUIRED, "electrical energy needs drive.%s of joint %s, which the robot has not",
                 missing, robot->joints[j].name);
  }
}

static void cost_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct trajectory_cost *cost = object;
  if (json_reader_status(r)) return;
  cost->asked = given & (GIVEN_MODEL | GIVEN_WEIGHTS | GIVEN_REGENERATION | GIVEN_GRID_EFFICIENCY);
  if (!(given & (GIVEN_MODEL | GIVEN_WEIGHTS)) && cost->asked) cost->model = ARMDYN_COST_ELECTRICAL;
  if ((given & GIVEN_WEIGHTS) && cost->model != ARMDYN_COST_TORQUE)
    json_fault(r, "/weights", FAULT_INCONSISTENT, "belong to the model torque");
  if ((given & GIVEN_REGENERATION) && cost->model != ARMDYN_COST_ELECTRICAL)
    json_fault(r, "/regeneration", FAULT_INCONSISTENT, "belongs to the model electrical");
  if ((given & GIVEN_GRID_EFFICIENCY) && cost->drives.regeneration != ARMDYN_REGENERATION_GRID)
    json_fault(r, "/grid_efficiency", FAULT_INCONSISTENT, "belongs to the regeneration grid");
  if (cost->model == ARMDYN_COST_ELECTRICAL) check_drives(r, context->user);
}

static const struct json_type cost_type =
    JSON_TYPE("a cost", cost_fields, struct trajectory_cost, cost_init, cost_check);

/* Energy is electricity where the robot tells enough of its drives. */
static void cost_choose(struct trajectory_cost *cost, const struct armdyn_robot_description *robot)
{
  if (cost->asked) return;
  cost->model = ARMDYN_COST_ELECTRICAL;
  for (size_t j = 0; j < robot->joint_count; j++)
    if (missing_of(&robot->joints[j].drive)) cost->model = ARMDYN_COST_TORQUE;
}

size_t trajectory_cost_terms(const struct trajectory_request *request, struct armdyn_cost_term terms[2])
{
  const struct trajectory_cost *cost = &request->cost;
  terms[0] = (struct armdyn_cost_term){
    .model = cost->model,
    .weight = 1,
    .joint_weights = cost->weighted ? cost->weights : NULL,
    .electrical = &cost->drives,
  };
  terms[1] = (struct armdyn_cost_term){ .model = ARMDYN_COST_TIME, .weight = request->time_price };
  return request->time_price > 0 ? 2 : 1;
}

/* -- the request -- */

static void request_init(void *object)
{
  struct trajectory_request *request = object;
  memset(request, 0, sizeof *request);
  request->method = TRAJECTORY_ENERGY_OPTIMAL;
  request->duration = NAN;
  request->sample_rate = 1000;
  request->path_tolerance = request->tool_speed_max = NAN;
  request->duration_min = request->duration_max = NAN;
  cost_init(&request->cost);
  request->intervals = 100;
  request->multistart = 4;
  request->seed = 1;
  request->deadline = 10;
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
    if (point->by_tool) continue; /* found within the limits, or not at all */
    for (size_t j = 0; j < robot->joint_count; j++) {
      const double *ends = limits[j].position;
      bool low = point->q[j] < ends[0];
      if (!low && !(point->q[j] > ends[1])) continue;
      const bool turns = robot->joints[j].type == ARMDYN_REVOLUTE;
      char where[96];
      snprintf(where, sizeof where, "%s/q/%zu", below, j);
      json_fault(r, where, low ? FAULT_MINIMUM : FAULT_MAXIMUM,
                 "must be within the position limits of joint %s, [%g, %g] %s, got %g%s", robot->joints[j].name,
                 ends[0], ends[1], turns ? "rad" : "m", point->q[j],
                 turns && fabs(point->q[j]) > 2 * M_PI ? ": are these degrees?" : "");
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

/* Rows of the table below whose presence matters. */
enum { ROW_START, ROW_GOAL, ROW_WAYPOINTS, ROW_DURATION, ROW_SAMPLES, ROW_STEPS };

static const struct json_field request_fields[] = {
  [ROW_START] = { OBJECT(struct trajectory_request, start, state_type) },
  [ROW_GOAL] = { OBJECT(struct trajectory_request, goal, place_type) },
  [ROW_WAYPOINTS] = { LIST_ALLOCATED(struct trajectory_request, waypoints, waypoint_count, 0, LIMIT_WAYPOINTS,
                                     waypoint_type) },
  [ROW_DURATION] = { NUMBER(struct trajectory_request, duration, BETWEEN(1e-6, 1e6), "s"), NULLABLE },
  [ROW_SAMPLES] = { CUSTOM(struct trajectory_request, samples, own_samples_decode, NULL, "samples of a motion"),
                    NULLABLE },
  [ROW_STEPS] = { LIST_ALLOCATED(struct trajectory_request, steps, step_count, 1, LIMIT_STEPS, trajectory_step_type) },
  { ENUM(struct trajectory_request, method, methods) },
  { OBJECT(struct trajectory_request, limits, requested_limits_type) },
  { NUMBER(struct trajectory_request, sample_rate, BETWEEN(1, 100000), "Hz") },
  { CUSTOM(struct trajectory_request, shaper, shaper_decode, NULL, "a shaper, or \"auto\""), NULLABLE,
    HAS(struct trajectory_request, shaped) },
  { ENUM(struct trajectory_request, path, paths) },
  { NUMBER(struct trajectory_request, path_tolerance, BETWEEN(1e-9, 1), "m, rad"), NULLABLE },
  { NUMBER(struct trajectory_request, tool_speed_max, ABOVE_UP_TO(0, 1e6), "m/s"), NULLABLE },
  { OBJECT(struct trajectory_request, cost, cost_type) },
  { NUMBER(struct trajectory_request, time_price, BETWEEN(0, 1e12), "the cost's unit/s") },
  { NUMBER(struct trajectory_request, duration_min, BETWEEN(OPTIMAL_DURATION_MIN, OPTIMAL_DURATION_MAX), "s"),
    NULLABLE },
  { NUMBER(struct trajectory_request, duration_max, BETWEEN(OPTIMAL_DURATION_MIN, OPTIMAL_DURATION_MAX), "s"),
    NULLABLE },
  { INTEGER(struct trajectory_request, intervals, BETWEEN(8, LIMIT_INTERVALS), NULL) },
  { INTEGER(struct trajectory_request, multistart, BETWEEN(1, LIMIT_STARTS), NULL) },
  { INTEGER(struct trajectory_request, seed, BETWEEN(0, 9007199254740991), NULL) },
  { NUMBER(struct trajectory_request, deadline, ABOVE_UP_TO(0, 3600), "s") },
  { NUMBERS(struct trajectory_request, durations, LIMIT_DURATIONS, BETWEEN(OPTIMAL_DURATION_MIN, OPTIMAL_DURATION_MAX),
            "s"),
    COUNTED(struct trajectory_request, duration_count), .least = 1, NULLABLE },
  { TRUTH(struct trajectory_request, zero_boundary_acceleration) },
  { TEXT(struct trajectory_request, seed_trajectory), MATCHES(json_id_pattern), NULLABLE },
  CLEARANCE_CONSTRAINT(struct trajectory_request, clear),
  CARRIED,
  RESULT_LABELS(struct trajectory_request),
};

/* Fields that only the optimiser looks at. */
static const char *const of_the_optimiser[] = { "cost",
                                                "time_price",
                                                "duration_min",
                                                "duration_max",
                                                "intervals",
                                                "multistart",
                                                "seed",
                                                "deadline",
                                                "zero_boundary_acceleration",
                                                "seed_trajectory",
                                                "durations",
                                                "clearance_min" };

/* Fields of the optimiser that mean something where only the timing is looked for. */
static bool times_paths(const char *name)
{
  static const char *const fields[] = { "cost", "time_price", "intervals", "deadline" };
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (strcmp(fields[k], name) == 0) return true;
  return false;
}

static void check_profile(struct json_reader *r, const struct trajectory_request *request, uint64_t given)
{
  for (size_t i = 0; i < sizeof request_fields / sizeof *request_fields; i++)
    for (size_t k = 0; k < sizeof of_the_optimiser / sizeof *of_the_optimiser; k++) {
      if (!(given >> i & 1) || strcmp(json_field_name(&request_fields[i]), of_the_optimiser[k]) != 0) continue;
      if (request->method == TRAJECTORY_PATH_TIMING && times_paths(of_the_optimiser[k])) continue;
      char where[64];
      snprintf(where, sizeof where, "/%s", of_the_optimiser[k]);
      json_fault(r, where, FAULT_INCONSISTENT, "belongs to energy_optimal; a %s has no such choice",
                 methods[request->method]);
    }
}

static void check_given_duration(struct json_reader *r, const struct trajectory_request *request)
{
  if (request->duration < OPTIMAL_DURATION_MIN)
    json_fault(r, "/duration", FAULT_MINIMUM, "must be >= %g s for energy_optimal, got %g", OPTIMAL_DURATION_MIN,
               request->duration);
  if (request->duration > OPTIMAL_DURATION_MAX)
    json_fault(r, "/duration", FAULT_MAXIMUM, "must be <= %g s for energy_optimal, got %g", OPTIMAL_DURATION_MAX,
               request->duration);
  if (!isnan(request->duration_min))
    json_fault(r, "/duration_min", FAULT_INCONSISTENT, "belongs to a free duration (null)");
  if (!isnan(request->duration_max))
    json_fault(r, "/duration_max", FAULT_INCONSISTENT, "belongs to a free duration (null)");
  if (request->cost.model == ARMDYN_COST_TIME)
    json_fault(r, "/cost/model", FAULT_INCONSISTENT, "time is no choice where the duration is given");
}

static void check_priced_duration(struct json_reader *r, const struct trajectory_request *request)
{
  if (!(request->time_price > 0) && request->cost.model != ARMDYN_COST_TIME && isnan(request->duration_max))
    json_fault(r, "/duration", FAULT_REQUIRED,
               "a longer motion is cheaper: give it, or a time_price, or duration_max, or the cost time");
  if (request->duration_min > request->duration_max)
    json_fault(r, "/duration_max", FAULT_INCONSISTENT, "must not be below duration_min, %g s, got %g",
               request->duration_min, request->duration_max);
}

static void check_timing(struct json_reader *r, const struct trajectory_request *request)
{
  for (size_t i = 0; i < request->waypoint_count; i++) {
    char where[64];
    if (isnan(request->waypoints[i].time)) continue;
    snprintf(where, sizeof where, "/waypoints/%zu/time", i);
    json_fault(r, where, FAULT_INCONSISTENT, "the times are what path_timing looks for");
  }
  if (request->cost.model == ARMDYN_COST_ELECTRICAL)
    json_fault(r, "/cost/model", FAULT_UNSUPPORTED, "path_timing minimises torque or time");
  if (isnan(request->duration) && !(request->time_price > 0) && request->cost.model != ARMDYN_COST_TIME)
    json_fault(r, "/duration", FAULT_REQUIRED,
               "a longer motion is cheaper: give the longest, or a time_price, or the cost time");
}

/* Paths of the tool. */
static void check_path(struct json_reader *r, const struct trajectory_request *request)
{
  const struct trajectory_point *via = request->waypoints;
  const bool of_tool = request->path != TRAJECTORY_PATH_JOINT, arc = request->path == TRAJECTORY_PATH_ARC;
  if (of_tool && request->method != TRAJECTORY_PATH_TIMING)
    json_fault(r, "/path", FAULT_INCONSISTENT, "belongs to path_timing; a %s has its own", methods[request->method]);
  if (!isnan(request->path_tolerance) && !of_tool)
    json_fault(r, "/path_tolerance", FAULT_INCONSISTENT, "belongs to a line or arc of the tool");
  if (request->shaped && request->method == TRAJECTORY_SEQUENCE)
    json_fault(r, "/shaper", FAULT_INCONSISTENT,
               "shapes one motion: the arm would not rest between those of a sequence");
  if (request->shaped && (of_tool || !isnan(request->tool_speed_max)))
    json_fault(r, "/shaper", FAULT_INCONSISTENT,
               "shapes the motion of the joints: the tool would keep neither its path nor its speed");
  if (!of_tool) return;
  if (!request->goal.by_tool)
    json_fault(r, "/goal/tool", FAULT_REQUIRED, "is missing: a path of the tool ends at a pose of it");
  if (request->waypoint_count != (arc ? 1 : 0))
    json_fault(r, "/waypoints", FAULT_LENGTH, "must be %s, got %zu", arc ? "1, a point of the arc" : "0 of a line",
               request->waypoint_count);
  else if (arc && !via->by_tool)
    json_fault(r, "/waypoints/0/tool", FAULT_REQUIRED, "is missing: a point of the arc is one of the tool");
  else if (arc && via->task != TASK_PLACE)
    json_fault(r, "/waypoints/0/task", FAULT_INCONSISTENT,
               "must be [\"x\", \"y\", \"z\"]: on an arc the tool turns evenly from start to goal");
}

/* Durations to compare: every waypoint that has its time is passed before the end. */
static void check_durations(struct json_reader *r, const struct trajectory_request *request)
{
  double last = 0;
  if (request->duration_count > 0 && request->cost.model == ARMDYN_COST_TIME)
    json_fault(r, "/durations", FAULT_INCONSISTENT, "cost the time that they take: nothing is to be compared");
  for (size_t i = 0; i < request->waypoint_count; i++) last = fmax(last, request->waypoints[i].time);
  for (size_t k = 0; k < request->duration_count; k++) {
    char where[64];
    if (request->durations[k] > last) continue;
    snprintf(where, sizeof where, "/durations/%zu", k);
    json_fault(r, where, FAULT_INCONSISTENT, "must be longer than %g s, when the last waypoint is passed, got %g", last,
               request->durations[k]);
  }
}

static void check_optimal(struct json_reader *r, const struct trajectory_request *request)
{
  if (isnan(request->duration))
    check_priced_duration(r, request);
  else
    check_given_duration(r, request);
  check_durations(r, request);
  if (request->waypoint_count > ARMDYN_WAYPOINTS_MAX)
    json_fault(r, "/waypoints", FAULT_LENGTH, "must have at most %d for energy_optimal, got %zu", ARMDYN_WAYPOINTS_MAX,
               request->waypoint_count);
  else if (request->intervals < INTERVALS_A_SEGMENT * (request->waypoint_count + 1))
    json_fault(r, "/intervals", FAULT_MINIMUM, "must be >= %zu, %d for each segment, got %zu",
               INTERVALS_A_SEGMENT * (request->waypoint_count + 1), INTERVALS_A_SEGMENT, request->intervals);
}

/* What a motion is made of: the points that it goes between, samples, or other motions. */
enum origin { OF_POINTS, OF_SAMPLES, OF_STEPS, ORIGINS };
static enum origin origin_of(enum trajectory_method method)
{
  return method == TRAJECTORY_SAMPLES ? OF_SAMPLES : method == TRAJECTORY_SEQUENCE ? OF_STEPS : OF_POINTS;
}

/* The rows that only one of them has. */
static const struct {
  unsigned row;
  enum origin of;
  bool needed;
} origin_rows[] = {
  { ROW_START, OF_POINTS, true },     { ROW_GOAL, OF_POINTS, true },     { ROW_WAYPOINTS, OF_POINTS, false },
  { ROW_DURATION, OF_POINTS, false }, { ROW_SAMPLES, OF_SAMPLES, true }, { ROW_STEPS, OF_STEPS, true },
};

/* A row of another origin, which was given. */
static void refuse_row(struct json_reader *r, const char *where, enum origin of, enum trajectory_method method)
{
  static const char *const methods_of[ORIGINS] = { "", "samples", "sequence" };
  static const char *const made_of[ORIGINS] = { "goes between points", "is made of samples", "is made of steps" };
  if (of == OF_POINTS)
    json_fault(r, where, FAULT_INCONSISTENT, "is what the %s say, of the method %s",
               origin_of(method) == OF_STEPS ? "steps" : "samples", methods[method]);
  else
    json_fault(r, where, FAULT_INCONSISTENT, "belong to the method %s; a %s %s", methods_of[of], methods[method],
               made_of[origin_of(method)]);
}

/* First what does not belong, then what is missing: the former is mostly why. */
static void check_origin(struct json_reader *r, const struct trajectory_request *request, uint64_t given)
{
  static const char *const missing[ORIGINS] = { NULL, "t and q, a dataset, or a reference",
                                                "a list of {\"trajectory\"} and {\"dwell\"}" };
  enum { ROWS = sizeof origin_rows / sizeof *origin_rows };
  const enum origin is = origin_of(request->method);
  for (size_t i = 0; i < 2 * ROWS; i++) {
    const bool there = given >> origin_rows[i % ROWS].row & 1;
    const enum origin of = origin_rows[i % ROWS].of;
    const struct json_field *field = &request_fields[origin_rows[i % ROWS].row];
    char where[32];
    snprintf(where, sizeof where, "/%s", field->name);
    if (i < ROWS && there && of != is)
      refuse_row(r, where, of, request->method);
    else if (i >= ROWS && !there && of == is && origin_rows[i % ROWS].needed)
      json_fault(r, where, FAULT_REQUIRED, "is missing: %s", missing[of] ? missing[of] : field->type->words);
  }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  struct trajectory_request *request = object;
  const struct armdyn_robot_description *robot = context->user;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  carried_check(r, &request->carried);
  check_origin(r, request, given);
  if (json_reader_status(r)) return;
  if (request->method == TRAJECTORY_ENERGY_OPTIMAL) cost_choose(&request->cost, robot);
  requested_limits_in_force(&request->limits, robot, limits);
  if (origin_of(request->method) == OF_POINTS) check_points(r, request, robot, limits);
  check_times(r, request);
  if (request->method == TRAJECTORY_ENERGY_OPTIMAL)
    check_optimal(r, request);
  else
    check_profile(r, request, given);
  if (request->method == TRAJECTORY_PATH_TIMING) check_timing(r, request);
  check_path(r, request);
  clearance_constraint_check(r, &request->clear);
  if (isnan(request->duration)) {
    if (request->method < TRAJECTORY_ENERGY_OPTIMAL) check_free_duration(r, robot, limits);
  } else if (request->duration * request->sample_rate > LIMIT_SERIES_ROWS - 2)
    json_fault(r, "/sample_rate", FAULT_MAXIMUM,
               "%g s at %g Hz are more than the %d samples that are kept of one trajectory", request->duration,
               request->sample_rate, LIMIT_SERIES_ROWS);
}

static const struct json_type request_type =
    JSON_TYPE("a trajectory request", request_fields, struct trajectory_request, request_init, request_check);

enum armdyn_status trajectory_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct trajectory_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  out->samples = (struct own_samples){ .sample_rate = NAN };
  const enum armdyn_status status = json_decode(text, length, &request_type, out, &context, faults);
  if (status) own_samples_release(&out->samples);
  return status;
}

void trajectory_request_release(struct trajectory_request *request)
{
  own_samples_release(&request->samples);
  json_release(&request_type, request);
}
