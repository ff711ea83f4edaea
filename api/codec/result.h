/* Results of jobs as resources: the document that is kept, what is known around it, and what a requester wrote on it. */
#ifndef API_CODEC_RESULT_H
#define API_CODEC_RESULT_H

#include "api/json/fields.h"

/* -- what a request says for people and their systems, and its result repeats -- */

struct result_labels {
  struct json_map tags;
  char job_order_id[LIMIT_TAG + 1], work_master_id[LIMIT_TAG + 1], equipment_id[LIMIT_TAG + 1];
};
/* Rows of a request's field table whose struct has `struct result_labels labels`. */
#define RESULT_LABELS(type_)                                                                                           \
  { MAP(type_, labels.tags), NAMED("tags") }, { TEXT(type_, labels.job_order_id), NAMED("job_order_id") },             \
      { TEXT(type_, labels.work_master_id), NAMED("work_master_id") },                                                 \
  {                                                                                                                    \
    TEXT(type_, labels.equipment_id), NAMED("equipment_id")                                                            \
  }
/* The tags as a JSON object. */
void result_tags_encode(const struct result_labels *labels, struct buffer *out);
/* The last members of a document: the labels (tags are kept beside it), the request, and the program. */
void result_origin_encode(struct json_writer *w, const struct result_labels *labels, const char *request_text);

/* -- what GET answers -- */

/* A figure of a document to compare by: a number, or the member `inner` of an object. */
struct result_metric {
  const char *metric, *member, *inner;
};
struct result_form {
  const char *path; /* "/v1/trajectories/" */
  const struct result_metric *metrics;
  size_t metric_count; /* at most RESULT_METRICS */
};
enum { RESULT_METRICS = 8 };

struct result_resource {
  const struct result_form *form;
  const char *id, *job, *robot, *created_at;
  long long revision;
  const char *tags; /* JSON object; NULL = {} */
  const char *document;
  bool stale;   /* there is a newer revision of the robot */
  bool summary; /* for lists: the figures to compare by, not the document */
};
void result_resource_encode(const struct result_resource *resource, struct buffer *out);

#endif
