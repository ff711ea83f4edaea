#include "api/codec/identification_study.h"

/* -- what is asked -- */

static void request_init(void *object)
{
  *(struct identification_study_request *)object =
      (struct identification_study_request){ .repetitions = 100, .seed = 1, .position_noise = true };
}

static const struct json_field request_fields[] = {
  { TEXT(struct identification_study_request, identification), MATCHES(json_id_pattern), REQUIRED },
  { INTEGER(struct identification_study_request, repetitions, BETWEEN(20, LIMIT_STUDY_REPETITIONS), NULL) },
  { TRUTH(struct identification_study_request, position_noise) },
  { INTEGER(struct identification_study_request, seed, BETWEEN(0, 9007199254740991.0), NULL) },
  RESULT_LABELS(struct identification_study_request),
};
static const struct json_type request_type = JSON_TYPE("a request for a study of an identification", request_fields,
                                                       struct identification_study_request, request_init, NULL);

enum armdyn_status identification_study_request_decode(const char *text, size_t length,
                                                       const struct armdyn_robot_description *robot,
                                                       struct identification_study_request *out, struct faults *faults)
{
  struct json_context context = { .joint_count = robot->joint_count };
  return json_decode(text, length, &request_type, out, &context, faults);
}

/* -- what is answered -- */

static void encode_share(struct json_writer *w, const char *name, double stated, const struct armdyn_share *share)
{
  json_key(w, name), json_begin_object(w);
  json_member_number(w, "stated", stated);
  json_member_number(w, "share", share->value);
  json_member_number(w, "low", share->low);
  json_member_number(w, "high", share->high);
  json_end_object(w);
}

static const char *const widths[ARMDYN_STUDY_WIDTHS] = { "within_one", "within_95" };

static void encode_coverage(struct json_writer *w, const struct identification_study_result *result)
{
  json_key(w, "coverage"), json_begin_object(w);
  for (enum armdyn_study_width width = 0; width < ARMDYN_STUDY_WIDTHS; width++) {
    const struct armdyn_share share = armdyn_study_coverage(result->study, width);
    encode_share(w, widths[width], armdyn_study_shares[width], &share);
  }
  json_end_object(w);
}

static void encode_parameter(struct json_writer *w, const struct identification_study_result *result, size_t k,
                             struct buffer *text)
{
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(result->unknowns);
  const struct armdyn_study_parameter p = armdyn_study_parameter(result->study, k);
  const size_t size = armdyn_base_parameter_text(base, k, NULL, 0) + 1;
  buffer_clear(text);
  char *expression = buffer_reserve(text, size);
  if (!expression) return;
  armdyn_base_parameter_text(base, k, expression, size);
  json_begin_object(w);
  json_key(w, "expression"), json_write_text(w, expression);
  json_member_number(w, "truth", p.truth);
  json_member_count(w, "runs", p.runs);
  json_member_count(w, "at_bound", p.at_bound);
  json_member_number(w, "mean", p.mean);
  json_member_number(w, "bias", p.bias);
  json_member_number(w, "bias_error", p.bias_error);
  json_member_number(w, "spread", p.spread);
  json_member_number(w, "std", p.stated);
  json_key(w, "coverage"), json_begin_object(w);
  for (enum armdyn_study_width width = 0; width < ARMDYN_STUDY_WIDTHS; width++) {
    const struct armdyn_share share =
        armdyn_binomial_share(p.within[width], p.runs - p.at_bound, IDENTIFICATION_STUDY_LEVEL);
    encode_share(w, widths[width], armdyn_study_shares[width], &share);
  }
  json_end_object(w);
  json_end_object(w);
}

static void encode_parameters(struct json_writer *w, const struct identification_study_result *result)
{
  const size_t count = armdyn_base_parameter_count(armdyn_unknowns_base(result->unknowns));
  struct buffer text = BUFFER(LIMIT_FRAME);
  json_key(w, "parameters"), json_begin_array(w);
  for (size_t k = 0; k < count; k++) encode_parameter(w, result, k, &text);
  json_end_array(w);
  if (!buffer_ok(&text)) w->out->failure = text.failure;
  buffer_release(&text);
}

static void encode_noise(struct json_writer *w, const struct identification_study_result *result)
{
  const double rate = result->conditioning.rate;
  json_key(w, "noise"), json_begin_array(w);
  for (size_t j = 0; j < result->robot->joint_count; j++) {
    json_begin_object(w);
    json_key(w, "joint"), json_write_text(w, result->robot->joints[j].name);
    json_member_number(w, "torque_std", armdyn_noise_deviation(result->noise, j));
    json_member_count(w, "order", armdyn_noise_order(result->noise, j));
    json_member_number(w, "correlation_time", armdyn_noise_correlation(result->noise, j) / rate);
    json_member_number(w, "position_std", result->position_deviation[j]);
    json_end_object(w);
  }
  json_end_array(w);
}

void identification_study_result_encode(const struct identification_study_result *result, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_key(&w, "identification"), json_write_text(&w, result->request->identification);
  json_key(&w, "identification_revision"), json_write_integer(&w, result->revision);
  json_key(&w, "estimator"), json_write_text(&w, result->estimator);
  json_key(&w, "conditioning"), json_encode_object(&w, &identification_conditioning_type, &result->conditioning, NULL);
  json_key(&w, "motion"), json_write_text(&w, result->in_loop ? "simulated_loop" : "measured");
  json_member_count(&w, "samples", result->samples);
  json_member_count(&w, "completed", result->completed);
  json_member_count(&w, "failed", result->failed);
  json_member_count(&w, "other_terms", result->other_terms);
  encode_noise(&w, result);
  encode_coverage(&w, result);
  encode_parameters(&w, result);
  json_key(&w, "data"), identification_data_encode(&w, result->data, result->data_count);
  identification_warnings_encode(&w, result->warnings, result->warning_count);
  result_origin_encode(&w, &result->request->labels, result->request_text);
  json_end_object(&w);
}

static const struct result_metric metrics[] = {
  { "coverage.within_one", "coverage/within_one/share" },
  { "coverage.within_95", "coverage/within_95/share" },
  { "completed", "completed" },
};
static const char *const members[] = { "identification", "estimator", NULL };
const struct result_form identification_study_form = { "identification-studies", metrics,
                                                       sizeof metrics / sizeof *metrics, members };
