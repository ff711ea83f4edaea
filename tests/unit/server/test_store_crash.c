/* What was acknowledged is there after a SIGKILL at any moment. */
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

#include "store_fixture.h"

enum { WRITERS = 4, ROWS = 9000, WIDTH = 2 };

TestSuite(crash, .init = temporary_make, .fini = teardown);

static int acknowledge;

/* One write of a short line is whole or not there at all. */
static void tell(const char *kind, const char *name, int64_t number)
{
  char line[128];
  int length = snprintf(line, sizeof line, "%s %s %lld\n", kind, name, (long long)number);
  if (write(acknowledge, line, (size_t)length) != length) _exit(3);
}

static void must(enum armdyn_status status)
{
  if (status) _exit(4);
}

static void write_result(const char *robot, int64_t revision)
{
  static const double rows[ROWS * WIDTH] = { 1, 2, 3 };
  struct store_series_writer *series;
  struct store_job job = a_job(robot, revision);
  struct store_result result = a_result(&job);
  must(store_job_create(store, &job, NULL));
  tell("job", job.id, 0);
  must(store_series_begin(store, result.id, "samples", "a,b", WIDTH, &series));
  must(store_series_append(series, rows, ROWS));
  must(store_series_end(series, true));
  must(store_result_create(store, &result, &job));
  tell("result", result.id, 0);
}

static void *write_for_ever(void *argument)
{
  const char *round = argument;
  for (;;) {
    char name[ARMDYN_NAME_SIZE], id[ID_SIZE];
    id_make(id);
    snprintf(name, sizeof name, "%s-%s", round, id);
    struct store_robot robot = a_robot(name);
    must(store_robot_create(store, &robot, &(struct store_idempotency){ name, (const unsigned char *)name, false }));
    tell("robot", name, robot.revision);
    must(store_robot_update(store, &robot, 1));
    tell("robot", name, robot.revision);
    write_result(name, 1);
  }
  return NULL;
}

static pid_t start_child(const char *round, int *lines)
{
  int ends[2];
  cr_assert_eq(pipe(ends), 0);
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) {
    pthread_t threads[WRITERS];
    close(ends[0]);
    acknowledge = ends[1];
    must(store_open(temporary, &store, NULL));
    for (int i = 0; i < WRITERS; i++) pthread_create(&threads[i], NULL, write_for_ever, (void *)round);
    pause();
    _exit(0);
  }
  close(ends[1]);
  *lines = ends[0];
  return child;
}

static void check_integrity(void)
{
  sqlite3 *db;
  sqlite3_stmt *statement;
  char path[PATH_MAX + 20];
  snprintf(path, sizeof path, "%s/armdyn.db", temporary);
  cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
  cr_assert_eq(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL), SQLITE_OK);
  cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
  cr_assert_str_eq((const char *)sqlite3_column_text(statement, 0), "ok");
  sqlite3_finalize(statement);
  cr_assert_eq(sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &statement, NULL), SQLITE_OK);
  cr_assert_eq(sqlite3_step(statement), SQLITE_DONE);
  sqlite3_finalize(statement);
  sqlite3_close(db);
}

static void check_line(const char *kind, const char *name, long long number)
{
  if (strcmp(kind, "robot") == 0) {
    struct store_robot robot;
    char *href;
    OK(store_robot_get(store, name, number, &robot));
    store_robot_release(&robot);
    OK(store_idempotency_find(store, &(struct store_idempotency){ name, (const unsigned char *)name, false }, &href));
    free(href);
  } else if (strcmp(kind, "job") == 0) {
    struct store_job job;
    OK(store_job_get(store, name, &job));
    store_job_release(&job);
  } else {
    static double rows[ROWS * WIDTH];
    struct store_result result;
    struct store_job job;
    OK(store_result_get(store, "trajectory", name, &result));
    OK(store_job_get(store, result.job, &job));
    cr_assert_eq(job.state, JOB_SUCCEEDED);
    OK(store_series_read(store, name, "samples", 0, ROWS, rows));
    cr_assert_eq(rows[2], 3);
    store_job_release(&job);
    store_result_release(&result);
  }
}

/* A result that is there has its job's end and its whole series, acknowledged or not. */
static void check_whole(void *context, const struct store_result *result)
{
  (void)context;
  check_line("result", result->id, 0);
}

static size_t one_round(const char *round, unsigned delay_us)
{
  int fd;
  char kind[16], name[ARMDYN_NAME_SIZE];
  long long number;
  size_t count = 0;
  pid_t child = start_child(round, &fd);
  usleep(delay_us);
  cr_assert_eq(kill(child, SIGKILL), 0);
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFSIGNALED(status), "the child ended by itself, with status %d", WEXITSTATUS(status));
  check_integrity();
  open_store();
  FILE *lines = fdopen(fd, "r");
  for (; fscanf(lines, "%15s %64s %lld", kind, name, &number) == 3; count++) check_line(kind, name, number);
  fclose(lines);
  struct store_query all = query_of(1000, COLUMNS(COLUMN("kind", "trajectory")));
  do OK(store_result_list(store, &all, check_whole, NULL));
  while (all.more);
  store_close(store);
  store = NULL;
  return count;
}

Test(crash, nothing_acknowledged_is_lost, .timeout = 3600)
{
  const char *soak = getenv("ARMDYN_SOAK");
  int rounds = soak && *soak && *soak != '0' ? 200 : 5;
  size_t acknowledged = 0;
  unsigned seed = (unsigned)getpid();
  for (int i = 0; i < rounds; i++) {
    char round[32];
    snprintf(round, sizeof round, "round-%d", i);
    seed = seed * 1664525u + 1013904223u;
    acknowledged += one_round(round, 50000 + seed / 16 % 400000);
  }
  cr_assert_gt(acknowledged, (size_t)rounds, "only %zu entries in %d rounds", acknowledged, rounds);
}
