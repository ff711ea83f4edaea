/* A store from opening to closing: its directory and lock, the schema, who writes and who reads; copies of the whole. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/store/copy.h"
#include "server/store/internal.h"
#include "server/store/migrate.h"
#include "server/store/move.h"
#include "server/store/node.h"
#include "server/store/postgresql_connect.h"
#include "server/store/restored.h"

static enum armdyn_status refuse_errno(struct armdyn_error *error, const char *what, const char *dir, const char *file)
{
  int code = errno;
  enum armdyn_status status = code == ENOSPC || code == EDQUOT ? ARMDYN_EFULL : ARMDYN_EIO;
  return armdyn_refuse(error, status, "", "cannot %s %s%s: %s", what, dir, file, strerror(code));
}

static enum armdyn_status make_directory(const char *dir, struct armdyn_error *error)
{
  struct stat info;
  if (!*dir) return armdyn_refuse(error, ARMDYN_EINPUT, "", "the data directory has no name");
  if (mkdir(dir, 0700) != 0 && errno != EEXIST) return refuse_errno(error, "create the data directory", dir, "");
  if (stat(dir, &info) != 0) return refuse_errno(error, "look at", dir, "");
  if (!S_ISDIR(info.st_mode)) return armdyn_refuse(error, ARMDYN_EINPUT, "", "%s is not a directory", dir);
  return ARMDYN_OK;
}

/* A child of a server that was just killed holds its lock a moment longer if it had not got to its exec yet. */
static int lock_soon(int fd)
{
  const struct timespec pause = { .tv_nsec = 25 * 1000 * 1000 };
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  for (int tries = 40; fcntl(fd, F_OFD_SETLK, &whole) != 0; nanosleep(&pause, NULL))
    if ((errno != EAGAIN && errno != EACCES) || --tries == 0) return -1;
  return 0;
}

static enum armdyn_status name_file(const char *dir, const char *name, char path[STORE_PATH_SIZE],
                                    struct armdyn_error *error)
{
  if (snprintf(path, STORE_PATH_SIZE, "%s/%s", dir, name) < STORE_PATH_SIZE) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "", "a path of %zu bytes is too long: %.160s...", strlen(dir), dir);
}

enum armdyn_status store_file(const char *dir, char path[STORE_PATH_SIZE], struct armdyn_error *error)
{
  return name_file(dir, "armdyn.db", path, error);
}

/* The lock belongs to the open file, not to the process: it also holds against a second store in this process, and ends
 * with it however that dies. The process id inside is for people. */
static enum armdyn_status take_lock(const char *dir, int *lock, struct armdyn_error *error)
{
  char path[STORE_PATH_SIZE], holder[32] = "";
  if (name_file(dir, "lock", path, error)) return ARMDYN_EINPUT;
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return refuse_errno(error, "write", dir, "/lock");

  enum armdyn_status status = ARMDYN_OK;
  if (lock_soon(fd)) {
    if (errno != EAGAIN && errno != EACCES) {
      status = refuse_errno(error, "lock", dir, "/lock");
      goto out;
    }
    ssize_t got = pread(fd, holder, sizeof holder - 1, 0);
    holder[got > 0 ? strspn(holder, "0123456789") : 0] = '\0';
    status = armdyn_refuse(error, ARMDYN_EBUSY, "", "%s is held by another armdyn (process %s)", path,
                           *holder ? holder : "unknown");
    goto out;
  }
  if (ftruncate(fd, 0) != 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0) {
    status = refuse_errno(error, "write", dir, "/lock");
    goto out;
  }
  *lock = fd;
  fd = -1;
out:
  if (fd >= 0) close(fd);
  return status;
}

enum armdyn_status store_hold_directory(const char *dir, int *lock, struct armdyn_error *error)
{
  const enum armdyn_status status = make_directory(dir, error);
  return status ? status : take_lock(dir, lock, error);
}

static enum armdyn_status prune_all(struct sql *sql, void *argument)
{
  (void)argument;
  return store_idempotency_prune(sql, INT64_MAX);
}

/* What may as well wait for a start that finds room: a full disk keeps nobody from STOP, and store_check tells of it. */
static enum armdyn_status tidy(struct store *store)
{
  enum armdyn_status status = store_series_sweep(store);
  if (!status) status = store_write(store, prune_all, NULL, 0);
  return status == ARMDYN_EFULL ? ARMDYN_OK : status;
}

/* Writes a page without changing what it says. */
static enum armdyn_status write_something(struct sql *sql, void *argument)
{
  (void)argument;
  return sql_touch(sql);
}

