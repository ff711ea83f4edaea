/* A copy that can be broken off at any moment: rows go over in the order of their keys, some megabytes a transaction, so what
 * is there says where to go on. Triggers and references of the copy, by which rows would make rows, or be refused for their
 * order, are taken away in the transaction that begins it, which notes how to make them again in the table `moving`; they
 * come back in the transaction that ends it, after both stores were compared. As long as that table is there, nothing serves
 * the copy. */
#include "server/store/move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/store/copy.h"
#include "server/store/internal.h"
#include "server/store/migrate.h"
#include "server/store/moved_tables.h"
#include "server/store/node.h"
#include "server/store/postgresql_connect.h"

enum { BATCH_BYTES = 4 << 20, RESTORE_MOST = 512, TEXT_SIZE = 8192 };

struct move {
  struct sql *from, *to;
  bool to_server;
  bool filled; /* the target: by a move that was killed at its very end, or by something else */
  char path[STORE_PATH_SIZE], partial[STORE_PATH_SIZE]; /* of the embedded store; of what is to become it */
  int lock;                                             /* of its directory */
  struct moved_tables tables;
  store_move_visit *visit;
  void *context;
  struct armdyn_error *error;
};

static enum armdyn_status fail(struct move *m, enum armdyn_status status, struct sql *sql, const char *what)
{
  return armdyn_refuse(m->error, status, "", "cannot %s: %.200s", what, sql_message(sql));
}

/* -- is it one that is not finished? -- */

static enum armdyn_status is_unfinished(struct sql *sql, bool *unfinished)
{
  int64_t count = 0;
  const enum armdyn_status status =
      sql_number(sql,
                 "SELECT count(*) FROM " SQL_EITHER("sqlite_schema WHERE name = 'moving'",
                                                    "pg_class WHERE relname = 'moving' AND relkind = 'r'"
                                                    " AND relnamespace = current_schema()::regnamespace"),
                 NO_VALUES, &count);
  *unfinished = count > 0;
  return status;
}

enum armdyn_status move_refuse_unfinished(struct sql *sql, struct armdyn_error *error)
{
  bool unfinished = false;
  const enum armdyn_status status = is_unfinished(sql, &unfinished);
  if (status) return armdyn_refuse(error, status, "", "cannot read the database: %.150s", sql_message(sql));
  if (!unfinished) return ARMDYN_OK;
  return armdyn_refuse(
      error, ARMDYN_ECONFLICT, "",
      "a move into this database is not finished: call `armdyn move` again, which goes on from where it"
      " was, or drop the database");
}

/* -- both ends -- */

static enum armdyn_status open_file(struct move *m, const char *dir)
{
  enum armdyn_status status = store_file(dir, m->path, m->error);
  if (!status && snprintf(m->partial, sizeof m->partial, "%.4000s.moving", m->path) < 1) status = ARMDYN_EINPUT;
  if (!status && !m->to_server && !access(m->path, F_OK))
    return armdyn_refuse(m->error, ARMDYN_EEXISTS, "", "%s exists already; it stays as it is", m->path);
  if (!status && m->to_server && access(m->path, F_OK))
    return armdyn_refuse(m->error, ARMDYN_ENOTFOUND, "", "there is no %s", m->path);
  if (!status) status = store_hold_directory(dir, &m->lock, m->error);
  if (status) return status;
  return m->to_server ? sql_open(m->path, SQL_READ, &m->from, m->error)
                      : sql_open(m->partial, SQL_WRITE, &m->to, m->error);
}

static enum armdyn_status open_server(struct move *m, const char *address)
{
  return sql_open(address, SQL_WRITE, m->to_server ? &m->to : &m->from, m->error);
}

