#include "server/gateway/client.h"

#include <math.h>

#include "server/base/clock.h"
#include "server/gateway/mapped.h"

enum {
  AGREE_MOST_MS = 500, /* until two looks agree */
  LOOK_PAUSE_MS = 1,   /* between those */
  CYCLE_PART_MOST_MS = 5
};

static unsigned at(const struct client *c, unsigned offset)
{
  return c->address.base + offset;
}

/* -- looking -- */

struct look {
  struct controller_state state;
  int64_t asked_ns, answered_ns;
};

static enum armdyn_status look_once(struct client *c, struct look *look, bool *sound, struct armdyn_error *error)
{
  uint16_t words[PROTOCOL_LOOK];
  look->asked_ns = clock_monotonic_ns();
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_INSTANCE), PROTOCOL_LOOK, words, error);
  look->answered_ns = clock_monotonic_ns();
  *sound = !rc && !protocol_look_decode(words, &look->state, error);
  return rc;
}

/* Does it say what would end a transfer, or what cannot be? */
static bool startles(const struct client *c, const struct look *look)
{
  const struct controller_state *is = &look->state, *was = &c->state;
  return is->instance != was->instance || is->phase != was->phase || is->profile != was->profile ||
         is->own_error != was->own_error || is->next_offset < was->next_offset ||
         uptime_step(&c->uptime, is->uptime_ms, look->asked_ns, look->answered_ns) != UPTIME_GOES_ON;
}

/* Do two looks, one after the other, tell the same story? */
static bool agree(const struct controller_state *a, const struct controller_state *b)
{
  return a->instance == b->instance && a->phase == b->phase && a->profile == b->profile &&
         a->own_error == b->own_error && b->next_offset >= a->next_offset && b->uptime_ms - a->uptime_ms < 1u << 31;
}

/* A controller whose clock went back was started anew, whatever it says of its instance. */
static void take(struct client *c, const struct look *look)
{
  enum uptime_step step = uptime_step(&c->uptime, look->state.uptime_ms, look->asked_ns, look->answered_ns);
  bool same = look->state.instance == c->state.instance;
  c->restarted = c->restarted || (same && step == UPTIME_WENT_BACK);
  uptime_take(&c->uptime, look->state.instance, look->state.uptime_ms, look->asked_ns, look->answered_ns);
  c->state = look->state;
}

static enum armdyn_status identify(struct client *c, struct armdyn_error *error)
{
  uint16_t words[PROTOCOL_IDENTITY];
  enum armdyn_status rc = link_read(&c->link, at(c, REGISTER_MAGIC), PROTOCOL_IDENTITY, words, error);
  if (rc) return rc;
  rc = protocol_identity_decode(words, c->address.base, &c->identity, error);
  if (rc && !words[REGISTER_MAGIC])
    rc = armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "its program has not begun: the magic at register %u is 0",
                       at(c, REGISTER_MAGIC));
  if (rc) link_close(&c->link);
  return rc;
}

/* A look that startles nobody, or one that tells the same story as the one before it. */
static enum armdyn_status look_until_sure(struct client *c, struct look *look, struct armdyn_error *error)
{
  const struct timespec pause = { 0, LOOK_PAUSE_MS * 1000000L };
  const int64_t deadline = clock_monotonic_ns() + AGREE_MOST_MS * 1000000LL;
  struct look before = { .asked_ns = 0 };
  bool sound, sound_before = false;
  for (;; before = *look, sound_before = sound) {
    enum armdyn_status rc = look_once(c, look, &sound, error);
    if (rc || (sound && !startles(c, look))) return rc;
    if (sound && sound_before && agree(&before.state, &look->state)) return ARMDYN_OK;
    if (clock_monotonic_ns() > deadline) break;
    nanosleep(&pause, NULL);
  }
  link_close(&c->link);
  return sound ? armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "its registers tell another story at every look")
               : ARMDYN_EUNAVAILABLE;
}

enum armdyn_status client_look(struct client *c, struct armdyn_error *error)
{
  struct look look = { .asked_ns = 0 };
  if (c->address.mapped) return mapped_look(c, error);
  enum armdyn_status rc = look_until_sure(c, &look, error);
  if (rc) return rc;
  take(c, &look);
  /* It started anew, and may be another one now. */
  return c->state.instance == c->identity.instance ? ARMDYN_OK : identify(c, error) ? ARMDYN_EUNAVAILABLE : ARMDYN_OK;
}

enum armdyn_status client_connect(struct client *c, int timeout_ms, struct armdyn_error *error)
{
  c->link.timeout_ms = c->address.mapped ? c->address.map.timeout_ms : LINK_RESPONSE_MS;
  enum armdyn_status rc = link_open(&c->link, c->address.host, c->address.port, c->address.unit, timeout_ms, error);
  if (rc) return rc;
  if (c->address.mapped) return mapped_meet(c, error);
  rc = identify(c, error);
  return rc ? rc : client_look(c, error);
}

void client_disconnect(struct client *c)
{
  link_close(&c->link);
}

