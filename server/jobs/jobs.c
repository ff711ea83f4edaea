#include "server/jobs/jobs.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/problem/problem.h"
#include "server/base/log.h"
#include "server/base/rehearsal.h"
#include "server/config/options.h"
#include "server/jobs/internal.h"
#include "server/jobs/sharing.h"

enum {
  CANCEL_MS = 10000,
  PAGE = 1000,          /* of what a former run left */
  JOBS_RESERVED_OF = 10 /* of so many places one is for priorities above 0 */
};

void jobs_figures(struct jobs *jobs, struct jobs_figures *out)
{
  *out = (struct jobs_figures){ 0 };
  pthread_mutex_lock(&jobs->lock);
  far_count(jobs, &out->workers, &out->ready);
  out->workers += jobs->runner_count;
  out->waiting_most = jobs->waiting_most;
  out->running_most = jobs->running_most;
  out->refused = jobs->refused;
  out->running = jobs->running;
  out->queued = jobs->live - jobs->running;
  out->live_most = jobs->live_most;
  for (size_t i = 0; i < jobs->runner_count; i++) out->ready += jobs->runners[i].ready;
  memcpy(out->ended, jobs->ended, sizeof out->ended);
  out->lost = jobs->lost;
  out->hung = jobs->hung;
  out->helped = jobs->helped;
  pthread_mutex_unlock(&jobs->lock);
}

/* -- start and stop -- */

/* What a former run left. */
struct leftovers {
  struct jobs *jobs;
  size_t count; /* of a page */
  bool failed;
  char last[ID_SIZE];
};

/* When a job must have ended, on the monotonic clock. */
static int64_t deadline_of(const struct store_job *job)
{
  if (!job->time_limit_ms) return INT64_MAX;
  int64_t left_ms = clock_parse(job->created_at) + job->time_limit_ms - clock_wall_ms();
  return clock_monotonic_ns() + left_ms * 1000000;
}

static struct live_job *live_new(const struct store_job *job)
{
  struct live_job *live = calloc(1, sizeof *live);
  if (!live) return NULL;
  memcpy(live->id, job->id, sizeof live->id);
  memcpy(live->kind, job->kind, sizeof live->kind);
  memcpy(live->started_at, job->started_at, sizeof live->started_at);
  memcpy(live->traceparent, job->traceparent, sizeof live->traceparent);
  live->attempt = job->attempt;
  live->priority = job->priority;
  live->deadline_ns = deadline_of(job);
  return live;
}

static void take_up(void *context, const struct store_job *job)
{
  struct leftovers *left = context;
  struct live_job *live = live_new(job);
  memcpy(left->last, job->id, sizeof left->last);
  left->count++;
  if (live && !live_append(left->jobs, live, job->owner, job->robot)) return;
  left->failed = true;
  free(live);
}

static enum armdyn_status take_up_leftovers(struct jobs *jobs)
{
  struct leftovers left = { .jobs = jobs };
  enum armdyn_status status = ARMDYN_OK;
  do {
    left.count = 0;
    status = store_job_queued(jobs->store, left.last, PAGE, take_up, &left);
    if (left.failed) status = ARMDYN_EMEMORY;
  } while (!status && left.count == PAGE);
  if (jobs->live) log_event(LOG_INFO, "jobs taken up again", "count", LOG_NUMBER(jobs->live), NULL);
  return status;
}

static void free_all(struct jobs *jobs)
{
  live_close(jobs);
  pthread_cond_destroy(&jobs->changed);
  pthread_cond_destroy(&jobs->waiters_changed);
  pthread_mutex_destroy(&jobs->lock);
  free(jobs->runners);
  free(jobs);
}

