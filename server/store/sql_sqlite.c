#include "server/store/sql_sqlite.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "server/base/clock.h"
#include "server/store/sql_engine.h"

/* READER_CACHE: KiB of pages. What many readers keep each for itself, the system's own cache has, too; SQLite's usual 2 MiB
 * fill over hours in those that are seldom used. */
enum {
  STATEMENTS = 64,
  BUSY_TIMEOUT_MS = 5000,
  LOG_SIZE_KEPT = 64 << 20,
  READER_CACHE = 128,
  OPERATIONS_UNSEEN = 10000
};

struct connection;

struct prepared {
  struct sql_statement base;
  struct connection *of;
  char *text; /* as it was asked for */
  sqlite3_stmt *handle;
  uint64_t used; /* when, in calls of prepare */
};

struct connection {
  struct sql base;
  sqlite3 *db;
  int log_pages;
  uint64_t clock;
  struct prepared cache[STATEMENTS];
};

static struct connection *connection_of(struct sql *sql)
{
  return (struct connection *)sql;
}

static sqlite3_stmt *handle_of(const struct sql_statement *statement)
{
  return ((const struct prepared *)statement)->handle;
}

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
static bool lack_of_space(sqlite3 *db)
{
  static const int files[] = { SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    sqlite3_file *file = NULL;
    int cause = 0;
    if (sqlite3_file_control(db, "main", files[i], &file) || !file || !file->pMethods) continue;
    if (file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &cause)) continue;
    if (cause == ENOSPC || cause == EDQUOT) return true;
  }
  return false;
}

static enum armdyn_status status_of(sqlite3 *db, int code)
{
  if ((code & 0xff) == SQLITE_IOERR && lack_of_space(db)) return ARMDYN_EFULL;
  for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
    if (meanings[i].code == code) return meanings[i].status;
  return code == (code & 0xff) ? ARMDYN_EINTERNAL : status_of(db, code & 0xff);
}

sqlite3 *sql_sqlite_handle(struct sql *sql)
{
  return connection_of(sql)->db;
}

enum armdyn_status sql_sqlite_status(struct sql *sql, int code)
{
  return status_of(connection_of(sql)->db, code);
}

/* -- connections -- */

static int remember_log_pages(void *context, sqlite3 *db, const char *name, int pages)
{
  (void)db, (void)name;
  ((struct connection *)context)->log_pages = pages;
  return SQLITE_OK;
}

static int configure(struct connection *c, enum sql_mode mode)
{
  int code;
  if ((code = sqlite3_busy_timeout(c->db, BUSY_TIMEOUT_MS))) return code;
  if ((code = sqlite3_extended_result_codes(c->db, 1))) return code;
  if ((code = sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL))) return code;
  char text[256];
  if (mode == SQL_READ) {
    if ((code = sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL))) return code;
    snprintf(text, sizeof text, "PRAGMA query_only = 1; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -%d",
             READER_CACHE);
    return sqlite3_exec(c->db, text, NULL, NULL, NULL);
  }
  snprintf(text, sizeof text,
           "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = 1;"
           "PRAGMA journal_size_limit = %d; PRAGMA wal_autocheckpoint = 0",
           LOG_SIZE_KEPT);
  if ((code = sqlite3_exec(c->db, text, NULL, NULL, NULL))) return code;
  sqlite3_wal_hook(c->db, remember_log_pages, c);
  return SQLITE_OK;
}

static enum armdyn_status refuse_open(sqlite3 *db, int code, const char *path, struct armdyn_error *error)
{
  const char *why = sqlite3_extended_errcode(db) == code ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  return armdyn_refuse(error, status_of(db, code), "", "cannot open %s: %s", path, why);
}

static void shut(struct sql *sql)
{
  struct connection *c = connection_of(sql);
  for (size_t i = 0; i < STATEMENTS; i++) {
    sqlite3_finalize(c->cache[i].handle);
    free(c->cache[i].text);
  }
  sqlite3_close_v2(c->db);
  free(c);
}

/* What is too large to be sorted in memory goes into files, and where the service runs in a container that is read-only no
 * other folder takes them: without one, migrations of large stores ended in "disk I/O error". The first store's folder. */
static void spill_beside(const char *path)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  const char *end = strrchr(path, '/');
  pthread_mutex_lock(&lock);
  if (!sqlite3_temp_directory && end && end > path)
    sqlite3_temp_directory = sqlite3_mprintf("%.*s", (int)(end - path), path);
  pthread_mutex_unlock(&lock);
}

