/* The samples of a data set: as they were logged, on an even clock, or their extremes for a plot. */
#include <math.h>

#include "api/codec/dataset.h"
#include "server/app.h"
#include "server/data/resampling.h"
#include "server/data/stored_dataset.h"
#include "server/routes/datasets.h"
#include "server/routes/handlers.h"
#include "server/routes/plots.h"
#include "server/routes/results.h"

static const double RATE_LEAST = 1e-3, RATE_MOST = 100000;

/* What is asked for, and of which data set. */
struct request {
  struct samples_query query;
  long long points; /* 0: no plot */
  struct dataset_layout layout;
  struct sample_field fields[SAMPLE_FIELDS]; /* of the form */
  struct series_form form;
  size_t total;      /* samples */
  size_t first, end; /* those that are asked for */
};

/* false: answered. */
static bool read_request(struct exchange *x, struct request *r)
{
  struct samples_query *q = &r->query;
  *q = (struct samples_query){
    .media = exchange_answer_media(x), .rate = NAN, .from = -LIMIT_SAMPLE_NUMBER, .to = LIMIT_SAMPLE_NUMBER
  };
  dataset_series_form(&r->layout, r->fields, &r->form);
  bool good = exchange_query_number(x, "rate", RATE_LEAST, RATE_MOST, &q->rate);
  good &= exchange_query_number(x, "from", q->from, q->to, &q->from);
  good &= exchange_query_number(x, "to", -LIMIT_SAMPLE_NUMBER, q->to, &q->to);
  good &= asked_points(x, &r->points);
  good &= asked_fields(x, &r->form, &q->fields);
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
  enum armdyn_status status = store_samples_rows_until(store, id, r->query.from, false, &r->first);
  if (!status) status = store_samples_rows_until(store, id, r->query.to, true, &r->end);
  if (r->end < r->first) r->end = r->first;
  return status;
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
  if (status == ARMDYN_ELIMIT) {
    answer_too_many_samples(x);
    return;
  }
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
  if (!status && r.points)
    status = answer_plot(x, row.id, &r.form, r.layout.width, &r.query, (size_t)r.points);
  else if (!status && !(status = find_rows(store, row.id, &r)))
    answer_rows(x, row.id, &r);
  if (status) answer_status(x, status, NULL);
  store_dataset_release(&row);
  return ANSWERED;
}
