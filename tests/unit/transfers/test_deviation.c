#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "server/transfers/deviation.h"

enum { COUNT = 1200, N = 2 };

static double t[COUNT], q[COUNT * N], qd[COUNT * N], qdd[COUNT * N], tau[COUNT * N], measured[COUNT * N];
static struct motion plan = { q, qd, qdd, tau };

/* q = sin(w t), and a joint that rests. */
static double place(double w, double at)
{
  return sin(w * at);
}

static void sample(double w)
{
  for (size_t k = 0; k < COUNT; k++) {
    t[k] = 0.005 * (double)k;
    q[k * N] = place(w, t[k]);
    qd[k * N] = w * cos(w * t[k]);
    qdd[k * N] = -w * w * place(w, t[k]);
    q[k * N + 1] = measured[k * N + 1] = 0.3;
    qd[k * N + 1] = qdd[k * N + 1] = 0;
  }
}

Test(deviation, lag_and_offset_of_a_sine)
{
  for (double w = 0.5; w < 6; w += 1.1)
    for (double lag = -0.02; lag < 0.051; lag += 0.01) {
      sample(w);
      for (size_t k = 0; k < COUNT; k++) measured[k * N] = place(w, t[k] - lag) + 0.01;
      struct playback_lag got = deviation_lag(COUNT, N, 0, &plan, measured);
      const double beyond = 4 * pow(w * fabs(lag), 3) / 6; /* what two derivatives leave, shared by both */
      cr_assert_float_eq(got.lag, lag, beyond / w + 1e-9, "w %g, lag %g: %g", w, lag, got.lag);
      cr_assert_float_eq(got.offset, 0.01, beyond + 1e-9);
      cr_assert_leq(got.rms, beyond + 1e-7); /* a difference of squares */
    }
}

Test(deviation, a_joint_that_rests_has_no_lag)
{
  sample(1);
  struct playback_lag got = deviation_lag(COUNT, N, 1, &plan, measured);
  cr_assert(isnan(got.lag) && isnan(got.offset) && isnan(got.rms));
}

Test(deviation, nothing_is_made_up_for_what_no_lag_explains)
{
  sample(2);
  for (size_t k = 0; k < COUNT; k++) measured[k * N] = place(2, t[k] - 0.6);
  cr_assert(isnan(deviation_lag(COUNT, N, 0, &plan, measured).lag));
}

Test(deviation, the_worst_moment_has_its_sign)
{
  struct playback_error errors[N] = { { .rms = 7 }, { .rms = 8 } };
  sample(1);
  for (size_t i = 0; i < COUNT * N; i++) measured[i] = q[i];
  measured[100 * N] -= 0.5;
  measured[900 * N] += 0.25;
  deviation_worst(COUNT, N, t, q, measured, errors);
  cr_assert(errors[0].worst == measured[100 * N] - q[100 * N] && errors[0].worst_at == t[100] && errors[0].rms == 7);
  cr_assert(errors[1].worst == 0 && errors[1].worst_at == t[0]);
}

Test(deviation, parts_are_told_by_gaps)
{
  struct playback_part parts[3] = { { 0 } };
  sample(1);
  for (size_t k = 400; k < COUNT; k++) t[k] += 0.3;
  for (size_t k = 1000; k < COUNT; k++) t[k] += 0.2;
  cr_assert_eq(deviation_parts(COUNT, t, parts, 3), 3);
  cr_assert(parts[0].from == t[0] && parts[0].to == t[399] && parts[0].samples == 400);
  cr_assert(parts[1].from == t[400] && parts[2].from == t[1000] && parts[2].to == t[COUNT - 1]);
  memset(parts, 0, sizeof parts);
  cr_assert_eq(deviation_parts(COUNT, t, parts, 2), 2); /* the rest is one with the last */
  cr_assert(parts[1].to == t[COUNT - 1] && parts[1].samples == COUNT - 400);
  memset(parts, 0, sizeof parts);
  cr_assert_eq(deviation_parts(2, t, parts, 2), 1);
}

/* tau = 1, qd = cos t: what is given back is the integral of -cos where it is negative, 2 from pi/2 to 3 pi/2. */
Test(deviation, braking_of_a_cosine)
{
  sample(1);
  for (size_t k = 0; k < COUNT; k++) tau[k * N] = 1, tau[k * N + 1] = 5;
  const double end = t[COUNT - 1];
  cr_assert(end > 3 * M_PI_2 && end < 5 * M_PI_2);
  cr_assert_float_eq(deviation_braking(COUNT, N, t, qd, tau), 2, 1e-4);
}
