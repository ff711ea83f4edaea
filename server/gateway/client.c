#include <math.h>
#include <time.h>

#include "server/base/clock.h"
#include "server/gateway/client.h"

enum {
  POLL_MS = 5,            /* between two looks for an acknowledgement */
  COMMAND_MOST_MS = 5000, /* COMMIT reads the whole profile */
  BEAT_MS = 200,
  STOP_MOST_MS = 2000,
  STOP_CONNECT_MS = 1000
};

static void pause_ms(int ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t)) continue;
}

static unsigned at(const struct client *c, enum register_offset offset)
{
  return c->address.base + (unsigned)offset;
}

enum armdyn_status client_look(struct client *c, struct armdyn_error *error)
{
  uint16_t words[REGISTERS_STATE];
  if (c->address.mapped) return mapped_look(c, error);
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_ACKNOWLEDGED), REGISTERS_STATE, words, error);
  if (!rc && (rc = controller_state_decode(words, &c->state, error))) link_close(&c->link);
  return rc ? ARMDYN_EUNAVAILABLE : ARMDYN_OK;
}

enum armdyn_status client_connect(struct client *c, int timeout_ms, struct armdyn_error *error)
{
  uint16_t words[REGISTERS_IDENTITY];
  c->link.timeout_ms = c->address.mapped ? c->address.map.timeout_ms : LINK_RESPONSE_MS;
  enum armdyn_status rc = link_open(&c->link, c->address.host, c->address.port, c->address.unit, timeout_ms, error);
  if (rc) return rc;
  if (c->address.mapped) return mapped_meet(c, error);
  if ((rc = link_read(&c->link, at(c, REGISTER_MAGIC), REGISTERS_IDENTITY, words, error))) return rc;
  if ((rc = controller_identity_decode(words, &c->identity, error))) {
    link_close(&c->link);
    return rc;
  }
  return client_look(c, error);
}

void client_disconnect(struct client *c)
{
  link_close(&c->link);
}

enum armdyn_status client_positions(struct client *c, float positions[REGISTERS_AXES], struct armdyn_error *error)
{
  uint16_t words[2 * REGISTERS_AXES] = { 0 };
  if (c->address.mapped) return mapped_positions(c, positions, error);
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_POSITION), 2 * c->identity.axes, words, error);
  for (unsigned a = 0; !rc && a < REGISTERS_AXES; a++) positions[a] = words_get_float(words + 2 * a);
  return rc;
}

/* Where its registers of measurements are: time, positions, torques. */
static enum armdyn_status measure_all(struct client *c, struct measurement *out, struct armdyn_error *error)
{
  uint16_t words[REGISTERS_MEASURED];
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_MEASURED_TIME), REGISTERS_MEASURED, words, error);
  if (rc) return rc;
  out->time = words_get_u32(words) * 1e-6;
  for (unsigned a = 0; a < c->identity.axes; a++) {
    out->position[a] = words_get_float(words + (REGISTER_MEASURED_POSITION - REGISTER_MEASURED_TIME) + 2 * a);
    out->torque[a] = words_get_float(words + (REGISTER_MEASURED_TORQUE - REGISTER_MEASURED_TIME) + 2 * a);
  }
  return ARMDYN_OK;
}

/* Without them: play index and positions, which lie close enough together. */
static enum armdyn_status measure_positions(struct client *c, uint32_t period_us, struct measurement *out,
                                            struct armdyn_error *error)
{
  enum { FIRST = REGISTER_PLAY_INDEX, COUNT = REGISTER_POSITION + 2 * REGISTERS_AXES - FIRST };
  uint16_t words[COUNT];
  unsigned count = REGISTER_POSITION - FIRST + 2 * c->identity.axes;
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_PLAY_INDEX), count, words, error);
  if (rc) return rc;
  out->time = words_get_u32(words) * 1e-6 * period_us;
  for (unsigned a = 0; a < c->identity.axes; a++)
    out->position[a] = words_get_float(words + (REGISTER_POSITION - FIRST) + 2 * a);
  return ARMDYN_OK;
}

enum armdyn_status client_measure(struct client *c, uint32_t period_us, struct measurement *out,
                                  struct armdyn_error *error)
{
  out->time = NAN;
  for (unsigned a = 0; a < REGISTERS_AXES; a++) out->position[a] = out->torque[a] = NAN;
  if (c->address.mapped) return mapped_measure(c, out, error);
  return c->identity.measures ? measure_all(c, out, error) : measure_positions(c, period_us, out, error);
}

enum armdyn_status client_beat(struct client *c, struct armdyn_error *error)
{
  c->heartbeat++;
  if (c->address.mapped) return mapped_beat(c, error);
  return link_write_one(&c->link, at(c, REGISTER_HEARTBEAT), c->heartbeat, error);
}

