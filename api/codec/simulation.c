#include "api/codec/simulation.h"

#include <math.h>
#include <stdlib.h>

/* In the order of enum simulation_method. */
static const char *const methods[] = { "adaptive", "fixed" };
_Static_assert(sizeof methods / sizeof *methods == SIMULATION_METHODS, "name every method");

#define STATES  BETWEEN(-1e6, 1e6) /* beyond any arm, and far from overflow */
#define TORQUES BETWEEN(-1e9, 1e9)

/* -- what is asked -- */

static void request_init(void *object)
{
  *(struct simulation_request *)object = (struct simulation_request){ .friction = true,
                                                                      .tolerance = NAN,
                                                                      .step = NAN,
                                                                      .bandwidth_hz = NAN,
                                                                      .duration = NAN,
                                                                      .sample_rate = NAN,
                                                                      .plant = { .inertial_scale = 1 } };
}

/* -- a profile of torques -- */

static const struct json_field profile_fields[] = {
  { JSON_MEMBER(struct torque_profile, tau), .kind = FIELD_CUSTOM, .decode = samples_table_decode, .length = PER_JOINT,
    .unit = "N m; N for a slide", REQUIRED },
  { NUMBER(struct torque_profile, rate, BETWEEN(1e-3, 100000), "Hz"), REQUIRED },
};
static void profile_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  const struct torque_profile *profile = object;
  (void)given;
  if (json_reader_status(r)) return;
  if (profile->tau.single || profile->tau.rows < 2)
    json_fault(r, "/tau", FAULT_LENGTH, "must be a list of at least 2 samples");
  else if (profile->tau.rows * context->joint_count > LIMIT_OWN_NUMBERS)
    json_fault(r, "/tau", FAULT_MAXIMUM, "%zu numbers are more than the %d of one request",
               profile->tau.rows * context->joint_count, LIMIT_OWN_NUMBERS);
}
static const struct json_type profile_type =
    JSON_TYPE("a profile of torques", profile_fields, struct torque_profile, NULL, profile_check);

static void profile_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  size_t hint = 0; /* of samples_table_decode */
  const struct json_context here = { context->joint_count, &hint };
  (void)field;
  json_decode_object(r, &profile_type, member, &here);
}

/* Rows of the table below whose presence matters. */
enum { ROW_TAU };

bool simulation_replays(const struct simulation_request *request)
{
  return request->open_loop || request->has_profile;
}

double simulation_profile_time(const struct simulation_request *request)
{
  return (double)(request->profile.tau.rows - 1) / request->profile.rate;
}

/* Is the arm controlled: along a trajectory, or where it starts? */
static bool simulation_controlled(const struct simulation_request *request)
{
  return *request->trajectory || request->has_control;
}

/* Torques over time leave nothing to a controller. */
static void check_open_loop(struct json_reader *r, const struct simulation_request *request, uint64_t given)
{
  static const char words[] = "does not go with torques over time, which nothing changes";
  if (request->open_loop && !*request->trajectory)
    json_fault(r, "/open_loop", FAULT_INCONSISTENT, "plays the torques of a trajectory, which is not given");
  if (request->has_profile && *request->trajectory)
    json_fault(r, "/profile", FAULT_INCONSISTENT, "the trajectory has torques of its own: one of the two");
  if (!simulation_replays(request)) return;
  if (request->has_control) json_fault(r, "/control", FAULT_INCONSISTENT, "%s", words);
  if (!isnan(request->bandwidth_hz)) json_fault(r, "/bandwidth_hz", FAULT_INCONSISTENT, "%s", words);
  if (request->has_profile && given >> ROW_TAU & 1) json_fault(r, "/tau", FAULT_INCONSISTENT, "%s", words);
}

/* A state and a time, or a trajectory that has both. */
static void check_motion(struct json_reader *r, const struct simulation_request *request, uint64_t given)
{
  if (!*request->trajectory) {
    if (!request->has_q) json_fault(r, "/q", FAULT_REQUIRED, "where the motion starts; only a trajectory has a start");
    if (isnan(request->duration))
      json_fault(r, "/duration", FAULT_REQUIRED, "only a trajectory or a profile has one of its own");
    if (!isnan(request->bandwidth_hz) && !request->has_control)
      json_fault(r, "/bandwidth_hz", FAULT_INCONSISTENT, "belongs to what follows a trajectory or is controlled");
  }
  if (simulation_controlled(request) && given >> ROW_TAU & 1)
    json_fault(r, "/tau", FAULT_INCONSISTENT, "does not go with a trajectory or a controller, which makes the torques");
  if (request->has_feedback && simulation_controlled(request) && !request->open_loop)
    json_fault(r, "/state_feedback", FAULT_INCONSISTENT,
               "does not go with a trajectory that is followed or a controller, which have gains of their own");
  if (request->has_plant && !request->has_control)
    json_fault(r, "/plant", FAULT_INCONSISTENT, "is what a controller moves: without control there is no other model");
}

