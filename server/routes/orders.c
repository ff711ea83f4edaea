/* Orders: from a job order to the motion, and the queues that they stand in. */
#include "api/codec/order.h"

#include <math.h>

#include "api/codec/history.h"
#include "api/codec/transfer.h"

#include "server/app.h"
#include "server/data/stored_part.h"
#include "server/gateway/gateway.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/jobs.h"
#include "server/orders/orders.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/motion.h"
#include "server/work/kinds.h"

enum { ANSWER_MOST = MB(1) };

/* -- answering with an order -- */

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

static enum armdyn_status encode(struct app *app, const struct store_order *row, bool summary, struct buffer *out)
{
  struct order_place place = { .position = 0 };
  char eta[TIME_SIZE] = "";
  struct order_resource order = { .id = row->id,
                                  .controller = row->controller,
                                  .state = order_state_name(row->state),
                                  .start = row->automatic ? "automatic" : "on_request",
                                  .created_by = row->created_by_name,
                                  .started_by = row->started_by_name,
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
                                  .history = row->history,
                                  .problem = row->problem,
                                  .request = row->request,
                                  .tags = row->tags,
                                  .job_order_id = row->job_order_id,
                                  .work_master_id = row->work_master_id,
                                  .equipment_id = row->equipment_id,
                                  .traceparent = row->traceparent,
                                  .summary = summary };
  if (!order_state_final(row->state)) orders_place(app->orders, row->controller, row->id, &place);
  order.position = place.position;
  order.blocked = place.blocked;
  order.message = place.message;
  tell_progress(row, &order, eta);
  struct json_writer w = { .out = out };
  order_resource_encode(&order, &w);
  return out->failure;
}

/* The order of this id. false: answered. */
static bool find(struct exchange *x, const char *id, struct store_order *row)
{
  enum armdyn_status status = store_order_get(exchange_app(x)->store, id, row);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no order '%.64s'", id);
  else if (status)
    answer_status(x, status, NULL);
  return !status;
}

static void answer_order(struct exchange *x, int http_status, const char *id)
{
  struct store_order row;
  struct buffer body = BUFFER(ANSWER_MOST);
  if (!find(x, id, &row)) return;
  (void)encode(exchange_app(x), &row, false, &body); /* a failed body fails the answer */
  store_order_release(&row);
  if (http_status == 200)
    answer_document(x, &body);
  else
    answer_json(x, http_status, &body);
}

enum outcome order_get(struct exchange *x)
{
  answer_order(x, 200, exchange_segment(x, "order"));
  return ANSWERED;
}

/* -- a new one: whatever can be known now is refused now -- */

static bool refuse_at(struct exchange *x, const char *pointer, const char *detail, const char *value)
{
  fault_add(exchange_faults(x), FAULT_AT_POINTER, pointer, FAULT_INCONSISTENT, detail, value);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

static bool permitted(struct exchange *x, const struct order_request *request,
                      struct controller_description *controller)
{
  struct app *app = exchange_app(x);
  struct store_controller row;
  enum armdyn_status status = store_controller_get(app->store, request->controller, &row);
  store_controller_release(&row);
  if (status == ARMDYN_ENOTFOUND)
    return refuse_at(x, "/controller", "there is no controller '%s'", request->controller);
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  if (!controller_of_request(x, request->controller, controller, NULL)) return false;
  if (!exchange_may_move(x, request->controller)) return false;
  if (request->start == ORDER_AUTOMATIC && !may_start(x, controller)) return false;
  if (!controller->enabled) {
    answer_problem(x, PROBLEM_CONFLICT, "%s", gateway_barred);
  } else if (jobs_draining(app->jobs) || gateway_draining(app->gateway)) {
    exchange_set_header(x, "Retry-After", "5");
    answer_problem(x, PROBLEM_UNAVAILABLE, "no orders are taken now: the service is drained");
  } else {
    return true;
  }
  return false;
}

/* Somewhere within the limits: where it really begins is not known yet. */
static void some_start(const struct armdyn_robot_description *robot, double *q)
{
  for (size_t j = 0; j < robot->joint_count; j++) {
    const struct armdyn_joint *joint = &robot->joints[j];
    const double low = joint->limits.position[0], high = joint->limits.position[1];
    q[j] = isfinite(low) && isfinite(high) ? (low + high) / 2 : 0;
  }
}

/* from.q as given; false: a fault. */
static bool given_start(struct exchange *x, const struct order_request *request, size_t joints, double *q)
{
  cJSON *from = document_open(request->from);
  const size_t count = document_numbers(from, "q", q, joints);
  bool good =
      count == joints && (size_t)cJSON_GetArraySize(document_at(from, "q")) == joints && cJSON_GetArraySize(from) == 1;
  for (size_t j = 0; good && j < joints; j++) good = isfinite(q[j]);
  document_close(from);
  if (!good)
    fault_add(exchange_faults(x), FAULT_AT_POINTER, "/from", FAULT_LENGTH, "must be {\"q\": [...]} with %zu numbers",
              joints);
  return good;
}

/* Would its trajectory be accepted? Faults have the places of the order. */
static enum armdyn_status check_plan(struct exchange *x, const struct order_request *request,
                                     const struct robot_entry *entry)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct faults *faults = exchange_faults(x);
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY), text = BUFFER(LIMIT_MODEL_BODY);
  double start[ARMDYN_JOINTS_MAX];
  cJSON *tree = NULL;
  bool changed = false;
  some_start(robot, start);
  if (request->from && !given_start(x, request, robot->joint_count, start)) return ARMDYN_EINPUT;
  order_trajectory_encode(request, start, robot->joint_count, &plain);
  enum armdyn_status status = plain.failure ? plain.failure : document_parse(plain.data, plain.length, faults, &tree);
  if (!status) status = stored_part_put_in(exchange_app(x)->store, robot->name, tree, &changed);
  if (!status) document_write(&(struct json_writer){ .out = &text }, tree);
  if (!status) status = text.failure;
  if (!status) status = job_kind_accept(&trajectory_kind, robot, text.data, text.length, &accepted, faults);
  for (size_t k = 0; k < faults->count && k < LIMIT_FAULTS; k++) {
    char where[sizeof faults->items[k].where];
    order_pointer_of(faults->items[k].where, where, sizeof where);
    memcpy(faults->items[k].where, where, sizeof where);
  }
  document_close(tree);
  buffer_release(&accepted.tags);
  buffer_release(&text);
  buffer_release(&plain);
  return status;
}

