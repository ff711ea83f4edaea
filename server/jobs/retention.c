/* A thread that deletes jobs that ended long ago, once an hour. */
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

/* In batches, so that others may write in between. */
static void clear(struct jobs *jobs)
{
  char before[TIME_SIZE];
  size_t removed, total = 0;
  clock_format(clock_wall_ms() - jobs->keep_days * DAY_MS, before);
  enum armdyn_status status;
  do {
    status = store_jobs_clear(jobs->store, before, BATCH, &removed);
    total += removed;
  } while (!status && removed && !stopping(jobs));
  if (total) log_event(LOG_INFO, "old jobs deleted", "count", LOG_NUMBER(total), "ended_before", before, NULL);
  if (status) log_event(LOG_ERROR, "old jobs were not deleted", "reason", armdyn_status_text(status), NULL);
}

void *retention_main(void *context)
{
  struct jobs *jobs = context;
  while (!stopping(jobs)) {
    clear(jobs);
    jobs_rest(jobs, &jobs->stopping, EVERY_MS);
  }
  return NULL;
}