static enum armdyn_status open_file(const char *path, enum sql_mode mode, struct sql **out, struct armdyn_error *error)
{
  struct connection *c = calloc(1, sizeof *c);
  if (!c) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a connection to %s", path);
  c->base.engine = &sql_sqlite;
  for (size_t i = 0; i < STATEMENTS; i++) c->cache[i].base.engine = &sql_sqlite, c->cache[i].of = c;
  int flags = mode == SQL_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  spill_beside(path);
  int code = sqlite3_open_v2(path, &c->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (!code) code = configure(c, mode);
  if (!code) {
    *out = &c->base;
    return ARMDYN_OK;
  }
  const enum armdyn_status status = refuse_open(c->db, code, path, error);
  shut(&c->base);
  return status;
}

static const char *message(struct sql *sql)
{
  return sqlite3_errmsg(connection_of(sql)->db);
}

/* -- statements -- */

static int compile(struct connection *c, struct prepared *p, const char *text)
{
  sqlite3_finalize(p->handle);
  free(p->text);
  p->handle = NULL;
  p->text = strdup(text);
  char *own = strchr(text, '\x01') ? sql_alternative(text, false) : p->text;
  const int code =
      p->text && own ? sqlite3_prepare_v3(c->db, own, -1, SQLITE_PREPARE_PERSISTENT, &p->handle, NULL) : SQLITE_NOMEM;
  if (own != p->text) free(own);
  return code;
}

static enum armdyn_status prepare(struct sql *sql, const char *text, struct sql_statement **statement)
{
  *statement = NULL;
  struct connection *c = connection_of(sql);
  struct prepared *oldest = NULL;
  c->clock++;
  for (struct prepared *p = c->cache; p < c->cache + STATEMENTS; p++) {
    if (p->handle && strcmp(p->text, text) == 0 && !sqlite3_stmt_busy(p->handle)) {
      p->used = c->clock;
      *statement = &p->base;
      return ARMDYN_OK;
    }
    bool free_place = !p->handle || !sqlite3_stmt_busy(p->handle);
    if (free_place && (!oldest || p->used < oldest->used)) oldest = p;
  }
  if (!oldest) return ARMDYN_EINTERNAL; /* STATEMENTS queries under way at once on one connection */
  oldest->used = c->clock;
  const int code = compile(c, oldest, text);
  if (code) return status_of(c->db, code);
  *statement = &oldest->base;
  return ARMDYN_OK;
}

static int places(const struct sql_statement *statement)
{
  return sqlite3_bind_parameter_count(handle_of(statement));
}

static const char *place_name(const struct sql_statement *statement, int place)
{
  return sqlite3_bind_parameter_name(handle_of(statement), place);
}

static int bind_value(sqlite3_stmt *handle, int place, struct value value)
{
  switch (value.type) {
  case VALUE_INTEGER: return sqlite3_bind_int64(handle, place, value.integer);
  case VALUE_NUMBER: return sqlite3_bind_double(handle, place, value.number);
  case VALUE_TEXT: return sqlite3_bind_text(handle, place, value.data, -1, SQLITE_STATIC);
  case VALUE_BLOB: return sqlite3_bind_blob64(handle, place, value.data, value.size, SQLITE_STATIC);
  case VALUE_NULL: break;
  }
  return sqlite3_bind_null(handle, place);
}

static enum armdyn_status bind(struct sql_statement *statement, int place, struct value value)
{
  const struct prepared *p = (struct prepared *)statement;
  return status_of(p->of->db, bind_value(p->handle, place, value));
}

static enum armdyn_status step(struct sql_statement *statement, bool *row)
{
  const struct prepared *p = (struct prepared *)statement;
  int code = sqlite3_step(p->handle);
  *row = code == SQLITE_ROW;
  return status_of(p->of->db, code);
}

static void finish(struct sql_statement *statement)
{
  sqlite3_reset(handle_of(statement));
  sqlite3_clear_bindings(handle_of(statement));
}

/* -- rows -- */

static int columns(const struct sql_statement *statement)
{
  return sqlite3_column_count(handle_of(statement));
}

static const char *column_name(const struct sql_statement *statement, int column)
{
  return sqlite3_column_name(handle_of(statement), column);
}

static enum value_type type(const struct sql_statement *statement, int column)
{
  switch (sqlite3_column_type(handle_of(statement), column)) {
  case SQLITE_INTEGER: return VALUE_INTEGER;
  case SQLITE_FLOAT: return VALUE_NUMBER;
  case SQLITE_TEXT: return VALUE_TEXT;
  case SQLITE_BLOB: return VALUE_BLOB;
  default: return VALUE_NULL;
  }
}

static const char *text_of(const struct sql_statement *statement, int column)
{
  return (const char *)sqlite3_column_text(handle_of(statement), column);
}

static int64_t integer(const struct sql_statement *statement, int column)
{
  return sqlite3_column_int64(handle_of(statement), column);
}

static double real(const struct sql_statement *statement, int column)
{
  return sqlite3_column_double(handle_of(statement), column);
}

static const void *blob(const struct sql_statement *statement, int column, size_t *size)
{
  const void *data = sqlite3_column_blob(handle_of(statement), column);
  *size = (size_t)sqlite3_column_bytes(handle_of(statement), column);
  return data;
}

static int changed(struct sql *sql)
{
  return sqlite3_changes(connection_of(sql)->db);
}

static enum armdyn_status script(struct sql *sql, const char *text)
{
  sqlite3 *db = connection_of(sql)->db;
  char *own = sql_alternative(text, false);
  const int code = own ? sqlite3_exec(db, own, NULL, NULL, NULL) : SQLITE_NOMEM;
  free(own);
  return status_of(db, code);
}

/* -- transactions -- */

static enum armdyn_status begin(struct sql *sql)
{
  return sql_run(sql, "BEGIN IMMEDIATE", NO_VALUES, NULL);
}

static enum armdyn_status commit(struct sql *sql)
{
  return sql_run(sql, "COMMIT", NO_VALUES, NULL);
}

static void roll_back(struct sql *sql)
{
  sql_run(sql, "ROLLBACK", NO_VALUES, NULL);
}

static bool in_transaction(struct sql *sql)
{
  return !sqlite3_get_autocommit(connection_of(sql)->db);
}

static enum armdyn_status savepoint(struct sql *sql)
{
  return sql_run(sql, "SAVEPOINT operation", NO_VALUES, NULL);
}

static enum armdyn_status release(struct sql *sql, enum armdyn_status *status)
{
  (void)status; /* nothing fails later */
  return sql_run(sql, "RELEASE operation", NO_VALUES, NULL);
}

static enum armdyn_status undo(struct sql *sql)
{
  const enum armdyn_status status = sql_run(sql, "ROLLBACK TO operation", NO_VALUES, NULL);
  return status ? status : release(sql, NULL);
}

static enum armdyn_status snapshot(struct sql *sql)
{
  return sql_run(sql, "SAVEPOINT snapshot", NO_VALUES, NULL);
}

static void snapshot_end(struct sql *sql)
{
  sql_run(sql, "RELEASE snapshot", NO_VALUES, NULL);
}

static int is_over(void *monotonic_ns)
{
  return clock_monotonic_ns() > *(const int64_t *)monotonic_ns;
}

static void deadline(struct sql *sql, const int64_t *monotonic_ns)
{
  sqlite3_progress_handler(connection_of(sql)->db, monotonic_ns ? OPERATIONS_UNSEEN : 0, monotonic_ns ? is_over : NULL,
                           (void *)(uintptr_t)monotonic_ns);
}

/* A page, without changing what it says. */
static enum armdyn_status touch(struct sql *sql)
{
  return script(sql, "PRAGMA user_version = 1");
}

static int64_t file_bytes(const char *path, const char *end)
{
  char name[4096];
  struct stat file;
  snprintf(name, sizeof name, "%s%s", path, end);
  return stat(name, &file) ? 0 : (int64_t)file.st_size;
}

static enum armdyn_status room(struct sql *sql, struct sql_room *out)
{
  const char *path = sqlite3_db_filename(connection_of(sql)->db, "main");
  int64_t free_pages = 0, page_bytes = 0;
  enum armdyn_status status = sql_number(sql, "PRAGMA freelist_count", NO_VALUES, &free_pages);
  if (!status) status = sql_number(sql, "PRAGMA page_size", NO_VALUES, &page_bytes);
  *out = (struct sql_room){ file_bytes(path, ""), file_bytes(path, "-wal"), free_pages * page_bytes };
  return status;
}

static int log_pages(const struct sql *sql)
{
  return ((const struct connection *)sql)->log_pages;
}

static enum armdyn_status checkpoint(struct sql *sql, bool wait)
{
  struct connection *c = connection_of(sql);
  int mode = wait ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE;
  int left = 0, moved = 0;
  int code = sqlite3_wal_checkpoint_v2(c->db, NULL, mode, &left, &moved);
  if (!code && moved >= left) c->log_pages = 0;
  return status_of(c->db, code);
}

const struct sql_engine sql_sqlite = {
  .name = "sqlite",
  .open = open_file,
  .close = shut,
  .message = message,
  .prepare = prepare,
  .places = places,
  .place_name = place_name,
  .bind = bind,
  .step = step,
  .finish = finish,
  .columns = columns,
  .column_name = column_name,
  .type = type,
  .text = text_of,
  .integer = integer,
  .real = real,
  .blob = blob,
  .changed = changed,
  .script = script,
  .begin = begin,
  .commit = commit,
  .rollback = roll_back,
  .in_transaction = in_transaction,
  .savepoint = savepoint,
  .release = release,
  .undo = undo,
  .snapshot = snapshot,
  .snapshot_end = snapshot_end,
  .deadline = deadline,
  .touch = touch,
  .room = room,
  .log_pages = log_pages,
  .checkpoint = checkpoint,
};
