/* What verifications found, as the document that is kept. */
#include <string.h>

#include "api/codec/verification.h"

#define PI 3.14159265358979323846

enum { LAW_NAME = VERIFICATION_NAME + 16 };
static const char *law_name(const struct verification_request *request, size_t law, bool alone, char out[LAW_NAME])
{
  snprintf(out, LAW_NAME, "%s%s", request->laws[law].name, alone ? " without model" : "");
  return out;
}

static void member_law(struct json_writer *w, const struct verification_result *result, size_t law, bool alone)
{
  char name[LAW_NAME];
  json_member_text(w, "law", law_name(result->request, law, alone, name));
}

/* -- what was held against what -- */

static void encode_laws(struct json_writer *w, const struct verification_result *result)
{
  const struct verification_request *request = result->request;
  char name[LAW_NAME];
  json_key(w, "laws"), json_begin_array(w);
  for (size_t k = 0; k < request->law_count; k++)
    for (int alone = 0; alone < verification_variants(&request->laws[k]); alone++) {
      json_begin_object(w);
      json_member_text(w, "name", law_name(request, k, alone, name));
      json_member_number(w, "bandwidth_hz", request->laws[k].bandwidth_hz);
      json_key(w, "control"),
          control_encode(w, &result->controls[k][alone], &request->laws[k].control.schedule, result->robot);
      json_end_object(w);
    }
  json_end_array(w);
}

