#include "api/codec/verification.h"

#include <string.h>

#include "armdyn/chirp.h"

/* -- references -- */

static const char *const kinds[] = { [REFERENCE_HOLD] = "hold",
                                     [REFERENCE_STEP] = "step",
                                     [REFERENCE_SINE] = "sine",
                                     [REFERENCE_CIRCLE] = "circle",
                                     [REFERENCE_TRAJECTORY] = "trajectory",
                                     [REFERENCE_CHIRP] = "chirp" };
_Static_assert(sizeof kinds / sizeof *kinds == REFERENCE_KINDS, "name every kind");

const char *verification_kind_name(enum verification_reference_kind kind)
{
  return kinds[kind];
}

#define REFERENCE struct verification_reference
static const double CHIRP_REST = 2; /* s */
#define LENGTHS BETWEEN(-1000, 1000)
/* Rows of the table below that belong to some kinds only. */
enum {
  ROW_DURATION,
  ROW_AMPLITUDE,
  ROW_FREQUENCIES,
  ROW_PERIODS,
  ROW_SETTLE,
  ROW_BAND,
  ROW_CENTER,
  ROW_NORMAL,
  ROW_TURNS,
  ROW_TRAJECTORY,
  ROW_MEASURED,
  ROW_MEASURED_FROM,
  ROW_REST,
  ROW_BREAKAWAY,
  ROWS
};
static const struct json_field reference_fields[] = {
  [ROW_DURATION] = { NUMBER(REFERENCE, duration, BETWEEN(1e-3, LIMIT_SIMULATION_TIME), "s") },
  [ROW_AMPLITUDE] = { NUMBERS(REFERENCE, amplitude, PER_JOINT, BETWEEN(-100, 100), "rad, m") },
  [ROW_FREQUENCIES] = { NUMBERS(REFERENCE, frequencies, LIMIT_SWEEP_FREQUENCIES, BETWEEN(1e-3, 50000), "Hz"),
                        COUNTED(REFERENCE, frequency_count), .least = 1 },
  [ROW_PERIODS] = { NUMBER(REFERENCE, periods, BETWEEN(1, 1000), NULL) },
  [ROW_SETTLE] = { NUMBER(REFERENCE, settle, BETWEEN(0, 1000), "s"), NULLABLE },
  [ROW_BAND] = { NUMBER(REFERENCE, band, BETWEEN(1e-6, 0.5), NULL) },
  [ROW_CENTER] = { NUMBERS(REFERENCE, center, 3, LENGTHS, "m") },
  [ROW_NORMAL] = { NUMBERS(REFERENCE, normal, 3, LENGTHS, NULL) },
  [ROW_TURNS] = { NUMBER(REFERENCE, turns, ABOVE_UP_TO(0, 16), NULL) },
  [ROW_TRAJECTORY] = { TEXT(REFERENCE, trajectory), MATCHES(json_id_pattern) },
  [ROW_MEASURED] = { TEXT(REFERENCE, measured), MATCHES(json_id_pattern), NULLABLE },
  [ROW_MEASURED_FROM] = { NUMBER(REFERENCE, measured_from, ANY_NUMBER, "s") },
  [ROW_REST] = { NUMBER(REFERENCE, rest, BETWEEN(0, 1000), "s") },
  [ROW_BREAKAWAY] = { TRUTH(REFERENCE, breakaway) },
  { ENUM(REFERENCE, kind, kinds), REQUIRED },
  { TEXT(REFERENCE, name) },
};

#define BIT(row) (1u << (row))
static const struct {
  unsigned needed, allowed;
} rows_of[] = {
  [REFERENCE_HOLD] = { BIT(ROW_DURATION), BIT(ROW_BREAKAWAY) },
  [REFERENCE_STEP] = { BIT(ROW_DURATION) | BIT(ROW_AMPLITUDE), BIT(ROW_BAND) },
  [REFERENCE_SINE] = { BIT(ROW_AMPLITUDE) | BIT(ROW_FREQUENCIES), BIT(ROW_PERIODS) | BIT(ROW_SETTLE) },
  [REFERENCE_CIRCLE] = { BIT(ROW_DURATION) | BIT(ROW_CENTER), BIT(ROW_NORMAL) | BIT(ROW_TURNS) | BIT(ROW_REST) },
  [REFERENCE_TRAJECTORY] = { BIT(ROW_TRAJECTORY), BIT(ROW_REST) | BIT(ROW_MEASURED) | BIT(ROW_MEASURED_FROM) },
  [REFERENCE_CHIRP] = { BIT(ROW_DURATION) | BIT(ROW_AMPLITUDE) | BIT(ROW_FREQUENCIES), BIT(ROW_REST) },
};

