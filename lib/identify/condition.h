#ifndef LIB_IDENTIFY_CONDITION_H
#define LIB_IDENTIFY_CONDITION_H

#include "armdyn/conditioning.h"

/* Fill in what is left to the log: its rate, no trim; and refuse what leaves too little of it.
 *   count        in      samples of the log
 *   first, last  in      s, their times
 *   c            in/out */
enum armdyn_status conditioning_complete(size_t count, double first, double last, struct armdyn_conditioning *c,
                                         struct armdyn_error *error);

/* A column, continued by `edge` samples on either side, fewer than count, as if turned by half a turn about its ends.
 *   x    in   count, x[k * step]
 *   out  out  count + 2 edge */
void reflect_ends(size_t count, size_t step, const double *x, size_t edge, double *out);

/* Samples that a low-pass of this cut-off needs around what it shall give. */
size_t lowpass_edge(double rate, double cutoff);

#endif
