#include "api/codec/register_map.h"

static const char *const spaces[] = { "holding", "input", "coil", "discrete" };
static const char *const types[] = { "int16", "uint16", "int32", "uint32", "float32", "float64" };
static const char *const orders[] = { "ABCD", "CDAB", "BADC", "DCBA" };
static const char *const accesses[] = { "read", "write", "read_write" };
static const char *const verifications[] = { "none", "readback" };
static const char *const quantities[] = { "position", "torque" };
static const int type_words[] = { 1, 1, 2, 2, 2, 4 };

int map_type_words(enum map_type type)
{
  return type_words[type];
}

const struct map_field *map_field_of(const struct register_map *map, const char *name)
{
  for (size_t i = 0; i < map->field_count; i++)
    if (!strcmp(map->fields[i].name, name)) return &map->fields[i];
  return NULL;
}

#define ADDRESS BETWEEN(0, 65535)
#define FORM_INIT                                                                                                      \
  {                                                                                                                    \
    .type = MAP_UINT16, .scale = 1, .min = -INFINITY, .max = INFINITY                                                  \
  }
#define FORM_ROWS(struct_)                                                                                             \
  { ENUM(struct_, form.type, types), NAMED("type"), REQUIRED },                                                        \
      { ENUM(struct_, form.order, orders), NAMED("word_order") },                                                      \
      { NUMBER(struct_, form.scale, NON_ZERO, "units of the value per count"), NAMED("scale") },                       \
      { NUMBER(struct_, form.offset, ANY_NUMBER, "units of the value"), NAMED("offset") },                             \
      { NUMBER(struct_, form.min, ANY_NUMBER, NULL), NAMED("min"), OMIT_DEFAULT },                                     \
  {                                                                                                                    \
    NUMBER(struct_, form.max, ANY_NUMBER, NULL), NAMED("max"), OMIT_DEFAULT                                            \
  }

/* -- a field -- */

static void field_init(void *object)
{
  *(struct map_field *)object = (struct map_field){ .unit_id = -1, .form = FORM_INIT, .access = MAP_READ };
}

static void check_range(struct json_reader *r, const struct map_form *form)
{
  if (form->min > form->max)
    json_fault(r, "/min", FAULT_INCONSISTENT, "must not be above max = %g, got %g", form->max, form->min);
}

static void field_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct map_field *f = object;
  check_range(r, &f->form);
  if ((f->space == MAP_INPUT || f->space == MAP_DISCRETE) && f->access != MAP_READ)
    json_fault(r, "/access", FAULT_INCONSISTENT, "%s registers can only be read", spaces[f->space]);
  if ((f->space == MAP_COIL || f->space == MAP_DISCRETE) && type_words[f->form.type] != 1)
    json_fault(r, "/type", FAULT_INCONSISTENT, "a bit holds no %s; say uint16", types[f->form.type]);
  if (f->verify == MAP_READ_BACK && f->access != MAP_READ_WRITE)
    json_fault(r, "/verify", FAULT_INCONSISTENT, "what is read back needs \"access\": \"read_write\"");
}

static const struct json_field field_fields[] = {
  { TEXT(struct map_field, name), MATCHES(json_name_pattern), REQUIRED },
  { ENUM(struct map_field, space, spaces), NAMED("register") },
  { INTEGER(struct map_field, address, ADDRESS, NULL), REQUIRED },
  { INTEGER(struct map_field, unit_id, BETWEEN(-1, 255), NULL), OMIT_DEFAULT },
  FORM_ROWS(struct map_field),
  { TEXT(struct map_field, unit), OMIT_DEFAULT },
  { ENUM(struct map_field, access, accesses) },
  { ENUM(struct map_field, verify, verifications) },
};
static const struct json_type field_type =
    JSON_TYPE("a field", field_fields, struct map_field, field_init, field_check);

/* -- points -- */

static void column_init(void *object)
{
  *(struct map_column *)object = (struct map_column){ .form = FORM_INIT };
}

static void column_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  check_range(r, &((const struct map_column *)object)->form);
}

static const struct json_field column_fields[] = {
  { INTEGER(struct map_column, axis, BETWEEN(1, LIMIT_AXES), NULL), REQUIRED },
  { ENUM(struct map_column, quantity, quantities), REQUIRED },
  { INTEGER(struct map_column, at, ADDRESS, NULL), REQUIRED },
  FORM_ROWS(struct map_column),
};
static const struct json_type column_type =
    JSON_TYPE("a column", column_fields, struct map_column, column_init, column_check);

static const struct json_field action_fields[] = {
  { TEXT(struct map_action, field), REQUIRED },
  { NUMBER(struct map_action, value, ANY_NUMBER, NULL), REQUIRED },
};
static const struct json_type action_type = JSON_TYPE("an action", action_fields, struct map_action, NULL, NULL);

static void points_init(void *object)
{
  memset(object, 0, sizeof(struct map_points));
  ((struct map_points *)object)->unit_id = -1;
}

