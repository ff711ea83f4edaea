#include <limits.h>

#include "api/json/fields.h"
#include "api/json/number.h"
#include "api/wire/nearest.h"

enum { WORDS_SIZE = JSON_CHOICES_SIZE, EXCERPT_SIZE = 48 };
#define INTEGER_MOST 9007199254740991.0 /* 2^53 - 1: beyond it, doubles skip whole numbers (RFC 8259, section 6) */

static const struct json_context no_context;

static void *member_of(const struct json_field *field, void *object)
{
  return (char *)object + field->offset;
}

static size_t *count_of(const struct json_field *field, void *object)
{
  return (size_t *)(void *)((char *)object + field->count_offset);
}

static size_t length_of(size_t length, const struct json_context *context)
{
  return length == PER_JOINT ? context->joint_count : length;
}

/* "a number (kg)" */
static const char *words(char out[WORDS_SIZE], const char *what, const char *unit)
{
  snprintf(out, WORDS_SIZE, unit ? "%s (%s)" : "%s%s", what, unit ? unit : "");
  return out;
}

/* The same for a fault, should the next value be of another kind: most are not, and wording costs more than reading. */
static const char *words_unless(struct json_reader *r, enum json_kind kind, char out[WORDS_SIZE], const char *what,
                                const char *unit)
{
  return json_peek(r) == kind ? NULL : words(out, what, unit);
}

/* -- one function for every kind; each reads exactly one value -- */

typedef void decode_function(struct json_reader *r, const struct json_field *field, void *object,
                             const struct json_context *context);

/* Is the number within its bounds? If not, a fault says which and shows it. */
static bool within(struct json_reader *r, const char *below, const struct json_field *field, double x)
{
  const struct json_bounds *b = &field->bounds;
  char got[NUMBER_SIZE], bound[NUMBER_SIZE];
  bool low = b->exclusive ? x <= b->minimum : x<b->minimum, high = x> b->maximum, zero = b->non_zero && x == 0;
  if (!low && !high && !zero) return true;
  number_print(x, got);
  const char *open = field->unit ? " (" : "", *unit = field->unit ? field->unit : "", *close = field->unit ? ")" : "";
  if (zero) {
    json_fault(r, below, FAULT_MINIMUM, "must not be 0%s%s%s", open, unit, close);
    return false;
  }
  number_print(low ? b->minimum : b->maximum, bound);
  json_fault(r, below, low ? FAULT_MINIMUM : FAULT_MAXIMUM, "must be %s %s, got %s%s%s%s",
             high           ? "<="
             : b->exclusive ? ">"
                            : ">=",
             bound, got, open, unit, close);
  return false;
}

static void decode_truth(struct json_reader *r, const struct json_field *field, void *object,
                         const struct json_context *context)
{
  (void)context;
  json_read_truth(r, NULL, member_of(field, object));
}

static void decode_number(struct json_reader *r, const struct json_field *field, void *object,
                          const struct json_context *context)
{
  (void)context;
  char expected[WORDS_SIZE];
  double x;
  const char *what = words_unless(r, JSON_NUMBER, expected, "a number", field->unit);
  if (!json_read_number(r, what, &x) || !within(r, NULL, field, x)) return;
  memcpy(member_of(field, object), &x, sizeof x);
}

/* Store a whole number in an integer of the member's size. */
static void store_integer(const struct json_field *field, void *member, long long value)
{
  signed char byte = (signed char)value;
  short half = (short)value;
  int word = (int)value;
  const void *from = field->size == 1   ? (void *)&byte
                     : field->size == 2 ? (void *)&half
                     : field->size == 4 ? (void *)&word
                                        : (void *)&value;
  memcpy(member, from, field->size);
}

static void decode_integer(struct json_reader *r, const struct json_field *field, void *object,
                           const struct json_context *context)
{
  (void)context;
  char expected[WORDS_SIZE], got[NUMBER_SIZE];
  double x;
  if (!json_read_number(r, words(expected, "a whole number", field->unit), &x)) return;
  if (x != floor(x) || fabs(x) > INTEGER_MOST) {
    number_print(x, got);
    json_fault(r, NULL, FAULT_TYPE, "must be %s%s, got %s", expected, x == floor(x) ? " up to 2^53 - 1" : "", got);
    return;
  }
  if (within(r, NULL, field, x)) store_integer(field, member_of(field, object), (long long)x);
}

