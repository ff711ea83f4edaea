/* Payloads in the document of an identification: that which is looked for, and those that gains of drives are found by. */
#include "api/codec/identification.h"
#include "api/codec/parts.h"
#include "armdyn/armdyn.h"

/* The k-th of a payload's ten parameters; it is left open where it has no deviation. */
static void encode_payload_parameter(struct json_writer *w, size_t k, double value, double deviation, bool identifiable)
{
  const struct armdyn_parameter_id id = { 0, ARMDYN_PARAMETER_LINK, k, 0 };
  char name[ARMDYN_PARAMETER_NAME_SIZE];
  armdyn_parameter_id_name(&id, name);
  json_begin_object(w);
  json_key(w, "name"), json_write_text(w, name);
  json_member_number(w, "value", value);
  json_member_number(w, "std", deviation);
  json_key(w, "identifiable"), json_write_truth(w, identifiable);
  json_end_object(w);
}

void identification_payload_encode(struct json_writer *w, const struct armdyn_payload_estimate *payload)
{
  json_key(w, "payload"), json_begin_object(w);
  json_key(w, "body"), json_encode_object(w, &body_type, &payload->body, NULL);
  json_key(w, "std"), json_encode_object(w, &body_type, &payload->deviation, NULL);
  json_key(w, "parameters"), json_begin_array(w);
  for (size_t k = 0; k < ARMDYN_LINK_PARAMETERS; k++) {
    const bool identifiable = payload->identifiable[k];
    encode_payload_parameter(w, k, payload->parameters[k], identifiable ? sqrt(payload->covariance[k * 10 + k]) : NAN,
                             identifiable);
  }
  json_end_array(w);
  json_end_object(w);
}

static void encode_weighed_load(struct json_writer *w, const struct identification_result *result, size_t kind)
{
  const struct armdyn_weighed_load *load = &result->weighed->loads[kind - 1];
  json_begin_object(w);
  json_member_number(w, "mass", load->parameters[0]);
  json_key(w, "datasets"), json_begin_array(w);
  for (size_t i = 0; i < result->data_count; i++)
    if (result->weighed->kind[i] == kind) json_write_text(w, result->data[i].id);
  json_end_array(w);
  json_key(w, "parameters"), json_begin_array(w);
  for (size_t k = 1; k < ARMDYN_LINK_PARAMETERS; k++)
    encode_payload_parameter(w, k, load->parameters[k], load->deviation[k], !isnan(load->deviation[k]));
  json_end_array(w);
  json_end_object(w);
}

void identification_weighed_encode(struct json_writer *w, const struct identification_result *result)
{
  if (!result->weighed || !result->weighed->count) return;
  json_key(w, "weighed_payloads"), json_begin_array(w);
  for (size_t kind = 1; kind <= result->weighed->count; kind++) encode_weighed_load(w, result, kind);
  json_end_array(w);
}
