#include "api/codec/result.h"

#include "api/json/merge.h"

#include <stdlib.h>

#include "armdyn/armdyn.h"

static void member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text);
}

static const struct json_field callback_fields[] = {
  { TEXT(struct result_callback, webhook), MATCHES(json_name_pattern), REQUIRED },
};
const struct json_type result_callback_type =
    JSON_TYPE("a callback", callback_fields, struct result_callback, NULL, NULL);

void tags_encode(const struct json_map *tags, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (size_t i = 0; i < tags->count; i++) member_text(&w, tags->items[i].key, tags->items[i].value);
  json_end_object(&w);
}

void result_tags_encode(const struct result_labels *labels, struct buffer *out)
{
  tags_encode(&labels->tags, out);
}

void result_order_encode(struct json_writer *w, const char *job_order_id, const char *work_master_id,
                         const char *equipment_id)
{
  if (job_order_id && *job_order_id) member_text(w, "job_order_id", job_order_id);
  if (work_master_id && *work_master_id) member_text(w, "work_master_id", work_master_id);
  if (equipment_id && *equipment_id) member_text(w, "equipment_id", equipment_id);
}

void result_origin_encode(struct json_writer *w, const struct result_labels *labels, const char *request_text)
{
  result_order_encode(w, labels->job_order_id, labels->work_master_id, labels->equipment_id);
  json_key(w, "request"), json_write_raw(w, request_text);
  json_key(w, "provenance"), json_begin_object(w);
  member_text(w, "program", "armdyn");
  member_text(w, "version", armdyn_version());
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

/* Follow a path from the next value on, and write the number at its end; null is one that has no value. */
static void write_figures(struct json_writer *w, struct json_reader *r, const char *metric, const char *path,
                          size_t element)
{
  struct json_slice key;
  char name[METRIC_SIZE];
  double value = NAN;
  size_t length = path ? strcspn(path, "/") : 0;
  const char *rest = path && path[length] ? path + length + 1 : NULL;
  if (!path) {
    if (json_peek(r) == JSON_NUMBER)
      json_read_number(r, NULL, &value);
    else
      json_skip(r, NULL);
    write_metric_name(metric, element, name);
    json_key(w, name), json_write_number(w, value);
  } else if (*path == '*' && json_peek(r) == JSON_ARRAY) {
    json_enter_array(r, NULL);
    for (size_t i = 1; json_next_element(r); i++) write_figures(w, r, metric, rest, i);
  } else if (json_peek(r) == JSON_OBJECT) {
    json_enter_object(r, NULL);
    while (json_next_member(r, &key))
      if (key.length == length && !memcmp(key.data, path, length))
        write_figures(w, r, metric, rest, element);
      else
        json_skip(r, NULL);
  } else {
    json_skip(r, NULL);
  }
}

static bool is_listed(const char *const *names, struct json_slice key)
{
  while (names && *names && !json_slice_is(key, *names)) names++;
  return names && *names;
}

void result_summary_encode(const struct result_form *form, const char *document, struct buffer *out)
{
  struct json_writer w = { .out = out };
  struct json_reader r;
  struct json_slice key, raw;
  char name[LIMIT_TAG + 1];
  json_begin_object(&w);
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (!json_skip(&r, &raw)) break;
    if (!is_listed(form->members, key) || json_slice_decode(key, name, sizeof name) >= sizeof name) continue;
    json_key(&w, name), json_write_raw_n(&w, raw.data, raw.length);
  }
  json_key(&w, "metrics"), json_begin_object(&w);
  for (size_t i = 0; i < form->metric_count; i++) {
    json_reader_init(&r, document, strlen(document), NULL);
    write_figures(&w, &r, form->metrics[i].metric, form->metrics[i].path, 0);
  }
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
  member_text(&w, "id", resource->id);
  member_text(&w, "job", resource->job);
  member_text(&w, "robot", resource->robot);
  json_key(&w, "revision"), json_write_integer(&w, resource->revision);
  member_text(&w, "created_at", resource->created_at);
  json_key(&w, "tags"), json_write_raw(&w, resource->tags ? resource->tags : "{}");
  member_text(&w, "label", resource->label ? resource->label : "");
  json_key(&w, "pinned"), json_write_truth(&w, resource->pinned);
  if (resource->summary) {
    result_order_encode(&w, resource->job_order_id, resource->work_master_id, resource->equipment_id);
  } else {
    char href[96];
    snprintf(href, sizeof href, "/v1/%s/%s/samples", resource->form->collection, resource->id);
    member_text(&w, "notes", resource->notes ? resource->notes : "");
    json_key(&w, "stale"), json_write_truth(&w, resource->stale);
    if (!resource->unsampled) member_text(&w, "samples", href);
  }
  json_write_members(&w, resource->document, NULL);
  json_end_object(&w);
}

/* -- annotations -- */

struct tag_changes {
  struct json_map set;
  bool removed[LIMIT_TAGS];
};

static const struct json_field tag_field = { .name = "value", .kind = FIELD_TEXT, .offset = 0, .size = LIMIT_TAG + 1 };

