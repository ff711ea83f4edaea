#include <criterion/criterion.h>
#include <math.h>

#include "server/gateway/uptime.h"

enum { MS = 1000000 };

/* A controller whose clock runs `rate` times as fast as ours and is read `every` ms; its program runs once in `scan` ms. */
static struct uptime watched(double rate, int scan, int every, int looks, uint32_t from)
{
  struct uptime u = { 0 };
  for (int k = 0; k < looks; k++) {
    int64_t now = 5000000000LL + (int64_t)k * every * MS;
    double gone = rate * k * every;
    uptime_take(&u, 1, from + (uint32_t)(floor(gone / scan) * scan), now - MS / 10, now + MS / 10);
  }
  return u;
}

Test(uptime, rate_and_uncertainty)
{
  for (double rate = 0.9; rate < 1.11; rate += 0.05)
    for (int scan = 1; scan <= 50; scan *= 5) {
      struct uptime u = watched(rate, scan, 7, 1500, (uint32_t)-10000); /* over the wrap */
      cr_assert_leq(u.scan_ms, fmax(scan, 7 * rate + 1));
      cr_assert_leq(fabs(uptime_rate(&u) - (rate - 1)), uptime_uncertainty(&u) + 1e-4, "%g, scan %d", rate, scan);
      cr_assert_lt(uptime_uncertainty(&u), 0.01);
    }
}

/* To a step of the clock. */
Test(uptime, runs_ahead_by_its_rate)
{
  struct uptime u = watched(1.01, 5, 7, 1500, (uint32_t)-3000);
  const double watched_ms = (double)(u.last_ns - u.first_ns) / MS;
  cr_assert_float_eq(watched_ms, 7 * 1499, 1e-6);
  cr_assert_float_eq(uptime_offset_ms(&u), 0.01 * watched_ms, 5 + 1e-6);
}

Test(uptime, says_what_it_is_now_over_the_wrap)
{
  struct uptime u = watched(1, 1, 5, 1000, (uint32_t)-2500);
  cr_assert_eq(u.last_ms, 2495);
  cr_assert_eq(uptime_now(&u, u.last_ns + 40 * MS), 2535);
}

Test(uptime, before_two_looks_nothing_is_known)
{
  struct uptime u = { 0 };
  cr_assert_eq(uptime_step(&u, 12345, 0, 1), UPTIME_GOES_ON);
  uptime_take(&u, 3, 12345, 0, 1);
  cr_assert(isinf(uptime_uncertainty(&u)) && uptime_rate(&u) == 0);
}

Test(uptime, jumps_and_restarts_are_seen)
{
  struct uptime u = watched(1, 10, 5, 400, 100000);
  int64_t now = u.last_ns + 5 * MS;
  cr_assert_eq(uptime_step(&u, u.last_ms + 10, now, now), UPTIME_GOES_ON);
  cr_assert_eq(uptime_step(&u, u.last_ms + 300, now, now), UPTIME_JUMPED);
  cr_assert_eq(uptime_step(&u, u.last_ms - 300, now, now), UPTIME_JUMPED);
  cr_assert_eq(uptime_step(&u, 12, now, now), UPTIME_WENT_BACK);
  uptime_take(&u, 1, u.last_ms + 300, now, now);
  cr_assert(isinf(uptime_uncertainty(&u)));  /* measured anew */
  uptime_take(&u, 2, 5, now + MS, now + MS); /* another instance */
  cr_assert(u.last_ms == 5 && u.instance == 2 && isinf(uptime_uncertainty(&u)));
}

/* A program that is held up now and then, at the end too, shows an old clock; that is no wrong rate. */
Test(uptime, a_program_that_is_held_up_has_no_other_clock)
{
  struct uptime u = { 0 };
  uint32_t shown = 0;
  for (int k = 0; k < 250; k++) {
    int64_t now = 7000000000LL + (int64_t)k * 5 * MS;
    bool held_up = k % 60 >= 47 || k >= 239; /* for 65 ms, and for 55 at the end */
    if (!held_up) shown = (uint32_t)(k * 5 / 10 * 10);
    uptime_take(&u, 1, shown, now - MS / 10, now + MS / 10);
  }
  cr_assert_leq(uptime_uncertainty(&u), 0.015);
  cr_assert_lt(fabs(uptime_rate(&u)), 0.015);
}

/* Held up while it was first looked at, a clock that goes too slow seems right for a while; then that is not known well. */
Test(uptime, a_late_beginning_is_no_certainty)
{
  enum { LATE_MS = 25, LATE_LOOKS = 30, EVERY_MS = 5 };
  const double rate = 0.97;
  struct uptime u = { 0 };
  for (int k = 0; k < 1000; k++) {
    int64_t now = 7000000000LL + (int64_t)k * EVERY_MS * MS;
    double late = k < LATE_LOOKS ? LATE_MS : 0;
    uptime_take(&u, 1, 100000 + (uint32_t)(floor(rate * (k * EVERY_MS - late) / EVERY_MS) * EVERY_MS), now - MS / 10,
                now + MS / 10);
    double within = uptime_uncertainty(&u);
    if (within <= 0.01)
      cr_assert_leq(fabs(uptime_rate(&u) - (rate - 1)), 1.5 * within, "after %d ms: %g within %g", k * EVERY_MS,
                    uptime_rate(&u), within);
  }
  cr_assert_lt(uptime_uncertainty(&u), 0.01);
}

Test(uptime, an_old_rate_is_forgotten)
{
  struct uptime u = watched(0.9, 1, 10, 200, 0);
  uptime_forget_rate(&u);
  uint32_t from = u.last_ms;
  int64_t since = u.last_ns;
  for (int k = 1; k <= 200; k++) uptime_take(&u, 1, from + (uint32_t)k * 10, since + k * 10 * MS, since + k * 10 * MS);
  cr_assert_lt(fabs(uptime_rate(&u)), 1e-6);
}