static void points_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct map_points *p = object;
  char where[64];
  for (size_t i = 0; i < p->column_count; i++) {
    const struct map_column *c = &p->columns[i];
    int end = c->at + type_words[c->form.type];
    snprintf(where, sizeof where, "/columns/%zu/at", i);
    if (end > p->stride)
      json_fault(r, where, FAULT_MAXIMUM, "ends at register %d of a point, which has %d", end, p->stride);
    for (size_t k = 0; k < i; k++) {
      const struct map_column *o = &p->columns[k];
      if (c->axis == o->axis && c->quantity == o->quantity) {
        snprintf(where, sizeof where, "/columns/%zu", i);
        json_fault(r, where, FAULT_DUPLICATE, "the %s of axis %d is /columns/%zu already", quantities[c->quantity],
                   c->axis, k);
      } else if (c->at < o->at + type_words[o->form.type] && o->at < end) {
        json_fault(r, where, FAULT_INCONSISTENT, "overlaps /columns/%zu", k);
      }
    }
  }
  if ((long long)p->address + (long long)p->stride * p->count > 65537)
    json_fault(r, "/count", FAULT_MAXIMUM, "%d points of %d registers from %d on end beyond register 65535", p->count,
               p->stride, p->address);
  bool paged = *p->index_field || *p->page_trigger.field || *p->page_count_field;
  if (paged && !*p->index_field)
    json_fault(r, "/index_field", FAULT_REQUIRED, "pages need it: where the index of their first point goes");
}

static const struct json_field points_fields[] = {
  { INTEGER(struct map_points, address, ADDRESS, NULL), REQUIRED },
  { INTEGER(struct map_points, count, BETWEEN(1, 65536), NULL), REQUIRED },
  { INTEGER(struct map_points, stride, BETWEEN(1, 123), NULL), REQUIRED },
  { INTEGER(struct map_points, unit_id, BETWEEN(-1, 255), NULL), OMIT_DEFAULT },
  { ENUM(struct map_points, verify, verifications) },
  { LIST(struct map_points, columns, column_count, 1, column_type), REQUIRED },
  { TEXT(struct map_points, period_field), OMIT_DEFAULT },
  { TEXT(struct map_points, count_field), OMIT_DEFAULT },
  { TEXT(struct map_points, index_field), OMIT_DEFAULT },
  { TEXT(struct map_points, page_count_field), OMIT_DEFAULT },
  { OBJECT(struct map_points, page_trigger, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_points, trigger, action_type), OMIT_DEFAULT },
};
static const struct json_type points_type =
    JSON_TYPE("points", points_fields, struct map_points, points_init, points_check);

/* -- states, commands, positions -- */

#define STATE(index_, name_)                                                                                           \
  {                                                                                                                    \
    NUMBERS(struct map_states, values[index_], MAP_STATE_VALUES, ANY_NUMBER, NULL), NAMED(name_),                      \
        COUNTED(struct map_states, counts[index_]), OMIT_DEFAULT                                                       \
  }
static const struct json_field states_fields[] = {
  { TEXT(struct map_states, field), REQUIRED }, STATE(MAP_IDLE, "idle"), STATE(MAP_PLAYING, "playing"),
  STATE(MAP_HOLDING_STATE, "holding"),          STATE(MAP_DONE, "done"), STATE(MAP_FAULT, "fault"),
};
static const struct json_type states_type = JSON_TYPE("states", states_fields, struct map_states, NULL, NULL);

static const struct json_field commands_fields[] = {
  { OBJECT(struct map_commands, arm, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_commands, start, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_commands, hold, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_commands, resume, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_commands, stop, action_type), OMIT_DEFAULT },
  { OBJECT(struct map_commands, clear, action_type), OMIT_DEFAULT },
};
static const struct json_type commands_type = JSON_TYPE("commands", commands_fields, struct map_commands, NULL, NULL);

static const struct json_field signal_fields[] = {
  { INTEGER(struct map_signal, axis, BETWEEN(1, LIMIT_AXES), NULL), REQUIRED },
  { TEXT(struct map_signal, field), REQUIRED },
};
static const struct json_type signal_type =
    JSON_TYPE("a measured signal", signal_fields, struct map_signal, NULL, NULL);

/* -- the whole -- */

static void map_init(void *object)
{
  struct register_map *map = object;
  memset(map, 0, sizeof *map);
  map->write_most = 123;
  map->read_most = 125;
  map->timeout_ms = 500;
  points_init(&map->points);
}

/* A name that something refers to: a field, that can be written or read. */
static void check_name(struct json_reader *r, const struct register_map *map, const char *where, const char *name,
                       bool written)
{
  const struct map_field *f = map_field_of(map, name);
  if (!*name) return;
  if (!f)
    json_fault(r, where, FAULT_INCONSISTENT, "there is no field '%s'", name);
  else if (written ? f->access == MAP_READ : f->access == MAP_WRITE)
    json_fault(r, where, FAULT_INCONSISTENT, "field '%s' has access \"%s\"", name, accesses[f->access]);
}