/* A database on a server: who holds it writes, also what migrates it. */
static enum armdyn_status settle_on_server(struct store *store, struct sql *sql, const char *dir,
                                           const char *reached_at, struct armdyn_error *error)
{
  char node[ID_SIZE];
  int64_t version = 0;
  enum armdyn_status status = store_node(dir, node, error);
  if (!status) status = migrate_version(sql, "the database", migrations_of(sql), &version, error);
  if (!status && version > 0) status = move_refuse_unfinished(sql, error);
  if (!status && version > 0) status = sql_hold(sql, node, error);
  if (!status) status = migrate(sql, NULL, migrations_of(sql), &store->schema_version, error);
  if (!status && version == 0) status = sql_hold(sql, node, error);
  if (status) return status;
  status = sql_run(sql, "UPDATE holder SET address = ?, address_epoch = epoch WHERE node = ?",
                   VALUES(value_text(*reached_at ? reached_at : NULL), value_text(node)), NULL);
  return status ? armdyn_refuse(error, status, "", "cannot say where this node is: %.150s", sql_message(sql)) : status;
}

enum armdyn_status store_migrate(const char *address, int *before, int *now, struct armdyn_error *error)
{
  struct sql *sql = NULL;
  int64_t version = 0;
  enum armdyn_status status = store_is_on_server(address)
                                  ? sql_open(address, SQL_WRITE, &sql, error)
                                  : armdyn_refuse(error, ARMDYN_EINPUT, "", "'%.160s' is no address", address);
  if (!status) status = migrate_version(sql, "the database", migrations_of(sql), &version, error);
  if (!status && version > 0 && version < migrations_newest(migrations_of(sql)))
    status = sql_hold(sql, "upgrade", error);
  if (!status) status = migrate(sql, NULL, migrations_of(sql), now, error);
  *before = (int)version;
  sql_close(sql);
  return status;
}

static enum armdyn_status settle_file(struct store *store, struct sql *sql, const char *dir,
                                      const struct migrations *migrations, struct armdyn_error *error)
{
  enum armdyn_status status = migrate(sql, dir, migrations, &store->schema_version, error);
  if (!status && (status = restored_disable(sql)))
    armdyn_refuse(error, status, "", "cannot disable what the restored copy holds: %s", armdyn_status_text(status));
  if (!status) store_tighten(dir);
  return status;
}

/* The names of it: the file of a store, or where it would be, and what is opened. */
static enum armdyn_status name_store(struct store *store, const char *dir, const char *address,
                                     struct armdyn_error *error)
{
  char path[STORE_PATH_SIZE];
  enum armdyn_status status = store_file(dir, path, error);
  if (!status) status = store_hold_directory(dir, &store->lock, error);
  if (status) return status;
  store->path = strdup(path);
  store->address = strdup(*address ? address : path);
  return store->path && store->address ? ARMDYN_OK
                                       : armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for the store");
}

static enum armdyn_status open_store(const struct store_place *place, const struct migrations *migrations,
                                     struct store **out, struct armdyn_error *error)
{
  enum armdyn_status status;
  struct sql *sql = NULL;
  struct store *store = calloc(1, sizeof *store);
  if (!store) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for the store");
  store->lock = -1;
  if ((status = name_store(store, place->dir, place->address, error))) goto out;
  if ((status = sql_open(store->address, SQL_WRITE, &sql, error))) goto out;
  status = *place->address ? settle_on_server(store, sql, place->dir, place->reached_at, error)
                           : settle_file(store, sql, place->dir, migrations, error);
  if (status) goto out;
  if ((status = readers_new(store->address, true, &store->readers)) || (status = writer_start(sql, &store->writer))) {
    armdyn_refuse(error, status, "", "cannot start the store's writer: %s", armdyn_status_text(status));
    goto out;
  }
  sql = NULL; /* the writer's */
  if ((status = tidy(store))) {
    armdyn_refuse(error, status, "", "cannot tidy up the store: %s", armdyn_status_text(status));
    goto out;
  }
  (void)store_write(store, write_something, NULL, 0); /* a disk that is full is known from the start, by store_check */
  *out = store;
  store = NULL;
out:
  sql_close(sql);
  store_close(store);
  return status;
}

enum armdyn_status store_open_with(const char *dir, const struct migrations *migrations, struct store **store,
                                   struct armdyn_error *error)
{
  return open_store(&(struct store_place){ dir, "", "" }, migrations, store, error);
}

enum armdyn_status store_open_at(const struct store_place *place, struct store **store, struct armdyn_error *error)
{
  if (*place->address && !store_is_on_server(place->address))
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "'%.160s' is no address of a store: postgresql://HOST/DATABASE",
                         place->address);
  return open_store(place, &store_migrations, store, error);
}

