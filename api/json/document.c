#include "api/json/document.h"

#include <math.h>
#include <stdlib.h>

#include "api/json/reader.h"

/* -- reading -- */

/* A text of its own memory, as cJSON frees it; NULL: refused. */
static char *decoded(struct json_reader *r, struct json_slice raw)
{
  char *text = cJSON_malloc(raw.length + 1);
  if (!text) {
    json_out_of_memory(r);
  } else if (json_slice_decode(raw, text, raw.length + 1) == SIZE_MAX) {
    json_fault(r, NULL, FAULT_PATTERN, "must not contain the character U+0000");
    cJSON_free(text);
    text = NULL;
  }
  return text;
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static void check_names(struct json_reader *r, const cJSON *object, size_t count)
{
  const cJSON *few[32], **members = count <= sizeof few / sizeof *few ? few : malloc(count * sizeof *members);
  const cJSON *member;
  size_t k = 0;
  if (!members) {
    json_out_of_memory(r);
    return;
  }
  cJSON_ArrayForEach (member, object) members[k++] = member;
  qsort(members, k, sizeof *members, by_name);
  for (size_t i = 1; i < k; i++) {
    char below[64];
    if (strcmp(members[i - 1]->string, members[i]->string) != 0) continue;
    snprintf(below, sizeof below, "/%.60s", members[i]->string);
    json_fault(r, below, FAULT_DUPLICATE, "is there twice; keep one");
  }
  if (members != few) free(members);
}

static cJSON *read_value(struct json_reader *r);

/* Take a member or an item into its parent. false: it is refused, or there is no memory. */
static bool take(struct json_reader *r, cJSON *parent, char *name, cJSON *value)
{
  if (value && (name || cJSON_IsArray(parent)) && cJSON_AddItemToArray(parent, value)) {
    value->string = name;
    return true;
  }
  if (value) cJSON_Delete(value);
  if (name) cJSON_free(name);
  if (!json_reader_status(r)) json_out_of_memory(r);
  return false;
}

static cJSON *read_object(struct json_reader *r)
{
  cJSON *object = cJSON_CreateObject();
  struct json_slice key;
  size_t count = 0;
  json_enter_object(r, NULL);
  while (json_next_member(r, &key)) {
    char *name = decoded(r, key);
    count += take(r, object, name, read_value(r));
  }
  if (object && count > 1 && !r->status) check_names(r, object, count);
  return object;
}

static cJSON *read_array(struct json_reader *r)
{
  cJSON *array = cJSON_CreateArray();
  json_enter_array(r, NULL);
  while (json_next_element(r)) take(r, array, NULL, read_value(r));
  return array;
}

static cJSON *read_text(struct json_reader *r)
{
  struct json_slice raw;
  char *text = json_read_text(r, NULL, &raw) ? decoded(r, raw) : NULL;
  cJSON *value = text ? cJSON_CreateNull() : NULL;
  if (value) {
    value->type = cJSON_String;
    value->valuestring = text;
  } else if (text) {
    cJSON_free(text);
  }
  return value;
}

static cJSON *read_number(struct json_reader *r)
{
  const char *start = r->at; /* where json_peek has stopped */
  double number;
  cJSON *value = json_read_number(r, NULL, &number) ? cJSON_CreateNumber(number) : NULL;
  const size_t length = (size_t)(r->at - start);
  char *text = value ? cJSON_malloc(length + 1) : NULL;
  if (text) {
    memcpy(text, start, length);
    text[length] = '\0';
    value->valuestring = text;
    return value;
  }
  cJSON_Delete(value);
  return NULL;
}

/* NULL: refused, or there is no memory; the reader has moved on. */
static cJSON *read_value(struct json_reader *r)
{
  bool truth;
  switch (json_peek(r)) {
  case JSON_OBJECT: return read_object(r);
  case JSON_ARRAY: return read_array(r);
  case JSON_TEXT: return read_text(r);
  case JSON_NUMBER: return read_number(r);
  case JSON_TRUTH: return json_read_truth(r, NULL, &truth) ? cJSON_CreateBool(truth) : NULL;
  case JSON_NULL: return json_read_null(r) ? cJSON_CreateNull() : NULL;
  case JSON_NOTHING: break;
  }
  return NULL;
}

enum armdyn_status document_parse(const char *text, size_t length, struct faults *faults, cJSON **out)
{
  struct json_reader r;
  json_reader_init(&r, text, length, faults);
  *out = read_value(&r);
  json_finish(&r);
  if (!*out && !json_reader_status(&r)) json_out_of_memory(&r);
  if (json_reader_status(&r)) {
    cJSON_Delete(*out);
    *out = NULL;
  }
  return json_reader_status(&r);
}

cJSON *document_open(const char *text)
{
  cJSON *document = NULL;
  if (text) document_parse(text, strlen(text), NULL, &document);
  return document;
}

void document_close(cJSON *document)
{
  cJSON_Delete(document);
}

/* -- asking -- */

const cJSON *document_at(const cJSON *in, const char *path)
{
  while (in && *path) {
    const size_t length = strcspn(path, "/");
    const cJSON *child = in->child;
    if (cJSON_IsObject(in)) {
      while (child && (strncmp(child->string, path, length) != 0 || child->string[length])) child = child->next;
    } else {
      if (strspn(path, "0123456789") != length) return NULL;
      for (size_t index = strtoul(path, NULL, 10); child && index; index--) child = child->next;
    }
    in = child;
    path += length + (path[length] == '/');
  }
  return in;
}

double document_number(const cJSON *in, const char *path)
{
  const cJSON *value = document_at(in, path);
  return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

const char *document_text(const cJSON *in, const char *path)
{
  const cJSON *value = document_at(in, path);
  return cJSON_IsString(value) ? value->valuestring : NULL;
}

void document_copy_text(const cJSON *in, const char *path, char *out, size_t size)
{
  const char *text = document_text(in, path);
  snprintf(out, size, "%s", text && strlen(text) < size ? text : "");
}

bool document_truth(const cJSON *in, const char *path)
{
  return cJSON_IsTrue(document_at(in, path));
}

size_t document_numbers(const cJSON *in, const char *path, double *out, size_t most)
{
  const cJSON *list = document_at(in, path), *item;
  size_t count = 0;
  if (!cJSON_IsArray(list)) return 0;
  cJSON_ArrayForEach (item, list) {
    if (count == most) break;
    out[count++] = document_number(item, "");
  }
  return count;
}

/* -- writing -- */

void document_write(struct json_writer *w, const cJSON *value)
{
  const cJSON *item;
  if (cJSON_IsObject(value)) {
    json_begin_object(w);
    cJSON_ArrayForEach (item, value) {
      json_key(w, item->string);
      document_write(w, item);
    }
    json_end_object(w);
  } else if (cJSON_IsArray(value)) {
    json_begin_array(w);
    cJSON_ArrayForEach (item, value) document_write(w, item);
    json_end_array(w);
  } else if (cJSON_IsString(value)) {
    json_write_text(w, value->valuestring);
  } else if (cJSON_IsNumber(value)) {
    json_write_raw(w, value->valuestring);
  } else if (cJSON_IsBool(value)) {
    json_write_truth(w, cJSON_IsTrue(value));
  } else {
    json_write_null(w);
  }
}

void document_splice(struct json_writer *w, const char *text, const char *without)
{
  struct json_reader r;
  struct json_slice key, raw;
  json_reader_init(&r, text, strlen(text), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key) && json_skip(&r, &raw)) {
    if (without && json_slice_is(key, without)) continue;
    json_write_raw_n(w, key.data - 1, key.length + 2); /* with its quotes */
    buffer_text(w->out, ":");
    w->comma = false;
    json_write_raw_n(w, raw.data, raw.length);
  }
}

static void write_members(struct json_writer *w, const cJSON *object)
{
  const size_t count = (size_t)cJSON_GetArraySize(object);
  const cJSON **members = calloc(count + 1, sizeof *members), *member;
  size_t k = 0;
  if (!members) {
    w->out->failure = ARMDYN_EMEMORY;
    return;
  }
  cJSON_ArrayForEach (member, object) members[k++] = member;
  qsort(members, count, sizeof *members, by_name);
  json_begin_object(w);
  for (k = 0; k < count; k++) {
    json_key(w, members[k]->string);
    document_write_canonical(w, members[k]);
  }
  json_end_object(w);
  free(members);
}

void document_write_canonical(struct json_writer *w, const cJSON *value) // NOLINT(misc-no-recursion)
{
  const cJSON *item;
  if (cJSON_IsObject(value)) {
    write_members(w, value);
  } else if (cJSON_IsArray(value)) {
    json_begin_array(w);
    cJSON_ArrayForEach (item, value) document_write_canonical(w, item);
    json_end_array(w);
  } else if (cJSON_IsNumber(value)) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value->valuedouble + 0.0); /* -0 is 0 */
    json_write_raw(w, text);
  } else {
    document_write(w, value);
  }
}

