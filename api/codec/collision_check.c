#include "api/codec/collision_check.h"

#include "api/codec/parts.h"
#include "armdyn/collision.h"

/* -- what is asked -- */

static const char *const frames[] = { [ARMDYN_WRENCH_TOOL] = "tool", [ARMDYN_WRENCH_BASE] = "base" };

static void push_init(void *object)
{
  *(struct collision_push *)object = (struct collision_push){ .duration = INFINITY };
}

static void push_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)r, (void)given, (void)context;
  swap_halves(((struct collision_push *)object)->wrench, 3);
}

static const struct json_field push_fields[] = {
  { NUMBER(struct collision_push, time, BETWEEN(0, LIMIT_SIMULATION_TIME), "s"), REQUIRED },
  { NUMBER(struct collision_push, duration, ABOVE_UP_TO(0, LIMIT_SIMULATION_TIME), "s"), NULLABLE },
  { NUMBERS(struct collision_push, wrench, 6, BETWEEN(-1e9, 1e9), "fx, fy, fz in N, mx, my, mz in N m"), REQUIRED },
  { ENUM(struct collision_push, wrench_frame, frames) },
};
static const struct json_type push_type =
    JSON_TYPE("a collision", push_fields, struct collision_push, push_init, push_check);

static void request_init(void *object)
{
  struct collision_check_request *request = object;
  *request = (struct collision_check_request){
    .margin = 2, .observer_bandwidth_hz = 5, .tracking_bandwidth_hz = NAN, .sample_rate = NAN, .friction = true
  };
  identification_conditioning_type.init(&request->conditioning);
}

/* Rows of the table below whose presence matters. */
enum { ROW_MARGIN, ROW_CONDITIONING };

static void check_simulation(struct json_reader *r, const struct collision_check_request *request)
{
  static const char *const why = "goes with a trajectory, which a simulated arm follows";
  if (*request->trajectory) {
    if (request->datasets.count)
      json_fault(r, "/datasets", FAULT_INCONSISTENT, "do not go with a trajectory: logs or a simulation are checked");
    if (!request->has_collision) json_fault(r, "/collision", FAULT_REQUIRED, "what strikes the simulated arm");
    return;
  }
  if (!request->datasets.count)
    json_fault(r, "/datasets", FAULT_REQUIRED, "logs to look for collisions in, or a trajectory to simulate one on");
  if (request->has_collision) json_fault(r, "/collision", FAULT_INCONSISTENT, "%s", why);
  if (!isnan(request->tracking_bandwidth_hz)) json_fault(r, "/tracking_bandwidth_hz", FAULT_INCONSISTENT, "%s", why);
  if (!isnan(request->sample_rate)) json_fault(r, "/sample_rate", FAULT_INCONSISTENT, "%s", why);
}

static void check_thresholds(struct json_reader *r, const struct collision_check_request *request, uint64_t given)
{
  if (request->has_thresholds && request->reference.count)
    json_fault(r, "/thresholds", FAULT_INCONSISTENT, "are found in the reference; give one of the two");
  if (!request->has_thresholds && !request->reference.count)
    json_fault(r, "/reference", FAULT_REQUIRED,
               "logs without collisions to find thresholds in, unless thresholds are given");
  if (request->has_thresholds && given >> ROW_MARGIN & 1)
    json_fault(r, "/margin", FAULT_INCONSISTENT, "goes with a reference");
  if (!request->datasets.count && !request->reference.count && given >> ROW_CONDITIONING & 1)
    json_fault(r, "/conditioning", FAULT_INCONSISTENT, "goes with logs, and there are none");
}

