/* Steps of a register map: one after the other, what is written, held and waited for. */
#include "api/codec/register_map.h"

enum { HOLD_LEAST_MS = 100, HOLD_MS = 100, HOLD_MOST_MS = 10000, WAIT_MS = 2000, WAIT_MOST_MS = 60000 };

static const char *const kinds[] = { "write", "pulse", "toggle", "wait", "check" };
static const char *const words[] = { "", "points", "first", "page_points", "page", "toggled" };
enum { WORDS = sizeof words / sizeof *words };

/* -- a value -- */

static void value_decode(struct json_reader *r, const struct json_field *field, void *member,
                         const struct json_context *context)
{
  (void)context;
  struct map_value *value = member;
  if (json_peek(r) != JSON_TEXT) {
    json_read_number(r, field->unit, &value->number);
    return;
  }
  struct json_slice text;
  if (!json_read_text(r, NULL, &text)) return;
  for (int w = MAP_WORD_POINTS; w < WORDS; w++)
    if (json_slice_is(text, words[w])) value->word = (enum map_word)w;
  if (!value->word) json_fault(r, NULL, FAULT_ENUM, "must be %s", field->unit);
}

static void value_encode(struct json_writer *w, const struct json_field *field, const void *member,
                         const struct json_context *context)
{
  (void)field, (void)context;
  const struct map_value *value = member;
  if (value->word)
    json_write_text(w, words[value->word]);
  else
    json_write_number(w, value->number);
}

/* -- a step -- */

static void step_init(void *object)
{
  memset(object, 0, sizeof(struct map_step));
  struct map_step *step = object;
  step->hold_ms = HOLD_MS;
  step->timeout_ms = WAIT_MS;
}

static void step_check(struct json_reader *r, void *object, uint64_t given, const struct json_context *context)
{
  (void)given, (void)context;
  const struct map_step *s = object;
  bool found = s->kind == MAP_STEP_WAIT || s->kind == MAP_STEP_CHECK, toggles = s->kind == MAP_STEP_TOGGLE;
  if (found && !s->has_equal_to)
    json_fault(r, "/equal_to", FAULT_REQUIRED, "\"%s\" needs it: what the field must be", kinds[s->kind]);
  if (!found && !toggles && !s->has_value)
    json_fault(r, "/value", FAULT_REQUIRED, "\"%s\" needs it: what is written", kinds[s->kind]);
  if (s->has_value && (found || toggles)) json_fault(r, "/value", FAULT_UNSUPPORTED, "\"%s\" has none", kinds[s->kind]);
  if (s->has_equal_to && !found) json_fault(r, "/equal_to", FAULT_UNSUPPORTED, "\"%s\" has none", kinds[s->kind]);
}

#define VALUE_WORDS "a number, \"points\", \"first\", \"page_points\", \"page\" or \"toggled\""
static const struct json_field step_fields[] = {
  { ENUM(struct map_step, kind, kinds), NAMED("do") },
  { TEXT(struct map_step, field), REQUIRED },
  { CUSTOM(struct map_step, value, value_decode, value_encode, VALUE_WORDS), HAS(struct map_step, has_value) },
  { CUSTOM(struct map_step, equal_to, value_decode, value_encode, VALUE_WORDS), HAS(struct map_step, has_equal_to) },
  { INTEGER(struct map_step, hold_ms, BETWEEN(HOLD_LEAST_MS, HOLD_MOST_MS), "ms"), OMIT_DEFAULT },
  { INTEGER(struct map_step, timeout_ms, BETWEEN(0, WAIT_MOST_MS), "ms"), OMIT_DEFAULT },
};
static const struct json_type step_type = JSON_TYPE("a step", step_fields, struct map_step, step_init, step_check);

static const struct json_field list_field = { LIST(struct map_steps, steps, count, 0, step_type) };

void map_steps_decode(struct json_reader *r, const struct json_field *field, void *member,
                      const struct json_context *context)
{
  (void)field;
  struct map_steps *list = member;
  list->alone = json_peek(r) == JSON_OBJECT;
  if (!list->alone)
    json_decode_field(r, &list_field, list, context);
  else if (json_decode_object(r, &step_type, &list->steps[0], context))
    list->count = 1;
}

