#include "api/codec/mode_fit.h"

#include <math.h>
#include <string.h>

#include "api/codec/parts.h"
#include "api/codec/robot.h"
#include "api/json/writer.h"

enum { N = ARMDYN_JOINTS_MAX };

/* ---- what is asked */

#define POSTURE struct mode_posture
static const struct json_field prediction_fields[] = {
  { NUMBERS(POSTURE, q, PER_JOINT, BETWEEN(-LIMIT_SAMPLE_NUMBER, LIMIT_SAMPLE_NUMBER), "rad; m for a slide"),
    REQUIRED },
  { OBJECT(POSTURE, payload, body_type), HAS(POSTURE, has_payload), NULLABLE },
};
static const struct json_field observation_fields[] = {
  { NUMBERS(POSTURE, q, PER_JOINT, BETWEEN(-LIMIT_SAMPLE_NUMBER, LIMIT_SAMPLE_NUMBER), "rad; m for a slide"),
    REQUIRED },
  { OBJECT(POSTURE, payload, body_type), HAS(POSTURE, has_payload), NULLABLE },
  { NUMBERS(POSTURE, frequencies, ARMDYN_SIGHT_MODES, BETWEEN(0.01, 10000), "Hz, the lowest first"),
    COUNTED(POSTURE, frequency_count), NAMED("frequencies_hz"), REQUIRED },
  { NUMBER(POSTURE, deviation_percent, ABOVE_UP_TO(0, 50), NULL) },
  { NUMBERS(POSTURE, dampings, ARMDYN_SIGHT_MODES, BETWEEN(0, 0.5), "ratios, in the order of frequencies_hz"),
    COUNTED(POSTURE, damping_count) },
};

static void posture_init(void *object)
{
  *(POSTURE *)object = (POSTURE){ .deviation_percent = 1 };
}

static void observation_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  POSTURE *posture = object;
  (void)given, (void)context;
  if (!posture->frequency_count && !(r->wrong >> 2 & 1))
    json_fault(r, "/frequencies_hz", FAULT_LENGTH, "must have 1 to %d frequencies, got none", ARMDYN_SIGHT_MODES);
  for (size_t m = posture->damping_count; m < ARMDYN_SIGHT_MODES; m++) posture->dampings[m] = NAN;
  if (posture->damping_count && posture->damping_count != posture->frequency_count)
    json_fault(r, "/dampings", FAULT_LENGTH, "must have one for each of the %zu frequencies, got %zu",
               posture->frequency_count, posture->damping_count);
  for (size_t m = 1; m < posture->frequency_count; m++)
    if (!(posture->frequencies[m] > posture->frequencies[m - 1])) {
      json_fault(r, "/frequencies_hz", FAULT_INCONSISTENT, "must rise, got %g after %g", posture->frequencies[m],
                 posture->frequencies[m - 1]);
      return;
    }
}
static const struct json_type observation_type =
    JSON_TYPE("an observation", observation_fields, POSTURE, posture_init, observation_check);
static const struct json_type prediction_type = JSON_TYPE("a posture", prediction_fields, POSTURE, posture_init, NULL);

#define LOG struct mode_log
static const struct json_field log_fields[] = {
  { TEXT(LOG, look.dataset), NAMED("dataset"), MATCHES(json_id_pattern), REQUIRED },
  { NUMBER(LOG, look.begin, BETWEEN(-1e9, 1e12), "s"), NAMED("begin"), NULLABLE },
  { NUMBER(LOG, look.end, BETWEEN(-1e9, 1e12), "s"), NAMED("end"), NULLABLE },
  { INTEGER(LOG, look.modes_max, BETWEEN(1, ARMDYN_MODES_MAX), NULL), NAMED("modes_max") },
  { NUMBER(LOG, look.frequency_max_hz, BETWEEN(0.01, 10000), "Hz"), NAMED("frequency_max_hz"), NULLABLE },
  { OBJECT(LOG, look.chirp, vibration_chirp_type), NAMED("chirp"), HAS(LOG, look.has_chirp), NULLABLE },
  { OBJECT(LOG, payload, body_type), HAS(LOG, has_payload), NULLABLE },
};