/* A text with its quotes, for a message. */
static const char *quoted(struct json_slice raw, char excerpt[EXCERPT_SIZE])
{
  return json_excerpt((struct json_slice){ raw.data - 1, raw.length + 2 }, excerpt, EXCERPT_SIZE);
}

/* The text of a slice that fits into `size` bytes, NUL included; faults say what does not. */
static bool copy_text(struct json_reader *r, struct json_slice raw, char *to, size_t size)
{
  size_t length = json_slice_decode(raw, to, size);
  if (length == SIZE_MAX)
    json_fault(r, NULL, FAULT_PATTERN, "must not contain the character U+0000");
  else if (length >= size)
    json_fault(r, NULL, FAULT_LENGTH, "must have at most %zu bytes, got %zu", size - 1, length);
  return length < size;
}

static bool matches(struct json_reader *r, const struct json_field *field, struct json_slice raw, const char *text)
{
  char excerpt[EXCERPT_SIZE];
  if (!field->pattern || field->pattern->matches(text)) return true;
  json_fault(r, NULL, FAULT_PATTERN, "must be %s, got %s", field->pattern->words, quoted(raw, excerpt));
  return false;
}

static void decode_text(struct json_reader *r, const struct json_field *field, void *object,
                        const struct json_context *context)
{
  (void)context;
  struct json_slice raw;
  char *to = member_of(field, object);
  if (json_read_text(r, NULL, &raw) && copy_text(r, raw, to, field->size)) matches(r, field, raw, to);
}

/* Replace an allocated text; what it was before is freed. */
static char *allocate_text(struct json_reader *r, const struct json_field *field, void *object, size_t size)
{
  char **place = (char **)member_of(field, object), *text = malloc(size);
  if (!text) {
    json_out_of_memory(r);
    return NULL;
  }
  free(*place);
  *place = text;
  return text;
}

static void decode_string(struct json_reader *r, const struct json_field *field, void *object,
                          const struct json_context *context)
{
  (void)context;
  struct json_slice raw;
  if (!json_read_text(r, NULL, &raw)) return;
  size_t longest = field->length ? field->length : raw.length, size = (raw.length < longest ? raw.length : longest) + 1;
  char *text = allocate_text(r, field, object, size);
  if (!text) return;
  text[0] = '\0';
  if (copy_text(r, raw, text, size)) matches(r, field, raw, text);
}

static void decode_document(struct json_reader *r, const struct json_field *field, void *object,
                            const struct json_context *context)
{
  (void)context;
  struct json_slice raw;
  if (!json_skip(r, &raw)) return;
  char *text = allocate_text(r, field, object, raw.length + 1);
  if (!text) return;
  memcpy(text, raw.data, raw.length);
  text[raw.length] = '\0';
}

const char *json_field_choices(const struct json_field *field, char out[JSON_CHOICES_SIZE])
{
  size_t used = 0;
  *out = '\0';
  for (size_t i = 0; i < field->name_count && used < JSON_CHOICES_SIZE; i++)
    used += (size_t)snprintf(out + used, JSON_CHOICES_SIZE - used, "%s\"%s\"",
                             i == 0                      ? ""
                             : i + 1 < field->name_count ? ", "
                                                         : " or ",
                             field->names[i]);
  return out;
}

static void decode_enum(struct json_reader *r, const struct json_field *field, void *object,
                        const struct json_context *context)
{
  (void)context;
  struct json_slice raw;
  char list[JSON_CHOICES_SIZE], excerpt[EXCERPT_SIZE];
  json_field_choices(field, list);
  if (!json_read_text(r, list, &raw)) return;
  for (int i = 0; i < (int)field->name_count; i++) {
    if (!json_slice_is(raw, field->names[i])) continue;
    memcpy(member_of(field, object), &i, sizeof i);
    return;
  }
  json_fault(r, NULL, FAULT_ENUM, "must be %s, got %s", list, quoted(raw, excerpt));
}

