#include <pthread.h>
#include <semaphore.h>

#include "api/limits.h"
#include "server/store/writer.h"
#include "store_fixture.h"

static struct writer *writer;
static char path[PATH_MAX + 20];

static enum armdyn_status run_text(struct sql *sql, void *text)
{
  return sql_run(sql, text, NO_VALUES, NULL);
}

static void start(void)
{
  struct sql *sql;
  temporary_make();
  snprintf(path, sizeof path, "%s/test.db", temporary);
  OK(sql_open(path, SQL_WRITE, &sql, NULL));
  OK(writer_start(sql, &writer));
  OK(writer_do(writer, run_text, "CREATE TABLE numbers (n INTEGER PRIMARY KEY, data BLOB) STRICT", 0));
}

static void end(void)
{
  writer_stop(writer);
  temporary_remove();
}

TestSuite(writer, .init = start, .fini = end);

/* What a reader of its own sees. */
static int64_t number(const char *text)
{
  struct sql *sql;
  int64_t n = -1;
  OK(sql_open(path, SQL_READ, &sql, NULL));
  OK(sql_number(sql, text, NO_VALUES, &n));
  sql_close(sql);
  return n;
}

/* An operation that holds the writer until `gate` opens, so that a test can fill the queue behind it. */
static sem_t gate, inside;

static enum armdyn_status hold_writer(struct sql *sql, void *argument)
{
  (void)sql, (void)argument;
  sem_post(&inside);
  while (sem_wait(&gate) != 0) {
  }
  return ARMDYN_OK;
}

static void *hold(void *argument)
{
  (void)argument;
  OK(writer_do(writer, hold_writer, NULL, 0));
  return NULL;
}

struct insertion {
  int n, steps;
  size_t bytes;
  enum armdyn_status fail, status;
  pthread_t thread;
};

static enum armdyn_status insert(struct sql *sql, void *argument)
{
  struct insertion *i = argument;
  enum armdyn_status status = sql_run(sql, "INSERT INTO numbers (n) VALUES (?)", VALUES(value_integer(i->n)), NULL);
  return status ? status : i->fail;
}

static void *submit(void *argument)
{
  struct insertion *i = argument;
  i->status = writer_do(writer, insert, i, i->bytes);
  return NULL;
}

/* Queue all insertions behind a held writer, let go, wait for all. Returns how many commits they took. */
static uint64_t run_together(struct insertion *insertions, size_t count)
{
  pthread_t holder;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  sem_init(&gate, 0, 0);
  sem_init(&inside, 0, 0);
  pthread_create(&holder, NULL, hold, NULL);
  while (sem_wait(&inside) != 0) {
  }
  uint64_t before = writer_counts(writer).commits;
  size_t most = count < LIMIT_WRITES_QUEUED ? count : LIMIT_WRITES_QUEUED;
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(pthread_create(&insertions[i].thread, &small, submit, &insertions[i]), 0);
    while (writer_counts(writer).queued < (i + 1 < most ? i + 1 : most)) usleep(50); /* in this order */
  }
  for (size_t i = most; i < count; i++) pthread_join(insertions[i].thread, NULL); /* refused while the writer is held */
  sem_post(&gate);
  pthread_join(holder, NULL);
  for (size_t i = 0; i < most; i++) pthread_join(insertions[i].thread, NULL);
  pthread_attr_destroy(&small);
  return writer_counts(writer).commits - before - 1; /* one of them was the holder's */
}

Test(writer, all_that_is_queued_is_one_commit)
{
  struct insertion all[32] = { { 0 } };
  for (int i = 0; i < 32; i++) all[i].n = i;
  cr_assert_eq(run_together(all, 32), 1);
  for (int i = 0; i < 32; i++) OK(all[i].status);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 32);
  struct writer_counts counts = writer_counts(writer);
  cr_assert_eq(counts.operations, 34);
  cr_assert_eq(counts.commits, 3);
  cr_assert_eq(counts.queued, 0);
}

Test(writer, an_operation_that_fails_harms_only_itself)
{
  struct insertion all[12] = { { 0 } };
  for (int i = 0; i < 12; i++) all[i] = (struct insertion){ .n = i, .fail = i % 3 == 1 ? ARMDYN_ESTALE : ARMDYN_OK };
  all[5].n = 3; /* exists */
  cr_assert_eq(run_together(all, 12), 1);
  for (int i = 0; i < 12; i++)
    cr_assert_eq(all[i].status, i % 3 == 1 ? ARMDYN_ESTALE : i == 5 ? ARMDYN_EEXISTS : ARMDYN_OK, "%d", i);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 7);
  cr_assert_eq(number("SELECT count(*) FROM numbers WHERE n % 3 = 1"), 0);
}

Test(writer, big_operations_end_a_group)
{
  struct insertion all[6] = { { 0 } };
  for (int i = 0; i < 6; i++) all[i] = (struct insertion){ .n = i, .bytes = 400 << 10 };
  cr_assert_eq(run_together(all, 6), 3); /* two of 400 KiB make less than 1 MiB, three more */
  for (int i = 0; i < 6; i++) all[i] = (struct insertion){ .n = 10 + i, .bytes = 4 << 20 };
  cr_assert_eq(run_together(all, 6), 6);
}

Test(writer, the_queue_is_bounded)
{
  static struct insertion all[LIMIT_WRITES_QUEUED + 8];
  for (int i = 0; i < (int)COUNT(all); i++) all[i].n = i;
  run_together(all, COUNT(all));
  for (size_t i = 0; i < COUNT(all); i++)
    cr_assert_eq(all[i].status, i < LIMIT_WRITES_QUEUED ? ARMDYN_OK : ARMDYN_EBUSY, "%zu", i);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), LIMIT_WRITES_QUEUED);
}

