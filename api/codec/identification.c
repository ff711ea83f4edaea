#include "api/codec/identification.h"

#include "api/codec/friction_terms.h"

const char *const identification_estimators[ARMDYN_ESTIMATORS] = {
#define X(name, text) text,
  ARMDYN_ESTIMATOR_LIST(X)
#undef X
};
static const char *const subjects[] = { "arm", "payload" };
static const char *const payloads_known[] = { "all", "mass" };
static const char *const velocities[] = { "auto", "logged", "positions" };
static const char *const methods[] = { "butterworth", "tracking_differentiator" };

/* -- lists of ids -- */

void id_list_decode(struct json_reader *r, const struct json_field *field, void *member,
                    const struct json_context *context)
{
  (void)context;
  static const struct json_field item = {
    .name = "id", .kind = FIELD_TEXT, .offset = 0, .size = 27, .pattern = &json_id_pattern
  };
  struct id_list *list = member;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    char id[27] = "";
    if (!json_decode_field(r, &item, id, context)) continue;
    size_t same = 0;
    while (same < list->count && strcmp(list->items[same], id) != 0) same++;
    if (same < list->count)
      json_fault(r, NULL, FAULT_DUPLICATE, "is there twice; keep one");
    else if (list->count == LIMIT_DATASETS)
      json_fault(r, NULL, FAULT_LENGTH, "at most %d data sets are taken", LIMIT_DATASETS);
    else
      memcpy(list->items[list->count++], id, sizeof id);
  }
}

/* -- friction -- */

/* What "auto" leaves out unless it is named beside it. */
enum { NOT_BY_ITSELF = ARMDYN_IDENTIFY_ANY & ~ARMDYN_IDENTIFY_USUAL };
static const struct identification_friction every_friction = { .automatic = true,
                                                               .terms =
                                                                   ARMDYN_IDENTIFY_USUAL | ARMDYN_IDENTIFY_DIRECTED };

static void decode_friction(struct json_reader *r, const struct json_field *field, void *member,
                            const struct json_context *context)
{
  (void)context;
  struct identification_friction *friction = member;
  struct json_slice name;
  *friction = (struct identification_friction){ .automatic = false };
  char known[96];
  bool asymmetric = false;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    if (!json_read_text(r, NULL, &name)) continue;
    if (json_slice_is(name, "auto"))
      friction->automatic = true;
    else if (json_slice_is(name, "asymmetric"))
      asymmetric = true;
    else
      friction_term_take(r, name, ARMDYN_IDENTIFY_ANY, ", asymmetric, auto", &friction->terms);
  }
  const unsigned terms = friction->terms;
  if (asymmetric && !(terms & (ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS)) && !friction->automatic)
    json_fault(r, NULL, FAULT_INCONSISTENT, "asymmetric is said of coulomb or viscous; list one of them too");
  if (asymmetric && (terms & ARMDYN_IDENTIFY_COULOMB)) friction->terms |= ARMDYN_IDENTIFY_COULOMB_DIRECTED;
  if (asymmetric && (terms & ARMDYN_IDENTIFY_VISCOUS)) friction->terms |= ARMDYN_IDENTIFY_VISCOUS_DIRECTED;
  if (friction->automatic && (asymmetric || (terms & ~(unsigned)NOT_BY_ITSELF)))
    json_fault(r, NULL, FAULT_INCONSISTENT,
               "auto chooses the terms itself: beside it stand only %s, which it tries where they are named",
               friction_terms_listed(NOT_BY_ITSELF, known, sizeof known));
  if (!friction->automatic) return;
  *friction = every_friction;
  friction->terms |= terms & NOT_BY_ITSELF;
}

/* -- the request -- */

static void conditioning_init(void *object)
{
  *(struct identification_conditioning *)object = (struct identification_conditioning){
    .rate = NAN, .position_cutoff_hz = NAN, .torque_cutoff_hz = NAN, .trim = NAN, .tracking_acceleration = NAN
  };
}

static void conditioning_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given;
  const struct identification_conditioning *c = object;
  const bool tracking = c->method == ARMDYN_TRACKING_DIFFERENTIATOR;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  if (!tracking && !isnan(c->tracking_acceleration))
    json_fault(r, "/tracking_acceleration", FAULT_INCONSISTENT, "goes with \"method\": \"tracking_differentiator\"");
  if (tracking && c->position_cutoff_hz == 0)
    json_fault(r, "/position_cutoff_hz", FAULT_MINIMUM, "must be above 0: a tracking differentiator is a filter");
  if (c->has_torque_delay && c->torque_delay_count != context->joint_count)
    json_fault(r, "/torque_delay", FAULT_LENGTH, "needs one delay for each of the %zu joints, got %zu",
               context->joint_count, c->torque_delay_count);
}