static void decode_tag_changes(struct json_reader *r, const struct json_field *field, void *member,
                               const struct json_context *context)
{
  (void)field;
  struct tag_changes *changes = member;
  struct json_slice key;
  if (!json_enter_object(r, "an object of texts, or of null for tags to take away")) return;
  while (json_next_member(r, &key)) {
    size_t i = changes->set.count;
    if (i == LIMIT_TAGS) {
      json_fault(r, NULL, FAULT_LENGTH, "at most %d tags may be changed at once", LIMIT_TAGS);
      json_skip(r, NULL);
    } else if (json_slice_decode(key, changes->set.items[i].key, LIMIT_TAG + 1) - 1 >= LIMIT_TAG) {
      json_fault(r, NULL, FAULT_LENGTH, "the name of a tag has 1 to %d bytes", LIMIT_TAG);
      json_skip(r, NULL);
    } else {
      changes->removed[i] = json_read_null(r);
      if (changes->removed[i] || json_decode_field(r, &tag_field, changes->set.items[i].value, context))
        changes->set.count++;
    }
  }
}

struct patch {
  struct tag_changes tags;
  char label[LIMIT_TAG + 1];
  char *notes;
  bool pinned, has_tags, has_label, has_notes, has_pinned, no_tags, no_label, no_notes, no_pinned;
};
static const struct json_field patch_fields[] = {
  { CUSTOM(struct patch, tags, decode_tag_changes, NULL, "an object of texts or null"), HAS(struct patch, has_tags),
    NULLED(struct patch, no_tags) },
  { TEXT(struct patch, label), HAS(struct patch, has_label), NULLED(struct patch, no_label) },
  { STRING(struct patch, notes, LIMIT_NOTES), HAS(struct patch, has_notes), NULLED(struct patch, no_notes) },
  { TRUTH(struct patch, pinned), HAS(struct patch, has_pinned), NULLED(struct patch, no_pinned) },
};
static const struct json_type patch_type =
    JSON_TYPE("what people write on a result: tags, label, notes, pinned", patch_fields, struct patch, NULL, NULL);

struct present {
  struct json_map tags;
};
static const struct json_field present_fields[] = { { MAP(struct present, tags) } };
static const struct json_type present_type = JSON_TYPE("tags", present_fields, struct present, NULL, NULL);

static void remove_tag(struct json_map *tags, size_t at)
{
  memmove(&tags->items[at], &tags->items[at + 1], (tags->count - at - 1) * sizeof tags->items[0]);
  tags->count--;
}

static enum armdyn_status change_tags(struct json_map *tags, const struct tag_changes *changes, struct faults *faults)
{
  for (size_t i = 0; i < changes->set.count; i++) {
    size_t at = 0;
    while (at < tags->count && strcmp(tags->items[at].key, changes->set.items[i].key) != 0) at++;
    if (changes->removed[i]) {
      if (at < tags->count) remove_tag(tags, at);
    } else if (at == LIMIT_TAGS) {
      fault_add(faults, FAULT_AT_POINTER, "/tags", FAULT_LENGTH, "a result has at most %d tags", LIMIT_TAGS);
      return ARMDYN_EINPUT;
    } else {
      tags->items[at] = changes->set.items[i];
      if (at == tags->count) tags->count++;
    }
  }
  return ARMDYN_OK;
}

static enum armdyn_status read_tags(const char *tags, struct json_map *out)
{
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  struct present present = { 0 };
  buffer_format(&text, "{\"tags\":%s}", tags);
  enum armdyn_status status = text.failure;
  if (!status) status = json_decode(text.data, text.length, &present_type, &present, NULL, NULL);
  if (!status) *out = present.tags;
  buffer_release(&text);
  return status;
}

enum armdyn_status result_annotation_patch(const char *text, size_t length, const char *tags, const char *label,
                                           const char *notes, bool pinned, struct result_annotation *annotation,
                                           struct faults *faults)
{
  *annotation = (struct result_annotation){ .pinned = pinned };
  struct patch *patch = malloc(sizeof *patch);
  if (!patch) return ARMDYN_EMEMORY;
  enum armdyn_status status = json_decode(text, length, &patch_type, patch, NULL, faults);
  if (status) goto out;
  if (!patch->no_tags) status = read_tags(tags, &annotation->tags);
  if (!status) status = change_tags(&annotation->tags, &patch->tags, faults);
  if (!patch->no_label)
    snprintf(annotation->label, sizeof annotation->label, "%s", patch->has_label ? patch->label : label);
  if (patch->has_pinned || patch->no_pinned) annotation->pinned = patch->has_pinned && patch->pinned;
  annotation->notes = patch->has_notes ? patch->notes : strdup(patch->no_notes ? "" : notes);
  if (patch->has_notes) patch->notes = NULL; /* handed over */
  if (!annotation->notes && !status) status = ARMDYN_EMEMORY;
  json_release(&patch_type, patch);
out:
  free(patch);
  if (status) result_annotation_release(annotation);
  return status;
}

void result_annotation_release(struct result_annotation *annotation)
{
  free(annotation->notes);
  annotation->notes = NULL;
}
