#include "api/codec/result.h"

#include "api/json/document.h"

#include <stdlib.h>

#include "armdyn/armdyn.h"

static const struct json_field callback_fields[] = {
  { TEXT(struct result_callback, webhook), MATCHES(json_name_pattern), REQUIRED, SAYS("name of a webhook") },
};
const struct json_type result_callback_type =
    JSON_TYPE("a callback, {\"webhook\": NAME},", callback_fields, struct result_callback, NULL, NULL);

void tags_encode(const struct json_map *tags, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (size_t i = 0; i < tags->count; i++) json_member_text(&w, tags->items[i].key, tags->items[i].value);
  json_end_object(&w);
}

void result_tags_encode(const struct result_labels *labels, struct buffer *out)
{
  tags_encode(&labels->tags, out);
}

void result_order_encode(struct json_writer *w, const char *job_order_id, const char *work_master_id,
                         const char *equipment_id)
{
  if (job_order_id && *job_order_id) json_member_text(w, "job_order_id", job_order_id);
  if (work_master_id && *work_master_id) json_member_text(w, "work_master_id", work_master_id);
  if (equipment_id && *equipment_id) json_member_text(w, "equipment_id", equipment_id);
}

void result_origin_encode(struct json_writer *w, const struct result_labels *labels, const char *request_text)
{
  result_order_encode(w, labels->job_order_id, labels->work_master_id, labels->equipment_id);
  json_key(w, "request"), json_write_raw(w, request_text);
  json_key(w, "provenance"), json_begin_object(w);
  json_member_text(w, "program", "armdyn");
  json_member_text(w, "version", armdyn_version());
  json_end_object(w);
}

/* -- summaries -- */

enum { METRIC_SIZE = 96 };

/* The metric's name, the number of the element in the place of its '*'. */
static void write_metric_name(const char *metric, size_t element, char *out)
{
  const char *star = strchr(metric, '*');
  if (star)
    snprintf(out, METRIC_SIZE, "%.*s%zu%s", (int)(star - metric), metric, element, star + 1);
  else
    snprintf(out, METRIC_SIZE, "%s", metric);
}

/* Follow a path, and write the number at its end; null is one that has no value. */
static void write_figures(struct json_writer *w, const cJSON *in, const char *metric, const char *path, size_t element)
{
  const size_t length = strcspn(path, "/");
  const char *rest = path + length + (path[length] == '/');
  char name[METRIC_SIZE];
  const cJSON *item;
  if (!*path) {
    write_metric_name(metric, element, name);
    json_key(w, name), json_write_number(w, document_number(in, ""));
  } else if (*path == '*') {
    size_t k = 0;
    if (!cJSON_IsArray(in)) return;
    cJSON_ArrayForEach (item, in) write_figures(w, item, metric, rest, ++k);
  } else if (cJSON_IsObject(in)) {
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    if ((item = document_at(in, name))) write_figures(w, item, metric, rest, element);
  }
}

void result_summary_encode(const struct result_form *form, const cJSON *document, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (const char *const *name = form->members; name && *name; name++) {
    const cJSON *member = document_at(document, *name);
    if (member) json_key(&w, *name), document_write(&w, member);
  }
  json_key(&w, "metrics"), json_begin_object(&w);
  for (size_t i = 0; i < form->metric_count; i++)
    write_figures(&w, document, form->metrics[i].metric, form->metrics[i].path, 0);
  json_end_object(&w);
  json_end_object(&w);
}

bool result_has_metric(const struct result_form *form, const char *name)
{
  for (size_t i = 0; i < form->metric_count; i++) {
    const char *metric = form->metrics[i].metric, *star = strchr(metric, '*');
    size_t before = star ? (size_t)(star - metric) : strlen(metric);
    if (strncmp(name, metric, before) != 0) continue;
    const char *number = name + before;
    size_t digits = star ? strspn(number, "0123456789") : 0;
    if ((!star || (digits > 0 && digits < 4)) && strcmp(number + digits, star ? star + 1 : "") == 0) return true;
  }
  return false;
}

/* -- resources -- */

void result_resource_encode(const struct result_resource *resource, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  json_member_text(&w, "id", resource->id);
  json_member_text(&w, "job", resource->job);
  json_member_text(&w, "robot", resource->robot);
  json_key(&w, "revision"), json_write_integer(&w, resource->revision);
  json_member_text(&w, "created_at", resource->created_at);
  json_key(&w, "tags"), json_write_raw(&w, resource->tags ? resource->tags : "{}");
  json_member_text(&w, "label", resource->label ? resource->label : "");
  json_key(&w, "pinned"), json_write_truth(&w, resource->pinned);
  if (resource->summary) {
    result_order_encode(&w, resource->job_order_id, resource->work_master_id, resource->equipment_id);
  } else {
    char href[96];
    snprintf(href, sizeof href, "/v1/%s/%s/samples", resource->form->collection, resource->id);
    json_member_text(&w, "notes", resource->notes ? resource->notes : "");
    json_key(&w, "stale"), json_write_truth(&w, resource->stale);
    if (!resource->unsampled) json_member_text(&w, "samples", href);
  }
  document_splice(&w, resource->document, NULL);
  json_end_object(&w);
}

/* -- annotations -- */

static const struct json_field annotation_fields[] = {
  { MAP(struct result_annotation, tags) },
  { TEXT(struct result_annotation, label) },
  { STRING(struct result_annotation, notes, LIMIT_NOTES) },
  { TRUTH(struct result_annotation, pinned) },
};
static const struct json_type annotation_type = JSON_TYPE("what people write on a result: tags, label, notes, pinned",
                                                          annotation_fields, struct result_annotation, NULL, NULL);

enum armdyn_status result_annotation_patch(const char *text, size_t length, const char *tags, const char *label,
                                           const char *notes, bool pinned, struct result_annotation *annotation,
                                           struct faults *faults)
{
  struct buffer present = BUFFER(MB(2)), merged = BUFFER(MB(2));
  struct json_writer w = { .out = &present };
  json_begin_object(&w);
  json_key(&w, "tags"), json_write_raw(&w, tags);
  json_member_text(&w, "label", label);
  json_member_text(&w, "notes", notes);
  json_key(&w, "pinned"), json_write_truth(&w, pinned);
  json_end_object(&w);
  enum armdyn_status status = present.failure;
  if (!status) status = document_merge(present.data, text, length, &merged, faults);
  if (!status) status = json_decode(merged.data, merged.length, &annotation_type, annotation, NULL, faults);
  if (!status && !annotation->notes && !(annotation->notes = strdup(""))) status = ARMDYN_EMEMORY;
  buffer_release(&present);
  buffer_release(&merged);
  return status;
}

void result_annotation_release(struct result_annotation *annotation)
{
  free(annotation->notes);
  annotation->notes = NULL;
}
