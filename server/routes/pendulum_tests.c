/* POST /v1/pendulum-tests: the inertia of a body from how it swings. Nothing is kept. */
#include "api/codec/pendulum.h"
#include "server/http/exchange.h"
#include "server/routes/handlers.h"

enum outcome pendulum_test(struct exchange *x)
{
  size_t length;
  struct armdyn_pendulum_test test;
  struct armdyn_pendulum found;
  struct armdyn_error error = { "", "" };
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = pendulum_decode(body, length, &test, exchange_faults(x));
  if (!status) {
    status = armdyn_pendulum_reduce(&test, &found, &error);
    if (status) fault_add(exchange_faults(x), FAULT_AT_POINTER, error.pointer, FAULT_INCONSISTENT, "%s", error.message);
  }
  if (status) {
    answer_status(x, status, NULL);
    return ANSWERED;
  }
  struct buffer out = BUFFER(KB(4));
  pendulum_encode(&out, &test, &found);
  answer_json(x, 200, &out);
  return ANSWERED;
}
