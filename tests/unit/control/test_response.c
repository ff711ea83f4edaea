/* The figures of steps and sines against those of a second order with a delay, in closed form. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/response.h"

static const double W = 20, FROM = 0.3, TO = -0.5; /* rad/s; rad */

/* What q and its velocity are at time t, with damping z < 1 and all of it `late`. */
static void second_order(double z, double late, double t, double *q, double *qd)
{
  const double s = fmax(0, t - late), wd = W * sqrt(1 - z * z), decay = exp(-z * W * s);
  const double y = 1 - decay * (cos(wd * s) + z * W / wd * sin(wd * s)), dy = decay * W * W / wd * sin(wd * s);
  *q = FROM + (TO - FROM) * y, *qd = (TO - FROM) * dy;
}

static double y_at(double z, double late, double t)
{
  double q, qd;
  second_order(z, late, t, &q, &qd);
  return (q - FROM) / (TO - FROM);
}

/* Where y passes the level between two times on different sides of it. */
static double passes(double z, double late, double level, double low, double high)
{
  for (int k = 0; k < 80; k++) {
    const double middle = (low + high) / 2;
    *((y_at(z, late, middle) < level) == (y_at(z, late, low) < level) ? &low : &high) = middle;
  }
  return low;
}

/* The last time of a fine grid outside the band, refined. */
static double settles(double z, double late, double band, double duration)
{
  const double step = 1e-4;
  double t = duration;
  while (fabs(y_at(z, late, t) - 1) <= band) t -= step;
  return passes(z, late, y_at(z, late, t) > 1 ? 1 + band : 1 - band, t, t + step);
}

Test(response, a_step_of_second_order_with_a_delay)
{
  const double dampings[] = { 0.1, 0.3, 0.5, 0.7, 0.9 }, delays[] = { 0, 0.0137 }, duration = 3;
  for (size_t i = 0; i < 5; i++) {
    for (size_t d = 0; d < 2; d++) {
      const double z = dampings[i], late = delays[d], wd = W * sqrt(1 - z * z), half = late + M_PI / wd;
      struct armdyn_step_response step;
      armdyn_step_init(&step, FROM, TO, duration, 0.02);
      for (int k = 0; k <= 3000; k++) {
        double q, qd, t = 1e-3 * k;
        second_order(z, late, t, &q, &qd);
        armdyn_step_take(&step, t, q, qd);
      }
      cr_assert_float_eq(armdyn_step_overshoot(&step), exp(-M_PI * z / sqrt(1 - z * z)), 1e-6, "overshoot, z = %g", z);
      cr_assert_float_eq(step.peak_t, half, 1e-6, "peak at %.9g of %.9g", step.peak_t, half);
      cr_assert_float_eq(step.rise[0], passes(z, late, 0.1, late, half), 1e-6);
      cr_assert_float_eq(step.rise[1], passes(z, late, 0.9, late, half), 1e-6);
      cr_assert_float_eq(step.settled_t, settles(z, late, 0.02, duration), 1e-6, "settled at %.9g", step.settled_t);
      double mean = 0; /* by Simpson's rule over the last tenth */
      for (int k = 0; k <= 600; k++) {
        double q, qd;
        second_order(z, late, 2.7 + 5e-4 * k, &q, &qd);
        mean += (k == 0 || k == 600 ? 1 : k % 2 ? 4 : 2) * (TO - q) / 1800;
      }
      cr_assert_float_eq(step.steady, mean, 1e-6);
    }
  }
}

Test(response, what_does_not_happen_is_no_number)
{
  struct armdyn_step_response step;
  armdyn_step_init(&step, 0, 1, 1, 0.02);
  for (int k = 0; k <= 100; k++) armdyn_step_take(&step, 0.01 * k, 0.005 * k, 0.5);
  cr_assert_float_eq(step.rise[0], 0.2, 1e-12);
  cr_assert(isnan(step.rise[1]) && isnan(step.settled_t));
  cr_assert_eq(armdyn_step_overshoot(&step), 0);
  cr_assert_float_eq(step.steady, 1 - 0.5 * 0.95, 1e-12);
}

