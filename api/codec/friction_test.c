#include "api/codec/friction_test.h"

#include "api/codec/motion.h"

/* -- what is asked -- */

static void decode_joints(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  const struct armdyn_robot_description *robot = context->user;
  bool *joints = member;
  struct json_slice name;
  char got[64];
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    if (!json_read_text(r, NULL, &name)) continue;
    size_t j = 0;
    while (j < robot->joint_count && !json_slice_is(name, robot->joints[j].name)) j++;
    if (j == robot->joint_count)
      json_fault(r, NULL, FAULT_ENUM, "is no joint of the robot: %s", json_excerpt(name, got, sizeof got));
    else if (joints[j])
      json_fault(r, NULL, FAULT_DUPLICATE, "joint %s is there twice; keep one", robot->joints[j].name);
    else
      joints[j] = true;
  }
}

static void request_init(void *object)
{
  struct friction_test_request *request = object;
  memset(request, 0, sizeof *request);
  request->speeds = 36;
  request->speed_least = 0.01;
  request->speed_most = 0.9;
  request->travel = 0.8;
  request->cruise = 4;
  request->sample_rate = 250;
}

static bool is_moved(const struct friction_test_request *request, size_t joint)
{
  return !request->has_joints || request->joints[joint];
}

static void check_limits(struct json_reader *r, const struct friction_test_request *request,
                         const struct armdyn_robot_description *robot)
{
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  requested_limits_in_force(&request->limits, robot, limits);
  for (size_t j = 0; j < robot->joint_count; j++) {
    const char *joint = robot->joints[j].name;
    if (!is_moved(request, j)) continue;
    if (!isfinite(limits[j].position[0]) || !isfinite(limits[j].position[1]))
      json_fault(r, "/limits/position", FAULT_REQUIRED, "joint %s needs both ends to run between", joint);
    if (!isfinite(limits[j].velocity))
      json_fault(r, "/limits/velocity", FAULT_REQUIRED, "joint %s needs a limit: speeds are parts of it", joint);
  }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  struct friction_test_request *request = object;
  const struct armdyn_robot_description *robot = context->user;
  size_t moved = 0;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  carried_check(r, &request->carried);
  clearance_constraint_check(r, &request->clear);
  for (size_t j = 0; j < robot->joint_count; j++) moved += is_moved(request, j);
  if (!moved) json_fault(r, "/joints", FAULT_LENGTH, "must name at least one joint, or be left out for all");
  if (2 * moved * request->speeds > LIMIT_FRICTION_RUNS)
    json_fault(r, "/speeds", FAULT_MAXIMUM, "%zu joints at %zu speeds there and back are more than %d runs", moved,
               request->speeds, LIMIT_FRICTION_RUNS);
  if (!(request->speed_least < request->speed_most))
    json_fault(r, "/speed_least", FAULT_INCONSISTENT, "must be below speed_most, %g, got %g", request->speed_most,
               request->speed_least);
  check_limits(r, request, robot);
}

static const struct json_field request_fields[] = {
  { CUSTOM(struct friction_test_request, joints, decode_joints, NULL, "a list of names of joints"),
    HAS(struct friction_test_request, has_joints), NULLABLE },
  { NUMBERS(struct friction_test_request, q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"),
    HAS(struct friction_test_request, has_q), NULLABLE },
  { INTEGER(struct friction_test_request, speeds, BETWEEN(3, 200), NULL) },
  { NUMBER(struct friction_test_request, speed_least, ABOVE_UP_TO(0, 1), NULL) },
  { NUMBER(struct friction_test_request, speed_most, ABOVE_UP_TO(0, 1), NULL) },
  { NUMBER(struct friction_test_request, travel, ABOVE_UP_TO(0, 1), NULL) },
  { NUMBER(struct friction_test_request, cruise, BETWEEN(0.3, 1000), "s") },
  { OBJECT(struct friction_test_request, limits, requested_limits_type) },
  CLEARANCE_CONSTRAINT(struct friction_test_request, clear),
  { NUMBER(struct friction_test_request, sample_rate, BETWEEN(1, 100000), "Hz") },
  CARRIED,
  RESULT_LABELS(struct friction_test_request),
};
static const struct json_type request_type =
    JSON_TYPE("a friction test request", request_fields, struct friction_test_request, request_init, request_check);

enum armdyn_status friction_test_request_decode(const char *text, size_t length,
                                                const struct armdyn_robot_description *robot,
                                                struct friction_test_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- what is answered -- */

static void encode_runs(struct json_writer *w, const struct friction_test_result *result)
{
  json_begin_array(w);
  for (size_t k = 0; k < result->run_count; k++) {
    const struct armdyn_friction_run *run = &result->runs[k];
    json_begin_object(w);
    json_key(w, "joint"), json_write_text(w, result->robot->joints[run->joint].name);
    json_key(w, "speed"), json_write_number(w, run->speed);
    json_key(w, "from"), json_write_number(w, run->from);
    json_key(w, "to"), json_write_number(w, run->to);
    json_end_object(w);
  }
  json_end_array(w);
}

void friction_test_result_encode(const struct friction_test_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct friction_test_request *request = result->request;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  char words[192], detail[320];
  trajectory_margin_words(result->robot, result->margin, words, sizeof words);
  snprintf(detail, sizeof detail, "%zu runs at constant speed. Every limit is kept. %s", result->run_count, words);
  requested_limits_in_force(&request->limits, result->robot, limits);
  json_begin_object(&w);
  carried_encode(&w, &result->request->carried);
  json_key(&w, "detail"), json_write_text(&w, detail);
  json_key(&w, "duration"), json_write_number(&w, result->duration);
  json_key(&w, "run_count"), json_write_integer(&w, (long long)result->run_count);
  json_key(&w, "runs"), encode_runs(&w, result);
  json_key(&w, "margins"), motion_margins_encode(&w, result->robot, limits, result->margin);
  clearance_constraint_encode(&w, &request->clear, result->clearance);
  motion_transferable_encode(&w, result->robot, &request->limits, result->margin, result->clearance, NULL);
  json_key(&w, "warnings"), json_begin_array(&w);
  motion_step_warnings_encode(&w, result->robot, result->stepping, request->sample_rate);
  json_end_array(&w);
  json_key(&w, "sample_rate"), json_write_number(&w, request->sample_rate);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = { { "duration", "duration" }, { "run_count", "run_count" } };
const struct result_form friction_test_form = { "friction-tests", metrics, sizeof metrics / sizeof *metrics, NULL };
