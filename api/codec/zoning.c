#include "api/codec/zoning.h"

#include <stdlib.h>
#include <string.h>

#define REQUEST struct zoning_request

/* ---- what is asked */

static const char *const abouts[] = { [ARMDYN_ZONES_LINEAR] = "linear", [ARMDYN_ZONES_GAINS] = "gains" };
_Static_assert(sizeof abouts / sizeof *abouts == ARMDYN_ZONES_ABOUTS, "name every one");
enum { NUMBERS_MOST = 40000 /* of all zones: a document is one message between processes */ };

static void request_init(void *object)
{
  *(REQUEST *)object = (REQUEST){ .about = ARMDYN_ZONES_GAINS,
                                  .inertia_error = NAN,
                                  .law = ARMDYN_LAW_PID_GRAVITY,
                                  .bandwidth_hz = 5,
                                  .zones_max = 64,
                                  .depth_max = 20 };
}

static void check_box(struct json_reader *r, REQUEST *request, const struct armdyn_robot_description *robot)
{
  char where[32];
  for (size_t j = 0; j < robot->joint_count; j++) {
    const struct armdyn_joint *joint = &robot->joints[j];
    if (!request->has_low) request->low[j] = joint->limits.position[0];
    if (!request->has_high) request->high[j] = joint->limits.position[1];
    if (!isfinite(request->low[j]) || !isfinite(request->high[j])) {
      json_fault(r, isfinite(request->low[j]) ? "/high" : "/low", FAULT_REQUIRED,
                 "joint '%s' has no position limits: say from where to where", joint->name);
      return;
    }
    snprintf(where, sizeof where, "/high/%zu", j);
    if (request->high[j] < request->low[j])
      json_fault(r, request->has_high ? where : "/low", FAULT_INCONSISTENT, "must be at least low, %g, got %g",
                 request->low[j], request->high[j]);
  }
}

static void check_bound(struct json_reader *r, const REQUEST *request)
{
  const bool linear = request->about == ARMDYN_ZONES_LINEAR;
  if (linear && !request->has_torque_error)
    json_fault(r, "/torque_error", FAULT_REQUIRED, "how far off a linear model may be, N m (N) of each joint");
  if (!linear && isnan(request->inertia_error))
    json_fault(r, "/inertia_error", FAULT_REQUIRED, "by what part the inertia that gains are made for may change");
  if (linear && !isnan(request->inertia_error))
    json_fault(r, "/inertia_error", FAULT_INCONSISTENT, "belongs to gains, of linear models it is torque_error");
  if (!linear && request->has_torque_error)
    json_fault(r, "/torque_error", FAULT_INCONSISTENT, "belongs to linear models, of gains it is inertia_error");
  if (!linear && request->has_acceleration)
    json_fault(r, "/acceleration", FAULT_INCONSISTENT, "belongs to linear models");
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  REQUEST *request = object;
  const size_t n = context->joint_count;
  const size_t numbers = 8 * n + 10 + (request->about == ARMDYN_ZONES_LINEAR ? 2 * n * n + n : 0);
  (void)given;
  carried_check(r, &request->carried);
  if (json_reader_status(r)) return;
  check_box(r, request, context->user);
  check_bound(r, request);
  if (!armdyn_law_schedules(request->law))
    json_fault(r, "/law", FAULT_ENUM, "must be a PID and more: pid, pid_gravity, pid_friction or feedforward");
  if (request->zones_max * numbers > NUMBERS_MOST)
    json_fault(r, "/zones_max", FAULT_MAXIMUM, "of an arm of %zu joints at most %zu zones are told so, got %zu", n,
               NUMBERS_MOST / numbers, request->zones_max);
}

static const struct json_field request_fields[] = {
  { ENUM(REQUEST, about, abouts), REQUIRED },
  { NUMBERS(REQUEST, low, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), HAS(REQUEST, has_low), NULLABLE },
  { NUMBERS(REQUEST, high, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), HAS(REQUEST, has_high), NULLABLE },
  { NUMBERS(REQUEST, torque_error, PER_JOINT, ABOVE_UP_TO(0, 1e9), "N m, N"), HAS(REQUEST, has_torque_error),
    NULLABLE },
  { NUMBERS(REQUEST, acceleration, PER_JOINT, BETWEEN(0, 1e6), "rad/s^2, m/s^2"), HAS(REQUEST, has_acceleration),
    NULLABLE },
  { NUMBER(REQUEST, inertia_error, ABOVE_UP_TO(0, 100), NULL), NULLABLE },
  { ENUM(REQUEST, law, control_laws) },
  { NUMBER(REQUEST, bandwidth_hz, BETWEEN(0.01, 1000), "Hz") },
  { INTEGER(REQUEST, zones_max, BETWEEN(1, LIMIT_ZONES), NULL) },
  { INTEGER(REQUEST, depth_max, BETWEEN(0, ARMDYN_ZONE_DEPTH_MAX), NULL) },
  CARRIED,
  RESULT_LABELS(REQUEST),
};
_Static_assert(LIMIT_ZONES == ARMDYN_ZONES_MAX, "as many as the library finds");
static const struct json_type request_type =
    JSON_TYPE("a zoning request", request_fields, REQUEST, request_init, request_check);

