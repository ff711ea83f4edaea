#include "server/webhooks/callback.h"

#include "server/app.h"
#include "server/store/store.h"

bool callback_is_known(struct exchange *x, const char *name)
{
  struct store_webhook webhook;
  enum armdyn_status status = *name ? store_webhook_get(exchange_app(x)->store, name, &webhook) : ARMDYN_OK;
  if (status == ARMDYN_ENOTFOUND) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/callback/webhook", FAULT_INCONSISTENT, "there is no webhook '%s'",
              name);
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else if (status) {
    answer_status(x, status, NULL);
  }
  return !status;
}
