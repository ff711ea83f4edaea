#include "api/codec/register_map.h"

static const char *const spaces[] = { "holding", "input", "coil", "discrete" };
static const char *const types[] = { "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64" };
static const char *const orders[] = { "ABCD", "CDAB", "BADC", "DCBA" };
static const char *const accesses[] = { "read", "write", "read_write" };
static const char *const verifications[] = { "none", "readback" };
static const char *const quantities[] = { "position", "torque", "velocity" };
static const char *const writings[] = { "auto", "single", "multiple" };
static const int type_words[] = { 1, 1, 2, 2, 4, 4, 2, 4 };

int map_type_words(enum map_type type)
{
  return type_words[type];
}

bool map_field_is_bit(const struct map_field *field)
{
  return field->space == MAP_COIL || field->space == MAP_DISCRETE ||
         (field->mask && !(field->mask & (field->mask - 1)));
}

size_t map_table_count(const struct map_points *points)
{
  return points->table_count ? points->table_count : 1;
}

const struct map_table *map_table_of(const struct map_points *points, size_t index)
{
  return points->table_count ? &points->tables[index] : &points->alone;
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
  if (!f->mask) return;
  bool whole = f->space == MAP_HOLDING || f->space == MAP_INPUT;
  if (!whole || f->form.type != MAP_UINT16 || (f->form.order != MAP_ABCD && f->form.order != MAP_CDAB))
    json_fault(r, "/mask", FAULT_INCONSISTENT, "is of one register: of type uint16, its bytes not swapped");
  if (f->access == MAP_WRITE)
    json_fault(r, "/mask", FAULT_INCONSISTENT,
               "the other bits of its register are kept, so it must be readable: \"access\": \"read_write\"");
}

static const struct json_field field_fields[] = {
  { TEXT(struct map_field, name), MATCHES(json_name_pattern), REQUIRED },
  { ENUM(struct map_field, space, spaces), NAMED("register") },
  { INTEGER(struct map_field, address, ADDRESS, NULL), REQUIRED },
  { INTEGER(struct map_field, unit_id, BETWEEN(-1, 255), NULL), OMIT_DEFAULT },
  FORM_ROWS(struct map_field),
  { INTEGER(struct map_field, mask, BETWEEN(0, 65535), NULL), OMIT_DEFAULT },
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
  { INTEGER(struct map_column, table, BETWEEN(0, LIMIT_AXES - 1), NULL), OMIT_DEFAULT },
  { INTEGER(struct map_column, at, ADDRESS, NULL), REQUIRED },
  FORM_ROWS(struct map_column),
};
static const struct json_type column_type =
    JSON_TYPE("a column", column_fields, struct map_column, column_init, column_check);

static const struct json_field table_fields[] = {
  { INTEGER(struct map_table, address, ADDRESS, NULL), REQUIRED },
  { INTEGER(struct map_table, stride, BETWEEN(1, 123), NULL), REQUIRED },
  { INTEGER(struct map_table, unit_id, BETWEEN(-1, 255), NULL), OMIT_DEFAULT },
};

static void table_init(void *object)
{
  *(struct map_table *)object = (struct map_table){ .unit_id = -1 };
}
static const struct json_type table_type = JSON_TYPE("a table", table_fields, struct map_table, table_init, NULL);

static void points_init(void *object)
{
  memset(object, 0, sizeof(struct map_points));
  ((struct map_points *)object)->alone.unit_id = -1;
}

static void check_column(struct json_reader *r, const struct map_points *p, size_t i)
{
  const struct map_column *c = &p->columns[i];
  const int end = c->at + type_words[c->form.type];
  char where[64];
  if ((size_t)c->table >= map_table_count(p)) {
    snprintf(where, sizeof where, "/columns/%zu/table", i);
    json_fault(r, where, FAULT_MAXIMUM, "there are %zu tables, counted from 0", map_table_count(p));
    return;
  }
  const int stride = map_table_of(p, (size_t)c->table)->stride;
  snprintf(where, sizeof where, "/columns/%zu/at", i);
  if (end > stride) json_fault(r, where, FAULT_MAXIMUM, "ends at register %d of a point, which has %d", end, stride);
  for (size_t k = 0; k < i; k++) {
    const struct map_column *o = &p->columns[k];
    if (c->axis == o->axis && c->quantity == o->quantity) {
      snprintf(where, sizeof where, "/columns/%zu", i);
      json_fault(r, where, FAULT_DUPLICATE, "the %s of axis %d is /columns/%zu already", quantities[c->quantity],
                 c->axis, k);
    } else if (c->table == o->table && c->at < o->at + type_words[o->form.type] && o->at < end) {
      json_fault(r, where, FAULT_INCONSISTENT, "overlaps /columns/%zu", k);
    }
  }
}

