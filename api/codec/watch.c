#include "api/codec/watch.h"

/* -- what is asked -- */

static const char *const parameter_names[] = { [WATCH_FRICTION] = "friction", [WATCH_ALL] = "all" };

static void request_init(void *object)
{
  struct watch_request *request = object;
  *request = (struct watch_request){ .memory = 60, .share = 0.2, .observer_bandwidth_hz = 5 };
  identification_conditioning_type.init(&request->conditioning);
}

enum { ROW_SHARE };

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct watch_request *request = object;
  (void)context;
  if (request->has_thresholds && given >> ROW_SHARE & 1)
    json_fault(r, "/share", FAULT_INCONSISTENT, "makes thresholds of the friction; give one of the two");
}

#define REQUEST struct watch_request
static const struct json_field request_fields[] = {
  [ROW_SHARE] = { NUMBER(REQUEST, share, BETWEEN(0.01, 100), "of a joint's friction") },
  { ENUM(REQUEST, parameters, parameter_names) },
  { NUMBER(REQUEST, memory, BETWEEN(1, 86400), "s of motion") },
  { NUMBERS(REQUEST, thresholds, PER_JOINT, ABOVE_UP_TO(0, 1e9), "N m, N"), HAS(REQUEST, has_thresholds), NULLABLE },
  { NUMBERS(REQUEST, collision_thresholds, PER_JOINT, ABOVE_UP_TO(0, 1e9), "N m, N"),
    HAS(REQUEST, has_collision_thresholds), NULLABLE },
  { NUMBER(REQUEST, observer_bandwidth_hz, BETWEEN(0.01, 1000), "Hz") },
  { OBJECT(REQUEST, conditioning, identification_conditioning_type) },
};
static const struct json_type request_type = JSON_TYPE("a watch", request_fields, REQUEST, request_init, request_check);

enum armdyn_status watch_request_decode(const char *text, size_t length, size_t joint_count, struct watch_request *out,
                                        struct faults *faults)
{
  const struct json_context context = { .joint_count = joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}

void watch_request_encode(const struct watch_request *request, size_t joint_count, struct buffer *out)
{
  const struct json_context context = { .joint_count = joint_count };
  struct watch_request written = *request;
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_encode_fields(&w, &request_type, &written, &context);
  json_end_object(&w);
}

/* -- what is told -- */

#define X(name, text) [WATCH_GAP_##name] = text,
const char *const watch_gap_names[WATCH_GAP_REASONS] = { WATCH_GAP_LIST(X) };
#undef X

static void encode_conditioning(struct json_writer *w, const struct armdyn_conditioning *c)
{
  json_key(w, "conditioning"), json_begin_object(w);
  json_member_given(w, "method", c->method == ARMDYN_BUTTERWORTH ? "butterworth" : "tracking_differentiator");
  json_member_number(w, "rate", c->rate);
  json_member_number(w, "position_cutoff_hz", c->position_cutoff);
  json_member_number(w, "torque_cutoff_hz", c->torque_cutoff);
  json_member_number(w, "trim", c->trim);
  json_end_object(w);
}

static void encode_joints(struct json_writer *w, const struct watch_view *view)
{
  json_key(w, "joints"), json_begin_array(w);
  for (size_t i = 0; i < view->model->joint_count; i++) {
    const struct watch_joint *joint = &view->joints[i];
    json_begin_object(w);
    json_member_given(w, "joint", view->model->joints[i].name);
    json_member_number(w, "drift_torque", joint->drift.torque);
    json_member_number(w, "noise", joint->drift.noise);
    json_member_number(w, "threshold", joint->threshold);
    json_key(w, "drifted"), json_write_truth(w, joint->drifted);
    json_member_number(w, "friction", joint->drift.friction);
    json_member_number(w, "measured", joint->drift.measured);
    json_member_number(w, "unexplained", joint->drift.residual);
    json_member_number(w, "collision_residual", joint->residual);
    json_member_number(w, "collision_peak", joint->peak);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_parameters(struct json_writer *w, const struct watch_view *view)
{
  char text[1024];
  json_key(w, "parameters"), json_begin_array(w);
  for (size_t k = 0; k < armdyn_drift_count(view->drift); k++) {
    const struct armdyn_drift_parameter parameter = armdyn_drift_parameter(view->drift, k);
    armdyn_drift_text(view->drift, k, text, sizeof text);
    json_begin_object(w);
    json_member_given(w, "parameter", text);
    json_member_given(w, "joint", view->model->joints[parameter.id.joint].name);
    json_member_number(w, "model", parameter.model);
    json_member_number(w, "value", parameter.model + view->change[k]);
    json_member_number(w, "change", view->change[k]);
    json_member_number(w, "deviation", view->deviation[k]);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_gaps(struct json_writer *w, const struct watch_view *view)
{
  json_key(w, "gaps"), json_begin_object(w);
  json_member_count(w, "count", view->gap_count);
  json_key(w, "last"), json_begin_array(w);
  for (size_t i = 0; i < view->gap_count && i < WATCH_GAPS; i++) {
    const struct watch_gap *gap = &view->gaps[i];
    json_begin_object(w);
    json_member_given(w, "from", gap->from);
    json_member_given(w, "to", gap->to);
    json_member_given(w, "reason", watch_gap_names[gap->reason]);
    json_member_given(w, "transfer", gap->transfer);
    json_end_object(w);
  }
  json_end_array(w), json_end_object(w);
}

static void encode_history(struct json_writer *w, const struct watch_view *view)
{
  const size_t b = armdyn_drift_count(view->drift);
  json_key(w, "history"), json_begin_object(w);
  json_member_number(w, "spacing", view->spacing);
  json_key(w, "points"), json_begin_array(w);
  for (size_t i = 0; i < view->point_count; i++) {
    const struct watch_point *point = &view->points[i];
    json_begin_object(w);
    json_member_given(w, "at", point->at);
    json_member_number(w, "seconds", point->seconds);
    json_key(w, "change"), json_write_numbers(w, point->change, b);
    json_key(w, "deviation"), json_write_numbers(w, point->deviation, b);
    json_key(w, "drift_torque"), json_write_numbers(w, point->drift_torque, view->model->joint_count);
    json_end_object(w);
  }
  json_end_array(w), json_end_object(w);
}

void watch_encode(const struct watch_view *view, struct json_writer *w)
{
  struct buffer request = BUFFER(KB(16));
  watch_request_encode(view->request, view->model->joint_count, &request);
  json_member_given(w, "controller", view->controller);
  json_member_given(w, "robot", view->robot);
  json_key(w, "revision"), json_write_integer(w, view->revision);
  json_member_given(w, "transfer", view->transfer);
  json_member_given(w, "started_at", view->started_at);
  json_member_given(w, "begun_at", view->begun_at);
  json_member_given(w, "updated_at", view->updated_at);
  json_key(w, "request"), json_write_raw(w, request.data);
  encode_conditioning(w, view->conditioning);
  json_member_count(w, "motions", view->motions);
  json_member_count(w, "samples", view->samples);
  json_member_number(w, "seconds", view->seconds);
  json_member_given(w, "drifted_at", view->drifted_at);
  encode_joints(w, view);
  encode_parameters(w, view);
  json_key(w, "contacts"), json_begin_object(w);
  json_member_count(w, "count", view->contacts);
  json_member_given(w, "last_at", view->contact_at);
  json_end_object(w);
  encode_gaps(w, view);
  encode_history(w, view);
  buffer_release(&request);
}
