/* The best single gear of a joint that was swept, where a fit of all begins. */
#ifndef LIB_CONTROL_SWEEP_START_H
#define LIB_CONTROL_SWEEP_START_H

#include "lib/control/sweep_spectra.h"

struct sweep_start {
  struct armdyn_mode mode; /* of an elastic joint; frequency 0: none is seen */
  double inertia, viscous, coulomb;
};

/* All other motors taken as standing: over a grid of frequencies and dampings, the rest by least squares.
 *   delay  in  periods
 * OK; EINPUT: no torque. */
enum armdyn_status sweep_start(const struct sweep_spectra *spectra, const struct armdyn_sweep *sweep, double delay,
                               struct sweep_start *out, struct armdyn_error *error);

#endif
