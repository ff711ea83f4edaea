#include "server/data/samples.h"

#include <math.h>
#include <stdlib.h>

#include "api/csv/csv.h"
#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "api/npy/npy.h"
#include "server/data/motion_model.h"
#include "server/data/resampling.h"

enum {
  COLUMNS_SIZE = 2048,
  CHUNK_BYTES = 128 << 10, /* rows held at once of a long series */
  WHOLE_BYTES = 4 << 20,   /* a series up to this size is read at once when it is opened */
  PIECE_ROWS = 64,         /* rows turned into text at once */
  TEXT_OF_NUMBER = 25      /* bytes, with what separates it from the next */
};

struct samples {
  struct store *store;
  struct robots *robots;
  const struct robot_entry *entry; /* of the model, where it is needed: for torques at another rate, for the tool */
  struct armdyn_workspace *workspace;
  const struct series_form *form;
  struct series_form own_form; /* of a data set */
  struct sample_field own_fields[SAMPLE_FIELDS];
  struct resampling *resampling;       /* of a data set on another clock */
  struct armdyn_trajectory trajectory; /* piece_count 0: rows come from the store */
  char id[ID_SIZE];
  double rate, duration;
  size_t joints, width, stored;    /* columns of a row in memory, and in the store */
  size_t begin[SAMPLE_FIELDS + 1]; /* the first column of each field, and the width */
  size_t first, end;               /* rows answered */
  size_t total;                    /* rows that there are at this rate */

  struct chunk { /* what is in memory */
    double *rows;
    size_t room, first, count;
  } chunk;

  enum media media;
  unsigned fields;
  char columns[COLUMNS_SIZE];
  size_t column_count;
  double packed[SAMPLE_WIDTH];

  bool begun, ended;
  size_t field, row; /* where the text is: JSON goes field by field, the others row by row */
  struct buffer text;
  size_t taken; /* bytes of it that were handed out */
  struct json_writer writer;
};

/* -- rows -- */

static bool computes_tool(const struct samples *s)
{
  return s->width > s->stored;
}

/* Rows as they are stored, side by side, become those of memory, with the motion of the tool behind. */
static void add_tool(const struct samples *s, double *rows, size_t count)
{
  const size_t n = s->joints;
  for (size_t k = count; k-- > 0;) {
    double *row = rows + k * s->width;
    memmove(row, rows + k * s->stored, s->stored * sizeof *row);
    tool_motion(s->entry->robot, row + 1, row + 1 + n, row + 1 + 2 * n, s->workspace, row + s->stored);
  }
}

static enum armdyn_status load(struct samples *s, size_t first)
{
  struct chunk *c = &s->chunk;
  c->first = first;
  c->count = s->end - first < c->room ? s->end - first : c->room;
  if (s->resampling) return resampling_read(s->resampling, first, c->count, c->rows, &c->count);
  enum armdyn_status status = ARMDYN_OK;
  if (!s->trajectory.piece_count) status = store_series_read(s->store, s->id, SERIES_SAMPLES, first, c->count, c->rows);
  for (size_t k = 0; s->trajectory.piece_count && k < c->count; k++)
    armdyn_trajectory_sample(s->entry->robot, &s->trajectory, armdyn_sample_time(&s->trajectory, s->rate, first + k),
                             s->workspace, c->rows + k * s->stored);
  if (!status && computes_tool(s)) add_tool(s, c->rows, c->count);
  return status;
}

/* NULL: the store failed. */
static const double *row_at(struct samples *s, size_t row)
{
  struct chunk *c = &s->chunk;
  if ((row < c->first || row >= c->first + c->count) && load(s, row)) {
    c->count = 0;
    return NULL;
  }
  return c->rows + (row - c->first) * s->width;
}

static double time_of(const struct samples *s, size_t row)
{
  return row + 1 >= s->total ? s->duration : (double)row / s->rate;
}

/* How many rows have t < time, or t <= time. */
static size_t rows_until(const struct samples *s, double time, bool inclusive)
{
  double guess = fmin(fmax(floor(time * s->rate) - 1, 0), (double)s->total);
  size_t row = (size_t)guess;
  while (row < s->total && (inclusive ? time_of(s, row) <= time : time_of(s, row) < time)) row++;
  return row;
}

/* -- opening -- */

/* The rate that the samples are stored at: in the result's document. NAN when it is not there. */
static double stored_rate(const char *text)
{
  cJSON *document = document_open(text);
  const double rate = document_number(document, "sample_rate");
  document_close(document);
  return rate;
}

static enum armdyn_status open_stored(struct samples *s, const struct store_series *stored)
{
  double last[SAMPLE_WIDTH];
  s->total = stored->rows;
  enum armdyn_status status = store_series_read(s->store, s->id, SERIES_SAMPLES, stored->rows - 1, 1, last);
  s->duration = last[0];
  return status;
}

static enum armdyn_status open_model(struct samples *s, const struct store_result *result)
{
  enum armdyn_status status = motion_model_get(s->robots, result, &s->entry);
  if (!status && !(s->workspace = armdyn_workspace_new(s->joints))) status = ARMDYN_EMEMORY;
  return status;
}

