#include "server/simulator/controller.h"

#include <math.h>

#include "server/simulator/commands.h"
#include "server/simulator/play.h"

enum {
  UPTIME_FIRST = -10000, /* the clock wraps 10 s after every start: whoever tries a program on this meets that */
  TORN_EVERY = 61        /* writes of several registers; of one of them a scan sees the first half alone */
};

enum armdyn_status simulator_init(struct simulator *s, const struct simulator_options *options)
{
  *s = (struct simulator){ .options = *options,
                           .instance = options->instance,
                           .uptime_ms = (uint32_t)UPTIME_FIRST,
                           .timing = { .ahead_least_us = INFINITY } };
  enum armdyn_status rc = arm_init(&s->arm, options->robot, options->axes);
  if (rc) return rc;
  if (!options->position) return ARMDYN_OK;
  arm_place(&s->arm, options->position);
  s->placed = true;
  return ARMDYN_OK;
}

void simulator_release(struct simulator *s)
{
  arm_release(&s->arm);
  free(s->data);
  s->data = NULL;
}

void simulator_restart(struct simulator *s)
{
  simulator_forget(s);
  memset(s->bank, 0, sizeof s->bank);
  memset(s->input, 0, sizeof s->input);
  s->torn.count = 0;
  s->phase = PHASE_EMPTY;
  s->acknowledged = s->error = s->own_error = s->heartbeat = s->epoch = 0;
  s->check = 0;
  s->uptime_ms = (uint32_t)UPTIME_FIRST;
  s->brake = GO_ON;
  s->pace = 0;
  s->instance++;
  witness_restart(&s->witness);
}

/* -- windows -- */

static uint32_t free_samples(const struct simulator *s)
{
  if (!s->profile.streamed) return s->profile.total - s->next;
  uint32_t at = simulator_play_index(s), kept = s->traced < at ? s->traced : at;
  return s->room - (s->next - kept);
}

static bool takes_windows(const struct simulator *s)
{
  if (s->commit.running) return false;
  return s->phase == PHASE_LOADING ||
         (s->profile.open && (s->phase == PHASE_ARMED || s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING));
}

/* The samples of a sound window at their place, read back for the checksum of a stream, which is checked as it comes. */
static unsigned store_samples(struct simulator *s, const uint16_t *words, uint32_t samples)
{
  unsigned per_sample = s->profile.sample_words;
  for (uint32_t k = 0; k < samples; k++) {
    uint16_t *at = simulator_sample(s, s->next + k);
    memcpy(at, words + (size_t)k * per_sample, per_sample * sizeof *words);
    if (s->options.stores_zeros) memset(at, 0, per_sample * sizeof *words);
  }
  unsigned error = s->profile.streamed ? simulator_check_torques(s, s->next, s->next + samples) : CONTROLLER_OK;
  if (error) return error;
  for (uint32_t k = 0; s->profile.streamed && k < samples; k++)
    s->crc = protocol_crc32(s->crc, simulator_sample(s, s->next + k), per_sample);
  s->next += samples;
  return CONTROLLER_OK;
}

