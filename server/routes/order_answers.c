/* An order as it is told: how far it is, and what it waits for. */
#include <math.h>

#include "api/codec/order.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/orders/orders.h"
#include "server/routes/handlers.h"
#include "server/routes/orders.h"

enum { ANSWER_MOST = MB(1) };

/* How long it has moved, s, by its history: held times do not count. */
static double moved_for(const struct store_order *row)
{
  cJSON *history = document_open(row->history);
  const cJSON *entry;
  double ms = 0;
  int64_t since = -1;
  cJSON_ArrayForEach (entry, history) {
    const char *state = document_text(entry, "state");
    const int64_t at = clock_parse(document_text(entry, "at"));
    if (since >= 0) ms += (double)(at - since);
    since = state && !strcmp(state, order_state_name(ORDER_RUNNING)) ? at : -1;
  }
  document_close(history);
  if (since >= 0) ms += (double)(clock_wall_ms() - since);
  return ms * 1e-3;
}

/* How far the motion is, and when it will be over, by the clock. */
static void tell_progress(const struct store_order *row, struct order_resource *out, char eta[TIME_SIZE])
{
  cJSON *plan = document_open(row->plan);
  const double duration = document_number(plan, "duration");
  document_close(plan);
  if (row->state == ORDER_DONE) out->progress = 1;
  if ((row->state != ORDER_RUNNING && row->state != ORDER_HELD) || !(duration > 0) || !row->history) return;
  const double moved = moved_for(row);
  out->progress = fmin(moved / duration, 1);
  if (row->state == ORDER_HELD) return;
  clock_format(clock_wall_ms() + (int64_t)(1000 * fmax(duration - moved, 0)), eta);
  out->eta = eta;
}

enum armdyn_status order_encode_at(const struct store_order *row, const struct order_place *place, bool summary,
                                   struct buffer *out)
{
  char eta[TIME_SIZE] = "";
  struct order_resource order = { .id = row->id,
                                  .controller = row->controller,
                                  .state = order_state_name(row->state),
                                  .start = row->automatic ? "automatic" : "on_request",
                                  .created_by = row->created_by_name,
                                  .reason = row->reason,
                                  .started_by = row->started_by_name,
                                  .changed_by = row->changed_by_name,
                                  .changed_at = row->changed_at,
                                  .priority = row->priority,
                                  .progress = NAN,
                                  .created_at = row->created_at,
                                  .expires_at = row->expires_at,
                                  .ready_at = row->ready_at,
                                  .started_at = row->started_at,
                                  .finished_at = row->finished_at,
                                  .job = row->job,
                                  .trajectory = row->trajectory,
                                  .transfer = row->transfer,
                                  .plan = row->plan,
                                  .measured = row->measured,
                                  .unmeasured = row->unmeasured,
                                  .history = row->history,
                                  .problem = row->problem,
                                  .request = row->request,
                                  .tags = row->tags,
                                  .job_order_id = row->job_order_id,
                                  .work_master_id = row->work_master_id,
                                  .equipment_id = row->equipment_id,
                                  .traceparent = row->traceparent,
                                  .position = place->position,
                                  .blocked = place->blocked,
                                  .message = place->message,
                                  .summary = summary };
  tell_progress(row, &order, eta);
  struct json_writer w = { .out = out };
  order_resource_encode(&order, &w);
  return out->failure;
}

enum armdyn_status order_encode(struct app *app, const struct store_order *row, bool summary, struct buffer *out)
{
  struct order_place place = { .position = 0 };
  if (!order_state_final(row->state)) orders_place(app->orders, row->controller, row->id, &place);
  return order_encode_at(row, &place, summary, out);
}

bool order_find(struct exchange *x, const char *id, struct store_order *row)
{
  enum armdyn_status status = store_order_get(exchange_app(x)->store, id, row);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND,
                   "there is no order '%.64s'; GET /v1/orders?job_order_id= finds what was ordered by your own number",
                   id);
  else if (status)
    answer_status(x, status, NULL);
  else
    exchange_is_about_order(x, row->job_order_id);
  return !status;
}

enum { CONTENT_BITS = 40, CHANGES = 0x3ffff }; /* of an ETag's number: 58 bits have 18 digits */

static int64_t changes_of(const struct store_order *row)
{
  return 1 + (row->changes & CHANGES);
}

int64_t order_version(const struct store_order *row, const struct buffer *body)
{
  const int64_t content = version_of_content(body->data, body->length) & ((INT64_C(1) << CONTENT_BITS) - 1);
  return changes_of(row) << CONTENT_BITS | content;
}

bool order_is_version(const struct store_order *row, int64_t version)
{
  return version >> CONTENT_BITS == changes_of(row);
}

void order_answer_encoded(struct exchange *x, int http_status, const struct store_order *row, struct buffer *body)
{
  const int64_t version = http_status == 200 && buffer_ok(body) ? order_version(row, body) : 0;
  if (version && answered_not_modified(x, version)) {
    buffer_release(body);
    return;
  }
  if (version) answer_etag(x, version);
  answer_json(x, http_status, body);
}

void order_answer(struct exchange *x, int http_status, const char *id)
{
  struct store_order row;
  struct buffer body = BUFFER(ANSWER_MOST);
  if (!order_find(x, id, &row)) return;
  (void)order_encode(exchange_app(x), &row, false, &body); /* a failed body fails the answer */
  order_answer_encoded(x, http_status, &row, &body);
  store_order_release(&row);
}

enum outcome order_get(struct exchange *x)
{
  order_answer(x, 200, exchange_segment(x, "order"));
  return ANSWERED;
}
