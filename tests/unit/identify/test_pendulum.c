/* The compound pendulum against closed forms, and against swings that are integrated. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "armdyn/pendulum.h"

static const double PI = 3.14159265358979323846, G = 9.81;

static struct armdyn_pendulum_test test_of(double mass, double distance, double time, double first, double last,
                                           int swings)
{
  struct armdyn_pendulum_test test = { .swings = swings, .value = { mass, distance, time, first, last, G } };
  return test;
}

static struct armdyn_pendulum reduce(const struct armdyn_pendulum_test *test)
{
  struct armdyn_pendulum found;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_pendulum_reduce(test, &found, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return found;
}

/* A bar hung at its end has I = m l^2 / 3 there; a swing of 90 degrees takes K(1/sqrt 2) / (pi / 2) of a small one, and
 * K(1/sqrt 2) = Gamma(1/4)^2 / (4 sqrt pi). */
Test(pendulum, a_bar_at_its_end)
{
  const double m = 2.5, l = 0.6, small = 2 * PI * sqrt(2 * l / (3 * G));
  struct armdyn_pendulum_test test = test_of(m, l / 2, 30 * small, 1e-9, 1e-9, 30);
  struct armdyn_pendulum found = reduce(&test);
  cr_assert_float_eq(found.inertia_axis, m * l * l / 3, 1e-13);
  cr_assert_float_eq(found.inertia_com, m * l * l / 12, 1e-13);
  cr_assert_float_eq(found.radius_of_gyration, l / sqrt(12), 1e-13);

  const double gamma = tgamma(0.25), lengthened = gamma * gamma / (4 * sqrt(PI)) / (PI / 2);
  test = test_of(m, l / 2, 7 * small * lengthened, PI / 2, PI / 2, 7);
  found = reduce(&test);
  cr_assert_float_eq(found.inertia_com, m * l * l / 12, 1e-13);
  cr_assert_float_eq(found.period_small, small, 1e-13);
}

/* I q'' = -m g l sin q - c q' - f sign q' by Runge-Kutta, from rest at `first` through so many turns back. */
static struct armdyn_pendulum_test swing(double inertia, double mass, double l, double c, double f, double first,
                                         int swings)
{
  const double weight = mass * G * l, h = 1e-4;
  double q = first, v = 0, t = 0, before = 0, sign = -1;
  int turns = 0;
#define RATE(q_, v_) ((-weight * sin(q_) - c * (v_)-f * sign) / inertia)
  while (turns < 2 * swings) {
    before = v;
    const double k1 = RATE(q, v), v2 = v + h / 2 * k1, k2 = RATE(q + h / 2 * v, v2), v3 = v + h / 2 * k2;
    const double k3 = RATE(q + h / 2 * v2, v3), v4 = v + h * k3, k4 = RATE(q + h * v3, v4);
    const double part = v + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    if (t > 0 && part * before < 0) { /* rest: half of the swing is done, friction turns */
      const double s = h * before / (before - part);
      q += s * before / 2, t += s, v = 0, sign = -sign;
      turns++;
      continue;
    }
    q += h * (v + 2 * v2 + 2 * v3 + v4) / 6;
    v = part, t += h;
  }
#undef RATE
  return test_of(mass, l, t, first, fabs(q), swings);
}

Test(pendulum, swings_that_die_are_reduced_to_what_was_integrated)
{
  const double m = 4, l = 0.15, inertia = 0.13;
  for (int i = 0; i < 3; i++) {
    const double first = (double[]){ 0.1, 0.5, 1.2 }[i], most = (double[]){ 2e-4, 2e-4, 2e-3 }[i] * inertia;
    struct armdyn_pendulum_test test = swing(inertia, m, l, 0.01, 0, first, 12);
    struct armdyn_pendulum found = reduce(&test);
    cr_assert_float_eq(found.inertia_axis, inertia, most, "viscous, %g rad: %g", first, found.inertia_axis);
    cr_assert_float_eq(found.viscous, 0.01, (i < 2 ? 0.03 : 0.15) * 0.01, "%g", found.viscous);
    cr_assert_float_eq(found.dry, 0, 1e-300);

    test = swing(inertia, m, l, 0, 0.005, first, 12);
    test.decay = ARMDYN_DECAY_DRY;
    found = reduce(&test);
    cr_assert_float_eq(found.inertia_axis, inertia, most, "dry, %g rad: %g", first, found.inertia_axis);
    cr_assert_float_eq(found.dry, 0.005, (i < 2 ? 0.005 : 0.03) * 0.005, "%g", found.dry);
  }
}

/* Of small swings: I = m g l (T / 2 pi)^2 - m l^2 has slopes that can be written down. */
Test(pendulum, deviations_are_those_of_the_slopes)
{
  const double m = 3, l = 0.2, T = 1.1;
  struct armdyn_pendulum_test test = test_of(m, l, 10 * T, 1e-6, 1e-6, 10);
  const double deviation[ARMDYN_PENDULUM_FIGURES] = { 0.01, 0.001, 0.02, 0, 0, 0.003 };
  memcpy(test.deviation, deviation, sizeof deviation);
  const double square = T * T / (4 * PI * PI);
  const double by_mass = (G * l * square - l * l) * 0.01, by_distance = (m * G * square - 2 * m * l) * 0.001;
  const double by_time = 2 * m * G * l * T / (4 * PI * PI) * 0.002, by_gravity = m * l * square * 0.003;
  const double variance = by_mass * by_mass + by_distance * by_distance + by_time * by_time + by_gravity * by_gravity;
  const struct armdyn_pendulum found = reduce(&test);
  cr_assert_float_eq(found.inertia_com_deviation, sqrt(variance), 1e-6 * sqrt(variance));
  cr_assert_float_eq(found.share[ARMDYN_PENDULUM_TIME], by_time * by_time / variance, 1e-6);
  double all = 0;
  for (int i = 0; i < ARMDYN_PENDULUM_FIGURES; i++) all += found.share[i];
  cr_assert_float_eq(all, 1, 1e-12);
}

Test(pendulum, what_cannot_be_is_refused)
{
  struct armdyn_pendulum found;
  struct armdyn_error error;
  const struct armdyn_pendulum_test good = test_of(2, 0.2, 10, 0.2, 0.1, 10);
  struct armdyn_pendulum_test test = good;
  cr_assert_eq(armdyn_pendulum_reduce(&test, &found, &error), ARMDYN_OK);
  test.value[ARMDYN_PENDULUM_TIME] = 8; /* of a point of mass: 8.97 */
  cr_assert_eq(armdyn_pendulum_reduce(&test, &found, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/times");
  test = good, test.value[ARMDYN_PENDULUM_LAST] = 0.3;
  cr_assert_eq(armdyn_pendulum_reduce(&test, &found, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/amplitude_last");
  test = good, test.value[ARMDYN_PENDULUM_FIRST] = 3.1;
  cr_assert_eq(armdyn_pendulum_reduce(&test, &found, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/amplitude_first");
}
