/* Deviations and correlation of residuals, against noise whose correlation is known. */
#include "lib/identify/uncertainty.h"

#include "tests/support/simulated.h"

enum { JOINTS = 2, SAMPLES = 50000, BLOCKS = 5, IN_BLOCK = SAMPLES / BLOCKS, PARAMETERS = 30 };

/* e[k] = rho e[k-1] + noise has correlations rho^lag: 1 + 2 sum = (1 + rho) / (1 - rho). */
static void correlated(uint64_t seed, double rho, size_t joint, double *e)
{
  struct dice dice = { seed };
  double last = 0;
  for (size_t k = 0; k < SAMPLES; k++) e[k * JOINTS + joint] = last = rho * last + normal(&dice);
}

Test(uncertainty, correlation_of_known_noise)
{
  static const double rho[JOINTS] = { 0.5, 0.9 };
  static double e[SAMPLES * JOINTS];
  struct residual_sums sums = { 0 };
  double deviation[JOINTS], correlation[JOINTS];
  for (size_t i = 0; i < JOINTS; i++) correlated(7 + i, rho[i], i, e);
  for (size_t b = 0; b < BLOCKS; b++) residual_sums_add(&sums, JOINTS, b, BLOCKS, IN_BLOCK, e + b * IN_BLOCK * JOINTS);
  residual_sums_end(&sums, JOINTS, PARAMETERS, deviation, correlation);
  for (size_t i = 0; i < JOINTS; i++) {
    const double expected = (1 + rho[i]) / (1 - rho[i]), of_noise = 1 / sqrt(1 - rho[i] * rho[i]);
    cr_expect_float_eq(correlation[i] / expected, 1, 0.15, "%zu: %g, is %g", i, correlation[i], expected);
    cr_expect_float_eq(deviation[i] / of_noise, 1, 0.03, "%zu: %g, is %g", i, deviation[i], of_noise);
  }
}

/* sqrt(sum e^2 / (samples - share of the parameters)), and never fewer samples than there are. */
Test(uncertainty, each_joint_pays_for_its_parameters)
{
  double e[] = { 3, 1, -3, -1, 3, 1, -3, -1 };
  struct residual_sums sums = { 0 };
  double deviation[JOINTS], correlation[JOINTS];
  residual_sums_add(&sums, JOINTS, 0, 1, 4, e);
  residual_sums_end(&sums, JOINTS, 2, deviation, correlation);
  cr_expect_float_eq(deviation[0], sqrt(36.0 / 3), 1e-12);
  cr_expect_float_eq(deviation[1], sqrt(4.0 / 3), 1e-12);
  cr_expect_float_eq(correlation[0], 1, 1e-12);
}

/* White noise s through weights w has the variance s^2 sum w^2, and its mean over many samples that of white noise s sum w:
 * so many samples count as (sum w)^2 / sum w^2. A low-pass that rings has negative correlations, which count. */
Test(uncertainty, correlation_of_filtered_noise)
{
  enum { HALF = 60 };
  static double white[SAMPLES + 2 * HALF + 1], e[SAMPLES * JOINTS], weights[2 * HALF + 1];
  const double cutoff = 0.05; /* of the rate */
  struct dice dice = { 3 };
  struct residual_sums sums = { 0 };
  double deviation[JOINTS], correlation[JOINTS], sum = 0, square = 0;
  for (int k = -HALF; k <= HALF; k++) {
    const double x = 2 * 3.14159265358979323846 * cutoff * k, w = k ? sin(x) / x : 1;
    weights[k + HALF] = w;
    sum += w;
    square += w * w;
  }
  for (size_t k = 0; k < sizeof white / sizeof *white; k++) white[k] = normal(&dice);
  for (size_t k = 0; k < SAMPLES; k++) {
    for (size_t w = 0; w < 2 * HALF + 1; w++) e[k * JOINTS] += weights[w] * white[k + w];
    e[k * JOINTS + 1] = white[k];
  }
  for (size_t b = 0; b < BLOCKS; b++) residual_sums_add(&sums, JOINTS, b, BLOCKS, IN_BLOCK, e + b * IN_BLOCK * JOINTS);
  residual_sums_end(&sums, JOINTS, PARAMETERS, deviation, correlation);
  cr_expect_float_eq(correlation[0] / (sum * sum / square), 1, 0.1, "%g, is %g", correlation[0], sum * sum / square);
  cr_expect_float_eq(correlation[1], 1, 0.1, "%g", correlation[1]);
}
