/* Transfers: trajectories on their way to a controller, and the motion that comes of them. */
#include "api/codec/transfer.h"

#include <math.h>

#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/gateway/source.h"
#include "server/http/idempotency.h"
#include "server/http/preconditions.h"
#include "server/jobs/stored_trajectory.h"
#include "server/robots/cache.h"
#include "server/routes/listing.h"
#include "server/routes/motion.h"
#include "server/routes/route.h"

enum { ANSWER_MOST = MB(1), AHEAD_MOST_MS = 60000 };

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
                                     .summary = summary };
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
  struct transfer_resource resource = resource_of(&transfer, false);
  struct buffer body = BUFFER(ANSWER_MOST);
  struct json_writer w = { .out = &body };
  transfer_resource_encode(&resource, &w);
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
  if (!listing_takes(listing, row->id)) return;
  struct store_transfer fresh = *row;
  gateway_refresh(exchange_app(listing->x)->gateway, &fresh);
  struct transfer_resource resource = resource_of(&fresh, true);
  transfer_resource_encode(&resource, &listing->writer);
}

enum outcome transfer_list(struct exchange *x)
{
  const char *state = exchange_query(x, "state");
  int wanted = state ? 0 : -1;
  while (state && wanted < TRANSFER_STATE_COUNT && strcmp(state, transfer_state_name((enum transfer_state)wanted)))
    wanted++;
  if (wanted == TRANSFER_STATE_COUNT) {
    fault_add(exchange_faults(x), FAULT_AT_PARAMETER, "state", FAULT_ENUM, "there is no state '%.64s'", state);
    answer_problem(x, PROBLEM_INVALID, NULL);
    return ANSWERED;
  }
  struct listing listing;
  if (!listing_begin(&listing, x)) return ANSWERED;
  listing_end(&listing, store_transfer_list(exchange_app(x)->store, exchange_query(x, "controller"), wanted,
                                            &listing.page, visit, &listing));
  return ANSWERED;
}

/* -- creating one: every check comes before the lease, and before the gateway hears of it -- */

struct making {
  struct transfer_request request;
  struct controller_description controller;
  struct store_result trajectory;
  double stored_rate;
  bool transferable;
  int64_t start_before_ms;
  const struct robot_entry *robot;    /* of the trajectory */
  const struct robot_entry *bound_to; /* of the controller */
  struct axis_map map;
  struct transfer_order *order;
};

static bool invalid(struct exchange *x, const char *pointer, enum fault_code code, const char *detail)
{
  fault_add(exchange_faults(x), FAULT_AT_POINTER, pointer, code, "%s", detail);
  answer_problem(x, PROBLEM_INVALID, NULL);
  return false;
}

/* start_before: not passed, and at most a minute ahead. */
static bool check_start_before(struct exchange *x, const char *text, int64_t *ms)
{
  *ms = clock_parse(text);
  int64_t ahead = *ms - clock_wall_ms();
  if (ahead > AHEAD_MOST_MS) return invalid(x, "/start_before", FAULT_MAXIMUM, "must be at most 60 s ahead");
  if (ahead > 0) return true;
  answer_problem(x, PROBLEM_START_EXPIRED, "start_before has passed: %s", text);
  return false;
}

static bool may_start(struct exchange *x, const struct controller_description *controller)
{
  if (controller->profile.allow_start) return true;
  answer_problem(x, PROBLEM_CONFLICT,
                 "controller '%s' does not say allow_start: its PLC starts what is armed, not this service",
                 controller->name);
  return false;
}

static bool check_permissions(struct exchange *x, struct making *m)
{
  const struct controller_profile *p = &m->controller.profile;
  if (m->request.format != TRANSFER_POSITION_TORQUE && !p->allow_torque_only)
    return invalid(x, "/format", FAULT_UNSUPPORTED,
                   "torque alone lets an arm drift; it needs \"allow_torque_only\" in the controller's profile");
  if (!m->request.start) return true;
  return may_start(x, &m->controller) && check_start_before(x, m->request.start_before, &m->start_before_ms);
}

/* What the transfer needs to know of the result's document. */
static void read_document(struct making *m)
{
  struct json_reader r;
  struct json_slice key;
  json_reader_init(&r, m->trajectory.document, strlen(m->trajectory.document), NULL);
  json_enter_object(&r, NULL);
  while (json_next_member(&r, &key)) {
    if (json_slice_is(key, "sample_rate"))
      json_read_number(&r, NULL, &m->stored_rate);
    else if (json_slice_is(key, "transferable"))
      json_read_truth(&r, NULL, &m->transferable);
    else
      json_skip(&r, NULL);
  }
}

