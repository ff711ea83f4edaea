/* Integrals over motions against closed forms: smooth, with kinks and with steps. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/quadrature.h"

enum { PIECES = 3, TERMS = 6 };

/* Of a trajectory only its breaks are looked at. */
static double breaks[PIECES + 1] = { 0.5, 1.25, 1.5, 4 };
static const struct armdyn_trajectory motion = { .piece_count = PIECES, .breaks = breaks };
static const double KINK = 2.345678; /* not next to the end of a halved piece: see the header */

static void integrand(void *context, size_t piece, double s, double *value)
{
  const double t = breaks[piece] + s;
  *(size_t *)context += 1;
  value[0] = 1;
  value[1] = pow(t, 9);
  value[2] = sin(40 * t);
  value[3] = fabs(t - KINK);
  value[4] = t > KINK ? 3 : 0;
  value[5] = exp(-t) * (double)piece;
}

Test(quadrature, integrals_are_those_of_calculus)
{
  size_t calls = 0;
  double sum[TERMS];
  quadrature_integrate(&motion, TERMS, integrand, &calls, sum);
  const double from = breaks[0], to = breaks[PIECES], before = KINK - from, after = to - KINK;
  const double expected[TERMS] = {
    to - from,
    (pow(to, 10) - pow(from, 10)) / 10,
    (cos(40 * from) - cos(40 * to)) / 40,
    (before * before + after * after) / 2,
    3 * after,
    exp(-breaks[1]) - exp(-breaks[2]) + 2 * (exp(-breaks[2]) - exp(-breaks[3])),
  };
  /* each to about 1e-10 of the mean of the largest one, over the whole time */
  for (size_t i = 0; i < TERMS; i++)
    cr_assert_float_eq(sum[i], expected[i], 1e-9 * expected[1], "term %zu: %.17g, %.17g", i, sum[i], expected[i]);
  cr_assert_lt(calls, 5000, "a step is found by halving, not by counting: %zu", calls);
}

static void step(void *context, size_t piece, double s, double *value)
{
  (void)context;
  value[0] = breaks[piece] + s > KINK ? 3 : 0;
}

Test(quadrature, a_step_alone_is_found_to_its_last_digits)
{
  double sum;
  quadrature_integrate(&motion, 1, step, NULL, &sum);
  cr_assert_float_eq(sum, 3 * (breaks[PIECES] - KINK), 1e-8, "%.17g", sum);
}

static void ninth_power(void *context, size_t piece, double s, double *value)
{
  *(size_t *)context += 1;
  value[0] = pow(breaks[piece] + s, 9);
}

/* Five nodes of Gauss are exact to degree nine, so nothing is halved: a whole and two halves of each piece, and once more
 * each for the scale. */
Test(quadrature, polynomials_of_degree_nine_are_exact_at_once)
{
  size_t calls = 0;
  double sum;
  quadrature_integrate(&motion, 1, ninth_power, &calls, &sum);
  cr_assert_eq(calls, PIECES * 4 * 5);
  cr_assert_float_eq(sum, (pow(4, 10) - pow(0.5, 10)) / 10, 1e-9);
}

Test(quadrature, a_motion_that_takes_no_time_has_no_integral)
{
  double none[2] = { 2, 2 }, sum[1] = { 5 };
  const struct armdyn_trajectory point = { .piece_count = 1, .breaks = none };
  quadrature_integrate(&point, 1, step, NULL, sum);
  cr_assert_eq(sum[0], 0);
}
