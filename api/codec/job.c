#include "api/codec/job.h"

#include <math.h>

#include "api/codec/result.h"

static void member_json(struct json_writer *w, const char *name, const char *json, const char *otherwise)
{
  json_key(w, name), json_write_raw(w, json ? json : otherwise);
}

void job_encode(const struct job_resource *job, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "id", job->id);
  json_member_text(&w, "kind", job->kind);
  if (job->collection) json_member_text(&w, "collection", job->collection);
  json_member_text(&w, "robot", job->robot);
  json_key(&w, "revision"), json_write_integer(&w, job->revision);
  json_member_text(&w, "state", job->state);
  json_key(&w, "priority"), json_write_integer(&w, job->priority);
  json_key(&w, "progress"), json_write_number(&w, job->progress);
  json_member_text(&w, "message", job->message);
  json_key(&w, "attempt"), json_write_integer(&w, job->attempt);
  json_member_given(&w, "created_at", job->created_at);
  json_member_given(&w, "started_at", job->started_at);
  json_member_given(&w, "finished_at", job->finished_at);
  json_key(&w, "result");
  if (job->href) {
    json_begin_object(&w);
    json_member_text(&w, "href", job->href);
    if (job->value) member_json(&w, "value", job->value, NULL);
    json_end_object(&w);
  } else
    json_write_null(&w);
  json_member_given(&w, "created_by", job->created_by);
  json_member_given(&w, "reason", job->reason);
  member_json(&w, "tags", job->tags, "{}");
  result_order_encode(&w, job->job_order_id, job->work_master_id, job->equipment_id);
  if (!job->summary) {
    json_key(&w, "queue_position");
    job->queue_position ? json_write_integer(&w, job->queue_position) : json_write_null(&w);
    json_key(&w, "time_limit"), json_write_number(&w, job->time_limit > 0 ? job->time_limit : NAN);
    member_json(&w, "problem", job->problem, NULL);
    member_json(&w, "attempts", job->attempts, "[]");
    member_json(&w, "request", job->request, "{}");
    json_member_given(&w, "traceparent", job->traceparent);
  }
  json_end_object(&w);
}
