/* New orders: whatever can be known now is refused now. */
#include <math.h>

#include "api/codec/history.h"
#include "api/codec/order.h"
#include "api/codec/transfer.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/data/stored_part.h"
#include "server/gateway/gateway.h"
#include "server/http/idempotency.h"
#include "server/jobs/jobs.h"
#include "server/orders/orders.h"
#include "server/robots/cache.h"
#include "server/routes/account.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/routes/orders.h"
#include "server/transfers/outputs.h"
#include "server/webhooks/callback.h"
#include "server/work/kinds.h"

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

/* Would such a trajectory be accepted? Faults have the places of a trajectory's request. */
static enum armdyn_status check_motion(struct exchange *x, const struct order_request *asked,
                                       const struct robot_entry *entry, const double *start)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct job_acceptance accepted = { .source_count = 0 };
  struct faults *faults = exchange_faults(x);
  struct buffer plain = BUFFER(LIMIT_MODEL_BODY), text = BUFFER(LIMIT_MODEL_BODY);
  cJSON *tree = NULL;
  bool changed = false;
  order_trajectory_encode(asked, start, robot->joint_count, NULL, &plain);
  enum armdyn_status status = plain.failure ? plain.failure : document_parse(plain.data, plain.length, faults, &tree);
  if (!status) status = stored_part_put_in(exchange_app(x)->store, robot->name, tree, &changed);
  if (!status) document_write(&(struct json_writer){ .out = &text }, tree);
  if (!status) status = text.failure;
  if (!status) status = job_kind_accept(&trajectory_kind, robot, text.data, text.length, &accepted, faults);
  document_close(tree);
  buffer_release(&accepted.tags);
  buffer_release(&text);
  buffer_release(&plain);
  return status;
}

/* Is it the whole order's, whichever step is looked at? */
static bool is_of_whole(const char *where)
{
  static const char *const members[] = { "/from", "/part" };
  for (size_t k = 0; k < sizeof members / sizeof *members; k++)
    if (!strncmp(where, members[k], strlen(members[k]))) return true;
  return false;
}

/* The faults from `first` on have the places of the order.
 *   step  in  that they are of; -1: it has none */
static void place_faults(struct faults *faults, size_t first, int step)
{
  for (size_t k = first; k < faults->count && k < LIMIT_FAULTS; k++) {
    char *where = faults->items[k].where, place[sizeof faults->items[k].where];
    order_pointer_of(where, place, sizeof place);
    if (step < 0 || is_of_whole(place))
      memcpy(where, place, sizeof place);
    else
      snprintf(where, sizeof faults->items[k].where, "/steps/%d%.200s", step, place);
  }
}

/* Would its trajectory, or each of them, be accepted? */
static enum armdyn_status check_plan(struct exchange *x, const struct order_request *request,
                                     const struct robot_entry *entry)
{
  const struct armdyn_robot_description *robot = armdyn_robot_description(entry->robot);
  struct faults *faults = exchange_faults(x);
  enum armdyn_status status = ARMDYN_OK, worst = ARMDYN_OK;
  double start[ARMDYN_JOINTS_MAX];
  some_start(robot, start);
  if (request->from && !given_start(x, request, robot->joint_count, start)) return ARMDYN_EINPUT;
  if (!request->step_count) {
    status = check_motion(x, request, entry, start);
    place_faults(faults, 0, -1);
    return status;
  }
  for (size_t i = 0; i < request->step_count && (!status || status == ARMDYN_EINPUT); i++) {
    struct order_request asked;
    const size_t before = faults->count;
    order_step_request(request, i, &asked);
    if (!asked.to) continue;
    status = check_motion(x, &asked, entry, start);
    place_faults(faults, before, (int)i);
    if (status) worst = status;
    some_start(robot, start); /* of the next one: where this one really ends is not known yet */
  }
  return worst;
}

