#include "api/codec/excitation.h"

#include "api/codec/friction_terms.h"
#include "api/codec/motion.h"

/* In the order of enum armdyn_excitation_criterion. */
static const char *const criteria[] = { "condition", "d_optimal" };

#define PLACES BETWEEN(-1e6, 1e6) /* beyond any arm, and far from overflow */

/* -- what is asked -- */

static const struct json_field box_fields[] = {
  { NUMBERS(struct excitation_box, min, 3, PLACES, "m"), REQUIRED },
  { NUMBERS(struct excitation_box, max, 3, PLACES, "m"), REQUIRED },
};
static void check_box(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const struct excitation_box *box = object;
  static const char *const places[] = { "/max/0", "/max/1", "/max/2" };
  for (size_t i = 0; i < 3 && (given & ~r->wrong) == 3; i++)
    if (!(box->min[i] < box->max[i]))
      json_fault(r, places[i], FAULT_INCONSISTENT, "must be above min, %g m, got %g", box->min[i], box->max[i]);
}
static const struct json_type box_type = JSON_TYPE("a tool box", box_fields, struct excitation_box, NULL, check_box);

static void request_init(void *object)
{
  struct excitation_request *request = object;
  memset(request, 0, sizeof *request);
  request->duration = 20;
  request->harmonics = 5;
  request->base_frequency_hz = NAN;
  request->lambda = 0.1;
  request->friction = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  request->population = 60;
  request->generations = 120;
  request->seed = 1;
  request->sample_rate = 1000;
}

double excitation_base_frequency(const struct excitation_request *request)
{
  return isnan(request->base_frequency_hz) ? 1 / request->duration : request->base_frequency_hz;
}

/* A motion that is judged by how it uses its room needs room that ends. */
static void check_limits(struct json_reader *r, const struct excitation_request *request,
                         const struct armdyn_robot_description *robot)
{
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  requested_limits_in_force(&request->limits, robot, limits);
  for (size_t j = 0; j < robot->joint_count; j++) {
    const char *joint = robot->joints[j].name;
    if (!isfinite(limits[j].position[0]) || !isfinite(limits[j].position[1]))
      json_fault(r, "/limits/position", FAULT_REQUIRED,
                 "joint %s needs both ends: the motion uses all the room there is", joint);
    if (!isfinite(limits[j].velocity))
      json_fault(r, "/limits/velocity", FAULT_REQUIRED, "joint %s needs a limit of its velocity", joint);
  }
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  struct excitation_request *request = object;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  carried_check(r, &request->carried);
  clearance_constraint_check(r, &request->clear);
  const double periods = excitation_base_frequency(request) * (double)request->harmonics * request->duration;
  check_limits(r, request, context->user);
  if (periods > LIMIT_PERIODS)
    json_fault(r, "/base_frequency_hz", FAULT_MAXIMUM,
               "the highest harmonic has at most %d periods, got %zu x %g Hz in %g s, %g periods", LIMIT_PERIODS,
               request->harmonics, excitation_base_frequency(request), request->duration, periods);
  if ((double)request->population * (double)request->generations > LIMIT_TRIALS)
    json_fault(r, "/generations", FAULT_MAXIMUM, "population times generations is at most %d, got %zu x %zu",
               LIMIT_TRIALS, request->population, request->generations);
  if (request->duration * request->sample_rate > LIMIT_SERIES_ROWS - 2)
    json_fault(r, "/sample_rate", FAULT_MAXIMUM,
               "%g s at %g Hz are more than the %d samples that are kept of one motion", request->duration,
               request->sample_rate, LIMIT_SERIES_ROWS);
}

static const struct json_field request_fields[] = {
  { NUMBER(struct excitation_request, duration, BETWEEN(0.1, 1000), "s") },
  { INTEGER(struct excitation_request, harmonics, BETWEEN(1, ARMDYN_HARMONICS_MAX), NULL) },
  { NUMBER(struct excitation_request, base_frequency_hz, ABOVE_UP_TO(0, 1000), "Hz"), NULLABLE },
  { ENUM(struct excitation_request, criterion, criteria) },
  { NUMBER(struct excitation_request, lambda, BETWEEN(0, 1e6), NULL) },
  { TRUTH(struct excitation_request, rotor_inertia) },
  { FRICTION_TERMS(struct excitation_request, friction) },
  { OBJECT(struct excitation_request, limits, requested_limits_type) },
  { OBJECT(struct excitation_request, tool_box, box_type), HAS(struct excitation_request, has_box), NULLABLE },
  CLEARANCE_CONSTRAINT(struct excitation_request, clear),
  { ID_LIST(struct excitation_request, known) },
  { INTEGER(struct excitation_request, population, BETWEEN(4, 1000), NULL) },
  { INTEGER(struct excitation_request, generations, BETWEEN(1, 10000), NULL) },
  { INTEGER(struct excitation_request, seed, BETWEEN(0, 1e9), NULL) },
  { NUMBER(struct excitation_request, sample_rate, BETWEEN(1, 100000), "Hz") },
  CARRIED,
  RESULT_LABELS(struct excitation_request),
};
static const struct json_type request_type =
    JSON_TYPE("an excitation request", request_fields, struct excitation_request, request_init, request_check);