static const struct json_field conditioning_fields[] = {
  { ENUM(struct identification_conditioning, method, methods) },
  { NUMBER(struct identification_conditioning, rate, BETWEEN(1, 100000), "Hz"), NULLABLE, NULL_WHEN_ABSENT },
  { NUMBER(struct identification_conditioning, position_cutoff_hz, BETWEEN(0, 50000), "Hz"), NULLABLE,
    NULL_WHEN_ABSENT },
  { NUMBER(struct identification_conditioning, torque_cutoff_hz, BETWEEN(0, 50000), "Hz"), NULLABLE, NULL_WHEN_ABSENT },
  { NUMBER(struct identification_conditioning, trim, BETWEEN(0, 1000), "s"), NULLABLE, NULL_WHEN_ABSENT },
  { NUMBER(struct identification_conditioning, tracking_acceleration, ABOVE_UP_TO(0, 1e9), "rad/s^2, m/s^2"), NULLABLE,
    NULL_WHEN_ABSENT },
  { NUMBERS(struct identification_conditioning, torque_delay, ARMDYN_JOINTS_MAX, BETWEEN(-0.1, 0.1),
            "s, one for each joint"),
    COUNTED(struct identification_conditioning, torque_delay_count), NULLABLE,
    HAS(struct identification_conditioning, has_torque_delay) },
};
const struct json_type identification_conditioning_type =
    JSON_TYPE("how logs are conditioned", conditioning_fields, struct identification_conditioning, conditioning_init,
              conditioning_check);

static const struct json_field loop_fields[] = {
  { ID_LIST(struct identification_loop, reference), REQUIRED },
  { NUMBERS(struct identification_loop, kp, PER_JOINT, BETWEEN(0, 1e12), "N m/rad, N/m"), REQUIRED },
  { NUMBERS(struct identification_loop, kd, PER_JOINT, BETWEEN(0, 1e12), "N m s/rad, N s/m"), REQUIRED },
};
static const struct json_type loop_type =
    JSON_TYPE("the loop that the arm was logged in", loop_fields, struct identification_loop, NULL, NULL);

static void exclusion_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct identification_exclusion *e = object;
  if (!json_reader_status(r) && !(e->to > e->from))
    json_fault(r, "/to", FAULT_INCONSISTENT, "must be after from, %g s, got %g s", e->from, e->to);
}

static const struct json_field exclusion_fields[] = {
  { TEXT(struct identification_exclusion, dataset), MATCHES(json_id_pattern), REQUIRED },
  { NUMBER(struct identification_exclusion, from, ANY_NUMBER, "s"), REQUIRED },
  { NUMBER(struct identification_exclusion, to, ANY_NUMBER, "s"), REQUIRED },
};
static const struct json_type exclusion_type = JSON_TYPE("a part of a data set that is left out", exclusion_fields,
                                                         struct identification_exclusion, NULL, exclusion_check);

static bool is_trained_on(const struct identification_request *request, const char *id)
{
  for (size_t d = 0; d < request->datasets.count; d++)
    if (!strcmp(request->datasets.items[d], id)) return true;
  return false;
}

static void check_exclude(struct json_reader *r, const struct identification_request *request)
{
  for (size_t k = 0; k < request->exclusion_count; k++) {
    char pointer[48];
    if (is_trained_on(request, request->exclude[k].dataset)) continue;
    snprintf(pointer, sizeof pointer, "/exclude/%zu/dataset", k);
    json_fault(r, pointer, FAULT_INCONSISTENT, "must be one of datasets, which are trained on, got %s",
               request->exclude[k].dataset);
  }
}

static void request_init(void *object)
{
  struct identification_request *request = object;
  *request = (struct identification_request){
    .validation_fraction = NAN, .estimator = ARMDYN_CONSISTENT, .prior = true, .prior_strength = NAN, .seed = 1
  };
  request->friction = every_friction;
  conditioning_init(&request->conditioning);
}

