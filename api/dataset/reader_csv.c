#include <math.h>
#include <stdlib.h>

#include "api/dataset/log_rows.h"

struct csv_log {
  size_t first; /* of the reader's columns that is one of the log: 1 of a log without a clock */
  double rate;  /* of that, Hz */
  struct csv_form form;
  struct csv_columns columns;
  struct csv_stream *stream;
  struct text_decoder decoder;
  struct buffer text; /* where the encoding is another */
};

static enum armdyn_status take_names(void *context, const struct csv_stream *stream)
{
  struct dataset_reader *r = context;
  const struct csv_log *log = r->own;
  for (size_t i = 0; i < r->column_count; i++)
    r->columns[i].present = i < log->first || csv_stream_has(stream, i - log->first, &r->columns[i].place);
  return reader_resolve(r);
}

static enum armdyn_status take_row(void *context, size_t row, const double *values)
{
  struct dataset_reader *r = context;
  const struct csv_log *log = r->own;
  double timed[SOURCES_MOST];
  if (!log->first) return reader_row(r, row, values);
  timed[0] = (double)row / log->rate;
  memcpy(timed + 1, values, (r->column_count - 1) * sizeof *timed);
  return reader_row(r, row, timed);
}

/* Where a column of a mapping is found. */
static void place_column(const struct mapping_column *c, struct csv_columns *columns, size_t index)
{
  snprintf(columns->items[index].name, CSV_NAME_SIZE, "%s", c->column);
  columns->items[index].number = c->number;
  columns->items[index].required = true;
}

static void name_columns(const struct dataset_reader *r, struct csv_log *log)
{
  const struct dataset_mapping *m = r->source.mapping;
  log->columns.count = r->column_count - log->first;
  for (size_t i = 0; i < log->columns.count; i++) {
    const struct source_column *column = &r->columns[i];
    if (m) {
      const size_t at = i + log->first;
      place_column(at ? &m->columns.items[at - 1] : &m->time, &log->columns, i);
      continue;
    }
    mapping_target_name(column->field, column->joint + 1, log->columns.items[i].name);
    log->columns.items[i].required = column->field <= MAPPING_Q;
  }
}

static enum armdyn_status begin(struct dataset_reader *r)
{
  struct csv_log *log = calloc(1, sizeof *log);
  if (!log) return ARMDYN_EMEMORY;
  r->own = log;
  const struct dataset_mapping *m = r->source.mapping;
  log->form = m ? dataset_mapping_form(m) : csv_standard_form;
  log->form.by_mapping = !m;
  log->decoder.encoding = m ? m->encoding : TEXT_UTF_8;
  log->text = (struct buffer)BUFFER(MB(4));
  log->first = m && isfinite(m->time.rate);
  log->rate = log->first ? m->time.rate : 0;
  name_columns(r, log);
  log->stream = csv_stream_new(&log->columns, &log->form, take_names, take_row, r, r->faults);
  return log->stream ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static enum armdyn_status take(struct dataset_reader *r, const char *bytes, size_t length)
{
  struct csv_log *log = r->own;
  if (log->decoder.encoding == TEXT_UTF_8) return csv_stream_take(log->stream, bytes, length);
  buffer_clear(&log->text);
  text_decode(&log->decoder, bytes, length, &log->text);
  if (!buffer_ok(&log->text)) return ARMDYN_EMEMORY;
  return csv_stream_take(log->stream, log->text.data, log->text.length);
}

static enum armdyn_status finish(struct dataset_reader *r)
{
  const struct csv_log *log = r->own;
  return csv_stream_finish(log->stream);
}

static void release(struct dataset_reader *r)
{
  struct csv_log *log = r->own;
  csv_stream_free(log->stream);
  buffer_release(&log->text);
  free(log);
}

const struct log_format log_csv = { MEDIA_CSV, begin, take, finish, release };
