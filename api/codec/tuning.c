#include "api/codec/tuning.h"

#include <string.h>

#define LOOPS   struct verification_request
#define REQUEST struct tuning_request
#define MARGINS struct tuning_margins

/* ---- what is asked */

static const struct json_field margins_fields[] = {
  { NUMBER(MARGINS, gain_db, BETWEEN(0, 40), "dB") },
  { NUMBER(MARGINS, phase_deg, BETWEEN(0, 89), "degrees") },
  { NUMBER(MARGINS, delay, BETWEEN(0, 10), "s") },
  { NUMBER(MARGINS, sensitivity, ABOVE_UP_TO(1, 100), NULL), NULLABLE },
};
static void margins_init(void *object)
{
  *(MARGINS *)object = (MARGINS){ 6, 30, 0, 2 };
}
static const struct json_type margins_type = JSON_TYPE("margins", margins_fields, MARGINS, margins_init, NULL);

static void request_init(void *object)
{
  REQUEST *request = object;
  memset(request, 0, sizeof *request);
  request->loops.friction = request->integral = true;
  request->loops.tolerance = 1e-7;
  request->loops.limit = (struct verification_limit){ NAN, NAN };
  request->loops.law_count = 1;
  request->bandwidth_max_hz = 100;
  request->overshoot_percent = NAN;
  request->rotation_weight = 0.1;
  request->evaluations = 200;
  margins_init(&request->margins);
}

size_t tuning_postures(const struct verification_reference *reference)
{
  static const size_t postures[REFERENCE_KINDS] = { [REFERENCE_HOLD] = 1,
                                                    [REFERENCE_STEP] = 2,
                                                    [REFERENCE_CIRCLE] = TUNING_POSTURES,
                                                    [REFERENCE_TRAJECTORY] = TUNING_POSTURES };
  return postures[reference->kind];
}

static void check_size(struct json_reader *r, const REQUEST *request)
{
  const LOOPS *loops = &request->loops;
  size_t postures = 0;
  double time = 0;
  for (size_t k = 0; k < loops->reference_count; k++) {
    postures += tuning_postures(&loops->references[k]);
    time += verification_time(&loops->references[k], loops->laws, 0);
  }
  const double periods =
      time * loops->laws->control.rate_hz * (double)loops->plant_count * (double)request->evaluations;
  if (postures * loops->plant_count > LIMIT_TUNING_PLACES)
    json_fault(r, "/references", FAULT_MAXIMUM,
               "%zu postures of %zu plants are more than the %d places where margins can be held", postures,
               loops->plant_count, LIMIT_TUNING_PLACES);
  if (periods > LIMIT_TUNING_PERIODS)
    json_fault(r, "/evaluations", FAULT_MAXIMUM, "%.0f periods of controllers are more than the %d of one tuning",
               periods, LIMIT_TUNING_PERIODS);
}

static void check_control(struct json_reader *r, const struct control_request *control)
{
  char where[48];
  if (!armdyn_law_tunable(control->law))
    json_fault(r, "/control/law", FAULT_INCONSISTENT, "gains of %s cannot be found", control_laws[control->law]);
  if (control->has_schedule && !*control->schedule.zones)
    json_fault(r, "/control/schedule", FAULT_INCONSISTENT,
               "gains are found for all speeds and places, or for zones: leave entries out");
  if (control->has_schedule && control->schedule.has_gains_at)
    json_fault(r, "/control/schedule/gains_at", FAULT_INCONSISTENT, "is where gains are looked for, q: leave it out");
  for (unsigned k = 0; control_gain_name(k); k++) {
    const unsigned bit = 1u << k;
    if (!(control->given & bit) || bit == ARMDYN_GAIN_STIFFNESS) continue;
    snprintf(where, sizeof where, "/control/%s", control_gain_name(k));
    json_fault(r, where, FAULT_INCONSISTENT, "is what is looked for: leave it out");
  }
}

static bool without_linear_form(const struct armdyn_elements *elements)
{
  bool play = false;
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) play |= elements->backlash[j] > 0;
  return play || elements->ripple_count || elements->wall_count || elements->has_hole;
}

