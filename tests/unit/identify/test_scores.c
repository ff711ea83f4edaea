/* What scores vary by, held against the closed form for AR(1) noise and against repeated draws. */
#include "lib/identify/scores.h"

#include "tests/support/simulated.h"

enum { B = 3, SAMPLES = 20000, DRAWS = 60 };

static const double RHO = 0.9, FREQUENCY = 0.4;

/* A constant, a wave, and a constant in the later half, where the noise is twice as large. */
static void fill_row(size_t k, double row[B])
{
  row[0] = 1;
  row[1] = cos(FREQUENCY * (double)k);
  row[2] = k < SAMPLES / 2 ? 0 : 1;
}

static double size_of_noise(size_t k)
{
  return k < SAMPLES / 2 ? 1 : 2;
}

/* What the scores of one draw sum to, and what they are said to vary by: the diagonal of T'T. */
static void draw(uint64_t seed, double sum[B], double said[B])
{
  struct dice dice = { seed };
  struct scores scores;
  double last = 0, row[B];
  cr_assert(scores_open(B, scores_window(SAMPLES, (1 + RHO) / (1 - RHO)), &scores));
  memset(sum, 0, B * sizeof *sum);
  memset(said, 0, B * sizeof *said);
  for (size_t k = 0; k < SAMPLES; k++) {
    last = RHO * last + normal(&dice);
    fill_row(k, row);
    for (size_t i = 0; i < B; i++) sum[i] += row[i] *= size_of_noise(k) * last;
    scores_add(&scores, row);
  }
  scores_end(&scores);
  for (size_t i = 0; i < B; i++) {
    for (size_t j = 0; j <= i; j++) said[i] += scores.T[j * B + i] * scores.T[j * B + i];
  }
  scores_close(&scores);
}

/* AR(1) noise has the spectral density 1 / |1 - rho exp(-i w)|^2: slow columns feel 1 / (1 - rho)^2 a sample, a wave half of
 * the density at its frequency, 1 / 146 of that here. One factor for all of a joint's parameters cannot have both. */
Test(scores, vary_as_those_of_correlated_noise_do)
{
  const double slow = 1 / ((1 - RHO) * (1 - RHO)), wave = 1 / (1 - 2 * RHO * cos(FREQUENCY) + RHO * RHO);
  const double half = SAMPLES / 2.0, expected[B] = { half * 5 * slow, half * 5 * wave / 2, half * 4 * slow };
  double drawn[B] = { 0 }, said[B] = { 0 };
  for (uint64_t seed = 1; seed <= DRAWS; seed++) {
    double sum[B], one[B];
    draw(seed, sum, one);
    for (size_t i = 0; i < B; i++) drawn[i] += sum[i] * sum[i] / DRAWS, said[i] += one[i] / DRAWS;
  }
  for (size_t i = 0; i < B; i++) {
    cr_expect_float_eq(said[i] / expected[i], 1, 0.12, "%zu: %g, is %g", i, said[i], expected[i]);
    /* 60 squares of normal numbers: their mean is within 4 sqrt(2 / 60) */
    cr_expect_float_eq(drawn[i] / expected[i], 1, 0.73, "%zu: %g, is %g", i, drawn[i], expected[i]);
  }
}

/* A window of as many samples as panels has Newey & West's very weights, 1, 3/4, 2/4, 1/4 at lags 0 .. 3, about the mean. */
Test(scores, have_the_weights_of_newey_and_west)
{
  struct scores scores;
  const double x[] = { 3, -1, 2, 5, -4 }, mean = 1;
  cr_assert(scores_open(1, scores_window(5, 1), &scores));
  cr_expect_eq(scores.panel, 1);
  scores_close(&scores);
  cr_assert(scores_open(1, PANELS, &scores));
  for (size_t k = 0; k < 5; k++) scores_add(&scores, &x[k]);
  scores_end(&scores);
  double expected = 0;
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j < 5; j++) expected += fmax(1 - abs(i - j) / 4.0, 0) * (x[i] - mean) * (x[j] - mean);
  }
  cr_expect_float_eq(scores.T[0] * scores.T[0], expected, 1e-12);
  scores_close(&scores);
}
