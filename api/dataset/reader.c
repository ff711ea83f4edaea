#include "api/dataset/reader.h"

#include <stdlib.h>

#include "api/dataset/log_rows.h"

static const struct log_format *const formats[] = { &log_csv, &log_npy, &log_json };

enum armdyn_status dataset_reader_new(const struct dataset_source *source, bool preview, dataset_rows *rows,
                                      void *context, struct faults *faults, struct dataset_reader **out)
{
  struct dataset_reader *r = calloc(1, sizeof *r);
  if (!r) return ARMDYN_EMEMORY;
  r->source = *source;
  r->joints = source->robot->joint_count;
  r->rows = rows;
  r->context = context;
  r->faults = faults;
  r->faults_before = faults->count;
  r->preview = preview;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (formats[i]->media == source->media) r->format = formats[i];
  enum armdyn_status status = reader_columns(r);
  if (!status && preview) {
    r->preview_read = calloc(DATASET_PREVIEW * r->column_count, sizeof *r->preview_read);
    if (!r->preview_read) status = ARMDYN_EMEMORY;
  }
  if (!status) status = r->format->begin(r);
  if (status) {
    dataset_reader_free(r);
    return status;
  }
  *out = r;
  return ARMDYN_OK;
}

void dataset_reader_free(struct dataset_reader *r)
{
  if (!r) return;
  if (r->own) r->format->release(r);
  free(r->preview_read);
  free(r->joints_of_motors);
  free(r->block);
  free(r);
}

/* Where only the whole is wrong, the message says so as well as a fault. */
static enum armdyn_status ended(struct dataset_reader *r, enum armdyn_status status, struct armdyn_error *error)
{
  if (status && !r->status) r->status = status;
  if (r->status == ARMDYN_ELIMIT && !error->message[0])
    armdyn_refuse(error, ARMDYN_ELIMIT, "", "the log is longer than %d samples", LIMIT_DATASET_ROWS);
  return r->status;
}

enum armdyn_status dataset_reader_take(struct dataset_reader *r, const char *bytes, size_t length,
                                       struct armdyn_error *error)
{
  if (r->status || r->previewed) return r->status;
  enum armdyn_status status = r->format->take(r, bytes, length);
  const size_t found = r->faults->count - r->faults_before;
  if (!status && found >= DATASET_FAULTS_MOST)
    status =
        armdyn_refuse(error, ARMDYN_EINPUT, "", "%zu faults were found, and the rest of the log was not read", found);
  return ended(r, r->previewed ? ARMDYN_OK : status, error);
}

enum armdyn_status dataset_reader_finish(struct dataset_reader *r, struct armdyn_error *error)
{
  if (r->status) return r->status;
  enum armdyn_status status = r->previewed ? ARMDYN_OK : r->format->finish(r);
  ended(r, r->previewed ? ARMDYN_OK : status, error);
  if (!r->status && r->row_count < 2)
    ended(r, reader_refuse(r, FAULT_LENGTH, "a log needs at least 2 samples, got %zu", r->row_count), error);
  if (!r->status && r->faults->count > r->faults_before) r->status = ARMDYN_EINPUT;
  r->preview_rows = r->preview ? r->block_count : 0;
  return r->status || r->preview ? r->status : ended(r, reader_flush(r), error);
}

size_t dataset_reader_good_rows(const struct dataset_reader *r)
{
  return r->good_rows;
}

bool dataset_reader_from_current(const struct dataset_reader *r)
{
  return r->from_current;
}

/* The name or number that a source column has in the log; null: it has none, the time by a rate. */
static void write_source_name(const struct dataset_reader *r, size_t index, struct json_writer *w)
{
  const struct dataset_mapping *m = r->source.mapping;
  char name[CSV_NAME_SIZE];
  if (m) {
    const struct mapping_column *c = index ? &m->columns.items[index - 1] : &m->time;
    snprintf(name, sizeof name, "%zu", c->number);
    json_write_text(w, c->named ? c->column : c->number ? name : NULL);
    return;
  }
  mapping_target_name(r->columns[index].field, r->columns[index].joint + 1, name);
  json_write_text(w, name);
}

void dataset_reader_write_preview(const struct dataset_reader *r, struct json_writer *w)
{
  const size_t width = r->layout.width;
  double row[1 + 4 * ARMDYN_JOINTS_MAX];
  json_begin_object(w);
  json_key(w, "columns"), json_begin_array(w);
  for (size_t c = 0; c < width; c++) write_source_name(r, r->from[c], w);
  json_end_array(w);
  json_key(w, "read"), json_begin_array(w);
  for (size_t i = 0; i < r->preview_rows; i++) {
    for (size_t c = 0; c < width; c++) row[c] = r->preview_read[i * r->column_count + r->from[c]];
    json_write_numbers(w, row, width);
  }
  json_end_array(w);
  json_key(w, "converted"), json_begin_object(w);
  json_key(w, "columns"), json_begin_array(w);
  for (size_t c = 0; c < width; c++) {
    char name[DATASET_NAME_SIZE];
    dataset_column_name(&r->layout, c, name);
    json_write_text(w, name);
  }
  json_end_array(w);
  json_key(w, "rows"), json_begin_array(w);
  for (size_t i = 0; i < r->preview_rows; i++) json_write_numbers(w, r->block + i * width, width);
  json_end_array(w);
  json_end_object(w);
  json_end_object(w);
}