static enum armdyn_status check_source(struct move *m)
{
  int64_t version = 0, marked = 0;
  const struct migrations *migrations = migrations_of(m->from);
  enum armdyn_status status = migrate_version(m->from, "the store", migrations, &version, m->error);
  if (!status && version < migrations_newest(migrations))
    return armdyn_refuse(
        m->error, ARMDYN_ECONFLICT, "",
        "the store has schema %lld, this program %lld: serve it once with this armdyn, which upgrades it",
        (long long)version, (long long)migrations_newest(migrations));
  if (!status) status = move_refuse_unfinished(m->from, m->error);
  if (!status && m->to_server) {
    status = sql_number(m->from, "SELECT count(*) FROM sqlite_schema WHERE name = 'restored'", NO_VALUES, &marked);
    if (!status && marked)
      return armdyn_refuse(m->error, ARMDYN_ECONFLICT, "",
                           "the store is a restored copy that was not served yet: do so");
  }
  if (!status && !m->to_server) status = sql_hold(m->from, "move", m->error);
  return status;
}

/* -- the target: empty, or begun -- */

/* Rows that a new store has not. */
static enum armdyn_status find_rows(struct move *m, bool *found)
{
  *found = false;
  for (size_t i = 0; i < m->tables.count && !*found; i++) {
    const char *name = m->tables.items[i].name;
    char text[128];
    int64_t count = 0;
    if (!strcmp(name, "audit_head")) continue; /* one, which a new store has, too */
    snprintf(text, sizeof text, "SELECT count(*) FROM \"%s\"", name);
    const enum armdyn_status status = sql_number(m->to, text, NO_VALUES, &count);
    if (status) return fail(m, status, m->to, "read the target");
    *found = count > 0;
  }
  return ARMDYN_OK;
}

/* What is taken away, and how it is made again. */
#define HINDRANCES                                                                                                     \
  SQL_EITHER("SELECT 'DROP TRIGGER ' || name, sql FROM sqlite_schema WHERE type = 'trigger'"                           \
             " AND name <> 'results_searched'", /* the index of trigrams grows with the rows */                        \
             "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),"                        \
             " format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid))"  \
             " FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"               \
             " UNION ALL SELECT format('ALTER TABLE %s DISABLE TRIGGER USER', oid::regclass),"                         \
             " format('ALTER TABLE %s ENABLE TRIGGER USER', oid::regclass) FROM pg_class WHERE relkind = 'r'"          \
             " AND relnamespace = current_schema()::regnamespace"                                                      \
             " AND EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = pg_class.oid AND NOT tgisinternal)")

static enum armdyn_status note_hindrances(struct sql *sql, struct buffer *removals)
{
  struct sql_statement *statement;
  bool row = true;
  int64_t number = 0;
  enum armdyn_status status = sql_query(sql, HINDRANCES, NO_VALUES, &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) {
    number++;
    buffer_format(removals, "%s;", sql_text(statement, 0));
    status = sql_run(sql, "INSERT INTO moving (number, again) VALUES (?, ?)",
                     VALUES(value_integer(number), value_text(sql_text(statement, 1))), NULL);
  }
  sql_finish(statement);
  return status ? status : removals->failure;
}

static enum armdyn_status begin_copy(struct move *m)
{
  struct buffer removals = BUFFER(MB(1));
  enum armdyn_status status = sql_begin(m->to);
  if (!status)
    status = sql_script(
        m->to, "CREATE TABLE moving (number " SQL_EITHER("INTEGER", "bigint") " PRIMARY KEY, again " SQL_EITHER(
                   "TEXT NOT NULL) STRICT", "text NOT NULL)"));
  if (!status) status = note_hindrances(m->to, &removals);
  if (!status) status = sql_script(m->to, removals.data);
  if (!status) status = sql_script(m->to, "DELETE FROM audit_head");
  if (!status) status = sql_commit(m->to);
  buffer_release(&removals);
  if (!status) return ARMDYN_OK;
  fail(m, status, m->to, "prepare the target");
  sql_rollback(m->to);
  return status;
}

