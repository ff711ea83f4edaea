/* For every processor: two lanes. */
#define LANES 2
#include "lib/math/band_kernel.h"

const struct band_kernels band_baseline = { "baseline", LANES, factor, solve, solve_all, squares_add };