/* Does the controller have what its steps set? */
static bool outputs_known(struct exchange *x, const struct order_request *request,
                          const struct controller_description *controller)
{
  struct refusal why = { .faults = exchange_faults(x) };
  bool good = true;
  for (size_t i = 0; i < request->step_count && good; i++) {
    const struct map_output *output;
    const struct map_output_value *value;
    char place[64];
    snprintf(place, sizeof place, "/steps/%zu/output", i);
    good = !*request->steps[i].output.name ||
           outputs_offered(&controller->profile, &request->steps[i].output, place, &output, &value, &why);
  }
  if (!good) answer_refusal(x, &why);
  return good;
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

bool order_may_be_made(struct exchange *x, const struct order_request *request)
{
  struct controller_description controller;
  return callback_is_known(x, request->callback.webhook) && permitted(x, request, &controller) &&
         outputs_known(x, request, &controller) && plannable(x, request, &controller);
}

bool order_say(const struct order_request *request, struct store_order *row)
{
  struct buffer text = BUFFER(LIMIT_MODEL_BODY), tags = BUFFER(LIMIT_MODEL_BODY);
  const double within = isnan(request->expires_within) ? ORDER_EXPIRES_WITHIN : request->expires_within;
  size_t length;
  row->priority = request->priority;
  row->automatic = request->start == ORDER_AUTOMATIC;
  *row->expires_at = '\0';
  if (row->automatic) clock_format(clock_parse(row->created_at) + (int64_t)(1000 * within), row->expires_at);
  order_request_encode(request, &text);
  tags_encode(&request->tags, &tags);
  row->request = buffer_take(&text, &length);
  row->tags = buffer_take(&tags, &length);
  buffer_release(&text);
  buffer_release(&tags);
  return row->request && row->tags;
}

/* The row to be stored; its texts are the caller's to release. */
static bool fill(struct exchange *x, const struct order_request *request, struct store_order *row)
{
  id_make(row->id);
  memcpy(row->controller, request->controller, sizeof row->controller);
  row->state = ORDER_ACCEPTED;
  memcpy(row->created_by, exchange_caller(x)->id, sizeof row->created_by);
  clock_format(clock_wall_ms(), row->created_at);
  snprintf(row->traceparent, sizeof row->traceparent, "%s", exchange_traceparent(x));
  row->history = history_with(NULL, order_state_name(ORDER_ACCEPTED), row->created_at, "", false);
  return order_say(request, row) && row->history;
}

static void replay(struct exchange *x, const char *href)
{
  exchange_set_header(x, "Location", "%s", href);
  order_answer(x, 202, strrchr(href, '/') + 1);
}

/* As it would be accepted. false: `why`. */
static bool rehearse(struct exchange *x, const struct store_order *row, const struct store_idempotency *key,
                     struct refusal *why)
{
  struct order_place place;
  struct store_order stored;
  struct buffer body = BUFFER(MB(1));
  if (!orders_rehearse(exchange_app(x)->orders, row, key, &place, why)) return false;
  if (!order_find(x, row->id, &stored)) return true;
  exchange_set_header(x, "Location", "/v1/orders/%s", row->id);
  (void)order_encode_at(&stored, &place, false, &body); /* a failed body fails the answer */
  store_order_release(&stored);
  answer_json(x, 202, &body);
  return true;
}

static void create(struct exchange *x, const struct idempotency *once, void *context)
{
  const struct order_request *request = context;
  struct store_order row = { .priority = 0 };
  struct refusal why = { .faults = exchange_faults(x) };
  if (!order_may_be_made(x, request)) return;
  account_of(x, row.created_by_name, row.reason);
  if (!fill(x, request, &row)) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
  } else if (rehearsing()) {
    if (!rehearse(x, &row, idempotency_key(once), &why)) answer_refusal(x, &why);
  } else if (!orders_accept(exchange_app(x)->orders, &row, idempotency_key(once), &why)) {
    answer_refusal(x, &why);
  } else {
    exchange_set_header(x, "Location", "/v1/orders/%s", row.id);
    order_answer(x, 202, row.id);
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
    exchange_is_about_order(x, request->job_order_id);
    idempotency_run(x, false, replay, create, request);
    order_request_release(request);
  }
  free(request);
  return ANSWERED;
}
