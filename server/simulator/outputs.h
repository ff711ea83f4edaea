/* Outputs of a simulated controller, beside the registers of the protocol: holding registers 0 .. count - 1 are written, and
 * count .. 2 count - 1 tell what has become so, a while later. */
#ifndef SERVER_SIMULATOR_OUTPUTS_H
#define SERVER_SIMULATOR_OUTPUTS_H

#include <stddef.h>
#include <stdint.h>

enum { OUTPUTS_MOST = 16, OUTPUTS_TOLD = 256 };

/* A write, and where the motion was then. */
struct output_write {
  unsigned output;
  uint16_t value;
  uint32_t profile, index;
};
struct outputs {
  unsigned count;
  int delay_ms; /* until what was written is so; negative: it never is */
  uint16_t written[OUTPUTS_MOST], so[OUTPUTS_MOST];
  int age_ms[OUTPUTS_MOST]; /* of what was written */
  size_t told_count;
  struct output_write told[OUTPUTS_TOLD]; /* the first ones */
};

/* Registers by address: 0, or a Modbus exception. */
int outputs_read(const struct outputs *o, size_t address, size_t count, uint16_t *words);
/* What is played, and where, goes with it. */
int outputs_write(struct outputs *o, size_t address, size_t count, const uint16_t *words, uint32_t profile,
                  uint32_t index);
/* One millisecond passes. */
void outputs_tick(struct outputs *o);

#endif
