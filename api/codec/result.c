#include "api/codec/result.h"

#include "armdyn/armdyn.h"

static void member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text);
}

void result_tags_encode(const struct result_labels *labels, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (size_t i = 0; i < labels->tags.count; i++)
    member_text(&w, labels->tags.items[i].key, labels->tags.items[i].value);
  json_end_object(&w);
}

void result_origin_encode(struct json_writer *w, const struct result_labels *labels, const char *request_text)
{
  if (labels->job_order_id[0]) member_text(w, "job_order_id", labels->job_order_id);
  if (labels->work_master_id[0]) member_text(w, "work_master_id", labels->work_master_id);
  if (labels->equipment_id[0]) member_text(w, "equipment_id", labels->equipment_id);
  json_key(w, "request"), json_write_raw(w, request_text);
  json_key(w, "provenance"), json_begin_object(w);
  member_text(w, "program", "armdyn");
  member_text(w, "version", armdyn_version());
  json_end_object(w);
}

/* The members of a stored object, between those of another. */
static void splice(struct json_writer *w, const char *document)
{
  struct json_reader r;
  struct json_slice key, raw;
  char name[LIMIT_TAG + 1];
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (json_slice_decode(key, name, sizeof name) >= sizeof name || !json_skip(&r, &raw)) break;
    json_key(w, name), json_write_raw_n(w, raw.data, raw.length);
  }
}

/* Read the next value: the number itself, or the one under this name; otherwise leave *value as it is. */
static void read_figure(struct json_reader *r, const char *inner, double *value)
{
  struct json_slice key;
  if (!inner) {
    if (json_peek(r) == JSON_NUMBER)
      json_read_number(r, NULL, value);
    else
      json_skip(r, NULL);
    return;
  }
  json_enter_object(r, NULL);
  while (json_next_member(r, &key))
    if (json_slice_is(key, inner))
      read_figure(r, NULL, value);
    else
      json_skip(r, NULL);
}

static void encode_metrics(struct json_writer *w, const struct result_form *form, const char *document)
{
  struct json_reader r;
  struct json_slice key;
  double values[RESULT_METRICS];
  for (size_t i = 0; i < form->metric_count; i++) values[i] = NAN;
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    size_t i = 0;
    while (i < form->metric_count && !json_slice_is(key, form->metrics[i].member)) i++;
    if (i == form->metric_count)
      json_skip(&r, NULL);
    else
      read_figure(&r, form->metrics[i].inner, &values[i]);
  }
  json_key(w, "metrics"), json_begin_object(w);
  for (size_t i = 0; i < form->metric_count; i++) json_key(w, form->metrics[i].metric), json_write_number(w, values[i]);
  json_end_object(w);
}

void result_resource_encode(const struct result_resource *resource, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  member_text(&w, "id", resource->id);
  member_text(&w, "job", resource->job);
  member_text(&w, "robot", resource->robot);
  json_key(&w, "revision"), json_write_integer(&w, resource->revision);
  member_text(&w, "created_at", resource->created_at);
  json_key(&w, "tags"), json_write_raw(&w, resource->tags ? resource->tags : "{}");
  if (resource->summary) {
    encode_metrics(&w, resource->form, resource->document);
  } else {
    char href[96];
    snprintf(href, sizeof href, "%s%s/samples", resource->form->path, resource->id);
    json_key(&w, "stale"), json_write_truth(&w, resource->stale);
    member_text(&w, "samples", href);
    splice(&w, resource->document);
  }
  json_end_object(&w);
}
