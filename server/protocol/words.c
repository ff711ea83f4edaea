#include "server/protocol/words.h"

#include <zlib.h>

void protocol_put_u32(uint16_t *words, uint32_t value)
{
  words[0] = (uint16_t)(value >> 16);
  words[1] = (uint16_t)value;
}

uint32_t protocol_get_u32(const uint16_t *words)
{
  return (uint32_t)words[0] << 16 | words[1];
}

void protocol_put_float(uint16_t *words, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  protocol_put_u32(words, bits);
}

float protocol_get_float(const uint16_t *words)
{
  uint32_t bits = protocol_get_u32(words);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t protocol_crc32(uint32_t crc, const uint16_t *words, size_t count)
{
  enum { PIECE = 256 };
  unsigned char bytes[2 * PIECE];
  uLong sum = crc;
  for (size_t at = 0; at < count; at += PIECE) {
    size_t piece = count - at < PIECE ? count - at : PIECE;
    for (size_t i = 0; i < piece; i++) {
      bytes[2 * i] = (unsigned char)(words[at + i] >> 8);
      bytes[2 * i + 1] = (unsigned char)words[at + i];
    }
    sum = crc32(sum, bytes, (uInt)(2 * piece));
  }
  return (uint32_t)sum;
}

/* -- commands -- */

enum { FIRST = REGISTER_COMMAND };

uint32_t protocol_check_word(uint16_t instance, const uint16_t words[PROTOCOL_COMMAND])
{
  uint32_t crc = protocol_crc32(0, &instance, 1);
  crc = protocol_crc32(crc, words, REGISTER_CHECK - FIRST);
  return protocol_crc32(crc, words + (REGISTER_EPOCH - FIRST), PROTOCOL_COMMAND - (REGISTER_EPOCH - FIRST));
}

void protocol_command_encode(const struct protocol_command *c, uint16_t instance, uint16_t words[PROTOCOL_COMMAND])
{
  memset(words, 0, PROTOCOL_COMMAND * sizeof *words);
  words[0] = (uint16_t)c->command;
  protocol_put_u32(words + (REGISTER_PROFILE - FIRST), c->profile);
  protocol_put_u32(words + (REGISTER_TOTAL - FIRST), c->total);
  protocol_put_u32(words + (REGISTER_PERIOD - FIRST), c->period_us);
  words[REGISTER_FORMAT - FIRST] = c->format;
  words[REGISTER_AXIS_MASK - FIRST] = c->axis_mask;
  words[REGISTER_END_POLICY - FIRST] = c->end_policy;
  words[REGISTER_LOSS_POLICY - FIRST] = c->loss_policy;
  protocol_put_u32(words + (REGISTER_CRC - FIRST), c->crc);
  protocol_put_u32(words + (REGISTER_LATEST - FIRST), c->latest_ms);
  words[REGISTER_EPOCH - FIRST] = c->epoch;
  words[REGISTER_NUMBER - FIRST] = c->number;
  for (size_t a = 0; a < PROTOCOL_AXES; a++)
    protocol_put_float(words + (REGISTER_START_POSITION - FIRST) + 2 * a, c->start[a]);
  protocol_put_u32(words + (REGISTER_CHECK - FIRST), protocol_check_word(instance, words));
}

void protocol_command_decode(const uint16_t words[PROTOCOL_COMMAND], struct protocol_command *out)
{
  *out = (struct protocol_command){
    .command = (enum controller_command)words[0],
    .number = words[REGISTER_NUMBER - FIRST],
    .epoch = words[REGISTER_EPOCH - FIRST],
    .profile = protocol_get_u32(words + (REGISTER_PROFILE - FIRST)),
    .total = protocol_get_u32(words + (REGISTER_TOTAL - FIRST)),
    .period_us = protocol_get_u32(words + (REGISTER_PERIOD - FIRST)),
    .crc = protocol_get_u32(words + (REGISTER_CRC - FIRST)),
    .format = words[REGISTER_FORMAT - FIRST],
    .axis_mask = words[REGISTER_AXIS_MASK - FIRST],
    .end_policy = words[REGISTER_END_POLICY - FIRST],
    .loss_policy = words[REGISTER_LOSS_POLICY - FIRST],
    .latest_ms = protocol_get_u32(words + (REGISTER_LATEST - FIRST)),
  };
  for (size_t a = 0; a < PROTOCOL_AXES; a++)
    out->start[a] = protocol_get_float(words + (REGISTER_START_POSITION - FIRST) + 2 * a);
}

/* -- windows -- */

uint32_t protocol_window_crc(uint32_t profile, const uint16_t *words, size_t count)
{
  uint16_t head[2 + REGISTER_WINDOW_CRC]; /* profile id, offset, words */
  protocol_put_u32(head, profile);
  memcpy(head + 2, words, REGISTER_WINDOW_CRC * sizeof *words);
  return protocol_crc32(protocol_crc32(0, head, sizeof head / sizeof *head), words + REGISTER_WINDOW_DATA, count);
}

size_t protocol_window_encode(uint32_t profile, uint32_t offset, const uint16_t *data, size_t count, uint16_t *words)
{
  protocol_put_u32(words + REGISTER_WINDOW_OFFSET, offset);
  words[REGISTER_WINDOW_WORDS] = (uint16_t)count;
  memcpy(words + REGISTER_WINDOW_DATA, data, count * sizeof *data);
  protocol_put_u32(words + REGISTER_WINDOW_CRC, protocol_window_crc(profile, words, count));
  return PROTOCOL_WINDOW_HEADER + count;
}

/* -- identity -- */

static enum armdyn_status check_protocol(const uint16_t *words, struct armdyn_error *error)
{
  if (words[REGISTER_MAGIC] != PROTOCOL_MAGIC)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "no register protocol here: magic is 0x%04X, not 0x%04X",
                         words[REGISTER_MAGIC], PROTOCOL_MAGIC);
  if (words[REGISTER_VERSION] != PROTOCOL_VERSION)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller speaks version %u of the protocol, not %d",
                         words[REGISTER_VERSION], PROTOCOL_VERSION);
  float probe = protocol_get_float(words + REGISTER_PROBE);
  if (probe == PROTOCOL_PROBE) return ARMDYN_OK; /* exactly this float32, or the words are in another order */
  uint16_t swapped[2] = { words[REGISTER_PROBE + 1], words[REGISTER_PROBE] };
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s (the word-order probe reads %g, not %g)",
                       protocol_get_float(swapped) == PROTOCOL_PROBE ? "the controller sends the low word first"
                                                                     : "the controller's float32 are not readable",
                       (double)probe, (double)PROTOCOL_PROBE);
}

