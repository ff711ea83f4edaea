#include <math.h>

#include "server/simulator/controller.h"
#include "server/simulator/play.h"

static const double start_tolerance = 0.05;  /* rad, m: how far from the start position ARM is still taken */
static const double stream_ahead_us = 0.5e6; /* of an open stream, before it may play */

enum armdyn_status simulator_init(struct simulator *s, const struct simulator_options *options)
{
  *s = (struct simulator){ .options = *options, .instance = 1, .timing = { .ahead_least_us = INFINITY } };
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

/* All of a download is there and is what was asked for; enough of an open stream, and all of a closed one, whose older
 * samples are overwritten. */
static bool whole(const struct simulator *s)
{
  if (s->profile.open) return s->data && simulator_ahead_us(s) >= stream_ahead_us;
  if (s->profile.streamed) return s->data && s->next == s->profile.total && s->crc == s->profile.crc;
  return s->data && s->next == s->profile.total &&
         crc32_words(0, s->data, (size_t)s->next * s->profile.sample_words) == s->profile.crc;
}

void simulator_change(struct simulator *s, enum controller_phase to, int cause)
{
  witness_change(&s->witness, to, cause, whole(s));
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
}

void simulator_restart(struct simulator *s)
{
  simulator_forget(s);
  memset(s->written, 0, sizeof s->written);
  s->phase = PHASE_EMPTY;
  s->acknowledged = s->error = s->heartbeat = 0;
  s->brake = GO_ON;
  s->pace = 0;
  s->instance++;
  witness_restart(&s->witness);
}

/* -- commands: each answers an error of the list, and changes nothing when it does -- */

static unsigned begin_any(struct simulator *s, bool streamed)
{
  const uint16_t *w = s->written;
  struct simulator_profile p = {
    .streamed = streamed,
    .open = streamed,
    .id = words_get_u32(w + REGISTER_PROFILE),
    .total = words_get_u32(w + REGISTER_TOTAL),
    .period_us = words_get_u32(w + REGISTER_PERIOD),
    .crc = words_get_u32(w + REGISTER_CRC),
    .format = w[REGISTER_FORMAT],
    .end_policy = w[REGISTER_END_POLICY],
    .loss_policy = w[REGISTER_LOSS_POLICY],
  };
  unsigned mask = w[REGISTER_AXIS_MASK];
  if (!mask || mask >> s->arm.axes) return CONTROLLER_AXES;
  for (unsigned a = 0; a < s->arm.axes; a++)
    if (mask >> a & 1) p.axis[p.axes++] = (uint8_t)a;
  p.sample_words = sample_words(p.format, p.axes);
  if (!p.sample_words || !(s->options.formats >> (p.format - 1) & 1) || p.sample_words > REGISTERS_WINDOW ||
      p.period_us < 100 || p.period_us > 1000000)
    return CONTROLLER_FORMAT;
  if (p.end_policy < END_HOLD || p.end_policy > END_ZERO_TORQUE || p.loss_policy < LOSS_STOP ||
      p.loss_policy > LOSS_FINISH)
    return CONTROLLER_FORMAT;
  if (streamed ? p.total != 0 : !p.total || p.total > s->options.samples_most) return CONTROLLER_TOO_LONG;
  uint32_t room = streamed ? s->options.ring : p.total;
  for (unsigned a = 0; a < p.axes; a++) {
    p.start[a] = words_get_float(w + REGISTER_START_POSITION + 2 * p.axis[a]);
    if (!isfinite(p.start[a])) return CONTROLLER_START_POSITION;
  }

  uint16_t *data = malloc((size_t)room * p.sample_words * sizeof *data);
  if (!data) return CONTROLLER_INTERNAL;
  simulator_forget(s);
  s->data = data;
  s->room = room;
  s->profile = p;
  s->profiles++;
  return CONTROLLER_OK;
}

static void place_at_start(struct simulator *s)
{
  double q[ARMDYN_JOINTS_MAX] = { 0 };
  if (s->placed) return;
  for (unsigned a = 0; a < s->profile.axes; a++) q[s->profile.axis[a]] = (double)s->profile.start[a];
  arm_place(&s->arm, q);
  s->placed = true;
}

static unsigned begin(struct simulator *s)
{
  return begin_any(s, false);
}

static unsigned stream(struct simulator *s)
{
  unsigned error = begin_any(s, true);
  if (!error) place_at_start(s);
  return error;
}

/* |torque| and its rate in samples from .. to - 1, compared in float32 as they came. */
static unsigned check_torques(const struct simulator *s, uint32_t from, uint32_t to)
{
  const struct simulator_profile *p = &s->profile;
  for (uint32_t k = from; k < to; k++)
    for (unsigned a = 0; a < p->axes; a++) {
      double tau = simulator_torque(s, k, a);
      double most = simulator_torque_most(s, p->axis[a]), rate = simulator_rate_most(s, p->axis[a]);
      if (!(fabs(tau) <= most * (1 + 1e-6))) return CONTROLLER_TORQUE;
      if (!k) continue;
      double step = fabs(tau - simulator_torque(s, k - 1, a));
      if (!(step <= rate * p->period_us * 1e-6 + 1e-6 * most)) return CONTROLLER_TORQUE_RATE;
    }
  return CONTROLLER_OK;
}

/* The end of a stream is told by the arguments of COMMIT; its samples were checked one by one as they came. */
static unsigned commit_stream(struct simulator *s)
{
  struct simulator_profile closed = s->profile;
  closed.open = false;
  closed.total = words_get_u32(s->written + REGISTER_TOTAL);
  closed.crc = words_get_u32(s->written + REGISTER_CRC);
  if (!closed.total || closed.total != s->next || closed.crc != s->crc || s->options.wrong_crc) return CONTROLLER_CRC;
  s->profile = closed;
  return CONTROLLER_OK;
}

static unsigned commit(struct simulator *s)
{
  if (s->profile.streamed) return s->profile.open ? commit_stream(s) : CONTROLLER_NOT_ALLOWED;
  if (!whole(s) || s->options.wrong_crc) return CONTROLLER_CRC;
  unsigned error = check_torques(s, 0, s->profile.total);
  if (!error) place_at_start(s);
  return error;
}

static unsigned arm_command(struct simulator *s)
{
  if (!whole(s)) return s->profile.streamed ? CONTROLLER_UNDERRUN : CONTROLLER_NOT_ALLOWED;
  for (unsigned a = 0; a < s->profile.axes; a++)
    if (!(fabs(s->arm.q[s->profile.axis[a]] - (double)s->profile.start[a]) <= start_tolerance))
      return CONTROLLER_START_POSITION;
  s->heartbeat_age = 0;
  return CONTROLLER_OK;
}

static unsigned start(struct simulator *s)
{
  s->starts++;
  simulator_play_from_start(s);
  return CONTROLLER_OK;
}

static unsigned hold(struct simulator *s)
{
  simulator_brake(s, BRAKE_TO_HOLD);
  return CONTROLLER_OK;
}

static unsigned resume(struct simulator *s)
{
  if (s->brake == BRAKE_TO_EMPTY || s->brake == BRAKE_TO_FAULT) return CONTROLLER_NOT_ALLOWED;
  if (!whole(s)) return CONTROLLER_UNDERRUN;
  s->brake = GO_ON;
  return CONTROLLER_OK;
}

static unsigned stop(struct simulator *s)
{
  bool moving = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING;
  if (moving)
    simulator_brake(s, BRAKE_TO_EMPTY);
  else if (s->phase != PHASE_FAULT)
    simulator_forget(s);
  return CONTROLLER_OK;
}

static unsigned clear(struct simulator *s)
{
  simulator_forget(s);
  return CONTROLLER_OK;
}

#define IN(phase) (1u << PHASE_##phase)
enum { STAYS = -1 };

/* Where a command is allowed (in a stream elsewhere too), and where it leads. STOP leads on by itself from where the arm
 * moves; COMMIT of a stream that is beyond LOADING changes no state. */
static const struct command_row {
  unsigned (*run)(struct simulator *s);
  unsigned allowed;
  int leads_to;
  unsigned in_streams;
} commands[] = {
  [COMMAND_BEGIN] = { begin, IN(EMPTY) | IN(LOADING) | IN(READY) | IN(DONE), PHASE_LOADING, 0 },
  [COMMAND_COMMIT] = { commit, IN(LOADING), PHASE_READY, IN(ARMED) | IN(PLAYING) | IN(HOLDING) },
  [COMMAND_ARM] = { arm_command, IN(READY), PHASE_ARMED, IN(LOADING) },
  [COMMAND_START] = { start, IN(ARMED), PHASE_PLAYING, 0 },
  [COMMAND_HOLD] = { hold, IN(PLAYING), PHASE_HOLDING, 0 },
  [COMMAND_RESUME] = { resume, IN(HOLDING), PHASE_PLAYING, 0 },
  [COMMAND_STOP] = { stop, ~0u, STAYS, 0 },
  [COMMAND_CLEAR] = { clear, IN(EMPTY) | IN(LOADING) | IN(READY) | IN(DONE) | IN(FAULT), PHASE_EMPTY, 0 },
  [COMMAND_STREAM] = { stream, IN(EMPTY) | IN(LOADING) | IN(READY) | IN(DONE), PHASE_LOADING, 0 },
};

static int leads_to(const struct simulator *s, unsigned command)
{
  bool moving = s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING;
  if (command == COMMAND_STOP && s->phase == PHASE_FAULT) return PHASE_FAULT;
  if (command == COMMAND_STOP) return moving ? PHASE_HOLDING : PHASE_EMPTY;
  if (command == COMMAND_COMMIT && s->phase != PHASE_LOADING) return (int)s->phase;
  return commands[command].leads_to;
}

static bool allowed(const struct simulator *s, const struct command_row *row)
{
  return (row->allowed | (s->profile.streamed ? row->in_streams : 0)) >> s->phase & 1;
}

static void run_command(struct simulator *s, uint16_t sequence)
{
  unsigned command = s->written[REGISTER_COMMAND];
  if (sequence == s->acknowledged) return; /* a repeated number is acknowledged again, never carried out again */
  s->acknowledged = sequence;
  const struct command_row *row = command < sizeof commands / sizeof *commands ? &commands[command] : NULL;
  if (!row || !row->run || !allowed(s, row)) {
    s->error = CONTROLLER_NOT_ALLOWED;
    witness_refusal(&s->witness, sequence);
    return;
  }
  int to = leads_to(s, command);
  unsigned error = row->run(s);
  if (error) {
    s->error = (uint16_t)error;
    witness_refusal(&s->witness, sequence);
    return;
  }
  if (s->phase != PHASE_FAULT || command == COMMAND_CLEAR) s->error = CONTROLLER_OK;
  witness_command(&s->witness, command, sequence);
  simulator_change(s, (enum controller_phase)to, (int)command);
}

static uint32_t free_samples(const struct simulator *s)
{
  uint32_t at = simulator_play_index(s), kept = s->traced < at ? s->traced : at;
  return s->room - (s->next - (s->profile.streamed ? kept : 0));
}

/* The samples of a sound window at its place. A stream's are checked at once, and forgotten again when they are wrong. */
static unsigned take_samples(struct simulator *s, const uint16_t *words, unsigned count)
{
  unsigned per_sample = s->profile.sample_words, samples = count / per_sample;
  if (samples > free_samples(s) || (s->profile.streamed && !s->profile.open)) return CONTROLLER_WINDOW;
  for (uint32_t k = 0; k < samples; k++)
    memcpy(simulator_sample(s, s->next + k), words + (size_t)k * per_sample, per_sample * sizeof *words);
  unsigned error = s->profile.streamed ? check_torques(s, s->next, s->next + samples) : CONTROLLER_OK;
  if (error) return error;
  s->crc = crc32_words(s->crc, words, count);
  s->next += samples;
  return CONTROLLER_OK;
}

static void take_window(struct simulator *s, size_t registers)
{
  const uint16_t *w = s->written + REGISTER_WINDOW_OFFSET;
  uint32_t offset = words_get_u32(w);
  unsigned words = w[2];
  bool loading =
      s->phase == PHASE_LOADING ||
      (s->profile.open && (s->phase == PHASE_ARMED || s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING));
  bool sound = loading && words && words <= REGISTERS_WINDOW && registers >= REGISTERS_WINDOW_HEADER + words &&
               words % s->profile.sample_words == 0 && w[3] == window_crc(w, words);
  if (sound && offset < s->next) return; /* seen already */
  unsigned error = sound && offset == s->next ? take_samples(s, w + REGISTERS_WINDOW_HEADER, words) : CONTROLLER_WINDOW;
  if (error && s->phase != PHASE_FAULT) s->error = (uint16_t)error; /* a fault keeps its reason */
}

int simulator_write(struct simulator *s, size_t offset, size_t count, const uint16_t *words)
{
  if (offset >= REGISTERS_SPAN || count > REGISTERS_SPAN - offset) return 2;
  for (size_t i = 0; i < register_row_count; i++) {
    const struct register_row *row = &register_rows[i];
    if (row->writer == BY_CONTROLLER && offset < row->offset + row->count && row->offset < offset + count) return 2;
  }
  memcpy(s->written + offset, words, count * sizeof *words);
  s->registers_written += count;

  size_t end = offset + count;
  if (offset <= REGISTER_HEARTBEAT && REGISTER_HEARTBEAT < end && s->heartbeat != s->written[REGISTER_HEARTBEAT]) {
    s->heartbeat = s->written[REGISTER_HEARTBEAT];
    bool watched = s->phase == PHASE_ARMED || s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING;
    if (watched) s->timing.beats[s->heartbeat_age < HEARTBEAT_MOST ? s->heartbeat_age : HEARTBEAT_MOST]++;
    s->heartbeat_age = 0;
  }
  if (offset <= REGISTER_SEQUENCE && REGISTER_SEQUENCE < end) run_command(s, s->written[REGISTER_SEQUENCE]);
  if (offset == REGISTER_WINDOW_OFFSET && count > REGISTERS_WINDOW_HEADER) take_window(s, count);
  return 0;
}

static void image(const struct simulator *s, uint16_t *w)
{
  memcpy(w, s->written, sizeof s->written);
  w[REGISTER_MAGIC] = REGISTERS_MAGIC;
  w[REGISTER_VERSION] = REGISTERS_VERSION;
  w[REGISTER_AXES] = (uint16_t)s->arm.axes;
  words_put_u32(w + REGISTER_SAMPLES_MOST, s->options.samples_most);
  w[REGISTER_WINDOW_MOST] = REGISTERS_WINDOW;
  w[REGISTER_FORMATS] =
      (uint16_t)(s->options.formats | REGISTERS_SIMULATED | (s->options.blind ? 0u : REGISTERS_MEASURES));
  words_put_float(w + REGISTER_PROBE, REGISTERS_PROBE);
  w[REGISTER_INSTANCE] = s->instance;
  w[REGISTER_ACKNOWLEDGED] = s->acknowledged;
  w[REGISTER_STATE] = (uint16_t)s->phase;
  w[REGISTER_ERROR] = s->error;
  words_put_u32(w + REGISTER_NEXT_OFFSET, s->next);
  words_put_u32(w + REGISTER_PLAY_INDEX, simulator_play_index(s));
  words_put_u32(w + REGISTER_FREE_SAMPLES, free_samples(s));
  w[REGISTER_HEARTBEAT_ECHO] = s->heartbeat;
  words_put_u32(w + REGISTER_CRC_COMPUTED, s->options.wrong_crc ? ~s->crc : s->crc);
  words_put_u32(w + REGISTER_PROFILE_ACTIVE, s->profile.id);
  w[REGISTER_LOSS_POLICY_ACTIVE] = (uint16_t)s->profile.loss_policy;
  words_put_u32(w + REGISTER_MEASURED_TIME, (uint32_t)(uint64_t)s->play_us);
  for (size_t a = 0; a < s->arm.axes; a++) {
    words_put_float(w + REGISTER_POSITION + 2 * a, (float)s->arm.q[a]);
    words_put_float(w + REGISTER_MEASURED_POSITION + 2 * a, (float)s->arm.q[a]);
    words_put_float(w + REGISTER_MEASURED_TORQUE + 2 * a, (float)s->arm.tau[a]);
  }
}

int simulator_read(const struct simulator *s, size_t offset, size_t count, uint16_t *words)
{
  if (offset >= REGISTERS_SPAN || count > REGISTERS_SPAN - offset) return 2;
  uint16_t all[REGISTERS_SPAN];
  image(s, all);
  memcpy(words, all + offset, count * sizeof *words);
  return 0;
}
