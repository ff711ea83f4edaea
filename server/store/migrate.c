#include "server/store/migrate.h"

#include "server/store/copy.h"

enum { PATH_SIZE = 4096 };

#define TABLES                                                                                                         \
  SQL_EITHER("sqlite_schema", "(SELECT relname AS name FROM pg_class WHERE relkind = 'r'"                              \
                              " AND relnamespace = current_schema()::regnamespace) AS tables")

int64_t migrations_newest(const struct migrations *migrations)
{
  return migrations->before + (int64_t)migrations->count;
}

/* 0: an empty database. */
static enum armdyn_status read_version(struct sql *sql, const char *what, int64_t *version, struct armdyn_error *error)
{
  int64_t tables, ours;
  *version = 0;
  enum armdyn_status status = sql_number(sql, "SELECT count(*) FROM " TABLES, NO_VALUES, &tables);
  if (!status)
    status = sql_number(sql, "SELECT count(*) FROM " TABLES " WHERE name = 'schema_version'", NO_VALUES, &ours);
  if (!status && tables > 0 && ours == 0)
    return armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s is a database of another program", what);
  if (!status && ours)
    status = sql_number(sql, "SELECT coalesce(max(version), 0) FROM schema_version", NO_VALUES, version);
  if (!status) return ARMDYN_OK;
  return armdyn_refuse(error, status, "", "cannot read the schema version of %s: %s", what, sql_message(sql));
}

static enum armdyn_status back_up(struct sql *sql, const char *dir, int64_t version, struct armdyn_error *error)
{
  char path[PATH_SIZE], now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  int length = snprintf(path, sizeof path, "%s/armdyn-v%lld-%s.db", dir, (long long)version, now);
  if (length < 0 || (size_t)length >= sizeof path)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the path %s is too long", dir);
  return database_copy(sql, path, NULL, error);
}

static enum armdyn_status apply(struct sql *sql, const struct migration *migration, int64_t version)
{
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  enum armdyn_status status = sql_begin(sql);
  if (!status)
    status = sql_script(sql, "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, name TEXT NOT"
                             " NULL, applied_at TEXT NOT NULL)" SQL_EITHER(" STRICT", ""));
  if (!status) status = sql_script(sql, migration->text);
  if (!status)
    status = sql_run(sql, "INSERT INTO schema_version (version, name, applied_at) VALUES (?, ?, ?)",
                     VALUES(value_integer(version), value_text(migration->name), value_text(now)), NULL);
  if (!status) status = sql_commit(sql);
  return status;
}

enum armdyn_status migrate_version(struct sql *sql, const char *what, const struct migrations *migrations,
                                   int64_t *version, struct armdyn_error *error)
{
  enum armdyn_status status = read_version(sql, what, version, error);
  if (status || *version <= migrations_newest(migrations)) return status;
  return armdyn_refuse(error, ARMDYN_ECONFLICT, "",
                       "%s has schema version %lld, this program knows up to %lld: use a newer armdyn", what,
                       (long long)*version, (long long)migrations_newest(migrations));
}

enum armdyn_status migrate(struct sql *sql, const char *dir, const struct migrations *migrations, int *version,
                           struct armdyn_error *error)
{
  enum armdyn_status status;
  int64_t old = 0;
  const int64_t newest = migrations_newest(migrations);
  char what[256] = "the database";
  if (dir) snprintf(what, sizeof what, "%s/armdyn.db", dir);
  if (dir && (status = database_check(sql, what, error))) return status;
  if ((status = migrate_version(sql, what, migrations, &old, error))) return status;
  if (dir && old > 0 && old < newest && (status = back_up(sql, dir, old, error))) return status;
  for (int64_t v = old > migrations->before ? old : migrations->before; v < newest; v++) {
    const struct migration *next = &migrations->items[v - migrations->before];
    status = apply(sql, next, v + 1);
    if (!status) continue;
    armdyn_refuse(error, status, "", "cannot apply migration %s: %.100s%s", next->name, sql_message(sql),
                  dir ? "" : " (armdyn upgrade --store does it, as a role that may make tables)");
    sql_rollback(sql);
    return status;
  }
  *version = (int)newest;
  return ARMDYN_OK;
}