static bool plannable(struct exchange *x, const struct order_request *request,
                      const struct controller_description *controller)
{
  struct robots *robots = exchange_app(x)->robots;
  const struct robot_entry *entry = NULL;
  enum armdyn_status status = robots_get(robots, controller->robot, controller->revision, true, &entry);
  if (!status) status = check_plan(x, request, entry);
  if (entry) robots_release(robots, entry);
  if (status) answer_status(x, status, NULL);
  return !status;
}

/* The row to be stored; its texts are the caller's to release. */
static bool fill(struct exchange *x, const struct order_request *request, struct store_order *row)
{
  const struct caller *caller = exchange_caller(x);
  struct buffer text = BUFFER(LIMIT_MODEL_BODY), tags = BUFFER(LIMIT_MODEL_BODY);
  const int64_t now = clock_wall_ms();
  const double within = isnan(request->expires_within) ? ORDER_EXPIRES_WITHIN : request->expires_within;
  size_t length;
  id_make(row->id);
  memcpy(row->controller, request->controller, sizeof row->controller);
  row->state = ORDER_ACCEPTED;
  row->priority = request->priority;
  row->automatic = request->start == ORDER_AUTOMATIC;
  memcpy(row->created_by, caller->id, sizeof row->created_by);
  snprintf(row->created_by_name, sizeof row->created_by_name, "%s", *caller->name ? caller->name : caller->id);
  clock_format(now, row->created_at);
  if (row->automatic) clock_format(now + (int64_t)(1000 * within), row->expires_at);
  snprintf(row->traceparent, sizeof row->traceparent, "%s", exchange_traceparent(x));
  order_request_encode(request, &text);
  tags_encode(&request->tags, &tags);
  row->request = buffer_take(&text, &length);
  row->tags = buffer_take(&tags, &length);
  row->history = history_with(NULL, order_state_name(ORDER_ACCEPTED), row->created_at, "", false);
  buffer_release(&text);
  buffer_release(&tags);
  return row->request && row->tags && row->history;
}

static void replay(struct exchange *x, const char *href)
{
  exchange_set_header(x, "Location", "%s", href);
  answer_order(x, 202, strrchr(href, '/') + 1);
}

static void create(struct exchange *x, const struct idempotency *once, void *context)
{
  const struct order_request *request = context;
  struct controller_description controller;
  struct store_order row = { .priority = 0 };
  struct refusal why = { .faults = exchange_faults(x) };
  if (!permitted(x, request, &controller) || !plannable(x, request, &controller)) return;
  if (!fill(x, request, &row)) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
  } else if (!orders_accept(exchange_app(x)->orders, &row, idempotency_key(once), &why)) {
    answer_refusal(x, &why);
  } else {
    exchange_set_header(x, "Location", "/v1/orders/%s", row.id);
    answer_order(x, 202, row.id);
  }
  store_order_release(&row);
}