/* Of the stored samples; a controller's periods are whole ones between them. */
static void settle_sample_rate(struct json_reader *r, struct simulation_request *request)
{
  const double rate = request->control.rate_hz;
  if (isnan(request->sample_rate)) request->sample_rate = request->has_control ? rate : 1000;
  const double periods = rate / request->sample_rate;
  if (request->has_control && (periods < 1 || fabs(periods - round(periods)) > 1e-9 * periods))
    json_fault(r, "/sample_rate", FAULT_INCONSISTENT,
               "must be rate_hz of the control, %g, divided by a whole number, got %g", rate, request->sample_rate);
}

static void check_method(struct json_reader *r, const struct simulation_request *request)
{
  bool fixed = request->method == SIMULATION_FIXED;
  if (fixed && isnan(request->step)) json_fault(r, "/step", FAULT_REQUIRED, "fixed steps need their length");
  if (fixed && !isnan(request->tolerance))
    json_fault(r, "/tolerance", FAULT_INCONSISTENT, "belongs to adaptive steps; fixed ones keep none");
  if (!fixed && !isnan(request->step))
    json_fault(r, "/step", FAULT_INCONSISTENT, "belongs to fixed steps (\"method\": \"fixed\")");
}

enum armdyn_status simulation_check_samples(double duration, double sample_rate, struct armdyn_error *error)
{
  if (duration * sample_rate <= LIMIT_SERIES_ROWS - 2) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "/sample_rate",
                       "%g s at %g Hz are more than the %d samples that are kept of one simulation", duration,
                       sample_rate, LIMIT_SERIES_ROWS);
}

enum armdyn_status simulation_check_size(const struct simulation_request *request, struct armdyn_error *error)
{
  const double duration = request->duration, rate = request->control.rate_hz;
  if (request->has_control && duration * rate > LIMIT_SIMULATION_STEPS)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/control/rate_hz", "%g s at %g Hz are more than %d steps", duration,
                         rate, LIMIT_SIMULATION_STEPS);
  return simulation_check_samples(duration, request->sample_rate, error);
}

/* What is sure to be too much is refused before it is begun. Each step ends at a sample or before. */
static void check_size(struct json_reader *r, const struct simulation_request *request)
{
  const double rate = request->has_control ? request->control.rate_hz : request->sample_rate;
  double periods = request->duration * rate;
  struct armdyn_error error;
  if (isnan(periods)) return; /* the trajectory's is not known yet */
  if (simulation_check_size(request, &error))
    json_fault(r, error.pointer, FAULT_MAXIMUM, "%s", error.message);
  else if (request->method == SIMULATION_FIXED &&
           ceil(periods) * ceil(1 / (rate * request->step) - 1e-9) > LIMIT_SIMULATION_STEPS)
    json_fault(r, "/step", FAULT_MINIMUM, "%g s in steps of %g s, whole ones between samples, are more than %d steps",
               request->duration, request->step, LIMIT_SIMULATION_STEPS);
}

/* A profile says how long it lasts. */
static void settle_profile(struct json_reader *r, struct simulation_request *request)
{
  if (!request->has_profile) return;
  const double most = simulation_profile_time(request);
  if (isnan(request->duration)) request->duration = most;
  if (request->duration > most)
    json_fault(r, "/duration", FAULT_MAXIMUM, "the profile lasts %g s, got %g", most, request->duration);
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  carried_check(r, &((struct simulation_request *)object)->carried);
  settle_profile(r, object);
  check_open_loop(r, object, given);
  check_motion(r, object, given);
  check_method(r, object);
  settle_sample_rate(r, object);
  if (!json_reader_status(r)) check_size(r, object);
}

