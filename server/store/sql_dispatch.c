/* sql.h by the engine that a connection has. */
#include "server/store/postgresql_connect.h"
#include "server/store/sql_engine.h"

enum armdyn_status sql_open(const char *address, enum sql_mode mode, struct sql **sql, struct armdyn_error *error)
{
  const struct sql_engine *engine = postgresql_is_address(address) ? &sql_postgresql : &sql_sqlite;
  return engine->open(address, mode, sql, error);
}

const char *sql_engine_name(const struct sql *sql)
{
  return sql->engine->name;
}

void sql_close(struct sql *sql)
{
  if (sql) sql->engine->close(sql);
}

const char *sql_message(struct sql *sql)
{
  return sql->engine->message(sql);
}

char *sql_alternative(const char *text, bool second)
{
  char *out = malloc(strlen(text) + 1), *end = out;
  if (!out) return NULL;
  bool in = false, other = false; /* between alternatives, and in the second of them */
  for (; *text; text++) {
    if (*text == '\x01')
      in = true, other = false;
    else if (*text == '\x02')
      other = true;
    else if (*text == '\x03')
      in = false;
    else if (!in || other == second)
      *end++ = *text;
  }
  *end = '\0';
  return out;
}

/* -- statements -- */

enum armdyn_status sql_prepare(struct sql *sql, const char *text, struct sql_statement **statement)
{
  return sql->engine->prepare(sql, text, statement);
}

int sql_places(const struct sql_statement *statement)
{
  return statement->engine->places(statement);
}

const char *sql_place_name(const struct sql_statement *statement, int place)
{
  return statement->engine->place_name(statement, place);
}

enum armdyn_status sql_bind(struct sql_statement *statement, int place, struct value value)
{
  return statement->engine->bind(statement, place, value);
}

enum armdyn_status sql_step(struct sql_statement *statement, bool *row)
{
  return statement->engine->step(statement, row);
}

void sql_finish(struct sql_statement *statement)
{
  if (statement) statement->engine->finish(statement);
}

/* -- rows -- */

int sql_columns(const struct sql_statement *statement)
{
  return statement->engine->columns(statement);
}

const char *sql_column_name(const struct sql_statement *statement, int column)
{
  return statement->engine->column_name(statement, column);
}

enum value_type sql_type(const struct sql_statement *statement, int column)
{
  return statement->engine->type(statement, column);
}

const char *sql_text(const struct sql_statement *statement, int column)
{
  return statement->engine->text(statement, column);
}

int64_t sql_integer(const struct sql_statement *statement, int column)
{
  return statement->engine->integer(statement, column);
}

double sql_real(const struct sql_statement *statement, int column)
{
  return statement->engine->real(statement, column);
}

const void *sql_blob(const struct sql_statement *statement, int column, size_t *size)
{
  return statement->engine->blob(statement, column, size);
}

int sql_changed(struct sql *sql)
{
  return sql->engine->changed(sql);
}

/* -- all in one -- */

static enum armdyn_status step_through(struct sql_statement *statement)
{
  bool row = true;
  enum armdyn_status status = ARMDYN_OK;
  while (!status && row) status = sql_step(statement, &row);
  return status;
}

enum armdyn_status sql_dispatch(struct sql_statement *statement)
{
  return statement->engine->send ? statement->engine->send(statement) : step_through(statement);
}

enum armdyn_status sql_query(struct sql *sql, const char *text, struct values values, struct sql_statement **statement)
{
  enum armdyn_status status = sql_prepare(sql, text, statement);
  for (size_t i = 0; !status && i < values.count; i++) status = sql_bind(*statement, (int)i + 1, values.items[i]);
  if (status) sql_finish(*statement), *statement = NULL;
  return status;
}

enum armdyn_status sql_run(struct sql *sql, const char *text, struct values values, int *changed)
{
  struct sql_statement *statement;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  if (!status) status = step_through(statement);
  if (changed) *changed = status ? 0 : sql_changed(sql);
  sql_finish(statement);
  return status;
}

enum armdyn_status sql_change(struct sql *sql, const char *text, struct values values)
{
  int changed;
  enum armdyn_status status = sql_run(sql, text, values, &changed);
  return !status && changed == 0 ? ARMDYN_ENOTFOUND : status;
}

enum armdyn_status sql_send(struct sql *sql, const char *text, struct values values)
{
  struct sql_statement *statement;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  if (!status) status = sql_dispatch(statement);
  sql_finish(statement);
  return status;
}

enum armdyn_status sql_number(struct sql *sql, const char *text, struct values values, int64_t *number)
{
  struct sql_statement *statement;
  bool row;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_ENOTFOUND;
  if (!status) *number = sql_integer(statement, 0);
  sql_finish(statement);
  return status;
}

enum armdyn_status sql_script(struct sql *sql, const char *text)
{
  return sql->engine->script(sql, text);
}

/* -- transactions -- */

enum armdyn_status sql_begin(struct sql *sql)
{
  return sql->engine->begin(sql);
}

enum armdyn_status sql_commit(struct sql *sql)
{
  return sql->engine->commit(sql);
}

void sql_rollback(struct sql *sql)
{
  sql->engine->rollback(sql);
}

bool sql_in_transaction(struct sql *sql)
{
  return sql->engine->in_transaction(sql);
}

enum armdyn_status sql_savepoint(struct sql *sql)
{
  return sql->engine->savepoint(sql);
}

enum armdyn_status sql_release(struct sql *sql, enum armdyn_status *status)
{
  return sql->engine->release(sql, status);
}

enum armdyn_status sql_undo(struct sql *sql)
{
  return sql->engine->undo(sql);
}

enum armdyn_status sql_settle(struct sql *sql)
{
  return sql->engine->settle ? sql->engine->settle(sql) : ARMDYN_OK;
}

enum armdyn_status sql_snapshot(struct sql *sql)
{
  return sql->engine->snapshot(sql);
}

void sql_snapshot_end(struct sql *sql)
{
  sql->engine->snapshot_end(sql);
}

enum armdyn_status sql_await(struct sql *sql, const char *channel, int fd, int ms)
{
  return sql->engine->await ? sql->engine->await(sql, channel, fd, ms) : ARMDYN_EUNAVAILABLE;
}

void sql_deadline(struct sql *sql, const int64_t *monotonic_ns)
{
  sql->engine->deadline(sql, monotonic_ns);
}

enum armdyn_status sql_touch(struct sql *sql)
{
  return sql->engine->touch(sql);
}

enum armdyn_status sql_room(struct sql *sql, struct sql_room *room)
{
  return sql->engine->room(sql, room);
}

int sql_log_pages(const struct sql *sql)
{
  return sql->engine->log_pages(sql);
}

enum armdyn_status sql_checkpoint(struct sql *sql, bool wait)
{
  return sql->engine->checkpoint(sql, wait);
}

enum armdyn_status sql_hold(struct sql *sql, const char *node, struct armdyn_error *error)
{
  return sql->engine->hold ? sql->engine->hold(sql, node, error) : ARMDYN_OK;
}

int64_t sql_keep(struct sql *sql)
{
  return sql->engine->keep ? sql->engine->keep(sql) : 0;
}

bool sql_is_fenced(const struct sql *sql)
{
  return sql->engine->is_fenced && sql->engine->is_fenced(sql);
}

int64_t sql_holds_until_ms(const struct sql *sql)
{
  return sql->engine->holds_until_ms ? sql->engine->holds_until_ms(sql) : INT64_MAX;
}
