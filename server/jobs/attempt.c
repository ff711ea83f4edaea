#include "server/jobs/attempt.h"

#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "api/problem/problem.h"
#include "server/base/log.h"
#include "server/jobs/sharing.h"
#include "server/work/kinds.h"

enum {
  HEAR_MS = 250,  /* how often a worker that says nothing is looked after */
  AWAIT_MS = 5,   /* and one that waits for what others compute of its job */
  STORE_MS = 250, /* rest before another try to store, doubled up to ... */
  STORE_MOST_MS = 30000
};

static enum attempt_end because(struct attempt *a, enum attempt_end end, const char *reason)
{
  snprintf(a->reason, sizeof a->reason, "%s", reason);
  return end;
}

static enum attempt_end store_failed(struct attempt *a, enum armdyn_status status)
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

static bool wait_with_rows(void *context, enum armdyn_status status, int tries)
{
  struct attempt *a = context;
  return attempt_wait_for_store(a, status, tries, &a->live->cancelled);
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
  return because(a, ATTEMPT_LOST, "worker took no job");
}

enum attempt_end attempt_begin(struct attempt *a, struct channel *channel, const char *id)
{
  enum armdyn_status status = store_job_get(a->store, id, &a->job);
  if (status == ARMDYN_ENOTFOUND) return ATTEMPT_GONE;
  if (status) return store_failed(a, status);
  a->loaded = true;
  if (a->job.state != JOB_QUEUED) return ATTEMPT_GONE;
  if (!job_kind_find(a->job.kind))
    return attempt_refuse(a, PROBLEM_INTERNAL, "This version does not know jobs of this kind.");

  struct store_robot robot;
  status = store_robot_get(a->store, a->job.robot, a->job.revision, &robot);
  if (status == ARMDYN_ENOTFOUND)
    return attempt_refuse(a, PROBLEM_NOT_FOUND, "The robot was deleted before the job began.");
  if (status) return store_failed(a, status);
  enum attempt_end end = hand_over(a, channel, robot.document);
  store_robot_release(&robot);
  return end;
}

/* -- from the worker: each answers how the attempt goes on (ATTEMPT_RESULT: well) -- */

static enum attempt_end take_progress(struct attempt *a, struct jobs *jobs, const struct frame *frame)
{
  struct message_progress progress;
  if (frame->length != sizeof progress) return because(a, ATTEMPT_LOST, "worker sent a malformed progress");
  memcpy(&progress, frame->data, sizeof progress);
  pthread_mutex_lock(&jobs->lock);
  a->live->progress = progress.fraction >= 0 && progress.fraction <= 1 ? progress.fraction : 0;
  snprintf(a->live->message, sizeof a->live->message, "%.*s", (int)sizeof progress.text - 1, progress.text);
  pthread_mutex_unlock(&jobs->lock);
  announce_change(&jobs->changes, a->live->id);
  return ATTEMPT_RESULT;
}

/* The series that is being written, of one or the other kind. */
static enum armdyn_status close_series(struct attempt *a, bool keep)
{
  enum armdyn_status status = a->samples ? store_samples_end(a->samples, keep) : store_series_end(a->series, keep);
  a->samples = NULL;
  a->series = NULL;
  return status;
}

static enum attempt_end end_series(struct attempt *a)
{
  enum armdyn_status status = close_series(a, true);
  return status ? store_failed(a, status) : ATTEMPT_RESULT;
}

/* Rows that the store has no room for wait, and the worker with them: they need not be computed again. */
static enum armdyn_status begin_series(struct attempt *a, const struct message_series *series)
{
  const struct store_patience patience = { wait_with_rows, a };
  enum armdyn_status status =
      strcmp(series->name, STORE_SAMPLES)
          ? store_series_begin(a->store, a->result, series->name, series->columns, series->width, &a->series)
          : store_samples_begin(a->store, a->result, series->columns, series->width, LIMIT_RUN_SAMPLES, &a->samples);
  if (a->series) store_series_be_patient(a->series, &patience);
  if (a->samples) store_samples_be_patient(a->samples, &patience);
  return status;
}

