/* Conditioning against closed forms: a filter's gain, derivatives of sines and polynomials, an uneven clock. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { COUNT = 4000 };
static const double rate = 1000, pi = 3.14159265358979323846;

static double amplitude_after(double frequency, double cutoff)
{
  static double x[COUNT];
  double largest = 0;
  for (size_t k = 0; k < COUNT; k++) x[k] = sin(2 * pi * frequency * (double)k / rate);
  cr_assert_eq(armdyn_lowpass(COUNT, 1, rate, cutoff, x, NULL), ARMDYN_OK);
  for (size_t k = COUNT / 4; k < 3 * COUNT / 4; k++) largest = fmax(largest, fabs(x[k]));
  return largest;
}

/* |H|^2 of a Butterworth filter of order 4, frequencies warped by the bilinear transform */
Test(condition, lowpass_has_butterworths_gain_twice)
{
  static const double frequencies[] = { 5, 20, 40, 50, 60, 100 };
  for (size_t k = 0; k < sizeof frequencies / sizeof *frequencies; k++) {
    const double w = tan(pi * frequencies[k] / rate) / tan(pi * 50 / rate);
    cr_assert_float_eq(amplitude_after(frequencies[k], 50), 1 / (1 + pow(w, 8)), 2e-3, "%g Hz", frequencies[k]);
  }
}

Test(condition, lowpass_leaves_a_line_alone_to_its_ends)
{
  static double x[2 * COUNT];
  for (size_t k = 0; k < COUNT; k++) {
    x[2 * k] = 3 - 0.01 * (double)k;
    x[2 * k + 1] = 7;
  }
  cr_assert_eq(armdyn_lowpass(COUNT, 2, rate, 8, x, NULL), ARMDYN_OK);
  for (size_t k = 0; k < COUNT; k++) {
    cr_assert_float_eq(x[2 * k], 3 - 0.01 * (double)k, 1e-6);
    cr_assert_float_eq(x[2 * k + 1], 7, 1e-9);
  }
}

Test(condition, lowpass_has_no_delay)
{
  static double x[COUNT], y[COUNT];
  for (size_t k = 0; k < COUNT; k++) x[k] = y[COUNT - 1 - k] = exp(-pow(((double)k - 1500) / 40, 2));
  cr_assert_eq(armdyn_lowpass(COUNT, 1, rate, 20, x, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_lowpass(COUNT, 1, rate, 20, y, NULL), ARMDYN_OK);
  for (size_t k = 0; k < COUNT; k++) cr_assert_float_eq(x[k], y[COUNT - 1 - k], 1e-9);
}

Test(condition, lowpass_refuses_a_cutoff_beyond_half_the_rate)
{
  double x[4] = { 0 };
  struct armdyn_error error;
  cr_assert_eq(armdyn_lowpass(4, 1, 100, 50, x, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.message, "must be between 0 and half the rate, 50 Hz, got 50 Hz");
  cr_assert_eq(armdyn_lowpass(4, 1, 100, NAN, x, &error), ARMDYN_EINPUT);
}

Test(condition, differences_of_a_parabola_are_exact)
{
  double x[40], out[40];
  for (size_t k = 0; k < 40; k++) x[k] = 0.5 * pow((double)k / 10, 2) - 3 * (double)k / 10;
  armdyn_differentiate(40, 1, 10, x, out);
  for (size_t k = 0; k < 40; k++) cr_assert_float_eq(out[k], (double)k / 10 - 3, 1e-12);
}

Test(condition, resampling_an_uneven_clock_keeps_a_cubic)
{
  struct dice dice = { 3 };
  double time[200], x[400], out[400];
  for (size_t k = 0; k < 200; k++) {
    const double t = time[k] = 5 + 0.01 * (double)k + dice_uniform(&dice, -0.003, 0.003);
    x[2 * k] = pow(t - 6, 3) - t;
    x[2 * k + 1] = 4;
  }
  const size_t count = armdyn_resampled_count(200, time, 90);
  cr_assert(count > 170 && count < 200);
  cr_assert_eq(armdyn_resample(200, 2, time, x, 90, count, out, NULL), ARMDYN_OK);
  for (size_t k = 0; k < count; k++) {
    const double t = time[0] + (double)k / 90;
    cr_assert_float_eq(out[2 * k], pow(t - 6, 3) - t, 1e-10);
    cr_assert_float_eq(out[2 * k + 1], 4, 1e-12);
  }
}

Test(condition, a_log_becomes_a_motion)
{
  static double time[COUNT], q[COUNT], tau[COUNT];
  for (size_t k = 0; k < COUNT; k++) {
    time[k] = (double)k / rate;
    q[k] = sin(3 * time[k]);
    tau[k] = cos(2 * time[k]);
  }
  const struct armdyn_log log = { .count = COUNT, .time = time, .q = q, .tau = tau };
  const struct armdyn_conditioning c = { .position_cutoff = 30, .torque_cutoff = 30, .trim = 0.5 };
  struct armdyn_motion m;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, NULL), ARMDYN_OK);
  cr_assert_eq(m.count, COUNT - 1000);
  cr_assert_float_eq(m.rate, rate, 1e-9);
  for (size_t k = 0; k < m.count; k++) {
    const double t = 0.5 + (double)k / rate;
    cr_assert_float_eq(m.q[k], sin(3 * t), 1e-5);
    cr_assert_float_eq(m.qd[k], 3 * cos(3 * t), 1e-4);
    cr_assert_float_eq(m.qdd[k], -9 * sin(3 * t), 1e-3);
    cr_assert_float_eq(m.tau[k], cos(2 * t), 1e-5);
    cr_assert_float_eq(m.tau_raw[k], cos(2 * t), 1e-9);
  }
  armdyn_motion_free(&m);
}

