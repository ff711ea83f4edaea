/* What an identification has beside what every result has. */
#include "api/codec/identification.h"

#include <stdlib.h>

#include "api/npy/npy.h"
#include "server/app.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"
#include "server/work/identification.h"

static void answer_matrix(struct exchange *x, const double *values, size_t n)
{
  const size_t shape[] = { n, n };
  struct buffer body = BUFFER(LIMIT_ANSWER);
  if (exchange_answer_media(x) == MEDIA_NPY) {
    npy_write_header(&body, shape, 2);
    buffer_append(&body, values, n * n * sizeof *values);
    answer_bytes(x, 200, media_type(MEDIA_NPY), &body);
    return;
  }
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "covariance"), json_write_table(&w, values, shape, 2);
  json_end_object(&w);
  answer_json(x, 200, &body);
}

enum outcome identification_covariance(struct exchange *x)
{
  struct store *store = exchange_app(x)->store;
  const char *id = exchange_segment(x, "identification");
  struct store_result result;
  struct store_series series;
  double *values = NULL;
  if (!result_found(x, &identification_kind, store_result_get(store, identification_kind.name, id, &result)))
    return ANSWERED;
  store_result_release(&result);
  enum armdyn_status status = store_series_info(store, id, SERIES_COVARIANCE, &series);
  if (!status) values = malloc((series.rows * series.width + 1) * sizeof *values);
  if (!status && !values) status = ARMDYN_EMEMORY;
  if (!status) status = store_series_read(store, id, SERIES_COVARIANCE, 0, series.rows, values);
  if (result_found(x, &identification_kind, status)) answer_matrix(x, values, series.width);
  free(values);
  return ANSWERED;
}