static void check_action(struct json_reader *r, const struct register_map *map, const char *where,
                         const struct map_action *action)
{
  char field[64], value[64];
  snprintf(field, sizeof field, "%s/field", where);
  snprintf(value, sizeof value, "%s/value", where);
  check_name(r, map, field, action->field, true);
  const struct map_field *f = map_field_of(map, action->field);
  if (f && !(action->value >= f->form.min && action->value <= f->form.max))
    json_fault(r, value, FAULT_INCONSISTENT, "field '%s' takes %g to %g, got %g", f->name, f->form.min, f->form.max,
               action->value);
}

static void check_signals(struct json_reader *r, const struct register_map *map, const char *name,
                          const struct map_signal *signals, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char where[64];
    snprintf(where, sizeof where, "/%s/%zu/field", name, i);
    check_name(r, map, where, signals[i].field, false);
  }
}

static void check_references(struct json_reader *r, const struct register_map *map)
{
  const struct map_points *p = &map->points;
  const struct map_commands *c = &map->commands;
  check_name(r, map, "/points/period_field", p->period_field, true);
  check_name(r, map, "/points/count_field", p->count_field, true);
  check_name(r, map, "/points/index_field", p->index_field, true);
  check_name(r, map, "/points/page_count_field", p->page_count_field, true);
  check_action(r, map, "/points/page_trigger", &p->page_trigger);
  check_action(r, map, "/points/trigger", &p->trigger);
  check_action(r, map, "/commands/arm", &c->arm);
  check_action(r, map, "/commands/start", &c->start);
  check_action(r, map, "/commands/hold", &c->hold);
  check_action(r, map, "/commands/resume", &c->resume);
  check_action(r, map, "/commands/stop", &c->stop);
  check_action(r, map, "/commands/clear", &c->clear);
  check_name(r, map, "/heartbeat", map->heartbeat, true);
  check_name(r, map, "/states/field", map->states.field, false);
  check_signals(r, map, "positions", map->positions, map->position_count);
  check_signals(r, map, "torques", map->torques, map->torque_count);
}

static void map_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct register_map *map = object;
  char where[64];
  for (size_t i = 0; i < map->field_count; i++) {
    const struct map_field *f = &map->fields[i];
    bool bits = f->space == MAP_COIL || f->space == MAP_DISCRETE;
    int first = f->address - map->address_base, words = bits ? 1 : type_words[f->form.type];
    snprintf(where, sizeof where, "/fields/%zu/address", i);
    if (first < 0 || first + words > 65536)
      json_fault(r, where, FAULT_MINIMUM, "addresses are counted from %d and end at %d", map->address_base,
                 65535 + map->address_base);
    snprintf(where, sizeof where, "/fields/%zu/name", i);
    if (map_field_of(map, f->name) != f) json_fault(r, where, FAULT_DUPLICATE, "'%s' is a field already", f->name);
    snprintf(where, sizeof where, "/fields/%zu/type", i);
    if (words > map->write_most || words > map->read_most)
      json_fault(r, where, FAULT_INCONSISTENT, "needs %d registers at once, more than one request may have", words);
  }
  if (map->has_points && map->points.address < map->address_base)
    json_fault(r, "/points/address", FAULT_MINIMUM, "addresses are counted from %d", map->address_base);
  if (map->has_points && map->points.stride > map->write_most)
    json_fault(r, "/points/stride", FAULT_MAXIMUM, "a point is written at once, and a request has %d registers at most",
               map->write_most);
  check_references(r, map);
  if (*map->commands.start.field && !map->states.counts[MAP_PLAYING])
    json_fault(r, "/states", FAULT_REQUIRED,
               "what can be started must show when it plays: \"states\" with \"playing\"");
  if (*map->commands.start.field && !*map->commands.stop.field)
    json_fault(r, "/commands/stop", FAULT_REQUIRED, "what can be started must be stoppable");
}

static const struct json_field map_fields[] = {
  { INTEGER(struct register_map, address_base, BETWEEN(0, 1), NULL) },
  { INTEGER(struct register_map, write_most, BETWEEN(1, 123), NULL), NAMED("max_write_registers") },
  { INTEGER(struct register_map, read_most, BETWEEN(1, 125), NULL), NAMED("max_read_registers") },
  { INTEGER(struct register_map, pause_after_connect_ms, BETWEEN(0, 10000), NULL) },
  { INTEGER(struct register_map, pause_ms, BETWEEN(0, 1000), NULL) },
  { INTEGER(struct register_map, timeout_ms, BETWEEN(50, 10000), NULL) },
  { LIST(struct register_map, fields, field_count, 0, field_type), REQUIRED },
  { OBJECT(struct register_map, points, points_type), HAS(struct register_map, has_points) },
  { OBJECT(struct register_map, states, states_type), HAS(struct register_map, has_states) },
  { OBJECT(struct register_map, commands, commands_type), OMIT_DEFAULT },
  { TEXT(struct register_map, heartbeat), OMIT_DEFAULT },
  { LIST(struct register_map, positions, position_count, 0, signal_type), OMIT_DEFAULT },
  { LIST(struct register_map, torques, torque_count, 0, signal_type), OMIT_DEFAULT },
};
const struct json_type register_map_type =
    JSON_TYPE("a register map", map_fields, struct register_map, map_init, map_check);
