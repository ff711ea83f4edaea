#include "server/store/sql.h"

#include <errno.h>

/* READER_CACHE: KiB of pages. What many readers keep each for itself, the system's own cache has, too; SQLite's usual 2 MiB
 * fill over hours in those that are seldom used. */
enum { STATEMENTS = 64, BUSY_TIMEOUT_MS = 5000, LOG_SIZE_KEPT = 64 << 20, READER_CACHE = 128 };

struct cached {
  sqlite3_stmt *statement;
  uint64_t used; /* when, in calls of sql_prepare */
};

struct sql {
  sqlite3 *db;
  int log_pages;
  uint64_t clock;
  struct cached cache[STATEMENTS];
};

/* Result codes whose meaning is finer than that of their primary code stand first. */
static const struct {
  int code;
  enum armdyn_status status;
} meanings[] = {
  { SQLITE_OK, ARMDYN_OK },
  { SQLITE_DONE, ARMDYN_OK },
  { SQLITE_ROW, ARMDYN_OK },
  { SQLITE_CONSTRAINT_UNIQUE, ARMDYN_EEXISTS },
  { SQLITE_CONSTRAINT_PRIMARYKEY, ARMDYN_EEXISTS },
  { SQLITE_CONSTRAINT_FOREIGNKEY, ARMDYN_ECONFLICT },
  { SQLITE_IOERR_NOMEM, ARMDYN_EMEMORY },
  { SQLITE_CONSTRAINT, ARMDYN_EINPUT },
  { SQLITE_FULL, ARMDYN_EFULL },
  { SQLITE_NOMEM, ARMDYN_EMEMORY },
  { SQLITE_BUSY, ARMDYN_EBUSY },
  { SQLITE_LOCKED, ARMDYN_EBUSY },
  { SQLITE_TOOBIG, ARMDYN_ELIMIT },
  { SQLITE_INTERRUPT, ARMDYN_EUNAVAILABLE },
  { SQLITE_IOERR, ARMDYN_EIO },
  { SQLITE_CORRUPT, ARMDYN_EIO },
  { SQLITE_NOTADB, ARMDYN_EIO },
  { SQLITE_CANTOPEN, ARMDYN_EIO },
  { SQLITE_READONLY, ARMDYN_EIO },
  { SQLITE_PERM, ARMDYN_EIO },
};

/* SQLite says "full" when a write finds no space, but only "I/O error" when a sync or a truncation does: the database or
 * its log remembers why. */
static bool lack_of_space(struct sql *sql)
{
  static const int files[] = { SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    sqlite3_file *file = NULL;
    int cause = 0;
    if (sqlite3_file_control(sql->db, "main", files[i], &file) || !file || !file->pMethods) continue;
    if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &cause)) continue;
    if (cause == ENOSPC || cause == EDQUOT) return true;
  }
  return false;
}

enum armdyn_status sql_status(struct sql *sql, int code)
{
  if ((code & 0xff) == SQLITE_IOERR && lack_of_space(sql)) return ARMDYN_EFULL;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (meanings[i].code == code) return meanings[i].status;
  return code == (code & 0xff) ? ARMDYN_EINTERNAL : sql_status(sql, code & 0xff);
}

enum armdyn_status sql_refuse(struct sql *sql, int code, struct armdyn_error *error, const char *what)
{
  const char *why = sqlite3_extended_errcode(sql->db) == code ? sqlite3_errmsg(sql->db) : sqlite3_errstr(code);
  return armdyn_refuse(error, sql_status(sql, code), "", "cannot %s: %s", what, why);
}

static int remember_log_pages(void *context, sqlite3 *db, const char *name, int pages)
{
  (void)db, (void)name;
  ((struct sql *)context)->log_pages = pages;
  return SQLITE_OK;
}

static int configure(struct sql *sql, enum sql_mode mode)
{
  int code;
  if ((code = sqlite3_busy_timeout(sql->db, BUSY_TIMEOUT_MS))) return code;
  if ((code = sqlite3_extended_result_codes(sql->db, 1))) return code;
  if ((code = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL))) return code;
  char text[256];
  if (mode == SQL_READ) {
    if ((code = sqlite3_db_config(sql->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL))) return code;
    snprintf(text, sizeof text, "PRAGMA query_only = 1; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -%d",
             READER_CACHE);
    return sqlite3_exec(sql->db, text, NULL, NULL, NULL);
  }
  snprintf(text, sizeof text,
           "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1;"
           "PRAGMA journal_size_limit = %d; PRAGMA wal_autocheckpoint = 0",
           LOG_SIZE_KEPT);
  if ((code = sqlite3_exec(sql->db, text, NULL, NULL, NULL))) return code;
  sqlite3_wal_hook(sql->db, remember_log_pages, sql);
  return SQLITE_OK;
}

