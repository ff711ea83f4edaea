#include "api/codec/base_parameters.h"

static const struct json_field request_fields[] = {
  { TRUTH(struct base_parameters_request, rotor_inertia) },
  { TRUTH(struct base_parameters_request, friction) },
  OVERRIDES,
};
static const struct json_type request_type =
    JSON_TYPE("a request for base parameters", request_fields, struct base_parameters_request, NULL, NULL);

enum armdyn_status base_parameters_decode(const char *body, size_t length, struct base_parameters_request *out,
                                          struct faults *faults)
{
  return json_decode(body, length, &request_type, out, NULL, faults);
}

/* `text` grows to the longest expression so far. */
static void write_expression(struct json_writer *w, const struct armdyn_base_parameters *base, size_t k,
                             struct buffer *text)
{
  buffer_clear(text);
  const size_t size = armdyn_base_parameter_text(base, k, NULL, 0) + 1;
  char *to = buffer_reserve(text, size);
  if (!to) return;
  armdyn_base_parameter_text(base, k, to, size);
  json_write_text(w, to);
}

void base_parameters_encode(struct buffer *out, const struct armdyn_base_parameters *base, long long revision)
{
  struct json_writer w = { .out = out };
  struct buffer text = BUFFER(MB(1));
  const size_t count = armdyn_base_parameter_count(base);
  json_begin_object(&w);
  json_key(&w, "revision"), json_write_integer(&w, revision);
  json_key(&w, "count"), json_write_integer(&w, (long long)count);
  json_key(&w, "parameters"), json_begin_array(&w);
  for (size_t k = 0; k < count; k++) {
    json_begin_object(&w);
    json_key(&w, "expression"), write_expression(&w, base, k, &text);
    json_key(&w, "value"), json_write_number(&w, armdyn_base_parameter_value(base, k));
    json_end_object(&w);
  }
  json_end_array(&w);
  json_end_object(&w);
  if (!buffer_ok(&text)) out->failure = text.failure;
  buffer_release(&text);
}
