/* Where the fit of gears to chirps is begun. */
#ifndef LIB_CONTROL_SWEEP_SEARCH_H
#define LIB_CONTROL_SWEEP_SEARCH_H

#include "lib/control/sweep_fit.h"

/* Opens the spectra, which are the caller's to close, and finds the best fit with a first noise. Each joint's best
 * single gear is where it begins; as the same mode may be the best of two joints, each gear is then looked for over
 * all of the band while the others stay, until none is found better.
 *   fit  in/out  `sweep` is set, all else 0
 * OK; EINPUT: a joint that did not move, shows no gear or one that is outside of the band; EMEMORY. Allocates. */
enum armdyn_status sweep_search(struct sweep_fit *fit, struct armdyn_error *error);

#endif