enum outcome order_create(struct exchange *x)
{
  struct order_request *request = calloc(1, sizeof *request);
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status =
      request ? order_request_decode(body, length, request, exchange_faults(x)) : ARMDYN_EMEMORY;
  if (status) {
    answer_status(x, status, NULL);
  } else {
    idempotency_run(x, false, replay, create, request);
    order_request_release(request);
  }
  free(request);
  return ANSWERED;
}

/* -- the list -- */

struct order_listing {
  struct listing listing;
  char states[256];
  char times[4][TIME_SIZE];
};

static void visit(void *context, const struct store_order *row)
{
  struct order_listing *l = context;
  struct buffer item = BUFFER(ANSWER_MOST);
  (void)encode(exchange_app(l->listing.x), row, true, &item); /* a failed item fails the list */
  listing_item(&l->listing, &item);
  buffer_release(&item);
}

static bool is_state(const char *word, size_t length)
{
  for (int state = 0; state < ORDER_STATE_COUNT; state++) {
    const char *name = order_state_name((enum order_state)state);
    if (strlen(name) == length && !memcmp(name, word, length)) return true;
  }
  return false;
}

/* ?state=queued,running; false: a fault. */
static bool take_states(struct order_listing *l)
{
  const char *text = exchange_query(l->listing.x, "state");
  struct store_query *query = &l->listing.query;
  if (!text) return true;
  for (const char *word = text;; word++) {
    const size_t length = strcspn(word, ",");
    if (!is_state(word, length) || strlen(text) >= sizeof l->states) {
      fault_add(exchange_faults(l->listing.x), FAULT_AT_PARAMETER, "state", FAULT_ENUM,
                "must be states with commas between; there is no state '%.*s'", length < 64 ? (int)length : 64, word);
      return false;
    }
    word += length;
    if (!*word) break;
  }
  snprintf(l->states, sizeof l->states, "%s", text);
  query->filters[query->filter_count++] =
      (struct store_filter){ .name = "state", .match = STORE_AMONG, .text = l->states };
  return true;
}

/* ?created_after= and so on, with any offset; false: a fault. */
static bool take_times(struct order_listing *l)
{
  static const struct {
    const char *parameter, *column;
    enum store_match match;
  } ranges[] = {
    { "created_after", "created_at", STORE_AT_LEAST },
    { "created_before", "created_at", STORE_BELOW },
    { "finished_after", "finished_at", STORE_AT_LEAST },
    { "finished_before", "finished_at", STORE_BELOW },
  };
  struct store_query *query = &l->listing.query;
  bool good = true;
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    const char *text = exchange_query(l->listing.x, ranges[k].parameter);
    const int64_t ms = clock_parse(text);
    if (!text) continue;
    if (ms < 0) {
      fault_add(exchange_faults(l->listing.x), FAULT_AT_PARAMETER, ranges[k].parameter, FAULT_PATTERN,
                "must be an RFC 3339 time, got '%.64s'", text);
      good = false;
      continue;
    }
    clock_format(ms, l->times[k]);
    query->filters[query->filter_count++] =
        (struct store_filter){ .name = ranges[k].column, .match = ranges[k].match, .text = l->times[k] };
  }
  return good;
}

static enum armdyn_status write_totals(struct exchange *x, struct buffer *out)
{
  int64_t totals[ORDER_STATE_COUNT];
  struct json_writer w = { .out = out };
  enum armdyn_status status = store_order_totals(exchange_app(x)->store, exchange_query(x, "controller"),
                                                 exchange_query(x, "job_order_id"), totals);
  json_begin_object(&w);
  for (int state = 0; state < ORDER_STATE_COUNT && !status; state++)
    json_key(&w, order_state_name((enum order_state)state)), json_write_integer(&w, totals[state]);
  json_end_object(&w);
  return status ? status : out->failure;
}

enum outcome order_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "controller",
    .sorts = "created_at started_at finished_at controller state priority",
    .fields = "id controller state start priority created_by started_by queue_position blocked message progress eta "
              "created_at expires_at ready_at started_at finished_at job trajectory transfer plan tags job_order_id "
              "work_master_id equipment_id",
  };
  struct order_listing l = { .states = "" };
  struct buffer totals = BUFFER(KB(4));
  if (!listing_query(&l.listing, x, &form)) return ANSWERED;
  const bool states = take_states(&l), times = take_times(&l);
  if (states && times) {
    enum armdyn_status status = write_totals(x, &totals);
    if (!status) status = store_order_list(exchange_app(x)->store, &l.listing.query, visit, &l);
    l.listing.totals = totals.data;
    listing_end(&l.listing, status);
  } else {
    listing_refuse(&l.listing);
  }
  buffer_release(&totals);
  return ANSWERED;
}

