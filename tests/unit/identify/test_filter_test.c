/* The test of Durbin, Wu and Hausman: how often it rejects filters that are right, and finds such that are not. */
#define LOG_SAMPLES 20000 /* fewer tell too little */
#include "tests/support/simulated.h"

/* Motions are sums of sines up to 0.81 Hz, so 4 Hz take nothing off them, and 1 Hz takes off 15 % of the fastest. */
static const double RIGHT = 4, TORQUE = 4;

struct trial {
  struct armdyn_filter_test test;
  bool rejected;
};

static struct armdyn_motion conditioned(const struct armdyn_log *log, double cutoff)
{
  const struct armdyn_conditioning c = { .position_cutoff = cutoff, .torque_cutoff = TORQUE, .trim = 0.75 };
  struct armdyn_motion motion;
  cr_assert_eq(armdyn_condition(N, log, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

static struct trial tried(const struct known *k, uint64_t seed, double encoder, double cutoff)
{
  static double time[COUNT], q[COUNT * N], tau[COUNT * N];
  const struct armdyn_log log = { .count = COUNT, .time = time, .q = q, .tau = tau };
  struct armdyn_error error = { "", "" };
  struct trial trial;
  double bandwidth;
  simulate(k->robot, seed, COUNT, encoder, 0.05, time, q, tau);
  cr_assert_eq(armdyn_bandwidth(COUNT, N, rate, q, &bandwidth), ARMDYN_OK);
  struct armdyn_motion motion = conditioned(&log, cutoff);
  struct armdyn_motion other = conditioned(&log, armdyn_instrument_cutoff(cutoff, bandwidth, rate));
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_source instruments = { other.count, 1, read_one, &other };
  cr_assert_eq(armdyn_test_filters(k->unknowns, &source, &instruments, &trial.test, &error), ARMDYN_OK, "%s",
               error.message);
  trial.rejected = trial.test.p < 0.05;
  armdyn_motion_free(&motion);
  armdyn_motion_free(&other);
  return trial;
}

/* How many of so many logs are rejected; with ARMDYN_SOAK of ten times as many. */
static double rejected_share(size_t runs, double cutoff)
{
  struct known k = known_open();
  size_t rejected = 0;
  if (getenv("ARMDYN_SOAK")) runs *= 10;
  for (size_t run = 0; run < runs; run++) {
    const struct trial t = tried(&k, 1000 + run, 3e-6, cutoff);
    rejected += t.rejected;
    cr_log_info("%g Hz: F %.3g of %g, %g, p %.3g, %zu samples", cutoff, t.test.statistic, t.test.numerator,
                t.test.denominator, t.test.p, t.test.samples);
  }
  known_close(&k);
  return (double)rejected / (double)runs;
}

/* 4.5 % of 200 logs of 20 s. */
Test(filter_test, has_its_size)
{
  const double share = rejected_share(SANITIZED ? 5 : 20, RIGHT);
  cr_expect_leq(share, getenv("ARMDYN_SOAK") ? 0.08 : 0.2, "%g", share);
  if (getenv("ARMDYN_SOAK")) cr_expect_geq(share, 0.02, "%g", share);
}

/* All of 60. */
Test(filter_test, finds_a_quarter_of_the_right_cut_off)
{
  const double share = rejected_share(SANITIZED ? 2 : 6, RIGHT / 4);
  cr_expect_geq(share, 0.9, "%g", share);
}

/* Noise that only the wider of two filters lets through: it draws inertias to 0, and is found. */
Test(filter_test, finds_noise)
{
  struct known k = known_open();
  const struct trial t = tried(&k, 3, 6e-3, 30);
  cr_expect(t.rejected, "p %g", t.test.p);
  known_close(&k);
}

/* Instruments that are the columns themselves explain everything, so there is nothing to test; and those of other samples are
 * refused. */
Test(filter_test, needs_other_instruments_of_the_same_samples)
{
  struct known k = known_open();
  struct armdyn_motion motion = simulated_filtered(k.robot, 1, 1e-5, 0.01, 4);
  const struct armdyn_motion shorter = armdyn_motion_part(&motion, N, 0, motion.count - 1);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_source other = { shorter.count, 1, read_one, (void *)&shorter };
  struct armdyn_filter_test test;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_test_filters(k.unknowns, &source, &source, &test, &error), ARMDYN_OK);
  cr_expect(isnan(test.p) && test.numerator == 0, "p %g of %g", test.p, test.numerator);
  cr_expect_eq(armdyn_test_filters(k.unknowns, &source, &other, &test, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "other samples"), "%s", error.message);
  armdyn_motion_free(&motion);
  known_close(&k);
}

Test(filter_test, instruments_have_a_cut_off_of_their_own)
{
  for (double cutoff = 0.5; cutoff < 200; cutoff *= 1.07) {
    const double other = armdyn_instrument_cutoff(cutoff, 2, 1000);
    cr_expect_geq(fmax(other / cutoff, cutoff / other), 1.5 - 1e-12, "%g and %g Hz", cutoff, other);
    cr_expect(other > 3 && other < 400, "%g Hz", other);
  }
  cr_expect_float_eq(armdyn_instrument_cutoff(0, 2, 1000), 6, 1e-12);
}
