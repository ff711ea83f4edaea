#include "server/simulator/outputs.h"

enum { ILLEGAL_ADDRESS = 2 };

int outputs_read(const struct outputs *o, size_t address, size_t count, uint16_t *words)
{
  if (address + count > 2 * (size_t)o->count) return ILLEGAL_ADDRESS;
  for (size_t i = 0; i < count; i++) {
    const size_t at = address + i;
    words[i] = at < o->count ? o->written[at] : o->so[at - o->count];
  }
  return 0;
}

int outputs_write(struct outputs *o, size_t address, size_t count, const uint16_t *words, uint32_t profile,
                  uint32_t index)
{
  if (address + count > o->count) return ILLEGAL_ADDRESS;
  for (size_t i = 0; i < count; i++) {
    const size_t at = address + i;
    o->written[at] = words[i];
    o->age_ms[at] = 0;
    if (o->told_count < OUTPUTS_TOLD)
      o->told[o->told_count++] =
          (struct output_write){ .output = (unsigned)at, .value = words[i], .profile = profile, .index = index };
  }
  return 0;
}

void outputs_tick(struct outputs *o)
{
  for (unsigned at = 0; at < o->count && o->delay_ms >= 0; at++)
    if (o->age_ms[at]++ >= o->delay_ms) {
      o->age_ms[at] = o->delay_ms;
      o->so[at] = o->written[at];
    }
}
