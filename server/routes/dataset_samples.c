/* The samples of a data set: as they were logged, on an even clock, or their extremes for a plot. */
#include <math.h>

#include "api/codec/dataset.h"
#include "api/csv/csv.h"
#include "api/npy/npy.h"
#include "server/app.h"
#include "server/jobs/stored_dataset.h"
#include "server/routes/datasets.h"
#include "server/routes/resampling.h"
#include "server/routes/results.h"
#include "server/routes/route.h"

static const double RATE_LEAST = 1e-3, RATE_MOST = 100000;

/* What is asked for, and of which data set. */
struct request {
  struct samples_query query;
  long long points; /* 0: no plot */
  struct dataset_layout layout;
  size_t total;      /* samples */
  size_t first, end; /* those that are asked for */
};

/* false: answered. */
static bool read_request(struct exchange *x, struct request *r)
{
  struct sample_field fields[SAMPLE_FIELDS];
  struct samples_form form;
  struct samples_query *q = &r->query;
  *q = (struct samples_query){
    .media = exchange_answer_media(x), .rate = NAN, .from = -LIMIT_SAMPLE_NUMBER, .to = LIMIT_SAMPLE_NUMBER
  };
  dataset_samples_form(&r->layout, fields, &form);
  bool good = exchange_query_number(x, "rate", RATE_LEAST, RATE_MOST, &q->rate);
  good &= exchange_query_number(x, "from", q->from, q->to, &q->from);
  good &= exchange_query_number(x, "to", -LIMIT_SAMPLE_NUMBER, q->to, &q->to);
  good &= exchange_query_integer(x, "points", 1, LIMIT_PLOT_POINTS, &r->points);
  good &= asked_fields(x, &form, &q->fields);
  if (good && q->to < q->from) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "to", FAULT_INCONSISTENT,
              "must not be before from, %.9g s, got %.9g s", q->from, q->to);
    good = false;
  }
  if (good && r->points && !isnan(q->rate)) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "points", FAULT_INCONSISTENT,
              "goes with samples as they were logged: leave out rate");
    good = false;
  }
  if (!good) answer_problem(x, PROBLEM_INVALID, NULL);
  return good;
}

static enum armdyn_status find_rows(struct store *store, const char *id, struct request *r)
{
  enum armdyn_status status = store_dataset_rows_until(store, id, r->query.from, false, &r->first);
  if (!status) status = store_dataset_rows_until(store, id, r->query.to, true, &r->end);
  if (r->end < r->first) r->end = r->first;
  return status;
}

/* -- plots -- */

/* Names and numbers of a plot's columns: t, then of every column the least and the greatest values. */
struct plot {
  const struct request *request;
  size_t buckets;
  double *extremes; /* buckets x 2 width */
};

static bool is_asked(const struct request *r, int field)
{
  unsigned bit = 0;
  for (int f = 0; f < field; f++) bit += r->layout.present[f];
  return r->layout.present[field] && r->query.fields >> bit & 1;
}

static size_t columns_of(const struct request *r, int field)
{
  return field == DATASET_T ? 1 : r->layout.joints;
}

static void write_plot_json(const struct plot *p, struct buffer *out)
{
  const struct request *r = p->request;
  struct json_writer w = { .out = out };
  json_begin_object(&w);
  for (int f = 0; f < DATASET_FIELDS; f++) {
    if (!is_asked(r, f)) continue;
    json_key(&w, dataset_field_names[f]);
    if (f != DATASET_T) json_begin_object(&w);
    for (int side = 0; side < (f == DATASET_T ? 1 : 2); side++) {
      const double *at = p->extremes + (side ? r->layout.width : 0) + r->layout.begin[f];
      if (f != DATASET_T) json_key(&w, side ? "max" : "min");
      json_begin_array(&w);
      for (size_t b = 0; b < p->buckets; b++, at += 2 * r->layout.width)
        if (f == DATASET_T)
          json_write_number(&w, *at);
        else
          json_write_numbers(&w, at, r->layout.joints);
      json_end_array(&w);
    }
    if (f != DATASET_T) json_end_object(&w);
  }
  json_end_object(&w);
}

/* "t,q1.min,q2.min,q1.max,q2.max" */
static size_t name_plot_columns(const struct request *r, struct buffer *names)
{
  size_t count = 0;
  for (int f = 0; f < DATASET_FIELDS; f++)
    for (int side = 0; is_asked(r, f) && side < (f == DATASET_T ? 1 : 2); side++)
      for (size_t c = 0; c < columns_of(r, f); c++) {
        char name[DATASET_NAME_SIZE];
        dataset_column_name(&r->layout, r->layout.begin[f] + c, name);
        buffer_format(names, "%s%s%s", count++ ? "," : "", name, f == DATASET_T ? "" : side ? ".max" : ".min");
      }
  return count;
}

