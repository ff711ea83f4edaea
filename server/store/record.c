#include "server/store/record.h"

#include "api/wire/buffer.h"

static const struct field *find_field(const struct record_type *type, const char *column)
{
  for (size_t i = 0; i < type->field_count; i++)
    if (strcmp(type->fields[i].column, column) == 0) return &type->fields[i];
  return NULL;
}

void record_release(const struct record_type *type, void *record)
{
  if (!record) return;
  for (size_t i = 0; i < type->field_count; i++)
    if (type->fields[i].type == FIELD_OWNED) free(*(char **)((char *)record + type->fields[i].offset));
  memset(record, 0, type->size);
}

size_t record_bytes(const struct record_type *type, const void *record)
{
  size_t bytes = type->size;
  for (size_t i = 0; i < type->field_count; i++) {
    const char *text =
        type->fields[i].type == FIELD_OWNED ? *(char *const *)((const char *)record + type->fields[i].offset) : NULL;
    if (text) bytes += strlen(text);
  }
  return bytes;
}

static struct value field_value(const struct field *f, const void *record)
{
  const void *member = (const char *)record + f->offset;
  switch (f->type) {
  case FIELD_TEXT: return value_text(*(const char *)member ? member : f->fallback);
  case FIELD_OWNED: return value_text(*(char *const *)member ? *(char *const *)member : f->fallback);
  case FIELD_INTEGER: return value_integer(*(const int64_t *)member);
  case FIELD_INT: return value_integer(*(const int *)member);
  case FIELD_BOOL: return value_integer(*(const bool *)member);
  case FIELD_NAMED: return value_text(f->names[*(const unsigned *)member]);
  }
  return value_text(NULL);
}

static enum armdyn_status bind_record(struct sql_statement *statement, const struct record_type *type,
                                      const void *record)
{
  enum armdyn_status status = ARMDYN_OK;
  for (int place = 1; !status && place <= sql_places(statement); place++) {
    const char *name = sql_place_name(statement, place);
    const struct field *field = name ? find_field(type, name + 1) : NULL;
    status = field ? sql_bind(statement, place, field_value(field, record)) : ARMDYN_EINTERNAL;
  }
  return status;
}

static enum armdyn_status read_name(const struct field *f, const char *text, int *member)
{
  for (int i = 0; f->names[i]; i++) {
    if (strcmp(f->names[i], text) != 0) continue;
    *member = i;
    return ARMDYN_OK;
  }
  return ARMDYN_EINTERNAL; /* the schema's CHECK and the table of names disagree */
}

/* One column into its member; the record was all zero before. */
static enum armdyn_status read_field(const struct field *f, struct sql_statement *statement, int column, void *record)
{
  void *member = (char *)record + f->offset;
  const bool number = f->type == FIELD_INTEGER || f->type == FIELD_INT || f->type == FIELD_BOOL;
  const char *text = number ? NULL : sql_text(statement, column);
  switch (f->type) {
  case FIELD_TEXT:
    if (text && strlen(text) >= f->size) return ARMDYN_EINTERNAL;
    if (text) memcpy(member, text, strlen(text) + 1);
    return ARMDYN_OK;
  case FIELD_OWNED:
    if (text && !(*(char **)member = strdup(text))) return ARMDYN_EMEMORY;
    return ARMDYN_OK;
  case FIELD_INTEGER: *(int64_t *)member = sql_integer(statement, column); return ARMDYN_OK;
  case FIELD_INT: *(int *)member = (int)sql_integer(statement, column); return ARMDYN_OK;
  case FIELD_BOOL: *(bool *)member = sql_integer(statement, column) != 0; return ARMDYN_OK;
  case FIELD_NAMED: return text ? read_name(f, text, member) : ARMDYN_EINTERNAL;
  }
  return ARMDYN_EINTERNAL;
}

/* Its columns from `first` on, once for all rows. */
static enum armdyn_status find_columns(struct sql_statement *statement, int first, const struct record_type *type,
                                       struct record_columns *columns)
{
  const int count = sql_columns(statement);
  if (count > RECORD_COLUMNS) return ARMDYN_EINTERNAL;
  for (int column = first; column < count; column++) {
    columns->fields[column] = find_field(type, sql_column_name(statement, column));
    if (!columns->fields[column]) return ARMDYN_EINTERNAL;
  }
  columns->of = statement;
  return ARMDYN_OK;
}

