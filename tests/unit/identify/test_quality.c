#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "armdyn/quality.h"
#include "tests/support/sanitized.h"

enum { COLUMNS = 3, RATE = 1000 };

/* t, q, tau of row k. */
typedef void make_row(size_t k, double row[COLUMNS]);

static struct armdyn_quality_report judge(size_t count, make_row *make, struct armdyn_quality **quality)
{
  struct armdyn_quality_report report;
  cr_assert_eq(armdyn_quality_new(1, COLUMNS, 2, quality), ARMDYN_OK);
  for (size_t k = 0; k < count; k++) {
    double row[COLUMNS];
    make(k, row);
    armdyn_quality_add(*quality, 1, row);
  }
  cr_assert_eq(armdyn_quality_report(*quality, &report), ARMDYN_OK);
  return report;
}

static void sine(size_t k, double row[COLUMNS])
{
  row[0] = (double)k / RATE;
  row[1] = sin(2 * M_PI * row[0]);
  row[2] = 5 * cos(2 * M_PI * row[0]);
}

Test(quality, of_a_sine_is_perfect)
{
  struct armdyn_quality *quality;
  struct armdyn_quality_report r = judge(10 * RATE, sine, &quality);
  cr_assert_eq(r.count, 10 * RATE);
  cr_assert_float_eq(r.rate, RATE, 1e-6);
  cr_assert_lt(r.jitter, 1e-9);
  cr_assert(r.gaps == 0 && r.repeated == 0 && r.rests == 0);
  cr_assert_float_eq(r.columns[1].rms, sqrt(0.5), 1e-12); /* whole periods */
  cr_assert_float_eq(r.columns[2].rms, 5 * sqrt(0.5), 1e-11);
  cr_assert_eq(r.columns[2].greatest, 5);
  cr_assert(r.joints[0].moves);
  cr_assert_lt(r.joints[0].clipped, 10);
  cr_assert(isnan(r.joints[0].delay)); /* one frequency fits at any shift */
  armdyn_quality_free(quality);
}

/* Ten times as long as the windows that are kept, at rest from a third to two thirds. */
enum { LONG = SANITIZED ? 90000 : 650000 };
static void with_rest(size_t k, double row[COLUMNS])
{
  const size_t third = LONG / 3, moving = k < third ? k : k < 2 * third ? third : k - third;
  sine(moving, row);
  row[0] = (double)k / RATE;
  row[2] += 0.001 * (double)(k % 7);
}

Test(quality, rests_are_found_in_long_logs)
{
  struct armdyn_quality *quality;
  struct armdyn_quality_report r = judge(LONG, with_rest, &quality);
  cr_assert_eq(r.rests, 1);
  cr_assert_float_eq(r.resting, LONG / 3 / (double)RATE, 0.01 * LONG / RATE);
  armdyn_quality_free(quality);
}

/* The clock is off by a uniform 10 %, and 30 samples are missing. */
static void jittered(size_t k, double row[COLUMNS])
{
  static unsigned state = 1;
  state = state * 1664525 + 1013904223;
  sine(k + (k >= 4000 ? 30 : 0), row);
  row[0] += (state / 4294967296.0 - 0.5) * 0.1 / RATE;
}

Test(quality, clocks_that_scatter_and_gap)
{
  struct armdyn_quality *quality;
  struct armdyn_quality_report r = judge(8000, jittered, &quality);
  cr_assert_eq(r.gaps, 1);
  cr_assert_float_eq(r.gap, 0.031, 2e-4);
  cr_assert_float_eq(r.gap_time, 3.999, 1e-4);
  /* a difference of two uniform numbers: sqrt(2) 0.1 / sqrt(12) */
  cr_assert_float_eq(r.jitter, sqrt(2) * 0.1 / sqrt(12), 2e-3);
  cr_assert_float_eq(r.rate, RATE, 0.1);
  armdyn_quality_free(quality);
}

Test(quality, needs_columns_that_can_be)
{
  struct armdyn_quality *quality;
  cr_assert_eq(armdyn_quality_new(0, 1, 0, &quality), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_quality_new(2, 2, 0, &quality), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_quality_new(2, 5, 4, &quality), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_quality_new(2, 5, 3, &quality), ARMDYN_OK);
  struct armdyn_quality_report report;
  cr_assert_eq(armdyn_quality_report(quality, &report), ARMDYN_EINPUT); /* of nothing */
  armdyn_quality_free(quality);
}