static enum attempt_end take_series(struct attempt *a, const struct frame *frame)
{
  struct message_series series;
  enum attempt_end end = end_series(a);
  if (end) return end;
  if (frame->length != sizeof series || a->series_count++ == SERIES_MOST)
    return because(a, ATTEMPT_LOST, "worker sent a malformed series");
  memcpy(&series, frame->data, sizeof series);
  series.name[sizeof series.name - 1] = series.columns[sizeof series.columns - 1] = '\0';
  if (!series.width || series.width > SERIES_WIDTH_MOST || !series.name[0])
    return because(a, ATTEMPT_LOST, "worker sent a malformed series");
  a->width = series.width;
  enum armdyn_status status = begin_series(a, &series);
  return status ? store_failed(a, status) : ATTEMPT_RESULT;
}

static enum attempt_end take_rows(struct attempt *a, const struct frame *frame)
{
  size_t row = a->width * sizeof(double);
  if ((!a->series && !a->samples) || !frame->length || frame->length % row)
    return because(a, ATTEMPT_LOST, "worker sent malformed rows");
  memcpy(a->rows, frame->data, frame->length);
  enum armdyn_status status = a->samples ? store_samples_append(a->samples, a->rows, frame->length / row)
                                         : store_series_append(a->series, a->rows, frame->length / row);
  return status ? store_failed(a, status) : ATTEMPT_RESULT;
}

/* A worker that lost its mind must not get it into the store. */
static bool is_document(const struct frame *frame)
{
  struct json_reader reader;
  json_reader_init(&reader, frame->data, frame->length, NULL);
  return json_peek(&reader) == JSON_OBJECT && json_skip(&reader, NULL) && json_finish(&reader);
}

static enum attempt_end take_document(struct attempt *a, const struct frame *frame, enum attempt_end end)
{
  if (!is_document(frame)) return because(a, ATTEMPT_LOST, "worker sent a malformed document");
  buffer_append(&a->document, frame->data, frame->length);
  if (!buffer_ok(&a->document)) return store_failed(a, ARMDYN_EMEMORY);
  if (end == ATTEMPT_RESULT) {
    enum attempt_end ended = end_series(a);
    if (ended) return ended;
  }
  return end;
}

int64_t attempt_stall_ns(const struct attempt *a)
{
  return a->jobs->stall_ns ? a->jobs->stall_ns : job_kind_find(a->job.kind)->stall_s * INT64_C(1000000000);
}

/* Cancelling and stopping kill it. */
static enum attempt_end converse(struct attempt *a, struct runner *r)
{
  pulse_begin(&r->progress, attempt_stall_ns(a));
  for (;;) {
    struct frame frame;
    enum attempt_end end = ATTEMPT_RESULT;
    enum armdyn_status status = worker_hear(r, &frame, a->asks ? AWAIT_MS : HEAR_MS);
    if (worker_hangs(r, true)) {
      snprintf(a->reason, sizeof a->reason, "worker %.100s", r->why);
      return ATTEMPT_LOST;
    }
    if (a->asks && (end = sharing_answer(a, r))) return end;
    if (status == ARMDYN_EUNAVAILABLE) continue;
    if (status) {
      a->peer_gone = status == ARMDYN_EIO;
      return because(a, ATTEMPT_LOST, "worker sent no frames of ours");
    }
    switch (frame.type) {
    case MESSAGE_PROGRESS: end = take_progress(a, r->jobs, &frame); break;
    case MESSAGE_SERIES: end = take_series(a, &frame); break;
    case MESSAGE_ROWS: end = take_rows(a, &frame); break;
    case MESSAGE_SHARE: end = sharing_begin(a, &frame); break;
    case MESSAGE_NEXT: end = sharing_answer(a, r); break;
    case MESSAGE_RESULT: return take_document(a, &frame, ATTEMPT_RESULT);
    case MESSAGE_PROBLEM: return take_document(a, &frame, ATTEMPT_PROBLEM);
    default: end = because(a, ATTEMPT_LOST, "worker sent a message out of turn");
    }
    if (end) return end;
  }
}

enum attempt_end attempt_run(struct attempt *a, struct runner *r, struct live_job *job)
{
  *a = (struct attempt){ .jobs = r->jobs, .live = job, .store = r->jobs->store, .document = BUFFER(LIMIT_FRAME + 1) };
  pthread_mutex_lock(&r->jobs->lock);
  bool cancelled = job->cancelled;
  pthread_mutex_unlock(&r->jobs->lock);
  if (cancelled) return ATTEMPT_GONE;
  id_make(a->result);
  a->rows = malloc(LIMIT_FRAME);
  if (!a->rows) return store_failed(a, ARMDYN_EMEMORY);

  enum attempt_end end = attempt_begin(a, &r->child.channel, job->id);
  if (!end) end = converse(a, r);
  close_series(a, false);
  return end;
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