static void check_overlap(struct json_reader *r, const struct collision_check_request *request)
{
  for (size_t d = 0; d < request->datasets.count; d++)
    for (size_t i = 0; i < request->reference.count; i++) {
      if (strcmp(request->datasets.items[d], request->reference.items[i]) != 0) continue;
      char pointer[48];
      snprintf(pointer, sizeof pointer, "/datasets/%zu", d);
      json_fault(r, pointer, FAULT_INCONSISTENT, "is in the reference too, whose thresholds it cannot exceed");
    }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  check_simulation(r, object);
  check_thresholds(r, object, given);
  check_overlap(r, object);
}

#define REQUEST struct collision_check_request
static const struct json_field request_fields[] = {
  [ROW_MARGIN] = { NUMBER(REQUEST, margin, BETWEEN(1, 100), NULL) },
  [ROW_CONDITIONING] = { OBJECT(REQUEST, conditioning, identification_conditioning_type) },
  { ID_LIST(REQUEST, datasets) },
  { TEXT(REQUEST, trajectory), MATCHES(json_id_pattern) },
  { ID_LIST(REQUEST, reference) },
  { NUMBERS(REQUEST, thresholds, PER_JOINT, ABOVE_UP_TO(0, 1e9), "N m, N"), HAS(REQUEST, has_thresholds) },
  { OBJECT(REQUEST, collision, push_type), HAS(REQUEST, has_collision) },
  { NUMBER(REQUEST, observer_bandwidth_hz, BETWEEN(0.01, 1000), "Hz") },
  { NUMBER(REQUEST, tracking_bandwidth_hz, BETWEEN(0.01, 1000), "Hz"), NULLABLE },
  { NUMBER(REQUEST, sample_rate, BETWEEN(1, 100000), "Hz"), NULLABLE },
  { TRUTH(REQUEST, friction) },
  RESULT_LABELS(REQUEST),
};
static const struct json_type request_type =
    JSON_TYPE("a request for a collision check", request_fields, REQUEST, request_init, request_check);

enum armdyn_status collision_check_request_decode(const char *text, size_t length,
                                                  const struct armdyn_robot_description *robot,
                                                  struct collision_check_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- what is answered -- */

static void encode_log(struct json_writer *w, const struct collision_check_result *result, size_t index)
{
  const struct collision_log *log = &result->logs[index];
  const size_t n = result->robot->joint_count;
  json_begin_object(w);
  if (index < result->reference_count || result->request->datasets.count) {
    const struct identification_data *data = &result->data[index];
    json_key(w, "dataset"), json_write_text(w, data->id);
    json_key(w, "label"), json_write_text(w, data->label ? data->label : "");
    json_key(w, "sha256"), json_write_text(w, data->sha256);
  }
  json_key(w, "duration"), json_write_number(w, log->duration);
  json_key(w, "rms"), json_write_numbers(w, log->rms, n);
  json_key(w, "peak"), json_write_numbers(w, log->peak, n);
  json_key(w, "alarms"), json_write_integer(w, (long long)log->alarms);
  json_end_object(w);
}

/* How often the thresholds would cry wolf: each part of the reference held against what was found in the others. */
static void encode_reference(struct json_writer *w, const struct collision_check_result *result)
{
  static const double confidence = 0.95;
  size_t alarms = 0;
  double hours = 0;
  json_key(w, "reference");
  if (!result->reference_count) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "margin"), json_write_number(w, result->request->margin);
  json_key(w, "logs"), json_begin_array(w);
  for (size_t i = 0; i < result->reference_count; i++) {
    encode_log(w, result, i);
    alarms += result->logs[i].alarms;
    hours += result->logs[i].duration / 3600;
  }
  json_end_array(w);
  json_key(w, "parts"), json_write_integer(w, (long long)result->parts);
  json_key(w, "hours"), json_write_number(w, hours);
  json_key(w, "false_alarms"), json_write_integer(w, (long long)alarms);
  json_key(w, "false_alarms_per_hour"), json_write_number(w, (double)alarms / hours);
  json_key(w, "false_alarms_per_hour_at_most"), json_write_number(w, armdyn_alarms_at_most(alarms, confidence) / hours);
  json_end_object(w);
}