static void log_init(void *object)
{
  *(LOG *)object =
      (LOG){ .look = { .begin = NAN, .end = NAN, .rate_hz = NAN, .modes_max = 1, .frequency_max_hz = NAN } };
}

static void log_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct vibration_request *look = &((const LOG *)object)->look;
  (void)given, (void)context;
  if (look->end <= look->begin)
    json_fault(r, "/end", FAULT_INCONSISTENT, "must be after begin, %g, got %g", look->begin, look->end);
}
static const struct json_type log_type = JSON_TYPE("a log", log_fields, LOG, log_init, log_check);

/* Names of the elastic joints; without any all are. */
static void joints_decode(struct json_reader *r, const struct json_field *field, void *member,
                          const struct json_context *context)
{
  const struct armdyn_robot_description *robot = context->user;
  bool *elastic = member;
  if (!json_enter_array(r, field->unit)) return;
  memset(elastic, 0, N * sizeof *elastic);
  while (json_next_element(r)) {
    struct json_slice name;
    if (!json_read_text(r, "the name of a joint", &name)) continue;
    size_t j = 0;
    while (j < robot->joint_count && !json_slice_is(name, robot->joints[j].name)) j++;
    if (j == robot->joint_count)
      json_fault(r, "", FAULT_ENUM, "the robot has no joint '%.*s'", (int)(name.length < 64 ? name.length : 64),
                 name.data);
    else
      elastic[j] = true;
  }
}

#define REQUEST struct mode_fit_request
static const struct json_field request_fields[] = {
  { CUSTOM(REQUEST, elastic, joints_decode, NULL, "a list of names of joints"), NAMED("joints") },
  { LIST(REQUEST, observations, observation_count, 0, observation_type) },
  { LIST(REQUEST, logs, log_count, 0, log_type) },
  { LIST(REQUEST, predictions, prediction_count, 0, prediction_type) },
};

static void request_init(void *object)
{
  REQUEST *request = object;
  memset(request, 0, sizeof *request);
  for (size_t j = 0; j < N; j++) request->elastic[j] = true;
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const REQUEST *request = object;
  (void)context;
  if (json_reader_status(r)) return;
  if (!request->observation_count && !request->log_count)
    json_fault(r, "/observations", given >> 1 & 1 ? FAULT_LENGTH : FAULT_REQUIRED,
               "must have at least one, or logs must, in which modes are looked for");
  if (request->observation_count + request->log_count > MODE_FIT_POSTURES)
    json_fault(r, "/logs", FAULT_LENGTH, "observations and logs may be %d in all, got %zu", MODE_FIT_POSTURES,
               request->observation_count + request->log_count);
}
static const struct json_type request_type =
    JSON_TYPE("a fit of stiffness", request_fields, REQUEST, request_init, request_check);

enum armdyn_status mode_fit_decode(const struct armdyn_robot_description *robot, const char *body, size_t length,
                                   struct mode_fit_request *out, struct faults *faults)
{
  const struct json_context context = { robot->joint_count, (void *)(uintptr_t)robot }; /* only read */
  return json_decode(body, length, &request_type, out, &context, faults);
}

void mode_fit_observe(const struct armdyn_vibration *seen, size_t joints, struct mode_posture *out)
{
  *out = (struct mode_posture){ .frequency_count = seen->mode_count, .damping_count = seen->mode_count };
  memcpy(out->q, seen->mean, joints * sizeof *out->q);
  out->deviation_percent = vibration_deviation_percent(seen);
  for (size_t m = 0; m < ARMDYN_SIGHT_MODES; m++) out->dampings[m] = NAN;
  for (size_t m = 0; m < seen->mode_count; m++)
    out->frequencies[m] = seen->modes[m].frequency, out->dampings[m] = fmin(seen->modes[m].damping, 0.5);
}

/* ---- what is answered */

