/* Sums of errors, spectra, and the band of a motion. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/residuals.h"

static const double pi = 3.14159265358979323846;

/* A sine of amplitude A and frequency f has the power A^2 / 2, all of it near f. */
Test(spectrum, has_the_power_where_it_is)
{
  enum { LINES = 129, COUNT = 4096 };
  double frequency[LINES], density[LINES];
  static double x[2 * COUNT];
  const double rate = 200, f = 25, amplitude = 3;
  for (size_t k = 0; k < COUNT; k++) x[2 * k] = 7 + amplitude * sin(2 * pi * f * (double)k / rate);
  cr_assert_eq(armdyn_spectrum(COUNT, 2, rate, x, LINES, frequency, density), ARMDYN_OK);
  cr_expect_float_eq(frequency[0], 0, 1e-12);
  cr_expect_float_eq(frequency[LINES - 1], rate / 2, 1e-9);
  double all = 0, near = 0;
  for (size_t l = 0; l < LINES; l++) {
    const double power = density[l] * (frequency[1] - frequency[0]);
    all += power;
    if (fabs(frequency[l] - f) < 2) near += power;
  }
  cr_expect_float_eq(all, amplitude * amplitude / 2, 1e-3);
  cr_expect_gt(near, 0.999 * all);
}

/* White noise of variance s^2 has the density 2 s^2 / rate everywhere. */
Test(spectrum, of_white_noise_is_flat)
{
  enum { LINES = 65, COUNT = 100000 };
  double frequency[LINES], density[LINES];
  static double x[COUNT];
  unsigned state = 12345;
  for (size_t k = 0; k < COUNT; k++) {
    state = state * 1664525u + 1013904223u;
    x[k] = (double)(state >> 8) / (1 << 24) - 0.5; /* variance 1/12 */
  }
  cr_assert_eq(armdyn_spectrum(COUNT, 1, 1000, x, LINES, frequency, density), ARMDYN_OK);
  for (size_t l = 2; l + 2 < LINES; l++) cr_expect_float_eq(density[l], 2.0 / 12 / 1000, 0.25 * 2.0 / 12 / 1000);
}

Test(spectrum, refuses_what_is_no_window)
{
  double x[16] = { 0 }, frequency[9], density[9];
  cr_expect_eq(armdyn_spectrum(15, 1, 1, x, 9, frequency, density), ARMDYN_EINPUT);
  cr_expect_eq(armdyn_spectrum(16, 1, 1, x, 8, frequency, density), ARMDYN_EINPUT);
  cr_expect_eq(armdyn_spectrum(16, 1, 1, x, 9, frequency, density), ARMDYN_OK);
}

/* The fastest of two columns decides; encoder noise does not. */
Test(bandwidth, is_that_of_the_fastest_joint)
{
  enum { COUNT = 5000 };
  static double q[2 * COUNT];
  const double rate = 250;
  for (double f = 0.5; f < 6; f *= 2) {
    unsigned state = 1;
    for (size_t k = 0; k < COUNT; k++) {
      const double t = (double)k / rate;
      state = state * 1664525u + 1013904223u;
      q[2 * k] = sin(2 * pi * 0.1 * t);
      q[2 * k + 1] = 0.3 * sin(2 * pi * f * t) + 1e-5 * ((double)(state >> 8) / (1 << 24) - 0.5);
    }
    double bandwidth;
    cr_assert_eq(armdyn_bandwidth(COUNT, 2, rate, q, &bandwidth), ARMDYN_OK);
    cr_expect(bandwidth > f && bandwidth < 3 * f, "%g Hz of %g Hz", bandwidth, f);
  }
}

/* A mean of 1e8 must not eat the digits of the spread. */
Test(fit, keeps_its_digits)
{
  struct armdyn_fit_sums sums;
  armdyn_fit_begin(&sums);
  for (int k = 0; k < 1000; k++) armdyn_fit_add(&sums, 1e8 + k % 2, 1e8 + k % 2 + 0.25);
  const struct armdyn_fit fit = armdyn_fit_end(&sums);
  cr_expect_float_eq(fit.rms, 0.25, 1e-9);
  cr_expect_float_eq(fit.r2, 1 - 0.0625 / 0.25, 1e-6);
  cr_expect_float_eq(fit.nrmse, 0.25, 1e-9);
  cr_expect_float_eq(fit.max, 0.25, 1e-9);
  armdyn_fit_begin(&sums);
  cr_expect(isnan(armdyn_fit_end(&sums).rms));
}
