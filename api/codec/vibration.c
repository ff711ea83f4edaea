#include "api/codec/vibration.h"

#include <math.h>
#include <stdlib.h>

#include "api/codec/dynamics_request.h"

static const double LEAST_DEVIATION = 0.1; /* %, of a frequency: no log tells more */
static const double LEFT = 0.05;           /* of a vibration, by a shaper */
static const double NOTCH_RANGE = 0.1;     /* of a notch's frequency, to each side */

static const double CHIRP_REST = 2; /* s, as of references */

/* ---- what is asked */

struct asked {
  struct vibration_request request; /* first */
  struct table q;
};

#define CHIRP struct vibration_chirp
static const struct json_field chirp_fields[] = {
  { NUMBERS(CHIRP, amplitude, PER_JOINT, BETWEEN(-LIMIT_SAMPLE_NUMBER, LIMIT_SAMPLE_NUMBER), "rad; m for a slide"),
    REQUIRED },
  { NUMBERS(CHIRP, frequencies, 2, BETWEEN(0.001, 50000), "Hz, the first and the last"),
    COUNTED(CHIRP, frequency_count), REQUIRED },
  { NUMBER(CHIRP, duration, BETWEEN(0.001, 100000), "s"), REQUIRED },
  { NUMBER(CHIRP, rest, BETWEEN(0, 1000), "s") },
};

static void chirp_init(void *object)
{
  *(CHIRP *)object = (CHIRP){ .rest = CHIRP_REST };
}

static void chirp_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const CHIRP *chirp = object;
  size_t swept = 0;
  (void)given;
  if (json_reader_status(r)) return;
  for (size_t j = 0; j < context->joint_count; j++) swept += chirp->amplitude[j] != 0;
  if (!swept) json_fault(r, "/amplitude", FAULT_INCONSISTENT, "must be other than 0 for the joint that was swept");
  if (chirp->frequency_count != 2 || !(chirp->frequencies[1] > chirp->frequencies[0]))
    json_fault(r, "/frequencies", FAULT_INCONSISTENT, "must be two, the first below the last");
}
const struct json_type vibration_chirp_type = JSON_TYPE("a chirp", chirp_fields, CHIRP, chirp_init, chirp_check);

#define REQUEST struct vibration_request
static const struct json_field request_fields[] = {
  { TEXT(REQUEST, dataset), MATCHES(json_id_pattern) },
  { NUMBER(REQUEST, begin, BETWEEN(-1e9, 1e12), "s"), NULLABLE },
  { NUMBER(REQUEST, end, BETWEEN(-1e9, 1e12), "s"), NULLABLE },
  { NUMBER(REQUEST, rate_hz, BETWEEN(1, 100000), "Hz") },
  { INTEGER(REQUEST, modes_max, BETWEEN(1, ARMDYN_MODES_MAX), NULL) },
  { NUMBER(REQUEST, frequency_max_hz, BETWEEN(0.01, 10000), "Hz"), NULLABLE },
  { NUMBER(REQUEST, range_percent, BETWEEN(0, 50), NULL) },
  { OBJECT(REQUEST, chirp, vibration_chirp_type), HAS(REQUEST, has_chirp), NULLABLE },
  { .name = "q",
    .offset = offsetof(struct asked, q),
    .size = sizeof(struct table),
    .kind = FIELD_CUSTOM,
    .decode = samples_table_decode,
    .length = PER_JOINT,
    .unit = "rad; m for a slide" },
};