static enum armdyn_status write_arguments(struct client *c, enum controller_command command,
                                          const struct profile_head *head, struct armdyn_error *error)
{
  uint16_t words[REGISTERS_ARGUMENTS] = { (uint16_t)command };
  if (head) {
    words_put_u32(words + (REGISTER_PROFILE - REGISTER_COMMAND), head->id);
    bool open = command == COMMAND_STREAM; /* COMMIT will tell how much it was */
    words_put_u32(words + (REGISTER_TOTAL - REGISTER_COMMAND), open ? 0 : head->total);
    words_put_u32(words + (REGISTER_PERIOD - REGISTER_COMMAND), head->period_us);
    words[REGISTER_FORMAT - REGISTER_COMMAND] = head->format;
    words[REGISTER_AXIS_MASK - REGISTER_COMMAND] = head->axis_mask;
    words[REGISTER_END_POLICY - REGISTER_COMMAND] = head->end_policy;
    words[REGISTER_LOSS_POLICY - REGISTER_COMMAND] = head->loss_policy;
    words_put_u32(words + (REGISTER_CRC - REGISTER_COMMAND), open ? 0 : head->crc);
  }
  if (head && (command == COMMAND_BEGIN || command == COMMAND_STREAM)) {
    uint16_t start[2 * REGISTERS_AXES];
    for (size_t a = 0; a < REGISTERS_AXES; a++) words_put_float(start + 2 * a, head->start[a]);
    enum armdyn_status rc = link_write(&c->link, at(c, REGISTER_START_POSITION), 2 * REGISTERS_AXES, start, error);
    if (rc) return rc;
  }
  /* What BEGIN said stays in its registers for whoever looks there when a command without arguments comes. */
  return link_write(&c->link, at(c, REGISTER_COMMAND), head ? REGISTERS_ARGUMENTS : 1, words, error);
}

bool client_was_taken(const struct client *c)
{
  return c->rung.command && c->rung.instance == c->identity.instance && c->rung.sequence == c->state.acknowledged;
}

bool client_has_rung(const struct client *c, enum controller_command command)
{
  return c->address.mapped ? command == COMMAND_START && c->mapped.started : c->rung.command == command;
}

static enum armdyn_status ring(struct client *c, enum controller_command command, const struct profile_head *head,
                               struct armdyn_error *error)
{
  if (c->rung.command != command) c->rung.command = 0; /* another one is given up for this */
  enum armdyn_status rc = client_look(c, error);
  if (!rc) rc = write_arguments(c, command, head, error);
  if (rc) return rc;
  c->rung.command = (uint16_t)command;
  c->rung.sequence = (uint16_t)(c->state.acknowledged + 1);
  c->rung.instance = c->identity.instance;
  return link_write_one(&c->link, at(c, REGISTER_SEQUENCE), c->rung.sequence, error);
}

enum armdyn_status client_command(struct client *c, enum controller_command command, const struct profile_head *head,
                                  struct armdyn_error *error)
{
  if (c->address.mapped) return mapped_command(c, command, error);
  bool known = c->rung.command == command && client_was_taken(c);
  enum armdyn_status rc = known ? ARMDYN_OK : ring(c, command, head, error);
  int64_t deadline = clock_monotonic_ns() + COMMAND_MOST_MS * 1000000LL;
  while (!rc && c->state.acknowledged != c->rung.sequence) {
    if ((rc = client_look(c, error)) || c->state.acknowledged == c->rung.sequence) break;
    if (clock_monotonic_ns() > deadline) {
      link_close(&c->link);
      return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "%s was not acknowledged within %d s",
                           controller_command_name(command), COMMAND_MOST_MS / 1000);
    }
    pause_ms(POLL_MS);
  }
  if (rc) return rc;
  c->rung.command = 0;
  if (!c->state.error) return ARMDYN_OK;
  c->link.figures->refusals++;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "the controller refused %s in state %s: error %u, %s",
                       controller_command_name(command), controller_phase_name(c->state.phase), c->state.error,
                       controller_error_text(c->state.error));
}

enum armdyn_status client_window(struct client *c, uint32_t offset, const uint16_t *words, unsigned count,
                                 struct armdyn_error *error)
{
  uint16_t window[REGISTERS_WINDOW_HEADER + REGISTERS_WINDOW];
  size_t registers = window_encode(offset, words, count, window);
  c->link.figures->windows++;
  return link_write(&c->link, at(c, REGISTER_WINDOW_OFFSET), (unsigned)registers, window, error);
}

static bool may_move(const struct client *c)
{
  enum controller_phase phase = c->state.phase;
  return phase == PHASE_ARMED || phase == PHASE_PLAYING || phase == PHASE_HOLDING;
}

/* Wait until nothing moves; ECONFLICT when it still does after a while. */
static enum armdyn_status come_to_rest(struct client *c, struct armdyn_error *error)
{
  int64_t deadline = clock_monotonic_ns() + STOP_MOST_MS * 1000000LL;
  for (int polls = 0; may_move(c); polls++) {
    if (polls % (BEAT_MS / POLL_MS) == 0 && client_beat(c, error)) return ARMDYN_EUNAVAILABLE;
    if (clock_monotonic_ns() > deadline)
      return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "the controller took STOP but is still in state %s",
                           controller_phase_name(c->state.phase));
    pause_ms(POLL_MS);
    if (client_look(c, error)) return ARMDYN_EUNAVAILABLE;
  }
  return ARMDYN_OK;
}

/* Twice at most: the first may fall to a connection that is dead already, or to a doorbell of the past that came late
 * and took its number. */
enum armdyn_status client_stop(struct client *c, struct armdyn_error *error)
{
  enum armdyn_status rc = ARMDYN_EUNAVAILABLE;
  for (int attempt = 0; attempt < 2 && rc; attempt++) {
    if (!link_is_open(&c->link) && (rc = client_connect(c, STOP_CONNECT_MS, error))) continue;
    rc = client_command(c, COMMAND_STOP, NULL, error);
    if (rc != ARMDYN_EUNAVAILABLE) rc = come_to_rest(c, error); /* a refused STOP is one of nothing that moves */
  }
  return rc;
}
