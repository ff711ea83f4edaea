#include "server/gateway/uptime.h"

#include <math.h>

static const double scan_unknown_ms = 100; /* before a step of the clock was seen */
static const double hiccup_ms = 50;        /* beyond what is explained otherwise it is a jump */
static const double rate_most = 0.2;       /* no clock is off by more */
static const double back_ms = 1000;        /* a clock that is so far back was started anew */
enum { BASELINE_S = 30 };                  /* rates are over as long, or twice */

static double ms_of(int64_t ns)
{
  return (double)ns * 1e-6;
}

enum uptime_step uptime_step(const struct uptime *u, uint32_t ms, int64_t asked_ns, int64_t answered_ns)
{
  if (!u->known) return UPTIME_GOES_ON;
  double gone = (int32_t)(ms - u->last_ms), expected = ms_of(asked_ns / 2 + answered_ns / 2 - u->last_ns);
  double slack = u->scan_ms + u->round_trip_ms + ms_of(answered_ns - asked_ns) + hiccup_ms + rate_most * expected;
  if (gone < -back_ms) return UPTIME_WENT_BACK;
  return fabs(gone - expected) <= slack ? UPTIME_GOES_ON : UPTIME_JUMPED;
}

void uptime_take(struct uptime *u, uint16_t instance, uint32_t ms, int64_t asked_ns, int64_t answered_ns)
{
  const int64_t now = asked_ns / 2 + answered_ns / 2;
  if (u->instance != instance || uptime_step(u, ms, asked_ns, answered_ns) == UPTIME_WENT_BACK)
    *u = (struct uptime){ .instance = instance, .scan_ms = scan_unknown_ms };
  bool jumped = uptime_step(u, ms, asked_ns, answered_ns) == UPTIME_JUMPED;
  int32_t step = u->known ? (int32_t)(ms - u->last_ms) : 0;
  if (step > 0 && !jumped) u->scan_ms = fmin(u->scan_ms, step);
  u->gone_ms += step;
  u->round_trip_ms = ms_of(answered_ns - asked_ns);
  u->last_ms = ms;
  u->last_ns = now;
  const struct uptime_anchor here = { now, u->gone_ms };
  if (!u->known || jumped) u->from = u->next = here;
  u->known = true;
  if (now - u->next.ns < BASELINE_S * 1000000000LL) return;
  u->from = u->next;
  u->next = here;
}

void uptime_forget_rate(struct uptime *u)
{
  u->from = u->next = (struct uptime_anchor){ u->last_ns, u->gone_ms };
}

uint32_t uptime_now(const struct uptime *u, int64_t now_ns)
{
  return u->last_ms + (uint32_t)(int64_t)ms_of(now_ns - u->last_ns);
}

double uptime_rate(const struct uptime *u)
{
  double baseline = ms_of(u->last_ns - u->from.ns);
  return baseline > 0 ? (double)(u->gone_ms - u->from.gone_ms) / baseline - 1 : 0;
}

double uptime_uncertainty(const struct uptime *u)
{
  double baseline = ms_of(u->last_ns - u->from.ns);
  return baseline > 0 ? (u->scan_ms + u->round_trip_ms) / baseline : INFINITY;
}
