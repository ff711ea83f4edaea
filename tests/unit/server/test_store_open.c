#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "server/store/migrate.h"
#include "store_fixture.h"

static struct armdyn_error error;

TestSuite(open, .init = temporary_make, .fini = teardown);

/* The store refuses, and says so in words that contain `part`. */
static void refused(const char *dir, enum armdyn_status status, const char *part)
{
  struct store *none = NULL;
  enum armdyn_status got = store_open(dir, &none, &error);
  cr_assert_eq(got, status, "%s: %s", armdyn_status_text(got), error.message);
  cr_assert_not_null(strstr(error.message, part), "%s", error.message);
  cr_assert_null(none);
}

static const char *inside(const char *name)
{
  static char path[PATH_MAX + 100];
  snprintf(path, sizeof path, "%s/%s", temporary, name);
  return path;
}

static void write_file(const char *name, const char *text)
{
  FILE *file = fopen(inside(name), "w");
  cr_assert_not_null(file);
  fputs(text, file);
  fclose(file);
}

static void sql(const char *name, const char *text)
{
  sqlite3 *db;
  cr_assert_eq(sqlite3_open(inside(name), &db), SQLITE_OK);
  cr_assert_eq(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
  sqlite3_close(db);
}

static int64_t sql_number_of(const char *path, const char *text)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db, text, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
  cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
  int64_t number = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return number;
}

Test(open, creates_a_private_directory)
{
  struct stat info;
  rmdir(temporary);
  open_store();
  cr_assert_eq(stat(temporary, &info), 0);
  cr_assert_eq(info.st_mode & 07777, 0700);
  cr_assert_eq(store_schema_version(store), (int)store_migrations.count);
  OK(store_check(store, &error));
  reopen();
  cr_assert_eq(store_schema_version(store), (int)store_migrations.count);
  cr_assert_eq(temporary_each("-v", NULL), 0); /* no backup without an upgrade */
}

Test(open, one_at_a_time)
{
  open_store();
  char number[32];
  snprintf(number, sizeof number, "process %ld", (long)getpid());
  refused(temporary, ARMDYN_EBUSY, inside("lock"));
  refused(temporary, ARMDYN_EBUSY, number);
  OK(store_check(store, &error)); /* the refused one did no harm */
  reopen();
}