/* -- what people ask of one -- */

/* After a command. */
static void answer_commanded(struct exchange *x, const char *id, bool good, const struct refusal *why)
{
  if (good)
    answer_order(x, 202, id);
  else
    answer_refusal(x, why);
}

static bool startable(struct exchange *x, const struct store_order *row)
{
  struct controller_description controller;
  return controller_of_request(x, row->controller, &controller, NULL) && may_start(x, &controller);
}

/* What moves the arm is asked for once: a repeat, however late, answers the order as it is then. */
typedef bool moving_command(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                            struct refusal *why);
static bool begin(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                  struct refusal *why)
{
  return orders_begin(exchange_app(x)->orders, row, exchange_caller(x), key, why);
}

static bool resume(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                   struct refusal *why)
{
  return orders_resume(exchange_app(x)->orders, row, key, why);
}

struct moving {
  moving_command *command;
};

static void replay_command(struct exchange *x, const char *href)
{
  answer_order(x, 202, strrchr(href, '/') + 1);
}

static void move(struct exchange *x, const struct idempotency *once, void *context)
{
  const struct moving *moving = context;
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!find(x, exchange_segment(x, "order"), &row)) return;
  if (startable(x, &row)) answer_commanded(x, row.id, moving->command(x, &row, idempotency_key(once), &why), &why);
  store_order_release(&row);
}

enum outcome order_start(struct exchange *x)
{
  idempotency_run(x, true, replay_command, move, &(struct moving){ begin });
  return ANSWERED;
}

enum outcome order_resume(struct exchange *x)
{
  idempotency_run(x, true, replay_command, move, &(struct moving){ resume });
  return ANSWERED;
}

enum outcome order_hold(struct exchange *x)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!find(x, exchange_segment(x, "order"), &row)) return ANSWERED;
  answer_commanded(x, row.id, orders_hold(exchange_app(x)->orders, &row, &why), &why);
  store_order_release(&row);
  return ANSWERED;
}

enum outcome order_cancel(struct exchange *x)
{
  struct refusal why = { .faults = exchange_faults(x) };
  struct store_order row;
  if (!find(x, exchange_segment(x, "order"), &row)) return ANSWERED;
  answer_commanded(x, row.id, orders_cancel(exchange_app(x)->orders, &row, exchange_caller(x), &why), &why);
  store_order_release(&row);
  return ANSWERED;
}

/* -- queues -- */

static void answer_queue(struct exchange *x, const char *controller)
{
  struct queue_view view;
  struct buffer body = BUFFER(KB(128));
  struct json_writer w = { .out = &body };
  orders_queue(exchange_app(x)->orders, controller, &view);
  json_begin_object(&w);
  json_key(&w, "controller"), json_write_text(&w, controller);
  json_key(&w, "blocked"), json_write_text(&w, *view.blocked ? view.blocked : NULL);
  json_key(&w, "since"), json_write_text(&w, *view.since ? view.since : NULL);
  json_key(&w, "count"), json_write_integer(&w, (long long)view.count);
  json_key(&w, "orders"), json_write_raw(&w, buffer_ok(&view.ids) ? view.ids.data : NULL);
  json_end_object(&w);
  buffer_release(&view.ids);
  answer_json(x, 200, &body);
}

enum outcome queue_get(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct controller_description controller;
  if (controller_of_request(x, name, &controller, NULL)) answer_queue(x, name);
  return ANSWERED;
}

static void replay_release(struct exchange *x, const char *href)
{
  answer_queue(x, strrchr(href, '/') + 1);
}

static void release(struct exchange *x, const struct idempotency *once, void *unused)
{
  const char *name = exchange_segment(x, "controller");
  struct refusal why = { .faults = exchange_faults(x) };
  struct controller_description controller;
  (void)unused;
  if (!controller_of_request(x, name, &controller, NULL) || !exchange_may_move(x, name)) return;
  if (orders_release(exchange_app(x)->orders, name, idempotency_key(once), &why))
    answer_queue(x, name);
  else
    answer_refusal(x, &why);
}

enum outcome queue_release(struct exchange *x)
{
  idempotency_run(x, true, replay_release, release, NULL);
  return ANSWERED;
}
