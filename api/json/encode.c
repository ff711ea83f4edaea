#include "api/json/fields.h"

static const struct json_context no_context;

static const void *member_of(const struct json_field *field, const void *object)
{
  return (const char *)object + field->offset;
}

static size_t count_of(const struct json_field *field, const void *object)
{
  size_t count;
  memcpy(&count, (const char *)object + field->count_offset, sizeof count);
  return count;
}

static size_t length_of(size_t length, const struct json_context *context)
{
  return length == PER_JOINT ? context->joint_count : length;
}

static bool flag(const void *object, size_t offset)
{
  bool value;
  memcpy(&value, (const char *)object + offset, sizeof value);
  return value;
}

static const void *text_of(const struct json_field *field, const void *object)
{
  const char *text;
  memcpy(&text, member_of(field, object), sizeof text);
  return text;
}

/* How many numbers a vector or matrix has. */
static size_t number_count(const struct json_field *field, const void *object, const struct json_context *context)
{
  if (field->counted) return count_of(field, object);
  size_t rows = length_of(field->length, context);
  return field->kind == FIELD_MATRIX ? rows * length_of(field->columns, context) : rows;
}

/* -- is it the default? -- */

static bool fields_default(const struct json_type *type, const void *object, const void *defaults,
                           const struct json_context *context);

static bool is_default(const struct json_field *field, const void *object, const void *defaults,
                       const struct json_context *context)
{
  const void *a = member_of(field, object), *b = member_of(field, defaults);
  if (field->has_flag && flag(object, field->has_offset) != flag(defaults, field->has_offset)) return false;
  if (field->wanted) return !field->wanted(a, context);
  switch (field->kind) {
  case FIELD_TEXT: return strcmp(a, b) == 0;
  case FIELD_STRING:
  case FIELD_DOCUMENT: return text_of(field, object) == text_of(field, defaults);
  case FIELD_OBJECT: return fields_default(field->type, a, b, context);
  case FIELD_LIST: return count_of(field, object) == 0;
  case FIELD_MAP: return ((const struct json_map *)a)->count == 0;
  case FIELD_READ_ONLY: return true;
  case FIELD_NUMBERS:
  case FIELD_MATRIX:
    if (field->counted && count_of(field, object) != count_of(field, defaults)) return false;
    return memcmp(a, b, number_count(field, object, context) * sizeof(double)) == 0;
  default: return memcmp(a, b, field->size) == 0;
  }
}

static bool fields_default(const struct json_type *type, const void *object, const void *defaults,
                           const struct json_context *context)
{
  for (size_t i = 0; i < type->field_count; i++)
    if (!is_default(&type->fields[i], object, defaults, context)) return false;
  return true;
}

/* -- one function for every kind; each writes exactly one value -- */

/* What is written: the object, what it would be by default (NULL when no field asks), and the way there. */
struct encoding {
  struct json_writer *w;
  const void *object, *defaults;
  const struct json_context *context;
};
typedef void encode_function(const struct encoding *e, const struct json_field *field, const void *member);

static void encode_type(const struct encoding *e, const struct json_type *type);

static void encode_truth(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)field;
  json_write_truth(e->w, *(const bool *)member);
}

static void encode_integer(const struct encoding *e, const struct json_field *field, const void *member)
{
  bool is_signed = field->bounds.minimum < 0;
  signed char byte;
  short half;
  int word;
  long long value = 0;
  switch (field->size) {
  case sizeof byte:
    memcpy(&byte, member, sizeof byte);
    value = is_signed ? byte : (unsigned char)byte;
    break;
  case sizeof half:
    memcpy(&half, member, sizeof half);
    value = is_signed ? half : (unsigned short)half;
    break;
  case sizeof word:
    memcpy(&word, member, sizeof word);
    value = is_signed ? word : (long long)(unsigned)word;
    break;
  default: memcpy(&value, member, sizeof value);
  }
  json_write_integer(e->w, value);
}

static void encode_number(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)field;
  json_write_number(e->w, *(const double *)member);
}

static void encode_text(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)field;
  json_write_text(e->w, member);
}

static void encode_string(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)member;
  json_write_text(e->w, text_of(field, e->object));
}

static void encode_document(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)member;
  json_write_raw(e->w, text_of(field, e->object));
}

static void encode_enum(const struct encoding *e, const struct json_field *field, const void *member)
{
  unsigned index;
  memcpy(&index, member, sizeof index);
  json_write_text(e->w, index < field->name_count ? field->names[index] : NULL);
}

