/* A thread that deletes jobs, orders and alarms that ended long ago, once an hour. */
#include "server/base/log.h"
#include "server/jobs/internal.h"

enum { EVERY_MS = 3600 * 1000, BATCH = 100 };

static const int64_t DAY_MS = 24 * 3600 * 1000;

static bool stopping(struct jobs *jobs)
{
  pthread_mutex_lock(&jobs->lock);
  bool stopping = jobs->stopping;
  pthread_mutex_unlock(&jobs->lock);
  return stopping;
}

typedef enum armdyn_status clear_function(struct store *store, const char *ended_before, size_t most, size_t *removed);

/* In batches, so that others may write in between. */
static void clear(struct jobs *jobs, const char *what, int64_t keep_days, clear_function *clear_some)
{
  char before[TIME_SIZE];
  size_t removed, total = 0;
  enum armdyn_status status;
  if (!keep_days) return;
  clock_format(clock_wall_ms() - keep_days * DAY_MS, before);
  do {
    status = clear_some(jobs->store, before, BATCH, &removed);
    total += removed;
  } while (!status && removed && !stopping(jobs));
  if (total)
    log_event(LOG_INFO, "what ended long ago was deleted", "what", what, "count", LOG_NUMBER(total), "ended_before",
              before, NULL);
  if (status)
    log_event(LOG_ERROR, "what ended long ago was not deleted", "what", what, "reason", armdyn_status_text(status),
              NULL);
}

void *retention_main(void *context)
{
  struct jobs *jobs = context;
  while (!stopping(jobs)) {
    clear(jobs, "orders", jobs->keep_orders, store_orders_clear); /* first: they need results of jobs */
    clear(jobs, "jobs", jobs->keep_jobs, store_jobs_clear);
    clear(jobs, "alarms", jobs->keep_alarms, store_alarms_clear);
    jobs_rest(jobs, &jobs->stopping, EVERY_MS);
  }
  return NULL;
}