/* A list of numbers of which some may be null, or whose length may vary; answers how many there were. */
static size_t decode_elements(struct json_reader *r, const struct json_field *field, double *into, size_t most)
{
  char expected[WORDS_SIZE], number[WORDS_SIZE];
  size_t found = 0;
  if (!json_enter_array(r, words(expected, "a list of numbers", field->unit))) return SIZE_MAX;
  for (words(number, "a number", field->unit); json_next_element(r); found++) {
    double x;
    if (field->null_elements && json_read_null(r)) continue;
    if (json_read_number(r, number, &x) && within(r, NULL, field, x) && found < most) into[found] = x;
  }
  return r->status ? SIZE_MAX : found;
}

/* Fault of a list's length; least == most: exactly so many. */
static bool right_length(struct json_reader *r, const char *what, const char *unit, size_t least, size_t most,
                         size_t found)
{
  if (found >= least && found <= most) return true;
  size_t bound = found < least ? least : most;
  const char *how = least == most   ? ""
                    : found < least ? "at least "
                                    : "at most ",
             *space = unit ? " (" : "", *close = unit ? ")" : "";
  json_fault(r, NULL, FAULT_LENGTH, "must have %s%zu %s%s%s%s%s, got %zu", how, bound, what, bound == 1 ? "" : "s",
             space, unit ? unit : "", close, found);
  return false;
}

static void decode_numbers(struct json_reader *r, const struct json_field *field, void *object,
                           const struct json_context *context)
{
  double *into = member_of(field, object);
  size_t count = length_of(field->length, context);
  char below[32];
  if (!field->counted && !field->null_elements) {
    if (!json_read_numbers(r, field->unit, count, into)) return;
    for (size_t i = 0; i < count; i++) {
      snprintf(below, sizeof below, "/%zu", i);
      within(r, below, field, into[i]);
    }
    return;
  }
  size_t found = decode_elements(r, field, into, count);
  if (found == SIZE_MAX) return;
  right_length(r, "number", field->unit, field->counted ? field->least : count, count, found);
  if (field->counted) *count_of(field, object) = found < count ? found : count;
}

static void decode_matrix(struct json_reader *r, const struct json_field *field, void *object,
                          const struct json_context *context)
{
  double *into = member_of(field, object);
  size_t rows = length_of(field->length, context), columns = length_of(field->columns, context), found = 0;
  char expected[WORDS_SIZE], below[32];
  snprintf(expected, sizeof expected, "a list of %zu rows of %zu numbers%s%s%s", rows, columns, field->unit ? " (" : "",
           field->unit ? field->unit : "", field->unit ? ")" : "");
  if (!json_enter_array(r, expected)) return;
  for (; json_next_element(r); found++) {
    if (found >= rows) {
      json_skip(r, NULL);
    } else if (!(field->null_elements && json_read_null(r)) &&
               json_read_numbers(r, field->unit, columns, into + found * columns)) {
      for (size_t i = 0; i < columns; i++) {
        snprintf(below, sizeof below, "/%zu", i);
        within(r, below, field, into[found * columns + i]);
      }
    }
  }
  if (!r->status) right_length(r, "row", NULL, rows, rows, found);
}

static void decode_nested(struct json_reader *r, const struct json_field *field, void *object,
                          const struct json_context *context)
{
  json_decode_object(r, field->type, member_of(field, object), context);
}

/* The place of item `index`, made when the list is an allocated one; NULL: none left. */
static void *item_place(struct json_reader *r, const struct json_field *field, void *object, size_t index)
{
  size_t size = field->type->size;
  if (index >= field->length) return NULL;
  if (!field->allocated) return (char *)member_of(field, object) + index * size;
  void **items = (void **)member_of(field, object);
  if ((index & (index - 1)) == 0) { /* full at every power of two: double it */
    void *more = realloc(*items, (index ? 2 * index : 1) * size);
    if (!more) {
      json_out_of_memory(r);
      return NULL;
    }
    *items = more;
  }
  return (char *)*items + index * size;
}

static void decode_list(struct json_reader *r, const struct json_field *field, void *object,
                        const struct json_context *context)
{
  char expected[WORDS_SIZE];
  size_t found = 0, *count = count_of(field, object);
  snprintf(expected, sizeof expected, "a list, each item %s", field->type->words);
  if (!json_enter_array(r, expected)) return;
  *count = 0;
  for (; json_next_element(r); found++) {
    void *item = item_place(r, field, object, found);
    if (!item) {
      json_skip(r, NULL);
      continue;
    }
    *count = found + 1;
    json_decode_object(r, field->type, item, context);
  }
  if (!r->status) right_length(r, "item", NULL, field->least, field->length, found);
}