static const struct json_field request_fields[] = {
  [ROW_TAU] = { NUMBERS(struct simulation_request, tau, PER_JOINT, TORQUES, "N m, N") },
  { NUMBERS(struct simulation_request, q, PER_JOINT, STATES, "rad, m"), HAS(struct simulation_request, has_q) },
  { NUMBERS(struct simulation_request, qd, PER_JOINT, STATES, "rad/s, m/s"), HAS(struct simulation_request, has_qd) },
  { TEXT(struct simulation_request, trajectory), MATCHES(json_id_pattern) },
  { OBJECT(struct simulation_request, control, control_type), HAS(struct simulation_request, has_control), NULLABLE },
  { OBJECT(struct simulation_request, plant, plant_type), HAS(struct simulation_request, has_plant), NULLABLE },
  { TRUTH(struct simulation_request, open_loop) },
  { CUSTOM(struct simulation_request, profile, profile_decode, NULL, "tau and rate"),
    HAS(struct simulation_request, has_profile), NULLABLE },
  { .name = "state_feedback",
    .offset = offsetof(struct simulation_request, feedback),
    .size = sizeof(struct state_feedback),
    .kind = FIELD_CUSTOM,
    .decode = state_feedback_decode,
    .unit = "position, velocity and q",
    HAS(struct simulation_request, has_feedback),
    NULLABLE },
  { NUMBER(struct simulation_request, bandwidth_hz, BETWEEN(0.01, 1000), "Hz"), NULLABLE },
  { NUMBER(struct simulation_request, duration, BETWEEN(1e-6, LIMIT_SIMULATION_TIME), "s") },
  { TRUTH(struct simulation_request, friction) },
  { ENUM(struct simulation_request, method, methods) },
  { NUMBER(struct simulation_request, tolerance, BETWEEN(1e-14, 1e-2), NULL), NULLABLE },
  { NUMBER(struct simulation_request, step, BETWEEN(1e-7, 1), "s"), NULLABLE },
  { NUMBER(struct simulation_request, sample_rate, BETWEEN(1e-3, 100000), "Hz") },
  CARRIED,
  RESULT_LABELS(struct simulation_request),
};
static const struct json_type request_type =
    JSON_TYPE("a simulation request", request_fields, struct simulation_request, request_init, request_check);

enum armdyn_status simulation_request_decode(const char *text, size_t length,
                                             const struct armdyn_robot_description *robot,
                                             struct simulation_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  out->profile = (struct torque_profile){ .rate = 0 };
  out->feedback = (struct state_feedback){ .q = { 0 } };
  const enum armdyn_status status = json_decode(text, length, &request_type, out, &context, faults);
  if (status) simulation_request_release(out);
  return status;
}

void simulation_request_release(struct simulation_request *request)
{
  state_feedback_release(&request->feedback);
  free(request->profile.tau.memory);
  request->profile.tau = (struct table){ .rows = 0 };
}

/* -- what is answered -- */

static const struct json_field momentum_fields[] = {
  { NUMBERS(struct simulation_momentum, angular, 3, ANY_NUMBER, "kg m^2/s") },
  { NUMBERS(struct simulation_momentum, linear, 3, ANY_NUMBER, "kg m/s") },
};
static const struct json_type momentum_type =
    JSON_TYPE("a momentum", momentum_fields, struct simulation_momentum, NULL, NULL);

static const struct json_field state_fields[] = {
  { NUMBER(struct simulation_state, kinetic, ANY_NUMBER, "J") },
  { NUMBER(struct simulation_state, potential, ANY_NUMBER, "J") },
  { OBJECT(struct simulation_state, momentum, momentum_type) },
};
static const struct json_type state_type = JSON_TYPE("a state", state_fields, struct simulation_state, NULL, NULL);

/* Does the arm that moves have friction? */
static bool has_friction(const struct simulation_request *request)
{
  return request->has_plant && request->plant.has_friction ? request->plant.friction : request->friction;
}

/* What the figures of one motion say together. What friction took cannot be told from what the integrator lost, so the
 * balance is a check of the integration only without it. */
struct balance {
  double work, dissipated, peak_kinetic, drift; /* J, J, J, of the peak kinetic energy */
};
static const struct json_field balance_fields[] = {
  { NUMBER(struct balance, work, ANY_NUMBER, "J") },
  { NUMBER(struct balance, dissipated, ANY_NUMBER, "J"), NULL_WHEN_ABSENT },
  { NUMBER(struct balance, peak_kinetic, ANY_NUMBER, "J") },
  { NUMBER(struct balance, drift, ANY_NUMBER, NULL), NULL_WHEN_ABSENT },
};
static const struct json_type balance_type = JSON_TYPE("a balance", balance_fields, struct balance, NULL, NULL);

