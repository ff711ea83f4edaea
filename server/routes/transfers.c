/* Transfers: trajectories on their way to a controller, and the motion that comes of them. */
#include "api/codec/transfer.h"

#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/routes/account.h"
#include "server/routes/events.h"
#include "server/routes/handlers.h"
#include "server/routes/list_ranges.h"
#include "server/routes/motion.h"
#include "server/transfers/held_part.h"
#include "server/transfers/playback.h"
#include "server/transfers/prepare.h"
#include "server/webhooks/callback.h"

enum { ANSWER_MOST = MB(1) };

/* -- answering with a transfer -- */

static struct transfer_resource resource_of(const struct store_transfer *t, bool summary)
{
  return (struct transfer_resource){ .id = t->id,
                                     .controller = t->controller,
                                     .trajectory = t->trajectory,
                                     .state = transfer_state_name(t->state),
                                     .sent = t->sent,
                                     .total = t->total,
                                     .created_at = t->created_at,
                                     .started_at = t->started_at,
                                     .finished_at = t->finished_at,
                                     .history = t->history,
                                     .problem = t->problem,
                                     .request = t->request,
                                     .tags = t->tags,
                                     .job_order_id = t->job_order_id,
                                     .work_master_id = t->work_master_id,
                                     .equipment_id = t->equipment_id,
                                     .created_by = t->created_by_name,
                                     .reason = t->reason,
                                     .verdict = t->verdict,
                                     .notes = t->notes,
                                     .measured = t->measured,
                                     .unmeasured = t->unmeasured,
                                     .traceparent = t->traceparent,
                                     .summary = summary };
}

/* What was measured has the transfer's own id. */
static struct store_referral telemetry_of(const char *id)
{
  struct store_referral referral = { .kind = "dataset" };
  snprintf(referral.id, sizeof referral.id, "%s", id);
  return referral;
}

enum armdyn_status transfer_summary(const struct store_transfer *transfer, struct buffer *out)
{
  struct transfer_resource resource = resource_of(transfer, true);
  struct json_writer w = { .out = out };
  transfer_resource_encode(&resource, &w);
  return out->failure;
}

enum armdyn_status transfer_document(struct app *app, const struct store_transfer *transfer, struct buffer *out)
{
  struct transfer_resource resource = resource_of(transfer, false);
  const struct store_referral measured = telemetry_of(transfer->id);
  resource.has_telemetry = transfer_state_final(transfer->state) && !store_referral_check(app->store, &measured);
  struct json_writer w = { .out = out };
  transfer_resource_encode(&resource, &w);
  return out->failure;
}

static void answer_transfer(struct exchange *x, int http_status, const char *id)
{
  struct store_transfer transfer;
  enum armdyn_status status = gateway_transfer(exchange_app(x)->gateway, id, &transfer);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no transfer '%.64s'", id);
    return;
  }
  if (status) {
    answer_status(x, status, NULL);
    return;
  }
  exchange_is_about_order(x, transfer.job_order_id);
  struct buffer body = BUFFER(ANSWER_MOST);
  (void)transfer_document(exchange_app(x), &transfer, &body); /* a failed body fails the answer */
  store_transfer_release(&transfer);
  if (http_status == 200)
    answer_document(x, &body);
  else
    answer_json(x, http_status, &body);
}

enum outcome transfer_get(struct exchange *x)
{
  answer_transfer(x, 200, exchange_segment(x, "transfer"));
  return ANSWERED;
}

static void visit(void *context, const struct store_transfer *row)
{
  struct listing *listing = context;
  struct store_transfer fresh = *row;
  gateway_refresh(exchange_app(listing->x)->gateway, &fresh);
  struct buffer item = BUFFER(ANSWER_MOST);
  (void)transfer_summary(&fresh, &item); /* a failed item fails the list */
  listing_item(listing, &item);
  buffer_release(&item);
}

enum outcome transfer_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller trajectory verdict",
    .sorts = "created_at started_at finished_at controller state",
    .fields = "id controller trajectory state sent total created_at started_at finished_at tags job_order_id"
              " work_master_id equipment_id created_by reason verdict measured unmeasured",
  };
  struct listing listing;
  struct list_ranges ranges;
  struct buffer totals = BUFFER(KB(4));
  int64_t counts[TRANSFER_STATE_COUNT];
  struct store *store = exchange_app(x)->store;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  const bool states = list_states(&listing, transfer_state_names, TRANSFER_STATE_COUNT, &ranges);
  if (!list_times(&listing, &ranges) || !states) {
    listing_refuse(&listing);
    return ANSWERED;
  }
  enum armdyn_status status = store_transfer_totals(store, &listing.query, counts);
  if (!status) list_totals(&listing, transfer_state_names, counts, TRANSFER_STATE_COUNT, &totals);
  list_add_states(&listing, &ranges, transfer_state_names);
  if (!status) status = store_transfer_list(store, &listing.query, visit, &listing);
  listing_end(&listing, status);
  buffer_release(&totals);
  return ANSWERED;
}

