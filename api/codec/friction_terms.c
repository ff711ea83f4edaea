#include "api/codec/friction_terms.h"

/* To add a term: a row here, and in lib/identify/select.c; its column in lib/model/parameters.c. */
static const struct {
  const char *name;
  unsigned term;
} terms[] = {
  { "offset", ARMDYN_IDENTIFY_OFFSET },         { "coulomb", ARMDYN_IDENTIFY_COULOMB },
  { "viscous", ARMDYN_IDENTIFY_VISCOUS },       { "stribeck", ARMDYN_IDENTIFY_STRIBECK },
  { "high_speed", ARMDYN_IDENTIFY_HIGH_SPEED }, { "position", ARMDYN_IDENTIFY_POSITION },
};
enum { TERMS = sizeof terms / sizeof *terms };

void friction_term_take(struct json_reader *r, struct json_slice name, unsigned allowed, const char *or_else,
                        unsigned *out)
{
  char got[64], known[96] = "";
  size_t i = 0, length = 0;
  while (i < TERMS && !json_slice_is(name, terms[i].name)) i++;
  if (i < TERMS && (terms[i].term & allowed)) {
    if (*out & terms[i].term) json_fault(r, NULL, FAULT_DUPLICATE, "%s is there twice; keep one", terms[i].name);
    *out |= terms[i].term;
    return;
  }
  for (i = 0; i < TERMS; i++)
    if (terms[i].term & allowed)
      length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", terms[i].name);
  json_fault(r, NULL, FAULT_ENUM, "must be one of %s%s, got %s", known, or_else, json_excerpt(name, got, sizeof got));
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
    if (*from & terms[i].term) json_write_text(w, terms[i].name);
  json_end_array(w);
}
