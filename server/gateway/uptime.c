#include "server/gateway/uptime.h"

#include <math.h>

static const double scan_unknown_ms = 100; /* before a step of the clock was seen */
static const double hiccup_ms = 50;        /* beyond what is explained otherwise it is a jump */
static const double rate_most = 0.2;       /* no clock is off by more */
static const int32_t back_ms = 1000;       /* a clock that is so far back was started anew */
static const double slow_ms = 20;          /* of a look: it tells little of the time */
enum { STRETCH_LEAST_MS = 50, STRETCH_MOST_MS = 4000 };

static double ms_of(int64_t ns)
{
  return (double)ns * 1e-6;
}

/* A program that is held up shows an old clock for a while: behind is no jump, only ahead, or back. */
enum uptime_step uptime_step(const struct uptime *u, uint32_t ms, int64_t asked_ns, int64_t answered_ns)
{
  if (!u->known) return UPTIME_GOES_ON;
  const struct uptime_point last = { u->last_ns, u->gone_ms };
  const struct uptime_point *from = u->point_count ? &u->points[u->point_count - 1] : &last;
  int32_t step = (int32_t)(ms - u->last_ms);
  double gone = (double)(u->gone_ms + step - from->gone_ms),
         expected = ms_of(asked_ns / 2 + answered_ns / 2 - from->ns);
  double slack = u->scan_ms + u->round_trip_ms + ms_of(answered_ns - asked_ns) + hiccup_ms + rate_most * expected;
  if (step < -back_ms) return UPTIME_WENT_BACK;
  return step < 0 || gone - expected > slack ? UPTIME_JUMPED : UPTIME_GOES_ON;
}

/* Is `a` less late than `b`? */
static bool better(const struct uptime_point *a, const struct uptime_point *b)
{
  return (double)(a->gone_ms - b->gone_ms) > ms_of(a->ns - b->ns);
}

/* Room for another point: neighbours become one, or, of a long time, the older half goes. */
static void make_room(struct uptime *u)
{
  enum { HALF = UPTIME_POINTS / 2 };
  bool merge = u->stretch_ns < STRETCH_MOST_MS * 1000000LL;
  for (unsigned k = 0; k < HALF; k++) {
    const struct uptime_point *a = &u->points[2 * k], *b = a + 1;
    u->points[k] = !merge ? u->points[HALF + k] : better(b, a) ? *b : *a;
  }
  u->point_count = HALF;
  if (merge) u->stretch_ns *= 2;
}

static void add_point(struct uptime *u, const struct uptime_point *here)
{
  struct uptime_point *last = u->point_count ? &u->points[u->point_count - 1] : NULL;
  if (last && here->ns / u->stretch_ns == last->ns / u->stretch_ns) {
    if (better(here, last)) *last = *here;
    return;
  }
  if (u->point_count == UPTIME_POINTS) make_room(u);
  u->points[u->point_count++] = *here;
}

void uptime_take(struct uptime *u, uint16_t instance, uint32_t ms, int64_t asked_ns, int64_t answered_ns)
{
  if (u->instance != instance || uptime_step(u, ms, asked_ns, answered_ns) == UPTIME_WENT_BACK)
    *u = (struct uptime){ .instance = instance };
  if (!u->known) u->scan_ms = scan_unknown_ms;
  if (uptime_step(u, ms, asked_ns, answered_ns) == UPTIME_JUMPED) uptime_forget_rate(u);
  int32_t step = u->known ? (int32_t)(ms - u->last_ms) : 0;
  if (step > 0 && step < scan_unknown_ms) u->scan_ms = fmin(u->scan_ms, step);
  u->gone_ms += step;
  u->round_trip_ms = ms_of(answered_ns - asked_ns);
  u->last_ms = ms;
  u->last_ns = asked_ns / 2 + answered_ns / 2;
  if (!u->known) u->first_ns = u->last_ns;
  u->known = true;
  if (!u->stretch_ns) uptime_forget_rate(u);
  if (u->round_trip_ms <= slow_ms || !u->point_count) add_point(u, &(struct uptime_point){ u->last_ns, u->gone_ms });
}

void uptime_forget_rate(struct uptime *u)
{
  u->point_count = 0;
  u->stretch_ns = STRETCH_LEAST_MS * 1000000LL;
}

uint32_t uptime_now(const struct uptime *u, int64_t now_ns)
{
  return u->last_ms + (uint32_t)(int64_t)ms_of(now_ns - u->last_ns);
}

double uptime_offset_ms(const struct uptime *u)
{
  return (double)u->gone_ms - ms_of(u->last_ns - u->first_ns);
}

/* The better of the first two points, and of the last two; NULL before there are four. */
static const struct uptime_point *end_point(const struct uptime *u, bool last)
{
  if (u->point_count < 4) return NULL;
  const struct uptime_point *a = &u->points[last ? u->point_count - 2 : 0], *b = a + 1;
  return better(b, a) ? b : a;
}

double uptime_rate(const struct uptime *u)
{
  const struct uptime_point *from = end_point(u, false), *to = end_point(u, true);
  return from ? (double)(to->gone_ms - from->gone_ms) / ms_of(to->ns - from->ns) - 1 : 0;
}

/* By how much an end of the line that tells the rate is late: what lies ahead of that line was less so. */
static double lateness_ms(const struct uptime *u)
{
  const struct uptime_point *from = end_point(u, false);
  const double pace = 1 + uptime_rate(u);
  double most = 0;
  for (const struct uptime_point *p = u->points; p < u->points + u->point_count; p++)
    most = fmax(most, (double)(p->gone_ms - from->gone_ms) - pace * ms_of(p->ns - from->ns));
  return most;
}

double uptime_uncertainty(const struct uptime *u)
{
  const struct uptime_point *from = end_point(u, false), *to = end_point(u, true);
  return from ? (fmax(u->scan_ms, lateness_ms(u)) + u->round_trip_ms) / ms_of(to->ns - from->ns) : INFINITY;
}
