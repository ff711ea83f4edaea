#ifndef LIB_IDENTIFY_HYPOTHESES_H
#define LIB_IDENTIFY_HYPOTHESES_H

#include "armdyn/identify.h"

/* If a log fits its robot badly, but would fit it well with one thing about it changed, say so: a warning about the change
 * that fits best.
 *   motion   in   conditioned; what is not of interest for this is left out of it by the function
 *   swapped  in   the same log with positions and torques exchanged; NULL: it does not make a motion
 * OK or EMEMORY. */
enum armdyn_status hypotheses_try(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motion,
                                  const struct armdyn_motion *swapped, struct armdyn_warnings *warnings);

#endif
