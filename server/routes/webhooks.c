/* Webhooks: who is told that jobs have ended, and what came of telling them. */
#include "server/webhooks/webhooks.h"

#include "api/codec/webhook.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/jobs.h"
#include "server/routes/events.h"
#include "server/routes/listing.h"
#include "server/routes/route.h"
#include "server/routes/webhooks.h"

enum { ANSWER_MOST = KB(16), FORMER_SECRET_MS = 24 * 60 * 60 * 1000 };

enum armdyn_status webhook_message(struct app *app, const char *id, struct buffer *message,
                                   char traceparent[TRACE_SIZE])
{
  struct job_view view;
  enum armdyn_status status = jobs_get(app->jobs, id, &view);
  if (status) return status;
  snprintf(traceparent, TRACE_SIZE, "%s", view.job.traceparent);
  buffer_format(message, "{\"type\":\"job.%s\",\"timestamp\":\"%s\",\"data\":", job_state_name(view.job.state),
                view.job.finished_at);
  job_document(app, &view, message);
  buffer_text(message, "}");
  job_view_release(&view);
  return message->failure;
}

/* -- webhooks -- */

static void encode(const struct store_webhook *webhook, bool with_secret, struct json_writer *w)
{
  const struct webhook_resource resource = { .name = webhook->name,
                                             .url = webhook->url,
                                             .created_at = webhook->created_at,
                                             .former_until = webhook->former_until,
                                             .secret = with_secret ? webhook->secret : NULL };
  webhook_resource_encode(&resource, w);
}

static void answer_webhook(struct exchange *x, const struct store_webhook *webhook)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  encode(webhook, false, &w);
  answer_document(x, &body);
}

/* Of one that was made or has a new secret; the ETag is that of the webhook as everybody sees it. */
static void answer_with_secret(struct exchange *x, int http_status, const struct store_webhook *webhook)
{
  struct buffer shown = BUFFER(ANSWER_MOST), body = BUFFER(ANSWER_MOST);
  struct json_writer to_all = { .out = &shown }, w = { .out = &body };
  encode(webhook, false, &to_all);
  encode(webhook, true, &w);
  exchange_set_header(x, "Cache-Control", "no-store");
  if (http_status == 201) exchange_set_header(x, "Location", "/v1/webhooks/%s", webhook->name);
  answer_etag(x, version_of_content(shown.data, shown.length));
  buffer_release(&shown);
  answer_json(x, http_status, &body);
}

static bool missing(struct exchange *x, enum armdyn_status status, const char *name)
{
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no webhook '%.64s'", name);
  else if (status)
    answer_status(x, status, NULL);
  return status != ARMDYN_OK;
}

enum outcome webhook_get(struct exchange *x)
{
  struct store_webhook webhook;
  const char *name = exchange_segment(x, "webhook");
  if (!missing(x, store_webhook_get(exchange_app(x)->store, name, &webhook), name)) answer_webhook(x, &webhook);
  return ANSWERED;
}

static void visit(void *context, const struct store_webhook *webhook)
{
  struct listing *listing = context;
  if (listing_takes(listing, webhook->name)) encode(webhook, false, &listing->writer);
}

enum outcome webhook_list(struct exchange *x)
{
  struct listing listing;
  if (!listing_begin(&listing, x)) return ANSWERED;
  listing_end(&listing, store_webhook_list(exchange_app(x)->store, &listing.page, visit, &listing));
  return ANSWERED;
}

/* A name is its own idempotency: the same request again finds it taken. */
enum outcome webhook_create(struct exchange *x)
{
  struct app *app = exchange_app(x);
  struct webhook_request request;
  struct store_webhook webhook = { 0 };
  char why[160];
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = webhook_request_decode(body, length, &request, exchange_faults(x));
  if (!status && !webhooks_take_url(app->webhooks, request.url, why)) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/url", FAULT_PATTERN, "%s, got '%.200s'", why, request.url);
    status = ARMDYN_EINPUT;
  }
  if (!status) {
    memcpy(webhook.name, request.name, sizeof webhook.name);
    memcpy(webhook.url, request.url, sizeof webhook.url);
    webhooks_make_secret(webhook.secret);
    status = store_webhook_create(app->store, &webhook);
  }
  if (status == ARMDYN_EEXISTS)
    answer_problem(x, PROBLEM_CONFLICT, "there is a webhook '%s' already", request.name);
  else if (status == ARMDYN_ELIMIT)
    answer_problem(x, PROBLEM_CONFLICT, "there are %d webhooks already; delete some", LIMIT_WEBHOOKS);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_with_secret(x, 201, &webhook);
  explicit_bzero(webhook.secret, sizeof webhook.secret);
  return ANSWERED;
}

enum outcome webhook_rotate(struct exchange *x)
{
  struct store *store = exchange_app(x)->store;
  struct store_webhook webhook = { 0 };
  const char *name = exchange_segment(x, "webhook");
  snprintf(webhook.name, sizeof webhook.name, "%s", name);
  webhooks_make_secret(webhook.secret);
  clock_format(clock_wall_ms() + FORMER_SECRET_MS, webhook.former_until);
  enum armdyn_status status = store_webhook_rotate(store, &webhook);
  if (!status) status = store_webhook_get(store, name, &webhook);
  if (!missing(x, status, name)) answer_with_secret(x, 200, &webhook);
  explicit_bzero(&webhook, sizeof webhook);
  return ANSWERED;
}

enum outcome webhook_delete(struct exchange *x)
{
  const char *name = exchange_segment(x, "webhook");
  if (!missing(x, store_webhook_delete(exchange_app(x)->store, name), name)) answer_empty(x, 204);
  return ANSWERED;
}

/* -- deliveries: of a job at most one -- */

static void answer_deliveries(struct exchange *x, int http_status)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, "job");
  struct store_delivery d;
  struct store_job job;
  enum armdyn_status status = store_job_get(app->store, id, &job);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no job '%.64s'", id);
    return;
  }
  store_job_release(&job);
  if (!status) status = store_delivery_get(app->store, id, &d);
  if (status && status != ARMDYN_ENOTFOUND) {
    answer_status(x, status, NULL);
    return;
  }
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "items"), json_begin_array(&w);
  if (!status) {
    const struct delivery_resource resource = { d.job,        d.webhook,     delivery_state_name(d.state),
                                                d.attempts,   d.http_status, d.error,
                                                d.created_at, d.last_at,     d.next_at };
    delivery_resource_encode(&resource, &w);
  }
  json_end_array(&w);
  json_key(&w, "next_cursor"), json_write_null(&w);
  json_end_object(&w);
  answer_json(x, http_status, &body);
}

enum outcome delivery_list(struct exchange *x)
{
  answer_deliveries(x, 200);
  return ANSWERED;
}

enum outcome delivery_again(struct exchange *x)
{
  const char *id = exchange_segment(x, "job");
  enum armdyn_status status = store_delivery_again(exchange_app(x)->store, id);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "nothing was to be told of job '%.64s'", id);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_deliveries(x, 202);
  return ANSWERED;
}