static enum armdyn_status read_record(struct sql_statement *statement, int first, const struct record_type *type,
                                      struct record_columns *columns, void *record)
{
  enum armdyn_status status = ARMDYN_OK;
  memset(record, 0, type->size);
  if (columns->of != statement) status = find_columns(statement, first, type, columns);
  const int count = sql_columns(statement);
  for (int column = first; !status && column < count; column++)
    status = read_field(columns->fields[column], statement, column, record);
  if (status) record_release(type, record);
  return status;
}

enum armdyn_status record_run(struct sql *sql, const char *text, const struct record_type *type, const void *record,
                              int *changed)
{
  struct sql_statement *statement;
  bool row = true;
  enum armdyn_status status = sql_prepare(sql, text, &statement);
  if (!status) status = bind_record(statement, type, record);
  while (!status && row) status = sql_step(statement, &row);
  if (changed) *changed = status ? 0 : sql_changed(sql);
  sql_finish(statement);
  return status;
}

enum armdyn_status record_send(struct sql *sql, const char *text, const struct record_type *type, const void *record)
{
  struct sql_statement *statement;
  enum armdyn_status status = sql_prepare(sql, text, &statement);
  if (!status) status = bind_record(statement, type, record);
  if (!status) status = sql_dispatch(statement);
  sql_finish(statement);
  return status;
}

enum armdyn_status record_change(struct sql *sql, const char *text, const struct record_type *type, const void *record)
{
  int changed;
  enum armdyn_status status = record_run(sql, text, type, record, &changed);
  return !status && changed == 0 ? ARMDYN_ENOTFOUND : status;
}

enum armdyn_status record_get(struct sql *sql, const char *text, struct values values, const struct record_type *type,
                              void *record)
{
  struct sql_statement *statement;
  bool row;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_ENOTFOUND;
  if (!status) status = read_record(statement, 0, type, &(struct record_columns){ .of = NULL }, record);
  sql_finish(statement);
  return status;
}

/* SELECT ... WHERE column = ? AND ... AND order < ? ORDER BY order DESC LIMIT ?, and the values for it. */
static void compose(const struct listing *l, struct buffer *text, struct value values[CONDITIONS + 2], size_t *count)
{
  const char *join = " WHERE ";
  buffer_text(text, l->select);
  for (const struct condition *c = l->where; c < l->where + CONDITIONS && c->column; c++) {
    if (c->value.type == VALUE_NULL) continue;
    buffer_format(text, "%s%s = ?", join, c->column);
    values[(*count)++] = c->value;
    join = " AND ";
  }
  if (l->and) {
    buffer_format(text, "%s(%s)", join, l->and);
    join = " AND ";
  }
  if (l->before.type != VALUE_NULL) {
    buffer_format(text, "%s%s %c ?", join, l->order, l->ascending ? '>' : '<');
    values[(*count)++] = l->before;
  }
  buffer_format(text, " ORDER BY %s%s", l->order, l->ascending ? "" : " DESC");
  if (!l->limit) return;
  buffer_text(text, " LIMIT ?");
  values[(*count)++] = value_integer((int64_t)l->limit);
}

enum armdyn_status records_append(struct records *records, struct sql_statement *statement, int first)
{
  if (records->count == records->capacity) {
    size_t more = records->capacity ? 2 * records->capacity : 16;
    void *items = realloc(records->items, more * records->type->size);
    if (!items) return ARMDYN_EMEMORY;
    records->items = items;
    records->capacity = more;
  }
  void *record = (char *)records->items + records->count * records->type->size;
  enum armdyn_status status = read_record(statement, first, records->type, &records->columns, record);
  records->count += status == ARMDYN_OK;
  return status;
}

enum armdyn_status record_list(struct sql *sql, const struct listing *listing, const struct record_type *type,
                               struct records *records)
{
  *records = (struct records){ .type = type };
  struct buffer text = BUFFER(4096);
  struct value values[CONDITIONS + 2];
  size_t count = 0;
  struct sql_statement *statement = NULL;
  bool row;
  compose(listing, &text, values, &count);
  enum armdyn_status status = text.failure;
  if (!status) status = sql_query(sql, text.data, (struct values){ values, count }, &statement);
  if (!status) status = sql_step(statement, &row);
  while (!status && row) {
    status = records_append(records, statement, 0);
    if (!status) status = sql_step(statement, &row);
  }
  sql_finish(statement);
  buffer_release(&text);
  if (status) records_release(records);
  return status;
}

void records_release(struct records *records)
{
  for (size_t i = 0; i < records->count; i++)
    record_release(records->type, (char *)records->items + i * records->type->size);
  free(records->items);
  *records = (struct records){ .type = records->type };
}
