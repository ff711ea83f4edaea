#include "api/codec/job.h"

#include <math.h>

#include "api/codec/result.h"

static void member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text);
}

/* "" is null. */
static void member_given(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text[0] ? text : NULL);
}

static void member_json(struct json_writer *w, const char *name, const char *json, const char *otherwise)
{
  json_key(w, name), json_write_raw(w, json ? json : otherwise);
}

void job_encode(const struct job_resource *job, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  member_text(&w, "id", job->id);
  member_text(&w, "kind", job->kind);
  if (job->collection) member_text(&w, "collection", job->collection);
  member_text(&w, "robot", job->robot);
  json_key(&w, "revision"), json_write_integer(&w, job->revision);
  member_text(&w, "state", job->state);
  json_key(&w, "priority"), json_write_integer(&w, job->priority);
  json_key(&w, "progress"), json_write_number(&w, job->progress);
  member_text(&w, "message", job->message);
  json_key(&w, "attempt"), json_write_integer(&w, job->attempt);
  member_given(&w, "created_at", job->created_at);
  member_given(&w, "started_at", job->started_at);
  member_given(&w, "finished_at", job->finished_at);
  json_key(&w, "result");
  if (job->href) {
    json_begin_object(&w);
    member_text(&w, "href", job->href);
    if (job->value) member_json(&w, "value", job->value, NULL);
    json_end_object(&w);
  } else
    json_write_null(&w);
  member_given(&w, "created_by", job->created_by);
  member_given(&w, "reason", job->reason);
  member_json(&w, "tags", job->tags, "{}");
  result_order_encode(&w, job->job_order_id, job->work_master_id, job->equipment_id);
  if (!job->summary) {
    json_key(&w, "queue_position");
    job->queue_position ? json_write_integer(&w, job->queue_position) : json_write_null(&w);
    json_key(&w, "time_limit"), json_write_number(&w, job->time_limit > 0 ? job->time_limit : NAN);
    member_json(&w, "problem", job->problem, NULL);
    member_json(&w, "attempts", job->attempts, "[]");
    member_json(&w, "request", job->request, "{}");
    member_given(&w, "traceparent", job->traceparent);
  }
  json_end_object(&w);
}
