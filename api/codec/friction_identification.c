#include "api/codec/friction_identification.h"

#include "api/codec/friction_curve.h"
#include "api/codec/robot.h"

enum { POINTS_TOLD = 4000 }; /* of all joints together, so that the document stays small */

/* -- what is asked -- */

static void request_init(void *object)
{
  struct friction_identification_request *request = object;
  memset(request, 0, sizeof *request);
  request->position_cutoff_hz = 20;
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct friction_identification_request *request = object;
  if (!json_reader_status(r) && !request->datasets.count)
    json_fault(r, "/datasets", FAULT_LENGTH, "must name at least one data set");
}

static const struct json_field request_fields[] = {
  { ID_LIST(struct friction_identification_request, datasets), REQUIRED },
  { NUMBER(struct friction_identification_request, position_cutoff_hz, BETWEEN(0, 50000), "Hz") },
  RESULT_LABELS(struct friction_identification_request),
};
static const struct json_type request_type =
    JSON_TYPE("a friction identification request", request_fields, struct friction_identification_request, request_init,
              request_check);

enum armdyn_status friction_identification_request_decode(const char *text, size_t length,
                                                          const struct armdyn_robot_description *robot,
                                                          struct friction_identification_request *out,
                                                          struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- what is answered -- */

/* Of the terms that there are. */
static void encode_deviations(struct json_writer *w, const struct armdyn_joint_friction *joint)
{
  const struct armdyn_friction *d = &joint->deviation;
  json_begin_object(w);
  json_member_number(w, "offset", d->offset);
  json_member_number(w, "coulomb", d->coulomb.positive);
  json_member_number(w, "viscous", d->viscous.positive);
  if (!isnan(joint->friction.stiction)) {
    json_member_number(w, "stiction", d->stiction);
    json_member_number(w, "stribeck_velocity", d->stribeck_velocity);
  }
  if (joint->friction.high_speed != 0) json_member_number(w, "high_speed", d->high_speed);
  json_key(w, "position"), json_begin_array(w);
  for (size_t k = 0; k < joint->friction.ripple_count; k++) {
    json_begin_object(w);
    json_member_number(w, "amplitude", d->ripples[k].amplitude);
    json_member_number(w, "phase", d->ripples[k].phase);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_trials(struct json_writer *w, const struct armdyn_joint_friction *joint)
{
  json_begin_array(w);
  for (size_t k = 0; k < joint->trial_count; k++) {
    const struct armdyn_extra_trial *trial = &joint->trials[k];
    json_begin_object(w);
    json_key(w, "term"), json_write_text(w, armdyn_friction_term_name(trial->term));
    json_key(w, "order");
    json_write_number(w, trial->term == ARMDYN_FRICTION_POSITION ? trial->order : NAN);
    json_member_number(w, "without", trial->without);
    json_member_number(w, "with", isfinite(trial->with) ? trial->with : NAN);
    json_key(w, "kept"), json_write_truth(w, trial->kept);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_points(struct json_writer *w, const struct armdyn_joint_friction *joint, size_t most)
{
  json_begin_array(w);
  for (size_t k = 0; k < joint->point_count && k < most; k++) {
    const struct armdyn_speed_point *point = &joint->points[k];
    json_begin_object(w);
    json_member_number(w, "speed", point->speed);
    json_member_number(w, "torque", point->torque);
    json_member_number(w, "fitted", point->fitted);
    json_member_number(w, "duration", point->seconds);
    json_end_object(w);
  }
  json_end_array(w);
}

/* As it is drawn. */
static void encode_curve(struct json_writer *w, const struct armdyn_joint *model, const struct armdyn_friction *found)
{
  double velocity[FRICTION_CURVE_POINTS], torque[FRICTION_CURVE_POINTS];
  struct armdyn_joint joint = *model;
  joint.friction = *found;
  friction_curve_velocities(model, velocity);
  for (size_t k = 0; k < FRICTION_CURVE_POINTS; k++) torque[k] = armdyn_friction_over_velocity(&joint, velocity[k]);
  friction_curve_encode(w, velocity, torque, NULL, found);
}

static void encode_joint(struct json_writer *w, const struct armdyn_joint *model,
                         const struct armdyn_joint_friction *joint, size_t points_most)
{
  json_begin_object(w);
  json_key(w, "joint"), json_write_text(w, model->name);
  json_key(w, "friction");
  if (joint->found)
    json_encode_object(w, &robot_friction_type, &joint->friction, NULL);
  else
    json_write_null(w);
  json_key(w, "std");
  if (joint->found)
    encode_deviations(w, joint);
  else
    json_write_null(w);
  json_member_number(w, "error", joint->found ? joint->error : NAN);
  json_member_number(w, "held_out_error", joint->found ? joint->held_out : NAN);
  json_key(w, "trials"), encode_trials(w, joint);
  json_key(w, "run_count"), json_write_integer(w, (long long)joint->point_count);
  json_key(w, "points"), encode_points(w, joint, points_most);
  if (joint->found) encode_curve(w, model, &joint->friction);
  json_end_object(w);
}

static void encode_warnings(struct json_writer *w, const struct friction_identification_result *result)
{
  json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    char detail[256];
    if (result->joints[j].found) continue;
    snprintf(
        detail, sizeof detail,
        "Joint %s has %zu runs at constant speed while all others rest; 8 are needed, 3 of them in each direction.",
        result->robot->joints[j].name, result->joints[j].point_count);
    json_begin_object(w);
    json_key(w, "code"), json_write_text(w, "too_few_runs");
    json_key(w, "joint"), json_write_text(w, result->robot->joints[j].name);
    json_key(w, "detail"), json_write_text(w, detail);
    json_end_object(w);
  }
  json_end_array(w);
}

void friction_identification_result_encode(const struct friction_identification_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const size_t n = result->robot->joint_count;
  size_t found = 0;
  for (size_t j = 0; j < n; j++) found += result->joints[j].found;
  json_begin_object(&w);
  json_key(&w, "joint_count"), json_write_integer(&w, (long long)found);
  json_key(&w, "joints"), json_begin_array(&w);
  for (size_t j = 0; j < n; j++) encode_joint(&w, &result->robot->joints[j], &result->joints[j], POINTS_TOLD / n);
  json_end_array(&w);
  json_key(&w, "data"), identification_data_encode(&w, result->data, result->data_count);
  json_key(&w, "conditioning"), json_begin_object(&w);
  json_member_number(&w, "rate", result->rate);
  json_member_number(&w, "position_cutoff_hz", result->request->position_cutoff_hz);
  json_end_object(&w);
  json_key(&w, "warnings"), encode_warnings(&w, result);
  result_origin_encode(&w, &result->request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = { { "joint_count", "joint_count" },
                                                { "error.*", "joints/*/error" },
                                                { "held_out_error.*", "joints/*/held_out_error" } };
const struct result_form friction_identification_form = { "friction-identifications", metrics,
                                                          sizeof metrics / sizeof *metrics, NULL };