enum armdyn_status jobs_start(struct store *store, const struct options *options, const struct announce *changes,
                              struct jobs **out, struct armdyn_error *error)
{
  struct jobs *jobs = calloc(1, sizeof *jobs);
  if (!jobs) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "out of memory");
  jobs->store = store;
  if (changes) jobs->changes = *changes;
  snprintf(jobs->memory_mib, sizeof jobs->memory_mib, "%ld", options->worker_memory);
  jobs->silence_ns = options->child_silence * INT64_C(1000000000);
  jobs->stall_ns = options->job_stall * INT64_C(1000000000);
  snprintf(jobs->cpu_s, sizeof jobs->cpu_s, "%ld", options->job_cpu_time);
  pthread_mutex_init(&jobs->lock, NULL);
  condition_init(&jobs->changed);
  condition_init(&jobs->waiters_changed);

  jobs->live_most = (size_t)options->waiting_jobs;
  jobs->waiting_most = (size_t)options->waiting_jobs_per_key;
  jobs->running_most = (size_t)options->running_jobs_per_key;
  const size_t count = (size_t)options->workers;
  jobs->runners = calloc(count, sizeof *jobs->runners);
  enum armdyn_status status = jobs->runners ? live_open(jobs, jobs->live_most) : ARMDYN_EMEMORY;
  if (!status) status = take_up_leftovers(jobs);
  if (!status) status = waiters_start(jobs);
  if (status) {
    free_all(jobs);
    return armdyn_refuse(error, status, "", "cannot take up the jobs: %s", armdyn_status_text(status));
  }
  for (; jobs->runner_count < count; jobs->runner_count++) {
    struct runner *r = &jobs->runners[jobs->runner_count];
    r->jobs = jobs;
    snprintf(r->why, sizeof r->why, "has not begun yet");
    if (pthread_create(&r->thread, NULL, runner_main, r)) {
      armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot start a thread for worker %zu", jobs->runner_count + 1);
      jobs_stop(jobs, 0);
      return ARMDYN_EMEMORY;
    }
  }
  if (store_is_on_server(store_address(store)) && (status = far_start(jobs, options->data, error))) {
    jobs_stop(jobs, 0);
    return status;
  }
  jobs->keep_jobs = options->keep_jobs;
  jobs->keep_orders = options->keep_orders;
  jobs->keep_alarms = options->keep_alarms;
  jobs->retains = jobs->keep_jobs || jobs->keep_orders || jobs->keep_alarms;
  if (jobs->retains && pthread_create(&jobs->retention, NULL, retention_main, jobs)) {
    jobs->retains = false;
    armdyn_refuse(error, ARMDYN_EMEMORY, "", "cannot start a thread for --keep-jobs, --keep-orders and --keep-alarms");
    jobs_stop(jobs, 0);
    return ARMDYN_EMEMORY;
  }
  *out = jobs;
  return ARMDYN_OK;
}

void jobs_stop(struct jobs *jobs, int64_t deadline_ns)
{
  pthread_mutex_lock(&jobs->lock);
  jobs->stopping = true;
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);
  waiters_wake(jobs, NULL); /* nobody is kept waiting by a service that stops */

  pthread_mutex_lock(&jobs->lock);
  while (jobs->running && clock_monotonic_ns() < deadline_ns)
    condition_wait_until(&jobs->changed, &jobs->lock, deadline_ns);
  jobs->killing = true;
  for (size_t i = 0; i < jobs->runner_count; i++)
    if (jobs->runners[i].victim) kill(jobs->runners[i].victim, SIGKILL);
  far_kill(jobs, NULL);
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);

  for (size_t i = 0; i < jobs->runner_count; i++) pthread_join(jobs->runners[i].thread, NULL);
  far_stop(jobs);
  if (jobs->retains) pthread_join(jobs->retention, NULL);
  waiters_stop(jobs);
  free_all(jobs);
}

bool jobs_ready(struct jobs *jobs, char why[JOBS_WHY])
{
  size_t i = 0, count = jobs->runner_count;
  pthread_mutex_lock(&jobs->lock);
  while (i < count && jobs->runners[i].ready) i++;
  if (i < count && why)
    snprintf(why, JOBS_WHY, "worker %zu of %zu %s; it is being started", i + 1, count, jobs->runners[i].why);
  pthread_mutex_unlock(&jobs->lock);
  return i == count;
}

void jobs_drain(struct jobs *jobs, bool draining)
{
  pthread_mutex_lock(&jobs->lock);
  jobs->draining = draining;
  pthread_cond_broadcast(&jobs->changed);
  pthread_mutex_unlock(&jobs->lock);
}

bool jobs_draining(struct jobs *jobs)
{
  pthread_mutex_lock(&jobs->lock);
  bool draining = jobs->draining;
  pthread_mutex_unlock(&jobs->lock);
  return draining;
}

/* -- one job -- */

