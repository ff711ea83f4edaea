#include "server/routes/account.h"

#include "api/wire/utf8.h"
#include "server/http/auth.h"

static bool is_utf8(const char *text)
{
  const char *end = text + strlen(text);
  while (text < end) {
    const size_t length = utf8_length(text, end);
    if (!length) return false;
    text += length;
  }
  return true;
}

bool account_of(struct exchange *x, char name[ARMDYN_NAME_SIZE], char reason[STORE_REASON_SIZE])
{
  const struct caller *caller = exchange_caller(x);
  const char *why = exchange_header(x, "X-Reason");
  snprintf(name, ARMDYN_NAME_SIZE, "%s", *caller->name ? caller->name : caller->id);
  snprintf(reason, STORE_REASON_SIZE, "%s", why ? why : "");
  if (!why || (strlen(why) < STORE_REASON_SIZE && is_utf8(why))) return true;
  fault_add(exchange_faults(x), FAULT_AT_HEADER, "X-Reason", FAULT_LENGTH, "must be UTF-8 of at most %d bytes",
            STORE_REASON_SIZE - 1);
  answer_problem(x, PROBLEM_BAD_REQUEST, NULL);
  return false;
}
