/* Does a thread get on with its work? It counts its steps, and is looked at once a second, by who is asked himself and so
 * pauses with all the rest. No time is measured. */
#ifndef SERVER_GATEWAY_STANDSTILL_H
#define SERVER_GATEWAY_STANDSTILL_H

#include <stdbool.h>

struct standstill {
  unsigned long steps, seen; /* made, and made when it was looked at last */
  unsigned looks;            /* since then without one */
};

/* At most looks in a row, with work to do and without a step; the names of hosts may be looked up for a minute and more. */
enum { STANDSTILL_LOOKS = 90 };
/* A look. true: it stands still. */
static inline bool standstill_look(struct standstill *s, bool has_work)
{
  s->looks = has_work && s->steps == s->seen ? s->looks + 1 : 0;
  s->seen = s->steps;
  return s->looks > STANDSTILL_LOOKS;
}

#endif