int client_cycle_part_ms(const struct client *c)
{
  if (c->address.mapped || controller_can(&c->identity, ABILITY_AT_ONCE)) return 0;
  double part = ceil(c->uptime.scan_ms / 8);
  return part < CYCLE_PART_MOST_MS ? (int)part : CYCLE_PART_MOST_MS;
}

enum armdyn_status client_send_look(struct client *c, struct armdyn_error *error)
{
  return link_send(&c->link, FLIGHT_READ, at(c, REGISTER_INSTANCE), PROTOCOL_LOOK, NULL, error);
}

bool client_take_look(struct client *c, const struct landed *answer)
{
  struct look look = { .asked_ns = answer->request.asked_ns, .answered_ns = answer->answered_ns };
  if (protocol_look_decode(answer->words, &look.state, NULL) || startles(c, &look)) return false;
  take(c, &look);
  return true;
}

/* -- measuring -- */

/* Where its registers of measurements are: time, positions, torques. */
static enum armdyn_status measure_all(struct client *c, struct measurement *out, struct armdyn_error *error)
{
  uint16_t words[PROTOCOL_MEASURED];
  unsigned first = PROTOCOL_PLACES + c->identity.places * PROTOCOL_PLACE_STRIDE;
  enum armdyn_status rc = link_read(&c->link, at(c, first), PROTOCOL_MEASURED, words, error);
  if (rc) return rc;
  out->time = protocol_get_u32(words + REGISTER_MEASURED_TIME) * 1e-6;
  for (unsigned a = 0; a < c->identity.axes; a++) {
    out->position[a] = protocol_get_float(words + REGISTER_MEASURED_POSITION + 2 * a);
    out->torque[a] = protocol_get_float(words + REGISTER_MEASURED_TORQUE + 2 * a);
  }
  return ARMDYN_OK;
}

static enum armdyn_status measure(struct client *c, uint32_t period_us, struct measurement *out,
                                  struct armdyn_error *error)
{
  out->time = NAN;
  for (unsigned a = 0; a < PROTOCOL_AXES; a++) out->position[a] = out->torque[a] = NAN;
  if (c->address.mapped) return mapped_measure(c, out, error);
  if (controller_can(&c->identity, ABILITY_MEASURES)) return measure_all(c, out, error);
  out->time = c->state.play_index * 1e-6 * period_us;
  memcpy(out->position, c->state.position, c->identity.axes * sizeof *out->position);
  return ARMDYN_OK;
}

enum armdyn_status client_measure(struct client *c, uint32_t period_us, struct measurement *out,
                                  struct armdyn_error *error)
{
  const enum armdyn_status rc = measure(c, period_us, out, error);
  if (rc) return rc;
  c->measured = *out;
  c->measured_ns = clock_monotonic_ns();
  return ARMDYN_OK;
}

/* -- telling -- */

/* The words of a heartbeat. False: none is due. */
static bool beat_due(struct client *c, uint16_t words[3])
{
  const int64_t now = clock_monotonic_ns();
  if (!c->beats_for || now < c->beat_due_ns) return false;
  c->beat_due_ns = now + PROTOCOL_BEAT_MS * 1000000LL;
  words[0] = ++c->heartbeat;
  protocol_put_u32(words + (REGISTER_HEARTBEAT_PROFILE - REGISTER_HEARTBEAT), c->beats_for);
  return true;
}

enum armdyn_status client_beat(struct client *c, struct armdyn_error *error)
{
  uint16_t words[3];
  if (!beat_due(c, words)) return ARMDYN_OK;
  const struct meanwhile beats = client_meanwhile(c);
  if (c->address.mapped) return mapped_beat(c, &beats, error);
  return link_write(&c->link, at(c, REGISTER_HEARTBEAT), 3, words, error);
}

static bool beat_on(void *client)
{
  struct client *c = client;
  struct armdyn_error error;
  client_beat(c, &error);
  return !c->urgent || !c->urgent(c->context);
}

struct meanwhile client_meanwhile(struct client *c)
{
  return (struct meanwhile){ beat_on, c };
}

enum armdyn_status client_send_beat(struct client *c, struct armdyn_error *error)
{
  uint16_t words[3];
  return beat_due(c, words) ? link_send(&c->link, FLIGHT_WRITE, at(c, REGISTER_HEARTBEAT), 3, words, error) : ARMDYN_OK;
}

enum armdyn_status client_send_window(struct client *c, unsigned place, uint32_t profile, uint32_t offset,
                                      const uint16_t *words, unsigned count, struct armdyn_error *error)
{
  uint16_t window[PROTOCOL_WINDOW_HEADER + PROTOCOL_WINDOW_MOST];
  size_t registers = protocol_window_encode(profile, offset, words, count, window);
  c->link.figures->windows++;
  return link_send(&c->link, FLIGHT_WRITE, at(c, PROTOCOL_PLACES + place * PROTOCOL_PLACE_STRIDE), (unsigned)registers,
                   window, error);
}
