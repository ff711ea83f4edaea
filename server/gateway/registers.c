#include "server/gateway/registers.h"

#define ROW_BY(writer)  BY_##writer
#define ROW_TYPE(type)  REGISTER_##type
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

const struct register_row register_rows[] = {
#define X(name, offset, count, writer, type, title, meaning)                                                           \
  { offset, count, ROW_BY(writer), ROW_TYPE(type), title, meaning },
  REGISTER_LIST(X)
#undef X
};
const size_t register_row_count = COUNT_OF(register_rows);

const char *controller_command_name(enum controller_command command)
{
  static const char *const names[] = { "none", "BEGIN",  "COMMIT", "ARM",   "START",
                                       "HOLD", "RESUME", "STOP",   "CLEAR", "STREAM" };
  return (unsigned)command < COUNT_OF(names) ? names[command] : "unknown";
}

const char *controller_phase_name(enum controller_phase phase)
{
  static const char *const names[PHASE_COUNT] = { "empty",   "loading", "ready", "armed",
                                                  "playing", "holding", "done",  "fault" };
  return (unsigned)phase < PHASE_COUNT ? names[phase] : "unknown";
}

const char *controller_error_text(unsigned error)
{
  static const char *const texts[CONTROLLER_ERROR_COUNT] = { "no error",
                                                             "command not allowed in this state",
                                                             "format not offered",
                                                             "profile too long",
                                                             "CRC-32 does not match",
                                                             "torque above the limit",
                                                             "torque rate above the limit",
                                                             "arm is not at the start position",
                                                             "underrun",
                                                             "heartbeat lost",
                                                             "window refused",
                                                             "axes not offered",
                                                             "internal error" };
  return error < CONTROLLER_ERROR_COUNT ? texts[error] : "unknown error";
}

unsigned sample_words(unsigned format, unsigned axes)
{
  static const unsigned words[FORMAT_END] = { 0, 1, 2, 4 };
  return format < FORMAT_END ? words[format] * axes : 0;
}

void words_put_u32(uint16_t *words, uint32_t value)
{
  words[0] = (uint16_t)(value >> 16);
  words[1] = (uint16_t)value;
}

uint32_t words_get_u32(const uint16_t *words)
{
  return (uint32_t)words[0] << 16 | words[1];
}

void words_put_float(uint16_t *words, float value)
{
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  words_put_u32(words, bits);
}

