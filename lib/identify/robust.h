#ifndef LIB_IDENTIFY_ROBUST_H
#define LIB_IDENTIFY_ROBUST_H

#include "lib/identify/training.h"

/* Reweigh samples by Huber's function until beta settles, from the beta given. Leaves the joint weights and clips of
 * the last round in the training.
 *   rounds  out
 * OK, ESINGULAR or EMEMORY. Source: Huber 1981; Holland & Welsch 1977 for the constant. */
enum armdyn_status robust_solve(struct training *training, double *beta, size_t *rounds, struct armdyn_error *error);

#endif