static void encode_plants(struct json_writer *w, const struct verification_result *result)
{
  json_key(w, "plants"), json_begin_array(w);
  for (size_t k = 0; k < result->request->plant_count; k++) {
    json_begin_object(w);
    json_member_text(w, "name", result->request->plants[k].name);
    json_member_number(w, "payload_mass", result->masses[k]);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_references(struct json_writer *w, const struct verification_result *result)
{
  json_key(w, "references"), json_begin_array(w);
  for (size_t k = 0; k < result->request->reference_count; k++) {
    const struct verification_reference *reference = &result->request->references[k];
    json_begin_object(w);
    json_member_text(w, "name", reference->name);
    json_member_text(w, "kind", verification_kind_name(reference->kind));
    if (*reference->trajectory) json_member_text(w, "trajectory", reference->trajectory);
    if (*reference->measured) json_member_text(w, "measured", reference->measured);
    json_end_object(w);
  }
  json_end_array(w);
}

/* -- cases -- */

static void encode_joint(struct json_writer *w, const struct verification_joint *joint,
                         const struct verification_reference *reference, bool moves)
{
  const enum verification_reference_kind kind = reference->kind;
  json_begin_object(w);
  json_member_number(w, "rms", joint->rms);
  json_member_number(w, "max", joint->max);
  if (kind == REFERENCE_HOLD) {
    json_member_number(w, "static_error", joint->static_error);
    json_member_number(w, "ripple", joint->ripple);
    json_member_number(w, "torque_ripple", joint->torque_ripple);
  }
  if (reference->breakaway) {
    json_member_number(w, "breakaway_positive", joint->breakaway[0]);
    json_member_number(w, "breakaway_negative", joint->breakaway[1]);
  }
  if (kind == REFERENCE_STEP) json_member_number(w, "steady_state_error", joint->steady_state_error);
  if (kind == REFERENCE_STEP && moves) {
    json_member_number(w, "overshoot_percent", joint->overshoot_percent);
    json_member_number(w, "peak_time", joint->peak_time);
    json_member_number(w, "rise_time", joint->rise_time);
    json_member_number(w, "settling_time", joint->settling_time);
  }
  if (kind == REFERENCE_SINE && moves) json_member_number(w, "bandwidth_hz", joint->bandwidth_hz);
  json_member_number(w, "torque_rms", joint->torque_rms);
  json_member_number(w, "torque_peak", joint->torque_peak);
  json_member_number(w, "saturated", joint->saturated);
  json_end_object(w);
}

static void encode_responses(struct json_writer *w, const struct verification_result *result,
                             const struct verification_case *c)
{
  const struct verification_reference *reference = &result->request->references[c->reference];
  json_key(w, "responses"), json_begin_array(w);
  for (size_t k = 0; k < reference->frequency_count; k++) {
    json_begin_object(w);
    json_member_number(w, "frequency_hz", reference->frequencies[k]);
    json_key(w, "joints"), json_begin_array(w);
    for (size_t j = 0; j < result->robot->joint_count; j++) {
      const struct verification_response *response = &c->responses[k * result->robot->joint_count + j];
      json_begin_object(w);
      json_member_number(w, "gain", response->gain);
      json_member_number(w, "phase_deg", response->phase * 180 / PI);
      json_member_number(w, "left", response->left);
      json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_tool(struct json_writer *w, double rms_mm, double max_mm, double max_time, double rms_mrad,
                        double max_mrad)
{
  json_key(w, "tool"), json_begin_object(w);
  json_member_number(w, "position_rms_mm", rms_mm);
  json_member_number(w, "position_max_mm", max_mm);
  json_member_number(w, "position_max_time", max_time);
  json_member_number(w, "rotation_rms_mrad", rms_mrad);
  json_member_number(w, "rotation_max_mrad", max_mrad);
  json_end_object(w);
}

static void encode_apart(struct json_writer *w, const struct verification_case *c, size_t joints)
{
  json_key(w, "apart"), json_begin_object(w);
  json_member_number(w, "position_rms_mm", c->apart_rms_mm);
  json_member_number(w, "position_max_mm", c->apart_max_mm);
  json_key(w, "joints"), json_write_numbers(w, c->apart, joints);
  json_end_object(w);
}

static bool limited(const struct verification_request *request)
{
  return !isnan(request->limit.position_mm) || !isnan(request->limit.rotation_mrad);
}

static void encode_case(struct json_writer *w, const struct verification_result *result,
                        const struct verification_case *c)
{
  const struct verification_request *request = result->request;
  const struct verification_reference *reference = &request->references[c->reference];
  const bool motion = reference->kind == REFERENCE_CIRCLE || reference->kind == REFERENCE_TRAJECTORY;
  json_begin_object(w);
  json_member_text(w, "plant", request->plants[c->plant].name);
  member_law(w, result, c->law, c->alone);
  json_member_text(w, "reference", reference->name);
  json_member_text(w, "kind", verification_kind_name(reference->kind));
  json_member_text(w, "state", c->diverged ? "diverged" : "finished");
  if (c->diverged) json_member_text(w, "detail", c->detail);
  json_member_number(w, "duration", c->duration);
  json_member_integer(w, "steps", c->steps);
  if (!c->diverged) {
    encode_tool(w, c->position_rms_mm, c->position_max_mm, c->position_max_time, c->rotation_rms_mrad,
                c->rotation_max_mrad);
    if (*reference->measured) encode_apart(w, c, result->robot->joint_count);
    json_member_number(w, "judged_mm", c->judged_mm);
    json_member_number(w, "judged_mrad", c->judged_mrad);
    if (motion) json_member_number(w, "settled_after", c->settled_after);
    json_key(w, "joints"), json_begin_array(w);
    for (size_t j = 0; j < result->robot->joint_count; j++)
      encode_joint(w, &c->joints[j], reference, reference->amplitude[j] != 0);
    json_end_array(w);
    if (c->responses) encode_responses(w, result, c);
    if (c->has_account) json_key(w, "energies"), element_energies_encode(w, &c->account);
    if (motion) json_key(w, "envelope_mm"), json_write_numbers(w, c->envelope_mm, ENVELOPE);
  }
  if (limited(request)) json_member_truth(w, "within", c->within);
  json_end_object(w);
}

/* -- what an arm did -- */

static const struct verification_measured *measured_of(const struct verification_result *result, size_t reference)
{
  for (size_t k = 0; k < result->measured_count; k++)
    if (result->measured[k].reference == reference) return &result->measured[k];
  return NULL;
}

/* The case that is the least apart from it. */
static void encode_nearest(struct json_writer *w, const struct verification_result *result, size_t reference)
{
  const struct verification_case *nearest = NULL;
  for (size_t k = 0; k < result->case_count; k++) {
    const struct verification_case *c = &result->cases[k];
    if (c->reference != reference || c->diverged || isnan(c->apart_rms_mm)) continue;
    if (!nearest || c->apart_rms_mm < nearest->apart_rms_mm) nearest = c;
  }
  if (!nearest) return;
  json_key(w, "nearest"), json_begin_object(w);
  json_member_text(w, "plant", result->request->plants[nearest->plant].name);
  member_law(w, result, nearest->law, nearest->alone);
  json_member_number(w, "apart_rms_mm", nearest->apart_rms_mm);
  json_end_object(w);
}

static void encode_measured(struct json_writer *w, const struct verification_result *result)
{
  json_key(w, "measured"), json_begin_array(w);
  for (size_t k = 0; k < result->measured_count; k++) {
    const struct verification_measured *m = &result->measured[k];
    const struct verification_reference *reference = &result->request->references[m->reference];
    json_begin_object(w);
    json_member_text(w, "reference", reference->name);
    json_member_text(w, "dataset", reference->measured);
    json_member_integer(w, "samples", (long long)m->samples);
    json_member_number(w, "from", m->from);
    json_member_number(w, "to", m->to);
    encode_tool(w, m->position_rms_mm, m->position_max_mm, m->position_max_time, m->rotation_rms_mrad,
                m->rotation_max_mrad);
    if (limited(result->request)) json_member_truth(w, "within", m->within);
    json_member_number(w, "settled_after", m->settled_after);
    json_key(w, "joints"), json_begin_array(w);
    for (size_t j = 0; j < result->robot->joint_count; j++) {
      json_begin_object(w);
      json_member_number(w, "rms", m->joints[j].rms);
      json_member_number(w, "max", m->joints[j].max);
      json_member_number(w, "torque_rms", m->joints[j].torque_rms);
      json_member_number(w, "torque_peak", m->joints[j].torque_peak);
      json_end_object(w);
    }
    json_end_array(w);
    json_key(w, "envelope_mm"), json_write_numbers(w, m->envelope_mm, ENVELOPE);
    encode_nearest(w, result, m->reference);
    json_end_object(w);
  }
  json_end_array(w);
}

/* -- cases together -- */

static const struct verification_case *case_of(const struct verification_result *result, size_t plant, size_t law,
                                               bool alone, size_t reference)
{
  for (size_t k = 0; k < result->case_count; k++) {
    const struct verification_case *c = &result->cases[k];
    if (c->plant == plant && c->law == law && c->alone == alone && c->reference == reference) return c;
  }
  return NULL;
}

/* What the model is worth: the same case with it and without. */
static void encode_pairs(struct json_writer *w, const struct verification_result *result)
{
  json_key(w, "feedforward"), json_begin_array(w);
  for (size_t k = 0; k < result->case_count; k++) {
    const struct verification_case *without = &result->cases[k];
    if (!without->alone) continue;
    const struct verification_case *with = case_of(result, without->plant, without->law, false, without->reference);
    json_begin_object(w);
    json_member_text(w, "plant", result->request->plants[with->plant].name);
    member_law(w, result, with->law, false);
    json_member_text(w, "reference", result->request->references[with->reference].name);
    json_member_number(w, "with_mm", with->judged_mm);
    json_member_number(w, "without_mm", without->judged_mm);
    json_member_number(w, "ratio", without->judged_mm / with->judged_mm);
    const struct verification_measured *measured = measured_of(result, without->reference);
    if (measured) json_member_number(w, "measured_mm", measured->position_max_mm);
    json_end_object(w);
  }
  json_end_array(w);
}

/* The same law on the same reference, over all plants. */
static void encode_spread_of(struct json_writer *w, const struct verification_result *result, size_t law, bool alone,
                             size_t reference)
{
  const struct verification_request *request = result->request;
  double least = INFINITY, most = -INFINITY, sum = 0;
  size_t worst = 0, diverged = 0, count = 0;
  for (size_t plant = 0; plant < request->plant_count; plant++) {
    const struct verification_case *c = case_of(result, plant, law, alone, reference);
    diverged += c->diverged;
    if (c->diverged) continue;
    if (c->judged_mm > most) most = c->judged_mm, worst = plant;
    least = fmin(least, c->judged_mm);
    sum += c->judged_mm, count++;
  }
  json_begin_object(w);
  member_law(w, result, law, alone);
  json_member_text(w, "reference", request->references[reference].name);
  json_member_number(w, "least_mm", least);
  json_member_number(w, "mean_mm", sum / (double)count);
  json_member_number(w, "most_mm", most);
  if (count) json_member_text(w, "worst_plant", request->plants[worst].name);
  json_member_integer(w, "diverged", (long long)diverged);
  json_end_object(w);
}

static void encode_spread(struct json_writer *w, const struct verification_result *result)
{
  const struct verification_request *request = result->request;
  json_key(w, "spread"), json_begin_array(w);
  for (size_t law = 0; law < request->law_count; law++)
    for (int alone = 0; alone < verification_variants(&request->laws[law]); alone++)
      for (size_t k = 0; k < request->reference_count; k++) encode_spread_of(w, result, law, alone, k);
  json_end_array(w);
}

static void encode_holds(struct json_writer *w, const struct verification_result *result)
{
  json_key(w, "loads"), json_begin_array(w);
  for (size_t k = 0; k < result->hold_count; k++) {
    const struct verification_hold *hold = &result->holds[k];
    json_begin_object(w);
    member_law(w, result, hold->law, hold->alone);
    json_member_text(w, "reference", result->request->references[hold->reference].name);
    json_member_number(w, "holds_to", hold->mass);
    json_member_number(w, "fails_at", hold->next_mass);
    json_member_number(w, "about", hold->about);
    json_end_object(w);
  }
  json_end_array(w);
}

static void encode_accuracy(struct json_writer *w, const struct verification_result *result)
{
  const struct verification_budget *budget = result->budget;
  json_key(w, "accuracy"), json_begin_object(w);
  if (*budget->identification) json_member_text(w, "identification", budget->identification);
  if (!budget->told) {
    json_member_text(w, "detail", budget->why);
  } else {
    member_law(w, result, budget->law, false);
    json_member_text(w, "reference", result->request->references[budget->reference].name);
    json_member_number(w, "duration", budget->duration);
    json_member_integer(w, "parameters", (long long)budget->parameters);
    json_member_number(w, "nominal_mm", budget->nominal_mm);
    json_member_number(w, "parameters_mm", budget->parameters_mm);
    json_member_number(w, "together_mm", budget->together_mm);
    json_member_number(w, "time", budget->worst_time);
    if (!isnan(result->request->limit.position_mm))
      json_member_truth(w, "within", budget->together_mm <= result->request->limit.position_mm);
  }
  json_end_object(w);
}

/* -- the whole -- */

static void encode_limit(struct json_writer *w, const struct verification_request *request)
{
  if (!limited(request)) return;
  json_key(w, "limit"), json_begin_object(w);
  json_member_number(w, "position_mm", request->limit.position_mm);
  json_member_number(w, "rotation_mrad", request->limit.rotation_mrad);
  json_end_object(w);
}

/* The figures that lists compare by: the worst of all cases, and how many are not within the limit. */
static void encode_worst(struct json_writer *w, const struct verification_result *result)
{
  double worst = NAN;
  long long diverged = 0, beyond = 0;
  for (size_t k = 0; k < result->case_count; k++) {
    const struct verification_case *c = &result->cases[k];
    diverged += c->diverged, beyond += !c->within;
    if (!c->diverged) worst = fmax(worst, c->judged_mm);
  }
  json_member_integer(w, "case_count", (long long)result->case_count);
  json_member_integer(w, "diverged_count", diverged);
  if (limited(result->request)) json_member_integer(w, "beyond_count", beyond);
  json_member_number(w, "worst_mm", worst);
}

void verification_result_encode(const struct verification_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  const struct verification_request *request = result->request;
  json_begin_object(&w);
  carried_encode(&w, &request->carried);
  json_key(&w, "q"), json_write_numbers(&w, result->q, result->robot->joint_count);
  encode_limit(&w, request);
  encode_worst(&w, result);
  encode_plants(&w, result);
  encode_laws(&w, result);
  encode_references(&w, result);
  json_key(&w, "cases"), json_begin_array(&w);
  for (size_t k = 0; k < result->case_count; k++) encode_case(&w, result, &result->cases[k]);
  json_end_array(&w);
  if (result->measured_count) encode_measured(&w, result);
  encode_pairs(&w, result);
  encode_spread(&w, result);
  encode_holds(&w, result);
  if (result->budget) encode_accuracy(&w, result);
  result_origin_encode(&w, &request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "worst_mm", "worst_mm" },
  { "cases", "case_count" },
  { "beyond", "beyond_count" },
  { "diverged", "diverged_count" },
};
static const char *const members[] = { NULL };

const struct result_form verification_form = { "verifications", metrics, sizeof metrics / sizeof *metrics, members };
