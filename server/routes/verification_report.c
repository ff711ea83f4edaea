/* GET /v1/verifications/{verification}/report: the page is made anew from what is stored. */
#include "api/codec/verification_report.h"

#include "server/app.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/results.h"

enum outcome verification_report(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, verification_kind.name);
  struct store_result result;
  if (!result_found(x, &verification_kind, store_result_get(app->store, verification_kind.name, id, &result)))
    return ANSWERED;
  struct buffer document = BUFFER(MB(4)), body = BUFFER(MB(8));
  const struct robot_entry *entry = NULL;
  enum armdyn_status status = result_document(app, &verification_kind, id, &document, NULL);
  if (!status) status = robots_get(app->robots, result.robot, result.revision, true, &entry);
  if (!status) {
    verification_report_write(document.data, armdyn_robot_description(entry->robot), &body);
    status = body.failure;
  }
  if (result_found(x, &verification_kind, status)) answer_bytes(x, 200, "text/html; charset=utf-8", &body);
  robots_release(app->robots, entry);
  buffer_release(&document);
  buffer_release(&body);
  store_result_release(&result);
  return ANSWERED;
}
