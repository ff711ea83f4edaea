/* Webhooks: who is told that jobs and transfers have ended and what becomes of orders, and what they are told. */
#include "server/webhooks/webhooks.h"

#include "api/codec/webhook.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/jobs.h"
#include "server/routes/event_log.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/orders.h"
#include "server/routes/versioned.h"
#include "server/routes/webhooks.h"

enum { ANSWER_MOST = KB(16), FORMER_SECRET_MS = 24 * 60 * 60 * 1000 };

/* -- what is told -- */

static void begin_message(struct buffer *message, const char *what, const char *state, const char *at)
{
  buffer_format(message, "{\"type\":\"%s.%s\",\"timestamp\":\"%s\",\"data\":", what, state, at);
}

static enum armdyn_status tell_job(struct app *app, const char *id, struct buffer *message,
                                   char traceparent[TRACE_SIZE])
{
  struct job_view view;
  enum armdyn_status status = jobs_get(app->jobs, id, &view);
  if (status) return status;
  memcpy(traceparent, view.job.traceparent, TRACE_SIZE);
  begin_message(message, "job", job_state_name(view.job.state), view.job.finished_at);
  status = job_document(app, &view, message);
  job_view_release(&view);
  return status;
}

static enum armdyn_status tell_transfer(struct app *app, const char *id, struct buffer *message,
                                        char traceparent[TRACE_SIZE])
{
  struct store_transfer transfer;
  enum armdyn_status status = store_transfer_get(app->store, id, &transfer);
  if (status) return status;
  memcpy(traceparent, transfer.traceparent, TRACE_SIZE);
  begin_message(message, "transfer", transfer_state_name(transfer.state), transfer.finished_at);
  status = transfer_document(app, &transfer, message);
  store_transfer_release(&transfer);
  return status;
}

/* The event is that of the delivery; the order is as it stands when the message goes out, which may be farther on. */
static enum armdyn_status tell_order(struct app *app, const struct store_delivery *delivery, struct buffer *message,
                                     char traceparent[TRACE_SIZE])
{
  struct store_order order;
  enum armdyn_status status = store_order_get(app->store, delivery->order_id, &order);
  if (status) return status;
  memcpy(traceparent, order.traceparent, TRACE_SIZE);
  begin_message(message, "order", delivery->event, delivery->created_at);
  status = order_encode(app, &order, false, message);
  store_order_release(&order);
  return status;
}

static enum armdyn_status tell_event(struct app *app, int64_t number, struct buffer *message)
{
  struct store_event event;
  enum armdyn_status status = store_event_get(app->store, number, &event);
  if (status) return status;
  buffer_format(message, "{\"type\":\"%s\",\"timestamp\":\"%s\",\"data\":", event.type, event.at);
  event_encode(&event, message);
  store_event_release(&event);
  return ARMDYN_OK;
}

enum armdyn_status webhook_message(struct app *app, const struct store_delivery *delivery, struct buffer *message,
                                   char traceparent[TRACE_SIZE])
{
  enum armdyn_status status = *delivery->job        ? tell_job(app, delivery->job, message, traceparent)
                              : *delivery->transfer ? tell_transfer(app, delivery->transfer, message, traceparent)
                              : *delivery->order_id ? tell_order(app, delivery, message, traceparent)
                                                    : tell_event(app, delivery->number, message);
  buffer_text(message, "}");
  return status ? status : message->failure;
}

/* -- webhooks -- */

static void encode(const struct store_webhook *webhook, bool with_secret, struct json_writer *w)
{
  const struct webhook_resource resource = { .name = webhook->name,
                                             .url = webhook->url,
                                             .created_at = webhook->created_at,
                                             .former_until = webhook->former_until,
                                             .enabled = webhook->enabled,
                                             .events = webhook->events,
                                             .secret = with_secret ? webhook->secret : NULL };
  webhook_resource_encode(&resource, w);
}

static bool missing(struct exchange *x, enum armdyn_status status, const char *name)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no webhook '%.64s'", name);
  else if (status == ARMDYN_ESTALE)
    answer_problem(x, PROBLEM_STALE, "webhook '%.64s' has changed meanwhile", name);
  else if (status)
    answer_status(x, status, NULL);
  return status != ARMDYN_OK;
}

