/* Register protocol: whatever a client writes, and whenever, the simulated controller's witness sees nothing that must
 * not happen, with a scan and without one; and the gateway's decoders survive any registers.
 *
 * The first byte is the scan in ms (0 to 7), the rest a list of steps, so that the fuzzer gets behind the checksums:
 *   'r' n bytes      n bytes as a raw request (function code and data)
 *   'b' f a n        the arguments of BEGIN: format, axis mask, n samples of zeros, and their CRC-32
 *   's' f a          the arguments of STREAM: format, axis mask
 *   'e'              the arguments that close a stream where it is
 *   'c' command      this command with the next number and a right check word, for the active profile
 *   'p' command      the same with profile id 0 and a wrong check word
 *   'w' place n      the next window in a place: n samples of zeros
 *   'h'              a heartbeat
 *   't' n            10 n milliseconds pass */
#include "server/simulator/modbus_server.h"
#include "tests/fuzz/fuzz.h"

enum { AXES = 3, TICKS_MOST = 3000, SAMPLES_MOST = 200, RING = 600, PLACES = 4 };

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

static void begin_arguments(struct protocol_command *c, struct input *in)
{
  static const uint16_t zeros[SAMPLES_MOST * 4 * AXES];
  unsigned axes = 0;
  *c = (struct protocol_command){ .period_us = 1000, .end_policy = 1, .loss_policy = 1 };
  c->format = (uint16_t)next(in);
  c->axis_mask = (uint16_t)next(in);
  c->total = next(in) % SAMPLES_MOST;
  for (unsigned a = 0; a < AXES; a++) axes += c->axis_mask >> a & 1u;
  c->crc = protocol_crc32(0, zeros, (size_t)c->total * protocol_sample_words(c->format, axes));
}

/* The simulator carries it out, or refuses it, at once or in its next scans. */
static void command(struct simulator *s, struct protocol_command *c, unsigned number, bool sound)
{
  uint16_t words[PROTOCOL_COMMAND];
  bool begins = number == COMMAND_BEGIN || number == COMMAND_STREAM;
  c->command = (enum controller_command)number;
  c->profile = !sound ? 0 : begins ? 7 : s->profile.id;
  c->number = (uint16_t)(s->acknowledged + 1);
  c->latest_ms = s->uptime_ms + 1000;
  protocol_command_encode(c, s->instance, words);
  if (!sound) words[REGISTER_CHECK - REGISTER_COMMAND] ^= 1;
  REQUIRE(simulator_write(s, REGISTER_COMMAND, PROTOCOL_COMMAND, words) == 0);
  if (s->options.scan_ms) return;
  bool taken = sound || number == COMMAND_STOP;
  REQUIRE((s->acknowledged == c->number) == taken);
}

static void send_window(struct simulator *s, unsigned place, unsigned samples)
{
  static const uint16_t zeros[PROTOCOL_WINDOW_MOST];
  uint16_t words[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  unsigned count = samples * s->profile.sample_words;
  if (count > PROTOCOL_WINDOW_MOST) count = PROTOCOL_WINDOW_MOST;
  size_t registers = protocol_window_encode(s->profile.id, s->next, zeros, count, words);
  REQUIRE(simulator_write(s, PROTOCOL_PLACES + (size_t)(place % PLACES) * PROTOCOL_PLACE_STRIDE, registers, words) ==
          0);
}

static void beat(struct simulator *s)
{
  uint16_t words[3] = { (uint16_t)(s->heartbeat + 1) };
  protocol_put_u32(words + 1, s->profile.id);
  REQUIRE(simulator_write(s, REGISTER_HEARTBEAT, 3, words) == 0);
}

static void decode_anything(const uint8_t *data, size_t size)
{
  uint16_t words[PROTOCOL_LOOK] = { 0 };
  struct controller_identity identity;
  struct controller_state state;
  memcpy(words, data, size < sizeof words ? size : sizeof words);
  if (!protocol_identity_decode(words, PROTOCOL_BASE, &identity, NULL))
    REQUIRE(identity.axes >= 1 && identity.axes <= PROTOCOL_AXES && identity.window_most <= PROTOCOL_WINDOW_MOST &&
            identity.places >= 1 && identity.places <= PROTOCOL_PLACES_MOST);
  if (!protocol_look_decode(words, &state, NULL)) REQUIRE((unsigned)state.phase < PHASE_COUNT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct input in = { data, data + size };
  struct simulator_options options = { .axes = AXES, .samples_most = SAMPLES_MOST, .ring = RING, .formats = 7 };
  options.places = PLACES;
  options.scan_ms = (int)(next(&in) & 7);
  struct simulator s;
  struct modbus_server server = { .simulator = &s, .base = PROTOCOL_BASE };
  struct protocol_command c = { .command = COMMAND_BEGIN };
  int ticks = 0;
  decode_anything(data, size);
  REQUIRE(!simulator_init(&s, &options));
  while (in.at < in.end) {
    switch (next(&in)) {
    case 'r': raw(&server, &in); break;
    case 'b': begin_arguments(&c, &in); break;
    case 's':
      c = (struct protocol_command){ .period_us = 1000, .end_policy = 1, .loss_policy = 1 };
      c.format = (uint16_t)next(&in);
      c.axis_mask = (uint16_t)next(&in);
      break;
    case 'e': c.total = s.next, c.crc = s.crc; break;
    case 'c': command(&s, &c, next(&in), true); break;
    case 'p': command(&s, &c, next(&in), false); break;
    case 'w': {
      unsigned place = next(&in);
      send_window(&s, place, next(&in));
      break;
    }
    case 'h': beat(&s); break;
    case 't':
      for (unsigned n = 10 * next(&in); n && ticks < TICKS_MOST; n--, ticks++) simulator_tick(&s);
    }
    REQUIRE(s.witness.violations == 0 && s.witness.phase == s.phase);
  }
  simulator_release(&s);
  return 0;
}
