/* Modes from logs that are made in closed form: what dies out after a stop, as encoders of 14 bits see it. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/vibration.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { JOINTS = 3, MOST = 4000 };
static const double PI = 3.14159265358979323846;

struct decay {
  size_t modes;
  double frequency[2], damping[2], amplitude[2][JOINTS], phase[2][JOINTS], posture[JOINTS];
  double rate, resolution, noise;
  size_t count;
  double x[MOST * JOINTS];
};

/* Of variance 1: the sum of twelve uniform ones. */
static double noise_of(struct dice *dice)
{
  double sum = 0;
  for (int k = 0; k < 12; k++) sum += dice_uniform(dice, -0.5, 0.5);
  return sum;
}

static void sample_decay(struct decay *d, struct dice *dice)
{
  for (size_t k = 0; k < d->count; k++)
    for (size_t j = 0; j < JOINTS; j++) {
      double y = d->posture[j] + (d->noise > 0 ? d->noise * noise_of(dice) : 0);
      for (size_t m = 0; m < d->modes; m++) {
        const double w = 2 * PI * d->frequency[m], t = (double)k / d->rate, z = d->damping[m];
        y += d->amplitude[m][j] * exp(-z * w * t) * cos(w * sqrt(1 - z * z) * t + d->phase[m][j]);
      }
      d->x[k * JOINTS + j] = d->resolution > 0 ? d->resolution * round(y / d->resolution) : y;
    }
}

static struct armdyn_vibration found(const struct decay *d, size_t most)
{
  struct armdyn_vibration v;
  struct armdyn_error error = { 0 };
  const struct armdyn_rows rows = { d->x, JOINTS };
  cr_assert_eq(armdyn_find_vibration(1 / d->rate, d->count, JOINTS, &rows, most, 60, &v, &error), ARMDYN_OK, "%s",
               error.message);
  return v;
}

/* Amplitudes of 8 to 20 steps of the encoder, one to one and a half seconds at 1 kHz, any posture. */
static void draw(struct decay *d, struct dice *dice, size_t modes)
{
  *d = (struct decay){ .modes = modes, .rate = 1000, .resolution = 2 * PI / 16384, .count = 1000 };
  d->count += (size_t)dice_uniform(dice, 0, 500);
  for (size_t m = 0; m < modes; m++) {
    d->frequency[m] = dice_uniform(dice, m ? 17 : 6, m ? 30 : 12);
    d->damping[m] = dice_uniform(dice, 0.01, 0.05);
    for (size_t j = 0; j < JOINTS; j++) {
      d->amplitude[m][j] = d->resolution * dice_uniform(dice, 8, 20);
      d->phase[m][j] = dice_uniform(dice, -PI, PI);
      d->posture[j] = dice_uniform(dice, -2, 2);
    }
  }
}

Test(vibration, modes_within_one_and_ten_percent_by_encoders_of_14_bits)
{
  static struct decay d;
  struct dice dice = { 31 };
  for (int k = 0; k < (SANITIZED ? 4 : 30); k++) {
    draw(&d, &dice, 1 + (size_t)k % 2);
    sample_decay(&d, &dice);
    const struct armdyn_vibration v = found(&d, 3);
    cr_assert_eq(v.mode_count, d.modes, "log %d: %zu modes", k, v.mode_count);
    for (size_t m = 0; m < d.modes; m++) {
      cr_assert_float_eq(v.modes[m].frequency, d.frequency[m], 0.01 * d.frequency[m], "log %d, %g Hz", k,
                         d.frequency[m]);
      cr_assert_float_eq(v.modes[m].damping, d.damping[m], 0.1 * d.damping[m], "log %d: %g, not %g", k,
                         v.modes[m].damping, d.damping[m]);
      for (size_t j = 0; j < JOINTS; j++)
        cr_assert_float_eq(v.amplitude[m][j], d.amplitude[m][j], 0.1 * d.amplitude[m][j]);
    }
    for (size_t j = 0; j < JOINTS; j++) cr_assert_float_eq(v.mean[j], d.posture[j], d.resolution);
  }
}

