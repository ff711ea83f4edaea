#include "server/simulator/commands.h"

#include <math.h>

#include "server/simulator/play.h"

static const double start_tolerance = 0.05; /* rad, m: how far from the start position ARM is still taken */
enum { COMMIT_A_SCAN = 2000 };              /* samples that COMMIT checks in one */

/* -- what the commands do: each answers an error of the list, and changes nothing when it does -- */

static unsigned check_arguments(const struct simulator *s, const struct protocol_command *c, bool streamed,
                                struct simulator_profile *p)
{
  *p = (struct simulator_profile){ .streamed = streamed,
                                   .open = streamed,
                                   .id = c->profile,
                                   .total = c->total,
                                   .period_us = c->period_us,
                                   .crc = c->crc,
                                   .format = c->format,
                                   .end_policy = c->end_policy,
                                   .loss_policy = c->loss_policy };
  unsigned mask = c->axis_mask;
  if (!p->id) return CONTROLLER_ANOTHER_PROFILE;
  if (!mask || mask >> s->arm.axes) return CONTROLLER_AXES;
  for (unsigned a = 0; a < s->arm.axes; a++)
    if (mask >> a & 1) p->axis[p->axes++] = (uint8_t)a;
  p->sample_words = protocol_sample_words(p->format, p->axes);
  if (!p->sample_words || !(s->options.formats >> (p->format - 1) & 1) || p->sample_words > PROTOCOL_WINDOW_MOST)
    return CONTROLLER_FORMAT;
  if (p->period_us < PROTOCOL_PERIOD_LEAST_US || p->period_us > PROTOCOL_PERIOD_MOST_US) return CONTROLLER_FORMAT;
  if (p->end_policy < END_HOLD || p->end_policy > END_ZERO_TORQUE || p->loss_policy < LOSS_STOP ||
      p->loss_policy > LOSS_FINISH)
    return CONTROLLER_FORMAT;
  if (streamed ? p->total != 0 : !p->total || p->total > s->options.samples_most) return CONTROLLER_TOO_LONG;
  for (unsigned a = 0; a < p->axes; a++) p->start[a] = c->start[p->axis[a]]; /* ARM refuses what is no number */
  return CONTROLLER_OK;
}

static unsigned begin_any(struct simulator *s, const struct protocol_command *c, bool streamed)
{
  struct simulator_profile p;
  unsigned error = check_arguments(s, c, streamed, &p);
  if (error) return error;
  uint32_t room = streamed ? s->options.ring : p.total;
  uint16_t *data = malloc((size_t)room * p.sample_words * sizeof *data);
  if (!data) return CONTROLLER_INTERNAL;
  simulator_forget(s);
  s->own_error = CONTROLLER_OK;
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
  for (unsigned a = 0; a < s->profile.axes; a++) {
    if (!isfinite(s->profile.start[a])) return;
    q[s->profile.axis[a]] = (double)s->profile.start[a];
  }
  arm_place(&s->arm, q);
  s->placed = true;
}

static unsigned begin(struct simulator *s, const struct protocol_command *c)
{
  return begin_any(s, c, false);
}

static unsigned stream(struct simulator *s, const struct protocol_command *c)
{
  unsigned error = begin_any(s, c, true);
  if (!error) place_at_start(s);
  return error;
}

unsigned simulator_check_torques(const struct simulator *s, uint32_t from, uint32_t to)
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
static unsigned commit_stream(struct simulator *s, const struct protocol_command *c)
{
  if (!s->profile.open) return CONTROLLER_NOT_ALLOWED;
  if (!c->total || c->total != s->next || s->options.wrong_crc) return CONTROLLER_CRC;
  if (c->crc != s->crc && !s->options.stores_zeros) return CONTROLLER_CRC;
  s->profile.open = false;
  s->profile.total = c->total;
  s->profile.crc = c->crc;
  return CONTROLLER_OK;
}

/* Samples from the last checked to `to` - 1 of a download, read back. */
static unsigned check_stored(struct simulator *s, uint32_t to)
{
  struct simulator_commit *m = &s->commit;
  unsigned per_sample = s->profile.sample_words, error = simulator_check_torques(s, m->checked, to);
  m->crc = protocol_crc32(m->crc, s->data + (size_t)m->checked * per_sample, (size_t)(to - m->checked) * per_sample);
  m->checked = to;
  return error;
}

/* After the last sample. */
static unsigned commit_download(struct simulator *s)
{
  s->crc = s->commit.crc;
  if (s->options.wrong_crc || (s->crc != s->profile.crc && !s->options.stores_zeros)) return CONTROLLER_CRC;
  place_at_start(s);
  return CONTROLLER_OK;
}

static unsigned commit(struct simulator *s, const struct protocol_command *c)
{
  if (s->profile.streamed) return commit_stream(s, c);
  s->commit.checked = s->commit.crc = 0;
  if (s->next != s->profile.total || c->total != s->profile.total || c->crc != s->profile.crc) return CONTROLLER_CRC;
  unsigned error = check_stored(s, s->profile.total);
  return error ? error : commit_download(s);
}

static unsigned arm_command(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  if (!simulator_whole(s)) return s->profile.streamed ? CONTROLLER_UNDERRUN : CONTROLLER_NOT_ALLOWED;
  for (unsigned a = 0; a < s->profile.axes; a++)
    if (!(fabs(s->arm.q[s->profile.axis[a]] - (double)s->profile.start[a]) <= start_tolerance))
      return CONTROLLER_START_POSITION;
  s->heartbeat_age = 0;
  return CONTROLLER_OK;
}

static unsigned start(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  s->starts++;
  simulator_play_from_start(s);
  return CONTROLLER_OK;
}

