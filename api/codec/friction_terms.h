/* Lists of friction terms to identify: ["coulomb", "viscous"]. */
#ifndef API_CODEC_FRICTION_TERMS_H
#define API_CODEC_FRICTION_TERMS_H

#include "api/json/fields.h"
#include "armdyn/identify.h"

/* Their names, in their order: "sublinear, load".
 *   terms  in   enum armdyn_friction_terms, or-ed
 *   out    out  size; answered */
const char *friction_terms_listed(unsigned terms, char *out, size_t size);

/* One name of a list: its term is added to `out`, or a fault told.
 *   allowed  in  enum armdyn_friction_terms, or-ed
 *   or_else  in  what else the list may have, for the fault: ", auto" */
void friction_term_take(struct json_reader *r, struct json_slice name, unsigned allowed, const char *or_else,
                        unsigned *out);

/* Lists of terms that are linear. Of the member `unsigned`: enum armdyn_friction_terms, or-ed. */
void friction_terms_decode(struct json_reader *r, const struct json_field *field, void *member,
                           const struct json_context *context);
void friction_terms_encode(struct json_writer *w, const struct json_field *field, const void *member,
                           const struct json_context *context);
/* A row of a field table. */
#define FRICTION_TERMS(type_, member_)                                                                                 \
  CUSTOM(type_, member_, friction_terms_decode, friction_terms_encode,                                                 \
         "a list of terms of friction, [\"coulomb\", \"viscous\"]")

#endif
