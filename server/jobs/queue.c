/* The jobs that have not ended, in memory: who is next, and how they leave. */
#include <signal.h>
#include <stdlib.h>

#include "server/base/log.h"
#include "server/jobs/internal.h"
#include "server/jobs/sharing.h"

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

static bool shares(enum sharing sharing, const struct live_job *a, const struct live_job *b)
{
  return sharing == OF_KEY ? !strcmp(a->key, b->key) : !strcmp(a->robot, b->robot);
}

/* What the job knows of the others. Who has none takes his turn beside the one that has waited longest: neither before it,
 * or who submits one job after the other would hold up a queue, nor behind it. */
static void take_place(const struct jobs *jobs, struct live_job *job, enum sharing sharing)
{
  struct share *share = &job->shares[sharing];
  *share = (struct share){ .turn = jobs->turn };
  for (const struct live_job *other = jobs->first; other; other = other->next) {
    if (shares(sharing, other, job)) {
      *share = other->shares[sharing];
      return;
    }
    if (waits(other) && other->shares[sharing].turn < share->turn) share->turn = other->shares[sharing].turn;
  }
}

void live_append(struct jobs *jobs, struct live_job *job)
{
  for (enum sharing s = 0; s < SHARINGS; s++) take_place(jobs, job, s);
  *jobs->last = job;
  jobs->last = &job->next;
  jobs->live++;
  pthread_cond_broadcast(&jobs->changed);
  if (job->deadline_ns != INT64_MAX) pthread_cond_signal(&jobs->waiters_changed);
}

size_t live_waiting(const struct jobs *jobs, const char *key)
{
  size_t count = 0;
  for (const struct live_job *job = jobs->first; job; job = job->next) count += !job->running && !strcmp(job->key, key);
  return count;
}

/* Does `a`, which is younger, go first all the same? */
static bool goes_before(const struct live_job *a, const struct live_job *b)
{
  if (a->priority != b->priority) return a->priority > b->priority;
  for (enum sharing s = 0; s < SHARINGS; s++) {
    const struct share *of_a = &a->shares[s], *of_b = &b->shares[s];
    if (of_a->running != of_b->running) return of_a->running < of_b->running;
    if (of_a->turn != of_b->turn) return of_a->turn < of_b->turn;
  }
  return false;
}

static bool may_start(const struct jobs *jobs, const struct live_job *job)
{
  return waits(job) && (!jobs->running_most || job->shares[OF_KEY].running < jobs->running_most);
}

struct live_job *live_due(const struct jobs *jobs)
{
  struct live_job *next = NULL;
  for (struct live_job *job = jobs->first; job; job = job->next)
    if (may_start(jobs, job) && (!next || goes_before(job, next))) next = job;
  return next;
}

struct live_job *live_start(struct jobs *jobs)
{
  struct live_job *next = live_due(jobs);
  if (!next) return NULL;
  next->running = true;
  jobs->turn++;
  for (struct live_job *job = jobs->first; job; job = job->next)
    for (enum sharing s = 0; s < SHARINGS; s++) {
      if (!shares(s, job, next)) continue;
      job->shares[s].turn = jobs->turn;
      job->shares[s].running++;
    }
  return next;
}

/* One less of its key and of its robot runs. */
static void share_less(struct jobs *jobs, const struct live_job *ended)
{
  for (struct live_job *job = jobs->first; job; job = job->next)
    for (enum sharing s = 0; s < SHARINGS; s++) job->shares[s].running -= shares(s, job, ended);
}

void live_rest(struct jobs *jobs, struct live_job *ended)
{
  sharing_free(ended->sharing);
  ended->sharing = NULL;
  if (!ended->running) return;
  ended->running = false;
  share_less(jobs, ended);
}

void live_kill(struct jobs *jobs, const struct live_job *job)
{
  for (struct runner *r = jobs->runners; r < jobs->runners + jobs->runner_count; r++)
    if (r->victim && (r == job->runner || !strcmp(r->helps, job->id))) kill(r->victim, SIGKILL);
  far_kill(jobs, job);
}

/* -- how many will be begun until a job is -- */

/* Of jobs that wait and differ in nothing that decides who is next, the oldest, for all. */
struct group {
  struct live_job job;
  size_t count, begun;
};
/* A copy of what live_start looks at, which it is asked again and again. */
struct replay {
  struct jobs jobs; /* their jobs are the groups */
  struct group *groups;
  size_t group_count;
  const struct live_job **running; /* in the order in which they will end */
  size_t ended, running_end;
};

static struct group *group_of(struct replay *r, const struct live_job *job)
{
  for (size_t k = 0; k < r->group_count; k++) {
    const struct live_job *first = &r->groups[k].job;
    if (first->priority == job->priority && shares(OF_KEY, first, job) && shares(OF_ROBOT, first, job))
      return &r->groups[k];
  }
  struct group *group = &r->groups[r->group_count++];
  group->job = *job;
  group->job.next = NULL;
  *r->jobs.last = &group->job;
  r->jobs.last = &group->job.next;
  return group;
}

/* The next one begins, after another has ended where there is no worker for it, or its key may have no more of them.
 * false: none can. */
static bool begin_next(struct replay *r)
{
  for (;;) {
    const size_t busy = r->running_end - r->ended;
    struct group *next = busy < r->jobs.runner_count ? (struct group *)live_start(&r->jobs) : NULL;
    if (next) {
      next->job.running = ++next->begun == next->count;
      r->running[r->running_end++] = &next->job;
      return true;
    }
    if (!busy) return false;
    share_less(&r->jobs, r->running[r->ended++]);
  }
}

size_t live_position(const struct jobs *jobs, const struct live_job *job)
{
  size_t workers = jobs->runner_count, ready = 0;
  far_count(jobs, &workers, &ready);
  struct replay r = { .jobs = { .turn = jobs->turn, .running_most = jobs->running_most, .runner_count = workers },
                      .groups = calloc(jobs->live + 1, sizeof *r.groups),
                      .running = calloc(jobs->live + 1, sizeof *r.running) };
  const struct group *own = NULL;
  size_t ahead = 0, position = 0;
  r.jobs.last = &r.jobs.first;
  for (const struct live_job *other = jobs->first; other && r.groups && r.running; other = other->next) {
    if (other->running) r.running[r.running_end++] = other;
    if (!waits(other)) continue;
    struct group *group = group_of(&r, other);
    group->count++;
    if (other == job) own = group, ahead = group->count;
  }
  while (own && own->begun < ahead && begin_next(&r)) position++;
  if (!own || own->begun < ahead) position = 0;
  free(r.groups);
  free(r.running);
  return position;
}

void live_remove(struct jobs *jobs, struct live_job *job)
{
  live_rest(jobs, job);
  struct live_job **at = &jobs->first;
  while (*at && *at != job) at = &(*at)->next;
  if (!*at) return; /* it is there */
  *at = job->next;
  if (jobs->last == &job->next) jobs->last = at;
  jobs->live--;
  pthread_cond_broadcast(&jobs->changed);
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
  live_remove(jobs, job);
  if (how != JOB_QUEUED) count_end(jobs, job->kind, how);
  pthread_mutex_unlock(&jobs->lock);
  free(job);
  announce_change(&jobs->changes, id);
  waiters_wake(jobs, id);
}
