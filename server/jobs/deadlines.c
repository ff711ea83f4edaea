/* A binary heap of jobs by their deadlines (Williams, Algorithm 232, 1964). */
#include <stdlib.h>

#include "server/jobs/internal.h"

static void put(struct jobs *jobs, size_t at, struct live_job *job)
{
  jobs->timed[at] = job;
  job->timed = at;
}

static void rise(struct jobs *jobs, struct live_job *job)
{
  size_t at = job->timed;
  for (; at > 1 && jobs->timed[at / 2]->deadline_ns > job->deadline_ns; at /= 2) put(jobs, at, jobs->timed[at / 2]);
  put(jobs, at, job);
}

static void sink(struct jobs *jobs, struct live_job *job)
{
  size_t at = job->timed, below;
  for (; (below = 2 * at) <= jobs->timed_count; at = below) {
    if (below < jobs->timed_count && jobs->timed[below + 1]->deadline_ns < jobs->timed[below]->deadline_ns) below++;
    if (job->deadline_ns <= jobs->timed[below]->deadline_ns) break;
    put(jobs, at, jobs->timed[below]);
  }
  put(jobs, at, job);
}

enum armdyn_status deadlines_make_room(struct jobs *jobs, size_t count)
{
  if (count <= jobs->timed_room) return ARMDYN_OK;
  const size_t room = 2 * count;
  struct live_job **timed = realloc(jobs->timed, (room + 1) * sizeof(struct live_job *));
  if (!timed) return ARMDYN_EMEMORY;
  jobs->timed = timed;
  jobs->timed_room = room;
  return ARMDYN_OK;
}

void deadlines_add(struct jobs *jobs, struct live_job *job)
{
  if (job->timed || job->held || job->cancelled || job->deadline_ns == INT64_MAX) return;
  put(jobs, ++jobs->timed_count, job);
  rise(jobs, job);
}

void deadlines_remove(struct jobs *jobs, struct live_job *job)
{
  const size_t at = job->timed;
  if (!at) return;
  struct live_job *last = jobs->timed[jobs->timed_count--];
  job->timed = 0;
  if (last == job) return;
  put(jobs, at, last);
  rise(jobs, last);
  sink(jobs, last);
}

struct live_job *deadlines_first(const struct jobs *jobs)
{
  return jobs->timed_count ? jobs->timed[1] : NULL;
}