/* Under the lock: is there room for it? */
static enum armdyn_status find_room(struct jobs *jobs, const struct store_job *job, struct armdyn_error *error)
{
  const size_t reserved = jobs->live_most / JOBS_RESERVED_OF;
  if (jobs->stopping || jobs->draining)
    return armdyn_refuse(error, ARMDYN_EUNAVAILABLE, "", "no jobs are taken now: the service %s",
                         jobs->stopping ? "stops" : "is drained");
  if (jobs->waiting_most && live_waiting(jobs, job->owner) >= jobs->waiting_most) {
    jobs->refused++;
    return armdyn_refuse(error, ARMDYN_ELIMIT, "",
                         "%zu jobs of this key wait already, as many as one key may have so that others find room "
                         "(--waiting-jobs-per-key): wait for the end of some, or cancel those that are not needed",
                         jobs->waiting_most);
  }
  if (jobs->live >= jobs->live_most)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "", "%zu jobs are queued already, no more are taken (--waiting-jobs)",
                         jobs->live);
  if (job->priority <= 0 && jobs->live >= jobs->live_most - reserved)
    return armdyn_refuse(error, ARMDYN_ELIMIT, "",
                         "%zu jobs are queued already; the last %zu of %zu places (--waiting-jobs) are for jobs with a "
                         "priority above 0",
                         jobs->live, reserved, jobs->live_most);
  return ARMDYN_OK;
}

static struct live_job *make(struct store_job *job)
{
  id_make(job->id);
  clock_format(clock_wall_ms(), job->created_at);
  job->state = JOB_QUEUED;
  job->attempt = 0;
  job->started_at[0] = job->finished_at[0] = job->result_id[0] = '\0';
  return live_new(job);
}

enum armdyn_status jobs_rehearse(struct jobs *jobs, struct store_job *job, const struct store_idempotency *key,
                                 size_t *position, struct armdyn_error *error)
{
  struct live_job *live = make(job);
  if (!live) return ARMDYN_EMEMORY;
  pthread_mutex_lock(&jobs->lock);
  enum armdyn_status status = find_room(jobs, job, error);
  if (!status) status = live_append(jobs, live, job->owner, job->robot);
  if (!status) { /* nobody sees it there */
    *position = live_position(jobs, live);
    live_remove(jobs, live);
  }
  pthread_mutex_unlock(&jobs->lock);
  free(live);
  return status ? status : store_job_create(jobs->store, job, key);
}

enum armdyn_status jobs_submit(struct jobs *jobs, struct store_job *job, const struct store_idempotency *key,
                               struct armdyn_error *error)
{
  struct live_job *live = make(job);
  if (!live) return ARMDYN_EMEMORY;
  live->held = true; /* its place is taken, and nobody begins or ends it before the store has it */
  pthread_mutex_lock(&jobs->lock);
  enum armdyn_status status = find_room(jobs, job, error);
  if (!status) status = live_append(jobs, live, job->owner, job->robot);
  pthread_mutex_unlock(&jobs->lock);
  if (status) {
    free(live);
    return status;
  }
  status = store_job_create(jobs->store, job, key);

  pthread_mutex_lock(&jobs->lock);
  if (status) {
    live_remove(jobs, live);
    free(live);
  } else {
    live_hold(jobs, live, false);
  }
  pthread_mutex_unlock(&jobs->lock);
  if (!status) announce_change(&jobs->changes, job->id);
  return status;
}

/* false: not in memory.
 *   position  out  in the queue; NULL: not asked for */
static bool find(struct jobs *jobs, const char *id, struct live_job *now, size_t *position)
{
  pthread_mutex_lock(&jobs->lock);
  const struct live_job *live = live_find(jobs, id);
  if (live) *now = *live;
  if (live && position) *position = live_position(jobs, live);
  pthread_mutex_unlock(&jobs->lock);
  return live != NULL;
}

static void overlay(struct job_view *view, const struct live_job *now)
{
  if (now->running) view->job.state = JOB_RUNNING;
  view->job.attempt = now->attempt;
  memcpy(view->job.started_at, now->started_at, sizeof now->started_at);
  view->progress = now->progress;
  memcpy(view->message, now->message, sizeof now->message);
}

enum armdyn_status jobs_get(struct jobs *jobs, const char *id, struct job_view *view)
{
  /* What is in memory first: if the job ends in between, what is stored is the newer and wins. */
  struct live_job now = { 0 };
  size_t position = 0;
  bool live = find(jobs, id, &now, &position);
  *view = (struct job_view){ 0 };
  enum armdyn_status status = store_job_get(jobs->store, id, &view->job);
  if (status) return status;
  if (view->job.state == JOB_SUCCEEDED) view->progress = 1;
  if (!live || view->job.state != JOB_QUEUED) return ARMDYN_OK;
  overlay(view, &now);
  view->queue_position = position;
  return ARMDYN_OK;
}

