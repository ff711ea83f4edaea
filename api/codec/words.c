#include "api/codec/words.h"

void words_decode(struct json_reader *r, const struct json_field *field, void *member,
                  const struct json_context *context)
{
  unsigned *words = member;
  struct json_slice word;
  char text[64], choices[JSON_CHOICES_SIZE];
  (void)context;
  *words = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    size_t k = 0;
    if (!json_read_text(r, json_field_choices(field, choices), &word)) continue;
    while (k < field->name_count && !json_slice_is(word, field->names[k])) k++;
    if (k < field->name_count && *words >> k & 1)
      json_fault(r, NULL, FAULT_DUPLICATE, "\"%s\" is there twice; keep one", field->names[k]);
    else if (k < field->name_count)
      *words |= 1u << k;
    else
      json_fault(r, NULL, FAULT_ENUM, "must be %s, got \"%s\"", json_field_choices(field, choices),
                 json_excerpt(word, text, sizeof text));
  }
}

void words_encode(struct json_writer *w, const struct json_field *field, const void *member,
                  const struct json_context *context)
{
  const unsigned *words = member;
  (void)context;
  json_begin_array(w);
  for (size_t k = 0; k < field->name_count; k++)
    if (*words >> k & 1) json_write_text(w, field->names[k]);
  json_end_array(w);
}
