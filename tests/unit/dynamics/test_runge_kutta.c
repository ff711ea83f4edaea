/* The pair and its steps against integrals that are known. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/dynamics/runge_kutta.h"

/* t^0 to t^7 */
static bool powers(void *context, double t, const double *state, double *rate)
{
  (void)context, (void)state;
  rate[0] = 1;
  for (int k = 1; k < 8; k++) rate[k] = rate[k - 1] * t;
  return true;
}

Test(runge_kutta, polynomials_of_degree_seven_are_exact)
{
  struct runge_kutta r = { .rate = powers, .size = 8 };
  cr_assert_eq(runge_kutta_fixed(&r, 1, 1), RUNGE_KUTTA_OK);
  for (int k = 0; k < 8; k++) {
    const double integral = (exp2(k + 1) - 1) / (k + 1);
    cr_assert_float_eq(r.state[k], integral, 4 * DBL_EPSILON * integral, "t^%d: %.17g", k, r.state[k]);
  }
  cr_assert_eq(r.steps, 1);
}

/* A point that falls around another: e = 0.6, a = 1, period 2 pi; x, y, and their velocities. */
static bool orbit(void *context, double t, const double *state, double *rate)
{
  const double cubed = pow(hypot(state[0], state[1]), 3);
  (void)t;
  ++*(long *)context;
  rate[0] = state[2], rate[1] = state[3];
  rate[2] = -state[0] / cubed, rate[3] = -state[1] / cubed;
  return true;
}

Test(runge_kutta, an_orbit_closes_within_the_tolerance_of_its_steps)
{
  const double begin[4] = { 0.4, 0, 0, 2 }, period = 2 * acos(-1);
  long before = 0;
  for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 1e-2) {
    long rates = 0;
    struct runge_kutta r = {
      .rate = orbit, .context = &rates, .size = 4, .relative = tolerance, .absolute = tolerance, .shortest = 1e-14
    };
    memcpy(r.state, begin, sizeof begin);
    for (double t = 0; t < period;) cr_assert_eq(runge_kutta_adaptive(&r, &t, period), RUNGE_KUTTA_OK);
    for (int i = 0; i < 4; i++) {
      cr_assert_float_eq(r.state[i], begin[i], 100 * tolerance + 1e-12, "%g: %d is off by %g", tolerance, i,
                         r.state[i] - begin[i]);
    }
    /* order 8: a hundredth of the error costs 100^(1/8) = 1.8 of the steps */
    cr_assert(r.steps > before && (!before || (double)r.steps < 2.2 * (double)before), "%g: %ld", tolerance, r.steps);
    cr_assert_lt(rates, 16 * r.steps, "%g: %ld rates, %ld steps", tolerance, rates, r.steps);
    before = r.steps;
  }
}

/* y = 1 - sqrt(1 - t), whose rate grows without a bound, and is no number from t = 1 on; with a context there is none then. */
static bool ends(void *context, double t, const double *state, double *rate)
{
  (void)state;
  rate[0] = 0.5 / sqrt(1 - t);
  return !context || t < 1;
}

Test(runge_kutta, where_there_is_no_more_rate)
{
  bool none = true;
  struct runge_kutta r = { .rate = ends, .size = 1, .relative = 1e-9, .absolute = 1e-9, .shortest = 1e-14 };
  double t = 0;
  enum runge_kutta_status rc;
  while (!(rc = runge_kutta_adaptive(&r, &t, 2))) cr_assert_lt(t, 1);
  cr_assert_eq(rc, RUNGE_KUTTA_TOO_LONG);
  cr_assert_gt(t, 1 - 1e-9);
  cr_assert_float_eq(r.state[0], 1 - sqrt(1 - t), 1e-6);
  cr_assert_eq(runge_kutta_fixed(&r, 2, 1), RUNGE_KUTTA_TOO_LONG);
  r = (struct runge_kutta){ .rate = ends, .context = &none, .size = 1 };
  cr_assert_eq(runge_kutta_fixed(&r, 0.5, 1), RUNGE_KUTTA_NO_RATE);
}