static void reference_init(void *object)
{
  *(REFERENCE *)object =
      (REFERENCE){ .duration = NAN, .periods = 4, .settle = NAN, .band = 0.02, .normal = { 0, 0, 1 }, .turns = 1 };
}

static void check_sine(struct json_reader *r, const REFERENCE *reference)
{
  for (size_t k = 1; k < reference->frequency_count; k++)
    if (!(reference->frequencies[k] > reference->frequencies[k - 1])) {
      json_fault(r, "/frequencies", FAULT_INCONSISTENT, "must increase, got %g after %g", reference->frequencies[k],
                 reference->frequencies[k - 1]);
      return;
    }
}

static void check_chirp(struct json_reader *r, const REFERENCE *reference)
{
  const double least = ARMDYN_CHIRP_PERIODS / reference->frequencies[0];
  if (reference->frequency_count != 2)
    json_fault(r, "/frequencies", FAULT_LENGTH, "of a chirp are the first and the last, got %zu",
               reference->frequency_count);
  else if (reference->duration < least)
    json_fault(r, "/duration", FAULT_MINIMUM, "must be >= %g s, %d periods of %g Hz, got %g", least,
               ARMDYN_CHIRP_PERIODS, reference->frequencies[0], reference->duration);
}

static void reference_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  REFERENCE *reference = object;
  char where[32];
  bool moves = false;
  if (json_reader_status(r)) return;
  const unsigned needed = rows_of[reference->kind].needed, allowed = needed | rows_of[reference->kind].allowed;
  for (unsigned k = 0; k < ROWS; k++) {
    snprintf(where, sizeof where, "/%s", reference_fields[k].name);
    if (given >> k & 1 && !(allowed >> k & 1))
      json_fault(r, where, FAULT_INCONSISTENT, "does not go with \"kind\": \"%s\"", kinds[reference->kind]);
    else if (needed >> k & 1 && !(given >> k & 1))
      json_fault(r, where, FAULT_REQUIRED, "a %s needs it", kinds[reference->kind]);
  }
  for (size_t j = 0; j < context->joint_count; j++) moves |= reference->amplitude[j] != 0;
  if (given >> ROW_AMPLITUDE & 1 && !moves) json_fault(r, "/amplitude", FAULT_INCONSISTENT, "must move some joint");
  if (reference->kind == REFERENCE_SINE || reference->kind == REFERENCE_CHIRP) check_sine(r, reference);
  if (reference->kind == REFERENCE_CHIRP) {
    if (!json_reader_status(r)) check_chirp(r, reference);
    if (!(given >> ROW_REST & 1)) reference->rest = CHIRP_REST;
  }
  if (given >> ROW_MEASURED_FROM & 1 && !*reference->measured)
    json_fault(r, "/measured_from", FAULT_INCONSISTENT, "belongs to a data set, measured");
  if (!*reference->name) snprintf(reference->name, sizeof reference->name, "%s", kinds[reference->kind]);
}
const struct json_type verification_reference_type =
    JSON_TYPE("a reference", reference_fields, REFERENCE, reference_init, reference_check);

/* -- laws -- */

#define LAW struct verification_law
static void law_init(void *object)
{
  *(LAW *)object = (LAW){ .bandwidth_hz = 5 };
}

static void law_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  LAW *law = object;
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  if (!*law->name) snprintf(law->name, sizeof law->name, "%s", control_laws[law->control.law]);
  if (law->without_model && !control_alone(law->control.law))
    json_fault(r, "/without_model", FAULT_INCONSISTENT, "the law %s has no PID that is left without its model",
               control_laws[law->control.law]);
}

static const struct json_field law_fields[] = {
  { TEXT(LAW, name) },
  { NUMBER(LAW, bandwidth_hz, BETWEEN(0.01, 1000), "Hz") },
  { TRUTH(LAW, without_model) },
  { OBJECT(LAW, control, control_type), REQUIRED },
};
static const struct json_type law_type = JSON_TYPE("a law", law_fields, LAW, law_init, law_check);

/* -- plants -- */

#define PLANT struct verification_plant
static void plant_entry_init(void *object)
{
  *(PLANT *)object = (PLANT){ .plant = { .inertial_scale = 1 } };
}
static const struct json_field plant_entry_fields[] = {
  { TEXT(PLANT, name) },
  { OBJECT(PLANT, plant, plant_type) },
};
const struct json_type verification_plant_type =
    JSON_TYPE("a plant", plant_entry_fields, PLANT, plant_entry_init, NULL);

/* -- the whole -- */

#define REQUEST  struct verification_request
#define ACCURACY struct verification_accuracy
static const struct json_field accuracy_fields[] = {
  { TEXT(ACCURACY, identification), MATCHES(json_id_pattern) },
  { TEXT(ACCURACY, law) },
  { TEXT(ACCURACY, reference) },
};
static const struct json_type accuracy_type =
    JSON_TYPE("what accuracy is told of", accuracy_fields, ACCURACY, NULL, NULL);