static void request_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  REQUEST *request = object;
  LOOPS *loops = &request->loops;
  char where[48];
  (void)given, (void)context;
  if (json_reader_status(r)) return;
  loops->laws->bandwidth_hz = request->bandwidth_max_hz;
  snprintf(loops->laws->name, sizeof loops->laws->name, "%s", control_laws[loops->laws->control.law]);
  verification_loops_check(r, loops);
  check_control(r, &loops->laws->control);
  for (size_t k = 0; k < loops->reference_count; k++) {
    snprintf(where, sizeof where, "/references/%zu/breakaway", k);
    if (loops->references[k].breakaway)
      json_fault(r, where, FAULT_INCONSISTENT, "is no matter of gains: ask a verification");
    snprintf(where, sizeof where, "/references/%zu/measured", k);
    if (*loops->references[k].measured)
      json_fault(r, where, FAULT_INCONSISTENT, "is no matter of gains: ask a verification");
    if (loops->references[k].kind != REFERENCE_SINE && loops->references[k].kind != REFERENCE_CHIRP) continue;
    snprintf(where, sizeof where, "/references/%zu/kind", k);
    json_fault(r, where, FAULT_INCONSISTENT,
               "gains are not found on a sine or a chirp, but on a hold, step, circle or trajectory");
  }
  for (size_t k = 0; k < loops->plant_count; k++) {
    if (!without_linear_form(&loops->plants[k].plant.elements)) continue;
    snprintf(where, sizeof where, "/plants/%zu/plant", k);
    json_fault(
        r, where, FAULT_INCONSISTENT,
        "play, torque ripple and contact have no linear form, which margins need: elastic joints and current loops "
        "may be here, the rest is for a verification of the gains");
  }
  if (!json_reader_status(r)) check_size(r, request);
}

static const struct json_field request_fields[] = {
  { NUMBERS(LOOPS, q, PER_JOINT, BETWEEN(-1e6, 1e6), "rad, m"), HAS(LOOPS, has_q) },
  { TRUTH(LOOPS, friction) },
  { NUMBER(LOOPS, tolerance, BETWEEN(1e-14, 1e-2), NULL) },
  { LIST(LOOPS, references, reference_count, 1, verification_reference_type), REQUIRED },
  { OBJECT(LOOPS, laws[0].control, control_type), NAMED("control"), REQUIRED },
  { LIST(LOOPS, plants, plant_count, 1, verification_plant_type) },
  { OBJECT(REQUEST, margins, margins_type) },
  { NUMBER(REQUEST, bandwidth_max_hz, BETWEEN(0.01, 1000), "Hz") },
  { TRUTH(REQUEST, integral) },
  { NUMBER(REQUEST, overshoot_percent, BETWEEN(0, 1000), NULL), NULLABLE },
  { NUMBER(REQUEST, rotation_weight, BETWEEN(0, 1000), "mm/mrad") },
  { INTEGER(REQUEST, evaluations, BETWEEN(1, LIMIT_TUNING_EVALUATIONS), NULL) },
  CARRIED,
  RESULT_LABELS(LOOPS),
};
static const struct json_type request_type =
    JSON_TYPE("a tuning request", request_fields, REQUEST, request_init, request_check);

