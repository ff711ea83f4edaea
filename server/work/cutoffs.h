/* Cut-offs of positions and of torques, each by what it leaves on held-out parts of the training data. */
#ifndef SERVER_WORK_CUTOFFS_H
#define SERVER_WORK_CUTOFFS_H

#include "server/work/signals_order.h"

/* Try pairs about those that the motion's bandwidth gave, and take the one that foretells the raw torque of held-out parts
 * best, if it does so by more than one standard error.
 *   conditioning  in/out  gets the cut-offs, and the trim that goes with them
 *   result        in/out  the same as it is told, and what was tried
 * OK, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status cutoffs_find(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                struct identification_result *result, struct armdyn_error *error);

#endif
