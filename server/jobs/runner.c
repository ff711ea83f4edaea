/* A thread with a worker process of its own: takes a job, hands it over, stores what comes back. */
#include <stdlib.h>

#include "api/limits.h"
#include "server/base/log.h"
#include "server/jobs/conversation.h"
#include "server/jobs/internal.h"
#include "server/jobs/sharing.h"
#include "server/work/worker.h"

enum {
  LOOK_MS = 500,  /* how often an idle runner looks after its process */
  AGAIN_MS = 250, /* rest before a job is begun again because the store failed, doubled up to ... */
  AGAIN_MOST_MS = 30000
};

void jobs_rest(struct jobs *jobs, const bool *raised, int64_t ms)
{
  int64_t until = clock_monotonic_ns() + ms * 1000000;
  pthread_mutex_lock(&jobs->lock);
  while (clock_monotonic_ns() < until && !jobs->killing && !*raised)
    condition_wait_until(&jobs->changed, &jobs->lock, until);
  pthread_mutex_unlock(&jobs->lock);
}

static bool flag(struct jobs *jobs, const bool *which)
{
  pthread_mutex_lock(&jobs->lock);
  bool value = *which;
  pthread_mutex_unlock(&jobs->lock);
  return value;
}

int64_t jobs_pause(int times, int64_t first, int64_t most)
{
  int64_t ms = first << (times < 16 ? times : 16);
  return ms < most ? ms : most;
}

/* -- the job -- */

/* The one that is due; NULL after LOOK_MS, when there is one to help (r->helps), or when the service stops. */
static struct live_job *take(struct runner *r)
{
  struct jobs *jobs = r->jobs;
  int64_t now = clock_monotonic_ns(), until = now + (int64_t)LOOK_MS * 1000000;
  struct live_job *job = NULL;
  pthread_mutex_lock(&jobs->lock);
  while (!jobs->stopping && !r->withdrawn) {
    if (!jobs->draining) job = live_start(jobs);
    if (job || sharing_find(r) || clock_monotonic_ns() >= until) break;
    condition_wait_until(&jobs->changed, &jobs->lock, until);
  }
  if (job) {
    job->runner = r;
    job->attempt++;
    job->progress = 0;
    job->message[0] = '\0';
    if (!job->started_at[0]) clock_format(clock_wall_ms(), job->started_at);
  }
  pthread_mutex_unlock(&jobs->lock);
  pulse_waited(&r->answers, now, clock_monotonic_ns(), LOOK_MS);
  if (job) announce_change(&jobs->changes, job->id);
  return job;
}

static void give_back(struct jobs *jobs, struct live_job *job, const char *message)
{
  char id[ID_SIZE];
  memcpy(id, job->id, sizeof id); /* another runner may take it at once */
  pthread_mutex_lock(&jobs->lock);
  live_rest(jobs, job);
  job->runner = NULL;
  job->progress = 0;
  snprintf(job->message, sizeof job->message, "%s", message);
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);
  announce_change(&jobs->changes, id);
}

/* Try until the store takes it. False: see attempt_wait_for_store. */
static bool commit(struct attempt *a, enum armdyn_status (*store)(struct attempt *a), const bool *raised)
{
  enum armdyn_status status;
  for (int tries = 0; (status = store(a)); tries++)
    if (!attempt_wait_for_store(a, status, tries, raised)) return false;
  return true;
}

/* The job has ended as `store` writes it, or was cut short; what stays undone because the service stops is
 * taken up again when it starts next time. */
static void conclude(struct runner *r, struct attempt *a, enum armdyn_status (*store)(struct attempt *a))
{
  bool told = commit(a, store, &a->live->cancelled);
  if (!told && flag(r->jobs, &a->live->cancelled)) {
    store = attempt_store_cut_short;
    told = commit(a, store, &r->jobs->killing);
  }
  enum job_state how = store == attempt_store_result      ? JOB_SUCCEEDED
                       : store == attempt_store_cut_short ? live_cut_state(a->live)
                                                          : JOB_FAILED;
  live_end(r->jobs, a->live, told ? how : JOB_QUEUED);
}

