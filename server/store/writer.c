#include "server/store/writer.h"

#include <pthread.h>
#include <signal.h>

#include "api/limits.h"
#include "server/base/clock.h"

enum {
  GROUP_BYTES = 1 << 20,
  CHECKPOINT_PAGES = 1000,       /* 4 MB of log: move them while nobody waits */
  CHECKPOINT_WAIT_PAGES = 16000, /* 64 MB: readers kept the log from being reused, so wait for them */
};

static const int64_t SECOND_NS = 1000000000;

/* Lives on the submitter's stack until it is done. */
struct operation {
  writer_apply *apply;
  void *argument;
  size_t bytes;
  enum armdyn_status status;
  bool done;
  pthread_cond_t finished;
  struct operation *next;
};

struct loan {
  struct writer *writer;
  struct operation operation;
  struct sql *sql; /* once it is lent */
  bool returned;
  pthread_cond_t back;
};

struct writer {
  struct sql *sql; /* the writer thread's, or whose it lends it to, alone */
  pthread_t thread;
  pthread_mutex_t mutex; /* of all below */
  pthread_cond_t queued;
  struct operation *first, **end;
  size_t count;
  bool stopping;
  int64_t begun_ns; /* of what is written now; 0: nothing is */
  enum armdyn_status commit_status, checkpoint_status;
  struct writer_counts counts;
};

/* Some failures (a full disk, say) undo the whole transaction by themselves. */
static bool transaction_is_gone(struct sql *sql)
{
  return !sql_in_transaction(sql);
}

static enum armdyn_status apply_in_savepoint(struct sql *sql, struct operation *operation)
{
  enum armdyn_status status = sql_savepoint(sql);
  if (status) return status;
  operation->status = operation->apply(sql, operation->argument);
  if (transaction_is_gone(sql)) return operation->status ? operation->status : ARMDYN_EIO;
  return operation->status ? sql_undo(sql) : sql_release(sql, &operation->status);
}

/* All operations of a list in one transaction. A failure of the transaction itself is everybody's. */
static enum armdyn_status commit_group(struct sql *sql, struct operation *group)
{
  enum armdyn_status status = sql_begin(sql);
  for (struct operation *o = group; o && !status; o = o->next) status = apply_in_savepoint(sql, o);
  if (!status) status = sql_commit(sql);
  if (!status) return ARMDYN_OK;
  if (!transaction_is_gone(sql)) sql_rollback(sql);
  for (struct operation *o = group; o; o = o->next) o->status = status;
  return status;
}

/* Take the front of the queue, at least one operation, at most GROUP_BYTES. */
static struct operation *take_group(struct writer *w)
{
  struct operation *group = w->first, **cut = &w->first;
  size_t bytes = 0;
  do {
    bytes += (*cut)->bytes;
    cut = &(*cut)->next;
    w->count--;
    w->counts.operations++;
  } while (*cut && bytes + (*cut)->bytes <= GROUP_BYTES);
  w->first = *cut;
  *cut = NULL;
  if (!w->first) w->end = &w->first;
  return group;
}

static void finish_group(struct operation *group)
{
  while (group) {
    struct operation *next = group->next; /* a finished operation is gone with its submitter's stack */
    group->done = true;
    pthread_cond_signal(&group->finished);
    group = next;
  }
}

static void note_begin(struct writer *w)
{
  pthread_mutex_lock(&w->mutex);
  w->begun_ns = clock_monotonic_ns();
  pthread_mutex_unlock(&w->mutex);
}

/* After the answers are out, so that nobody waits for it. */
static void checkpoint_if_due(struct writer *w)
{
  int pages = sql_log_pages(w->sql);
  if (pages < CHECKPOINT_PAGES) return;
  note_begin(w);
  enum armdyn_status status = sql_checkpoint(w->sql, pages >= CHECKPOINT_WAIT_PAGES);
  pthread_mutex_lock(&w->mutex);
  w->checkpoint_status = status == ARMDYN_EBUSY ? ARMDYN_OK : status; /* a reader is in the way: next time */
  w->counts.checkpoints++;
  w->begun_ns = 0;
  pthread_mutex_unlock(&w->mutex);
}

/* Under the mutex, which is given up while the holder of the store is seen. */
static void wait_for_more(struct writer *w)
{
  pthread_mutex_unlock(&w->mutex);
  const int64_t pause_ns = sql_keep(w->sql);
  pthread_mutex_lock(&w->mutex);
  if (w->first || w->stopping) return;
  const int64_t until_ns = clock_monotonic_ns() + pause_ns;
  const struct timespec until = { .tv_sec = until_ns / SECOND_NS, .tv_nsec = until_ns % SECOND_NS };
  if (pause_ns)
    pthread_cond_timedwait(&w->queued, &w->mutex, &until);
  else
    pthread_cond_wait(&w->queued, &w->mutex);
}

