/* Every AArch64: 2 lanes in NEON, with fused multiply and add (the Makefile allows it here and not in the baseline). */
#include "lib/math/band_lanes.h"

#ifdef BAND_OF_AARCH64
#define LANES 2
#include "lib/math/band_kernel.h"

const struct band_kernels band_neon = { "neon", LANES, factor, solve, solve_all, squares_add };
#endif