static void request_init(void *object)
{
  *(struct asked *)object = (struct asked){ .request = { .begin = NAN,
                                                         .end = NAN,
                                                         .rate_hz = NAN,
                                                         .modes_max = 2,
                                                         .frequency_max_hz = NAN,
                                                         .range_percent = 10 } };
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct asked *asked = object;
  const struct vibration_request *request = &asked->request;
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  if (*request->dataset) {
    if (asked->q.data) json_fault(r, "/q", FAULT_INCONSISTENT, "either samples, or a dataset, not both");
    if (!isnan(request->rate_hz)) json_fault(r, "/rate_hz", FAULT_INCONSISTENT, "is that of the dataset");
    if (request->end <= request->begin)
      json_fault(r, "/end", FAULT_INCONSISTENT, "must be after begin, %g, got %g", request->begin, request->end);
    return;
  }
  if (!asked->q.data) json_fault(r, "/q", FAULT_REQUIRED, "is missing: a dataset, or samples of q with rate_hz");
  if (isnan(request->rate_hz)) json_fault(r, "/rate_hz", FAULT_REQUIRED, "of the samples of q");
  if (!isnan(request->begin)) json_fault(r, "/begin", FAULT_INCONSISTENT, "belongs to a dataset");
  if (!isnan(request->end)) json_fault(r, "/end", FAULT_INCONSISTENT, "belongs to a dataset");
  if (request->has_chirp)
    json_fault(r, "/chirp", FAULT_INCONSISTENT, "belongs to a dataset, which has torques beside positions");
  if (asked->q.rows > LIMIT_VIBRATION_SAMPLES)
    json_fault(r, "/q", FAULT_MAXIMUM, "must have at most %d samples, got %zu", LIMIT_VIBRATION_SAMPLES, asked->q.rows);
}

static const struct json_type request_type =
    JSON_TYPE("a request for vibrations", request_fields, struct asked, request_init, request_check);

enum armdyn_status vibration_request_decode(size_t joints, const char *body, size_t length,
                                            struct vibration_request *out, struct faults *faults)
{
  struct asked asked;
  struct json_reader r;
  size_t hint = 0;
  const struct json_context context = { joints, &hint };
  request_init(&asked);
  json_reader_init(&r, body, length, faults);
  json_decode_object(&r, &request_type, &asked, &context);
  json_finish(&r);
  *out = asked.request;
  out->memory = asked.q.memory;
  out->q = (struct armdyn_rows){ asked.q.data, asked.q.stride };
  out->count = asked.q.rows;
  const enum armdyn_status status = json_reader_status(&r);
  if (status) vibration_request_release(out);
  return status;
}

void vibration_request_release(struct vibration_request *request)
{
  free(request->memory);
  *request = (struct vibration_request){ 0 };
}

/* ---- what is answered */

static void encode_modes(struct json_writer *w, const struct vibration_answer *answer)
{
  const struct armdyn_vibration *v = answer->vibration;
  json_key(w, "modes"), json_begin_array(w);
  for (size_t m = 0; m < v->mode_count; m++) {
    json_begin_object(w);
    json_member_number(w, "frequency_hz", v->modes[m].frequency);
    json_member_number(w, "frequency_deviation_hz", v->frequency_deviation[m]);
    json_member_number(w, "damping", v->modes[m].damping);
    json_member_number(w, "damping_deviation", v->damping_deviation[m]);
    json_key(w, "amplitude"), json_write_numbers(w, v->amplitude[m], answer->robot->joint_count);
    json_end_object(w);
  }
  json_end_array(w);
}

double vibration_deviation_percent(const struct armdyn_vibration *seen)
{
  double worst = LEAST_DEVIATION;
  for (size_t m = 0; m < seen->mode_count; m++)
    worst = fmax(worst, 100 * seen->frequency_deviation[m] / seen->modes[m].frequency);
  return fmin(worst, 50);
}

/* As mode-fits take it, but for what is carried; null: there is no mode. */
static void encode_observation(struct json_writer *w, const struct vibration_answer *answer)
{
  const struct armdyn_vibration *v = answer->vibration;
  double frequency[ARMDYN_MODES_MAX], damping[ARMDYN_MODES_MAX];
  for (size_t m = 0; m < v->mode_count; m++)
    frequency[m] = v->modes[m].frequency, damping[m] = fmin(v->modes[m].damping, 0.5);
  json_key(w, "observation");
  if (!v->mode_count) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "q"), json_write_numbers(w, v->mean, answer->robot->joint_count);
  json_key(w, "frequencies_hz"), json_write_numbers(w, frequency, v->mode_count);
  json_key(w, "dampings"), json_write_numbers(w, damping, v->mode_count);
  json_member_number(w, "deviation_percent", vibration_deviation_percent(v));
  json_end_object(w);
}