/* It leaves the band once more, between two samples that lie in it. */
Test(response, the_band_is_left_between_samples)
{
  struct armdyn_step_response step;
  armdyn_step_init(&step, 0, 1, 3, 0.02);
  armdyn_step_take(&step, 0, 0, 0);
  armdyn_step_take(&step, 1, 1, 0);
  armdyn_step_take(&step, 2, 1, 1); /* s^3 - s^2 before it: -4/27 at 2/3 */
  armdyn_step_take(&step, 3, 1, 0); /* s (1 - s)^2 before it: 4/27 at 1/3 */
  cr_assert_float_eq(step.peak, 1 + 4.0 / 27, 1e-12);
  cr_assert_float_eq(step.peak_t, 2 + 1.0 / 3, 1e-9);
  const double s = step.settled_t - 2;
  cr_assert_float_eq(s * (1 - s) * (1 - s), 0.02, 1e-9);
  cr_assert(s > 1.0 / 3);
}

Test(response, a_sine_through_a_second_order_with_a_delay)
{
  const double z = 0.2, late = 0.004;
  for (double frequency = 0.37; frequency < 40; frequency *= 1.7) {
    const double w = 2 * M_PI * frequency, a = 0.02;
    const double real = 1 - w * w / (W * W), imaginary = 2 * z * w / W;
    const double gain = 1 / hypot(real, imaginary), phase = -atan2(imaginary, real) - w * late;
    struct armdyn_sine_fit wanted, is;
    armdyn_sine_init(&wanted, frequency), armdyn_sine_init(&is, frequency);
    for (int k = 0; k < 4567; k++) { /* no whole periods */
      const double t = 2 + 1e-3 * k;
      armdyn_sine_take(&wanted, t, a * sin(w * t));
      armdyn_sine_take(&is, t, 0.7 + gain * a * sin(w * t + phase));
    }
    double in[2], out[2], left, found_gain, found_phase;
    cr_assert_eq(armdyn_sine_end(&wanted, in, &left), ARMDYN_OK);
    cr_assert_eq(armdyn_sine_end(&is, out, &left), ARMDYN_OK);
    cr_assert_lt(left, 1e-7);
    armdyn_sine_ratio(in, out, &found_gain, &found_phase);
    cr_assert_float_eq(found_gain, gain, 1e-6, "%g Hz", frequency);
    cr_assert_float_eq(remainder(found_phase - phase, 2 * M_PI), 0, 1e-6, "%g Hz", frequency);
  }
}

Test(response, what_is_left_is_another_sine)
{
  struct armdyn_sine_fit fit;
  double component[2], left;
  armdyn_sine_init(&fit, 5);
  for (int k = 0; k < 2000; k++) {
    const double t = 1e-3 * k;
    armdyn_sine_take(&fit, t, sin(10 * M_PI * t) + 0.1 * sin(30 * M_PI * t));
  }
  cr_assert_eq(armdyn_sine_end(&fit, component, &left), ARMDYN_OK);
  cr_assert_float_eq(component[0], 1, 1e-9);
  cr_assert_float_eq(left, 0.1 / sqrt(2), 1e-9);
  armdyn_sine_init(&fit, 5);
  for (int k = 0; k < 10; k++) armdyn_sine_take(&fit, 0.2 * k, 1); /* once a period: sine and mean look alike */
  cr_assert_eq(armdyn_sine_end(&fit, component, &left), ARMDYN_EINPUT);
}

/* (1 + (f / 8)^2)^(-1/2) falls through 1 / sqrt(2) at 8 Hz. */
Test(response, bandwidth_of_a_first_order)
{
  double frequencies[200], gains[200];
  for (int k = 0; k < 200; k++) frequencies[k] = pow(1.02, k), gains[k] = 1 / hypot(1, frequencies[k] / 8);
  cr_assert_float_eq(armdyn_gain_bandwidth(frequencies, gains, 200), 8, 1e-3);
  cr_assert(isnan(armdyn_gain_bandwidth(frequencies, gains, 50)));
}