static void check_validation(struct json_reader *r, const struct identification_request *request)
{
  if (request->validation.count && !isnan(request->validation_fraction))
    json_fault(r, "/validation_fraction", FAULT_INCONSISTENT, "is for a run without data sets to validate with");
  for (size_t v = 0; v < request->validation.count; v++)
    for (size_t d = 0; d < request->datasets.count; d++) {
      if (strcmp(request->validation.items[v], request->datasets.items[d]) != 0) continue;
      char pointer[48];
      snprintf(pointer, sizeof pointer, "/validation/%zu", v);
      json_fault(r, pointer, FAULT_INCONSISTENT, "is a data set that is trained on; it can validate nothing");
    }
}

/* Rows of the table below that belong to one subject only. */
enum {
  ROW_UNLOADED,
  ROW_PRIOR,
  ROW_PRIOR_STRENGTH,
  ROW_ROTOR_INERTIA,
  ROW_FREE_SIGNS,
  ROW_FIND_TORQUE_DELAY,
  ROW_FIND_CUTOFFS,
  ROW_TEST_FILTERS,
  ROW_LOOP,
  ROW_FIND_DRIVE_GAINS,
  ROW_PAYLOADS_KNOWN,
  ROW_FRICTION,
  ROW_FRICTION_FROM,
  ROW_EXCLUDE
};
static const char *const row_pointers[] = { "/unloaded",         "/prior",          "/prior_strength",
                                            "/rotor_inertia",    "/free_signs",     "/find_torque_delay",
                                            "/find_cutoffs",     "/test_filters",   "/loop",
                                            "/find_drive_gains", "/payloads_known", "/friction",
                                            "/friction_from",    "/exclude" };

static void check_subject(struct json_reader *r, const struct identification_request *request, uint64_t given)
{
  const bool payload = request->identify == IDENTIFY_PAYLOAD;
  if (!payload && (given >> ROW_UNLOADED & 1))
    json_fault(r, row_pointers[ROW_UNLOADED], FAULT_INCONSISTENT, "goes with \"identify\": \"payload\"");
  for (int row = ROW_PRIOR; payload && row <= ROW_EXCLUDE; row++)
    if (given >> row & 1)
      json_fault(r, row_pointers[row], FAULT_INCONSISTENT,
                 "does not go with \"identify\": \"payload\", for which the arm is what the model says");
  if (payload && request->estimator != ARMDYN_WLS && request->estimator != ARMDYN_CONSISTENT)
    json_fault(r, "/estimator", FAULT_INCONSISTENT, "must be wls or consistent for a payload");
  if (request->unloaded.count > 1 || (request->unloaded.count == 1 && request->datasets.count != 1))
    json_fault(r, row_pointers[ROW_UNLOADED], FAULT_LENGTH,
               "two runs have a difference: one data set with the load, one without");
  if (request->unloaded.count == 1 && request->datasets.count == 1 &&
      !strcmp(request->unloaded.items[0], request->datasets.items[0]))
    json_fault(r, "/unloaded/0", FAULT_INCONSISTENT, "is the run with the load");
}