enum armdyn_status zoning_request_decode(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                         struct zoning_request *out, struct faults *faults)
{
  const struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* ---- what is answered */

static void member_matrix(struct json_writer *w, const char *name, const double *values, size_t n)
{
  json_key(w, name), json_begin_array(w);
  for (size_t i = 0; i < n; i++) json_write_numbers(w, values + i * n, n);
  json_end_array(w);
}

static void encode_model(struct json_writer *w, const struct zoning_result *result, const struct armdyn_zone *zone)
{
  enum { N = ARMDYN_JOINTS_MAX };
  const size_t n = armdyn_robot_joint_count(result->robot);
  double gravity[N], stiffness[N * N], inertia[N * N];
  armdyn_zone_model(result->robot, zone->q, result->workspace, gravity, stiffness, inertia);
  json_key(w, "model"), json_begin_object(w);
  json_member_numbers(w, "gravity", gravity, n);
  member_matrix(w, "stiffness", stiffness, n);
  member_matrix(w, "inertia", inertia, n);
  json_end_object(w);
}

static void encode_zone(struct json_writer *w, const struct zoning_result *result, const struct armdyn_zone *zone)
{
  const size_t n = armdyn_robot_joint_count(result->robot);
  const bool linear = result->request->about == ARMDYN_ZONES_LINEAR;
  json_begin_object(w);
  json_member_numbers(w, "low", zone->low, n);
  json_member_numbers(w, "high", zone->high, n);
  json_member_numbers(w, "q", zone->q, n);
  json_member_truth(w, "kept", zone->worst <= 1);
  json_member_number(w, "worst", zone->worst);
  json_member_number(w, "found", zone->found);
  if (linear) json_member_numbers(w, "torque_error", zone->error, n);
  json_member_number(w, "inertia_error", zone->change);
  json_member_numbers(w, "kp", zone->kp, n);
  json_member_numbers(w, "ki", zone->ki, n);
  json_member_numbers(w, "kd", zone->kd, n);
  json_member_numbers(w, "inertia_ratio", zone->inertia, 2);
  if (zone->damping >= 0) {
    json_member_number(w, "damping", zone->damping);
    json_member_number(w, "decay", zone->decay);
  }
  if (linear) encode_model(w, result, zone);
  json_end_object(w);
}

void zoning_result_encode(const struct zoning_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct zoning_request *request = result->request;
  const struct armdyn_zones *found = result->found;
  const size_t n = armdyn_robot_joint_count(result->robot);
  json_begin_object(&w);
  carried_encode(&w, &request->carried);
  json_member_text(&w, "about", abouts[request->about]);
  json_member_text(&w, "law", control_laws[request->law]);
  json_member_number(&w, "bandwidth_hz", request->bandwidth_hz);
  json_member_numbers(&w, "low", request->low, n);
  json_member_numbers(&w, "high", request->high, n);
  json_member_integer(&w, "zone_count", (long long)found->count);
  json_member_number(&w, "worst", found->worst);
  json_key(&w, "left"), json_begin_object(&w);
  json_member_integer(&w, "zones", (long long)found->left);
  json_member_number(&w, "share", found->left_share);
  json_end_object(&w);
  json_key(&w, "zones"), json_begin_array(&w);
  for (size_t k = 0; k < found->count; k++) encode_zone(&w, result, &found->zones[k]);
  json_end_array(&w);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

enum armdyn_status zoning_zones_read(const char *text, size_t joints, struct armdyn_zone **zones, size_t *count)
{
  cJSON *document = document_open(text);
  const cJSON *list = document_at(document, "zones"), *item;
  const int items = cJSON_GetArraySize(list);
  enum armdyn_status status = items > 0 ? ARMDYN_OK : ARMDYN_EINPUT;
  *count = 0;
  *zones = status ? NULL : calloc((size_t)items, sizeof **zones);
  if (!status && !*zones) status = ARMDYN_EMEMORY;
  cJSON_ArrayForEach (item, list) {
    if (status) break;
    struct armdyn_zone *zone = &(*zones)[(*count)++];
    const struct {
      const char *name;
      double *values;
    } rows[] = {
      { "low", zone->low }, { "high", zone->high }, { "kp", zone->kp }, { "ki", zone->ki }, { "kd", zone->kd }
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      if (cJSON_GetArraySize(document_at(item, rows[k].name)) != (int)joints) status = ARMDYN_EINPUT;
      document_numbers(item, rows[k].name, rows[k].values, ARMDYN_JOINTS_MAX);
    }
  }
  document_close(document);
  return status;
}

static const struct result_metric metrics[] = {
  { "zones", "zone_count" },
  { "worst", "worst" },
  { "left", "left/zones" },
  { "left_share", "left/share" },
};
static const char *const members[] = { "about", NULL };

const struct result_form zoning_form = { "zonings", metrics, sizeof metrics / sizeof *metrics, members };
