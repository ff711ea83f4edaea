#include <math.h>
#include <time.h>

#include "server/gateway/client.h"

enum { GAP_MOST = 16 }; /* registers between two fields that are read along rather than asked for apart */

static void pause_ms(int ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000L };
  while (ms > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t)) continue;
}

/* -- one request -- */

static enum armdyn_status read_some(struct client *c, unsigned unit, enum map_register space, unsigned address,
                                    unsigned count, uint16_t *words, struct armdyn_error *error)
{
  pause_ms(c->address.map.pause_ms);
  link_unit(&c->link, unit);
  switch (space) {
  case MAP_HOLDING: return link_read(&c->link, address, count, words, error);
  case MAP_INPUT: return link_read_other(&c->link, LINK_INPUT, address, count, words, error);
  case MAP_COIL: return link_read_other(&c->link, LINK_COILS, address, count, words, error);
  default: return link_read_other(&c->link, LINK_DISCRETE, address, count, words, error);
  }
}

static enum armdyn_status write_some(struct client *c, const struct map_write *w, struct armdyn_error *error)
{
  pause_ms(c->address.map.pause_ms);
  link_unit(&c->link, w->unit);
  if (w->space == MAP_COIL) return link_write_coil(&c->link, w->address, w->words[0] != 0, error);
  if (w->count == 1) return link_write_one(&c->link, w->address, w->words[0], error);
  return link_write(&c->link, w->address, w->count, w->words, error);
}

/* Write, and hold what is there then against it where the map asks for that. */
static enum armdyn_status write_and_verify(struct client *c, const struct map_write *w, struct armdyn_error *error)
{
  uint16_t words[LINK_READ_MOST];
  enum armdyn_status rc = write_some(c, w, error);
  unsigned most = (unsigned)c->address.map.read_most;
  for (unsigned at = 0; !rc && w->read_back && at < w->count; at += most) {
    unsigned count = w->count - at < most ? w->count - at : most;
    rc = read_some(c, w->unit, w->space, w->address + at, count, words, error);
    for (unsigned i = 0; !rc && i < count; i++)
      if (words[i] != w->words[at + i])
        rc = armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s: register %u reads back as 0x%04X, not 0x%04X", w->what,
                           w->address + at + i, words[i], w->words[at + i]);
  }
  return rc;
}

/* -- looking -- */

static unsigned unit_of(const struct client *c, const struct map_field *f)
{
  return f->unit_id < 0 ? c->address.unit : (unsigned)f->unit_id;
}

static unsigned words_of(const struct map_field *f)
{
  return f->space == MAP_COIL || f->space == MAP_DISCRETE ? 1 : (unsigned)map_type_words(f->form.type);
}

/* The readable field of lowest unit, space and address that is not read yet; the count when there is none. */
static size_t next_field(const struct client *c, const bool *done)
{
  const struct register_map *map = &c->address.map;
  size_t best = map->field_count;
  for (size_t i = 0; i < map->field_count; i++) {
    const struct map_field *f = &map->fields[i], *b = best < map->field_count ? &map->fields[best] : NULL;
    if (done[i] || f->access == MAP_WRITE) continue;
    unsigned unit = unit_of(c, f), least = b ? unit_of(c, b) : 0;
    bool lower = !b || unit < least || (unit == least && f->space < b->space) ||
                 (unit == least && f->space == b->space && f->address < b->address);
    if (lower) best = i;
  }
  return best;
}

/* One request for this field and those that stand close behind it. */
static enum armdyn_status read_block(struct client *c, size_t first, bool *done, struct armdyn_error *error)
{
  const struct register_map *map = &c->address.map;
  const struct map_field *f = &map->fields[first];
  unsigned from = (unsigned)f->address, end = from + words_of(f), most = (unsigned)map->read_most;
  bool grown = true;
  while (grown) {
    grown = false;
    for (size_t i = 0; i < map->field_count; i++) {
      const struct map_field *g = &map->fields[i];
      unsigned at = (unsigned)g->address, stop = at + words_of(g);
      if (g->access == MAP_WRITE || unit_of(c, g) != unit_of(c, f) || g->space != f->space || stop <= end) continue;
      if (at < from || at > end + GAP_MOST || stop > from + most) continue;
      end = stop;
      grown = true;
    }
  }
  uint16_t words[LINK_READ_MOST];
  enum armdyn_status rc =
      read_some(c, unit_of(c, f), f->space, from - (unsigned)map->address_base, end - from, words, error);
  for (size_t i = 0; !rc && i < map->field_count; i++) {
    const struct map_field *g = &map->fields[i];
    unsigned at = (unsigned)g->address;
    if (g->access == MAP_WRITE || unit_of(c, g) != unit_of(c, f) || g->space != f->space) continue;
    if (at < from || at + words_of(g) > end) continue;
    c->mapped.signals[i] = map_decode(&g->form, words + (at - from));
    done[i] = true;
  }
  return rc;
}