/* A move that was killed while it made the tables left some of them; a store of an older armdyn has rows. */
static enum armdyn_status make_tables(struct move *m, int64_t version)
{
  int64_t count = 0;
  int now;
  enum armdyn_status status = ARMDYN_OK;
  if (version && m->to_server)
    status =
        sql_number(m->to,
                   "SELECT (SELECT count(*) FROM robots) + (SELECT count(*) FROM jobs) + (SELECT count(*) FROM keys)"
                   " + (SELECT count(*) FROM audit)",
                   NO_VALUES, &count);
  if (status) return fail(m, status, m->to, "read the target");
  if (count)
    return armdyn_refuse(m->error, ARMDYN_ECONFLICT, "", "the target is not empty: it is a store of an older armdyn");
  return migrate(m->to, NULL, migrations_of(m->to), &now, m->error);
}

static enum armdyn_status prepare_target(struct move *m)
{
  int64_t version = 0;
  bool begun = false;
  const struct migrations *migrations = migrations_of(m->to);
  enum armdyn_status status = migrate_version(m->to, "the target", migrations, &version, m->error);
  if (!status && m->to_server && version) status = sql_hold(m->to, "move", m->error);
  if (!status && version < migrations_newest(migrations)) status = make_tables(m, version);
  if (!status && m->to_server && !version) status = sql_hold(m->to, "move", m->error);
  if (status) return status;
  if (!m->to_server && (status = sql_script(m->to, "PRAGMA foreign_keys = 0"))) return fail(m, status, m->to, "begin");
  if ((status = moved_tables_read(m->to_server ? m->from : m->to, m->to_server ? m->to : m->from, &m->tables)))
    return fail(m, status, m->to_server ? m->from : m->to, "read which tables there are");
  if ((status = is_unfinished(m->to, &begun))) return fail(m, status, m->to, "read the target");
  if (!begun) status = find_rows(m, &m->filled);
  return status || begun || m->filled ? status : begin_copy(m);
}

/* -- copying -- */

static enum armdyn_status insert_row(struct move *m, const struct moved_rows *rows, const char *insertion,
                                     size_t *bytes)
{
  struct value values[MOVED_COLUMNS];
  for (int i = 0; i < rows->table->count; i++) {
    values[i] = moved_rows_value(rows, i);
    *bytes += sizeof values[i] + values[i].size;
  }
  return sql_send(m->to, insertion, (struct values){ values, (size_t)rows->table->count });
}

/* One transaction of rows; *more: there are others. */
static enum armdyn_status copy_some(struct move *m, struct moved_rows *rows, const char *insertion, int64_t *count,
                                    bool *more)
{
  size_t bytes = 0;
  int64_t some = 0;
  enum armdyn_status kept = ARMDYN_OK, status = sql_begin(m->to);
  if (!status) status = sql_savepoint(m->to);
  while (!status && bytes < BATCH_BYTES) {
    if ((status = moved_rows_next(rows, more))) return fail(m, status, m->from, "read the store");
    if (!*more) break;
    status = insert_row(m, rows, insertion, &bytes);
    some++;
  }
  if (!status) status = sql_release(m->to, &kept);
  if (!status) status = sql_commit(m->to);
  if (!status) status = kept;
  if (!status) *count += some;
  return status;
}

static enum armdyn_status copy_table(struct move *m, const struct moved_table *table)
{
  struct moved_rows rows;
  struct buffer insertion = BUFFER(TEXT_SIZE);
  int64_t count = 0;
  bool more = true;
  moved_rows_begin(&rows, m->from, table);
  enum armdyn_status status = moved_table_insertion(table, &insertion);
  if (!status) status = moved_rows_after(&rows, m->to);
  while (!status && more) {
    (void)sql_keep(m->from);
    (void)sql_keep(m->to);
    status = copy_some(m, &rows, insertion.data, &count, &more);
  }
  if (status) {
    if (!*m->error->message)
      armdyn_refuse(m->error, status, "", "cannot copy table %s: %.200s", table->name, sql_message(m->to));
    sql_rollback(m->to);
  }
  moved_rows_end(&rows);
  buffer_release(&insertion);
  if (!status) m->visit(m->context, table->name, count, false);
  return status;
}

/* -- comparing -- */

