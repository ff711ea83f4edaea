/* Every AArch64: 2 lanes in NEON, with fused multiply and add (the Makefile allows it here and not in the baseline). */
#include "lib/dynamics/lanes.h"

#ifdef LANES_OF_AARCH64
#define LANES 2
#include "lib/dynamics/lanes_kernel.h"
#include "lib/dynamics/links_of_lanes.h"

/* clang-format off */
const struct lanes_kernels lanes_neon = {
  "neon", LANES, sines, inverse, forward, gauss, mass_matrix, inverse_batch, forward_batch, mass_matrix_batch,
  derivatives, derivatives_batch, adjoint, adjoint_batch, regressor, regressor_batch
};
/* clang-format on */
#endif