static enum armdyn_status open_other_rate(struct samples *s, struct armdyn_error *error)
{
  enum armdyn_status status = stored_trajectory_read(s->store, s->id, s->joints, &s->trajectory);
  if (status) return status;
  s->duration = armdyn_trajectory_duration(&s->trajectory);
  if (s->duration * s->rate > LIMIT_SERIES_ROWS - 2)
    return armdyn_refuse(error, ARMDYN_EINPUT, "rate", "%g s at %g Hz are more than %d samples", s->duration, s->rate,
                         LIMIT_SERIES_ROWS);
  s->total = armdyn_sample_count(&s->trajectory, s->rate);
  return ARMDYN_OK;
}

bool samples_places(const struct series_form *form, size_t width, size_t begin[SAMPLE_FIELDS + 1], size_t *joints)
{
  const size_t kept = form->field_count - (form->computes_tool ? TOOL_FIELDS : 0);
  size_t fixed = 0, per_joint = 0;
  for (size_t f = 0; f < kept; f++)
    if (form->fields[f].width == PER_JOINT)
      per_joint++;
    else
      fixed += form->fields[f].width;
  if (!per_joint || width <= fixed || width > SAMPLE_WIDTH || (width - fixed) % per_joint) return false;
  *joints = (width - fixed) / per_joint;
  begin[0] = 0;
  for (size_t f = 0; f < form->field_count; f++)
    begin[f + 1] = begin[f] + (form->fields[f].width == PER_JOINT ? *joints : form->fields[f].width);
  return true;
}

static bool is_asked(const struct samples *s, size_t field)
{
  return s->fields >> field & 1;
}

static bool place_fields(struct samples *s, size_t width)
{
  s->width = s->stored = width;
  if (!samples_places(s->form, width, s->begin, &s->joints)) return false;
  for (size_t f = 0; f < s->form->field_count; f++)
    if (is_asked(s, f) && s->begin[f] >= width) s->width = s->begin[s->form->field_count];
  return true;
}

static size_t columns_of(const struct samples *s, size_t field)
{
  return s->begin[field + 1] - s->begin[field];
}

static void name_columns(struct samples *s)
{
  size_t length = 0;
  for (size_t f = 0; f < s->form->field_count; f++)
    for (size_t j = 0; is_asked(s, f) && j < columns_of(s, f); j++) {
      char number[24] = "";
      if (s->form->fields[f].width != 1) snprintf(number, sizeof number, "%zu", j + 1);
      length += (size_t)snprintf(s->columns + length, sizeof s->columns - length, "%s%s%s", length ? "," : "",
                                 s->form->fields[f].name, number);
      s->column_count++;
    }
}

/* Rows of the chunk: all, or a piece; the first one is read here, where it may take time. */
static enum armdyn_status open_chunk(struct samples *s)
{
  if ((s->end - s->first) * s->column_count > LIMIT_ANSWER / sizeof(double)) return ARMDYN_ELIMIT;
  size_t row = s->width * sizeof *s->chunk.rows, rows = s->end - s->first;
  s->chunk.room = rows * row <= WHOLE_BYTES ? rows : CHUNK_BYTES / row;
  s->chunk.rows = malloc((s->chunk.room ? s->chunk.room : 1) * row);
  if (!s->chunk.rows) return ARMDYN_EMEMORY;
  return rows ? load(s, s->first) : ARMDYN_OK;
}

enum armdyn_status samples_open(struct store *store, struct robots *robots, const struct series_form *form,
                                const struct store_result *result, const struct samples_query *query,
                                struct samples **samples, struct armdyn_error *error)
{
  struct samples *s = calloc(1, sizeof *s);
  if (!s) return ARMDYN_EMEMORY;
  *s = (struct samples){
    .store = store, .robots = robots, .form = form, .media = query->media, .fields = query->fields
  };
  s->text = (struct buffer)BUFFER(MB(1));
  s->writer.out = &s->text;
  memcpy(s->id, result->id, sizeof s->id);

  struct store_series stored;
  enum armdyn_status status = store_series_info(store, s->id, SERIES_SAMPLES, &stored);
  if (status) goto out;
  status = ARMDYN_EIO;
  if (!stored.rows || !place_fields(s, stored.width)) goto out;
  s->rate = stored_rate(result->document);
  bool as_stored = !form->polynomial || isnan(query->rate) || query->rate == s->rate;
  if (!as_stored) s->rate = query->rate;
  if ((status = as_stored ? open_stored(s, &stored) : open_other_rate(s, error))) goto out;
  if ((!as_stored || computes_tool(s)) && (status = open_model(s, result))) goto out;
  s->first = rows_until(s, query->from, false);
  s->end = rows_until(s, query->to, true);
  if (s->end < s->first) s->end = s->first;
  s->row = s->first;
  name_columns(s);
  if ((status = open_chunk(s))) goto out;
  *samples = s;
  s = NULL;
out:
  if (s) samples_free(s);
  return status;
}