static void check_tables(struct json_reader *r, const struct map_points *p)
{
  char where[64];
  for (size_t i = 0; i < map_table_count(p); i++) {
    const struct map_table *t = map_table_of(p, i);
    const long long end = (long long)t->address + (long long)t->stride * p->count;
    snprintf(where, sizeof where, "/count");
    if (end > 65537)
      json_fault(r, where, FAULT_MAXIMUM, "%d points of %d registers from %d on end beyond register 65535", p->count,
                 t->stride, t->address);
    for (size_t k = 0; k < i; k++) {
      const struct map_table *o = map_table_of(p, k);
      snprintf(where, sizeof where, "/tables/%zu/address", i);
      if (t->unit_id == o->unit_id && t->address < (long long)o->address + (long long)o->stride * p->count &&
          o->address < end)
        json_fault(r, where, FAULT_INCONSISTENT, "overlaps /tables/%zu", k);
    }
  }
}

static void points_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct map_points *p = object;
  if (p->table_count && (p->has_address || p->has_stride))
    json_fault(r, p->has_address ? "/address" : "/stride", FAULT_UNSUPPORTED, "the tables have their own");
  if (!p->table_count && !p->has_address)
    json_fault(r, "/address", FAULT_REQUIRED, "is needed: the first register of the table");
  if (!p->table_count && !p->has_stride)
    json_fault(r, "/stride", FAULT_REQUIRED, "is needed: the registers of a point");
  for (size_t i = 0; i < p->column_count; i++) check_column(r, p, i);
  check_tables(r, p);
  if (*p->page_count_field && !*p->index_field)
    json_fault(r, "/index_field", FAULT_REQUIRED, "pages need it: where the index of their first point goes");
}

static const struct json_field points_fields[] = {
  { INTEGER(struct map_points, alone.address, ADDRESS, NULL), NAMED("address"), HAS(struct map_points, has_address) },
  { INTEGER(struct map_points, count, BETWEEN(1, 65536), NULL), REQUIRED },
  { INTEGER(struct map_points, alone.stride, BETWEEN(1, 123), NULL), NAMED("stride"),
    HAS(struct map_points, has_stride) },
  { INTEGER(struct map_points, alone.unit_id, BETWEEN(-1, 255), NULL), NAMED("unit_id"), OMIT_DEFAULT },
  { LIST(struct map_points, tables, table_count, 1, table_type), OMIT_DEFAULT },
  { ENUM(struct map_points, verify, verifications) },
  { LIST(struct map_points, columns, column_count, 1, column_type), REQUIRED },
  { TEXT(struct map_points, period_field), OMIT_DEFAULT },
  { TEXT(struct map_points, count_field), OMIT_DEFAULT },
  { TEXT(struct map_points, index_field), OMIT_DEFAULT },
  { TEXT(struct map_points, page_count_field), OMIT_DEFAULT },
  { MAP_STEPS(struct map_points, page_trigger) },
  { MAP_STEPS(struct map_points, trigger) },
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
  { MAP_STEPS(struct map_commands, begin) },  { MAP_STEPS(struct map_commands, page) },
  { MAP_STEPS(struct map_commands, commit) }, { MAP_STEPS(struct map_commands, arm) },
  { MAP_STEPS(struct map_commands, start) },  { MAP_STEPS(struct map_commands, hold) },
  { MAP_STEPS(struct map_commands, resume) }, { MAP_STEPS(struct map_commands, stop) },
  { MAP_STEPS(struct map_commands, clear) },
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

void map_check_name(struct json_reader *r, const struct register_map *map, const char *where, const char *name,
                    bool written)
{
  const struct map_field *f = map_field_of(map, name);
  if (!*name) return;
  if (!f)
    json_fault(r, where, FAULT_INCONSISTENT, "there is no field '%s'", name);
  else if (written ? f->access == MAP_READ : f->access == MAP_WRITE)
    json_fault(r, where, FAULT_INCONSISTENT, "field '%s' has access \"%s\"", name, accesses[f->access]);
}

static void check_signals(struct json_reader *r, const struct register_map *map, const char *name,
                          const struct map_signal *signals, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    char where[64];
    snprintf(where, sizeof where, "/%s/%zu/field", name, i);
    map_check_name(r, map, where, signals[i].field, false);
  }
}

static void check_references(struct json_reader *r, const struct register_map *map)
{
  const struct map_points *p = &map->points;
  const struct map_field *period = map_field_of(map, p->period_field), *count = map_field_of(map, p->count_field);
  map_check_name(r, map, "/points/period_field", p->period_field, !period || period->access != MAP_READ);
  map_check_name(r, map, "/points/count_field", p->count_field, !count || count->access != MAP_READ);
  map_check_name(r, map, "/points/index_field", p->index_field, true);
  map_check_name(r, map, "/points/page_count_field", p->page_count_field, true);
  map_check_name(r, map, "/heartbeat", map->heartbeat, true);
  map_check_name(r, map, "/states/field", map->states.field, false);
  check_signals(r, map, "positions", map->positions, map->position_count);
  check_signals(r, map, "torques", map->torques, map->torque_count);
  map_check_name(r, map, "/played_field", map->played_field, false);
  map_check_outputs(r, map);
  map_check_steps(r, map);
}