enum armdyn_status excitation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct excitation_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- what is answered -- */

static void encode_rows(struct json_writer *w, const char *name, size_t rows, size_t columns, const double *values)
{
  json_key(w, name), json_begin_array(w);
  for (size_t j = 0; j < rows; j++) json_write_numbers(w, values + j * columns, columns);
  json_end_array(w);
}

static void encode_coefficients(struct json_writer *w, const struct excitation_result *result)
{
  const size_t n = result->robot->joint_count, harmonics = result->request->harmonics;
  json_key(w, "coefficients"), json_begin_object(w);
  json_key(w, "q0"), json_write_numbers(w, result->excitation->q0, n);
  encode_rows(w, "a", n, harmonics, result->excitation->a);
  encode_rows(w, "b", n, harmonics, result->excitation->b);
  json_end_object(w);
}

static void encode_search(struct json_writer *w, const struct armdyn_excitation *x)
{
  json_key(w, "search"), json_begin_object(w);
  json_member_number(w, "genetic_criterion", x->genetic_criterion);
  json_key(w, "evaluations"), json_write_integer(w, (long long)x->evaluations);
  json_key(w, "grid"), json_write_integer(w, (long long)x->grid);
  json_member_number(w, "scale", x->scale);
  json_end_object(w);
}

void excitation_result_encode(const struct excitation_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct excitation_request *request = result->request;
  const struct armdyn_excitation *x = result->excitation;
  struct armdyn_limits limits[ARMDYN_JOINTS_MAX];
  char words[192], detail[320];
  trajectory_margin_words(result->robot, result->margin, words, sizeof words);
  snprintf(detail, sizeof detail, "%zu parameters, condition number %.4g. Every limit is kept. %s", result->parameters,
           x->condition, words);
  requested_limits_in_force(&request->limits, result->robot, limits);
  json_begin_object(&w);
  carried_encode(&w, &result->request->carried);
  json_key(&w, "detail"), json_write_text(&w, detail);
  json_member_number(&w, "duration", request->duration);
  json_key(&w, "parameters"), json_write_integer(&w, (long long)result->parameters);
  json_member_number(&w, "condition_number", x->condition);
  json_member_number(&w, "sigma_min", x->sigma_min);
  json_member_number(&w, "log_determinant", x->log_determinant);
  json_key(&w, "criterion"), json_begin_object(&w);
  json_key(&w, "name"), json_write_text(&w, criteria[request->criterion]);
  json_member_number(&w, "value", x->criterion);
  json_end_object(&w);
  json_member_number(&w, "base_frequency_hz", excitation_base_frequency(request));
  encode_coefficients(&w, result);
  encode_search(&w, x);
  json_key(&w, "known"), identification_data_encode(&w, result->known, result->known_count);
  json_key(&w, "margins"), motion_margins_encode(&w, result->robot, limits, result->margin);
  if (request->has_box) {
    json_key(&w, "tool_box"), json_begin_object(&w);
    json_member_number(&w, "worst", x->box_usage);
    json_member_number(&w, "time", x->box_time);
    json_end_object(&w);
  }
  clearance_constraint_encode(&w, &request->clear, result->clearance);
  motion_transferable_encode(&w, result->robot, &request->limits, result->margin, result->clearance, NULL);
  json_key(&w, "warnings"), json_begin_array(&w);
  motion_step_warnings_encode(&w, result->robot, result->stepping, request->sample_rate);
  json_end_array(&w);
  json_member_number(&w, "sample_rate", request->sample_rate);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "duration", "duration" },         { "condition_number", "condition_number" },
  { "sigma_min", "sigma_min" },       { "log_determinant", "log_determinant" },
  { "criterion", "criterion/value" },
};
const struct result_form excitation_form = { "excitations", metrics, sizeof metrics / sizeof *metrics, NULL };
