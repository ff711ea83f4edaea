#include "server/store/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

#include "server/store/sql_sqlite.h"

enum { PATH_SIZE = 4096 };

enum armdyn_status database_check(struct sql *sql, const char *what, struct armdyn_error *error)
{
  struct sql_statement *statement;
  bool row = false;
  enum armdyn_status status = sql_query(sql, "PRAGMA quick_check(1)", NO_VALUES, &statement);
  if (!status) status = sql_step(statement, &row);
  if (status) {
    armdyn_refuse(error, status, "", "cannot check %s: %s", what, sql_message(sql));
  } else {
    const char *verdict = row ? sql_text(statement, 0) : NULL;
    if (!verdict || strcmp(verdict, "ok") != 0)
      status = armdyn_refuse(error, ARMDYN_EIO, "", "%s is damaged: %s", what, verdict ? verdict : "no verdict");
  }
  sql_finish(statement);
  return status;
}

static enum armdyn_status sync_directory_of(const char *path)
{
  char name[PATH_SIZE];
  snprintf(name, sizeof name, "%s", path);
  int fd = open(dirname(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return ARMDYN_EIO;
  int failed = fsync(fd);
  close(fd);
  return failed ? ARMDYN_EIO : ARMDYN_OK;
}

static enum armdyn_status copy_database(struct sql *from, struct sql *to)
{
  sqlite3_backup *backup = sqlite3_backup_init(sql_sqlite_handle(to), "main", sql_sqlite_handle(from), "main");
  if (!backup) return sql_sqlite_status(to, sqlite3_extended_errcode(sql_sqlite_handle(to)));
  int code = sqlite3_backup_step(backup, -1);
  int end = sqlite3_backup_finish(backup);
  return sql_sqlite_status(to, end ? end : code);
}

enum armdyn_status database_name(const char *partial, const char *path, struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  if (link(partial, path))
    status = armdyn_refuse(error, errno == EEXIST ? ARMDYN_EEXISTS : ARMDYN_EIO, "", "cannot name the copy %s: %s",
                           path, strerror(errno));
  unlink(partial);
  if (!status && sync_directory_of(path))
    status = armdyn_refuse(error, ARMDYN_EIO, "", "cannot keep the copy %s: %s", path, strerror(errno));
  return status;
}

/* A copy is worth nothing before it was checked; only then does it get its name, and never one that is taken. */
enum armdyn_status database_copy(struct sql *sql, const char *path, const char *amendment, struct armdyn_error *error)
{
  enum armdyn_status status;
  struct sql *copy = NULL;
  char partial[PATH_SIZE];
  if (snprintf(partial, sizeof partial, "%s.partial", path) >= (int)sizeof partial)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "the path %s is too long", path);
  if (!access(path, F_OK))
    return armdyn_refuse(error, ARMDYN_EEXISTS, "", "%s exists already; it stays as it is", path);
  unlink(partial); /* of an attempt that was broken off */

  if ((status = sql_open(partial, SQL_WRITE, &copy, error))) goto out;
  if ((status = copy_database(sql, copy))) {
    armdyn_refuse(error, status, "", "cannot copy to %s: %s", partial, sql_message(copy));
    goto out;
  }
  if (amendment && (status = sql_script(copy, amendment))) {
    armdyn_refuse(error, status, "", "cannot write to %s: %s", partial, sql_message(copy));
    goto out;
  }
  if ((status = database_check(copy, partial, error))) goto out;
  /* One file, without a log beside it. */
  if ((status = sql_script(copy, "PRAGMA journal_mode = DELETE"))) goto out;
  sql_close(copy);
  copy = NULL;
  status = database_name(partial, path, error);
out:
  sql_close(copy);
  if (status) unlink(partial);
  return status;
}