static void decode_map(struct json_reader *r, const struct json_field *field, void *object,
                       const struct json_context *context)
{
  (void)context;
  struct json_map *map = member_of(field, object);
  struct json_slice key, value;
  size_t found = 0;
  map->count = 0;
  if (!json_enter_object(r, "an object of texts: {\"name\": \"value\"}")) return;
  for (; json_next_member(r, &key); found++) {
    bool room = found < LIMIT_TAGS;
    size_t at = map->count;
    char spare[LIMIT_TAG + 1], *name = room ? map->items[at].key : spare, *text = room ? map->items[at].value : spare;
    if (!json_read_text(r, NULL, &value) || !copy_text(r, value, text, LIMIT_TAG + 1) ||
        !copy_text(r, key, name, LIMIT_TAG + 1) || !room)
      continue;
    bool repeated = false;
    for (size_t i = 0; i < at; i++) repeated |= strcmp(map->items[i].key, name) == 0;
    if (!*name)
      json_fault(r, NULL, FAULT_LENGTH, "must have a name");
    else if (repeated)
      json_fault(r, NULL, FAULT_DUPLICATE, "is there twice; keep one");
    else
      map->count++;
  }
  if (!r->status && found > LIMIT_TAGS) right_length(r, "tag", NULL, 0, LIMIT_TAGS, found);
}

static void decode_custom(struct json_reader *r, const struct json_field *field, void *object,
                          const struct json_context *context)
{
  field->decode(r, field, member_of(field, object), context);
}

static void decode_read_only(struct json_reader *r, const struct json_field *field, void *object,
                             const struct json_context *context)
{
  (void)field, (void)object, (void)context;
  json_skip(r, NULL);
}

static decode_function *const kinds[] = {
  [FIELD_TRUTH] = decode_truth,   [FIELD_INTEGER] = decode_integer,     [FIELD_NUMBER] = decode_number,
  [FIELD_TEXT] = decode_text,     [FIELD_STRING] = decode_string,       [FIELD_DOCUMENT] = decode_document,
  [FIELD_ENUM] = decode_enum,     [FIELD_NUMBERS] = decode_numbers,     [FIELD_MATRIX] = decode_matrix,
  [FIELD_OBJECT] = decode_nested, [FIELD_LIST] = decode_list,           [FIELD_MAP] = decode_map,
  [FIELD_CUSTOM] = decode_custom, [FIELD_READ_ONLY] = decode_read_only,
};
_Static_assert(sizeof kinds / sizeof *kinds == FIELD_KINDS, "decode every kind");

/* -- objects -- */

static void set_flag(bool there, size_t offset, void *object, bool value)
{
  if (there) memcpy((char *)object + offset, &value, sizeof value);
}

bool json_decode_field(struct json_reader *r, const struct json_field *field, void *object,
                       const struct json_context *context)
{
  size_t faults = r->fault_count;
  bool null = field->nullable && json_read_null(r);
  if (!null) kinds[field->kind](r, field, object, context ? context : &no_context);
  set_flag(field->has_flag, field->has_offset, object, !null);
  set_flag(field->null_flag, field->null_offset, object, null);
  return !r->status && r->fault_count == faults;
}

/* The row of this name, or NULL. */
static const struct json_field *json_field_find(const struct json_type *type, struct json_slice name)
{
  for (size_t i = 0; i < type->field_count; i++)
    if (json_slice_is(name, json_field_name(&type->fields[i]))) return &type->fields[i];
  return NULL;
}

static const char *suggestion(const void *list, size_t index)
{
  const struct json_field *field = (const struct json_field *)list + index;
  return field->kind == FIELD_READ_ONLY ? NULL : json_field_name(field);
}