/* As a trajectory takes it; null: there is nothing to shape, or no shaper bears the range. */
static void encode_shaper(struct json_writer *w, const struct vibration_answer *answer)
{
  const struct armdyn_vibration *v = answer->vibration;
  enum armdyn_shaper shaper;
  struct armdyn_impulses impulses;
  json_key(w, "shaper");
  if (armdyn_vibration_shaper(v, answer->request->range_percent / 100, LEFT, &shaper, &impulses)) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_key(w, "type"), json_write_text(w, armdyn_shaper_name(shaper));
  json_key(w, "modes"), json_begin_array(w);
  for (size_t m = 0; m < v->mode_count; m++) {
    json_begin_object(w);
    json_member_number(w, "frequency_hz", v->modes[m].frequency);
    json_member_number(w, "damping", v->modes[m].damping);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

/* As a sampled controller takes it: of the mode that shakes most, deep over its range and as wide as it is damped. */
static void encode_notch(struct json_writer *w, const struct vibration_answer *answer)
{
  const struct armdyn_vibration *v = answer->vibration;
  size_t most = 0;
  double square[ARMDYN_MODES_MAX] = { 0 };
  for (size_t m = 0; m < v->mode_count; m++) {
    for (size_t j = 0; j < answer->robot->joint_count; j++) square[m] += v->amplitude[m][j] * v->amplitude[m][j];
    if (square[m] > square[most]) most = m;
  }
  json_key(w, "notch");
  if (!v->mode_count) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_member_number(w, "notch_hz", v->modes[most].frequency);
  json_member_number(w, "notch_width", 2 * NOTCH_RANGE + 2 * v->modes[most].damping);
  json_end_object(w);
}

static void encode_number_or_null(struct json_writer *w, const char *key, double value)
{
  json_key(w, key);
  if (isfinite(value))
    json_write_number(w, value);
  else
    json_write_null(w);
}

/* null: what died out was looked at. */
static void encode_sweep(struct json_writer *w, const struct vibration_answer *answer)
{
  const struct armdyn_sweep_modes *sweep = answer->sweep;
  json_key(w, "chirp");
  if (!sweep) {
    json_write_null(w);
    return;
  }
  json_begin_object(w);
  json_member_number(w, "inertia_scale", sweep->inertia_scale);
  json_member_number(w, "inertia_scale_deviation", sweep->inertia_scale_deviation);
  json_member_number(w, "delay", sweep->delay);
  json_member_number(w, "excess", sweep->excess);
  json_key(w, "gears"), json_begin_array(w);
  for (size_t j = 0; j < answer->robot->joint_count; j++) {
    const struct armdyn_sweep_gear *gear = &sweep->gears[j];
    if (!isfinite(gear->stiffness) && isnan(gear->inertia)) continue;
    json_begin_object(w);
    json_member_text(w, "joint", answer->robot->joints[j].name);
    encode_number_or_null(w, "stiffness", gear->stiffness);
    encode_number_or_null(w, "stiffness_deviation", isfinite(gear->stiffness) ? gear->stiffness_deviation : NAN);
    encode_number_or_null(w, "damping", isfinite(gear->stiffness) ? gear->damping : NAN);
    encode_number_or_null(w, "damping_deviation", isfinite(gear->stiffness) ? gear->damping_deviation : NAN);
    json_member_number(w, "motor_inertia", gear->inertia);
    json_member_number(w, "viscous", gear->viscous);
    json_member_number(w, "coulomb", gear->coulomb);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void vibration_encode(struct buffer *out, const struct vibration_answer *answer)
{
  struct json_writer w = { .out = out };
  const size_t n = answer->robot->joint_count;
  json_begin_object(&w);
  json_member_integer(&w, "samples", (long long)answer->samples);
  json_member_number(&w, "rate_hz", answer->rate_hz);
  json_member_number(&w, "begin", answer->request->begin);
  json_key(&w, "q"), json_write_numbers(&w, answer->vibration->mean, n);
  json_key(&w, "residual"), json_write_numbers(&w, answer->vibration->residual, n);
  encode_modes(&w, answer);
  encode_observation(&w, answer);
  encode_shaper(&w, answer);
  encode_notch(&w, answer);
  encode_sweep(&w, answer);
  json_end_object(&w);
}
