/* For every processor: two lanes. */
#define LANES 2
#include "lib/dynamics/lanes_kernel.h"
#include "lib/dynamics/links_of_lanes.h"

/* clang-format off */
const struct lanes_kernels lanes_baseline = {
  "baseline", LANES, sines, inverse, forward, gauss, mass_matrix, inverse_batch, forward_batch, mass_matrix_batch,
  derivatives, derivatives_batch, adjoint, adjoint_batch, regressor, regressor_batch
};
/* clang-format on */
