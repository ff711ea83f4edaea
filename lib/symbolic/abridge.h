/* Dropping terms of sums that matter little: how far the rest is off is bounded by interval arithmetic, not sampled. */
#ifndef LIB_SYMBOLIC_ABRIDGE_H
#define LIB_SYMBOLIC_ABRIDGE_H

#include "lib/symbolic/range.h"

/* Where it must hold: in every one of these boxes. */
struct boxes {
  size_t count, width; /* width: numbers of the inputs */
  struct range *of;    /* count x width */
};

/* Drop what costs most of all that fits, once.
 *   g        in, out  is replaced where something was dropped
 *   roots    in, out  count
 *   allowed  in, out  count: how far each root may be off; what is used up is taken away
 *   dropped  out      how many terms; 0: nothing fits
 * false: no memory. */
bool abridge(struct expr_graph *g, expr *roots, size_t count, const struct boxes *boxes, double *allowed,
             size_t *dropped);

#endif
