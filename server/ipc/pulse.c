#include "server/ipc/pulse.h"

enum { PING_MS = 1000, LATE_MS = 250 };

void pulse_begin(struct pulse *p, int64_t limit_ns)
{
  *p = (struct pulse){ .limit_ns = limit_ns };
}

bool pulse_ping_due(struct pulse *p, int64_t now_ns)
{
  if (now_ns < p->ping_due_ns) return false;
  p->ping_due_ns = now_ns + PING_MS * 1000000LL;
  return true;
}

void pulse_heard(struct pulse *p)
{
  p->silent_ns = 0;
}

void pulse_waited(struct pulse *p, int64_t begun_ns, int64_t now_ns, int meant_ms)
{
  int64_t waited_ns = now_ns - begun_ns;
  if (waited_ns <= (meant_ms + LATE_MS) * 1000000LL) p->silent_ns += waited_ns;
}

bool pulse_lost(const struct pulse *p)
{
  return p->silent_ns >= p->limit_ns;
}