enum armdyn_status sql_open(const char *path, enum sql_mode mode, struct sql **out, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  struct sql *sql = calloc(1, sizeof *sql);
  if (!sql) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a connection to %s", path);
  int flags = mode == SQL_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  int code = sqlite3_open_v2(path, &sql->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (!code) code = configure(sql, mode);
  if (code) {
    char what[192];
    snprintf(what, sizeof what, "open %s", path);
    status = sql_refuse(sql, code, error, what);
    goto out;
  }
  *out = sql;
  sql = NULL;
out:
  sql_close(sql);
  return status;
}

void sql_close(struct sql *sql)
{
  if (!sql) return;
  for (size_t i = 0; i < STATEMENTS; i++) sqlite3_finalize(sql->cache[i].statement);
  sqlite3_close_v2(sql->db);
  free(sql);
}

sqlite3 *sql_handle(struct sql *sql)
{
  return sql->db;
}

enum armdyn_status sql_prepare(struct sql *sql, const char *text, sqlite3_stmt **statement)
{
  *statement = NULL;
  struct cached *oldest = NULL;
  sql->clock++;
  for (struct cached *c = sql->cache; c < sql->cache + STATEMENTS; c++) {
    if (c->statement && strcmp(sqlite3_sql(c->statement), text) == 0 && !sqlite3_stmt_busy(c->statement)) {
      c->used = sql->clock;
      *statement = c->statement;
      return ARMDYN_OK;
    }
    bool free_place = !c->statement || !sqlite3_stmt_busy(c->statement);
    if (free_place && (!oldest || c->used < oldest->used)) oldest = c;
  }
  if (!oldest) return ARMDYN_EINTERNAL; /* STATEMENTS queries under way at once on one connection */
  sqlite3_finalize(oldest->statement);
  oldest->statement = NULL;
  int code = sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &oldest->statement, NULL);
  oldest->used = sql->clock;
  *statement = oldest->statement;
  return sql_status(sql, code);
}

static int bind(sqlite3_stmt *statement, int place, struct value value)
{
  switch (value.type) {
  case VALUE_INTEGER: return sqlite3_bind_int64(statement, place, value.integer);
  case VALUE_NUMBER: return sqlite3_bind_double(statement, place, value.number);
  case VALUE_TEXT: return sqlite3_bind_text(statement, place, value.data, -1, SQLITE_STATIC);
  case VALUE_BLOB: return sqlite3_bind_blob64(statement, place, value.data, value.size, SQLITE_STATIC);
  case VALUE_NULL: break;
  }
  return sqlite3_bind_null(statement, place);
}

enum armdyn_status sql_bind(struct sql *sql, sqlite3_stmt *statement, int place, struct value value)
{
  return sql_status(sql, bind(statement, place, value));
}

enum armdyn_status sql_step(struct sql *sql, sqlite3_stmt *statement, bool *row)
{
  int code = sqlite3_step(statement);
  *row = code == SQLITE_ROW;
  return sql_status(sql, code);
}

void sql_finish(sqlite3_stmt *statement)
{
  if (!statement) return;
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

enum armdyn_status sql_query(struct sql *sql, const char *text, struct values values, sqlite3_stmt **statement)
{
  enum armdyn_status status = sql_prepare(sql, text, statement);
  for (size_t i = 0; !status && i < values.count; i++) status = sql_bind(sql, *statement, (int)i + 1, values.items[i]);
  if (status) sql_finish(*statement), *statement = NULL;
  return status;
}

enum armdyn_status sql_run(struct sql *sql, const char *text, struct values values, int *changed)
{
  sqlite3_stmt *statement;
  bool row = true;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  while (!status && row) status = sql_step(sql, statement, &row);
  if (changed) *changed = status ? 0 : sqlite3_changes(sql->db);
  sql_finish(statement);
  return status;
}

enum armdyn_status sql_change(struct sql *sql, const char *text, struct values values)
{
  int changed;
  enum armdyn_status status = sql_run(sql, text, values, &changed);
  return !status && changed == 0 ? ARMDYN_ENOTFOUND : status;
}

enum armdyn_status sql_number(struct sql *sql, const char *text, struct values values, int64_t *number)
{
  sqlite3_stmt *statement;
  bool row;
  enum armdyn_status status = sql_query(sql, text, values, &statement);
  if (!status) status = sql_step(sql, statement, &row);
  if (!status && !row) status = ARMDYN_ENOTFOUND;
  if (!status) *number = sqlite3_column_int64(statement, 0);
  sql_finish(statement);
  return status;
}

enum armdyn_status sql_script(struct sql *sql, const char *text)
{
  return sql_status(sql, sqlite3_exec(sql->db, text, NULL, NULL, NULL));
}

int sql_log_pages(const struct sql *sql)
{
  return sql->log_pages;
}

enum armdyn_status sql_checkpoint(struct sql *sql, bool wait)
{
  int mode = wait ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  int left = 0, moved = 0;
  int code = sqlite3_wal_checkpoint_v2(sql->db, NULL, mode, &left, &moved);
  if (!code && moved >= left) sql->log_pages = 0;
  return sql_status(sql, code);
}
