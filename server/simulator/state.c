#include "server/simulator/state.h"

#include <math.h>
#include <stdlib.h>

uint32_t simulator_known(const struct simulator *s)
{
  return s->profile.open ? s->next : s->profile.total;
}

double simulator_end_us(const struct simulator *s)
{
  uint32_t known = simulator_known(s);
  return known ? (double)(known - 1) * s->profile.period_us : 0;
}

double simulator_ahead_us(const struct simulator *s)
{
  return s->profile.open ? simulator_end_us(s) - s->play_us : INFINITY;
}

bool simulator_whole(const struct simulator *s)
{
  if (s->profile.open) return s->data && simulator_ahead_us(s) >= PROTOCOL_AHEAD_MS * 1e3;
  if (s->options.stores_zeros) return s->data && s->next == s->profile.total; /* it believes so */
  if (s->profile.streamed) return s->data && s->next == s->profile.total && s->crc == s->profile.crc;
  return s->data && s->next == s->profile.total &&
         protocol_crc32(0, s->data, (size_t)s->next * s->profile.sample_words) == s->profile.crc;
}

void simulator_change(struct simulator *s, enum controller_phase to, int cause)
{
  witness_change(&s->witness, to, cause, simulator_whole(s));
  s->phase = to;
}

void simulator_forget(struct simulator *s)
{
  free(s->data);
  s->data = NULL;
  s->next = s->room = 0;
  s->crc = 0;
  s->play_us = 0;
  s->traced = 0;
  s->profile = (struct simulator_profile){ 0 };
  s->commit.running = false;
}
