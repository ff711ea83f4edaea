/* Does a model leave something of the torque that comes back whenever the joint comes back? Noise does not. */
#ifndef LIB_IDENTIFY_LACK_OF_FIT_H
#define LIB_IDENTIFY_LACK_OF_FIT_H

#include "lib/identify/training.h"

/* The figures of every joint over its velocity and over its position, from the residuals of what was measured, unfiltered.
 *   out  in/out  beta and correlation; lack_of_fit is filled
 * Reads the data once. OK, EMEMORY, ECANCELLED or what the source refuses. Source: Draper & Smith 1998, 2.1. */
enum armdyn_status lack_of_fit_fill(const struct training *training, struct armdyn_estimate *out,
                                    struct armdyn_error *error);

#endif
