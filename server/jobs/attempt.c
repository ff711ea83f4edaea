#include "server/jobs/attempt.h"

#include <stdlib.h>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "api/problem/problem.h"
#include "server/base/log.h"
#include "server/work/kinds.h"

enum {
  STORE_MS = 250, /* rest before another try to store, doubled up to ... */
  STORE_MOST_MS = 30000
};

enum attempt_end attempt_lost(struct attempt *a, const char *reason)
{
  snprintf(a->reason, sizeof a->reason, "%s", reason);
  return ATTEMPT_LOST;
}

enum attempt_end attempt_store_failed(struct attempt *a, enum armdyn_status status)
{
  snprintf(a->reason, sizeof a->reason, "the store failed (%s)", armdyn_status_text(status));
  return ATTEMPT_STORE;
}

enum attempt_end attempt_refuse(struct attempt *a, enum problem problem, const char *detail)
{
  char instance[64];
  snprintf(instance, sizeof instance, "/v1/jobs/%s", a->job.id);
  buffer_clear(&a->document);
  problem_write(&a->document, problem, detail, instance, NULL, NULL);
  return ATTEMPT_REFUSED;
}

/* -- a store that takes nothing now -- */

/* What another try cannot change. */
static bool for_ever(enum armdyn_status status)
{
  return status == ARMDYN_ECONFLICT || status == ARMDYN_EEXISTS || status == ARMDYN_ENOTFOUND ||
         status == ARMDYN_EINPUT;
}

bool attempt_wait_for_store(struct attempt *a, enum armdyn_status status, int tries, const bool *raised)
{
  struct jobs *jobs = a->jobs;
  log_event(LOG_ERROR, "the store did not take what a job computed", "job", a->live->id, "reason",
            armdyn_status_text(status), NULL);
  if (for_ever(status)) return false;
  pthread_mutex_lock(&jobs->lock);
  snprintf(a->live->message, sizeof a->live->message, "the store does not take what was computed (%s); trying again",
           armdyn_status_text(status));
  pthread_mutex_unlock(&jobs->lock);
  announce_change(&jobs->changes, a->live->id);
  jobs_rest(jobs, raised, jobs_pause(tries, STORE_MS, STORE_MOST_MS));
  pthread_mutex_lock(&jobs->lock);
  bool go_on = !jobs->killing && !*raised;
  pthread_mutex_unlock(&jobs->lock);
  return go_on;
}

/* -- to the worker -- */

static enum attempt_end hand_over(struct attempt *a, struct channel *channel, const char *robot)
{
  const int patience_ms = (int)(a->jobs->silence_ns / 1000000);
  struct message_run run = { .helps = a->helps };
  snprintf(run.kind, sizeof run.kind, "%s", a->job.kind);
  snprintf(run.job, sizeof run.job, "%s", a->job.id);
  a->handed_over = true;
  enum armdyn_status status = channel_send(channel, MESSAGE_ROBOT, robot, strlen(robot), patience_ms);
  if (!status) status = channel_send(channel, MESSAGE_REQUEST, a->job.request, strlen(a->job.request), patience_ms);
  if (!status) status = channel_send(channel, MESSAGE_RUN, &run, sizeof run, patience_ms);
  if (!status) return ATTEMPT_RESULT;
  a->peer_gone = status == ARMDYN_EIO;
  return attempt_lost(a, "worker took no job");
}

enum attempt_end attempt_begin(struct attempt *a, struct channel *channel, const char *id)
{
  enum armdyn_status status = store_job_get(a->store, id, &a->job);
  if (status == ARMDYN_ENOTFOUND) return ATTEMPT_GONE;
  if (status) return attempt_store_failed(a, status);
  a->loaded = true;
  if (a->job.state != JOB_QUEUED) return ATTEMPT_GONE;
  if (!job_kind_find(a->job.kind))
    return attempt_refuse(a, PROBLEM_INTERNAL, "This version does not know jobs of this kind.");

  struct store_robot robot;
  status = store_robot_get(a->store, a->job.robot, a->job.revision, &robot);
  if (status == ARMDYN_ENOTFOUND)
    return attempt_refuse(a, PROBLEM_NOT_FOUND, "The robot was deleted before the job began.");
  if (status) return attempt_store_failed(a, status);
  enum attempt_end end = hand_over(a, channel, robot.document);
  store_robot_release(&robot);
  return end;
}

int64_t attempt_stall_ns(const struct attempt *a)
{
  return a->jobs->stall_ns ? a->jobs->stall_ns : job_kind_find(a->job.kind)->stall_s * INT64_C(1000000000);
}

