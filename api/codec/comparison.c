#include "api/codec/comparison.h"

#include <math.h>

#include "api/json/document.h"

/* The parameter of a run that is the same combination; NULL: it has none. */
static const cJSON *same_parameter(const cJSON *run, const char *expression)
{
  const cJSON *parameter;
  cJSON_ArrayForEach (parameter, document_at(run, "parameters/base")) {
    const char *other = document_text(parameter, "expression");
    if (other && expression && !strcmp(other, expression)) return parameter;
  }
  return NULL;
}

static void write_member(struct json_writer *w, const cJSON *object, const char *name)
{
  json_key(w, name), document_write(w, document_at(object, name));
}

/* How far apart two estimates are, in the deviation of their difference. */
static double distance(const cJSON *a, const cJSON *b)
{
  const double sa = document_number(a, "std"), sb = document_number(b, "std");
  return (document_number(b, "value") - document_number(a, "value")) / sqrt(sa * sa + sb * sb);
}

static void write_parameter(struct json_writer *w, cJSON *const *runs, size_t count, const cJSON *first)
{
  json_begin_object(w);
  write_member(w, first, "expression");
  json_key(w, "runs"), json_begin_array(w);
  for (size_t i = 0; i < count; i++) {
    const cJSON *p = i ? same_parameter(runs[i], document_text(first, "expression")) : first;
    if (!p) {
      json_write_null(w);
      continue;
    }
    json_begin_object(w);
    write_member(w, p, "value");
    write_member(w, p, "std");
    json_key(w, "deviations"), json_write_number(w, i ? distance(first, p) : 0);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void comparison_encode(const char *const *documents, size_t count, struct buffer *out)
{
  struct json_writer w = { .out = out };
  cJSON *runs[COMPARED_MOST] = { NULL };
  const cJSON *first;
  for (size_t i = 0; i < count; i++)
    if (!(runs[i] = document_open(documents[i]))) out->failure = ARMDYN_EMEMORY;
  json_begin_object(&w);
  json_key(&w, "runs"), json_begin_array(&w);
  for (size_t i = 0; i < count; i++) {
    json_begin_object(&w);
    write_member(&w, runs[i], "id");
    write_member(&w, runs[i], "estimator");
    write_member(&w, runs[i], "errors");
    json_end_object(&w);
  }
  json_end_array(&w);
  json_key(&w, "parameters"), json_begin_array(&w);
  cJSON_ArrayForEach (first, document_at(runs[0], "parameters/base")) write_parameter(&w, runs, count, first);
  json_end_array(&w);
  json_end_object(&w);
  for (size_t i = 0; i < count; i++) document_close(runs[i]);
}
