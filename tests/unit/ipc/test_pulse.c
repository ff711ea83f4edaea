#include <criterion/criterion.h>

#include "server/ipc/pulse.h"

static const int64_t MS = 1000000, S = 1000000000;

/* A parent that looks every 50 ms, `times` times. */
static int64_t wait_in_vain(struct pulse *p, int64_t now, int times)
{
  for (int i = 0; i < times; i++, now += 50 * MS) pulse_waited(p, now, now + 50 * MS, 50);
  return now;
}

Test(pulse, is_lost_after_the_limit_without_an_answer)
{
  struct pulse p;
  pulse_begin(&p, 3 * S);
  int64_t now = wait_in_vain(&p, 7 * S, 59);
  cr_expect(!pulse_lost(&p));
  pulse_heard(&p);
  now = wait_in_vain(&p, now, 59);
  cr_expect(!pulse_lost(&p));
  wait_in_vain(&p, now, 1);
  cr_expect(pulse_lost(&p));
}

Test(pulse, counts_only_what_the_parent_waited_on_time)
{
  struct pulse p;
  pulse_begin(&p, 3 * S);
  int64_t now = wait_in_vain(&p, 0, 59);
  pulse_waited(&p, now, now + 3600 * S, 50); /* the machine stood still for an hour */
  cr_expect(!pulse_lost(&p));
  now += 3610 * S; /* and then the parent was busy for ten seconds */
  wait_in_vain(&p, now, 1);
  cr_expect(pulse_lost(&p));
}

Test(pulse, asks_once_a_second)
{
  struct pulse p;
  int pings = 0;
  pulse_begin(&p, 3 * S);
  for (int64_t now = 5 * S; now < 15 * S; now += 50 * MS) pings += pulse_ping_due(&p, now);
  cr_expect_eq(pings, 10);
}