void map_steps_encode(struct json_writer *w, const struct json_field *field, const void *member,
                      const struct json_context *context)
{
  (void)field;
  const struct map_steps *list = member;
  if (list->alone) {
    json_encode_object(w, &step_type, &list->steps[0], context);
    return;
  }
  json_begin_array(w);
  for (size_t i = 0; i < list->count; i++) json_encode_object(w, &step_type, &list->steps[i], context);
  json_end_array(w);
}

/* -- what they say of fields -- */

struct checking {
  struct json_reader *r;
  const struct register_map *map;
  const char *list; /* its name */
  bool loads, pages;
};

static void check_value(const struct checking *c, const char *where, const struct map_field *f,
                        const struct map_value *value, bool written)
{
  bool of_page = value->word == MAP_WORD_FIRST || value->word == MAP_WORD_PAGE_POINTS || value->word == MAP_WORD_PAGE;
  if (of_page && !c->pages)
    json_fault(c->r, where, FAULT_INCONSISTENT, "\"%s\" is of a page; there is none in \"%s\"", words[value->word],
               c->list);
  if (value->word == MAP_WORD_POINTS && !c->loads)
    json_fault(c->r, where, FAULT_INCONSISTENT, "\"points\" is of a profile; there is none in \"%s\"", c->list);
  if (value->word == MAP_WORD_TOGGLED && f && !map_field_is_bit(f))
    json_fault(c->r, where, FAULT_INCONSISTENT, "\"toggled\" is of a bit, and field '%s' is none", f->name);
  if (!value->word && written && f && !(value->number >= f->form.min && value->number <= f->form.max))
    json_fault(c->r, where, FAULT_INCONSISTENT, "field '%s' takes %g to %g, got %g", f->name, f->form.min, f->form.max,
               value->number);
}

static void check_step(const struct checking *c, size_t i, const struct map_steps *list)
{
  const struct map_step *s = &list->steps[i];
  const struct map_field *f = map_field_of(c->map, s->field);
  bool written = s->kind <= MAP_STEP_TOGGLE, toggled = false;
  char step[40], field[64], value[64];
  snprintf(step, sizeof step, list->alone ? "/commands/%s" : "/commands/%s/%zu", c->list, i);
  snprintf(field, sizeof field, "%s/field", step);
  snprintf(value, sizeof value, "%s/%s", step, written ? "value" : "equal_to");
  map_check_name(c->r, c->map, field, s->field, written);
  check_value(c, value, f, written ? &s->value : &s->equal_to, written);
  if (s->kind == MAP_STEP_TOGGLE && f && (!map_field_is_bit(f) || f->access != MAP_READ_WRITE))
    json_fault(c->r, field, FAULT_INCONSISTENT,
               "a toggle needs a bit (a coil, or a mask of one bit) to read and write");
  for (size_t k = 0; k < i; k++) toggled = toggled || list->steps[k].kind == MAP_STEP_TOGGLE;
  if (!toggled && (written ? s->value : s->equal_to).word == MAP_WORD_TOGGLED)
    json_fault(c->r, value, FAULT_INCONSISTENT, "no step before it toggles anything");
}

void map_check_steps(struct json_reader *r, const struct register_map *map)
{
  const struct map_commands *m = &map->commands;
  const struct {
    const char *name;
    const struct map_steps *list;
  } lists[] = { { "begin", &m->begin },   { "page", &m->page },   { "commit", &m->commit },
                { "arm", &m->arm },       { "start", &m->start }, { "hold", &m->hold },
                { "resume", &m->resume }, { "stop", &m->stop },   { "clear", &m->clear } };
  for (size_t n = 0; n < sizeof lists / sizeof *lists; n++) {
    const struct checking c = { r, map, lists[n].name, n < 3, n == 1 };
    for (size_t i = 0; i < lists[n].list->count; i++) check_step(&c, i, lists[n].list);
  }
  if (m->page.count && !*map->points.index_field)
    json_fault(r, "/points/index_field", FAULT_REQUIRED, "pages need it: where the index of their first point goes");
}
