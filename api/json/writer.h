/* Writes JSON into a buffer; commas come by themselves. Failures stick to the buffer: ask buffer_ok() at the end.
 *
 *   struct json_writer w = { .out = &out };
 *   json_begin_object(&w);
 *   json_key(&w, "tau"), json_write_numbers(&w, tau, n);
 *   json_end_object(&w); */
#ifndef API_JSON_WRITER_H
#define API_JSON_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "api/wire/buffer.h"

struct json_writer {
  struct buffer *out;
  bool comma; /* one is due before the next value or key */
};

void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_key(struct json_writer *w, const char *name);
void json_write_null(struct json_writer *w);
void json_write_truth(struct json_writer *w, bool value);
void json_write_integer(struct json_writer *w, long long value);
void json_write_number(struct json_writer *w, double value);   /* null when not finite */
void json_write_text(struct json_writer *w, const char *text); /* UTF-8, escaped as needed; null for NULL */
/* A member of an object: its key and its value. */
void json_member_number(struct json_writer *w, const char *name, double value);
void json_member_integer(struct json_writer *w, const char *name, long long value);
void json_member_count(struct json_writer *w, const char *name, size_t count);
void json_member_text(struct json_writer *w, const char *name, const char *text);
void json_member_given(struct json_writer *w, const char *name, const char *text); /* null for "" too */
void json_member_truth(struct json_writer *w, const char *name, bool value);
void json_member_numbers(struct json_writer *w, const char *name, const double *values, size_t count);
void json_write_raw(struct json_writer *w, const char *json); /* a value that is JSON already; null for NULL */
void json_write_raw_n(struct json_writer *w, const char *json, size_t length);
/* [x, y, ...]; a number that is not finite becomes null */
void json_write_numbers(struct json_writer *w, const double *values, size_t count);
/* Nested lists of row-major numbers: shape {rows, columns} gives [[...], ...]. */
void json_write_table(struct json_writer *w, const double *values, const size_t *shape, size_t dimensions);

#endif
