/* The jobs that have not ended, in memory: who is next, and how they leave. */
#include <stdlib.h>

#include "server/base/log.h"
#include "server/jobs/internal.h"

struct live_job *live_find(const struct jobs *jobs, const char *id)
{
  struct live_job *job = jobs->first;
  while (job && strcmp(job->id, id) != 0) job = job->next;
  return job;
}

static bool waits(const struct live_job *job)
{
  return !job->running && !job->held;
}

static bool same_robot(const struct live_job *a, const struct live_job *b)
{
  return strcmp(a->robot, b->robot) == 0;
}

/* What the job knows of the others of its robot. A robot without any takes its turn beside the one that has waited
 * longest: neither before it, or who submits one job after the other would hold up a queue, nor behind it. */
static void take_place(const struct jobs *jobs, struct live_job *job)
{
  job->turn = jobs->turn;
  job->robot_running = 0;
  for (const struct live_job *other = jobs->first; other; other = other->next) {
    if (same_robot(other, job)) {
      job->turn = other->turn;
      job->robot_running = other->robot_running;
      return;
    }
    if (waits(other) && other->turn < job->turn) job->turn = other->turn;
  }
}

void live_append(struct jobs *jobs, struct live_job *job)
{
  take_place(jobs, job);
  *jobs->last = job;
  jobs->last = &job->next;
  pthread_cond_broadcast(&jobs->changed);
  if (job->deadline_ns != INT64_MAX) pthread_cond_signal(&jobs->waiters_changed);
}

/* Does `a`, which is younger, go first all the same? */
static bool goes_before(const struct live_job *a, const struct live_job *b)
{
  if (a->priority != b->priority) return a->priority > b->priority;
  if (a->robot_running != b->robot_running) return a->robot_running < b->robot_running;
  return a->turn < b->turn;
}

struct live_job *live_start(struct jobs *jobs)
{
  struct live_job *next = NULL;
  for (struct live_job *job = jobs->first; job; job = job->next)
    if (waits(job) && (!next || goes_before(job, next))) next = job;
  if (!next) return NULL;
  next->running = true;
  jobs->turn++;
  for (struct live_job *job = jobs->first; job; job = job->next) {
    if (!same_robot(job, next)) continue;
    job->turn = jobs->turn;
    job->robot_running++;
  }
  return next;
}

void live_rest(struct jobs *jobs, struct live_job *ended)
{
  if (!ended->running) return;
  ended->running = false;
  for (struct live_job *job = jobs->first; job; job = job->next) job->robot_running -= same_robot(job, ended);
}

/* Under the lock. */
static void count_end(struct jobs *jobs, const char *kind, enum job_state how)
{
  size_t k = 0;
  while (k < JOB_KINDS_MOST && jobs->ended[k].kind[0] && strcmp(jobs->ended[k].kind, kind) != 0) k++;
  if (k == JOB_KINDS_MOST) return;
  snprintf(jobs->ended[k].kind, sizeof jobs->ended[k].kind, "%s", kind);
  jobs->ended[k].count[how]++;
}

void live_end(struct jobs *jobs, struct live_job *job, enum job_state how)
{
  char id[ID_SIZE], trace[TRACE_ID_SIZE];
  memcpy(id, job->id, sizeof id);
  trace_id(job->traceparent, trace);
  if (how != JOB_QUEUED)
    log_event(LOG_INFO, "job ended", "job", id, "kind", job->kind, "robot", job->robot, "state", job_state_name(how),
              "trace", *trace ? trace : NULL, NULL);
  pthread_mutex_lock(&jobs->lock);
  struct live_job **at = &jobs->first;
  while (*at != job) at = &(*at)->next;
  *at = job->next;
  if (jobs->last == &job->next) jobs->last = at;
  jobs->live--;
  live_rest(jobs, job);
  if (how != JOB_QUEUED) count_end(jobs, job->kind, how);
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);
  free(job);
  announce_change(&jobs->changes, id);
  waiters_wake(jobs, id);
}
