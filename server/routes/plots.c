#include "server/routes/plots.h"

#include <stdlib.h>

#include "api/csv/csv.h"
#include "api/json/writer.h"
#include "api/limits.h"
#include "api/npy/npy.h"
#include "server/app.h"

enum { TIME_FIELD = 0 }; /* the first of every form; it has one side, the least value */

struct plot {
  const struct series_form *form;
  unsigned fields; /* that were asked for */
  size_t width;    /* of a row of the series */
  size_t begin[SAMPLE_FIELDS + 1];
  size_t buckets;
  double *extremes; /* buckets x 2 width: minima, then maxima */
};

bool asked_points(struct exchange *x, long long *points)
{
  return exchange_query_integer(x, "points", 1, LIMIT_PLOT_POINTS, points);
}

static bool is_asked(const struct plot *p, size_t field)
{
  return p->fields >> field & 1;
}

static size_t sides_of(size_t field)
{
  return field == TIME_FIELD ? 1 : 2;
}

static size_t columns_of(const struct plot *p, size_t field)
{
  return p->begin[field + 1] - p->begin[field];
}

static const double *place(const struct plot *p, size_t bucket, size_t side, size_t field)
{
  return p->extremes + (2 * bucket + side) * p->width + p->begin[field];
}

static void write_side(struct json_writer *w, const struct plot *p, size_t field, size_t side)
{
  json_begin_array(w);
  for (size_t b = 0; b < p->buckets; b++)
    if (p->form->fields[field].width == 1)
      json_write_number(w, *place(p, b, side, field));
    else
      json_write_numbers(w, place(p, b, side, field), columns_of(p, field));
  json_end_array(w);
}

static void write_json(const struct plot *p, struct buffer *out)
{
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (size_t f = 0; f < p->form->field_count; f++) {
    if (!is_asked(p, f)) continue;
    json_key(&w, p->form->fields[f].name);
    if (f == TIME_FIELD) {
      write_side(&w, p, f, 0);
      continue;
    }
    json_begin_object(&w);
    json_key(&w, "min"), write_side(&w, p, f, 0);
    json_key(&w, "max"), write_side(&w, p, f, 1);
    json_end_object(&w);
  }
  json_end_object(&w);
}

/* "t,q1.min,q2.min,q1.max,q2.max" */
static size_t name_columns(const struct plot *p, struct buffer *names)
{
  static const char *const sides[] = { ".min", ".max" };
  size_t count = 0;
  for (size_t f = 0; f < p->form->field_count; f++)
    for (size_t side = 0; is_asked(p, f) && side < sides_of(f); side++)
      for (size_t c = 0; c < columns_of(p, f); c++) {
        buffer_format(names, "%s%s", count++ ? "," : "", p->form->fields[f].name);
        if (p->form->fields[f].width != 1) buffer_format(names, "%zu", c + 1);
        if (f != TIME_FIELD) buffer_text(names, sides[side]);
      }
  return count;
}

static void write_table(const struct plot *p, enum media media, const char *names, size_t columns, struct buffer *out)
{
  const size_t shape[] = { p->buckets, columns };
  double row[2 * SAMPLE_WIDTH];
  if (media == MEDIA_CSV)
    buffer_format(out, "%s\r\n", names);
  else
    npy_write_header(out, shape, 2);
  for (size_t b = 0; b < p->buckets; b++) {
    size_t filled = 0;
    for (size_t f = 0; f < p->form->field_count; f++)
      for (size_t side = 0; is_asked(p, f) && side < sides_of(f); side++) {
        memcpy(row + filled, place(p, b, side, f), columns_of(p, f) * sizeof *row);
        filled += columns_of(p, f);
      }
    if (media == MEDIA_CSV)
      csv_write_row(out, row, filled);
    else
      buffer_append(out, row, filled * sizeof *row);
  }
}

static enum armdyn_status read_extremes(struct store *store, const char *id, const struct samples_query *query,
                                        size_t points, struct plot *p)
{
  size_t first = 0, end = 0;
  enum armdyn_status status = store_samples_rows_until(store, id, query->from, false, &first);
  if (!status) status = store_samples_rows_until(store, id, query->to, true, &end);
  if (status || first >= end) return status;
  p->extremes = malloc(points * 2 * p->width * sizeof *p->extremes);
  if (!p->extremes) return ARMDYN_EMEMORY;
  return store_samples_extremes(store, id, p->width, first, end, points, p->extremes, &p->buckets);
}

static enum armdyn_status write_plot(struct exchange *x, const struct plot *p, enum media media, struct buffer *body)
{
  struct buffer names = BUFFER(KB(64));
  const size_t columns = name_columns(p, &names);
  enum armdyn_status status = names.failure;
  if (!status && media == MEDIA_JSON) write_json(p, body);
  if (!status && media != MEDIA_JSON) {
    write_table(p, media, names.data, columns, body);
    exchange_set_header(x, "Columns", "%s", names.data);
  }
  buffer_release(&names);
  return status;
}

enum armdyn_status answer_plot(struct exchange *x, const char *id, const struct series_form *form, size_t width,
                               const struct samples_query *query, size_t points)
{
  struct plot p = { .form = form, .fields = query->fields, .width = width };
  struct buffer body = BUFFER(LIMIT_ANSWER);
  size_t joints;
  enum armdyn_status status = ARMDYN_EIO;
  if (samples_places(form, width, p.begin, &joints))
    status = read_extremes(exchange_app(x)->store, id, query, points, &p);
  if (!status) status = write_plot(x, &p, query->media, &body);
  if (!status) answer_bytes(x, 200, media_type(query->media), &body);
  free(p.extremes);
  buffer_release(&body);
  return status;
}
