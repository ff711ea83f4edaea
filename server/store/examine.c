/* Whether what is stored is whole, for `armdyn doctor`. */
#include "server/store/copy.h"
#include "server/store/internal.h"
#include "server/store/migrate.h"

/* Run a check of SQLite: `well` says by its first row whether all is well. */
static enum armdyn_status examine(struct store *store, const char *pragma,
                                  bool (*well)(struct sql_statement *statement, bool row, struct armdyn_error *error),
                                  struct armdyn_error *error)
{
  struct sql *sql = NULL;
  struct sql_statement *statement = NULL;
  bool row = false;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_query(sql, pragma, NO_VALUES, &statement);
  if (!status) status = sql_step(statement, &row);
  if (status)
    armdyn_refuse(error, status, "", "cannot be read: %s", sql ? sql_message(sql) : armdyn_status_text(status));
  else if (!well(statement, row, error))
    status = ARMDYN_EIO;
  sql_finish(statement);
  readers_give(store->readers, sql);
  return status;
}

static const char *column(struct sql_statement *statement, int number)
{
  const char *text = sql_text(statement, number);
  return text ? text : "";
}

static bool says_ok(struct sql_statement *statement, bool row, struct armdyn_error *error)
{
  if (row && strcmp(column(statement, 0), "ok") == 0) return true;
  armdyn_refuse(error, ARMDYN_EIO, "", "damaged: %s", row ? column(statement, 0) : "no verdict");
  return false;
}

static bool finds_none(struct sql_statement *statement, bool row, struct armdyn_error *error)
{
  if (!row) return true;
  armdyn_refuse(error, ARMDYN_EIO, "", "a row of %s refers to one of %s that does not exist", column(statement, 0),
                column(statement, 2));
  return false;
}

/* Pages are a server's own to check; what it was told to leave out can be asked. */
enum armdyn_status store_examine(struct store *store, struct armdyn_error *error)
{
  return examine(store,
                 SQL_EITHER("PRAGMA integrity_check(1)",
                            "SELECT CASE WHEN current_setting('fsync') = 'on' AND current_setting('full_page_writes') ="
                            " 'on' THEN 'ok' ELSE 'fsync or full_page_writes is off: a crash of the server may destroy"
                            " it' END"),
                 says_ok, error);
}

enum armdyn_status store_examine_references(struct store *store, struct armdyn_error *error)
{
  return examine(store,
                 SQL_EITHER("PRAGMA foreign_key_check",
                            "SELECT conrelid::regclass::text, NULL, confrelid::regclass::text FROM pg_constraint"
                            " WHERE contype = 'f' AND NOT convalidated AND connamespace ="
                            " current_schema()::regnamespace LIMIT 1"),
                 finds_none, error);
}

enum armdyn_status store_examine_replication(struct store *store, bool *synchronous)
{
  struct sql *sql = NULL;
  int64_t number = 0;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status)
    status = sql_number(sql,
                        "SELECT CASE WHEN current_setting('synchronous_standby_names') <> ''"
                        " AND current_setting('synchronous_commit') NOT IN ('off', 'local') THEN 1 ELSE 0 END",
                        NO_VALUES, &number);
  readers_give(store->readers, sql);
  *synchronous = number;
  return status;
}

enum armdyn_status store_examine_schema(struct store *store, int *version, int *newest, struct armdyn_error *error)
{
  struct sql *sql = NULL;
  int64_t found = 0;
  *newest = 0;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (status)
    armdyn_refuse(error, status, "", "cannot be read: %s", armdyn_status_text(status));
  else
    status = migrate_version(sql, "it", migrations_of(sql), &found, error);
  if (sql) *newest = (int)migrations_newest(migrations_of(sql));
  readers_give(store->readers, sql);
  *version = (int)found;
  return status;
}

static bool reads_time(struct sql_statement *statement, bool row, struct armdyn_error *time)
{
  snprintf(time->message, sizeof time->message, "%s", row ? column(statement, 0) : "");
  return true;
}

enum armdyn_status store_last_time(struct store *store, char time[TIME_SIZE])
{
  struct armdyn_error found = { "", "" };
  enum armdyn_status status =
      examine(store,
              "SELECT " SQL_EITHER("max", "greatest") "(coalesce((SELECT max(created_at) FROM jobs), ''),"
                                                      " coalesce((SELECT max(created_at) FROM robot_revisions), ''),"
                                                      " coalesce((SELECT max(created_at) FROM transfers), ''))",
              reads_time, &found);
  snprintf(time, TIME_SIZE, "%.24s", status ? "" : found.message);
  return status;
}