/* The process is gone, and with it this attempt. */
static void lost(struct runner *r, struct attempt *a)
{
  char trace[TRACE_ID_SIZE];
  trace_id(a->live->traceparent, trace);
  log_event(LOG_WARNING, "a job lost its worker", "job", a->live->id, "reason", a->reason, "trace",
            *trace ? trace : NULL, NULL);
  pthread_mutex_lock(&r->jobs->lock);
  r->jobs->lost++;
  pthread_mutex_unlock(&r->jobs->lock);
  worker_note_end(r);
  if (!attempt_note_lost(a)) {
    give_back(r->jobs, a->live, a->reason);
  } else if (a->live->attempt >= LIMIT_JOB_ATTEMPTS) {
    conclude(r, a, attempt_store_lost);
  } else {
    char message[MESSAGE_TEXT];
    snprintf(message, sizeof message, "tried again: attempt %d: %.80s", a->live->attempt, a->reason);
    commit(a, attempt_store_retry, &a->live->cancelled);
    give_back(r->jobs, a->live, message);
  }
}

/* It would need as much again. */
static enum attempt_end out_of_time(const struct runner *r, struct attempt *a)
{
  char detail[128];
  snprintf(detail, sizeof detail, "It needs more processor time than the %s s that a job may have (--job-cpu-time).",
           r->jobs->cpu_s);
  return attempt_refuse(a, PROBLEM_WORKER_LIMIT, detail);
}

static void run(struct runner *r, struct live_job *job)
{
  struct jobs *jobs = r->jobs;
  struct attempt a;
  enum attempt_end end = attempt_run(&a, r, job);
  pthread_mutex_lock(&jobs->lock);
  job->runner = NULL; /* its process is not killed for it any more */
  bool cancelled = job->cancelled, killing = jobs->killing;
  pthread_mutex_unlock(&jobs->lock);

  bool answered = end == ATTEMPT_RESULT || end == ATTEMPT_PROBLEM;
  if (!answered && a.handed_over) { /* it is somewhere in the midst of this job */
    char reason[CHILD_REASON_SIZE];
    worker_down(r, !a.peer_gone, reason);
    if (a.peer_gone) snprintf(a.reason, sizeof a.reason, "worker ended by %s", reason);
    if (a.peer_gone && r->child.exit == WORK_OUT_OF_TIME) end = out_of_time(r, &a);
  }
  if (answered) r->failures = 0;

  if (cancelled && !answered)
    conclude(r, &a, attempt_store_cut_short);
  else if (end == ATTEMPT_RESULT)
    conclude(r, &a, attempt_store_result);
  else if (end == ATTEMPT_PROBLEM || end == ATTEMPT_REFUSED)
    conclude(r, &a, attempt_store_problem);
  else if (end == ATTEMPT_GONE || killing)
    live_end(jobs, job, JOB_QUEUED); /* still queued in the store, or deleted there */
  else if (end == ATTEMPT_LOST)
    lost(r, &a);
  else { /* ATTEMPT_STORE: no fault of the job */
    log_event(LOG_ERROR, "the store failed during a job", "job", job->id, "reason", a.reason, NULL);
    pthread_mutex_lock(&jobs->lock);
    job->attempt--;
    snprintf(job->message, sizeof job->message, "%.100s; trying again", a.reason);
    pthread_mutex_unlock(&jobs->lock);
    jobs_rest(jobs, &job->cancelled, jobs_pause(r->failures++, AGAIN_MS, AGAIN_MOST_MS));
    give_back(jobs, job, a.reason);
  }
  attempt_release(&a);
}

void runner_take_turns(struct runner *r)
{
  struct jobs *jobs = r->jobs;
  char reason[CHILD_REASON_SIZE];
  while (!flag(jobs, &jobs->stopping) && !flag(jobs, &r->withdrawn)) {
    if (!worker_up(r)) continue;
    struct live_job *job = take(r);
    if (job)
      run(r, job);
    else if (r->helps[0])
      sharing_help(r);
  }
  worker_down(r, false, reason);
}

void *runner_main(void *runner)
{
  runner_take_turns(runner);
  return NULL;
}