static void *write_groups(void *context)
{
  struct writer *w = context;
  pthread_mutex_lock(&w->mutex);
  while (w->first || !w->stopping) {
    if (!w->first) {
      wait_for_more(w);
      continue;
    }
    struct operation *group = take_group(w);
    w->begun_ns = clock_monotonic_ns();
    pthread_mutex_unlock(&w->mutex);
    enum armdyn_status status = commit_group(w->sql, group);
    pthread_mutex_lock(&w->mutex);
    w->begun_ns = 0;
    w->commit_status = status;
    w->counts.commits += status == ARMDYN_OK;
    w->counts.failed_commits += status != ARMDYN_OK;
    finish_group(group);
    pthread_mutex_unlock(&w->mutex);
    checkpoint_if_due(w);
    pthread_mutex_lock(&w->mutex);
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

enum armdyn_status writer_start(struct sql *sql, struct writer **out)
{
  struct writer *w = calloc(1, sizeof *w);
  if (!w) return ARMDYN_EMEMORY;
  *w = (struct writer){ .sql = sql, .end = &w->first };
  pthread_mutex_init(&w->mutex, NULL);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&w->queued, &monotonic);
  pthread_condattr_destroy(&monotonic);
  /* Signals are for the threads that wait for them. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&w->thread, NULL, write_groups, w);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed) {
    pthread_cond_destroy(&w->queued);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    return ARMDYN_EUNAVAILABLE;
  }
  *out = w;
  return ARMDYN_OK;
}

void writer_stop(struct writer *w)
{
  if (!w) return;
  pthread_mutex_lock(&w->mutex);
  w->stopping = true;
  pthread_cond_signal(&w->queued);
  pthread_mutex_unlock(&w->mutex);
  pthread_join(w->thread, NULL);
  pthread_cond_destroy(&w->queued);
  pthread_mutex_destroy(&w->mutex);
  sql_close(w->sql);
  free(w);
}

/* Under the mutex. false: it is not taken, and done with that status. */
static bool enqueue(struct writer *w, struct operation *operation)
{
  if (w->count >= LIMIT_WRITES_QUEUED || w->stopping) {
    operation->status = w->stopping ? ARMDYN_EUNAVAILABLE : ARMDYN_EBUSY;
    operation->done = true;
    return false;
  }
  *w->end = operation;
  w->end = &operation->next;
  w->count++;
  pthread_cond_signal(&w->queued);
  return true;
}

enum armdyn_status writer_do(struct writer *w, writer_apply *apply, void *argument, size_t bytes)
{
  struct operation operation = { .apply = apply, .argument = argument, .bytes = bytes };
  pthread_cond_init(&operation.finished, NULL);
  pthread_mutex_lock(&w->mutex);
  enqueue(w, &operation);
  while (!operation.done) pthread_cond_wait(&operation.finished, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
  pthread_cond_destroy(&operation.finished);
  return operation.status;
}

/* -- lending the connection -- */

/* On the writer thread: nothing is written until it is back, and what was tried is undone. */
static enum armdyn_status lend(struct sql *sql, void *argument)
{
  struct loan *loan = argument;
  struct writer *w = loan->writer;
  pthread_mutex_lock(&w->mutex);
  loan->sql = sql;
  pthread_cond_signal(&loan->operation.finished); /* for its borrower, who waits for either */
  while (!loan->returned) pthread_cond_wait(&loan->back, &w->mutex);
  pthread_mutex_unlock(&w->mutex);
  return transaction_is_gone(sql) ? ARMDYN_EIO : ARMDYN_ECONFLICT;
}

/* Under the mutex, which is given up: it is over. */
static void loan_free(struct loan *loan)
{
  pthread_mutex_unlock(&loan->writer->mutex);
  pthread_cond_destroy(&loan->operation.finished);
  pthread_cond_destroy(&loan->back);
  free(loan);
}

enum armdyn_status writer_borrow(struct writer *w, struct loan **out)
{
  struct loan *loan = calloc(1, sizeof *loan);
  if (!loan) return ARMDYN_EMEMORY;
  loan->writer = w;
  loan->operation = (struct operation){ .apply = lend, .argument = loan, .bytes = GROUP_BYTES + 1 }; /* a group alone */
  pthread_cond_init(&loan->operation.finished, NULL);
  pthread_cond_init(&loan->back, NULL);
  pthread_mutex_lock(&w->mutex);
  enqueue(w, &loan->operation);
  while (!loan->sql && !loan->operation.done) pthread_cond_wait(&loan->operation.finished, &w->mutex);
  const enum armdyn_status status = loan->sql ? ARMDYN_OK : loan->operation.status;
  if (status) {
    loan_free(loan);
    return status;
  }
  pthread_mutex_unlock(&w->mutex);
  *out = loan;
  return ARMDYN_OK;
}

void writer_return(struct loan *loan)
{
  struct writer *w = loan->writer;
  pthread_mutex_lock(&w->mutex);
  loan->returned = true;
  pthread_cond_signal(&loan->back);
  while (!loan->operation.done) pthread_cond_wait(&loan->operation.finished, &w->mutex);
  loan_free(loan);
}

struct sql *loan_sql(const struct loan *loan)
{
  return loan->sql;
}

enum armdyn_status loan_try(struct loan *loan, writer_apply *apply, void *argument)
{
  struct operation operation = { .apply = apply, .argument = argument };
  if (transaction_is_gone(loan->sql)) return ARMDYN_EIO; /* what is written now would stay */
  enum armdyn_status status = apply_in_savepoint(loan->sql, &operation);
  if (!status) status = sql_settle(loan->sql);
  return status ? status : operation.status;
}

bool writer_is_fenced(const struct writer *w)
{
  return sql_is_fenced(w->sql);
}

int64_t writer_holds_until_ms(const struct writer *w)
{
  return sql_holds_until_ms(w->sql);
}

enum armdyn_status writer_health(struct writer *w)
{
  pthread_mutex_lock(&w->mutex);
  enum armdyn_status status = w->commit_status ? w->commit_status : w->checkpoint_status;
  pthread_mutex_unlock(&w->mutex);
  return status;
}

double writer_busy(struct writer *w)
{
  pthread_mutex_lock(&w->mutex);
  const int64_t begun_ns = w->begun_ns;
  pthread_mutex_unlock(&w->mutex);
  return begun_ns ? (double)(clock_monotonic_ns() - begun_ns) * 1e-9 : 0;
}

struct writer_counts writer_counts(struct writer *w)
{
  pthread_mutex_lock(&w->mutex);
  struct writer_counts counts = w->counts;
  counts.queued = w->count;
  pthread_mutex_unlock(&w->mutex);
  return counts;
}