/* A child that was started while the store was open must not hold its lock. */
Test(open, lock_is_not_inherited)
{
  open_store();
  pid_t child = fork();
  if (child == 0) {
    execlp("sleep", "sleep", "30", (char *)NULL);
    _exit(1);
  }
  char link[64], target[64];
  snprintf(link, sizeof link, "/proc/%ld/exe", (long)child);
  for (int i = 0; i < 500; i++) { /* until it runs the other program */
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    if (strstr(target, "sleep") || strstr(target, "coreutils") || strstr(target, "busybox")) break;
    usleep(10000);
  }
  reopen();
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

Test(open, refuses_a_file)
{
  write_file("file", "x");
  refused(inside("file"), ARMDYN_EINPUT, "is not a directory");
  refused("", ARMDYN_EINPUT, "no name");
}

Test(open, refuses_a_missing_parent)
{
  refused(inside("no/such"), ARMDYN_EIO, "No such file");
}

Test(open, refuses_what_it_may_not_write)
{
  if (getuid() != 0) { /* the child below becomes somebody else */
    chmod(temporary, 0500);
    refused(temporary, ARMDYN_EIO, "Permission denied");
    chmod(temporary, 0700);
    return;
  }
  chmod(temporary, 0755);
  pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(2);
    struct store *none;
    enum armdyn_status status = store_open(temporary, &none, &error);
    _exit(status == ARMDYN_EIO && strstr(error.message, "/lock: Permission denied") ? 0 : 1);
  }
  int result;
  cr_assert_eq(waitpid(child, &result, 0), child);
  cr_assert(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

Test(open, refuses_what_is_no_database)
{
  char text[8192];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  write_file("armdyn.db", text);
  refused(temporary, ARMDYN_EIO, "not a database");
}

Test(open, refuses_another_programs_database)
{
  sql("armdyn.db", "CREATE TABLE notes (text)");
  refused(temporary, ARMDYN_ECONFLICT, "another program");
}

Test(open, refuses_a_newer_schema_and_says_both_versions)
{
  open_store();
  store_close(store);
  store = NULL;
  sql("armdyn.db", "INSERT INTO schema_version VALUES (99, '0099_future', '2030-01-01T00:00:00.000Z')");
  refused(temporary, ARMDYN_ECONFLICT, "schema version 99");
  char known[32];
  snprintf(known, sizeof known, "up to %zu", store_migrations.count);
  refused(temporary, ARMDYN_ECONFLICT, known);
}

/* Zeroes in the middle of the file: quick_check finds them whatever they hit, or SQLite does on the way. */
Test(open, refuses_a_damaged_database)
{
  open_store();
  for (int i = 0; i < 200; i++) {
    char name[32];
    snprintf(name, sizeof name, "robot-%d", i);
    struct store_robot robot = a_robot(name);
    OK(store_robot_create(store, &robot, NULL));
  }
  store_close(store);
  store = NULL;
  int64_t root =
      sql_number_of(inside("armdyn.db"), "SELECT rootpage FROM sqlite_schema WHERE name = 'robot_revisions'");
  int fd = open(inside("armdyn.db"), O_WRONLY);
  char zeros[4096] = { 0 };
  cr_assert_eq(pwrite(fd, zeros, sizeof zeros, (root - 1) * 4096), (ssize_t)sizeof zeros);
  close(fd);
  refused(temporary, ARMDYN_EIO, "armdyn.db");
}

/* -- upgrades -- */

enum { ROOM = 64 };

static struct migrations with(struct migration second, struct migration *room)
{
  cr_assert_lt(store_migrations.count, ROOM);
  memcpy(room, store_migrations.items, store_migrations.count * sizeof *room);
  room[store_migrations.count] = second;
  return (struct migrations){ room, store_migrations.count + 1, 0 };
}

static int64_t backup_robots, backup_version;

static void look_into_backup(const char *path)
{
  cr_assert_null(strstr(path, "partial"));
  backup_robots = sql_number_of(path, "SELECT count(*) FROM robots");
  backup_version = sql_number_of(path, "SELECT max(version) FROM schema_version");
}

Test(open, upgrades_after_a_backup)
{
  struct migration room[ROOM];
  struct migrations more =
      with((struct migration){ "9999_notes", "CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO notes SELECT"
                                             " name FROM robots;" },
           room);
  struct store_robot robot = a_robot("a"), got;
  open_store();
  OK(store_robot_create(store, &robot, NULL));
  store_close(store);
  cr_assert_eq(store_open_with(temporary, &more, &store, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(store_schema_version(store), (int)more.count);
  OK(store_robot_get(store, "a", 0, &got));
  store_robot_release(&got);
  store_close(store);
  store = NULL;
  cr_assert_eq(sql_number_of(inside("armdyn.db"), "SELECT count(*) FROM notes WHERE text = 'a'"), 1);
  char part[32];
  snprintf(part, sizeof part, "armdyn-v%zu-", store_migrations.count);
  cr_assert_eq(temporary_each(part, look_into_backup), 1);
  cr_assert_eq(backup_robots, 1);
  cr_assert_eq(backup_version, (int64_t)store_migrations.count);
  /* Again: nothing to do, no second backup; the older program refuses. */
  OK(store_open_with(temporary, &more, &store, &error));
  store_close(store);
  store = NULL;
  cr_assert_eq(temporary_each(part, NULL), 1);
  refused(temporary, ARMDYN_ECONFLICT, "use a newer armdyn");
}

Test(open, a_migration_that_fails_leaves_all_as_it_was)
{
  struct migration room[ROOM];
  struct migrations broken = with(
      (struct migration){ "9999_broken", "CREATE TABLE notes (text TEXT) STRICT; INSERT INTO nowhere VALUES (1);" },
      room);
  struct store_robot robot = a_robot("a"), got;
  open_store();
  OK(store_robot_create(store, &robot, NULL));
  store_close(store);
  store = NULL;
  cr_assert_neq(store_open_with(temporary, &broken, &store, &error), ARMDYN_OK);
  cr_assert_not_null(strstr(error.message, "9999_broken: no such table: nowhere"), "%s", error.message);
  open_store(); /* the former program goes on with it */
  OK(store_robot_get(store, "a", 0, &got));
  store_robot_release(&got);
  store_close(store);
  store = NULL;
  cr_assert_eq(sql_number_of(inside("armdyn.db"), "SELECT count(*) FROM sqlite_schema WHERE name = 'notes'"), 0);
}
