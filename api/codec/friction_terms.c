#include "api/codec/friction_terms.h"

enum { TERMS = ARMDYN_FRICTION_TERM_COUNT };

static const char *name_of(size_t term)
{
  return armdyn_friction_term_name((enum armdyn_friction_term)term);
}

const char *friction_terms_listed(unsigned terms, char *out, size_t size)
{
  size_t length = 0;
  *out = 0;
  for (size_t i = 0; i < TERMS && length < size; i++)
    if (terms >> i & 1) length += (size_t)snprintf(out + length, size - length, "%s%s", length ? ", " : "", name_of(i));
  return out;
}

void friction_term_take(struct json_reader *r, struct json_slice name, unsigned allowed, const char *or_else,
                        unsigned *out)
{
  char got[64], known[96];
  size_t i = 0;
  while (i < TERMS && !json_slice_is(name, name_of(i))) i++;
  if (i < TERMS && (allowed >> i & 1)) {
    if (*out >> i & 1) json_fault(r, NULL, FAULT_DUPLICATE, "%s is there twice; keep one", name_of(i));
    *out |= 1u << i;
    return;
  }
  json_fault(r, NULL, FAULT_ENUM, "must be one of %s%s, got %s", friction_terms_listed(allowed, known, sizeof known),
             or_else, json_excerpt(name, got, sizeof got));
}

void friction_terms_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  (void)context;
  unsigned *out = member;
  struct json_slice name;
  *out = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r))
    if (json_read_text(r, NULL, &name)) friction_term_take(r, name, ARMDYN_IDENTIFY_LINEAR, "", out);
}

void friction_terms_encode(struct json_writer *w, const struct json_field *field, const void *member,
                           const struct json_context *context)
{
  (void)field, (void)context;
  const unsigned *from = member;
  json_begin_array(w);
  for (size_t i = 0; i < TERMS; i++)
    if (*from >> i & 1) json_write_text(w, name_of(i));
  json_end_array(w);
}