static bool are_equal(const struct value *a, const struct value *b)
{
  if (a->type != b->type) return false;
  switch (a->type) {
  case VALUE_NULL: return true;
  case VALUE_INTEGER: return a->integer == b->integer;
  case VALUE_NUMBER: return !memcmp(&a->number, &b->number, sizeof a->number);
  case VALUE_TEXT:
  case VALUE_BLOB: return a->size == b->size && !memcmp(a->data, b->data, a->size);
  }
  return false;
}

static enum armdyn_status refuse_difference(struct move *m, const struct moved_rows *rows, const char *column)
{
  const struct value key = moved_rows_value(rows, 0);
  char number[32];
  if (m->filled)
    return armdyn_refuse(
        m->error, ARMDYN_ECONFLICT, "",
        "the target is not empty: it holds a store that is not equal to this one, in its %s at the least,"
        " and stays as it is",
        rows->table->name);
  snprintf(number, sizeof number, "%lld", (long long)key.integer);
  return armdyn_refuse(
      m->error, ARMDYN_EINPUT, "",
      "the copy is not equal: row '%.100s' of %s (%s). The store was changed since the move began: remove"
      " the copy and begin again",
      key.type == VALUE_TEXT ? (const char *)key.data : number, rows->table->name, column);
}

static enum armdyn_status compare_row(struct move *m, const struct moved_rows *a, const struct moved_rows *b)
{
  for (int i = 0; i < a->table->count; i++) {
    const struct value left = moved_rows_value(a, i), right = moved_rows_value(b, i);
    if (!are_equal(&left, &right)) return refuse_difference(m, a, a->table->columns[i]);
  }
  return ARMDYN_OK;
}

static enum armdyn_status compare_table(struct move *m, const struct moved_table *table)
{
  struct moved_rows a, b;
  int64_t count = 0;
  bool here = true, there = true;
  enum armdyn_status status = ARMDYN_OK;
  moved_rows_begin(&a, m->from, table);
  moved_rows_begin(&b, m->to, table);
  for (;;) {
    if ((status = moved_rows_next(&a, &here))) fail(m, status, m->from, "read the store");
    if (!status && (status = moved_rows_next(&b, &there))) fail(m, status, m->to, "read the copy");
    if (status || (!here && !there)) break;
    status =
        here && there ? compare_row(m, &a, &b) : refuse_difference(m, here ? &a : &b, here ? "missing" : "too many");
    if (status) break;
    if (++count % 1000 == 0) (void)sql_keep(m->from), (void)sql_keep(m->to);
  }
  moved_rows_end(&a);
  moved_rows_end(&b);
  if (!status) m->visit(m->context, table->name, count, true);
  return status;
}

/* -- the end -- */

/* Numbers that are given out go on behind the last that ever was, though its row be gone. */
static enum armdyn_status carry_counter(struct move *m, const char *table)
{
  int64_t last = 0;
  enum armdyn_status status =
      sql_number(m->from,
                 SQL_EITHER("SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0)",
                            "SELECT last FROM counters WHERE name = ?"),
                 VALUES(value_text(table)), &last);
  if (status) return fail(m, status, m->from, "read the store's counters");
  if (!m->to_server)
    status = sql_run(m->to, "DELETE FROM sqlite_sequence WHERE name = ?", VALUES(value_text(table)), NULL);
  if (!status && last > 0)
    status = sql_run(m->to,
                     SQL_EITHER("INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)",
                                "UPDATE counters SET last = ? WHERE name = ?"),
                     VALUES(value_integer(last), value_text(table)), NULL);
  return status;
}

static enum armdyn_status carry_identities(struct sql *server)
{
  return sql_script(server, "DO $$ DECLARE c record; BEGIN"
                            " FOR c IN SELECT attrelid::regclass AS t, attname AS a FROM pg_attribute JOIN pg_class"
                            " ON pg_class.oid = attrelid WHERE attidentity <> ''"
                            " AND relnamespace = current_schema()::regnamespace LOOP"
                            " EXECUTE format('SELECT setval(pg_get_serial_sequence(%L, %L),"
                            " coalesce(max(%I), 0) + 1, false) FROM %s', c.t, c.a, c.a, c.t);"
                            " END LOOP; END $$");
}

