/* Chirps: derivatives against differences, frequency against counted zeros, and rest at both ends. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/chirp.h"

static const struct armdyn_chirp CHIRP = { 2, 40, 10 };
static const double PI = 3.14159265358979323846;

Test(chirp, derivatives_are_those_of_differences)
{
  const double h = 1e-6;
  for (double t = 0.013; t < CHIRP.duration; t += 0.0137) {
    double s[3], sd[3], sdd[3];
    for (int k = 0; k < 3; k++) armdyn_chirp_at(&CHIRP, t + (k - 1) * h, &s[k], &sd[k], &sdd[k]);
    cr_assert_float_eq((s[2] - s[0]) / (2 * h), sd[1], 2e-6, "at %g s", t);
    cr_assert_float_eq((sd[2] - sd[0]) / (2 * h), sdd[1], 2e-4, "at %g s", t);
  }
}

/* Between its eased ends: phi = 2 pi from T / ln(to/from) ((to/from)^(t/T) - 1), and speed 2 pi from at every frequency. */
Test(chirp, phase_and_speed_are_those_of_a_logarithmic_sweep)
{
  const double octaves = log(CHIRP.to / CHIRP.from);
  for (double t = 0.6; t < 9.8; t += 0.0171) {
    double s, sd, sdd;
    armdyn_chirp_at(&CHIRP, t, &s, &sd, &sdd);
    const double ratio = exp(octaves * t / CHIRP.duration);
    const double phase = 2 * PI * CHIRP.from * CHIRP.duration / octaves * (ratio - 1);
    cr_assert_float_eq(s, sin(phase) / ratio, 1e-12);
    cr_assert_float_eq(sd, 2 * PI * CHIRP.from * cos(phase), 0.4, "at %g s", t); /* and the slope of the amplitude */
  }
}

Test(chirp, rests_at_its_ends)
{
  const double ends[] = { -1, 0, 1e-9, CHIRP.duration - 1e-9, CHIRP.duration, 99 };
  for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
    double s, sd, sdd;
    armdyn_chirp_at(&CHIRP, ends[k], &s, &sd, &sdd);
    cr_assert(fabs(s) < 1e-12 && fabs(sd) < 1e-9 && fabs(sdd) < 1e-3, "at %g s: %g %g %g", ends[k], s, sd, sdd);
  }
}