static void write_stiffness(struct json_writer *w, const struct mode_fit_answer *a)
{
  json_key(w, "stiffness"), json_begin_array(w);
  for (size_t j = 0; j < a->robot->joint_count; j++) {
    if (!isfinite(a->fit->stiffness[j])) continue;
    json_begin_object(w);
    json_key(w, "joint"), json_write_text(w, a->robot->joints[j].name);
    json_key(w, "value"), json_write_number(w, a->fit->stiffness[j]);
    json_key(w, "deviation"), json_write_number(w, a->fit->deviation[j]);
    json_key(w, "damping"), json_write_number(w, a->damping[j]);
    json_end_object(w);
  }
  json_end_array(w);
}

/* As the joints of the model take it. Where the first joint stands changes no inertia of links. */
static void write_elasticity(struct json_writer *w, const struct mode_fit_answer *a)
{
  const struct mode_fit_request *asked = a->request;
  json_key(w, "elasticity"), json_begin_array(w);
  for (size_t j = 0; j < a->robot->joint_count; j++) {
    const bool gives = isfinite(a->fit->stiffness[j]);
    struct armdyn_elasticity e = { .stiffness = a->fit->stiffness[j],
                                   .deviation = gives ? a->fit->deviation[j] : 0,
                                   .damping = gives ? a->damping[j] : 0,
                                   .position = { j ? INFINITY : -INFINITY, j ? -INFINITY : INFINITY },
                                   .payload_mass = { INFINITY, 0 } };
    for (size_t i = 0; i < asked->observation_count; i++) {
      const struct mode_posture *seen = &asked->observations[i];
      const double mass = seen->has_payload ? seen->payload.mass : a->robot->payload.mass;
      e.payload_mass[0] = fmin(e.payload_mass[0], mass), e.payload_mass[1] = fmax(e.payload_mass[1], mass);
      if (j) e.position[0] = fmin(e.position[0], seen->q[j]), e.position[1] = fmax(e.position[1], seen->q[j]);
    }
    json_encode_object(w, &robot_elasticity_type, &e, NULL);
  }
  json_end_array(w);
}

static void write_observations(struct json_writer *w, const struct mode_fit_answer *a)
{
  const size_t n = a->robot->joint_count;
  json_key(w, "observations"), json_begin_array(w);
  for (size_t i = 0; i < a->request->observation_count; i++) {
    const struct mode_posture *seen = &a->request->observations[i];
    double error[ARMDYN_SIGHT_MODES];
    for (size_t m = 0; m < seen->frequency_count; m++)
      error[m] = 100 * (a->observed[i * n + m] / seen->frequencies[m] - 1);
    json_begin_object(w);
    if (*seen->dataset) json_member_text(w, "dataset", seen->dataset);
    json_key(w, "q"), json_write_numbers(w, seen->q, n);
    json_member_number(w, "payload_mass", seen->has_payload ? seen->payload.mass : a->robot->payload.mass);
    json_key(w, "seen_hz"), json_write_numbers(w, seen->frequencies, seen->frequency_count);
    json_key(w, "seen_dampings"), json_write_numbers(w, seen->dampings, seen->damping_count);
    json_member_number(w, "deviation_percent", seen->deviation_percent);
    json_key(w, "frequencies_hz"), json_write_numbers(w, a->observed + i * n, a->modes);
    json_key(w, "error_percent"), json_write_numbers(w, error, seen->frequency_count);
    json_end_object(w);
  }
  json_end_array(w);
}

void mode_fit_encode(struct buffer *out, const struct mode_fit_answer *a)
{
  struct json_writer w = { .out = out };
  const size_t n = a->robot->joint_count;
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, a->revision);
  write_stiffness(&w, a);
  write_elasticity(&w, a);
  json_key(&w, "rms_percent"), json_write_number(&w, 100 * a->fit->rms);
  write_observations(&w, a);
  json_key(&w, "predictions"), json_begin_array(&w);
  for (size_t i = 0; i < a->request->prediction_count; i++) {
    json_begin_object(&w);
    json_key(&w, "q"), json_write_numbers(&w, a->request->predictions[i].q, n);
    json_key(&w, "frequencies_hz"), json_write_numbers(&w, a->predicted + i * n, a->modes);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
}