enum armdyn_status tuning_request_decode(const char *text, size_t length, const struct armdyn_robot_description *robot,
                                         struct tuning_request *out, struct faults *faults)
{
  const struct json_context context = { .joint_count = robot->joint_count, .user = (void *)(uintptr_t)robot };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* ---- what is answered */

static const double PI = 3.14159265358979323846;

static const char *const limits[] = {
  [ARMDYN_LIMITED_BY_STABILITY] = "stability",
  [ARMDYN_LIMITED_BY_GAIN] = "gain",
  [ARMDYN_LIMITED_BY_PHASE] = "phase",
  [ARMDYN_LIMITED_BY_DELAY] = "delay",
  [ARMDYN_LIMITED_BY_SENSITIVITY] = "sensitivity",
  [ARMDYN_LIMITED_BY_BANDWIDTH] = "bandwidth",
  [ARMDYN_LIMITED_BY_COST] = "cost",
};
_Static_assert(sizeof limits / sizeof *limits == ARMDYN_TUNING_LIMITS, "name every limit");

static double decibels(double factor)
{
  return 20 * log10(factor);
}

static void encode_place(struct json_writer *w, const struct tuning_result *result, const struct tuning_place *place)
{
  json_member_text(w, "plant", result->request->loops.plants[place->plant].name);
  json_member_text(w, "reference", result->request->loops.references[place->reference].name);
  json_member_number(w, "time", place->time);
}

static void encode_limit(struct json_writer *w, const struct tuning_result *result)
{
  const struct armdyn_tuned *tuned = result->tuned;
  const bool somewhere = tuned->limited_by <= ARMDYN_LIMITED_BY_SENSITIVITY;
  json_key(w, "limited_by"), json_begin_object(w);
  json_member_text(w, "what", limits[tuned->limited_by]);
  if (somewhere && tuned->limited_by != ARMDYN_LIMITED_BY_STABILITY)
    json_member_text(w, "joint", result->robot->joints[tuned->joint].name);
  if (somewhere) encode_place(w, result, &result->places[tuned->place]);
  json_end_object(w);
}

static void encode_margin(struct json_writer *w, const struct armdyn_loop_margin *margin)
{
  json_begin_object(w);
  json_member_number(w, "gain_db", decibels(margin->gain));
  json_member_number(w, "gain_down_db", decibels(1 / margin->gain_least));
  json_member_number(w, "phase_deg", margin->phase * 180 / PI);
  json_member_number(w, "delay", margin->delay);
  json_member_number(w, "sensitivity", margin->sensitivity);
  if (margin->crossover > 0) json_member_number(w, "crossover_hz", margin->crossover);
  json_end_object(w);
}

static void take_worse(struct armdyn_loop_margin *worst, const struct armdyn_loop_margin *margin)
{
  worst->gain = fmin(worst->gain, margin->gain), worst->gain_least = fmax(worst->gain_least, margin->gain_least);
  worst->phase = fmin(worst->phase, margin->phase), worst->delay = fmin(worst->delay, margin->delay);
  worst->sensitivity = fmax(worst->sensitivity, margin->sensitivity);
}

static void encode_places(struct json_writer *w, const struct tuning_result *result)
{
  const size_t n = result->robot->joint_count;
  struct armdyn_loop_margin worst = { .gain = INFINITY, .phase = INFINITY, .delay = INFINITY };
  json_key(w, "places"), json_begin_array(w);
  for (size_t k = 0; k < result->place_count; k++) {
    const struct tuning_place *place = &result->places[k];
    json_begin_object(w);
    encode_place(w, result, place);
    json_key(w, "q"), json_write_numbers(w, place->q, n);
    json_key(w, "joints"), json_begin_array(w);
    for (size_t j = 0; j < n; j++) {
      take_worse(&worst, &place->margins[j]);
      encode_margin(w, &place->margins[j]);
    }
    json_end_array(w);
    json_end_object(w);
  }
  json_end_array(w);
  json_key(w, "margins"), encode_margin(w, &worst);
}

static void encode_case(struct json_writer *w, const struct tuning_result *result, const struct verification_case *c)
{
  const LOOPS *loops = &result->request->loops;
  const struct verification_reference *reference = &loops->references[c->reference];
  double saturated = 0, overshoot = 0;
  size_t joint = 0;
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    if (c->joints[j].saturated > saturated) saturated = c->joints[j].saturated, joint = j;
    if (reference->amplitude[j] != 0) overshoot = fmax(overshoot, c->joints[j].overshoot_percent);
  }
  json_begin_object(w);
  json_member_text(w, "plant", loops->plants[c->plant].name);
  json_member_text(w, "reference", reference->name);
  json_member_number(w, "position_rms_mm", c->position_rms_mm);
  json_member_number(w, "position_max_mm", c->position_max_mm);
  json_member_number(w, "rotation_rms_mrad", c->rotation_rms_mrad);
  json_member_number(w, "rotation_max_mrad", c->rotation_max_mrad);
  if (reference->kind == REFERENCE_STEP) json_member_number(w, "overshoot_percent", overshoot);
  json_member_number(w, "saturated", saturated);
  if (saturated > 0) json_member_text(w, "saturated_joint", result->robot->joints[joint].name);
  json_end_object(w);
}

void tuning_result_encode(const struct tuning_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct armdyn_tuned *tuned = result->tuned;
  const size_t n = result->robot->joint_count;
  struct control_schedule zoned = result->request->loops.laws->control.schedule; /* the gains hold at q */
  zoned.has_gains_at = *zoned.zones != '\0';
  memcpy(zoned.gains_at, result->q, n * sizeof *result->q);
  json_begin_object(&w);
  carried_encode(&w, &result->request->loops.carried);
  json_key(&w, "q"), json_write_numbers(&w, result->q, n);
  json_key(&w, "control"), control_encode(&w, result->control, &zoned, result->robot);
  json_key(&w, "bandwidth_hz"), json_write_numbers(&w, tuned->bandwidth, n);
  json_member_number(&w, "damping", tuned->damping);
  json_member_number(&w, "integral_part", tuned->integral);
  json_member_number(&w, "cost_mm", tuned->cost);
  json_member_number(&w, "first_cost_mm", tuned->first_cost);
  json_member_integer(&w, "evaluations", (long long)tuned->evaluations);
  json_member_integer(&w, "margin_checks", (long long)tuned->checks);
  encode_limit(&w, result);
  encode_places(&w, result);
  json_key(&w, "cases"), json_begin_array(&w);
  for (size_t k = 0; k < result->case_count; k++) encode_case(&w, result, &result->cases[k]);
  json_end_array(&w);
  result_origin_encode(&w, &result->request->loops.labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "cost_mm", "cost_mm" },
  { "gain_db", "margins/gain_db" },
  { "phase_deg", "margins/phase_deg" },
  { "delay", "margins/delay" },
};
static const char *const members[] = { NULL };

const struct result_form tuning_form = { "tunings", metrics, sizeof metrics / sizeof *metrics, members };
