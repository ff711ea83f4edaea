/* x86-64-v4: 8 lanes in AVX-512, with fused multiply and add. */
#include "lib/math/band_lanes.h"

#ifdef BAND_OF_X86_64
#pragma GCC target("arch=x86-64-v4")
#define LANES 8
#include "lib/math/band_kernel.h"

const struct band_kernels band_avx512 = { "avx512", LANES, factor, solve, solve_all, squares_add };
#endif