static enum armdyn_status make_again(struct sql *sql)
{
  struct sql_statement *statement;
  struct buffer text = BUFFER(MB(1));
  bool row = true;
  enum armdyn_status status = sql_query(sql, "SELECT again FROM moving ORDER BY number", NO_VALUES, &statement);
  while (!status && !(status = sql_step(statement, &row)) && row) buffer_format(&text, "%s;\n", sql_text(statement, 0));
  sql_finish(statement);
  buffer_text(&text, "DROP TABLE moving");
  if (!status) status = text.failure;
  if (!status) status = sql_script(sql, text.data);
  buffer_release(&text);
  return status;
}

static enum armdyn_status end_copy(struct move *m)
{
  enum armdyn_status status = sql_begin(m->to);
  if (!status) status = carry_counter(m, "events");
  if (!status) status = carry_counter(m, "meshes");
  if (!status && m->to_server) status = carry_identities(m->to);
  if (!status) status = make_again(m->to);
  if (!status) status = sql_commit(m->to);
  if (!status) return ARMDYN_OK;
  if (!*m->error->message) fail(m, status, m->to, "end the move");
  sql_rollback(m->to);
  return status;
}

/* What PostgreSQL sees when it makes the references again. */
static enum armdyn_status check_references(struct move *m)
{
  struct sql_statement *statement;
  bool row = false;
  enum armdyn_status status =
      sql_query(m->to, "SELECT \"table\", parent FROM pragma_foreign_key_check", NO_VALUES, &statement);
  if (!status) status = sql_step(statement, &row);
  if (status)
    fail(m, status, m->to, "check the copy");
  else if (row)
    status = armdyn_refuse(m->error, ARMDYN_EIO, "", "a row of %.40s refers to one of %.40s that is not there",
                           sql_text(statement, 0), sql_text(statement, 1));
  sql_finish(statement);
  return status;
}

static enum armdyn_status name_file(struct move *m)
{
  enum armdyn_status status = check_references(m);
  if (!status) status = database_check(m->to, m->partial, m->error);
  if (!status && (status = sql_script(m->to, "PRAGMA journal_mode = DELETE"))) fail(m, status, m->to, "end the copy");
  if (status) return status;
  sql_close(m->to);
  m->to = NULL;
  return database_name(m->partial, m->path, m->error);
}

static enum armdyn_status copy_and_compare(struct move *m)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; !status && !m->filled && i < m->tables.count; i++) status = copy_table(m, &m->tables.items[i]);
  for (size_t i = 0; !status && i < m->tables.count; i++) status = compare_table(m, &m->tables.items[i]);
  if (!status && !m->filled) status = end_copy(m);
  return status || m->to_server ? status : name_file(m);
}

enum armdyn_status store_move(const char *from, const char *to, store_move_visit *visit, void *context,
                              struct armdyn_error *error)
{
  struct move *m = calloc(1, sizeof *m);
  if (!m) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for the move");
  *m = (struct move){
    .to_server = postgresql_is_address(to), .lock = -1, .visit = visit, .context = context, .error = error
  };
  *error->message = '\0';
  enum armdyn_status status = ARMDYN_OK;
  if (postgresql_is_address(from) == m->to_server)
    status =
        armdyn_refuse(error, ARMDYN_EINPUT, "",
                      m->to_server ? "both are in PostgreSQL: pg_dump and pg_restore move it"
                                   : "both are directories: `armdyn backup` and `armdyn restore --enable` move it");
  if (!status) status = open_file(m, m->to_server ? from : to);
  if (!status) status = open_server(m, m->to_server ? to : from);
  if (!status) status = check_source(m);
  if (!status) status = prepare_target(m);
  if (!status) status = copy_and_compare(m);
  sql_close(m->from);
  sql_close(m->to);
  if (m->lock >= 0) close(m->lock);
  free(m);
  return status;
}
