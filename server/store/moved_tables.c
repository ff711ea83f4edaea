#include "server/store/moved_tables.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_FIRST = 4, LIMIT_MOST = 1024, PAGE_MOST = 4 << 20, PAGE_LEAST = 1 << 18, TEXT_SIZE = 8192 };

/* -- which tables there are -- */

/* The index of trigrams is SQLite's own, and is made anew by its trigger. */
#define THOSE                                                                                                          \
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite|_%' ESCAPE '|'"                       \
  " AND name NOT LIKE 'result|_search%' ESCAPE '|' AND name NOT IN ('schema_version', 'result_numbers', 'moving')"     \
  " ORDER BY name"

static enum armdyn_status add_name(char (*names)[MOVED_NAME_SIZE], int *count, int most, const char *name)
{
  if (*count == most || strlen(name) >= MOVED_NAME_SIZE) return ARMDYN_EINTERNAL;
  snprintf(names[(*count)++], MOVED_NAME_SIZE, "%s", name);
  return ARMDYN_OK;
}

/* Of the key first, in its order; then the others as they stand. */
static enum armdyn_status read_columns(struct sql *embedded, struct moved_table *table)
{
  struct sql_statement *statement;
  bool row = true;
  enum armdyn_status status =
      sql_query(embedded, "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY pk = 0, pk, cid",
                VALUES(value_text(table->name)), &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    table->keys += sql_integer(statement, 1) > 0;
    status = add_name(table->columns, &table->count, MOVED_COLUMNS, sql_text(statement, 0));
  }
  sql_finish(statement);
  return !status && (table->keys < 1 || table->keys > MOVED_KEYS) ? ARMDYN_EINTERNAL : status;
}

static enum armdyn_status read_number_column(struct sql *server, struct moved_table *table)
{
  int64_t found = 0;
  enum armdyn_status status =
      sql_number(server,
                 "SELECT count(*) FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE attname = 'rowid'"
                 " AND relnamespace = current_schema()::regnamespace AND relname = ?",
                 VALUES(value_text(table->name)), &found);
  return !status && found ? add_name(table->columns, &table->count, MOVED_COLUMNS, "rowid") : status;
}

enum armdyn_status moved_tables_read(struct sql *embedded, struct sql *server, struct moved_tables *out)
{
  struct sql_statement *statement;
  bool row = true;
  *out = (struct moved_tables){ .count = 0 };
  enum armdyn_status status = sql_query(embedded, THOSE, NO_VALUES, &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    struct moved_table *table = &out->items[out->count];
    if (out->count == MOVED_TABLES) {
      status = ARMDYN_EINTERNAL;
      break;
    }
    snprintf(table->name, sizeof table->name, "%s", sql_text(statement, 0));
    status = read_columns(embedded, table);
    if (!status) status = read_number_column(server, table);
    out->count++;
  }
  sql_finish(statement);
  return status;
}

/* -- statements of one -- */

static void put_columns(struct buffer *text, const struct moved_table *table, int count, const char *end)
{
  for (int i = 0; i < count; i++) buffer_format(text, "%s\"%s\"%s", i ? ", " : "", table->columns[i], end);
}

static void put_places(struct buffer *text, int count)
{
  for (int i = 0; i < count; i++) buffer_text(text, i ? ", ?" : "?");
}

enum armdyn_status moved_table_insertion(const struct moved_table *table, struct buffer *text)
{
  buffer_format(text, "INSERT INTO \"%s\" (", table->name);
  put_columns(text, table, table->count, "");
  buffer_text(text, ") VALUES (");
  put_places(text, table->count);
  buffer_text(text, ")");
  return text->failure;
}

/* -- rows -- */

void moved_rows_begin(struct moved_rows *rows, struct sql *sql, const struct moved_table *table)
{
  *rows = (struct moved_rows){ .sql = sql, .table = table, .limit = LIMIT_FIRST };
}

void moved_rows_end(struct moved_rows *rows)
{
  sql_finish(rows->statement);
  rows->statement = NULL;
  for (int i = 0; i < MOVED_KEYS; i++) free(rows->texts[i]);
  memset(rows->texts, 0, sizeof rows->texts);
}

