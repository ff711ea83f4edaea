#include "api/json/merge.h"

#include "api/json/reader.h"

static void write_key(struct json_writer *w, struct json_slice key)
{
  if (w->comma) buffer_text(w->out, ",");
  buffer_text(w->out, "\"");
  buffer_append(w->out, key.data, key.length);
  buffer_text(w->out, "\":");
  w->comma = false;
}

void json_write_members(struct json_writer *w, const char *document, const char *without)
{
  struct json_reader r;
  struct json_slice key, raw;
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key) && json_skip(&r, &raw)) {
    if (without && json_slice_is(key, without)) continue;
    write_key(w, key);
    json_write_raw_n(w, raw.data, raw.length);
  }
}

/* Find a member of an object's text. */
static bool find_member(struct json_slice object, struct json_slice name, struct json_slice *value)
{
  struct json_reader r;
  struct json_slice key;
  bool found = false;
  json_reader_init(&r, object.data, object.length, NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    struct json_slice raw;
    if (!json_skip(&r, &raw)) break;
    if (key.length != name.length || memcmp(key.data, name.data, name.length) != 0) continue;
    *value = raw;
    found = true; /* the last one of a name counts; duplicates of the patch are found by whoever reads the outcome */
  }
  return found;
}

static bool is_object(struct json_slice value)
{
  return value.length > 0 && value.data[0] == '{';
}

static bool is_null(struct json_slice value)
{
  return value.length == 4 && memcmp(value.data, "null", 4) == 0;
}

static void merge(struct json_writer *w, struct json_slice target, struct json_slice patch)
{
  const struct json_slice nothing = { "{}", 2 };
  struct json_reader r;
  struct json_slice key, value, other;
  if (!is_object(patch)) {
    json_write_raw_n(w, patch.data, patch.length);
    return;
  }
  if (!is_object(target)) target = nothing;
  json_begin_object(w);
  json_reader_init(&r, target.data, target.length, NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key) && json_skip(&r, &value)) {
    const bool patched = find_member(patch, key, &other);
    if (patched && is_null(other)) continue;
    write_key(w, key);
    if (patched)
      merge(w, value, other);
    else
      json_write_raw_n(w, value.data, value.length);
  }
  json_reader_init(&r, patch.data, patch.length, NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key) && json_skip(&r, &value)) {
    if (is_null(value) || find_member(target, key, &other)) continue;
    write_key(w, key);
    merge(w, nothing, value);
  }
  json_end_object(w);
}

enum armdyn_status json_merge(const char *document, const char *patch, size_t patch_length, struct buffer *out,
                              struct faults *faults)
{
  struct json_reader r;
  struct json_slice raw = { 0 };
  json_reader_init(&r, patch, patch_length, faults);
  if (json_peek(&r) == JSON_OBJECT)
    json_skip(&r, &raw);
  else
    json_enter_object(&r, "an object: what is to be changed");
  json_finish(&r);
  enum armdyn_status status = json_reader_status(&r);
  if (status) return status;
  struct json_writer w = { .out = out };
  merge(&w, (struct json_slice){ document, strlen(document) }, raw);
  return out->failure;
}