/* What was logged at t + delay is the torque of t: of each column by its own, whole samples or not, until the log ends. */
Test(condition, torques_that_are_late_are_shifted_back)
{
  static double time[COUNT], q[2 * COUNT], tau[2 * COUNT];
  const double delay[] = { 0.0123, -0.004 }, w[] = { 3, 7 };
  struct armdyn_conditioning conditioning = { .rate = 500, .torque_delay = { delay[0], delay[1] } };
  struct armdyn_motion motion;
  for (size_t k = 0; k < COUNT; k++) {
    time[k] = 2 + (double)k / rate;
    for (size_t j = 0; j < 2; j++) q[2 * k + j] = 0, tau[2 * k + j] = sin(w[j] * (time[k] - delay[j]));
  }
  const struct armdyn_log log = { .count = COUNT, .time = time, .q = q, .tau = tau };
  cr_assert_eq(armdyn_condition(2, &log, &conditioning, &motion, NULL), ARMDYN_OK);
  for (size_t k = 0; k < motion.count; k++) {
    const double t = motion.start + (double)k / motion.rate;
    for (size_t j = 0; j < 2; j++) {
      const bool known = t + delay[j] >= time[0] && t + delay[j] <= time[COUNT - 1];
      if (known) cr_assert_float_eq(motion.tau_raw[2 * k + j], sin(w[j] * t), 1e-9, "joint %zu, %g s", j, t);
    }
  }
  cr_assert_float_eq(motion.tau_raw[2 * (motion.count - 1)], tau[2 * (COUNT - 1)], 1e-12);
  armdyn_motion_free(&motion);
}