bool store_is_fenced(const struct store *store)
{
  return writer_is_fenced(store->writer);
}

int64_t store_holds_until_ms(const struct store *store)
{
  return writer_holds_until_ms(store->writer);
}

bool store_is_on_server(const char *address)
{
  return postgresql_is_address(address);
}

enum armdyn_status store_backup(const char *path, const char *to, struct armdyn_error *error)
{
  struct sql *sql = NULL;
  enum armdyn_status status = sql_open(path, SQL_READ, &sql, error);
  if (!status) status = database_copy(sql, to, NULL, error);
  sql_close(sql);
  return status;
}

enum armdyn_status store_restore(const char *from, const char *dir, bool enable, struct armdyn_error *error)
{
  struct sql *sql = NULL;
  int lock = -1;
  int64_t version;
  char path[STORE_PATH_SIZE];
  if (store_file(dir, path, error)) return ARMDYN_EINPUT;
  enum armdyn_status status = store_hold_directory(dir, &lock, error);
  if (!status) status = sql_open(from, SQL_READ, &sql, error);
  if (!status) status = database_check(sql, from, error);
  if (!status) status = migrate_version(sql, from, &store_migrations, &version, error);
  if (!status && version == 0) status = armdyn_refuse(error, ARMDYN_ECONFLICT, "", "%s is empty: no backup", from);
  if (!status) status = database_copy(sql, path, enable ? NULL : restored_mark, error);
  sql_close(sql);
  if (lock >= 0) close(lock);
  return status;
}

enum armdyn_status store_open(const char *dir, struct store **store, struct armdyn_error *error)
{
  return store_open_with(dir, &store_migrations, store, error);
}

enum armdyn_status store_open_reader(const char *address, struct store **out, struct armdyn_error *error)
{
  const char *variable = getenv("ARMDYN_STORE");
  if (variable && !strcmp(address, STORE_IN_ENVIRONMENT)) address = variable;
  enum armdyn_status status = ARMDYN_EMEMORY;
  struct sql *sql = NULL;
  struct store *store = calloc(1, sizeof *store);
  if (!store || !(store->path = strdup(address)) || !(store->address = strdup(address))) goto out;
  store->lock = -1;
  if ((status = readers_new(store->address, false, &store->readers)) || (status = readers_take(store->readers, &sql)))
    goto out;
  readers_give(store->readers, sql);
  *out = store;
  store = NULL;
out:
  if (status)
    armdyn_refuse(error, status, "", "cannot read %s: %s", store_is_on_server(address) ? "the store" : address,
                  armdyn_status_text(status));
  if (store) store_close(store);
  return status;
}

const char *store_path(const struct store *store)
{
  return store->path;
}

const char *store_address(const struct store *store)
{
  return store->address;
}

void store_close(struct store *store)
{
  if (!store) return;
  /* The writer closes last, because the last connection to close moves the log into the database. */
  readers_free(store->readers);
  writer_stop(store->writer);
  if (store->lock >= 0) close(store->lock);
  free(store->path);
  free(store->address);
  free(store);
}

int store_schema_version(const struct store *store)
{
  return store->schema_version;
}

struct store_counts store_counts(struct store *store)
{
  struct writer_counts c = writer_counts(store->writer);
  return (struct store_counts){ c.operations, c.commits, c.failed_commits, c.checkpoints, c.queued };
}

static enum armdyn_status nothing(struct sql *sql, void *argument)
{
  (void)sql, (void)argument;
  return ARMDYN_OK;
}

enum armdyn_status store_health(struct store *store)
{
  return writer_health(store->writer) ? store_write(store, write_something, NULL, 0) : ARMDYN_OK;
}

double store_busy(struct store *store)
{
  return writer_busy(store->writer);
}

enum armdyn_status store_check(struct store *store, struct armdyn_error *error)
{
  struct sql *sql;
  int64_t version;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_number(sql, "SELECT max(version) FROM schema_version", NO_VALUES, &version);
  readers_give(store->readers, sql);
  if (status) return armdyn_refuse(error, status, "", "the store cannot be read: %s", armdyn_status_text(status));
  /* A commit costs a wait for the disk: only after a failure is it worth asking whether it would succeed again. */
  bool ailing = writer_health(store->writer) != ARMDYN_OK;
  status = store_write(store, ailing ? write_something : nothing, NULL, 0);
  if (status) return armdyn_refuse(error, status, "", "the store cannot be written: %s", armdyn_status_text(status));
  return ARMDYN_OK;
}

const char *store_engine(const struct store *store)
{
  return store_is_on_server(store->address) ? "postgresql" : "sqlite";
}