void attempt_release(struct attempt *a)
{
  if (a->loaded) store_job_release(&a->job);
  buffer_release(&a->document);
  free(a->rows);
}

/* -- to the store -- */

bool attempt_note_lost(struct attempt *a)
{
  struct buffer list = BUFFER(LIMIT_MODEL_BODY);
  size_t before = a->job.attempts ? strlen(a->job.attempts) : 0;
  bool first = before <= 2; /* none, or "[]" */
  if (first)
    buffer_text(&list, "[");
  else
    buffer_append(&list, a->job.attempts, before - 1);
  struct json_writer w = { .out = &list, .comma = !first };
  char at[TIME_SIZE];
  clock_format(clock_wall_ms(), at);
  json_begin_object(&w);
  json_key(&w, "attempt"), json_write_integer(&w, a->live->attempt);
  json_key(&w, "reason"), json_write_text(&w, a->reason);
  json_key(&w, "at"), json_write_text(&w, at);
  json_end_object(&w);
  buffer_text(&list, "]");
  char *text = buffer_take(&list, NULL);
  buffer_release(&list);
  if (!text) return false;
  free(a->job.attempts);
  a->job.attempts = text;
  return true;
}

/* What every way of telling has in common. */
static void fill(struct attempt *a, enum job_state state)
{
  a->job.state = state;
  a->job.attempt = a->live->attempt;
  memcpy(a->job.started_at, a->live->started_at, sizeof a->job.started_at);
  if (state != JOB_QUEUED && !a->job.finished_at[0]) clock_format(clock_wall_ms(), a->job.finished_at);
}

enum armdyn_status attempt_store_result(struct attempt *a)
{
  fill(a, JOB_SUCCEEDED);
  struct store_result result = { .revision = a->job.revision, .document = a->document.data, .tags = a->job.tags };
  memcpy(result.id, a->result, sizeof result.id);
  memcpy(result.kind, a->job.kind, sizeof result.kind);
  memcpy(result.job, a->job.id, sizeof result.job);
  memcpy(result.robot, a->job.robot, sizeof result.robot);
  memcpy(result.created_at, a->job.finished_at, sizeof result.created_at);
  memcpy(a->job.result_id, a->result, sizeof a->job.result_id);
  struct buffer summary = BUFFER(LIMIT_FRAME);
  cJSON *document = document_open(a->document.data);
  if (!document) summary.failure = ARMDYN_EMEMORY;
  result_summary_encode(job_kind_find(a->job.kind)->form, document, &summary);
  document_close(document);
  result.summary = summary.data;
  enum armdyn_status status = summary.failure;
  if (!status) status = store_result_create(a->store, &result, &a->job);
  buffer_release(&summary);
  return status;
}

static enum armdyn_status fail_with(struct attempt *a, char *problem)
{
  if (!problem) return ARMDYN_EMEMORY;
  fill(a, JOB_FAILED);
  free(a->job.problem);
  a->job.problem = problem;
  return store_job_end(a->store, &a->job);
}

enum armdyn_status attempt_store_problem(struct attempt *a)
{
  return fail_with(a, buffer_ok(&a->document) ? strdup(a->document.data) : NULL);
}

enum armdyn_status attempt_store_retry(struct attempt *a)
{
  fill(a, JOB_QUEUED);
  return store_job_retry(a->store, &a->job);
}

/* "attempt 1: worker ended by signal 9 (Killed); attempt 2: ..." */
static void reasons(const char *text, struct buffer *out)
{
  cJSON *attempts = document_open(text);
  const cJSON *lost;
  cJSON_ArrayForEach (lost, attempts) {
    const char *reason = document_text(lost, "reason");
    buffer_format(out, "%sattempt %.0f: %s", out->length ? "; " : "", document_number(lost, "attempt"),
                  reason ? reason : "");
  }
  document_close(attempts);
}

enum armdyn_status attempt_store_lost(struct attempt *a)
{
  struct buffer detail = BUFFER(LIMIT_MODEL_BODY), problem = BUFFER(LIMIT_MODEL_BODY);
  char instance[64];
  snprintf(instance, sizeof instance, "/v1/jobs/%s", a->job.id);
  reasons(a->job.attempts, &detail);
  problem_write(&problem, PROBLEM_WORKER_LOST, detail.data, instance, NULL, NULL);
  char *text = buffer_take(&problem, NULL);
  buffer_release(&detail);
  buffer_release(&problem);
  return fail_with(a, text);
}

enum armdyn_status attempt_store_cut_short(struct attempt *a)
{
  return live_cut_short(a->store, a->live);
}