float words_get_float(const uint16_t *words)
{
  uint32_t bits = words_get_u32(words);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Both CRCs four bits at a time: a table of 16 that needs no start-up. Reflected polynomials 0xEDB88320 and 0xA001. */
static uint32_t crc32_byte(uint32_t crc, unsigned byte)
{
  static const uint32_t table[16] = { 0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
                                      0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                      0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C };
  crc ^= byte;
  crc = crc >> 4 ^ table[crc & 15];
  return crc >> 4 ^ table[crc & 15];
}

uint32_t crc32_bytes(uint32_t crc, const void *bytes, size_t length)
{
  const unsigned char *at = bytes;
  crc = ~crc;
  for (size_t i = 0; i < length; i++) crc = crc32_byte(crc, at[i]);
  return ~crc;
}

uint32_t crc32_words(uint32_t crc, const uint16_t *words, size_t count)
{
  crc = ~crc;
  for (size_t i = 0; i < count; i++) crc = crc32_byte(crc32_byte(crc, words[i] >> 8), words[i] & 255u);
  return ~crc;
}

static uint16_t crc16_byte(uint16_t crc, unsigned byte)
{
  static const uint16_t table[16] = { 0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401,
                                      0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400 };
  crc = (uint16_t)(crc ^ byte);
  crc = (uint16_t)(crc >> 4 ^ table[crc & 15]);
  return (uint16_t)(crc >> 4 ^ table[crc & 15]);
}

uint16_t crc16_bytes(uint16_t crc, const void *bytes, size_t length)
{
  const unsigned char *at = bytes;
  for (size_t i = 0; i < length; i++) crc = crc16_byte(crc, at[i]);
  return crc;
}

uint16_t crc16_words(uint16_t crc, const uint16_t *words, size_t count)
{
  for (size_t i = 0; i < count; i++) crc = crc16_byte(crc16_byte(crc, words[i] >> 8), words[i] & 255u);
  return crc;
}

uint16_t window_crc(const uint16_t *words, size_t count)
{
  uint16_t crc = crc16_words(0xFFFF, words, 3); /* the CRC's own register is left out */
  return crc16_words(crc, words + REGISTERS_WINDOW_HEADER, count);
}

size_t window_encode(uint32_t offset, const uint16_t *data, size_t count, uint16_t *words)
{
  words_put_u32(words, offset);
  words[2] = (uint16_t)count;
  memcpy(words + REGISTERS_WINDOW_HEADER, data, count * sizeof *data);
  words[3] = window_crc(words, count);
  return REGISTERS_WINDOW_HEADER + count;
}

enum armdyn_status controller_identity_decode(const uint16_t words[REGISTERS_IDENTITY], struct controller_identity *out,
                                              struct armdyn_error *error)
{
  if (words[REGISTER_MAGIC] != REGISTERS_MAGIC)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "no register protocol here: magic is 0x%04X, not 0x%04X",
                         words[REGISTER_MAGIC], REGISTERS_MAGIC);
  if (words[REGISTER_VERSION] != REGISTERS_VERSION)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller speaks version %u of the protocol, not %d",
                         words[REGISTER_VERSION], REGISTERS_VERSION);

  float probe = words_get_float(words + REGISTER_PROBE);
  if (probe != REGISTERS_PROBE) { /* exactly this float32, or the words are in another order */
    uint16_t swapped[2] = { words[REGISTER_PROBE + 1], words[REGISTER_PROBE] };
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s (the word-order probe reads %g, not %g)",
                         words_get_float(swapped) == REGISTERS_PROBE ? "the controller sends the low word first"
                                                                     : "the controller's float32 are not readable",
                         (double)probe, (double)REGISTERS_PROBE);
  }

  out->axes = words[REGISTER_AXES];
  out->samples_most = words_get_u32(words + REGISTER_SAMPLES_MOST);
  out->window_most = words[REGISTER_WINDOW_MOST];
  out->formats = words[REGISTER_FORMATS] & ~(unsigned)(REGISTERS_SIMULATED | REGISTERS_MEASURES);
  out->simulated = words[REGISTER_FORMATS] & REGISTERS_SIMULATED;
  out->measures = words[REGISTER_FORMATS] & REGISTERS_MEASURES;
  out->instance = words[REGISTER_INSTANCE];
  if (out->axes < 1 || out->axes > REGISTERS_AXES)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller claims %u axes, not 1..%d", out->axes,
                         REGISTERS_AXES);
  if (out->window_most < 1 || out->window_most > REGISTERS_WINDOW)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller claims windows of %u words, not 1..%d",
                         out->window_most, REGISTERS_WINDOW);
  return ARMDYN_OK;
}

enum armdyn_status controller_state_decode(const uint16_t words[REGISTERS_STATE], struct controller_state *out,
                                           struct armdyn_error *error)
{
  const uint16_t phase = words[REGISTER_STATE - REGISTER_ACKNOWLEDGED];
  if (phase >= PHASE_COUNT)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the controller claims state %u, not 0..%d", phase, PHASE_COUNT - 1);
  *out = (struct controller_state){
    .acknowledged = words[0],
    .phase = (enum controller_phase)phase,
    .error = words[REGISTER_ERROR - REGISTER_ACKNOWLEDGED],
    .next_offset = words_get_u32(words + (REGISTER_NEXT_OFFSET - REGISTER_ACKNOWLEDGED)),
    .play_index = words_get_u32(words + (REGISTER_PLAY_INDEX - REGISTER_ACKNOWLEDGED)),
    .free_samples = words_get_u32(words + (REGISTER_FREE_SAMPLES - REGISTER_ACKNOWLEDGED)),
    .heartbeat = words[REGISTER_HEARTBEAT_ECHO - REGISTER_ACKNOWLEDGED],
    .crc = words_get_u32(words + (REGISTER_CRC_COMPUTED - REGISTER_ACKNOWLEDGED)),
    .profile = words_get_u32(words + (REGISTER_PROFILE_ACTIVE - REGISTER_ACKNOWLEDGED)),
    .loss_policy = words[REGISTER_LOSS_POLICY_ACTIVE - REGISTER_ACKNOWLEDGED],
  };
  return ARMDYN_OK;
}
