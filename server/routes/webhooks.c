/* Webhooks: who is told that jobs and transfers have ended, and what came of telling them. */
#include "server/webhooks/webhooks.h"

#include "api/codec/webhook.h"
#include "server/app.h"
#include "server/base/clock.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/jobs.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/versioned.h"
#include "server/routes/webhooks.h"

enum { ANSWER_MOST = KB(16), FORMER_SECRET_MS = 24 * 60 * 60 * 1000 };

/* -- what is told -- */

static void begin_message(struct buffer *message, const char *what, const char *state, const char *ended_at)
{
  buffer_format(message, "{\"type\":\"%s.%s\",\"timestamp\":\"%s\",\"data\":", what, state, ended_at);
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

enum armdyn_status webhook_message(struct app *app, const struct store_delivery *delivery, struct buffer *message,
                                   char traceparent[TRACE_SIZE])
{
  enum armdyn_status status = *delivery->job ? tell_job(app, delivery->job, message, traceparent)
                                             : tell_transfer(app, delivery->transfer, message, traceparent);
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
                                             .secret = with_secret ? webhook->secret : NULL };
  webhook_resource_encode(&resource, w);
}

/* Of one that was made or has a new secret that secret is shown. */
static void answer_webhook(struct exchange *x, int http_status, const struct store_webhook *webhook, bool with_secret)
{
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  encode(webhook, with_secret, &w);
  if (with_secret) exchange_set_header(x, "Cache-Control", "no-store");
  if (http_status == 201) exchange_set_header(x, "Location", "/v1/webhooks/%s", webhook->name);
  answer_etag(x, webhook->version);
  answer_json(x, http_status, &body);
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

static void visit(void *context, const struct store_webhook *webhook)
{
  struct buffer item = BUFFER(ANSWER_MOST);
  encode(webhook, false, &(struct json_writer){ .out = &item });
  listing_item(context, &item);
  buffer_release(&item);
}

enum outcome webhook_list(struct exchange *x)
{
  static const struct list_form form = {
    .sorts = "name created_at",
    .order = "name",
    .fields = "name url enabled created_at former_secret_until",
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_webhook_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}

/* The body, checked; name: as in the path, or NULL. false: answered. */
static bool read_webhook(struct exchange *x, const char *name, struct store_webhook *webhook)
{
  struct webhook_request request;
  struct faults *faults = exchange_faults(x);
  char why[160];
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = webhook_request_decode(body, length, &request, faults);
  if (!status && name && strcmp(name, request.name))
    fault_add(faults, FAULT_AT_POINTER, "/name", FAULT_INCONSISTENT, "must be '%s' as in the path, got '%s'", name,
              request.name);
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
  return true;
}

static void wipe(void *webhook)
{
  explicit_bzero(webhook, sizeof(struct store_webhook));
}

/* Make it; `taken` is the problem when there is one of its name, and `once` may be NULL. false: answered. */
static bool make(struct exchange *x, struct store_webhook *webhook, enum problem taken,
                 const struct store_idempotency *once)
{
  webhooks_make_secret(webhook->secret);
  enum armdyn_status status = store_webhook_create(exchange_app(x)->store, webhook, once);
  if (status == ARMDYN_EEXISTS)
    answer_problem(x, taken, "there is a webhook '%s' already", webhook->name);
  else if (status == ARMDYN_ELIMIT)
    answer_problem(x, PROBLEM_CONFLICT, "there are %d webhooks already; delete some", LIMIT_WEBHOOKS);
  else if (status)
    answer_status(x, status, NULL);
  return !status;
}

/* The webhook, but not its secret, which is shown once. */
static void answer_again(struct exchange *x, int http_status, const char *href)
{
  struct store_webhook webhook;
  const char *name = strrchr(href, '/') + 1;
  if (!missing(x, store_webhook_get(exchange_app(x)->store, name, &webhook), name))
    answer_webhook(x, http_status, &webhook, false);
}

static void replay_create(struct exchange *x, const char *href)
{
  answer_again(x, 201, href);
}

static void create_new(struct exchange *x, const struct idempotency *once, void *unused)
{
  (void)unused;
  struct store_webhook webhook;
  if (read_webhook(x, NULL, &webhook) && make(x, &webhook, PROBLEM_CONFLICT, idempotency_key(once)))
    answer_webhook(x, 201, &webhook, true);
  wipe(&webhook);
}

enum outcome webhook_create(struct exchange *x)
{
  idempotency_run(x, false, replay_create, create_new, NULL);
  return ANSWERED;
}

static enum armdyn_status get_row(struct exchange *x, void *row)
{
  return store_webhook_get(exchange_app(x)->store, exchange_segment(x, "webhook"), row);
}

/* Of one that was made just now its secret is shown. */
static enum armdyn_status encode_row(struct exchange *x, int http_status, const void *row, struct buffer *out)
{
  const bool with_secret = http_status == 201;
  if (with_secret) exchange_set_header(x, "Cache-Control", "no-store");
  encode(row, with_secret, &(struct json_writer){ .out = out });
  return out->failure;
}

static bool read_body(struct exchange *x, void *row)
{
  return read_webhook(x, exchange_segment(x, "webhook"), row);
}

static bool put(struct exchange *x, void *row, int64_t expected)
{
  if (!expected) return make(x, row, PROBLEM_STALE, NULL);
  return versioned_found(x, &webhooks, store_webhook_update(exchange_app(x)->store, row, expected));
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  return versioned_found(x, &webhooks,
                         store_webhook_delete(exchange_app(x)->store, exchange_segment(x, "webhook"), expected));
}

const struct versioned webhooks = {
  .noun = "webhook",
  .article = "a",
  .segment = "webhook",
  .collection = "webhooks",
  .size = sizeof(struct store_webhook),
  .version_at = offsetof(struct store_webhook, version),
  .get = get_row,
  .release = wipe,
  .encode = encode_row,
  .read = read_body,
  .put = put,
  .remove = remove_row,
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
  if (!missing(x, status, name)) answer_webhook(x, 200, &webhook, true);
  wipe(&webhook);
}

static void replay_rotate(struct exchange *x, const char *href)
{
  answer_again(x, 200, href);
}

enum outcome webhook_rotate(struct exchange *x)
{
  idempotency_run(x, false, replay_rotate, rotate, NULL);
  return ANSWERED;
}

/* -- deliveries: of a job or transfer at most one -- */

/* What may end, by the name that its id has in the path. */
struct ending {
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

static const struct ending of_job = { "job", check_job }, of_transfer = { "transfer", check_transfer };

/* That of the path; *count is 0 when nothing is told of it, or not yet. false: answered. */
static bool find_delivery(struct exchange *x, const struct ending *ending, struct store_delivery *d, size_t *count)
{
  struct store *store = exchange_app(x)->store;
  const char *id = exchange_segment(x, ending->name);
  *count = 0;
  enum armdyn_status status = ending->check(store, id);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no %s '%.64s'", ending->name, id);
    return false;
  }
  if (!status) status = store_delivery_get(store, id, d);
  if (status && status != ARMDYN_ENOTFOUND) {
    answer_status(x, status, NULL);
    return false;
  }
  *count = !status;
  return true;
}

static enum outcome answer_deliveries(struct exchange *x, const struct ending *ending, int http_status)
{
  struct store_delivery d;
  size_t count;
  if (!find_delivery(x, ending, &d, &count)) return ANSWERED;
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  json_key(&w, "items"), json_begin_array(&w);
  if (count) {
    const struct delivery_resource resource = { d.job,      d.transfer,    d.webhook, delivery_state_name(d.state),
                                                d.attempts, d.http_status, d.error,   d.created_at,
                                                d.last_at,  d.next_at };
    delivery_resource_encode(&resource, &w);
  }
  json_end_array(&w);
  json_key(&w, "next_cursor"), json_write_null(&w);
  json_end_object(&w);
  answer_json(x, http_status, &body);
  return ANSWERED;
}

static enum outcome deliver_again(struct exchange *x, const struct ending *ending)
{
  struct store_delivery d;
  size_t count;
  if (!find_delivery(x, ending, &d, &count)) return ANSWERED;
  enum armdyn_status status = count ? store_delivery_again(exchange_app(x)->store, d.id) : ARMDYN_ENOTFOUND;
  if (!status) return answer_deliveries(x, ending, 202);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "nothing was to be told of %s '%.64s'", ending->name,
                   exchange_segment(x, ending->name));
  else
    answer_status(x, status, NULL);
  return ANSWERED;
}

enum outcome job_delivery_list(struct exchange *x)
{
  return answer_deliveries(x, &of_job, 200);
}

enum outcome job_delivery_again(struct exchange *x)
{
  return deliver_again(x, &of_job);
}

enum outcome transfer_delivery_list(struct exchange *x)
{
  return answer_deliveries(x, &of_transfer, 200);
}

enum outcome transfer_delivery_again(struct exchange *x)
{
  return deliver_again(x, &of_transfer);
}