void jobs_refresh(struct jobs *jobs, struct job_view *view)
{
  struct live_job now = { 0 };
  view->progress = view->job.state == JOB_SUCCEEDED ? 1 : 0;
  view->message[0] = '\0';
  if (view->job.state == JOB_QUEUED && find(jobs, view->job.id, &now, NULL)) overlay(view, &now);
}

void jobs_running(struct jobs *jobs, struct buffer *ids)
{
  buffer_text(ids, ",");
  pthread_mutex_lock(&jobs->lock);
  for (const struct live_job *job = jobs->first; job; job = job->next) buffer_format(ids, "%s,", job->id);
  pthread_mutex_unlock(&jobs->lock);
}

void job_view_release(struct job_view *view)
{
  store_job_release(&view->job);
}

/* -- ends that come from outside -- */

enum job_state live_cut_state(const struct live_job *job)
{
  return job->overdue ? JOB_FAILED : JOB_CANCELLED;
}

static void write_cut(const struct live_job *live, const struct store_job *job, struct buffer *problem)
{
  char instance[64], detail[128] = "The job was cancelled before it ended.";
  snprintf(instance, sizeof instance, "/v1/jobs/%s", job->id);
  if (live->overdue)
    snprintf(detail, sizeof detail, "Its time_limit of %g s was over %s.", (double)job->time_limit_ms / 1000,
             live->started_at[0] ? "before the computation ended" : "while it waited for a worker");
  problem_write(problem, live->overdue ? PROBLEM_TIME_LIMIT : PROBLEM_CANCELLED, detail, instance, NULL, NULL);
}

enum armdyn_status live_cut_short(struct store *store, const struct live_job *live)
{
  struct store_job job;
  enum armdyn_status status = store_job_get(store, live->id, &job);
  if (status) return status;
  struct buffer problem = BUFFER(LIMIT_MODEL_BODY);
  write_cut(live, &job, &problem);
  job.state = live_cut_state(live);
  job.attempt = live->attempt;
  memcpy(job.started_at, live->started_at, sizeof job.started_at);
  clock_format(clock_wall_ms(), job.finished_at);
  free(job.problem);
  job.problem = buffer_take(&problem, NULL);
  status = job.problem ? store_job_end(store, &job) : ARMDYN_EMEMORY;
  buffer_release(&problem);
  store_job_release(&job);
  return status;
}

/* Under the lock: wait until the job has left the list, or for CANCEL_MS. */
static void await_end(struct jobs *jobs, const char *id)
{
  int64_t deadline = clock_monotonic_ns() + (int64_t)CANCEL_MS * 1000000;
  while (live_find(jobs, id) && clock_monotonic_ns() < deadline)
    condition_wait_until(&jobs->changed, &jobs->lock, deadline);
}

/* The store is told what it would be, and whoever computes it is left alone. */
static enum armdyn_status rehearse_cancelling(struct jobs *jobs, const char *id)
{
  struct live_job now = { 0 };
  struct store_job job;
  if (find(jobs, id, &now, NULL)) return live_cut_short(jobs->store, &now);
  enum armdyn_status status = store_job_get(jobs->store, id, &job);
  store_job_release(&job);
  return status ? status : ARMDYN_ECONFLICT;
}

enum armdyn_status jobs_cancel(struct jobs *jobs, const char *id)
{
  if (rehearsing()) return rehearse_cancelling(jobs, id);
  pthread_mutex_lock(&jobs->lock);
  struct live_job *live = live_find(jobs, id);
  bool was_live = live != NULL;
  if (live && !live->running && !live->held) {
    live_hold(jobs, live, true); /* no runner takes it, and nobody else cancels it */
    pthread_mutex_unlock(&jobs->lock);
    enum armdyn_status status = live_cut_short(jobs->store, live);
    if (!status) {
      live_end(jobs, live, JOB_CANCELLED);
      return ARMDYN_OK;
    }
    pthread_mutex_lock(&jobs->lock);
    live_hold(jobs, live, false);
    pthread_mutex_unlock(&jobs->lock);
    return status;
  }
  if (live) {
    live_cancel(jobs, live);
    await_end(jobs, id);
  }
  pthread_mutex_unlock(&jobs->lock);

  struct store_job job;
  enum armdyn_status status = store_job_get(jobs->store, id, &job);
  if (status) return status;
  bool ended_otherwise = job.state == JOB_SUCCEEDED || job.state == JOB_FAILED || !was_live;
  store_job_release(&job);
  return ended_otherwise ? ARMDYN_ECONFLICT : ARMDYN_OK;
}