enum armdyn_status protocol_identity_decode(const uint16_t words[PROTOCOL_IDENTITY], unsigned base,
                                            struct controller_identity *out, struct armdyn_error *error)
{
  enum armdyn_status rc = check_protocol(words, error);
  if (rc) return rc;
  const struct controller_identity id = { .axes = words[REGISTER_AXES],
                                          .window_most = words[REGISTER_WINDOW_MOST],
                                          .places = words[REGISTER_PLACES],
                                          .abilities = words[REGISTER_ABILITIES],
                                          .samples_most = protocol_get_u32(words + REGISTER_SAMPLES_MOST),
                                          .instance = words[REGISTER_INSTANCE] };
  const struct {
    const char *what;
    unsigned value, most;
  } figures[] = { { "axes", id.axes, PROTOCOL_AXES },
                  { "words in a window", id.window_most, PROTOCOL_WINDOW_MOST },
                  { "window places", id.places, PROTOCOL_PLACES_MOST } };
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
    if (figures[i].value < 1 || figures[i].value > figures[i].most)
      return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller claims %u %s, not 1 to %u", figures[i].value,
                           figures[i].what, figures[i].most);
  if (base + protocol_span(id.places) > 65536)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "from base %u on there is no room for %u window places", base,
                         id.places);
  *out = id;
  return ARMDYN_OK;
}

/* -- looks -- */

#define AT(name) (REGISTER_##name - REGISTER_INSTANCE)

enum armdyn_status protocol_look_decode(const uint16_t words[PROTOCOL_LOOK], struct controller_state *out,
                                        struct armdyn_error *error)
{
  const uint16_t phase = words[AT(STATE)];
  if (phase >= PHASE_COUNT)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller claims state %u, not 0..%d", phase, PHASE_COUNT - 1);
  *out = (struct controller_state){
    .instance = words[AT(INSTANCE)],
    .acknowledged = words[AT(ACKNOWLEDGED)],
    .phase = (enum controller_phase)phase,
    .error = words[AT(ERROR)],
    .own_error = words[AT(OWN_ERROR)],
    .next_offset = protocol_get_u32(words + AT(NEXT_OFFSET)),
    .play_index = protocol_get_u32(words + AT(PLAY_INDEX)),
    .free_samples = protocol_get_u32(words + AT(FREE_SAMPLES)),
    .heartbeat = words[AT(HEARTBEAT_ECHO)],
    .crc = protocol_get_u32(words + AT(CRC_STORED)),
    .profile = protocol_get_u32(words + AT(PROFILE_ACTIVE)),
    .loss_policy = words[AT(LOSS_POLICY_ACTIVE)],
    .uptime_ms = protocol_get_u32(words + AT(UPTIME)),
    .check = protocol_get_u32(words + AT(CHECK_ACKNOWLEDGED)),
  };
  for (size_t a = 0; a < PROTOCOL_AXES; a++) out->position[a] = protocol_get_float(words + AT(POSITION) + 2 * a);
  memcpy(out->command, words + AT(COMMAND), sizeof out->command);
  return ARMDYN_OK;
}
