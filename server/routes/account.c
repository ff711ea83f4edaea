#include "server/routes/account.h"

#include "server/http/auth.h"

void account_of(const struct exchange *x, char name[ARMDYN_NAME_SIZE], char reason[STORE_REASON_SIZE])
{
  const struct caller *caller = exchange_caller(x);
  const char *why = exchange_header(x, "X-Reason");
  snprintf(name, ARMDYN_NAME_SIZE, "%s", *caller->name ? caller->name : caller->id);
  snprintf(reason, STORE_REASON_SIZE, "%s", why ? why : "");
}
