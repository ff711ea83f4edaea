#include "server/base/rehearsal.h"

static _Thread_local bool on_now;

bool rehearsing(void)
{
  return on_now;
}

void rehearsal_set(bool on)
{
  on_now = on;
}
