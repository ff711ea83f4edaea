/* x86-64-v3: 4 lanes in AVX2, with fused multiply and add. */
#include "lib/math/band_lanes.h"

#ifdef BAND_OF_X86_64
#pragma GCC target("arch=x86-64-v3")
#define LANES 4
#include "lib/math/band_kernel.h"

const struct band_kernels band_avx2 = { "avx2", LANES, factor, solve, solve_all, squares_add };
#endif