/* A database that may not grow is what a full disk is to SQLite. */
Test(writer, a_full_disk_fails_the_group_and_passes)
{
  OK(writer_do(writer, run_text, "PRAGMA max_page_count = 20", 0));
  enum armdyn_status status = writer_do(writer, run_text, "INSERT INTO numbers (data) VALUES (zeroblob(1000000))", 0);
  cr_assert_eq(status, ARMDYN_EFULL);
  cr_assert_eq(writer_health(writer), ARMDYN_EFULL);
  cr_assert_eq(writer_counts(writer).failed_commits, 1);
  struct insertion all[3] = { { .n = 1 }, { .n = 2 }, { .n = 3 } };
  run_together(all, 3); /* these fit */
  for (int i = 0; i < 3; i++) OK(all[i].status);
  cr_assert_eq(writer_health(writer), ARMDYN_OK);
  OK(writer_do(writer, run_text, "PRAGMA max_page_count = 100000", 0));
  OK(writer_do(writer, run_text, "INSERT INTO numbers (data) VALUES (zeroblob(1000000))", 0));
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 4);
}

static int64_t log_bytes(void)
{
  struct stat info;
  char log[PATH_MAX + 30];
  snprintf(log, sizeof log, "%s-wal", path);
  return stat(log, &info) == 0 ? (int64_t)info.st_size : -1;
}

/* The log is moved into the database now and then, and used again from its start. */
Test(writer, the_log_does_not_grow_for_ever)
{
  for (int i = 0; i < 40; i++)
    OK(writer_do(writer, run_text, "INSERT INTO numbers (data) VALUES (zeroblob(1000000))", 1000000));
  cr_assert_geq(writer_counts(writer).checkpoints, 7); /* 1,000 pages are five of these */
  cr_assert_lt(log_bytes(), 12 << 20);
}

/* Readers neither write nor move the log, not even the last one to close; a writer that closes does. */
Test(writer, readers_only_read)
{
  struct sql *reader;
  OK(writer_do(writer, run_text, "INSERT INTO numbers (n) VALUES (1)", 0));
  OK(sql_open(path, SQL_READ, &reader, NULL));
  cr_assert_neq(sql_run(reader, "INSERT INTO numbers (n) VALUES (2)", NO_VALUES, NULL), ARMDYN_OK);
  cr_assert_neq(sql_checkpoint(reader, false), ARMDYN_OK);
  sql_close(reader);
  cr_assert_gt(log_bytes(), 0);
  writer_stop(writer);
  writer = NULL;
  cr_assert_eq(log_bytes(), -1);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 1);
}

/* A reader whose snapshot is old keeps the log, but stops nobody, and the log shrinks when it is gone. */
Test(writer, an_old_reader_stops_nobody)
{
  struct sql *reader;
  int64_t n;
  OK(sql_open(path, SQL_READ, &reader, NULL));
  OK(sql_run(reader, "BEGIN", NO_VALUES, NULL));
  OK(sql_number(reader, "SELECT count(*) FROM numbers", NO_VALUES, &n));
  for (int i = 0; i < 10; i++)
    OK(writer_do(writer, run_text, "INSERT INTO numbers (data) VALUES (zeroblob(1000000))", 1000000));
  OK(sql_number(reader, "SELECT count(*) FROM numbers", NO_VALUES, &n));
  cr_assert_eq(n, 0);
  cr_assert_gt(log_bytes(), 10000000);
  cr_assert_eq(writer_health(writer), ARMDYN_OK);
  OK(sql_run(reader, "COMMIT", NO_VALUES, NULL));
  sql_close(reader);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 10);
}

Test(writer, what_is_tried_is_seen_by_its_borrower_alone_and_gone_when_it_is_returned)
{
  struct loan *loan;
  struct insertion tried = { .n = 1 }, refused = { .n = 2, .fail = ARMDYN_ESTALE }, meant = { .n = 1 };
  int64_t n;
  OK(writer_borrow(writer, &loan));
  OK(loan_try(loan, insert, &tried));
  IS(loan_try(loan, insert, &refused), ESTALE);
  IS(loan_try(loan, insert, &tried), EEXISTS);
  OK(sql_number(loan_sql(loan), "SELECT sum(n) FROM numbers", NO_VALUES, &n));
  cr_assert_eq(n, 1);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 0);
  cr_assert_eq(pthread_create(&meant.thread, NULL, submit, &meant), 0);
  while (writer_counts(writer).queued < 1) usleep(50);
  writer_return(loan);
  pthread_join(meant.thread, NULL);
  OK(meant.status);
  cr_assert_eq(number("SELECT count(*) FROM numbers"), 1);
  OK(writer_health(writer));
}

Test(writer, nothing_is_tried_once_its_transaction_is_gone)
{
  struct loan *loan;
  struct insertion lost = { .n = 1 }, meant = { .n = 2 };
  OK(writer_borrow(writer, &loan));
  IS(loan_try(loan, run_text, "ROLLBACK"), EIO); /* as SQLite does by itself when the disk is full */
  IS(loan_try(loan, insert, &lost), EIO);
  writer_return(loan);
  OK(writer_do(writer, insert, &meant, 0));
  cr_assert_eq(number("SELECT sum(n) FROM numbers"), 2);
  OK(writer_health(writer));
}