static void write_plot_table(const struct plot *p, const char *names, size_t columns, struct buffer *out)
{
  const struct request *r = p->request;
  const bool csv = r->query.media == MEDIA_CSV;
  const size_t shape[] = { p->buckets, columns };
  double row[2 * SAMPLE_WIDTH];
  if (csv)
    buffer_format(out, "%s\r\n", names);
  else
    npy_write_header(out, shape, 2);
  for (size_t b = 0; b < p->buckets; b++) {
    size_t filled = 0;
    for (int f = 0; f < DATASET_FIELDS; f++)
      for (int side = 0; is_asked(r, f) && side < (f == DATASET_T ? 1 : 2); side++) {
        const double *from = p->extremes + (2 * b + (size_t)side) * r->layout.width + r->layout.begin[f];
        memcpy(row + filled, from, columns_of(r, f) * sizeof *row);
        filled += columns_of(r, f);
      }
    if (csv)
      csv_write_row(out, row, filled);
    else
      buffer_append(out, row, filled * sizeof *row);
  }
}

static void answer_plot(struct exchange *x, const char *id, const struct request *r)
{
  struct plot plot = { .request = r };
  struct buffer body = BUFFER(LIMIT_ANSWER), names = BUFFER(KB(64));
  const size_t points = (size_t)r->points;
  enum armdyn_status status = ARMDYN_OK;
  plot.extremes = malloc(points * 2 * r->layout.width * sizeof *plot.extremes);
  if (!plot.extremes) status = ARMDYN_EMEMORY;
  if (!status && r->end > r->first)
    status = store_dataset_extremes(exchange_app(x)->store, id, r->layout.width, r->first, r->end, points,
                                    plot.extremes, &plot.buckets);
  const size_t columns = name_plot_columns(r, &names);
  if (!status && !buffer_ok(&names)) status = names.failure;
  if (!status && r->query.media == MEDIA_JSON) write_plot_json(&plot, &body);
  if (!status && r->query.media != MEDIA_JSON) {
    write_plot_table(&plot, names.data, columns, &body);
    exchange_set_header(x, "Columns", "%s", names.data);
  }
  if (status)
    answer_status(x, status, NULL);
  else
    answer_bytes(x, 200, media_type(r->query.media), &body);
  free(plot.extremes);
  buffer_release(&names);
  buffer_release(&body);
}

/* -- samples -- */

/* The rows on an even clock from the first of them on. */
static enum armdyn_status begin_resampling(struct store *store, const char *id, struct request *r,
                                           struct resampling **resampling)
{
  double ends[2], row[SAMPLE_WIDTH];
  const size_t places[] = { 0, r->total - 1 };
  enum armdyn_status status = ARMDYN_OK;
  for (int i = 0; !status && i < 2; i++) {
    status = store_series_read(store, id, STORE_SAMPLES, places[i], 1, row);
    ends[i] = row[0];
  }
  if (status) return status;
  /* the clock begins with the log, wherever `from` is: windows of one log go together */
  double from = ends[0];
  if (r->query.from > from) from += ceil((r->query.from - from) * r->query.rate - 1e-6) / r->query.rate;
  status = resampling_new(store, id, r->query.rate, from, fmin(r->query.to, ends[1]), resampling);
  r->first = 0;
  r->end = status ? 0 : resampling_count(*resampling);
  return status;
}

static void answer_rows(struct exchange *x, const char *id, struct request *r)
{
  struct store *store = exchange_app(x)->store;
  struct resampling *resampling = NULL;
  struct samples *samples;
  enum armdyn_status status = ARMDYN_OK;
  if (!isnan(r->query.rate)) status = begin_resampling(store, id, r, &resampling);
  if (status == ARMDYN_ELIMIT || status == ARMDYN_EINPUT) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "rate", FAULT_MAXIMUM,
              status == ARMDYN_ELIMIT ? "these are more than %d samples" : "needs a log of 4 samples or more",
              LIMIT_DATASET_ROWS);
    answer_problem(x, PROBLEM_INVALID, NULL);
    return;
  }
  if (!status) status = samples_open_log(store, id, &r->layout, &r->query, r->first, r->end, resampling, &samples);
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  if (r->query.media != MEDIA_JSON) exchange_set_header(x, "Columns", "%s", samples_columns(samples));
  answer_stream(x, 200, media_type(r->query.media), samples_next, samples_free, samples, samples_memory(samples));
}

enum outcome dataset_samples(struct exchange *x)
{
  struct store *store = exchange_app(x)->store;
  struct store_dataset row;
  struct store_series series;
  struct request r = { 0 };
  if (!dataset_of_request(x, &row)) return ANSWERED;
  enum armdyn_status status = store_series_info(store, row.id, STORE_SAMPLES, &series);
  if (!status && !dataset_layout_read(series.columns, &r.layout)) status = ARMDYN_EIO;
  r.total = series.rows;
  if (!status && !read_request(x, &r)) {
    store_dataset_release(&row);
    return ANSWERED;
  }
  if (!status) status = find_rows(store, row.id, &r);
  if (status)
    answer_status(x, status, NULL);
  else if (r.points)
    answer_plot(x, row.id, &r);
  else
    answer_rows(x, row.id, &r);
  store_dataset_release(&row);
  return ANSWERED;
}
