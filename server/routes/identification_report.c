/* GET /v1/identifications/{identification}/report: the page is made anew from what is stored. */
#include "api/codec/identification_report.h"

#include <stdlib.h>

#include "server/app.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/result_report.h"
#include "server/routes/results.h"

enum { ROWS_MOST = 100000 }; /* the last of them, which are of the validation */

static enum armdyn_status read_rows(struct store *store, const char *id, double **rows, size_t *count)
{
  struct store_series series;
  enum armdyn_status status = store_series_info(store, id, SERIES_SAMPLES, &series);
  if (status) return status;
  *count = series.rows < ROWS_MOST ? series.rows : ROWS_MOST;
  *rows = malloc((*count * series.width + 1) * sizeof **rows);
  if (!*rows) return ARMDYN_EMEMORY;
  return store_series_read(store, id, SERIES_SAMPLES, series.rows - *count, *count, *rows);
}

enum outcome identification_report(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, identification_kind.name);
  struct store_result result;
  enum report_language language;
  if (!report_language_asked(x, &language)) return ANSWERED;
  if (!result_found(x, &identification_kind, store_result_get(app->store, identification_kind.name, id, &result)))
    return ANSWERED;
  struct buffer document = BUFFER(MB(4)), body = BUFFER(MB(32));
  const struct robot_entry *entry = NULL;
  double *rows = NULL;
  size_t count = 0;
  enum armdyn_status status = result_document(app, &identification_kind, id, &document, NULL);
  if (!status) status = robots_get(app->robots, result.robot, result.revision, true, &entry);
  if (!status) status = read_rows(app->store, id, &rows, &count);
  if (!status) {
    const struct identification_report report = { .language = language,
                                                  .document = document.data,
                                                  .robot = armdyn_robot_description(entry->robot),
                                                  .rows = rows,
                                                  .row_count = count };
    identification_report_write(&report, &body);
    status = body.failure;
  }
  if (result_found(x, &identification_kind, status)) answer_bytes(x, 200, "text/html; charset=utf-8", &body);
  free(rows);
  robots_release(app->robots, entry);
  buffer_release(&document);
  buffer_release(&body);
  store_result_release(&result);
  return ANSWERED;
}
