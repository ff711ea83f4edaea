/* x86-64-v4: 8 lanes in AVX-512, with fused multiply and add. */
#include "lib/dynamics/lanes.h"

#ifdef LANES_OF_X86_64
#pragma GCC target("arch=x86-64-v4")
#define LANES 8
#include "lib/dynamics/lanes_kernel.h"
#include "lib/dynamics/links_of_lanes.h"

/* clang-format off */
const struct lanes_kernels lanes_avx512 = {
  "avx512", LANES, sines, inverse, forward, gauss, mass_matrix, inverse_batch, forward_batch, mass_matrix_batch,
  derivatives, derivatives_batch, adjoint, adjoint_batch, regressor, regressor_batch
};
/* clang-format on */
#endif
