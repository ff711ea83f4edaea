/* Results of jobs as resources: the document that is kept, what is known around it, and what a requester wrote on it. */
#ifndef API_CODEC_RESULT_H
#define API_CODEC_RESULT_H

#include "api/json/document.h"
#include "api/json/fields.h"
#include "armdyn/robot.h"

/* -- what every request says beside its work: for people and their systems (its result repeats that), and when -- */

struct result_labels {
  struct json_map tags;
  char job_order_id[LIMIT_TAG + 1], work_master_id[LIMIT_TAG + 1], equipment_id[LIMIT_TAG + 1];
  int priority;      /* of its job: more goes first */
  double time_limit; /* s from its acceptance; 0 or NAN: none */
  struct result_callback {
    char webhook[ARMDYN_NAME_SIZE]; /* "" = none */
  } callback;                       /* whom its end is told */
};
extern const struct json_type result_callback_type;
/* Rows of a request's field table whose struct has `struct result_labels labels`. */
#define RESULT_LABELS(type_)                                                                                           \
  { MAP(type_, labels.tags), NAMED("tags") }, { TEXT(type_, labels.job_order_id), NAMED("job_order_id") },             \
      { TEXT(type_, labels.work_master_id), NAMED("work_master_id") },                                                 \
      { TEXT(type_, labels.equipment_id), NAMED("equipment_id") },                                                     \
      { INTEGER(type_, labels.priority, BETWEEN(-10, 10), NULL), NAMED("priority") },                                  \
      { NUMBER(type_, labels.time_limit, BETWEEN(0.001, LIMIT_JOB_TIME), "s"), NAMED("time_limit"), NULLABLE },        \
  {                                                                                                                    \
    OBJECT(type_, labels.callback, result_callback_type), NAMED("callback"), NULLABLE                                  \
  }
/* Job order, work master and equipment, where they are given. */
void result_order_encode(struct json_writer *w, const char *job_order_id, const char *work_master_id,
                         const char *equipment_id);
/* Tags as a JSON object. */
void tags_encode(const struct json_map *tags, struct buffer *out);
void result_tags_encode(const struct result_labels *labels, struct buffer *out);
/* The last members of a document: the labels (tags are kept beside it), the request, and the program. */
void result_origin_encode(struct json_writer *w, const struct result_labels *labels, const char *request_text);

/* -- what GET answers -- */

/* A figure of a document to compare by: the names of its members with '/' between, '*' being every element of a list;
 * then the '*' of the metric's name is the element's number, from 1. */
struct result_metric {
  const char *metric, *path;
};
/* What lists show of a document. To add a figure: a row of the kind's table. */
struct result_form {
  const char *collection; /* "trajectories" */
  const struct result_metric *metrics;
  size_t metric_count;
  const char *const *members; /* its texts and lists of texts that lists show and filter by; NULL at the end */
};
/* What the store keeps for lists: the members, and "metrics". */
void result_summary_encode(const struct result_form *form, const cJSON *document, struct buffer *out);
/* Is there a metric of this name? */
bool result_has_metric(const struct result_form *form, const char *name);

struct result_resource {
  const struct result_form *form;
  const char *id, *job, *robot, *created_at;
  long long revision;
  const char *tags;                                         /* JSON object; NULL = {} */
  const char *job_order_id, *work_master_id, *equipment_id; /* for lists; a document has them itself */
  const char *label, *notes;                                /* NULL = "" */
  bool pinned;
  const char *document; /* or, for lists, the summary */
  bool stale;           /* there is a newer revision of the robot */
  bool summary;         /* for lists: the figures to compare by, not the document */
  bool unsampled;       /* it has no samples */
};
void result_resource_encode(const struct result_resource *resource, struct buffer *out);

/* -- what PATCH changes: a merge patch (RFC 7396) -- */

struct result_annotation {
  struct json_map tags;
  char label[LIMIT_TAG + 1];
  char *notes; /* allocated; up to LIMIT_NOTES bytes */
  bool pinned;
};
/* Lay a patch over what stands there; null takes back to the default, in tags the tag away.
 *   tags, label, notes, pinned  in   the present ones
 *   annotation                  out  release with result_annotation_release
 * OK, ESYNTAX, EINPUT, EMEMORY. */
enum armdyn_status result_annotation_patch(const char *text, size_t length, const char *tags, const char *label,
                                           const char *notes, bool pinned, struct result_annotation *annotation,
                                           struct faults *faults);
void result_annotation_release(struct result_annotation *annotation);

#endif
