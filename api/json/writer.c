#include "api/json/writer.h"

#include <math.h>

#include "api/json/number.h"
#include "api/wire/utf8.h"

/* Before every value: the comma that is due. */
static void begin_value(struct json_writer *w)
{
  if (w->comma) buffer_append(w->out, ",", 1);
  w->comma = true;
}

static void begin(struct json_writer *w, const char *bracket)
{
  begin_value(w);
  buffer_append(w->out, bracket, 1);
  w->comma = false;
}

static void end(struct json_writer *w, const char *bracket)
{
  buffer_append(w->out, bracket, 1);
  w->comma = true;
}

void json_begin_object(struct json_writer *w)
{
  begin(w, "{");
}

void json_end_object(struct json_writer *w)
{
  end(w, "}");
}

void json_begin_array(struct json_writer *w)
{
  begin(w, "[");
}

void json_end_array(struct json_writer *w)
{
  end(w, "]");
}

/* A text in quotes. What is not UTF-8 (a header, a name cut short) becomes U+FFFD, so that the document stays valid. */
static void escaped(struct buffer *out, const char *text)
{
  static const char names[32] = { ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
  const char *start = text, *end = text + strlen(text);
  buffer_append(out, "\"", 1);
  while (text < end) {
    unsigned char c = (unsigned char)*text;
    size_t length = c < 0x80 ? 1 : utf8_length(text, end);
    bool plain = length && c >= 0x20 && c != '"' && c != '\\';
    if (!plain) {
      buffer_append(out, start, (size_t)(text - start));
      start = text + 1;
      char name = c < 0x20 ? names[c] : *text;
      if (!length)
        buffer_text(out, "\xef\xbf\xbd");
      else if (name)
        buffer_format(out, "\\%c", name);
      else
        buffer_format(out, "\\u%04x", c);
    }
    text += plain ? length : 1;
  }
  buffer_append(out, start, (size_t)(end - start));
  buffer_append(out, "\"", 1);
}

void json_key(struct json_writer *w, const char *name)
{
  begin_value(w);
  escaped(w->out, name);
  buffer_append(w->out, ":", 1);
  w->comma = false;
}

void json_write_raw_n(struct json_writer *w, const char *json, size_t length)
{
  begin_value(w);
  buffer_append(w->out, json, length);
}

void json_write_raw(struct json_writer *w, const char *json)
{
  if (!json) json = "null";
  json_write_raw_n(w, json, strlen(json));
}

void json_write_null(struct json_writer *w)
{
  json_write_raw(w, "null");
}

void json_write_truth(struct json_writer *w, bool value)
{
  json_write_raw(w, value ? "true" : "false");
}

void json_write_integer(struct json_writer *w, long long value)
{
  begin_value(w);
  char *to = buffer_reserve(w->out, NUMBER_SIZE);
  if (to) buffer_commit(w->out, number_print_integer(value, to));
}

void json_write_text(struct json_writer *w, const char *text)
{
  if (!text) {
    json_write_null(w);
    return;
  }
  begin_value(w);
  escaped(w->out, text);
}

static size_t print(char *to, double value)
{
  if (isfinite(value)) return number_print(value, to);
  memcpy(to, "null", 4);
  return 4;
}

void json_write_number(struct json_writer *w, double value)
{
  begin_value(w);
  char *to = buffer_reserve(w->out, NUMBER_SIZE);
  if (to) buffer_commit(w->out, print(to, value));
}

void json_write_numbers(struct json_writer *w, const double *values, size_t count)
{
  json_begin_array(w);
  for (size_t i = 0; i < count;) {
    /* room for a run of numbers at once, whatever their lengths */
    size_t run = count - i < 64 ? count - i : 64;
    char *start = buffer_reserve(w->out, run * (NUMBER_SIZE + 1)), *to = start;
    if (!start) return;
    for (size_t stop = i + run; i < stop; i++) {
      if (i) *to++ = ',';
      to += print(to, values[i]);
    }
    buffer_commit(w->out, (size_t)(to - start));
  }
  json_end_array(w);
}

void json_write_table(struct json_writer *w, const double *values, const size_t *shape, size_t dimensions)
{
  if (dimensions == 0) {
    json_write_number(w, *values);
    return;
  }
  if (dimensions == 1) {
    json_write_numbers(w, values, shape[0]);
    return;
  }
  size_t stride = 1;
  for (size_t i = 1; i < dimensions; i++) stride *= shape[i];
  json_begin_array(w);
  for (size_t i = 0; i < shape[0]; i++) json_write_table(w, values + i * stride, shape + 1, dimensions - 1);
  json_end_array(w);
}

void json_member_number(struct json_writer *w, const char *name, double value)
{
  json_key(w, name), json_write_number(w, value);
}

void json_member_integer(struct json_writer *w, const char *name, long long value)
{
  json_key(w, name), json_write_integer(w, value);
}

void json_member_count(struct json_writer *w, const char *name, size_t count)
{
  json_member_integer(w, name, (long long)count);
}

void json_member_text(struct json_writer *w, const char *name, const char *text)
{
  json_key(w, name), json_write_text(w, text);
}

void json_member_given(struct json_writer *w, const char *name, const char *text)
{
  json_member_text(w, name, text && *text ? text : NULL);
}

void json_member_truth(struct json_writer *w, const char *name, bool value)
{
  json_key(w, name), json_write_truth(w, value);
}

void json_member_numbers(struct json_writer *w, const char *name, const double *values, size_t count)
{
  json_key(w, name), json_write_numbers(w, values, count);
}
