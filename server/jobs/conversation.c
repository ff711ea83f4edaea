#include "server/jobs/conversation.h"

#include <stdlib.h>

#include "api/json/reader.h"
#include "api/limits.h"
#include "server/jobs/sharing.h"

enum {
  HEAR_MS = 250, /* how often a worker that says nothing is looked after */
  AWAIT_MS = 5   /* and one that waits for what others compute of its job */
};

static bool wait_with_rows(void *context, enum armdyn_status status, int tries)
{
  struct attempt *a = context;
  return attempt_wait_for_store(a, status, tries, &a->live->cancelled);
}

/* -- what it says: each answers how the attempt goes on (ATTEMPT_RESULT: well) -- */

static enum attempt_end take_progress(struct attempt *a, struct jobs *jobs, const struct frame *frame)
{
  struct message_progress progress;
  if (frame->length != sizeof progress) return attempt_lost(a, "worker sent a malformed progress");
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
  return status ? attempt_store_failed(a, status) : ATTEMPT_RESULT;
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
    return attempt_lost(a, "worker sent a malformed series");
  memcpy(&series, frame->data, sizeof series);
  series.name[sizeof series.name - 1] = series.columns[sizeof series.columns - 1] = '\0';
  if (!series.width || series.width > SERIES_WIDTH_MOST || !series.name[0])
    return attempt_lost(a, "worker sent a malformed series");
  a->width = series.width;
  enum armdyn_status status = begin_series(a, &series);
  return status ? attempt_store_failed(a, status) : ATTEMPT_RESULT;
}

static enum attempt_end take_rows(struct attempt *a, const struct frame *frame)
{
  size_t row = a->width * sizeof(double);
  if ((!a->series && !a->samples) || !frame->length || frame->length % row)
    return attempt_lost(a, "worker sent malformed rows");
  memcpy(a->rows, frame->data, frame->length);
  enum armdyn_status status = a->samples ? store_samples_append(a->samples, a->rows, frame->length / row)
                                         : store_series_append(a->series, a->rows, frame->length / row);
  return status ? attempt_store_failed(a, status) : ATTEMPT_RESULT;
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
  if (!is_document(frame)) return attempt_lost(a, "worker sent a malformed document");
  buffer_append(&a->document, frame->data, frame->length);
  if (!buffer_ok(&a->document)) return attempt_store_failed(a, ARMDYN_EMEMORY);
  if (end == ATTEMPT_RESULT) {
    enum attempt_end ended = end_series(a);
    if (ended) return ended;
  }
  return end;
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
      return attempt_lost(a, "worker sent no frames of ours");
    }
    switch (frame.type) {
    case MESSAGE_PROGRESS: end = take_progress(a, r->jobs, &frame); break;
    case MESSAGE_SERIES: end = take_series(a, &frame); break;
    case MESSAGE_ROWS: end = take_rows(a, &frame); break;
    case MESSAGE_SHARE: end = sharing_begin(a, &frame); break;
    case MESSAGE_NEXT: end = sharing_answer(a, r); break;
    case MESSAGE_RESULT: return take_document(a, &frame, ATTEMPT_RESULT);
    case MESSAGE_PROBLEM: return take_document(a, &frame, ATTEMPT_PROBLEM);
    default: end = attempt_lost(a, "worker sent a message out of turn");
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
  if (!a->rows) return attempt_store_failed(a, ARMDYN_EMEMORY);

  enum attempt_end end = attempt_begin(a, &r->child.channel, job->id);
  if (!end) end = converse(a, r);
  close_series(a, false);
  return end;
}