Test(condition, bad_logs_are_refused_by_name)
{
  double time[20], q[20] = { 0 }, tau[20] = { 0 };
  for (size_t k = 0; k < 20; k++) time[k] = (double)k;
  struct armdyn_log log = { .count = 3, .time = time, .q = q, .tau = tau };
  struct armdyn_conditioning c = { 0 };
  struct armdyn_motion m;
  struct armdyn_error error;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.message, "needs 16 samples, got 3");
  log.count = 20;
  tau[7] = NAN;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/tau");
  cr_assert_str_eq(error.message, "must be finite, row 7 has nan for joint 1");
  tau[7] = 0;
  time[5] = 4;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/time");
  time[5] = 5;
  c.trim = 9;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/trim");
  for (size_t k = 0; k < 20; k++) time[k] = 19 - (double)k;
  cr_assert_eq(armdyn_condition(1, &log, &c, &m, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/time");
  cr_assert_str_eq(error.message, "must increase, it goes from 19 s to 0 s");
}

/* ---------------------------------------------------------------- the tracking differentiator */

/* x = sin(w t) at 1 kHz, once through everything. */
static double tracked_q[COUNT], tracked_qd[COUNT], tracked_qdd[COUNT];
static double track_sine(double frequency, double cutoff, double acceleration)
{
  static double x[COUNT];
  double lag = NAN;
  for (size_t k = 0; k < COUNT; k++) x[k] = sin(2 * pi * frequency * (double)k / rate);
  cr_assert_eq(armdyn_track(COUNT, 1, rate, cutoff, acceleration, x, tracked_q, tracked_qd, tracked_qdd, &lag, NULL),
               ARMDYN_OK);
  return lag;
}

/* Gain and phase of a double pole at 1 - h / h0, twice; a difference has the gain 2 sin(w h / 2) / h. */
Test(condition, tracking_has_the_gain_and_lag_of_its_poles)
{
  const double h = 1 / rate, cutoff = 20, end = 2 * pi * cutoff * h, s = sqrt(2) - 1, m = 1 - cos(end);
  const double c = (sqrt(m * m + 2 * m * s) - m) / s;
  cr_assert_float_eq(pow(cos(end) - 1 + c, 2) + pow(sin(end), 2), sqrt(2) * c * c, 1e-12); /* -3 dB there */
  for (double frequency = 0.5; frequency < 5; frequency *= 2) {
    const double w = 2 * pi * frequency, re = cos(w * h) - 1 + c, im = sin(w * h);
    const double gain = pow(c, 4) / pow(re * re + im * im, 2), slope = 2 * sin(w * h / 2) / h;
    cr_assert_float_eq(track_sine(frequency, cutoff, 0), 4 * atan2(im, re) / w, 2e-5, "%g Hz", frequency);
    for (size_t k = COUNT / 4; k < 3 * COUNT / 4; k++) {
      const double t = (double)k * h;
      cr_assert_float_eq(tracked_q[k], gain * sin(w * t), 2e-4);
      cr_assert_float_eq(tracked_qd[k], gain * slope * cos(w * t), 2e-4 * w);
      cr_assert_float_eq(tracked_qdd[k], -gain * slope * slope * sin(w * t), 2e-4 * w * w);
    }
  }
}

/* What stays below its limit is not touched by it; what does not, is followed no faster. */
Test(condition, tracking_accelerates_no_more_than_its_limit)
{
  const double frequency = 1, w = 2 * pi * frequency;
  const double lag = track_sine(frequency, 20, 0), q = tracked_q[1700], qd = tracked_qd[1700];
  cr_assert_float_eq(track_sine(frequency, 20, 100 * w * w), lag, 1e-9);
  cr_assert_float_eq(tracked_q[1700], q, 1e-9);
  cr_assert_float_eq(tracked_qd[1700], qd, 1e-8);
  static double x[COUNT];
  x[2000] = 1; /* an encoder that jumps once */
  double highest[2] = { 0 };
  for (int k = 0; k < 2; k++) {
    cr_assert_eq(armdyn_track(COUNT, 1, rate, 20, k ? 20 : 0, x, tracked_q, tracked_qd, tracked_qdd, NULL, NULL),
                 ARMDYN_OK);
    for (size_t i = 0; i < COUNT; i++) highest[k] = fmax(highest[k], fabs(tracked_q[i]));
  }
  cr_assert_gt(highest[0], 0.02);              /* the area of the jump, 1 ms, over the width of the filter's answer */
  cr_assert_lt(highest[1], 20 / rate * 0.011); /* 20 rad/s^2 for 1 ms, which stays for the lag of a pass */
}

/* Encoder noise of 1e-4 rad: velocities within 1 % of what they were; differences of the samples are noise alone. */
Test(condition, tracking_sees_through_noise)
{
  static double x[COUNT];
  struct dice dice = { 5 };
  double wrong = 0, all = 0;
  for (size_t k = 0; k < COUNT; k++) x[k] = sin(3 * (double)k / rate) + dice_uniform(&dice, -1.7e-4, 1.7e-4);
  cr_assert_eq(armdyn_track(COUNT, 1, rate, 15, 0, x, x, tracked_qd, tracked_qdd, NULL, NULL), ARMDYN_OK);
  for (size_t k = 500; k < COUNT - 500; k++) {
    const double truth = 3 * cos(3 * (double)k / rate);
    wrong += (tracked_qd[k] - truth) * (tracked_qd[k] - truth);
    all += truth * truth;
  }
  cr_expect_lt(sqrt(wrong / all), 0.01);
}

Test(condition, tracking_is_refused_beyond_half_the_rate)
{
  double x[8] = { 0 }, out[24];
  struct armdyn_error error;
  cr_assert_eq(armdyn_track(8, 1, 100, 50, 0, x, out, out + 8, out + 16, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.message, "must be between 0 and half the rate, 50 Hz, got 50 Hz");
  cr_assert_eq(armdyn_track(8, 1, 100, 0, 0, x, out, out + 8, out + 16, NULL, &error), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_track(3, 1, 100, 5, 0, x, out, out + 8, out + 16, NULL, &error), ARMDYN_EINPUT);
}

Test(condition, a_joint_at_rest_is_tracked_at_rest)
{
  double x[500], lag;
  const double s = sqrt(2) - 1, m = 1 - cos(2 * pi * 20 / rate), c = (sqrt(m * m + 2 * m * s) - m) / s;
  for (size_t k = 0; k < 500; k++) x[k] = 0.7;
  cr_assert_eq(armdyn_track(500, 1, rate, 20, 0, x, tracked_q, tracked_qd, tracked_qdd, &lag, NULL), ARMDYN_OK);
  cr_assert_float_eq(lag, 4 / (c * rate), 1e-9); /* what it is for the slowest motion */
  for (size_t k = 0; k < 500; k++) {
    cr_assert_float_eq(tracked_q[k], 0.7, 1e-12);
    cr_assert_float_eq(tracked_qdd[k], 0, 1e-6);
  }
}