static void unknown_field(struct json_reader *r, const struct json_type *type, struct json_slice raw)
{
  char name[64];
  json_slice_decode(raw, name, sizeof name);
  bool told = r->fault_count < LIMIT_FAULTS; /* beyond it nobody reads the suggestion, and it costs time */
  const char *near = told ? nearest(name, suggestion, type->fields, type->field_count) : NULL;
  if (near)
    json_fault(r, NULL, FAULT_UNKNOWN, "%s has no such field; did you mean \"%s\"?", type->words, near);
  else
    json_fault(r, NULL, FAULT_UNKNOWN, "%s has no such field", type->words);
  json_skip(r, NULL);
}

/* What belongs into a field, for "is missing". */
static const char *field_words(const struct json_field *field, char out[WORDS_SIZE])
{
  static const char *const names[FIELD_KINDS] = {
    [FIELD_TRUTH] = "true or false",
    [FIELD_INTEGER] = "a whole number",
    [FIELD_NUMBER] = "a number",
    [FIELD_TEXT] = "a text",
    [FIELD_STRING] = "a text",
    [FIELD_DOCUMENT] = "any value",
    [FIELD_NUMBERS] = "a list of numbers",
    [FIELD_MATRIX] = "a list of rows of numbers",
    [FIELD_LIST] = "a list",
    [FIELD_MAP] = "an object of texts",
    [FIELD_CUSTOM] = "a value",
  };
  if (field->kind == FIELD_ENUM) return json_field_choices(field, out);
  return field->kind == FIELD_OBJECT ? field->type->words : words(out, names[field->kind], field->unit);
}

static void init(const struct json_type *type, void *object)
{
  if (type->init)
    type->init(object);
  else
    memset(object, 0, type->size);
}

bool json_decode_object(struct json_reader *r, const struct json_type *type, void *object,
                        const struct json_context *context)
{
  size_t faults = r->fault_count;
  uint64_t seen = 0, given = 0, wrong = 0;
  struct json_slice key;
  char expected[WORDS_SIZE];
  init(type, object);
  if (!context) context = &no_context;
  if (!json_enter_object(r, words_unless(r, JSON_OBJECT, expected, "an object", type->words))) return false;
  while (json_next_member(r, &key)) {
    const struct json_field *field = json_field_find(type, key);
    uint64_t bit = field ? UINT64_C(1) << (field - type->fields) : 0;
    if (!field) {
      unknown_field(r, type, key);
    } else if (seen & bit) {
      json_fault(r, NULL, FAULT_DUPLICATE, "is there twice; keep one");
      json_skip(r, NULL);
    } else {
      seen |= bit;
      if (json_peek(r) != JSON_NULL) given |= bit;
      if (!json_decode_field(r, field, object, context)) wrong |= bit;
    }
  }
  r->wrong = wrong;
  for (size_t i = 0; !r->status && i < type->field_count; i++) {
    const struct json_field *field = &type->fields[i];
    if (!field->required || (seen >> i & 1)) continue;
    char below[96];
    snprintf(below, sizeof below, "/%s", json_field_name(field));
    json_fault(r, below, FAULT_REQUIRED, "is missing: %s", field_words(field, expected));
  }
  if (!r->status && type->check) type->check(r, object, given, context);
  return !r->status && r->fault_count == faults;
}

enum armdyn_status json_decode(const char *text, size_t length, const struct json_type *type, void *object,
                               const struct json_context *context, struct faults *faults)
{
  struct json_reader r;
  json_reader_init(&r, text, length, faults);
  json_decode_object(&r, type, object, context);
  json_finish(&r);
  enum armdyn_status status = json_reader_status(&r);
  if (status) json_release(type, object);
  return status;
}

void json_release(const struct json_type *type, void *object)
{
  for (size_t i = 0; i < type->field_count; i++) {
    const struct json_field *field = &type->fields[i];
    void *member = member_of(field, object);
    if (field->kind == FIELD_OBJECT) json_release(field->type, member);
    if (field->kind == FIELD_STRING || field->kind == FIELD_DOCUMENT) {
      free(*(char **)member);
      *(char **)member = NULL;
    }
    if (field->kind != FIELD_LIST) continue;
    char *items = field->allocated ? *(char **)member : member;
    for (size_t k = 0; k < *count_of(field, object); k++) json_release(field->type, items + k * field->type->size);
    if (!field->allocated) continue;
    free(items);
    *(char **)member = NULL;
    *count_of(field, object) = 0;
  }
}
