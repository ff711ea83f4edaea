#include "api/codec/comparison.h"

#include <math.h>

#include "api/json/reader.h"
#include "api/json/writer.h"
#include "api/limits.h"

/* Where the lists of a document stand. */
struct run {
  struct json_slice id, estimator, errors, base;
};

static void find(struct run *run, const char *document)
{
  struct json_reader r;
  struct json_slice key, raw;
  *run = (struct run){ 0 };
  json_reader_init(&r, document, strlen(document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (json_slice_is(key, "parameters")) {
      json_enter_object(&r, NULL);
      while (json_next_member(&r, &key))
        if (json_skip(&r, &raw) && json_slice_is(key, "base")) run->base = raw;
      continue;
    }
    if (!json_skip(&r, &raw)) break;
    if (json_slice_is(key, "id")) run->id = raw;
    if (json_slice_is(key, "estimator")) run->estimator = raw;
    if (json_slice_is(key, "errors")) run->errors = raw;
  }
}

struct parameter {
  struct json_slice expression, value, deviation; /* as written */
};

static void read_parameter(struct json_reader *r, struct parameter *p)
{
  struct json_slice key, raw;
  *p = (struct parameter){ 0 };
  json_enter_object(r, NULL);
  while (json_next_member(r, &key) && json_skip(r, &raw)) {
    if (json_slice_is(key, "expression")) p->expression = raw;
    if (json_slice_is(key, "value")) p->value = raw;
    if (json_slice_is(key, "std")) p->deviation = raw;
  }
}

/* The parameter of a run that is the same combination. Runs mostly have the same base set, so it is looked for where the
 * other one was. */
static bool same_parameter(const struct run *run, struct json_slice expression, struct parameter *found)
{
  struct json_reader r;
  if (!run->base.data) return false;
  json_reader_init(&r, run->base.data, run->base.length, NULL);
  json_enter_array(&r, NULL);
  while (json_next_element(&r)) {
    read_parameter(&r, found);
    if (found->expression.length == expression.length &&
        !memcmp(found->expression.data, expression.data, expression.length))
      return true;
  }
  return false;
}

static double number_of(struct json_slice raw)
{
  struct json_reader r;
  double value = NAN;
  if (!raw.data) return NAN;
  json_reader_init(&r, raw.data, raw.length, NULL);
  if (json_peek(&r) == JSON_NUMBER) json_read_number(&r, NULL, &value);
  return value;
}

static void write_slice(struct json_writer *w, const char *name, struct json_slice raw)
{
  json_key(w, name);
  if (raw.data)
    json_write_raw_n(w, raw.data, raw.length);
  else
    json_write_null(w);
}

/* How far apart two estimates are, in the deviation of their difference. */
static double distance(const struct parameter *a, const struct parameter *b)
{
  const double sa = number_of(a->deviation), sb = number_of(b->deviation);
  return (number_of(b->value) - number_of(a->value)) / sqrt(sa * sa + sb * sb);
}

static void write_parameter(struct json_writer *w, const struct run *runs, size_t count, const struct parameter *first)
{
  struct parameter other;
  json_begin_object(w);
  write_slice(w, "expression", first->expression);
  json_key(w, "runs"), json_begin_array(w);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && !same_parameter(&runs[i], first->expression, &other)) {
      json_write_null(w);
      continue;
    }
    const struct parameter *p = i ? &other : first;
    json_begin_object(w);
    write_slice(w, "value", p->value);
    write_slice(w, "std", p->deviation);
    json_key(w, "deviations"), json_write_number(w, i ? distance(first, p) : 0);
    json_end_object(w);
  }
  json_end_array(w);
  json_end_object(w);
}

void comparison_encode(const char *const *documents, size_t count, struct buffer *out)
{
  struct json_writer w = { .out = out };
  struct run runs[COMPARED_MOST] = { 0 };
  struct parameter first;
  struct json_reader r;
  for (size_t i = 0; i < count; i++) find(&runs[i], documents[i]);
  json_begin_object(&w);
  json_key(&w, "runs"), json_begin_array(&w);
  for (size_t i = 0; i < count; i++) {
    json_begin_object(&w);
    write_slice(&w, "id", runs[i].id);
    write_slice(&w, "estimator", runs[i].estimator);
    write_slice(&w, "errors", runs[i].errors);
    json_end_object(&w);
  }
  json_end_array(&w);
  json_key(&w, "parameters"), json_begin_array(&w);
  json_reader_init(&r, runs[0].base.data ? runs[0].base.data : "[]", runs[0].base.data ? runs[0].base.length : 2, NULL);
  json_enter_array(&r, NULL);
  while (json_next_element(&r)) {
    read_parameter(&r, &first);
    write_parameter(&w, runs, count, &first);
  }
  json_end_array(&w);
  json_end_object(&w);
}