static bool find_trajectory(struct exchange *x, struct making *m)
{
  struct app *app = exchange_app(x);
  enum armdyn_status status = store_result_get(app->store, "trajectory", m->request.trajectory, &m->trajectory);
  if (status == ARMDYN_ENOTFOUND) return invalid(x, "/trajectory", FAULT_INCONSISTENT, "there is no such trajectory");
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  read_document(m);
  if (strcmp(m->trajectory.robot, m->controller.robot))
    return invalid(x, "/trajectory", FAULT_INCONSISTENT, "it is for another robot than the controller's");
  if (!m->transferable)
    return invalid(x, "/trajectory", FAULT_INCONSISTENT,
                   "it is not transferable: it was planned with a limit removed or raised (see its blockers)");
  return true;
}

/* Axes are found by the joints of one revision, positions and torques by those of the other. */
static bool same_joints(const struct armdyn_robot *a, const struct armdyn_robot *b)
{
  const struct armdyn_robot_description *da = armdyn_robot_description(a), *db = armdyn_robot_description(b);
  if (da->joint_count != db->joint_count) return false;
  for (size_t j = 0; j < da->joint_count; j++)
    if (strcmp(da->joints[j].name, db->joints[j].name) || da->joints[j].type != db->joints[j].type) return false;
  return true;
}

/* Both revisions, and whether they may differ. */
static bool find_robots(struct exchange *x, struct making *m)
{
  struct robots *robots = exchange_app(x)->robots;
  const char *name = m->controller.robot;
  enum armdyn_status status = robots_get(robots, name, m->controller.revision, true, &m->bound_to);
  if (!status) status = robots_get(robots, name, m->trajectory.revision, true, &m->robot);
  if (status) {
    answer_status(x, status, NULL);
    return false;
  }
  const long long planned = m->robot->revision, bound = m->bound_to->revision;
  if (planned == bound) return true;
  if (m->controller.profile.allow_revision_mismatch && same_joints(m->robot->robot, m->bound_to->robot)) return true;
  answer_problem(x, PROBLEM_REVISION_MISMATCH, "the trajectory is of revision %lld, the controller is bound to %lld%s",
                 planned, bound, m->controller.profile.allow_revision_mismatch ? ", which has other joints" : "");
  return false;
}

/* The profile, held against every limit. */
static bool make_profile(struct exchange *x, struct making *m)
{
  struct armdyn_error error = { "", "" };
  struct armdyn_trajectory trajectory;
  const struct armdyn_robot_description *model = armdyn_robot_description(m->bound_to->robot);
  size_t n = armdyn_robot_joint_count(m->robot->robot);
  double rate = isnan(m->request.rate) ? m->stored_rate : m->request.rate;
  enum armdyn_status status = ARMDYN_EMEMORY;
  if (!m->order) goto refused;
  if ((status = axis_map_make(&m->controller, model, &m->map, exchange_faults(x)))) goto refused;
  status = stored_trajectory_read(exchange_app(x)->store, m->trajectory.id, n, &trajectory);
  if (status) goto refused;
  status = profile_of_trajectory(m->robot->robot, &trajectory, &m->map, (enum sample_format)(m->request.format + 1),
                                 rate, &m->order->profile, &error);
  armdyn_trajectory_free(&trajectory);
  if (status) goto refused;
  if (!profile_check(&m->order->profile, exchange_faults(x))) return true;
  answer_problem(x, PROBLEM_LIMIT_EXCEEDED, "the profile exceeds a limit in %zu places", exchange_faults(x)->count);
  return false;
refused:
  if (*error.pointer) return invalid(x, error.pointer, FAULT_INCONSISTENT, error.message);
  answer_status(x, status, NULL);
  return false;
}

static void fill_order(struct making *m, const char *id)
{
  struct transfer_order *order = m->order;
  const struct controller_profile *p = &m->controller.profile;
  memcpy(order->id, id, sizeof order->id);
  memcpy(order->address.host, m->controller.host, sizeof order->address.host);
  order->address.port = (uint16_t)m->controller.port;
  order->address.unit = (uint16_t)m->controller.unit;
  order->address.base = (uint16_t)p->base;
  order->connect_deadline_ms = (int)(p->connect_deadline * 1000);
  order->ready_timeout_ms = (int)(p->ready_timeout * 1000);
  order->start = m->request.start;
  order->start_before_ms = m->start_before_ms;
  order->profile.head.loss_policy = p->on_link_loss == LINK_LOSS_FINISH ? LOSS_FINISH : LOSS_STOP;
  order->profile.head.id = crc32_bytes(0, id, strlen(id)) | 1; /* not 0 */
}