/* -- may this service start the motion? -- */

static const int64_t AHEAD_MOST_MS = (int64_t)(1000 * TRANSFER_START_WITHIN_MOST);

/* start_before: not passed, and at most a minute ahead. `latest`: where it says none, or a later moment. false: answered. */
static bool starts_soon(struct exchange *x, const char *text, int64_t latest, int64_t *ms)
{
  const int64_t before = *text ? clock_parse(text) : latest, ahead = before - clock_wall_ms();
  *ms = before < latest ? before : latest;
  if (!*text || (ahead > 0 && ahead <= AHEAD_MOST_MS)) return true;
  if (ahead > 0) {
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/start_before", FAULT_MAXIMUM, "must be at most 60 s ahead");
    answer_problem(x, PROBLEM_INVALID, NULL);
  } else {
    answer_problem(x, PROBLEM_START_EXPIRED, "start_before has passed: %s", text);
  }
  return false;
}

/* Wall clock, ms, so long from now; NAN: never. */
static int64_t after_s(double seconds)
{
  return isnan(seconds) ? INT64_MAX : clock_wall_ms() + (int64_t)ceil(1000 * seconds);
}

bool may_start(struct exchange *x, const struct controller_description *controller)
{
  if (!exchange_may_move(x, controller->name)) return false;
  if (controller->profile.allow_start) return true;
  answer_problem(x, PROBLEM_CONFLICT,
                 "controller '%s' does not say allow_start: its PLC starts what is armed, not this service",
                 controller->name);
  return false;
}

/* -- creating one: every check comes before the lease, and before the gateway hears of it -- */

bool transfer_prepare_for(struct exchange *x, struct prepared_transfer *p)
{
  p->app = exchange_app(x);
  p->why.faults = exchange_faults(x);
  if (transfer_prepare(p)) return true;
  answer_refusal(x, &p->why);
  return false;
}

/* What comes before the motion is looked at. false: answered. */
static bool permitted(struct exchange *x, struct prepared_transfer *p)
{
  const struct transfer_request *request = &p->request;
  return callback_is_known(x, request->callback.webhook) &&
         (!request->start ||
          (may_start(x, &p->controller) &&
           starts_soon(x, request->start_before, after_s(TRANSFER_EXPIRES_WITHIN), &p->start_before_ms)));
}

static void submit(struct exchange *x, struct prepared_transfer *p, const struct idempotency *once)
{
  struct store_transfer transfer = { .state = TRANSFER_QUEUED };
  account_of(x, transfer.created_by_name, transfer.reason);
  struct buffer request = BUFFER(LIMIT_MODEL_BODY), tags = BUFFER(LIMIT_MODEL_BODY);
  size_t length;
  bool stayed = true;
  char holder[ID_SIZE];
  id_make(transfer.id);
  memcpy(transfer.controller, p->controller.name, sizeof transfer.controller);
  memcpy(transfer.trajectory, p->trajectory.id, sizeof transfer.trajectory);
  snprintf(transfer.traceparent, sizeof transfer.traceparent, "%s", exchange_traceparent(x));
  memcpy(transfer.job_order_id, p->request.job_order_id, sizeof transfer.job_order_id);
  memcpy(transfer.work_master_id, p->request.work_master_id, sizeof transfer.work_master_id);
  memcpy(transfer.equipment_id, p->request.equipment_id, sizeof transfer.equipment_id);
  transfer_request_encode(&p->request, &request);
  transfer_tags_encode(&p->request, &tags);
  transfer.request = buffer_take(&request, &length);
  transfer.tags = buffer_take(&tags, &length);
  prepared_transfer_name(p, transfer.id);

  enum armdyn_status status = ARMDYN_EMEMORY;
  if (transfer.request && transfer.tags) {
    held_part_lock();
    stayed = held_part_stayed(p);
    if (stayed) {
      status = gateway_submit(exchange_app(x)->gateway, &transfer, idempotency_key(once), p->order, holder);
      p->order = NULL;
    }
    held_part_unlock();
  }
  if (!stayed) {
    answer_refusal(x, &p->why);
  } else if (status == ARMDYN_EBUSY && *holder) {
    answer_lease_held(x, p->controller.name, holder);
  } else if (status == ARMDYN_EUNAVAILABLE && gateway_draining(exchange_app(x)->gateway)) {
    exchange_set_header(x, "Retry-After", "5");
    answer_problem(x, PROBLEM_UNAVAILABLE, "no transfers are taken now: the service is drained");
  } else if (status) {
    answer_status(x, status, NULL);
  } else {
    exchange_set_header(x, "Location", "/v1/transfers/%s", transfer.id);
    answer_transfer(x, 202, transfer.id);
  }
  buffer_release(&request);
  buffer_release(&tags);
  store_transfer_release(&transfer);
}