static struct balance balance_of(const struct simulation_result *result)
{
  double gained = result->end.kinetic + result->end.potential - result->start.kinetic - result->start.potential;
  const struct simulation_request *request = result->request;
  const bool pushed = request->has_plant && request->plant.has_wrench; /* whose work is not known */
  const bool friction = has_friction(request), moved = result->peak_kinetic > 0;
  const bool exact = (!*request->trajectory && !request->has_profile) || request->has_control ||
                     request->has_feedback; /* else the work is a sum of trapezoids */
  struct balance balance = {
    .work = result->work,
    .dissipated = friction && !pushed ? result->work - gained : NAN,
    .peak_kinetic = result->peak_kinetic,
    .drift = friction || pushed || !moved || !exact ? NAN : result->unbalanced / result->peak_kinetic,
  };
  if (!result->has_account) return balance;
  balance.dissipated = 0; /* elements know theirs, friction and wrench among them */
  for (size_t k = 0; k < ARMDYN_ELEMENTS; k++) balance.dissipated += result->account.elements[k].dissipated;
  balance.drift = moved ? result->unbalanced / result->peak_kinetic : NAN;
  return balance;
}

static void encode_energy(struct json_writer *w, const struct simulation_result *result)
{
  const struct balance balance = balance_of(result);
  json_key(w, "energy"), json_begin_object(w);
  json_encode_fields(w, &balance_type, &balance, NULL);
  if (result->has_account) json_key(w, "elements"), element_energies_encode(w, &result->account);
  json_end_object(w);
}

static void encode_learning(struct json_writer *w, const struct simulation_learning *learning)
{
  double values[LEARNING_TIMES];
  char name[ARMDYN_PARAMETER_NAME_SIZE];
  json_key(w, "adaptation"), json_begin_object(w);
  json_key(w, "t"), json_write_numbers(w, learning->t, learning->times);
  json_key(w, "parameters"), json_begin_array(w);
  for (size_t k = 0; k < learning->count; k++) {
    for (size_t i = 0; i < learning->times; i++) values[i] = learning->values[i * learning->count + k];
    armdyn_parameter_name(learning->robot, &learning->choice, k, name);
    json_begin_object(w);
    json_key(w, "name"), json_write_text(w, name);
    json_key(w, "rate"), json_write_number(w, learning->rates[k]);
    json_key(w, "model"), json_write_number(w, learning->model[k]);
    json_key(w, "values"), json_write_numbers(w, values, learning->times);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_control(struct json_writer *w, const struct simulation_result *result)
{
  const size_t n = result->robot->joint_count;
  if (*result->request->trajectory) json_key(w, "trajectory"), json_write_text(w, result->request->trajectory);
  if (result->control)
    json_key(w, "control"), control_encode(w, result->control, &result->request->control.schedule, result->robot);
  json_key(w, "tracking"), json_begin_object(w);
  if (!result->request->open_loop) json_key(w, "bandwidth_hz"), json_write_number(w, result->request->bandwidth_hz);
  json_key(w, "rms"), json_write_numbers(w, result->off_rms, n);
  json_key(w, "max"), json_write_numbers(w, result->off_max, n);
  json_key(w, "peak_torque"), json_write_numbers(w, result->peak_torque, n);
  if (result->control) json_key(w, "saturated"), json_write_numbers(w, result->saturated, n);
  const struct armdyn_schedule *schedule = result->control ? &result->control->schedule : NULL;
  if (schedule && (schedule->count || schedule->zones)) {
    json_key(w, "scheduled");
    json_write_numbers(w, result->scheduled, schedule->zones ? schedule->zone_count : schedule->count);
    json_key(w, "schedule_changes"), json_write_integer(w, (long long)result->entry_changes);
  }
  json_end_object(w);
  if (result->learning.times) encode_learning(w, &result->learning);
}

void simulation_result_encode(const struct simulation_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct simulation_request *request = result->request;
  json_begin_object(&w);
  json_key(&w, "method"), json_write_text(&w, methods[request->method]);
  carried_encode(&w, &request->carried);
  json_key(&w, "duration"), json_write_number(&w, request->duration);
  json_key(&w, "steps"), json_write_integer(&w, result->steps);
  json_key(&w, "start"), json_encode_object(&w, &state_type, &result->start, NULL);
  json_key(&w, "end"), json_encode_object(&w, &state_type, &result->end, NULL);
  encode_energy(&w, result);
  tool_peak_write(&w, "tool_speed", &result->tool_speed);
  tool_peak_write(&w, "tool_acceleration", &result->tool_acceleration);
  if (simulation_controlled(request)) encode_control(&w, result);
  json_key(&w, "sample_rate"), json_write_number(&w, request->sample_rate);
  json_key(&w, "sample_count"), json_write_integer(&w, (long long)result->samples);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "duration", "duration" },
  { "steps", "steps" },
  { "drift", "energy/drift" },
  { "tool_speed", "tool_speed/max" },
  { "tool_acceleration", "tool_acceleration/max" },
};
static const char *const members[] = { "method", NULL };

const struct result_form simulation_form = { "simulations", metrics, sizeof metrics / sizeof *metrics, members };
