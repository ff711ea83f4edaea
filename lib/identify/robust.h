#ifndef LIB_IDENTIFY_ROBUST_H
#define LIB_IDENTIFY_ROBUST_H

#include "lib/identify/estimate.h"

/* Reweigh samples by Huber's function until beta settles, from the beta given. Sets the training's joint weights to 1:
 * they are in the samples' weights.
 *   rounds  out
 * OK, ESINGULAR or EMEMORY. Source: Huber 1981; Holland & Welsch 1977 for the constant. */
enum armdyn_status robust_solve(struct training *training, double *beta, size_t *rounds, struct armdyn_error *error);

#endif
