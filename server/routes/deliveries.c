/* What came of telling webhooks of a job, a transfer or an order. */
#include "api/codec/webhook.h"
#include "server/app.h"
#include "server/jobs/jobs.h"
#include "server/routes/handlers.h"
#include "server/store/store.h"

enum { ANSWER_MOST = KB(64) };

/* What is told of, by the name that its id has in the path. */
struct teller {
  const char *name;
  enum armdyn_status (*check)(struct store *store, const char *id);
};

static enum armdyn_status check_job(struct store *store, const char *id)
{
  struct store_job job;
  enum armdyn_status status = store_job_get(store, id, &job);
  if (!status) store_job_release(&job);
  return status;
}

static enum armdyn_status check_transfer(struct store *store, const char *id)
{
  struct store_transfer transfer;
  enum armdyn_status status = store_transfer_get(store, id, &transfer);
  if (!status) store_transfer_release(&transfer);
  return status;
}

static enum armdyn_status check_order(struct store *store, const char *id)
{
  struct store_order order;
  enum armdyn_status status = store_order_get(store, id, &order);
  if (!status) store_order_release(&order);
  return status;
}

static const struct teller of_job = { "job", check_job }, of_transfer = { "transfer", check_transfer },
                           of_order = { "order", check_order };

/* Is there such a thing? false: answered. */
static bool is_known(struct exchange *x, const struct teller *teller, const char *id)
{
  enum armdyn_status status = teller->check(exchange_app(x)->store, id);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", teller->name, id);
  else if (status)
    answer_status(x, status, NULL);
  return !status;
}

static void visit(void *writer, const struct store_delivery *d)
{
  const struct delivery_resource resource = { d->job,        d->transfer,    d->order_id,
                                              d->event,      d->webhook,     delivery_state_name(d->state),
                                              d->attempts,   d->http_status, d->error,
                                              d->created_at, d->last_at,     d->next_at };
  delivery_resource_encode(&resource, writer);
}

static void answer_deliveries(struct exchange *x, const char *id, int http_status)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "items"), json_begin_array(&w);
  enum armdyn_status status = store_delivery_list(exchange_app(x)->store, id, visit, &w);
  json_end_array(&w);
  json_key(&w, "next_cursor"), json_write_null(&w);
  json_end_object(&w);
  if (!status) {
    answer_json(x, http_status, &body);
    return;
  }
  buffer_release(&body);
  answer_status(x, status, NULL);
}

static enum outcome list(struct exchange *x, const struct teller *teller)
{
  const char *id = exchange_segment(x, teller->name);
  if (is_known(x, teller, id)) answer_deliveries(x, id, 200);
  return ANSWERED;
}

static enum outcome deliver_again(struct exchange *x, const struct teller *teller)
{
  const char *id = exchange_segment(x, teller->name);
  if (!is_known(x, teller, id)) return ANSWERED;
  enum armdyn_status status = store_delivery_again(exchange_app(x)->store, id);
  if (!status)
    answer_deliveries(x, id, 202);
  else if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "nothing was to be told of %s '%.64s'", teller->name, id);
  else
    answer_status(x, status, NULL);
  return ANSWERED;
}

enum outcome job_delivery_list(struct exchange *x)
{
  return list(x, &of_job);
}

enum outcome job_delivery_again(struct exchange *x)
{
  return deliver_again(x, &of_job);
}

enum outcome transfer_delivery_list(struct exchange *x)
{
  return list(x, &of_transfer);
}

enum outcome transfer_delivery_again(struct exchange *x)
{
  return deliver_again(x, &of_transfer);
}

enum outcome order_delivery_list(struct exchange *x)
{
  return list(x, &of_order);
}

enum outcome order_delivery_again(struct exchange *x)
{
  return deliver_again(x, &of_order);
}
