#include "server/store/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static enum armdyn_status check_integrity(struct sql *sql, const char *what, struct armdyn_error *error)
{
  sqlite3_stmt *statement;
  bool row = false;
  enum armdyn_status status = sql_query(sql, "PRAGMA quick_check(1)", NO_VALUES, &statement);
  if (!status) status = sql_step(sql, statement, &row);
  if (status) {
    armdyn_refuse(error, status, "", "cannot check %s: %s", what, sqlite3_errmsg(sql_handle(sql)));
  } else {
    const char *verdict = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!verdict || strcmp(verdict, "ok") != 0)
      status = armdyn_refuse(error, ARMDYN_EIO, "", "%s is damaged: %s", what, verdict ? verdict : "no verdict");
  }
  sql_finish(statement);
  return status;
}

/* 0: an empty database. */
static enum armdyn_status read_version(struct sql *sql, const char *dir, int64_t *version, struct armdyn_error *error)
{
  int64_t tables, ours;
  *version = 0;
  enum armdyn_status status = sql_number(sql, "SELECT count(*) FROM sqlite_schema", NO_VALUES, &tables);
  if (!status)
    status = sql_number(sql, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'", NO_VALUES, &ours);
  if (!status && tables > 0 && ours == 0)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s/armdyn.db is a database of another program", dir);
  if (!status && ours)
    status = sql_number(sql, "SELECT coalesce(max(version), 0) FROM schema_version", NO_VALUES, version);
  if (!status) return ARMDYN_OK;
  return armdyn_refuse(error, status, "", "cannot read the schema version of %s/armdyn.db: %s", dir,
                       sqlite3_errmsg(sql_handle(sql)));
}

static enum armdyn_status sync_directory(const char *dir)
{
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ARMDYN_EIO;
  int failed = fsync(fd);
  close(fd);
  return failed ? ARMDYN_EIO : ARMDYN_OK;
}

static enum armdyn_status copy_database(struct sql *from, struct sql *to)
{
  sqlite3_backup *backup = sqlite3_backup_init(sql_handle(to), "main", sql_handle(from), "main");
  if (!backup) return sql_status(to, sqlite3_extended_errcode(sql_handle(to)));
  int code = sqlite3_backup_step(backup, -1);
  int end = sqlite3_backup_finish(backup);
  return sql_status(to, end ? end : code);
}

/* A copy is worth nothing before it was checked; only then does it get its name. */
static enum armdyn_status back_up(struct sql *sql, const char *dir, int64_t version, struct armdyn_error *error)
{
  enum armdyn_status status;
  struct sql *copy = NULL;
  char path[PATH_SIZE], partial[PATH_SIZE + 8], now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  int length = snprintf(path, sizeof path, "%s/armdyn-v%lld-%s.db", dir, (long long)version, now);
  if (length < 0 || (size_t)length >= sizeof path)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the path %s is too long", dir);
  snprintf(partial, sizeof partial, "%s.partial", path);

  if ((status = sql_open(partial, SQL_WRITE, &copy, error))) goto out;
  if ((status = copy_database(sql, copy))) {
    armdyn_refuse(error, status, "", "cannot back up to %s: %s", partial, sqlite3_errmsg(sql_handle(copy)));
    goto out;
  }
  if ((status = check_integrity(copy, partial, error))) goto out;
  /* One file, without a log beside it. */
  if ((status = sql_script(copy, "PRAGMA journal_mode = DELETE"))) goto out;
  sql_close(copy);
  copy = NULL;
  if (rename(partial, path) != 0 || sync_directory(dir))
    status = armdyn_refuse(error, ARMDYN_EIO, "", "cannot name the backup %s: %s", path, strerror(errno));
out:
  sql_close(copy);
  if (status) unlink(partial);
  return status;
}

static enum armdyn_status apply(struct sql *sql, const struct migration *migration, int64_t version)
{
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  enum armdyn_status status = sql_script(sql, "BEGIN IMMEDIATE;"
                                              "CREATE TABLE IF NOT EXISTS schema_version ("
                                              " version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT"
                                              " NOT NULL) STRICT");
  if (!status) status = sql_script(sql, migration->text);
  if (!status)
    status = sql_run(sql, "INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)",
                     VALUES(value_integer(version), value_text(migration->name), value_text(now)), NULL);
  if (!status) status = sql_script(sql, "COMMIT");
  return status;
}

enum armdyn_status migrate(struct sql *sql, const char *dir, const struct migrations *migrations, int *version,
                           struct armdyn_error *error)
{
  enum armdyn_status status;
  int64_t old, newest = (int64_t)migrations->count;
  char what[256];
  snprintf(what, sizeof what, "%s/armdyn.db", dir);
  if ((status = check_integrity(sql, what, error)) || (status = read_version(sql, dir, &old, error))) return status;
  if (old > newest)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                         "%s/armdyn.db has schema version %lld, this program knows up to %lld: use a newer armdyn", dir,
                         (long long)old, (long long)newest);
  if (old > 0 && old < newest && (status = back_up(sql, dir, old, error))) return status;
  for (int64_t v = old; v < newest; v++) {
    status = apply(sql, &migrations->items[v], v + 1);
    if (!status) continue;
    armdyn_refuse(error, status, "", "cannot apply migration %s: %s", migrations->items[v].name,
                  sqlite3_errmsg(sql_handle(sql)));
    sql_script(sql, "ROLLBACK");
    return status;
  }
  *version = (int)newest;
  return ARMDYN_OK;
}