/* idempotency_run for what may wait for its answer, or demands the key only sometimes: true: go on, and end it with
 * idempotency_end. false: answered, of a request that was made before with the transfer as it is now. */
static bool begin_once(struct exchange *x, bool demanded, struct idempotency *once)
{
  char *href = NULL;
  enum idempotency_verdict verdict = idempotency_begin(x, demanded, once, &href);
  if (verdict == IDEMPOTENCY_REPLAY) {
    exchange_set_header(x, "Location", "%s", href);
    answer_transfer(x, 202, strrchr(href, '/') + 1);
    free(href);
  }
  return verdict == IDEMPOTENCY_NEW;
}

enum outcome transfer_create(struct exchange *x)
{
  struct prepared_transfer *p = calloc(1, sizeof *p);
  struct idempotency once;
  if (!p) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = transfer_request_decode(body, length, &p->request, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
  } else if (exchange_is_about_order(x, p->request.job_order_id), begin_once(x, p->request.start, &once)) {
    if (controller_of_request(x, exchange_segment(x, "controller"), &p->controller, NULL) && permitted(x, p) &&
        transfer_prepare_for(x, p))
      submit(x, p, &once);
    idempotency_end(x, &once);
  }
  prepared_transfer_free(p);
  return ANSWERED;
}

/* -- commands -- */

/* Somebody waits for what comes of a command. */
struct commanding {
  struct exchange *x;
  char id[ID_SIZE];
};

static void command_answered(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  (void)seen;
  struct commanding *c = context;
  struct exchange *x = c->x;
  if (status == ARMDYN_OK || status == ARMDYN_EUNAVAILABLE) /* no answer yet: the transfer will tell */
    answer_transfer(x, 202, c->id);
  else
    answer_problem(x, PROBLEM_CONTROLLER_REFUSED, "%s", text);
  free(c);
  exchange_resume(x);
}

static enum outcome command(struct exchange *x, const struct store_transfer *transfer, enum transfer_command_kind kind,
                            int64_t start_before_ms)
{
  struct gateway *gateway = exchange_app(x)->gateway;
  struct commanding *c = exchange_may_wait(x) ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    gateway_command(gateway, transfer->controller, transfer->id, kind, start_before_ms, NULL, NULL);
    answer_transfer(x, 202, transfer->id);
    return ANSWERED;
  }
  c->x = x;
  memcpy(c->id, transfer->id, sizeof c->id);
  gateway_command(gateway, transfer->controller, transfer->id, kind, start_before_ms, command_answered, c);
  return WAITS;
}

/* The transfer of the path, if it is in this state. false: answered. */
static bool transfer_in(struct exchange *x, enum transfer_state state, struct store_transfer *transfer)
{
  const char *id = exchange_segment(x, "transfer");
  enum armdyn_status status = gateway_transfer(exchange_app(x)->gateway, id, transfer);
  if (!status) exchange_is_about_order(x, transfer->job_order_id);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no transfer '%.64s'", id);
  } else if (status) {
    answer_status(x, status, NULL);
  } else if (transfer->state != state) {
    answer_problem(x, PROBLEM_CONFLICT, "the transfer is %s, not %s", transfer_state_name(transfer->state),
                   transfer_state_name(state));
    store_transfer_release(transfer);
  } else {
    return true;
  }
  return false;
}

/* What is armed may be started by the PLC at any moment: arming is a part of moving. */
enum outcome transfer_arm(struct exchange *x)
{
  struct store_transfer transfer;
  enum outcome outcome = ANSWERED;
  if (!transfer_in(x, TRANSFER_READY, &transfer)) return ANSWERED;
  if (exchange_may_move(x, transfer.controller)) outcome = command(x, &transfer, ASK_ARM, 0);
  store_transfer_release(&transfer);
  return outcome;
}

enum outcome transfer_hold(struct exchange *x)
{
  struct store_transfer transfer;
  if (!transfer_in(x, TRANSFER_PLAYING, &transfer)) return ANSWERED;
  enum outcome outcome = command(x, &transfer, ASK_HOLD, 0);
  store_transfer_release(&transfer);
  return outcome;
}

