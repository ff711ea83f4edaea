/* What is said in the registers of register protocol v2: numbers in words, checksums, commands, windows and looks, packed
 * and unpacked. Nothing here knows a connection. */
#ifndef SERVER_PROTOCOL_WORDS_H
#define SERVER_PROTOCOL_WORDS_H

#include "armdyn/status.h"
#include "server/protocol/registers.h"

/* -- numbers: high word first -- */
void protocol_put_u32(uint16_t *words, uint32_t value);
uint32_t protocol_get_u32(const uint16_t *words);
void protocol_put_float(uint16_t *words, float value);
float protocol_get_float(const uint16_t *words);

/* CRC-32 of IEEE 802.3 over words as big-endian bytes; start with 0, continue with what the last call answered.
 * Check value: "123456789" gives 0xCBF43926. */
uint32_t protocol_crc32(uint32_t crc, const uint16_t *words, size_t count);

/* -- a command: registers from COMMAND on -- */

struct protocol_command {
  enum controller_command command;
  uint16_t number, epoch;
  uint32_t profile, total, period_us, crc;
  uint16_t format, axis_mask, end_policy, loss_policy;
  uint32_t latest_ms; /* uptime of the controller */
  float start[PROTOCOL_AXES];
};
/* With its check word, for the controller of this instance. */
void protocol_command_encode(const struct protocol_command *command, uint16_t instance,
                             uint16_t words[PROTOCOL_COMMAND]);
/* The command is not held against any list. */
void protocol_command_decode(const uint16_t words[PROTOCOL_COMMAND], struct protocol_command *out);
/* The check word that these registers should carry. */
uint32_t protocol_check_word(uint16_t instance, const uint16_t words[PROTOCOL_COMMAND]);
/* May it be executed still at this uptime? */
static inline bool protocol_in_time(uint32_t latest_ms, uint32_t uptime_ms)
{
  return latest_ms - uptime_ms <= PROTOCOL_LATEST_MOST_MS; /* modulo 2^32 */
}

/* -- a window: registers of a place -- */

/* Write `count` data words from sample `offset` on into words[0 .. 5 + count). Answers the registers used. */
size_t protocol_window_encode(uint32_t profile, uint32_t offset, const uint16_t *data, size_t count, uint16_t *words);
/* The CRC-32 that the window in these registers should carry, which has `count` data words. */
uint32_t protocol_window_crc(uint32_t profile, const uint16_t *words, size_t count);

/* -- who a controller is: the registers from MAGIC to PLACES -- */

enum { PROTOCOL_IDENTITY = REGISTER_PLACES + 1 };
struct controller_identity {
  unsigned axes, window_most, places;
  unsigned abilities; /* enum controller_ability */
  uint32_t samples_most;
  uint16_t instance;
};
static inline bool controller_can(const struct controller_identity *identity, enum controller_ability ability)
{
  return identity->abilities & ability;
}
/* OK, or EINPUT with a sentence: not this protocol, another version, words swapped, figures out of range, a block that does
 * not fit behind this base. */
enum armdyn_status protocol_identity_decode(const uint16_t words[PROTOCOL_IDENTITY], unsigned base,
                                            struct controller_identity *out, struct armdyn_error *error);

/* -- how it is: a look, the registers from INSTANCE to the last of POSITION -- */

struct controller_state {
  uint16_t instance, acknowledged, error, own_error, heartbeat, loss_policy;
  enum controller_phase phase;
  uint32_t next_offset, play_index, free_samples, crc, profile, uptime_ms, check;
  float position[PROTOCOL_AXES];      /* by axis number */
  uint16_t command[PROTOCOL_COMMAND]; /* as it stands in its registers, whoever wrote it */
};
/* OK, or EINPUT when the state is none of the list. */
enum armdyn_status protocol_look_decode(const uint16_t words[PROTOCOL_LOOK], struct controller_state *out,
                                        struct armdyn_error *error);

#endif
