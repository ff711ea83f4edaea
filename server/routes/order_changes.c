/* An order that waits is said otherwise: a merge patch of its request, which is then looked at as a new one is. */
#include <stdlib.h>

#include "api/codec/order.h"
#include "api/json/document.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/http/preconditions.h"
#include "server/orders/orders.h"
#include "server/routes/account.h"
#include "server/routes/handlers.h"
#include "server/routes/orders.h"

enum { ANSWER_MOST = MB(1) };

/* false: answered. */
static bool is_as_demanded(struct exchange *x, const struct store_order *row)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  const enum armdyn_status status = order_encode(exchange_app(x), row, false, &body);
  int64_t version = status ? 0 : order_version(row, &body);
  buffer_release(&body);
  if (status) answer_status(x, status, NULL);
  const enum precondition wanted = status ? EXPECT_REFUSED : exchange_precondition(x, false, &version);
  const bool good = wanted == EXPECT_ANY || (wanted == EXPECT_VERSION && order_is_version(row, version));
  if (!good && wanted != EXPECT_REFUSED) answer_problem(x, PROBLEM_STALE, NULL);
  return good;
}

/* What it asks for then; release it unless false: answered. */
static bool merged(struct exchange *x, const struct store_order *row, struct order_request *request)
{
  struct buffer text = BUFFER(LIMIT_MODEL_BODY);
  size_t length;
  const char *patch = exchange_body(x, &length);
  enum armdyn_status status = document_merge(row->request, patch, length, &text, exchange_faults(x));
  if (!status) status = order_request_decode(text.data, text.length, request, exchange_faults(x));
  buffer_release(&text);
  if (!status && strcmp(request->controller, row->controller)) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/controller", FAULT_INCONSISTENT,
              "must be '%s': an order stays in the queue that it stands in; cancel it, and order at '%s'",
              row->controller, request->controller);
    order_request_release(request);
    status = ARMDYN_EINPUT;
  }
  if (status) answer_status(x, status, NULL);
  return !status;
}

/* One that starts by itself does so within a time from its acceptance, which a change does not begin anew. */
static bool in_time(struct exchange *x, const struct store_order *next)
{
  if (!*next->expires_at || clock_parse(next->expires_at) > clock_wall_ms()) return true;
  fault_add(
      exchange_faults(x), FAULT_AT_POINTER, "/expires_within", FAULT_INCONSISTENT,
      "counts from the acceptance, %s: it would start by itself until %s, which is over; give it longer, or order "
      "anew",
      next->created_at, next->expires_at);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

static void name_those(const cJSON *of, const cJSON *in, bool missing, struct buffer *out)
{
  const cJSON *member;
  cJSON_ArrayForEach (member, of) {
    const cJSON *other = cJSON_GetObjectItemCaseSensitive(in, member->string);
    if (missing ? !other : other && !cJSON_Compare(member, other, true))
      buffer_format(out, "%s%s", out->length ? ", " : "", member->string);
  }
}

/* For its history: who changed which members. */
static void say_who(const struct store_order *row, const struct store_order *next, char out[ORDER_MESSAGE])
{
  struct buffer members = BUFFER(KB(4));
  cJSON *former = document_open(row->request), *now = document_open(next->request);
  name_those(now, former, false, &members);
  name_those(now, former, true, &members);
  name_those(former, now, true, &members);
  snprintf(out, ORDER_MESSAGE, "changed by %s: %.180s", next->changed_by_name, buffer_ok(&members) ? members.data : "");
  document_close(former);
  document_close(now);
  buffer_release(&members);
}

static void answer_changed(struct exchange *x, const char *id, const struct order_place *place)
{
  struct store_order row;
  struct buffer body = BUFFER(ANSWER_MOST);
  if (!rehearsing()) {
    order_answer(x, 200, id);
  } else if (order_find(x, id, &row)) {
    (void)order_encode_at(&row, place, false, &body); /* a failed body fails the answer */
    order_answer_encoded(x, 200, &row, &body);
    store_order_release(&row);
  }
}

/*   next  in  what is stored, with the texts of `request` */
static void change(struct exchange *x, const struct store_order *row, const struct order_request *request,
                   struct store_order *next)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct order_place place;
  char unused[STORE_REASON_SIZE], reason[ORDER_MESSAGE];
  if (!in_time(x, next) || !order_may_be_made(x, request)) return;
  account_of(x, next->changed_by_name, unused);
  memcpy(next->changed_by, exchange_caller(x)->id, sizeof next->changed_by);
  clock_format(clock_wall_ms(), next->changed_at);
  say_who(row, next, reason);
  if (orders_change(exchange_app(x)->orders, next, reason, &place, &why))
    answer_changed(x, row->id, &place);
  else
    answer_refusal(x, &why);
}

static void patch(struct exchange *x, const struct store_order *row, struct order_request *request)
{
  struct store_order next = *row;
  if (!merged(x, row, request)) return;
  if (!order_say(request, &next))
    answer_status(x, ARMDYN_EMEMORY, NULL);
  else if (!strcmp(next.request, row->request))
    order_answer(x, 200, row->id); /* it says so already */
  else
    change(x, row, request, &next);
  free(next.request);
  free(next.tags);
  order_request_release(request);
}

enum outcome order_patch(struct exchange *x)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct order_request *request = calloc(1, sizeof *request);
  struct store_order row;
  if (!request) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
  } else if (order_find(x, exchange_segment(x, "order"), &row)) {
    if (exchange_may_move(x, row.controller) && is_as_demanded(x, &row))
      order_waits(&row, &why) ? patch(x, &row, request) : answer_refusal(x, &why);
    store_order_release(&row);
  }
  free(request);
  return ANSWERED;
}