static double signal_of(const struct client *c, const char *name)
{
  const struct map_field *f = map_field_of(&c->address.map, name);
  return f ? c->mapped.signals[f - c->address.map.fields] : NAN;
}

/* What the field of states says; MAP_STATES: nothing that the map lists. */
static enum map_state seen_state(const struct client *c)
{
  const struct map_states *states = &c->address.map.states;
  double value = c->address.map.has_states ? signal_of(c, states->field) : NAN;
  for (int state = 0; state < MAP_STATES; state++)
    for (size_t i = 0; i < states->counts[state]; i++)
      if (states->values[state][i] == value) return (enum map_state)state;
  return (enum map_state)MAP_STATES;
}

/* It was moving, or was told to: is it still? */
static enum controller_phase at_rest(const struct client *c, bool done)
{
  const struct mapped *m = &c->mapped;
  bool moved = m->phase == PHASE_PLAYING || m->phase == PHASE_HOLDING;
  if (done && (moved || (m->started && !m->done_before))) return PHASE_DONE;
  if (!moved) return m->phase;
  return c->address.map.states.counts[MAP_DONE] ? PHASE_EMPTY : PHASE_DONE; /* without a word for it, rest is the end */
}

static void follow(struct client *c)
{
  struct mapped *m = &c->mapped;
  enum map_state seen = seen_state(c);
  switch (seen) {
  case MAP_PLAYING: m->phase = PHASE_PLAYING; break;
  case MAP_HOLDING_STATE: m->phase = PHASE_HOLDING; break;
  case MAP_FAULT: m->phase = PHASE_FAULT; break;
  case MAP_DONE: m->phase = at_rest(c, true); break;
  case MAP_IDLE:
    if (m->phase == PHASE_FAULT) m->phase = PHASE_EMPTY;
    m->phase = at_rest(c, false);
    break;
  default: break;
  }
  if (seen != MAP_DONE) m->done_before = false;
  c->state = (struct controller_state){ .phase = m->phase, .profile = m->profile };
  const struct register_map *map = &c->address.map;
  for (int a = 0; a < PROTOCOL_AXES; a++) c->state.position[a] = NAN;
  for (size_t i = 0; i < map->position_count; i++)
    c->state.position[map->positions[i].axis - 1] = (float)signal_of(c, map->positions[i].field);
}

enum armdyn_status mapped_look(struct client *c, struct armdyn_error *error)
{
  bool done[LIMIT_MAP_FIELDS] = { false };
  const struct register_map *map = &c->address.map;
  for (size_t i = 0; i < map->field_count; i++)
    if (map->fields[i].access == MAP_WRITE) c->mapped.signals[i] = NAN;
  for (size_t i; (i = next_field(c, done)) < map->field_count;) {
    enum armdyn_status rc = read_block(c, i, done, error);
    if (rc) return rc;
  }
  follow(c);
  return ARMDYN_OK;
}

enum armdyn_status mapped_meet(struct client *c, struct armdyn_error *error)
{
  const struct register_map *map = &c->address.map;
  c->identity = (struct controller_identity){ .axes = PROTOCOL_AXES,
                                              .window_most = PROTOCOL_WINDOW_MOST,
                                              .places = 1,
                                              .abilities = ABILITY_FORMATS | ABILITY_HOLD,
                                              .samples_most =
                                                  *map->points.index_field ? UINT32_MAX : (uint32_t)map->points.count };
  pause_ms(map->pause_after_connect_ms);
  return mapped_look(c, error);
}

enum armdyn_status mapped_measure(const struct client *c, struct measurement *out, struct armdyn_error *error)
{
  if (!link_is_open(&c->link)) return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "there is no connection");
  const struct register_map *map = &c->address.map;
  for (size_t i = 0; i < map->torque_count; i++)
    out->torque[map->torques[i].axis - 1] = (float)signal_of(c, map->torques[i].field);
  memcpy(out->position, c->state.position, sizeof out->position);
  return ARMDYN_OK;
}