/* -- merging -- */

/* What `target` becomes with `patch` laid over it, written. */
static void merge(struct json_writer *w, const cJSON *target, const cJSON *patch)
{
  const cJSON *member, *other;
  if (!cJSON_IsObject(patch)) {
    document_write(w, patch);
    return;
  }
  if (!cJSON_IsObject(target)) target = NULL;
  json_begin_object(w);
  cJSON_ArrayForEach (member, target) {
    other = cJSON_GetObjectItemCaseSensitive(patch, member->string);
    if (cJSON_IsNull(other)) continue;
    json_key(w, member->string);
    if (other)
      merge(w, member, other);
    else
      document_write(w, member);
  }
  cJSON_ArrayForEach (member, patch) {
    if (cJSON_IsNull(member) || cJSON_GetObjectItemCaseSensitive(target, member->string)) continue;
    json_key(w, member->string);
    merge(w, NULL, member);
  }
  json_end_object(w);
}

enum armdyn_status document_merge(const char *document, const char *patch, size_t length, struct buffer *out,
                                  struct faults *faults)
{
  cJSON *target = NULL, *changes = NULL;
  enum armdyn_status status = document_parse(document, strlen(document), NULL, &target);
  if (!status) status = document_parse(patch, length, faults, &changes);
  if (!status && !cJSON_IsObject(changes)) {
    if (faults) fault_add(faults, FAULT_AT_POINTER, "", FAULT_TYPE, "must be an object: what is to be changed");
    status = ARMDYN_EINPUT;
  }
  if (!status) {
    struct json_writer w = { .out = out };
    merge(&w, target, changes);
    status = out->failure;
  }
  cJSON_Delete(target);
  cJSON_Delete(changes);
  return status;
}