/* The loop that is simulated. */
static void check_loop(struct json_reader *r, const struct identification_request *request)
{
  const bool didim = request->estimator == ARMDYN_DIDIM;
  if (didim && !request->has_loop)
    json_fault(
        r, "/loop", FAULT_INCONSISTENT,
        "is missing: didim simulates the loop that the arm was logged in, of which it must be told reference and "
        "gains. Without them, a loop that is stiff follows the filtered path, along which consistent identifies");
  if (!request->has_loop) return;
  if (!didim && request->estimator != ARMDYN_IV && !request->test_filters)
    json_fault(r, "/loop", FAULT_INCONSISTENT, "belongs to the estimators didim and iv, and to test_filters");
  if (request->loop.reference.count != request->datasets.count)
    json_fault(r, "/loop/reference", FAULT_LENGTH,
               "needs one data set for each of the %zu that are trained on, got %zu", request->datasets.count,
               request->loop.reference.count);
  if (*request->friction_from)
    json_fault(r, "/friction_from", FAULT_INCONSISTENT,
               "does not go with a loop, whose simulated arm has all its friction");
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)context;
  const struct identification_request *request = object;
  if (json_reader_status(r)) return; /* of what is wrong nothing follows */
  check_subject(r, request, given);
  const bool prior = request->estimator >= ARMDYN_RIDGE && request->estimator != ARMDYN_IV;
  if (!request->datasets.count) json_fault(r, "/datasets", FAULT_LENGTH, "needs at least one data set");
  if (!prior && !isnan(request->prior_strength))
    json_fault(r, "/prior_strength", FAULT_INCONSISTENT, "belongs to the estimators ridge, consistent and didim");
  if (request->find_torque_delay && request->conditioning.has_torque_delay)
    json_fault(r, "/find_torque_delay", FAULT_INCONSISTENT, "is for logs whose conditioning/torque_delay is not known");
  if (request->velocities == VELOCITIES_LOGGED && request->conditioning.method == ARMDYN_TRACKING_DIFFERENTIATOR)
    json_fault(r, "/velocities", FAULT_INCONSISTENT,
               "logged does not go with \"method\": \"tracking_differentiator\", whose velocities are its own");
  if (request->find_cutoffs && !isnan(request->conditioning.position_cutoff_hz) &&
      !isnan(request->conditioning.torque_cutoff_hz))
    json_fault(r, "/find_cutoffs", FAULT_INCONSISTENT,
               "is for logs of which conditioning says not both position_cutoff_hz and torque_cutoff_hz");
  if (request->payloads_known == PAYLOADS_WEIGHED && !request->find_drive_gains)
    json_fault(r, "/payloads_known", FAULT_INCONSISTENT,
               "mass goes with find_drive_gains, which finds the rest of them");
  check_loop(r, request);
  check_validation(r, request);
  check_exclude(r, request);
}

static const struct json_field request_fields[] = {
  [ROW_UNLOADED] = { ID_LIST(struct identification_request, unloaded) },
  [ROW_PRIOR] = { TRUTH(struct identification_request, prior) },
  [ROW_PRIOR_STRENGTH] = { NUMBER(struct identification_request, prior_strength, ABOVE_UP_TO(0, 1e12), NULL),
                           NULLABLE },
  [ROW_ROTOR_INERTIA] = { TRUTH(struct identification_request, rotor_inertia) },
  [ROW_FREE_SIGNS] = { TRUTH(struct identification_request, free_signs) },
  [ROW_FIND_TORQUE_DELAY] = { TRUTH(struct identification_request, find_torque_delay), NULLABLE,
                              HAS(struct identification_request, has_find_torque_delay) },
  [ROW_FIND_CUTOFFS] = { TRUTH(struct identification_request, find_cutoffs) },
  [ROW_TEST_FILTERS] = { TRUTH(struct identification_request, test_filters) },
  [ROW_FIND_DRIVE_GAINS] = { TRUTH(struct identification_request, find_drive_gains) },
  [ROW_PAYLOADS_KNOWN] = { ENUM(struct identification_request, payloads_known, payloads_known) },
  [ROW_LOOP] = { OBJECT(struct identification_request, loop, loop_type), NULLABLE,
                 HAS(struct identification_request, has_loop) },
  [ROW_FRICTION] = { CUSTOM(struct identification_request, friction, decode_friction, NULL,
                            "a list of friction terms, [\"auto\"] or [\"coulomb\", \"viscous\"]") },
  [ROW_FRICTION_FROM] = { TEXT(struct identification_request, friction_from), MATCHES(json_id_pattern), NULLABLE },
  [ROW_EXCLUDE] = { LIST(struct identification_request, exclude, exclusion_count, 0, exclusion_type) },
  { ENUM(struct identification_request, identify, subjects) },
  { ID_LIST(struct identification_request, datasets), REQUIRED },
  { ID_LIST(struct identification_request, validation) },
  { NUMBER(struct identification_request, validation_fraction, BETWEEN(0.01, 0.9), NULL), NULLABLE },
  { ENUM(struct identification_request, estimator, identification_estimators) },
  { ENUM(struct identification_request, velocities, velocities) },
  { OBJECT(struct identification_request, conditioning, identification_conditioning_type) },
  { INTEGER(struct identification_request, seed, BETWEEN(0, 9007199254740991.0), NULL) },
  RESULT_LABELS(struct identification_request),
};
static const struct json_type request_type = JSON_TYPE("a request for an identification", request_fields,
                                                       struct identification_request, request_init, request_check);

enum armdyn_status identification_request_decode(const char *text, size_t length,
                                                 const struct armdyn_robot_description *robot,
                                                 struct identification_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}