/* -- telling -- */

static enum armdyn_status write_field(struct client *c, const char *field, double value, struct armdyn_error *error)
{
  struct map_write write;
  enum armdyn_status rc = map_write_field(&c->address.map, c->address.unit, field, value, &write, error);
  return rc ? ARMDYN_ECONFLICT : write_and_verify(c, &write, error);
}

enum armdyn_status mapped_beat(struct client *c, struct armdyn_error *error)
{
  const char *field = c->address.map.heartbeat;
  return *field ? write_field(c, field, c->heartbeat % 32768, error) : ARMDYN_OK;
}

static enum armdyn_status act(struct client *c, const struct map_action *action, const char *name,
                              struct armdyn_error *error)
{
  if (*action->field) return write_field(c, action->field, action->value, error);
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "the register map has no command \"%s\"", name);
}

static enum armdyn_status start(struct client *c, struct armdyn_error *error)
{
  if (c->mapped.started) return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "START was written already");
  if (!*c->address.map.commands.start.field) return act(c, &c->address.map.commands.start, "start", error);
  c->mapped.started = true;
  c->mapped.done_before = seen_state(c) == MAP_DONE;
  return act(c, &c->address.map.commands.start, "start", error);
}

static enum armdyn_status stop(struct client *c, struct armdyn_error *error)
{
  enum controller_phase phase = c->mapped.phase;
  bool moving = phase == PHASE_PLAYING || phase == PHASE_HOLDING || c->mapped.started;
  const struct map_action *action = &c->address.map.commands.stop;
  enum armdyn_status rc = ARMDYN_OK;
  if (*action->field || moving) rc = act(c, action, "stop", error);
  if (rc) return rc;
  c->mapped.started = false;
  if (phase != PHASE_FAULT) c->mapped.phase = PHASE_EMPTY; /* unless the next look says otherwise */
  return mapped_look(c, error);
}

static enum armdyn_status clear(struct client *c, struct armdyn_error *error)
{
  const struct map_action *action = &c->address.map.commands.clear;
  enum armdyn_status rc = *action->field ? act(c, action, "clear", error) : ARMDYN_OK;
  if (rc) return rc;
  c->mapped = (struct mapped){ .phase = PHASE_EMPTY };
  return mapped_look(c, error);
}

enum armdyn_status mapped_command(struct client *c, enum controller_command command, struct armdyn_error *error)
{
  const struct map_commands *commands = &c->address.map.commands;
  enum armdyn_status rc = ARMDYN_OK;
  switch (command) {
  case COMMAND_ARM:
    if (*commands->arm.field) rc = act(c, &commands->arm, "arm", error);
    if (rc) return rc;
    c->mapped.phase = PHASE_ARMED;
    return mapped_look(c, error);
  case COMMAND_START: rc = start(c, error); break;
  case COMMAND_HOLD: rc = act(c, &commands->hold, "hold", error); break;
  case COMMAND_RESUME: rc = act(c, &commands->resume, "resume", error); break;
  case COMMAND_STOP: return stop(c, error);
  case COMMAND_CLEAR: return clear(c, error);
  default:
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "a register map knows no %s", protocol_command_name(command));
  }
  return rc ? rc : mapped_look(c, error);
}

/* -- loading -- */

struct loading {
  struct client *client;
  bool (*after_write)(void *context);
  void *context;
  enum armdyn_status status;
  struct armdyn_error *error;
};

static bool load_one(void *context, const struct map_write *write)
{
  struct loading *l = context;
  l->status = write_and_verify(l->client, write, l->error);
  if (!l->status && !l->after_write(l->context)) l->status = ARMDYN_ECANCELLED;
  return l->status == ARMDYN_OK;
}

enum armdyn_status mapped_load(struct client *c, const struct profile *profile, bool (*after_write)(void *context),
                               void *context, struct armdyn_error *error)
{
  struct loading l = { .client = c, .after_write = after_write, .context = context, .error = error };
  c->mapped = (struct mapped){ .phase = PHASE_LOADING, .profile = profile->head.id };
  enum armdyn_status rc = map_plan(&c->address.map, c->address.unit, profile, load_one, &l, error);
  if (rc) return ARMDYN_ECONFLICT;
  if (l.status) return l.status;
  c->mapped.phase = PHASE_READY;
  return mapped_look(c, error);
}