#define LIMIT struct verification_limit
static const struct json_field limit_fields[] = {
  { NUMBER(LIMIT, position_mm, POSITIVE, "mm"), NULLABLE },
  { NUMBER(LIMIT, rotation_mrad, POSITIVE, "mrad"), NULLABLE },
};
static void limit_init(void *object)
{
  *(LIMIT *)object = (LIMIT){ NAN, NAN };
}
static const struct json_type limit_type = JSON_TYPE("a limit", limit_fields, LIMIT, limit_init, NULL);

static void request_init(void *object)
{
  REQUEST *request = object;
  memset(request, 0, sizeof *request);
  request->friction = true;
  request->tolerance = 1e-9;
  limit_init(&request->limit);
}

/* Names are how cases are told apart. */
static void check_names(struct json_reader *r, const char *list, const char *names, size_t step, size_t count)
{
  char where[48];
  for (size_t i = 1; i < count; i++)
    for (size_t k = 0; k < i; k++) {
      if (strcmp(names + i * step, names + k * step) != 0) continue;
      snprintf(where, sizeof where, "/%s/%zu/name", list, i);
      json_fault(r, where, FAULT_INCONSISTENT, "is '%s' like that of /%s/%zu: names must differ", names + i * step,
                 list, k);
    }
}

static void check_where(struct json_reader *r, const REQUEST *request)
{
  for (size_t k = 0; k < request->reference_count; k++)
    if (request->references[k].kind != REFERENCE_TRAJECTORY && !request->has_q) {
      json_fault(r, "/q", FAULT_REQUIRED, "where the %s is; only a trajectory says it itself",
                 kinds[request->references[k].kind]);
      return;
    }
}

static size_t variants_of_laws(const REQUEST *request)
{
  size_t count = request->law_count;
  for (size_t k = 0; k < request->law_count; k++) count += request->laws[k].without_model ? 1 : 0;
  return count;
}

/* What one case is told in, and of elements their energies. */
enum { ENERGY_NUMBERS = 4 * ARMDYN_ELEMENTS };
static size_t numbers_of(const struct verification_reference *reference, size_t joints)
{
  return 112 + joints * (8 + 3 * reference->frequency_count + (reference->breakaway ? 2 : 0));
}

static void check_size(struct json_reader *r, const REQUEST *request, size_t joints)
{
  const size_t around = variants_of_laws(request) * request->plant_count, cases = around * request->reference_count;
  size_t numbers = 0;
  double periods = 0;
  for (size_t k = 0; k < request->reference_count; k++) {
    if (*request->references[k].measured) numbers += numbers_of(&request->references[k], joints);
    numbers += around * numbers_of(&request->references[k], joints);
    for (size_t p = 0; p < request->plant_count; p++)
      if (request->plants[p].plant.has_elements) numbers += variants_of_laws(request) * ENERGY_NUMBERS;
    for (size_t l = 0; l < request->law_count; l++) {
      const struct verification_law *law = &request->laws[l];
      const double time = verification_time(&request->references[k], law, 0) +
                          verification_breakaway_time(&request->references[k], joints);
      periods += time * law->control.rate_hz * verification_variants(law) * (double)request->plant_count;
    }
  }
  if (cases > LIMIT_VERIFICATION_CASES)
    json_fault(r, "/references", FAULT_MAXIMUM, "%zu plants, laws and references together are more than %d cases",
               cases, LIMIT_VERIFICATION_CASES);
  if (numbers > LIMIT_VERIFICATION_NUMBERS)
    json_fault(
        r, "/references", FAULT_MAXIMUM,
        "%zu cases of %zu joints would be told in %zu numbers, which are more than %d: fewer frequencies or cases",
        cases, joints, numbers, LIMIT_VERIFICATION_NUMBERS);
  if (periods > LIMIT_VERIFICATION_PERIODS)
    json_fault(r, "/references", FAULT_MAXIMUM, "%.0f periods of controllers are more than the %d of one verification",
               periods, LIMIT_VERIFICATION_PERIODS);
}

/* What a controller samples too slowly to see. */
static void check_frequencies(struct json_reader *r, const REQUEST *request)
{
  for (size_t k = 0; k < request->reference_count; k++)
    for (size_t l = 0; l < request->law_count; l++) {
      const size_t count = request->references[k].frequency_count;
      const double half = request->laws[l].control.rate_hz / 2;
      char where[48];
      if (!count || request->references[k].frequencies[count - 1] < half) continue;
      snprintf(where, sizeof where, "/references/%zu/frequencies", k);
      json_fault(r, where, FAULT_MAXIMUM, "must be below half of rate_hz of the law %s, %g, got %g",
                 request->laws[l].name, half, request->references[k].frequencies[count - 1]);
    }
}

