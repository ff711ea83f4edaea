/* The sine and cosine that printed C has of its own, beside those of the C library in 64 bits of mantissa. */
#include <criterion/criterion.h>
#include <float.h>

#include "lib/symbolic/sine_cosine.h"
#include "tests/support/robots.h"

static void check(double x)
{
  double sine, cosine;
  code_sine_cosine(x, &sine, &cosine);
  cr_assert_leq(fabsl(sine - sinl(x)), 2e-16L, "sine of %.17g: %.17g", x, sine);
  cr_assert_leq(fabsl(cosine - cosl(x)), 2e-16L, "cosine of %.17g: %.17g", x, cosine);
}

Test(sine_cosine, is_that_of_a_longer_mantissa)
{
  static const double sizes[] = { 1e-300, 1e-8, 0.1, 1, 3.2, 100, 1e4 };
  struct dice dice = { 5 };
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    double x[2000];
    dice_fill(&dice, x, 2000, -sizes[k], sizes[k]);
    for (int i = 0; i < 2000; i++) check(x[i]);
  }
}

/* Where the quadrants meet, and where sine or cosine is next to nothing. */
Test(sine_cosine, is_right_beside_eighths_of_a_turn)
{
  for (int eighth = -12000; eighth <= 12000; eighth++) {
    const double x = eighth * (M_PI / 4);
    check(x);
    check(nextafter(x, INFINITY));
    check(nextafter(x, -INFINITY));
  }
}

Test(sine_cosine, leaves_to_the_library_what_is_huge_or_no_number)
{
  static const double huge[] = { 1.0001e4, -3e9, 1e22, -DBL_MAX };
  double sine, cosine;
  for (size_t k = 0; k < sizeof huge / sizeof *huge; k++) check(huge[k]);
  for (int k = 0; k < 3; k++) {
    code_sine_cosine(k == 0 ? NAN : k == 1 ? INFINITY : -INFINITY, &sine, &cosine);
    cr_expect(isnan(sine) && isnan(cosine));
  }
}