static struct value value_of(struct sql_statement *statement, int column)
{
  struct value value = { .type = sql_type(statement, column) };
  switch (value.type) {
  case VALUE_NULL: break;
  case VALUE_INTEGER: value.integer = sql_integer(statement, column); break;
  case VALUE_NUMBER: value.number = sql_real(statement, column); break;
  case VALUE_TEXT: value.data = sql_text(statement, column), value.size = strlen(value.data); break;
  case VALUE_BLOB: value.data = sql_blob(statement, column, &value.size); break;
  }
  return value;
}

struct value moved_rows_value(const struct moved_rows *rows, int column)
{
  return value_of(rows->statement, column);
}

static enum armdyn_status remember_key(struct moved_rows *rows, struct sql_statement *statement)
{
  for (int i = 0; i < rows->table->keys; i++) {
    rows->key[i] = value_of(statement, i);
    if (rows->key[i].type != VALUE_TEXT) continue;
    free(rows->texts[i]);
    rows->texts[i] = strdup(rows->key[i].data);
    if (!rows->texts[i]) return ARMDYN_EMEMORY;
    rows->key[i].data = rows->texts[i];
  }
  rows->begun = true;
  return ARMDYN_OK;
}

enum armdyn_status moved_rows_after(struct moved_rows *rows, struct sql *other)
{
  struct buffer text = BUFFER(TEXT_SIZE);
  struct sql_statement *statement = NULL;
  bool row = false;
  buffer_text(&text, "SELECT ");
  put_columns(&text, rows->table, rows->table->keys, "");
  buffer_format(&text, " FROM \"%s\" ORDER BY ", rows->table->name);
  put_columns(&text, rows->table, rows->table->keys, " DESC");
  buffer_text(&text, " LIMIT 1");
  enum armdyn_status status = text.failure;
  if (!status) status = sql_query(other, text.data, NO_VALUES, &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && row) status = remember_key(rows, statement);
  sql_finish(statement);
  buffer_release(&text);
  return status;
}

/* A page is to be some hundred kilobytes: rows are of a hundred bytes, and of megabytes. */
static void adapt(struct moved_rows *rows)
{
  if (rows->bytes > PAGE_MOST && rows->limit > 1) rows->limit /= 4;
  if (rows->bytes < PAGE_LEAST && rows->limit < LIMIT_MOST) rows->limit *= 2;
  if (rows->limit < 1) rows->limit = 1;
  rows->bytes = 0;
  rows->seen = 0;
}

static enum armdyn_status next_page(struct moved_rows *rows)
{
  struct buffer text = BUFFER(TEXT_SIZE);
  struct value values[MOVED_KEYS + 1];
  size_t count = 0;
  const struct moved_table *table = rows->table;
  sql_finish(rows->statement);
  rows->statement = NULL;
  adapt(rows);
  buffer_text(&text, "SELECT ");
  put_columns(&text, table, table->count, "");
  buffer_format(&text, " FROM \"%s\"", table->name);
  if (rows->begun) {
    buffer_text(&text, " WHERE (");
    put_columns(&text, table, table->keys, "");
    buffer_text(&text, ") > (");
    put_places(&text, table->keys);
    buffer_text(&text, ")");
    for (int i = 0; i < table->keys; i++) values[count++] = rows->key[i];
  }
  buffer_text(&text, " ORDER BY ");
  put_columns(&text, table, table->keys, "");
  buffer_text(&text, " LIMIT ?");
  values[count++] = value_integer(rows->limit);
  enum armdyn_status status = text.failure;
  if (!status) status = sql_query(rows->sql, text.data, (struct values){ values, count }, &rows->statement);
  buffer_release(&text);
  return status;
}

static void count_bytes(struct moved_rows *rows)
{
  for (int i = 0; i < rows->table->count; i++) rows->bytes += sizeof(struct value) + moved_rows_value(rows, i).size;
}

/* The key is remembered of the last row of a page alone: the page's own statement has the one before in it. */
enum armdyn_status moved_rows_next(struct moved_rows *rows, bool *row)
{
  *row = false;
  enum armdyn_status status = rows->statement && rows->seen < rows->limit ? ARMDYN_OK : next_page(rows);
  if (!status) status = sql_step(rows->statement, row);
  if (status || !*row) return status;
  count_bytes(rows);
  return ++rows->seen == rows->limit ? remember_key(rows, rows->statement) : ARMDYN_OK;
}