static void encode_numbers(const struct encoding *e, const struct json_field *field, const void *member)
{
  json_write_numbers(e->w, member, number_count(field, e->object, e->context));
}

static void encode_matrix(const struct encoding *e, const struct json_field *field, const void *member)
{
  size_t shape[] = { length_of(field->length, e->context), length_of(field->columns, e->context) };
  json_write_table(e->w, member, shape, 2);
}

static void encode_nested(const struct encoding *e, const struct json_field *field, const void *member)
{
  const void *defaults = e->defaults ? member_of(field, e->defaults) : NULL;
  struct encoding inner = { e->w, member, defaults, e->context };
  json_begin_object(e->w);
  encode_type(&inner, field->type);
  json_end_object(e->w);
}

static void encode_list(const struct encoding *e, const struct json_field *field, const void *member)
{
  const char *items = field->allocated ? text_of(field, e->object) : member;
  json_begin_array(e->w);
  for (size_t i = 0; i < count_of(field, e->object); i++)
    json_encode_object(e->w, field->type, items + i * field->type->size, e->context);
  json_end_array(e->w);
}

static void encode_map(const struct encoding *e, const struct json_field *field, const void *member)
{
  (void)field;
  const struct json_map *map = member;
  json_begin_object(e->w);
  for (size_t i = 0; i < map->count; i++) json_key(e->w, map->items[i].key), json_write_text(e->w, map->items[i].value);
  json_end_object(e->w);
}

static void encode_custom(const struct encoding *e, const struct json_field *field, const void *member)
{
  field->encode(e->w, field, member, e->context);
}

static encode_function *const kinds[] = {
  [FIELD_TRUTH] = encode_truth,   [FIELD_INTEGER] = encode_integer, [FIELD_NUMBER] = encode_number,
  [FIELD_TEXT] = encode_text,     [FIELD_STRING] = encode_string,   [FIELD_DOCUMENT] = encode_document,
  [FIELD_ENUM] = encode_enum,     [FIELD_NUMBERS] = encode_numbers, [FIELD_MATRIX] = encode_matrix,
  [FIELD_OBJECT] = encode_nested, [FIELD_LIST] = encode_list,       [FIELD_MAP] = encode_map,
  [FIELD_CUSTOM] = encode_custom, [FIELD_READ_ONLY] = NULL, /* whoever answers adds those */
};
_Static_assert(sizeof kinds / sizeof *kinds == FIELD_KINDS, "encode every kind");

/* -- objects -- */

static void encode_type(const struct encoding *e, const struct json_type *type)
{
  for (size_t i = 0; i < type->field_count; i++) {
    const struct json_field *field = &type->fields[i];
    if (field->kind == FIELD_READ_ONLY) continue;
    bool absent = field->has_flag && !flag(e->object, field->has_offset);
    bool null = absent && (field->null_when_absent || (field->null_flag && flag(e->object, field->null_offset)));
    if (absent && !null) continue;
    if (!absent && field->omit_default && e->defaults && is_default(field, e->object, e->defaults, e->context))
      continue;
    json_key(e->w, json_field_name(field));
    if (null)
      json_write_null(e->w);
    else
      kinds[field->kind](e, field, member_of(field, e->object));
  }
}

/* Does any field of it, at any depth but in lists, ask for defaults? */
static bool asks_defaults(const struct json_type *type)
{
  for (size_t i = 0; i < type->field_count; i++) {
    const struct json_field *field = &type->fields[i];
    if (field->omit_default || (field->kind == FIELD_OBJECT && asks_defaults(field->type))) return true;
  }
  return false;
}

void json_encode_fields(struct json_writer *w, const struct json_type *type, const void *object,
                        const struct json_context *context)
{
  struct encoding e = { w, object, NULL, context ? context : &no_context };
  void *defaults = NULL;
  if (asks_defaults(type)) {
    defaults = calloc(1, type->size);
    if (!defaults) {
      if (buffer_ok(w->out)) w->out->failure = ARMDYN_EMEMORY;
      return;
    }
    if (type->init) type->init(defaults);
    e.defaults = defaults;
  }
  encode_type(&e, type);
  free(defaults);
}

void json_encode_object(struct json_writer *w, const struct json_type *type, const void *object,
                        const struct json_context *context)
{
  json_begin_object(w);
  json_encode_fields(w, type, object, context);
  json_end_object(w);
}

void json_encode(struct buffer *out, const struct json_type *type, const void *object,
                 const struct json_context *context)
{
  struct json_writer w = { .out = out };
  json_encode_object(&w, type, object, context);
}
