/* When points are passed of which nobody said when. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/times.h"

static void distributed(size_t count, const double *given, const double *weights, const double *expected)
{
  double times[8];
  times_distribute(count, given, weights, times);
  for (size_t k = 0; k < count; k++) {
    cr_assert_float_eq(times[k], expected[k], 1e-15 * 10, "point %zu: %.17g, %.17g", k, times[k], expected[k]);
    if (!isnan(given[k])) cr_assert_eq(times[k], given[k]);
    if (k) cr_assert_geq(times[k], times[k - 1]);
  }
}

Test(times, free_ones_share_by_weight_between_given_ones)
{
  distributed(6, (double[]){ 0, NAN, NAN, 4, NAN, 10 }, (double[]){ 1, 2, 1, 1, 2 }, (double[]){ 0, 1, 3, 4, 6, 10 });
}

Test(times, without_weights_they_share_evenly)
{
  distributed(5, (double[]){ 1, NAN, NAN, NAN, 3 }, (double[4]){ 0 }, (double[]){ 1, 1.5, 2, 2.5, 3 });
}

Test(times, a_segment_without_weight_takes_no_time)
{
  distributed(5, (double[]){ 0, NAN, NAN, NAN, 8 }, (double[]){ 0, 1, 3, 0 }, (double[]){ 0, 0, 2, 8, 8 });
}

/* Shares of a third add up to more or less than one by rounding: no point is passed after the next one. */
Test(times, rounding_never_turns_points_round)
{
  double given[8], weights[7], times[8];
  for (int k = 0; k < 8; k++) given[k] = k == 0 ? 0 : k == 7 ? 0.1 : NAN;
  for (int k = 0; k < 7; k++) weights[k] = k < 6 ? 1e16 / 3 : 1e-3;
  times_distribute(8, given, weights, times);
  for (int k = 1; k < 8; k++) cr_assert_geq(times[k], times[k - 1]);
  cr_assert_leq(times[6], 0.1);
}

/* Twice the way takes sqrt(2) of the time: that of a motion from rest to rest at a given acceleration. */
Test(times, weight_of_a_segment_is_the_root_of_its_length)
{
  cr_assert_float_eq(times_centripetal(3, (double[]){ 1, 2, 3 }, (double[]){ 3, 5, 9 }), sqrt(7), 1e-15);
  cr_assert_eq(times_centripetal(2, (double[]){ 1, 2 }, (double[]){ 1, 2 }), 0);
}