static void submit(struct exchange *x, struct making *m, const struct idempotency *once)
{
  struct store_transfer transfer = { .state = TRANSFER_QUEUED };
  struct buffer request = BUFFER(LIMIT_MODEL_BODY), tags = BUFFER(LIMIT_MODEL_BODY);
  size_t length;
  char holder[ID_SIZE];
  id_make(transfer.id);
  memcpy(transfer.controller, m->controller.name, sizeof transfer.controller);
  memcpy(transfer.trajectory, m->trajectory.id, sizeof transfer.trajectory);
  transfer_request_encode(&m->request, &request);
  transfer_tags_encode(&m->request, &tags);
  transfer.request = buffer_take(&request, &length);
  transfer.tags = buffer_take(&tags, &length);
  fill_order(m, transfer.id);

  enum armdyn_status status = ARMDYN_EMEMORY;
  if (transfer.request && transfer.tags) {
    status = gateway_submit(exchange_app(x)->gateway, &transfer, idempotency_key(once), m->order, holder);
    m->order = NULL;
  }
  if (status == ARMDYN_EBUSY) {
    answer_problem(x, PROBLEM_LEASE_HELD, "transfer %s holds controller '%s'", holder, m->controller.name);
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

static void make(struct exchange *x, struct making *m, const struct idempotency *once)
{
  m->order = calloc(1, sizeof *m->order);
  if (check_permissions(x, m) && find_trajectory(x, m) && find_robots(x, m) && make_profile(x, m)) submit(x, m, once);
  struct robots *robots = exchange_app(x)->robots;
  if (m->robot) robots_release(robots, m->robot);
  if (m->bound_to) robots_release(robots, m->bound_to);
  store_result_release(&m->trajectory);
  transfer_order_free(m->order);
}

/* Begin with an Idempotency-Key; false: answered, by a replay with the transfer as it is now. */
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
  struct making *m = calloc(1, sizeof *m);
  struct idempotency once;
  if (!m) {
    answer_status(x, ARMDYN_EMEMORY, NULL);
    return ANSWERED;
  }
  size_t length;
  const char *body = exchange_body(x, &length);
  enum armdyn_status status = transfer_request_decode(body, length, &m->request, exchange_faults(x));
  if (status) {
    answer_status(x, status, NULL);
  } else if (begin_once(x, m->request.start, &once)) {
    if (controller_of_request(x, exchange_segment(x, "controller"), &m->controller, NULL)) make(x, m, &once);
    idempotency_end(x, &once);
  }
  free(m);
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

static enum outcome command(struct exchange *x, const struct store_transfer *transfer, enum wish_kind kind,
                            int64_t start_before_ms)
{
  struct gateway *gateway = exchange_app(x)->gateway;
  struct commanding *c = exchange_may_wait(x) ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    gateway_wish(gateway, transfer->controller, transfer->id, kind, start_before_ms, NULL, NULL);
    answer_transfer(x, 202, transfer->id);
    return ANSWERED;
  }
  c->x = x;
  memcpy(c->id, transfer->id, sizeof c->id);
  gateway_wish(gateway, transfer->controller, transfer->id, kind, start_before_ms, command_answered, c);
  return WAITS;
}

/* The transfer of the path, if it is in this state. false: answered. */
static bool transfer_in(struct exchange *x, enum transfer_state state, struct store_transfer *transfer)
{
  const char *id = exchange_segment(x, "transfer");
  enum armdyn_status status = gateway_transfer(exchange_app(x)->gateway, id, transfer);
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

static enum outcome plain_command(struct exchange *x, enum transfer_state from, enum wish_kind kind)
{
  struct store_transfer transfer;
  if (!transfer_in(x, from, &transfer)) return ANSWERED;
  enum outcome outcome = command(x, &transfer, kind, 0);
  store_transfer_release(&transfer);
  return outcome;
}

enum outcome transfer_arm(struct exchange *x)
{
  return plain_command(x, TRANSFER_READY, WISH_ARM);
}

enum outcome transfer_hold(struct exchange *x)
{
  return plain_command(x, TRANSFER_PLAYING, WISH_HOLD);
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
  if (!status) return command(x, transfer, WISH_RESUME, 0);
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
  if (!status) return command(x, transfer, WISH_START, start_before_ms);
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
    if (startable(x, &transfer) && check_start_before(x, request.start_before, &start_before_ms))
      outcome = claim_and_start(x, &transfer, start_before_ms, &once);
    store_transfer_release(&transfer);
  }
  idempotency_end(x, &once);
  return outcome;
}

enum outcome transfer_stop(struct exchange *x)
{
  const char *id = exchange_segment(x, "transfer");
  char controller[ARMDYN_NAME_SIZE];
  if (gateway_controller_of(exchange_app(x)->gateway, id, controller)) return stop_and_answer(x, controller, id);
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
  enum outcome outcome = stop_and_answer(x, transfer.controller, id);
  store_transfer_release(&transfer);
  return outcome;
}
