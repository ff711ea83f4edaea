#include <stdlib.h>

#include "server/jobs/internal.h"

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

static void *waking_main(void *context)
{
  struct jobs *jobs = context;
  pthread_mutex_lock(&jobs->lock);
  for (;;) {
    struct waiter *due = take_due(jobs, NULL, jobs->waking_ends, clock_monotonic_ns());
    if (due) {
      pthread_mutex_unlock(&jobs->lock);
      wake(due);
      pthread_mutex_lock(&jobs->lock);
      continue;
    }
    if (jobs->waking_ends) break;
    int64_t first = INT64_MAX;
    for (struct waiter *w = jobs->waiters; w; w = w->next)
      if (w->deadline_ns < first) first = w->deadline_ns;
    condition_wait_until(&jobs->waiters_changed, &jobs->lock, first);
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
