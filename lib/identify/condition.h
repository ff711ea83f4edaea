#ifndef LIB_IDENTIFY_CONDITION_H
#define LIB_IDENTIFY_CONDITION_H

#include "armdyn/identify.h"

/* Fill in what is left to the log: its rate, no trim; and refuse what leaves too little of it.
 *   count        in      samples of the log
 *   first, last  in      s, their times
 *   c            in/out */
enum armdyn_status conditioning_complete(size_t count, double first, double last, struct armdyn_conditioning *c,
                                         struct armdyn_error *error);

/* Samples that a low-pass of this cut-off needs around what it shall give. */
size_t lowpass_edge(double rate, double cutoff);

#endif