Test(vibration, exact_samples_give_exact_modes)
{
  static struct decay d;
  struct dice dice = { 32 };
  draw(&d, &dice, 2);
  d.resolution = 0;
  sample_decay(&d, &dice);
  const struct armdyn_vibration v = found(&d, 2);
  cr_assert_eq(v.mode_count, 2);
  for (size_t m = 0; m < 2; m++) {
    cr_assert_float_eq(v.modes[m].frequency, d.frequency[m], 1e-5 * d.frequency[m]);
    cr_assert_float_eq(v.modes[m].damping, d.damping[m], 1e-3 * d.damping[m]);
  }
}

/* Of independent noise the deviations are those of repeated draws. */
Test(vibration, deviations_are_those_of_draws)
{
  static struct decay d;
  struct dice dice = { 33 };
  enum { DRAWS = SANITIZED ? 6 : 60 };
  double square[2] = { 0 }, told[2] = { 0 };
  draw(&d, &dice, 1);
  d.resolution = 0, d.noise = 4e-4;
  for (int k = 0; k < DRAWS; k++) {
    sample_decay(&d, &dice);
    const struct armdyn_vibration v = found(&d, 1);
    square[0] += pow(v.modes[0].frequency - d.frequency[0], 2) / DRAWS;
    square[1] += pow(v.modes[0].damping - d.damping[0], 2) / DRAWS;
    told[0] += v.frequency_deviation[0] / DRAWS, told[1] += v.damping_deviation[0] / DRAWS;
  }
  for (int i = 0; i < 2; i++)
    cr_assert(fabs(log(sqrt(square[i]) / told[i])) < (SANITIZED ? 1 : 0.3), "%g, told %g", sqrt(square[i]), told[i]);
}

Test(vibration, noise_has_no_modes)
{
  static struct decay d;
  struct dice dice = { 34 };
  for (int k = 0; k < (SANITIZED ? 2 : 20); k++) {
    draw(&d, &dice, 0);
    d.noise = k % 2 ? 1e-3 : 0; /* or an arm that stands still */
    sample_decay(&d, &dice);
    cr_assert_eq(found(&d, 4).mode_count, 0, "log %d", k);
  }
}

/* |sum A exp(i w_d T + z w T)| exp(-z w T_last) of the impulses, for all frequencies within 10 %. */
Test(vibration, the_shaper_leaves_five_percent_within_ten)
{
  static struct decay d;
  struct dice dice = { 35 };
  for (int k = 0; k < (SANITIZED ? 2 : 12); k++) {
    enum armdyn_shaper shaper;
    struct armdyn_impulses impulses;
    draw(&d, &dice, 1 + (size_t)k % 2);
    sample_decay(&d, &dice);
    const struct armdyn_vibration v = found(&d, 3);
    cr_assert_eq(armdyn_vibration_shaper(&v, 0.1, 0.05, &shaper, &impulses), ARMDYN_OK, "log %d", k);
    for (size_t m = 0; m < d.modes; m++)
      for (double off = 0.9; off <= 1.1; off += 0.01) {
        const double z = d.damping[m], w = 2 * PI * d.frequency[m] * off, last = impulses.time[impulses.count - 1];
        double real = 0, imaginary = 0;
        for (size_t i = 0; i < impulses.count; i++) {
          const double t = impulses.time[i], size = impulses.amplitude[i] * exp(z * w * (t - last));
          real += size * cos(w * sqrt(1 - z * z) * t), imaginary += size * sin(w * sqrt(1 - z * z) * t);
        }
        cr_assert_leq(hypot(real, imaginary), 0.05, "log %d, %g of %g Hz", k, off, d.frequency[m]);
      }
  }
}