static void encode_event(struct json_writer *w, const struct collision_check_result *result,
                         const struct collision_event *event)
{
  json_begin_object(w);
  if (!*result->request->trajectory)
    json_key(w, "dataset"), json_write_text(w, result->data[result->reference_count + event->log].id);
  json_key(w, "time"), json_write_number(w, event->time);
  json_key(w, "end"), json_write_number(w, event->end);
  json_key(w, "sample_time"), json_write_number(w, event->sample_time);
  json_key(w, "joint"), json_write_text(w, result->robot->joints[event->joint].name);
  json_key(w, "direction"), json_write_text(w, event->residual > 0 ? "positive" : "negative");
  json_key(w, "residual"), json_write_number(w, event->residual);
  json_key(w, "threshold"), json_write_number(w, result->thresholds[event->joint]);
  json_key(w, "peak"), json_write_numbers(w, event->peak, result->robot->joint_count);
  json_end_object(w);
}

static void encode_outcome(struct json_writer *w, const struct collision_check_result *result)
{
  const struct collision_outcome *outcome = &result->outcome;
  json_key(w, "trajectory"), json_write_text(w, result->request->trajectory);
  json_key(w, "tracking_bandwidth_hz"), json_write_number(w, result->request->tracking_bandwidth_hz);
  json_key(w, "collision"), json_begin_object(w);
  json_key(w, "time"), json_write_number(w, outcome->time);
  json_key(w, "duration"), json_write_number(w, outcome->duration);
  json_key(w, "torques"), json_write_numbers(w, outcome->torques, result->robot->joint_count);
  json_key(w, "detected"), json_write_truth(w, !isnan(outcome->delay));
  json_key(w, "delay"), json_write_number(w, outcome->delay);
  json_key(w, "false_alarms"), json_write_integer(w, (long long)outcome->false_alarms);
  json_end_object(w);
}

static void encode_ids(struct json_writer *w, const char *name, const struct id_list *list)
{
  json_key(w, name), json_begin_array(w);
  for (size_t i = 0; i < list->count; i++) json_write_text(w, list->items[i]);
  json_end_array(w);
}

void collision_check_result_encode(const struct collision_check_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct collision_check_request *request = result->request;
  json_begin_object(&w);
  encode_ids(&w, "datasets", &request->datasets);
  json_key(&w, "observer_bandwidth_hz"), json_write_number(&w, request->observer_bandwidth_hz);
  json_key(&w, "observer_gain"), json_write_number(&w, result->gain);
  json_key(&w, "thresholds"), json_write_numbers(&w, result->thresholds, result->robot->joint_count);
  encode_reference(&w, result);
  if (request->datasets.count || request->reference.count)
    json_key(&w, "conditioning"),
        json_encode_object(&w, &identification_conditioning_type, &result->conditioning, NULL);
  if (*request->trajectory) encode_outcome(&w, result);
  json_key(&w, "checked"), json_begin_array(&w);
  for (size_t i = 0; i < result->checked_count; i++) encode_log(&w, result, result->reference_count + i);
  json_end_array(&w);
  json_key(&w, "event_count"), json_write_integer(&w, (long long)result->event_count);
  json_key(&w, "events"), json_begin_array(&w);
  for (size_t i = 0; i < result->listed; i++) encode_event(&w, result, &result->events[i]);
  json_end_array(&w);
  identification_warnings_encode(&w, result->warnings, result->warning_count);
  json_key(&w, "sample_rate"), json_write_number(&w, result->sample_rate);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "event_count", "event_count" },
  { "delay", "collision/delay" },
  { "false_alarms_per_hour_at_most", "reference/false_alarms_per_hour_at_most" },
};
static const char *const members[] = { "datasets", NULL };

const struct result_form collision_check_form = { "collision-checks", metrics, sizeof metrics / sizeof *metrics,
                                                  members };