/* The window in a place, copied first: taken (true) when it is the next one, and sound. */
static bool take_window(struct simulator *s, const uint16_t *place)
{
  if (protocol_get_u32(place + REGISTER_WINDOW_OFFSET) != s->next) return false;
  unsigned words = place[REGISTER_WINDOW_WORDS], per_sample = s->profile.sample_words;
  uint16_t copy[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  if (!words || words > PROTOCOL_WINDOW_MOST) return false;
  memcpy(copy, place, sizeof copy);
  if (protocol_get_u32(copy + REGISTER_WINDOW_CRC) != protocol_window_crc(s->profile.id, copy, words)) return false;
  uint32_t samples = words / per_sample;
  bool beyond = !s->profile.streamed && samples > s->profile.total - s->next;
  if (words % per_sample || beyond) {
    s->own_error = CONTROLLER_WINDOW;
    return false;
  }
  if (samples > free_samples(s)) return false; /* of a stream: it stays in its place until there is room */
  unsigned error = store_samples(s, copy + REGISTER_WINDOW_DATA, samples);
  if (error) s->own_error = (uint16_t)error;
  return !error;
}

static void take_windows(struct simulator *s, const uint16_t *registers)
{
  const uint16_t *places = registers + PROTOCOL_PLACES;
  for (unsigned taken = 0; taken < s->options.places && takes_windows(s); taken++) {
    unsigned k = 0;
    while (k < s->options.places && !take_window(s, places + (size_t)k * PROTOCOL_PLACE_STRIDE)) k++;
    if (k == s->options.places) return;
  }
}

/* -- the program -- */

static void hear_heartbeat(struct simulator *s, const uint16_t *registers)
{
  if (s->heartbeat == registers[REGISTER_HEARTBEAT]) return;
  s->heartbeat = registers[REGISTER_HEARTBEAT];
  if (!s->profile.id || protocol_get_u32(registers + REGISTER_HEARTBEAT_PROFILE) != s->profile.id) return;
  bool watched = s->phase == PHASE_ARMED || s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING;
  int age = s->heartbeat_age < PROTOCOL_BEAT_MOST_MS ? s->heartbeat_age : PROTOCOL_BEAT_MOST_MS;
  if (watched) s->timing.beats[age]++;
  s->heartbeat_age = 0;
}

static void run_program(struct simulator *s, const uint16_t *registers)
{
  hear_heartbeat(s, registers);
  take_windows(s, registers);
  simulator_take_command(s, registers + REGISTER_COMMAND);
  simulator_go_on_with_commit(s);
}

/* What the controller writes; the acknowledgement last. */
static void publish(struct simulator *s)
{
  uint16_t *w = s->bank;
  unsigned abilities = s->options.formats | ABILITY_STREAM | ABILITY_HOLD | ABILITY_EPOCHS | ABILITY_SIMULATOR;
  if (!s->options.blind) abilities |= ABILITY_MEASURES;
  if (!s->options.scan_ms) abilities |= ABILITY_AT_ONCE;
  w[REGISTER_VERSION] = PROTOCOL_VERSION;
  w[REGISTER_AXES] = (uint16_t)s->arm.axes;
  protocol_put_u32(w + REGISTER_SAMPLES_MOST, s->options.samples_most);
  w[REGISTER_WINDOW_MOST] = PROTOCOL_WINDOW_MOST;
  w[REGISTER_ABILITIES] = (uint16_t)abilities;
  protocol_put_float(w + REGISTER_PROBE, PROTOCOL_PROBE);
  w[REGISTER_INSTANCE] = s->instance;
  w[REGISTER_PLACES] = (uint16_t)s->options.places;
  w[REGISTER_STATE] = (uint16_t)s->phase;
  w[REGISTER_ERROR] = s->error;
  protocol_put_u32(w + REGISTER_NEXT_OFFSET, s->next);
  protocol_put_u32(w + REGISTER_PLAY_INDEX, s->commit.running ? s->commit.checked : simulator_play_index(s));
  protocol_put_u32(w + REGISTER_FREE_SAMPLES, free_samples(s));
  w[REGISTER_HEARTBEAT_ECHO] = s->heartbeat;
  protocol_put_u32(w + REGISTER_CRC_STORED, s->options.wrong_crc ? ~s->crc : s->crc);
  protocol_put_u32(w + REGISTER_PROFILE_ACTIVE, s->profile.id);
  w[REGISTER_LOSS_POLICY_ACTIVE] = (uint16_t)s->profile.loss_policy;
  protocol_put_u32(w + REGISTER_UPTIME, s->uptime_ms);
  w[REGISTER_OWN_ERROR] = s->own_error;
  protocol_put_u32(w + REGISTER_CHECK_ACKNOWLEDGED, s->check);
  uint16_t *measured = w + PROTOCOL_PLACES + (size_t)s->options.places * PROTOCOL_PLACE_STRIDE;
  protocol_put_u32(measured + REGISTER_MEASURED_TIME, (uint32_t)(uint64_t)s->play_us);
  for (size_t a = 0; a < s->arm.axes; a++) {
    protocol_put_float(w + REGISTER_POSITION + 2 * a, (float)s->arm.q[a]);
    protocol_put_float(measured + REGISTER_MEASURED_POSITION + 2 * a, (float)s->arm.q[a]);
    protocol_put_float(measured + REGISTER_MEASURED_TORQUE + 2 * a, (float)s->arm.tau[a]);
  }
  w[REGISTER_ACKNOWLEDGED] = s->acknowledged;
  w[REGISTER_MAGIC] = PROTOCOL_MAGIC;
}

static void see_registers(struct simulator *s)
{
  memcpy(s->input, s->bank, sizeof s->input);
  memcpy(s->input + s->torn.offset, s->torn.words, s->torn.count * sizeof *s->input);
  s->torn.count = 0;
}

void simulator_tick(struct simulator *s)
{
  int ms = s->options.scan_ms;
  if (ms && ++s->scan_age < ms) return;
  s->scan_age = 0;
  if (ms) {
    see_registers(s);
    run_program(s, s->input);
  }
  for (int k = 0; k < (ms ? ms : 1); k++) {
    s->uptime_ms++;
    simulator_play(s);
  }
  if (ms) publish(s);
}

/* -- the network -- */

static bool is_gateways(const struct simulator *s, size_t offset, size_t count)
{
  size_t end = offset + count, places_end = PROTOCOL_PLACES + (size_t)s->options.places * PROTOCOL_PLACE_STRIDE;
  return (offset >= REGISTER_HEARTBEAT && end <= REGISTER_ACKNOWLEDGED) ||
         (offset >= PROTOCOL_PLACES && end <= places_end);
}

int simulator_write(struct simulator *s, size_t offset, size_t count, const uint16_t *words)
{
  if (!is_gateways(s, offset, count)) return 2;
  if (s->options.scan_ms && count > 1 && ++s->writes_to_blocks % TORN_EVERY == 0) {
    size_t half = count / 2;
    s->torn.offset = (uint16_t)(offset + half);
    s->torn.count = (uint16_t)(count - half);
    memcpy(s->torn.words, s->bank + offset + half, s->torn.count * sizeof *words);
  }
  memcpy(s->bank + offset, words, count * sizeof *words);
  s->registers_written += count;
  if (!s->options.scan_ms) run_program(s, s->bank);
  return 0;
}

int simulator_read(struct simulator *s, size_t offset, size_t count, uint16_t *words)
{
  size_t span = protocol_span(s->options.places);
  if (offset >= span || count > span - offset) return 2;
  if (!s->options.scan_ms) publish(s);
  memcpy(words, s->bank + offset, count * sizeof *words);
  return 0;
}
