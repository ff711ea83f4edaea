#include "api/codec/friction_terms.h"

/* To add a term: a row here, and in lib/identify/unknowns.c. */
static const struct {
  const char *name;
  unsigned term;
} terms[] = {
  { "offset", ARMDYN_IDENTIFY_OFFSET },
  { "coulomb", ARMDYN_IDENTIFY_COULOMB },
  { "viscous", ARMDYN_IDENTIFY_VISCOUS },
  { "high_speed", ARMDYN_IDENTIFY_HIGH_SPEED },
};
enum { TERMS = sizeof terms / sizeof *terms };

void friction_terms_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context)
{
  (void)context;
  unsigned *out = member;
  struct json_slice name;
  char got[64];
  *out = 0;
  if (!json_enter_array(r, field->unit)) return;
  while (json_next_element(r)) {
    if (!json_read_text(r, NULL, &name)) continue;
    size_t i = 0;
    while (i < TERMS && !json_slice_is(name, terms[i].name)) i++;
    if (i == TERMS)
      json_fault(r, NULL, FAULT_ENUM, "must be one of offset, coulomb, viscous, high_speed, got %s",
                 json_excerpt(name, got, sizeof got));
    else if (*out & terms[i].term)
      json_fault(r, NULL, FAULT_DUPLICATE, "%s is there twice; keep one", terms[i].name);
    else
      *out |= terms[i].term;
  }
}

void friction_terms_encode(struct json_writer *w, const struct json_field *field, const void *member,
                           const struct json_context *context)
{
  (void)field, (void)context;
  const unsigned *from = member;
  json_begin_array(w);
  for (size_t i = 0; i < TERMS; i++)
    if (*from & terms[i].term) json_write_text(w, terms[i].name);
  json_end_array(w);
}
