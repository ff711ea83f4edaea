/* Lines of friction over the motor angle, in what an estimate leaves of any motion. */
#ifndef LIB_IDENTIFY_MOTION_RIPPLES_H
#define LIB_IDENTIFY_MOTION_RIPPLES_H

#include "lib/identify/unknowns.h"

/* Find lines, each of which lowers the error on the half of the motion that it was not found in.
 *   beta     in      what was found without them, or with those of an earlier search, which are refined
 *   ripples  in/out  n; with the lines that were there before any search, which stay; the others are added
 * OK, EMEMORY, or what the source refuses. */
enum armdyn_status motion_ripples_find(const struct armdyn_unknowns *unknowns, const double *beta,
                                       const struct armdyn_source *source, struct armdyn_friction *ripples,
                                       struct armdyn_error *error);

#endif