static unsigned hold(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  if (s->brake != GO_ON) return CONTROLLER_NOT_ALLOWED; /* it comes to rest for another reason */
  simulator_brake(s, BRAKE_TO_HOLD);
  return CONTROLLER_OK;
}

static unsigned resume(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  if (s->brake == BRAKE_TO_EMPTY || s->brake == BRAKE_TO_FAULT) return CONTROLLER_NOT_ALLOWED;
  if (!simulator_whole(s)) return CONTROLLER_UNDERRUN;
  s->brake = GO_ON;
  return CONTROLLER_OK;
}

static unsigned stop(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  if (s->phase == PHASE_PLAYING || s->phase == PHASE_HOLDING)
    simulator_brake(s, BRAKE_TO_EMPTY);
  else if (s->phase != PHASE_FAULT)
    simulator_forget(s);
  return CONTROLLER_OK;
}

static unsigned clear(struct simulator *s, const struct protocol_command *c)
{
  (void)c;
  simulator_forget(s);
  s->own_error = CONTROLLER_OK;
  return CONTROLLER_OK;
}

static unsigned (*const actions[COMMAND_COUNT])(struct simulator *s, const struct protocol_command *c) = {
  [COMMAND_BEGIN] = begin, [COMMAND_COMMIT] = commit, [COMMAND_ARM] = arm_command,
  [COMMAND_START] = start, [COMMAND_HOLD] = hold,     [COMMAND_RESUME] = resume,
  [COMMAND_STOP] = stop,   [COMMAND_CLEAR] = clear,   [COMMAND_STREAM] = stream,
};

/* -- which of them is carried out -- */

static bool persons_stop(const struct protocol_command *c)
{
  return c->command == COMMAND_STOP && !c->profile;
}

/* Commands that a holder of an old epoch may not give, and those that need not name the active profile. */
#define BIT(command) (1u << COMMAND_##command)
static const unsigned of_epochs = BIT(BEGIN) | BIT(STREAM) | BIT(ARM) | BIT(START) | BIT(RESUME);
static const unsigned of_any_profile = BIT(BEGIN) | BIT(STREAM) | BIT(CLEAR);
static const unsigned break_commit_off = BIT(BEGIN) | BIT(STREAM) | BIT(CLEAR) | BIT(STOP);

static unsigned refusal(const struct simulator *s, const struct protocol_command *c)
{
  unsigned bit = (unsigned)c->command < COMMAND_COUNT ? 1u << c->command : 0;
  if (!persons_stop(c)) {
    if (c->epoch && c->epoch < s->epoch && bit & of_epochs) return CONTROLLER_OLD_EPOCH;
    if (c->profile != s->profile.id && !(bit & of_any_profile)) return CONTROLLER_ANOTHER_PROFILE;
    if (!protocol_in_time(c->latest_ms, s->uptime_ms)) return CONTROLLER_TOO_LATE;
  }
  struct protocol_transition t = protocol_transition(c->command, s->phase);
  bool busy = s->commit.running && !(bit & break_commit_off);
  return !t.allowed || busy || (t.in_streams && !s->profile.streamed) ? CONTROLLER_NOT_ALLOWED : CONTROLLER_OK;
}

static void acknowledge(struct simulator *s, const struct protocol_command *c, uint32_t check, unsigned error)
{
  s->acknowledged = c->number;
  s->check = check;
  s->error = (uint16_t)error;
  if (error) witness_refusal(&s->witness, c->number, check);
}

static void carry_out(struct simulator *s, const struct protocol_command *c, uint32_t check)
{
  struct protocol_transition t = protocol_transition(c->command, s->phase);
  unsigned error = actions[c->command](s, c);
  acknowledge(s, c, check, error);
  if (error) return;
  if (c->epoch > s->epoch) s->epoch = c->epoch;
  witness_command(&s->witness, c->command, c->number, check);
  if (!t.at_rest) simulator_change(s, t.to, (int)c->command);
}

void simulator_take_command(struct simulator *s, const uint16_t words[PROTOCOL_COMMAND])
{
  struct protocol_command c;
  protocol_command_decode(words, &c);
  uint32_t check = protocol_get_u32(words + (REGISTER_CHECK - REGISTER_COMMAND));
  if (c.number == s->acknowledged && check == s->check) return;
  if (c.number == s->looked_at.number && check == s->looked_at.check) return;
  if (s->commit.running && c.number == s->commit.command.number && check == s->commit.check) return;
  if (check != protocol_check_word(s->instance, words) && !persons_stop(&c)) return;
  s->looked_at.number = c.number, s->looked_at.check = check;
  unsigned error = refusal(s, &c);
  if (error) {
    acknowledge(s, &c, check, error);
    return;
  }
  s->commit.running = s->options.scan_ms && c.command == COMMAND_COMMIT && !s->profile.streamed &&
                      s->next == s->profile.total && c.total == s->profile.total && c.crc == s->profile.crc;
  if (!s->commit.running) {
    carry_out(s, &c, check);
    return;
  }
  s->commit.command = c;
  s->commit.check = check;
  s->commit.checked = s->commit.crc = 0;
}

void simulator_go_on_with_commit(struct simulator *s)
{
  struct simulator_commit *m = &s->commit;
  if (!m->running) return;
  uint32_t left = s->profile.total - m->checked;
  unsigned error = check_stored(s, m->checked + (left < COMMIT_A_SCAN ? left : COMMIT_A_SCAN));
  if (!error && m->checked < s->profile.total) return;
  if (!error) error = commit_download(s);
  m->running = false;
  acknowledge(s, &m->command, m->check, error);
  if (error) return;
  witness_command(&s->witness, COMMAND_COMMIT, m->command.number, m->check);
  simulator_change(s, PHASE_READY, COMMAND_COMMIT);
}
