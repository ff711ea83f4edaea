/* Tails of the F distribution against its closed forms; Student's statistic against Student. */
#include "lib/math/distribution.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect(double found, double truth, const char *what, double f, double d1, double d2)
{
  cr_expect(fabs(found - truth) <= 1e-9 * truth, "%s, F(%g; %g, %g): %.15g, is %.15g", what, f, d1, d2, found, truth);
}

Test(distribution, f_has_its_closed_forms)
{
  for (double f = 0.01; f < 50; f *= 1.7) {
    for (double d = 1; d < 3000; d *= 2.3) {
      expect(f_distribution_tail(f, 2, d), pow(1 + 2 * f / d, -d / 2), "two above", f, 2, d);
      const double below = pow(d * f / (2 + d * f), d / 2);
      if (below < 0.9) expect(f_distribution_tail(f, d, 2), 1 - below, "two below", f, d, 2);
    }
    /* Student's t with one degree of freedom is Cauchy's: P(|t| >= x) = 1 - 2 atan(x) / pi */
    const double cauchy = 2 * atan(1 / sqrt(f)) / acos(-1);
    expect(f_distribution_tail(f, 1, 1), cauchy, "Cauchy", f, 1, 1);
  }
}

Test(distribution, f_is_its_own_reciprocal)
{
  for (double f = 0.2; f < 5; f *= 1.3) {
    const double sum = f_distribution_tail(f, 7, 31) + f_distribution_tail(1 / f, 31, 7);
    cr_expect_float_eq(sum, 1, 1e-12);
  }
  cr_expect_float_eq(f_distribution_tail(1, 250, 250), 0.5, 1e-12);
  cr_expect_eq(f_distribution_tail(0, 3, 4), 1);
  cr_expect_eq(f_distribution_tail(INFINITY, 3, 4), 0);
}

/* Printed tables: the 5 % and 0.1 % points. */
Test(distribution, f_has_the_points_of_the_tables)
{
  cr_expect_float_eq(f_distribution_tail(2.3479, 10, 20), 0.05, 1e-5);
  cr_expect_float_eq(f_distribution_tail(3.3258, 5, 10), 0.05, 1e-5);
  cr_expect_float_eq(f_distribution_tail(5.0752, 10, 20), 0.001, 1e-6);
}

/* The hours of sleep that ten patients gained by two drugs: Student 1908, table on page 20. */
Test(distribution, paired_t_is_students)
{
  static const double first[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };
  static const double second[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };
  cr_expect_float_eq(paired_t(10, second, first), 4.0621, 5e-5);
  cr_expect_float_eq(paired_t(10, first, second), -4.0621, 5e-5);
}
