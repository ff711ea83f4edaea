/* Sines and cosines of vectors against those of the C library in long double. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

#define LANES 2
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef long long lane_bits __attribute__((vector_size(8 * LANES)));
#include "lib/math/sincos_kernel.h"

/* Error in units of the last place of the exact value. */
static double units(double x, long double exact)
{
  int exponent;
  frexp((double)exact, &exponent);
  return (double)fabsl((long double)x - exact) / ldexp(1, exponent - 53);
}

static void check(double x)
{
  const lanes both = { x, -x };
  lanes sine, cosine;
  const lane_bits inside = sincos_range(&both);
  cr_assert(all_lanes(&inside));
  sincos_lanes(&both, &sine, &cosine);
  cr_assert_leq(units(sine[0], sinl((long double)x)), 2, "sin %.17g = %.17g", x, sine[0]);
  cr_assert_leq(units(cosine[0], cosl((long double)x)), 2, "cos %.17g = %.17g", x, cosine[0]);
  cr_assert_eq(sine[1], -sine[0]);
  cr_assert_eq(cosine[1], cosine[0]);
}

Test(sincos, two_units_in_the_last_place)
{
  struct dice dice = { 17 };
  for (int k = 0; k < 200000; k++) {
    check(dice_uniform(&dice, 0, 7));
    check(dice_uniform(&dice, 0, 1e5));
    check(dice_uniform(&dice, 0, 1e-6));
  }
}

Test(sincos, two_units_at_zeros_too)
{
  for (int k = 1; k < 60000; k++) {
    const double zero = k * M_PI_2;
    check(zero);
    check(nextafter(zero, 0));
    check(nextafter(zero, 1e9));
    check(zero + k * 1e-9);
  }
}

Test(sincos, what_is_out_of_range_is_told)
{
  const double beyond[] = { 100001, -1e300, INFINITY, -INFINITY, NAN };
  for (size_t k = 0; k < sizeof beyond / sizeof *beyond; k++) {
    const lanes x = { 1, beyond[k] };
    const lane_bits inside = sincos_range(&x);
    cr_assert(!all_lanes(&inside));
  }
  const lanes x = { 1e22, 3 };
  lanes sine, cosine;
  sincos_by_lane(&x, &sine, &cosine);
  cr_assert_eq(sine[0], sin(1e22));
  cr_assert_eq(cosine[1], cos(3));
}
