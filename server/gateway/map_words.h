/* Numbers as registers of a controller with a register map, in every type and word order. */
#ifndef SERVER_GATEWAY_MAP_WORDS_H
#define SERVER_GATEWAY_MAP_WORDS_H

#include "api/codec/register_map.h"

enum { MAP_WORDS_MOST = 4 };

/* The registers of a number, rounded to the nearest that the type has.
 *   words  out  map_type_words(form->type)
 * False: it is no number, beyond min or max, or beyond what the type holds. */
bool map_encode(const struct map_form *form, double value, uint16_t *words);
/* The number of registers. NAN and infinities of floats come through as they are. */
double map_decode(const struct map_form *form, const uint16_t *words);
/* The same of a field, which may be some bits of its register: the others are 0 in `words`, and no matter. */
bool map_field_encode(const struct map_field *field, double value, uint16_t *words);
double map_field_decode(const struct map_field *field, const uint16_t *words);

#endif