/* The body, checked; name: as in the path, or NULL. false: answered. */
static bool read_webhook(struct exchange *x, const char *name, void *row)
{
  struct store_webhook *webhook = row;
  struct webhook_request request;
  struct faults *faults = exchange_faults(x);
  char why[160];
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = webhook_request_decode(body, length, &request, faults);
  if (!status) versioned_is_named(x, name, request.name);
  if (!status && !webhooks_take_url(exchange_app(x)->webhooks, request.url, why))
    fault_add(faults, FAULT_AT_POINTER, "/url", FAULT_PATTERN, "%s, got '%.200s'", why, request.url);
  if (!status && faults->count) status = ARMDYN_EINPUT;
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  *webhook = (struct store_webhook){ 0 };
  memcpy(webhook->name, request.name, sizeof webhook->name);
  memcpy(webhook->url, request.url, sizeof webhook->url);
  webhook->enabled = request.enabled;
  struct buffer events = BUFFER(sizeof webhook->events - 1);
  webhook_events_encode(request.events, &events);
  if (buffer_ok(&events)) snprintf(webhook->events, sizeof webhook->events, "%s", events.data);
  status = events.failure;
  buffer_release(&events);
  if (status) answer_status(x, status, NULL);
  return !status;
}

static void wipe(void *webhook)
{
  explicit_bzero(webhook, sizeof(struct store_webhook));
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_webhook_get(exchange_app(x)->store, name, row);
}

/* Its secret is shown when it was made just now, and never again. */
static enum armdyn_status encode_row(struct exchange *x, bool made, const void *row, struct buffer *out)
{
  if (made) exchange_set_header(x, "Cache-Control", "no-store");
  encode(row, made, &(struct json_writer){ .out = out });
  return out->failure;
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  struct store_webhook *webhook = row;
  if (expected) return store_webhook_update(exchange_app(x)->store, webhook, expected);
  webhooks_make_secret(webhook->secret);
  return store_webhook_create(exchange_app(x)->store, webhook, once);
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(x, &webhooks,
                         store_webhook_delete(exchange_app(x)->store, exchange_segment(x, "webhook"), expected));
}

static void visit(void *listing, const struct store_webhook *row)
{
  versioned_item(listing, &webhooks, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_webhook_list(exchange_app(x)->store, &listing->query, visit, listing);
}

const struct versioned webhooks = {
  .noun = "webhook",
  .article = "a",
  .segment = "webhook",
  .collection = "webhooks",
  .size = sizeof(struct store_webhook),
  .version_at = offsetof(struct store_webhook, version),
  .name_at = offsetof(struct store_webhook, name),
  .get = get_row,
  .release = wipe,
  .encode = encode_row,
  .read = read_webhook,
  .put = put,
  .most = LIMIT_WEBHOOKS,
  .remove = remove_row,
  .form = &(const struct list_form){ .sorts = "name created_at",
                                     .order = "name",
                                     .fields = "name url enabled events created_at former_secret_until" },
  .list = list,
};

static void rotate(struct exchange *x, const struct idempotency *once, void *unused)
{
  (void)unused;
  struct store *store = exchange_app(x)->store;
  struct store_webhook webhook = { 0 };
  const char *name = exchange_segment(x, "webhook");
  snprintf(webhook.name, sizeof webhook.name, "%s", name);
  webhooks_make_secret(webhook.secret);
  clock_format(clock_wall_ms() + FORMER_SECRET_MS, webhook.former_until);
  enum armdyn_status status = store_webhook_rotate(store, &webhook, idempotency_key(once));
  if (!status) status = store_webhook_get(store, name, &webhook);
  if (!missing(x, status, name)) {
    struct buffer body = BUFFER(ANSWER_MOST);
    encode_row(x, true, &webhook, &body);
    answer_etag(x, webhook.version);
    answer_json(x, 200, &body);
  }
  wipe(&webhook);
}

/* The secret was shown once. */
static void replay_rotate(struct exchange *x, const char *href)
{
  struct store_webhook webhook;
  const char *name = strrchr(href, '/') + 1;
  if (!missing(x, store_webhook_get(exchange_app(x)->store, name, &webhook), name))
    versioned_answer(x, &webhooks, &webhook);
}

enum outcome webhook_rotate(struct exchange *x)
{
  idempotency_run(x, false, replay_rotate, rotate, NULL);
  return ANSWERED;
}