/* Earlier maps named one write after each page, and one after all of them. */
static void translate(struct json_reader *r, struct map_steps *former, struct map_steps *now, const char *where,
                      const char *name)
{
  if (former->count && now->count)
    json_fault(r, where, FAULT_INCONSISTENT, "stands for commands.%s, which is there too", name);
  else if (former->count)
    *now = *former;
  memset(former, 0, sizeof *former);
}

static void check_field(struct json_reader *r, const struct register_map *map, size_t i)
{
  const struct map_field *f = &map->fields[i];
  bool bits = f->space == MAP_COIL || f->space == MAP_DISCRETE;
  int first = f->address - map->address_base, count = bits ? 1 : type_words[f->form.type];
  char where[64];
  snprintf(where, sizeof where, "/fields/%zu/address", i);
  if (first < 0 || first + count > 65536)
    json_fault(r, where, FAULT_MINIMUM, "addresses are counted from %d and end at %d", map->address_base,
               65535 + map->address_base);
  snprintf(where, sizeof where, "/fields/%zu/name", i);
  if (map_field_of(map, f->name) != f) json_fault(r, where, FAULT_DUPLICATE, "'%s' is a field already", f->name);
  snprintf(where, sizeof where, "/fields/%zu/type", i);
  if (count > map->write_most || count > map->read_most)
    json_fault(r, where, FAULT_INCONSISTENT, "needs %d registers at once, more than one request may have", count);
}

static void check_points(struct json_reader *r, const struct register_map *map)
{
  char where[64];
  for (size_t i = 0; map->has_points && i < map_table_count(&map->points); i++) {
    const struct map_table *t = map_table_of(&map->points, i);
    const bool listed = map->points.table_count > 0;
    snprintf(where, sizeof where, listed ? "/points/tables/%zu/address" : "/points/address", i);
    if (t->address < map->address_base)
      json_fault(r, where, FAULT_MINIMUM, "addresses are counted from %d", map->address_base);
    snprintf(where, sizeof where, listed ? "/points/tables/%zu/stride" : "/points/stride", i);
    if (t->stride > map->write_most)
      json_fault(r, where, FAULT_MAXIMUM, "a point is written at once, and a request has %d registers at most",
                 map->write_most);
  }
}

static void map_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  struct register_map *map = object;
  translate(r, &map->points.page_trigger, &map->commands.page, "/points/page_trigger", "page");
  translate(r, &map->points.trigger, &map->commands.commit, "/points/trigger", "commit");
  for (size_t i = 0; i < map->field_count; i++) check_field(r, map, i);
  check_points(r, map);
  check_references(r, map);
  if (map->commands.start.count && !map->states.counts[MAP_PLAYING])
    json_fault(r, "/states", FAULT_REQUIRED,
               "what can be started must show when it plays: \"states\" with \"playing\"");
  if (map->commands.start.count && !map->commands.stop.count)
    json_fault(r, "/commands/stop", FAULT_REQUIRED, "what can be started must be stoppable");
}

static const struct json_field map_fields[] = {
  { INTEGER(struct register_map, address_base, BETWEEN(0, 1), NULL) },
  { INTEGER(struct register_map, write_most, BETWEEN(1, 123), NULL), NAMED("max_write_registers") },
  { INTEGER(struct register_map, read_most, BETWEEN(1, 125), NULL), NAMED("max_read_registers") },
  { ENUM(struct register_map, writing, writings), NAMED("writes") },
  { INTEGER(struct register_map, pause_after_connect_ms, BETWEEN(0, 10000), NULL) },
  { INTEGER(struct register_map, pause_ms, BETWEEN(0, 1000), NULL) },
  { INTEGER(struct register_map, timeout_ms, BETWEEN(50, 10000), NULL) },
  { LIST(struct register_map, fields, field_count, 0, field_type), REQUIRED },
  { TRUTH(struct register_map, unverified) },
  { OBJECT(struct register_map, points, points_type), HAS(struct register_map, has_points) },
  { OBJECT(struct register_map, states, states_type), HAS(struct register_map, has_states) },
  { OBJECT(struct register_map, commands, commands_type), OMIT_DEFAULT },
  { TEXT(struct register_map, heartbeat), OMIT_DEFAULT },
  { LIST(struct register_map, positions, position_count, 0, signal_type), OMIT_DEFAULT },
  { LIST(struct register_map, torques, torque_count, 0, signal_type), OMIT_DEFAULT },
  { TEXT(struct register_map, played_field), OMIT_DEFAULT },
  { LIST(struct register_map, outputs, output_count, 0, map_output_type), OMIT_DEFAULT },
};
const struct json_type register_map_type =
    JSON_TYPE("a register map", map_fields, struct register_map, map_init, map_check);
