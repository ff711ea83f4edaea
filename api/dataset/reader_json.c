/* {"t": [..], "q": [[..]..], "tau": [[..]..]}: the fields of GET .../samples. */
#include <stdlib.h>

#include "api/dataset/log_rows.h"
#include "api/json/reader.h"

struct json_field_rows {
  bool present;
  size_t count, capacity; /* rows */
  double *values;         /* rows x (1 or joints) */
};

struct json_log {
  struct buffer text;
  struct json_field_rows fields[MAPPING_FIELDS];
};

static enum armdyn_status begin(struct dataset_reader *r)
{
  struct json_log *log = calloc(1, sizeof *log);
  if (!log) return ARMDYN_EMEMORY;
  log->text = (struct buffer)BUFFER(LIMIT_SAMPLES_BODY);
  r->own = log;
  return ARMDYN_OK;
}

static enum armdyn_status take(struct dataset_reader *r, const char *bytes, size_t length)
{
  struct json_log *log = r->own;
  buffer_append(&log->text, bytes, length);
  if (log->text.failure != ARMDYN_ELIMIT) return log->text.failure;
  reader_refuse(r, FAULT_MAXIMUM, "a log in JSON may have %zu bytes; longer ones are taken as CSV or .npy",
                LIMIT_SAMPLES_BODY);
  return ARMDYN_ELIMIT;
}

static void read_rows(struct json_reader *json, struct json_field_rows *rows, size_t width)
{
  if (!json_enter_array(json, width ? "a row of numbers for every sample" : "a number for every sample")) return;
  while (json_next_element(json)) {
    if (rows->count == rows->capacity) {
      const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024, each = width ? width : 1;
      double *values = realloc(rows->values, capacity * each * sizeof *values);
      if (!values) {
        json_out_of_memory(json);
        return;
      }
      rows->values = values;
      rows->capacity = capacity;
    }
    if (width)
      json_read_numbers(json, NULL, width, rows->values + rows->count * width);
    else
      json_read_number(json, NULL, rows->values + rows->count);
    rows->count++;
  }
}

static void read_field(struct dataset_reader *r, struct json_reader *json, struct json_slice key)
{
  struct json_log *log = r->own;
  int f = 0;
  while (f < MAPPING_FIELDS && !json_slice_is(key, mapping_field_names[f])) f++;
  if (f == MAPPING_FIELDS || log->fields[f].present) {
    json_fault(json, NULL, f < MAPPING_FIELDS ? FAULT_DUPLICATE : FAULT_UNKNOWN,
               f < MAPPING_FIELDS ? "is given more than once" : "is no field of a log: t, q, qd, qdd, tau and i are");
    json_skip(json, NULL);
    return;
  }
  log->fields[f].present = true;
  read_rows(json, &log->fields[f], f ? r->joints : 0);
}

/* The fields side by side. */
static enum armdyn_status hand_rows(struct dataset_reader *r)
{
  struct json_log *log = r->own;
  const size_t count = log->fields[MAPPING_T].count;
  if (!log->fields[MAPPING_T].present) return reader_refuse(r, FAULT_REQUIRED, "\"t\" is missing");
  for (int f = 0; f < MAPPING_FIELDS; f++)
    if (log->fields[f].present && log->fields[f].count != count)
      return reader_refuse(r, FAULT_LENGTH, "\"%s\" has %zu rows, \"t\" has %zu", mapping_field_names[f],
                           log->fields[f].count, count);
  for (size_t i = 0; i < r->column_count; i++) {
    r->columns[i].present = log->fields[r->columns[i].field].present;
    r->columns[i].place = i;
  }
  enum armdyn_status status = reader_resolve(r);
  for (size_t row = 0; !status && row < count; row++) {
    double values[SOURCES_MOST] = { 0 };
    for (size_t i = 0; i < r->column_count; i++) {
      const struct source_column *c = &r->columns[i];
      const double *field = log->fields[c->field].values;
      if (c->present) values[i] = c->field == MAPPING_T ? field[row] : field[row * r->joints + c->joint];
    }
    status = reader_row(r, row, values);
  }
  return status;
}

static enum armdyn_status finish(struct dataset_reader *r)
{
  struct json_log *log = r->own;
  struct json_reader json;
  struct json_slice key;
  json_reader_init(&json, log->text.data ? log->text.data : "", log->text.length, r->faults);
  const bool object = json_enter_object(&json, "a log: {\"t\": [..], \"q\": [[..]..], \"tau\": [[..]..]}");
  while (object && json_next_member(&json, &key)) read_field(r, &json, key);
  json_finish(&json);
  enum armdyn_status status = json_reader_status(&json);
  return status ? status : hand_rows(r);
}

static void release(struct dataset_reader *r)
{
  struct json_log *log = r->own;
  buffer_release(&log->text);
  for (int f = 0; f < MAPPING_FIELDS; f++) free(log->fields[f].values);
  free(log);
}

const struct log_format log_json = { MEDIA_JSON, begin, take, finish, release };
