#include "server/gateway/mapped.h"

#include <math.h>
#include <time.h>

#include "server/gateway/map_perform.h"

enum { GAP_MOST = 16 }; /* registers between two fields that are read along rather than asked for apart */

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
      map_read(c, unit_of(c, f), f->space, from - (unsigned)map->address_base, end - from, words, error);
  for (size_t i = 0; !rc && i < map->field_count; i++) {
    const struct map_field *g = &map->fields[i];
    unsigned at = (unsigned)g->address;
    if (g->access == MAP_WRITE || unit_of(c, g) != unit_of(c, f) || g->space != f->space) continue;
    if (at < from || at + words_of(g) > end) continue;
    c->mapped.signals[i] = map_field_decode(g, words + (at - from));
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
  const double played = signal_of(c, map->played_field);
  if (played >= 0 && played <= UINT32_MAX) c->state.play_index = (uint32_t)played;
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
  const int ms = map->pause_after_connect_ms;
  clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
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

struct performing {
  struct client *client;
  const struct meanwhile *meanwhile;
  bool starts; /* what is written starts it */
  enum armdyn_status status;
  struct armdyn_error *error;
};

static bool perform(void *context, const struct map_request *request)
{
  struct performing *p = context;
  if (p->starts && request->kind <= MAP_STEP_TOGGLE) p->client->mapped.started = true;
  p->status = map_perform(p->client, request, p->meanwhile, p->error);
  return !p->status;
}

enum armdyn_status mapped_beat(struct client *c, const struct meanwhile *meanwhile, struct armdyn_error *error)
{
  const char *field = c->address.map.heartbeat;
  struct performing p = { .client = c, .meanwhile = meanwhile, .error = error };
  if (!*field) return ARMDYN_OK;
  enum armdyn_status rc =
      map_plan_field(&c->address.map, c->address.unit, field, c->heartbeat % 32768, perform, &p, error);
  return rc ? ARMDYN_ECONFLICT : p.status;
}

static enum armdyn_status act(struct performing *p, const struct map_steps *steps, enum controller_command command)
{
  struct client *c = p->client;
  p->starts = command == COMMAND_START;
  if (!steps->count)
    return armdyn_refuse(p->error, ARMDYN_ECONFLICT, "", "the register map has no command for %s",
                         protocol_command_name(command));
  enum armdyn_status rc = map_plan_steps(&c->address.map, c->address.unit, steps, perform, p, p->error);
  return rc ? ARMDYN_ECONFLICT : p->status;
}

static enum armdyn_status start(struct performing *p)
{
  struct client *c = p->client;
  if (c->mapped.started) return armdyn_refuse(p->error, ARMDYN_ECONFLICT, "", "START was written already");
  if (c->address.map.unverified)
    return armdyn_refuse(p->error, ARMDYN_ECONFLICT, "", "the register map is unverified: its PLC must start it");
  c->mapped.done_before = seen_state(c) == MAP_DONE;
  return act(p, &c->address.map.commands.start, COMMAND_START);
}

static enum armdyn_status stop(struct performing *p)
{
  struct client *c = p->client;
  enum controller_phase phase = c->mapped.phase;
  bool moving = phase == PHASE_PLAYING || phase == PHASE_HOLDING || c->mapped.started;
  const struct map_steps *steps = &c->address.map.commands.stop;
  enum armdyn_status rc = steps->count || moving ? act(p, steps, COMMAND_STOP) : ARMDYN_OK;
  if (rc) return rc;
  c->mapped.started = false;
  if (phase != PHASE_FAULT) c->mapped.phase = PHASE_EMPTY; /* unless the next look says otherwise */
  return mapped_look(c, p->error);
}

static enum armdyn_status clear(struct performing *p)
{
  struct client *c = p->client;
  const struct map_steps *steps = &c->address.map.commands.clear;
  enum armdyn_status rc = steps->count ? act(p, steps, COMMAND_CLEAR) : ARMDYN_OK;
  if (rc) return rc;
  c->mapped = (struct mapped){ .phase = PHASE_EMPTY };
  return mapped_look(c, p->error);
}

enum armdyn_status mapped_command(struct client *c, enum controller_command command, const struct meanwhile *meanwhile,
                                  struct armdyn_error *error)
{
  const struct map_commands *commands = &c->address.map.commands;
  struct performing p = { .client = c, .meanwhile = meanwhile, .error = error };
  enum armdyn_status rc = ARMDYN_OK;
  switch (command) {
  case COMMAND_ARM:
    if (commands->arm.count) rc = act(&p, &commands->arm, command);
    if (rc) return rc;
    c->mapped.phase = PHASE_ARMED;
    return mapped_look(c, error);
  case COMMAND_START: rc = start(&p); break;
  case COMMAND_HOLD: rc = act(&p, &commands->hold, command); break;
  case COMMAND_RESUME: rc = act(&p, &commands->resume, command); break;
  case COMMAND_STOP: return stop(&p);
  case COMMAND_CLEAR: return clear(&p);
  default:
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "a register map knows no %s", protocol_command_name(command));
  }
  return rc ? rc : mapped_look(c, error);
}

/* -- loading -- */

static bool load_one(void *context, const struct map_request *request)
{
  struct performing *p = context;
  if (!perform(p, request)) return false;
  if (!p->meanwhile->go_on(p->meanwhile->context)) p->status = ARMDYN_ECANCELLED;
  return !p->status;
}

enum armdyn_status mapped_load(struct client *c, const struct profile *profile, const struct meanwhile *meanwhile,
                               struct armdyn_error *error)
{
  struct performing p = { .client = c, .meanwhile = meanwhile, .error = error };
  c->mapped = (struct mapped){ .phase = PHASE_LOADING, .profile = profile->head.id };
  enum armdyn_status rc = map_plan(&c->address.map, c->address.unit, profile, load_one, &p, error);
  if (rc) return ARMDYN_ECONFLICT;
  if (p.status) return p.status;
  c->mapped.phase = PHASE_READY;
  return mapped_look(c, error);
}

static bool verify_one(void *context, const struct map_request *request)
{
  struct performing *p = context;
  if (!request->stays) return true;
  p->status = map_compare(p->client, request, p->error);
  if (!p->status && !p->meanwhile->go_on(p->meanwhile->context)) p->status = ARMDYN_ECANCELLED;
  return !p->status;
}

enum armdyn_status mapped_verify(struct client *c, const struct profile *profile, const struct meanwhile *meanwhile,
                                 struct armdyn_error *error)
{
  struct performing p = { .client = c, .meanwhile = meanwhile, .error = error };
  enum armdyn_status rc = map_plan(&c->address.map, c->address.unit, profile, verify_one, &p, error);
  return rc ? ARMDYN_ECONFLICT : p.status;
}
