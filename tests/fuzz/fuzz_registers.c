/* Register protocol: whatever a client writes, and whenever, the simulated controller's witness sees nothing that must
 * not happen; and the gateway's decoders survive any registers.
 *
 * The input is a list of steps, so that the fuzzer gets behind the checksums:
 *   'r' n bytes    n bytes as a raw request (function code and data)
 *   'b' f a n      the arguments of BEGIN: format, axis mask, n samples of zeros, and their CRC-32
 *   's' f a        the arguments of STREAM: format, axis mask
 *   'e'            the arguments that close a stream where it is
 *   'c' command    ring with this command and the next sequence number
 *   'w' n          the next window: n samples of zeros
 *   't' n          10 n milliseconds pass */
#include "server/simulator/modbus_server.h"
#include "tests/fuzz/fuzz.h"

enum { AXES = 3, TICKS_MOST = 3000, SAMPLES_MOST = 200, RING = 600 };

struct input {
  const uint8_t *at, *end;
};

static unsigned next(struct input *in)
{
  return in->at < in->end ? *in->at++ : 0;
}

static void raw(struct modbus_server *server, struct input *in)
{
  unsigned char request[253], answer[260];
  size_t length = next(in);
  if (length > (size_t)(in->end - in->at)) length = (size_t)(in->end - in->at);
  if (length > sizeof request) length = sizeof request;
  memcpy(request, in->at, length);
  in->at += length;
  size_t answered = modbus_answer(server, request, length, answer);
  REQUIRE(answered <= 253 && (answered >= 2 || length == 0));
}

static void write_begin(struct simulator *s, struct input *in)
{
  static const uint16_t zeros[SAMPLES_MOST * 4 * AXES];
  uint16_t words[REGISTERS_ARGUMENTS] = { COMMAND_BEGIN, 0, 0, 7 };
  unsigned format = next(in), mask = next(in), total = next(in) % SAMPLES_MOST, axes = 0;
  for (unsigned a = 0; a < AXES; a++) axes += mask >> a & 1;
  words[5] = (uint16_t)total;
  words[7] = 1000;
  words[8] = (uint16_t)format;
  words[9] = (uint16_t)mask;
  words[10] = words[11] = 1;
  words_put_u32(words + 12, crc32_words(0, zeros, (size_t)total * sample_words(format, axes)));
  REQUIRE(simulator_write(s, REGISTER_COMMAND, REGISTERS_ARGUMENTS, words) == 0);
}

static void write_stream(struct simulator *s, struct input *in)
{
  uint16_t words[REGISTERS_ARGUMENTS] = { COMMAND_STREAM, 0, 0, 8 };
  words[7] = 1000;
  words[8] = (uint16_t)next(in);
  words[9] = (uint16_t)next(in);
  words[10] = words[11] = 1;
  REQUIRE(simulator_write(s, REGISTER_COMMAND, REGISTERS_ARGUMENTS, words) == 0);
}

static void write_end(struct simulator *s)
{
  uint16_t words[2];
  words_put_u32(words, s->next);
  REQUIRE(simulator_write(s, REGISTER_TOTAL, 2, words) == 0);
  words_put_u32(words, s->crc);
  REQUIRE(simulator_write(s, REGISTER_CRC, 2, words) == 0);
}

static void ring(struct simulator *s, unsigned command)
{
  uint16_t word = (uint16_t)command, sequence = (uint16_t)(s->acknowledged + 1);
  REQUIRE(simulator_write(s, REGISTER_COMMAND, 1, &word) == 0);
  REQUIRE(simulator_write(s, REGISTER_SEQUENCE, 1, &sequence) == 0);
  REQUIRE(s->acknowledged == sequence);
}

static void send_window(struct simulator *s, unsigned samples)
{
  static const uint16_t zeros[REGISTERS_WINDOW];
  uint16_t words[REGISTERS_WINDOW_HEADER + REGISTERS_WINDOW];
  unsigned count = samples * s->profile.sample_words;
  if (count > REGISTERS_WINDOW) count = REGISTERS_WINDOW;
  REQUIRE(simulator_write(s, REGISTER_WINDOW_OFFSET, window_encode(s->next, zeros, count, words), words) == 0);
}

static void decode_anything(const uint8_t *data, size_t size)
{
  uint16_t words[REGISTERS_STATE] = { 0 };
  struct controller_identity identity;
  struct controller_state state;
  memcpy(words, data, size < sizeof words ? size : sizeof words);
  if (!controller_identity_decode(words, &identity, NULL))
    REQUIRE(identity.axes >= 1 && identity.axes <= REGISTERS_AXES && identity.window_most <= REGISTERS_WINDOW);
  if (!controller_state_decode(words, &state, NULL)) REQUIRE((unsigned)state.phase < PHASE_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const struct simulator_options options = { .axes = AXES, .samples_most = SAMPLES_MOST, .ring = RING, .formats = 7 };
  struct simulator s;
  struct modbus_server server = { .simulator = &s, .base = REGISTERS_BASE };
  struct input in = { data, data + size };
  int ticks = 0;
  decode_anything(data, size);
  REQUIRE(!simulator_init(&s, &options));
  while (in.at < in.end) {
    switch (next(&in)) {
    case 'r': raw(&server, &in); break;
    case 'b': write_begin(&s, &in); break;
    case 's': write_stream(&s, &in); break;
    case 'e': write_end(&s); break;
    case 'c': ring(&s, next(&in)); break;
    case 'w': send_window(&s, next(&in)); break;
    case 't':
      for (unsigned n = 10 * next(&in); n && ticks < TICKS_MOST; n--, ticks++) simulator_tick(&s);
    }
    REQUIRE(s.witness.violations == 0 && s.witness.phase == s.phase);
  }
  simulator_release(&s);
  return 0;
}
