/* A thread that keeps time: wakes who waits for a job, and ends jobs that are overdue. */
#include <signal.h>
#include <stdlib.h>

#include "server/jobs/internal.h"
#include "server/jobs/jobs.h"

enum { AGAIN_MS = 1000 }; /* until another try to end a job that is overdue */

void condition_init(pthread_cond_t *condition)
{
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

void condition_wait_until(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ns)
{
  if (deadline_ns == INT64_MAX) {
    pthread_cond_wait(condition, lock);
    return;
  }
  struct timespec until = { .tv_sec = deadline_ns / 1000000000, .tv_nsec = deadline_ns % 1000000000 };
  pthread_cond_timedwait(condition, lock, &until);
}

/* Under the lock: those for whom it is time by `now_ns` or that wait for `id` (NULL: for any), out of the list. */
static struct waiter *take_due(struct jobs *jobs, const char *id, bool all, int64_t now_ns)
{
  struct waiter *due = NULL;
  for (struct waiter **at = &jobs->waiters; *at;) {
    struct waiter *w = *at;
    if (all || w->deadline_ns <= now_ns || (id && strcmp(w->id, id) == 0)) {
      *at = w->next;
      w->next = due;
      due = w;
    } else
      at = &w->next;
  }
  return due;
}

/* Never under the lock: who is woken may ask for the job. */
static void wake(struct waiter *due)
{
  while (due) {
    struct waiter *w = due;
    due = w->next;
    w->wake(w->context);
    free(w);
  }
}

void waiters_wake(struct jobs *jobs, const char *id)
{
  pthread_mutex_lock(&jobs->lock);
  struct waiter *due = take_due(jobs, id, id == NULL, INT64_MIN);
  pthread_mutex_unlock(&jobs->lock);
  wake(due);
}

/* -- jobs whose time is over -- */

/* Under the lock: a job that should have ended by `now_ns`, and that nobody is ending already. */
static struct live_job *find_overdue(const struct jobs *jobs, int64_t now_ns)
{
  struct live_job *first = deadlines_first(jobs);
  return first && first->deadline_ns <= now_ns ? first : NULL;
}

/* Under the lock, which is given up meanwhile. One that runs is ended by its runner, once its worker is killed. */
static void end_overdue(struct jobs *jobs, struct live_job *job)
{
  job->overdue = true;
  if (job->running) {
    live_cancel(jobs, job);
    return;
  }
  live_hold(jobs, job, true);
  pthread_mutex_unlock(&jobs->lock);
  bool ended = live_cut_short(jobs->store, job) == ARMDYN_OK;
  if (ended) live_end(jobs, job, JOB_FAILED);
  pthread_mutex_lock(&jobs->lock);
  if (ended) return;
  job->overdue = false; /* the store does not take it now */
  job->deadline_ns = clock_monotonic_ns() + (int64_t)AGAIN_MS * 1000000;
  live_hold(jobs, job, false);
}

/* -- the thread -- */

/* Under the lock: when there is something to do again. */
static int64_t next_deadline(const struct jobs *jobs)
{
  int64_t first = INT64_MAX;
  for (const struct waiter *w = jobs->waiters; w; w = w->next)
    if (w->deadline_ns < first) first = w->deadline_ns;
  const struct live_job *timed = deadlines_first(jobs);
  return timed && timed->deadline_ns < first ? timed->deadline_ns : first;
}

static void *waking_main(void *context)
{
  struct jobs *jobs = context;
  pthread_mutex_lock(&jobs->lock);
  for (;;) {
    int64_t now = clock_monotonic_ns();
    struct waiter *due = take_due(jobs, NULL, jobs->waking_ends, now);
    if (due) {
      pthread_mutex_unlock(&jobs->lock);
      wake(due);
      pthread_mutex_lock(&jobs->lock);
      continue;
    }
    if (jobs->waking_ends) break;
    struct live_job *overdue = find_overdue(jobs, now);
    if (overdue)
      end_overdue(jobs, overdue);
    else
      condition_wait_until(&jobs->waiters_changed, &jobs->lock, next_deadline(jobs));
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}

enum armdyn_status jobs_wait(struct jobs *jobs, const char *id, int64_t deadline_ns, void (*wake_function)(void *),
                             void *context)
{
  struct waiter *w = malloc(sizeof *w);
  if (!w) return ARMDYN_EMEMORY;
  *w = (struct waiter){ .deadline_ns = deadline_ns, .wake = wake_function, .context = context };
  snprintf(w->id, sizeof w->id, "%s", id);

  pthread_mutex_lock(&jobs->lock);
  bool too_late = jobs->stopping;
  if (!too_late) {
    if (!live_find(jobs, id)) w->deadline_ns = 0; /* it has ended: the waking thread calls at once */
    w->next = jobs->waiters;
    jobs->waiters = w;
    pthread_cond_signal(&jobs->waiters_changed);
  }
  pthread_mutex_unlock(&jobs->lock);
  if (too_late) free(w);
  return too_late ? ARMDYN_EUNAVAILABLE : ARMDYN_OK;
}

enum armdyn_status waiters_start(struct jobs *jobs)
{
  return pthread_create(&jobs->waking, NULL, waking_main, jobs) ? ARMDYN_EMEMORY : ARMDYN_OK;
}

void waiters_stop(struct jobs *jobs)
{
  pthread_mutex_lock(&jobs->lock);
  jobs->waking_ends = true;
  pthread_cond_signal(&jobs->waiters_changed);
  pthread_mutex_unlock(&jobs->lock);
  pthread_join(jobs->waking, NULL);
}