/* The controller of a transfer, if it lets this service start motion. false: answered. */
static bool startable(struct exchange *x, const struct store_transfer *transfer)
{
  struct controller_description controller;
  return controller_of_request(x, transfer->controller, &controller, NULL) && may_start(x, &controller);
}

/* The key is kept before the gateway hears of it: a repeat, however late, never moves the arm on again. */
static enum outcome remember_and_resume(struct exchange *x, const struct store_transfer *transfer,
                                        const struct idempotency *once)
{
  enum armdyn_status status =
      store_idempotency_remember(exchange_app(x)->store, idempotency_key(once), "transfers", transfer->id);
  if (!status) return command(x, transfer, ASK_RESUME, 0);
  answer_status(x, status, NULL);
  return ANSWERED;
}

enum outcome transfer_resume(struct exchange *x)
{
  struct idempotency once;
  struct store_transfer transfer;
  enum outcome outcome = ANSWERED;
  if (!begin_once(x, true, &once)) return ANSWERED;
  if (transfer_in(x, TRANSFER_HOLDING, &transfer)) {
    if (startable(x, &transfer)) outcome = remember_and_resume(x, &transfer, &once);
    store_transfer_release(&transfer);
  }
  idempotency_end(x, &once);
  return outcome;
}

/* START is claimed in the store, durably and for ever, before the gateway hears of it. */
static enum outcome claim_and_start(struct exchange *x, const struct store_transfer *transfer, int64_t start_before_ms,
                                    const struct idempotency *once)
{
  enum armdyn_status status =
      store_transfer_claim_start_with(exchange_app(x)->store, transfer->id, idempotency_key(once));
  if (!status) return command(x, transfer, ASK_START, start_before_ms);
  if (status == ARMDYN_ECONFLICT)
    answer_problem(x, PROBLEM_CONFLICT, "START was sent for this transfer already; it is sent once, for ever");
  else
    answer_status(x, status, NULL);
  return ANSWERED;
}

enum outcome transfer_start(struct exchange *x)
{
  struct start_request request;
  struct idempotency once;
  struct store_transfer transfer;
  enum outcome outcome = ANSWERED;
  int64_t start_before_ms;
  size_t length;
  if (!begin_once(x, true, &once)) return ANSWERED;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = start_request_decode(body, length, &request, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
  } else if (transfer_in(x, TRANSFER_ARMED, &transfer)) {
    if (startable(x, &transfer) &&
        starts_soon(x, request.start_before, after_s(request.start_within), &start_before_ms))
      outcome = claim_and_start(x, &transfer, start_before_ms, &once);
    store_transfer_release(&transfer);
  }
  idempotency_end(x, &once);
  return outcome;
}

enum outcome transfer_stop(struct exchange *x)
{
  const char *id = exchange_segment(x, "transfer");
  char controller[ARMDYN_NAME_SIZE], order[LABEL_SIZE] = "";
  const bool live = gateway_controller_of(exchange_app(x)->gateway, id, controller, order);
  exchange_is_about_order(x, order);
  if (live) return stop_and_answer(x, controller, id);
  if (exchange_app(x)->stand_in) {
    answer_problem(
        x, PROBLEM_UNAVAILABLE,
        "this node stands by, and knows no transfer '%.64s' that has not ended: stop its controller, or all of "
        "them (POST /v1/controllers/stop)",
        id);
    return ANSWERED;
  }
  if (!exchange_may_block(x)) return BLOCKS;
  struct store_transfer transfer;
  enum armdyn_status status = store_transfer_get(exchange_app(x)->store, id, &transfer);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no transfer '%.64s'", id);
    return ANSWERED;
  }
  if (status) {
    answer_status(x, status, NULL);
    return ANSWERED;
  }
  exchange_is_about_order(x, transfer.job_order_id);
  enum outcome outcome = stop_and_answer(x, transfer.controller, id);
  store_transfer_release(&transfer);
  return outcome;
}

enum outcome transfer_comparison(struct exchange *x)
{
  struct app *app = exchange_app(x);
  const char *id = exchange_segment(x, "transfer");
  struct store_transfer transfer = { .total = 0 };
  struct buffer body = BUFFER(MB(1));
  enum armdyn_status status = gateway_transfer(app->gateway, id, &transfer);
  const char *missing = status == ARMDYN_ENOTFOUND ? "there is no such transfer" : NULL;
  if (!status) status = playback_compare(app, &transfer, &body, &missing);
  if (missing)
    answer_problem(x, PROBLEM_NOT_FOUND, "transfer '%.64s': %s", id, missing);
  else if (status)
    answer_status(x, status, NULL);
  else
    answer_json(x, 200, &body);
  store_transfer_release(&transfer);
  buffer_release(&body);
  return ANSWERED;
}
