/* GET /v1/verifications/{verification}/report and its like: the page is made anew from what is stored. */
#include "server/routes/result_report.h"

#include "api/codec/verification_report.h"
#include "api/codec/zoning_report.h"
#include "server/app.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

const struct result_report verification_report = { &verification_kind, verification_report_write };
const struct result_report zoning_report = { &zoning_kind, zoning_report_write };

bool report_language_asked(struct exchange *x, enum report_language *out)
{
  if (report_language_of(exchange_query(x, "lang"), out)) return true;
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "lang", FAULT_ENUM, "must be en or zh, got '%.32s'",
            exchange_query(x, "lang"));
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

enum outcome result_report(struct exchange *x)
{
  const struct result_report *report = exchange_about(x);
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, report->kind->name);
  enum report_language language;
  struct store_result result;
  if (!report_language_asked(x, &language)) return ANSWERED;
  if (!result_found(x, report->kind, store_result_get(app->store, report->kind->name, id, &result))) return ANSWERED;
  struct buffer document = BUFFER(MB(4)), body = BUFFER(MB(8));
  const struct robot_entry *entry = NULL;
  enum armdyn_status status = result_document(app, report->kind, id, &document, NULL);
  if (!status) status = robots_get(app->robots, result.robot, result.revision, true, &entry);
  if (!status) {
    report->write(document.data, armdyn_robot_description(entry->robot), language, &body);
    status = body.failure;
  }
  if (result_found(x, report->kind, status)) answer_bytes(x, 200, "text/html; charset=utf-8", &body);
  robots_release(app->robots, entry);
  buffer_release(&document);
  buffer_release(&body);
  store_result_release(&result);
  return ANSWERED;
}