/* The first of `names` that is `name`; count: none. */
static size_t find_name(const char *names, size_t step, size_t count, const char *name)
{
  size_t k = 0;
  while (k < count && strcmp(names + k * step, name) != 0) k++;
  return k;
}

static void check_accuracy(struct json_reader *r, const REQUEST *request)
{
  const struct verification_accuracy *accuracy = &request->accuracy;
  if (*accuracy->law &&
      find_name(request->laws->name, sizeof(LAW), request->law_count, accuracy->law) == request->law_count)
    json_fault(r, "/accuracy/law", FAULT_INCONSISTENT, "is none of the laws: '%s'", accuracy->law);
  if (!*accuracy->reference) return;
  const size_t k =
      find_name(request->references->name, sizeof(REFERENCE), request->reference_count, accuracy->reference);
  if (k == request->reference_count)
    json_fault(r, "/accuracy/reference", FAULT_INCONSISTENT, "is none of the references: '%s'", accuracy->reference);
  else if (request->references[k].kind == REFERENCE_STEP || request->references[k].kind == REFERENCE_SINE)
    json_fault(r, "/accuracy/reference", FAULT_INCONSISTENT, "must be a hold, a circle or a trajectory, '%s' is a %s",
               accuracy->reference, kinds[request->references[k].kind]);
}

void verification_loops_check(struct json_reader *r, REQUEST *request)
{
  carried_check(r, &request->carried);
  if (!request->plant_count) plant_entry_init(&request->plants[request->plant_count++]);
  for (size_t k = 0; k < request->plant_count; k++)
    if (!*request->plants[k].name) snprintf(request->plants[k].name, VERIFICATION_NAME, "plant %zu", k + 1);
  check_names(r, "references", request->references->name, sizeof(REFERENCE), request->reference_count);
  check_names(r, "plants", request->plants->name, sizeof(PLANT), request->plant_count);
  check_where(r, request);
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  REQUEST *request = object;
  (void)given;
  if (json_reader_status(r)) return;
  verification_loops_check(r, request);
  check_names(r, "laws", request->laws->name, sizeof(LAW), request->law_count);
  check_frequencies(r, request);
  check_accuracy(r, request);
  if (!json_reader_status(r)) check_size(r, request, context->joint_count);
}

static const struct json_field request_fields[] = {
  { NUMBERS(REQUEST, q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), HAS(REQUEST, has_q) },
  { TRUTH(REQUEST, friction) },
  { NUMBER(REQUEST, tolerance, BETWEEN(1e-14, 1e-2), NULL) },
  { OBJECT(REQUEST, limit, limit_type), NULLABLE },
  { LIST(REQUEST, references, reference_count, 1, verification_reference_type), REQUIRED },
  { LIST(REQUEST, laws, law_count, 1, law_type), REQUIRED },
  { LIST(REQUEST, plants, plant_count, 1, verification_plant_type) },
  { OBJECT(REQUEST, accuracy, accuracy_type), HAS(REQUEST, has_accuracy), NULLABLE },
  CARRIED,
  RESULT_LABELS(REQUEST),
};
static const struct json_type request_type =
    JSON_TYPE("a verification request", request_fields, REQUEST, request_init, request_check);

enum armdyn_status verification_request_decode(const char *text, size_t length,
                                               const struct armdyn_robot_description *robot,
                                               struct verification_request *out, struct faults *faults)
{
  const struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- times -- */

double verification_settle(const struct verification_reference *reference, const struct verification_law *law)
{
  return isnan(reference->settle) ? 3 / law->bandwidth_hz : reference->settle;
}

size_t verification_chirps(const struct verification_reference *reference)
{
  size_t count = 0;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) count += reference->amplitude[j] != 0;
  return count;
}

double verification_breakaway_time(const struct verification_reference *reference, size_t joints)
{
  return reference->breakaway ? 2 * (double)joints * (reference->duration + VERIFICATION_RAMP) : 0;
}

double verification_time(const struct verification_reference *reference, const struct verification_law *law,
                         double motion)
{
  double sum = 0;
  if (reference->kind == REFERENCE_CHIRP)
    return (double)verification_chirps(reference) * (reference->duration + reference->rest);
  for (size_t k = 0; k < reference->frequency_count; k++)
    sum += verification_settle(reference, law) + reference->periods / reference->frequencies[k];
  if (reference->kind == REFERENCE_SINE) return sum;
  return reference->rest + (reference->kind == REFERENCE_TRAJECTORY ? motion : reference->duration);
}