void dataset_series_form(const struct dataset_layout *layout, struct sample_field fields[SAMPLE_FIELDS],
                         struct series_form *form)
{
  *form = (struct series_form){ .fields = fields };
  for (int f = 0; f < DATASET_FIELDS; f++)
    if (layout->present[f])
      fields[form->field_count++] = (struct sample_field){ dataset_field_names[f], f == DATASET_T ? 1 : PER_JOINT };
}

enum armdyn_status samples_open_log(struct store *store, const char *id, const struct dataset_layout *layout,
                                    const struct samples_query *query, size_t first, size_t end,
                                    struct resampling *resampling, struct samples **samples)
{
  struct samples *s = calloc(1, sizeof *s);
  if (!s) {
    resampling_free(resampling);
    return ARMDYN_EMEMORY;
  }
  *s = (struct samples){ .store = store, .media = query->media, .fields = query->fields, .resampling = resampling };
  s->text = (struct buffer)BUFFER(MB(1));
  s->writer.out = &s->text;
  snprintf(s->id, sizeof s->id, "%s", id);
  dataset_series_form(layout, s->own_fields, &s->own_form);
  s->form = &s->own_form;
  s->first = s->row = first;
  s->end = end;
  enum armdyn_status status = place_fields(s, layout->width) ? ARMDYN_OK : ARMDYN_EIO;
  if (!status) {
    name_columns(s);
    status = open_chunk(s);
  }
  if (status)
    samples_free(s);
  else
    *samples = s;
  return status;
}

void samples_free(void *samples)
{
  struct samples *s = samples;
  if (s->entry) robots_release(s->robots, s->entry);
  armdyn_workspace_free(s->workspace);
  armdyn_trajectory_free(&s->trajectory);
  resampling_free(s->resampling);
  buffer_release(&s->text);
  free(s->chunk.rows);
  free(s);
}

const char *samples_columns(const struct samples *samples)
{
  return samples->columns;
}

size_t samples_memory(const struct samples *s)
{
  return sizeof *s + s->chunk.room * s->width * sizeof *s->chunk.rows + PIECE_ROWS * s->width * TEXT_OF_NUMBER;
}

/* -- text: each writes a piece and answers false when the store fails -- */

static void begin_json_field(struct samples *s)
{
  while (s->field < s->form->field_count && !is_asked(s, s->field)) s->field++;
  s->row = s->first;
  if (s->field == s->form->field_count) {
    json_end_object(&s->writer);
    s->ended = true;
  } else {
    json_key(&s->writer, s->form->fields[s->field].name);
    json_begin_array(&s->writer);
  }
}

static bool write_json(struct samples *s)
{
  if (!s->begun) {
    s->begun = true;
    json_begin_object(&s->writer);
    begin_json_field(s);
  }
  for (size_t k = 0; k < PIECE_ROWS && s->row < s->end; k++, s->row++) {
    const double *row = row_at(s, s->row);
    if (!row) return false;
    const double *value = row + s->begin[s->field];
    if (s->form->fields[s->field].width == 1)
      json_write_number(&s->writer, *value);
    else
      json_write_numbers(&s->writer, value, columns_of(s, s->field));
  }
  if (s->row == s->end) {
    json_end_array(&s->writer);
    s->field++;
    begin_json_field(s);
  }
  return true;
}

/* The next row's fields that were asked for, side by side. NULL: the store failed. */
static const double *packed_row(struct samples *s)
{
  const double *row = row_at(s, s->row);
  size_t filled = 0;
  for (size_t f = 0; row && f < s->form->field_count; f++)
    for (size_t c = s->begin[f]; is_asked(s, f) && c < s->begin[f + 1]; c++) s->packed[filled++] = row[c];
  s->row++;
  return row ? s->packed : NULL;
}

static bool write_csv(struct samples *s)
{
  if (!s->begun) buffer_format(&s->text, "%s\r\n", s->columns);
  s->begun = true;
  for (size_t k = 0; k < PIECE_ROWS && s->row < s->end; k++) {
    const double *row = packed_row(s);
    if (!row) return false;
    csv_write_row(&s->text, row, s->column_count);
  }
  s->ended = s->row == s->end;
  return true;
}

static bool write_npy(struct samples *s)
{
  const size_t shape[] = { s->end - s->first, s->column_count };
  if (!s->begun) npy_write_header(&s->text, shape, 2);
  s->begun = true;
  for (size_t k = 0; k < PIECE_ROWS && s->row < s->end; k++) {
    const double *row = packed_row(s);
    if (!row) return false;
    buffer_append(&s->text, row, s->column_count * sizeof *row);
  }
  s->ended = s->row == s->end;
  return true;
}

long samples_next(void *samples, char *to, size_t size)
{
  struct samples *s = samples;
  if (s->taken == s->text.length && !s->ended) {
    buffer_clear(&s->text);
    s->taken = 0;
    bool written = s->media == MEDIA_JSON ? write_json(s) : s->media == MEDIA_CSV ? write_csv(s) : write_npy(s);
    if (!written || !buffer_ok(&s->text)) return -1;
  }
  size_t length = s->text.length - s->taken;
  if (length > size) length = size;
  memcpy(to, s->text.data + s->taken, length);
  s->taken += length;
  return (long)length;
}
