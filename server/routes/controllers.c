/* Controllers: where they are, which arm they move, what they may be sent; and what they do now. */
#include "api/codec/controller.h"

#include "api/codec/transfer.h"
#include "api/json/writer.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/gateway/gateway.h"
#include "server/gateway/map_plan.h"
#include "server/http/stand_in.h"
#include "server/orders/orders.h"
#include "server/robots/cache.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/motion.h"
#include "server/routes/versioned.h"
#include "server/transfers/controller_view.h"
#include "server/trials/trials.h"

enum { DOCUMENT_MOST = KB(64) };

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_controller_get(exchange_app(x)->store, name, row);
}

static void release(void *row)
{
  store_controller_release(row);
}

/* What the store keeps; it was accepted once. */
static enum armdyn_status decode_row(const struct store_controller *row, struct controller_description *controller)
{
  return controller_decode(row->document, strlen(row->document), controller, NULL) ? ARMDYN_EINTERNAL : ARMDYN_OK;
}

static enum armdyn_status encode_row(struct exchange *x, bool made, const void *row, struct buffer *out)
{
  (void)x, (void)made;
  struct controller_description controller;
  const struct store_controller *stored = row;
  enum armdyn_status status = decode_row(stored, &controller);
  if (!status) controller_resource_encode(&controller, stored->created_at, out);
  return status ? status : out->failure;
}

bool controller_of_request(struct exchange *x, const char *name, struct controller_description *controller,
                           struct store_controller *row)
{
  struct store_controller stored;
  enum armdyn_status status = store_controller_get(exchange_app(x)->store, name, &stored);
  if (!status) status = decode_row(&stored, controller);
  if (!status && row) {
    *row = stored;
    return true;
  }
  store_controller_release(&stored);
  if (status == ARMDYN_ENOTFOUND)
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no controller '%.64s'", name);
  else if (status)
    answer_status(x, status, NULL);
  return !status;
}

/* -- writing -- */

static bool robot_exists(struct robots *robots, const char *name)
{
  const struct robot_entry *newest;
  if (robots_get(robots, name, 0, true, &newest)) return false;
  robots_release(robots, newest);
  return true;
}

/* Does its cell exist, and has the robot bodies that could touch it? Adds faults. */
static enum armdyn_status check_cell(struct exchange *x, const struct controller_description *controller,
                                     const struct armdyn_robot *robot)
{
  struct store_cell row;
  enum armdyn_status status = store_cell_get(exchange_app(x)->store, controller->cell, 0, &row);
  store_cell_release(&row);
  const char *const why = status == ARMDYN_ENOTFOUND ? "there is no cell '%s'"
                          : !armdyn_robot_description(robot)->body_count
                              ? "the robot has no bodies that could touch cell '%s'"
                              : NULL;
  if (!why) return status;
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/cell", FAULT_INCONSISTENT, why, controller->cell);
  return ARMDYN_EINPUT;
}

/* Does its robot exist, and can the axes be bound to it? Adds faults. */
static enum armdyn_status check_robot(struct exchange *x, const struct controller_description *controller)
{
  struct robots *robots = exchange_app(x)->robots;
  struct faults *faults = exchange_faults(x);
  const struct robot_entry *entry;
  enum armdyn_status status = robots_get(robots, controller->robot, controller->revision, true, &entry);
  if (status == ARMDYN_ENOTFOUND && controller->revision && robot_exists(robots, controller->robot)) {
    fault_add(faults, FAULT_AT_POINTER, "/revision", FAULT_INCONSISTENT, "robot '%s' has no revision %lld",
              controller->robot, (long long)controller->revision);
    return ARMDYN_EINPUT;
  }
  if (status == ARMDYN_ENOTFOUND) {
    fault_add(faults, FAULT_AT_POINTER, "/robot", FAULT_INCONSISTENT, "there is no robot '%s'", controller->robot);
    return ARMDYN_EINPUT;
  }
  if (status) return status;
  if (*controller->cell && (status = check_cell(x, controller, entry->robot))) {
    robots_release(robots, entry);
    return status;
  }
  struct axis_map map;
  status = axis_map_make(controller, armdyn_robot_description(entry->robot), &map, faults);
  if (!status && controller->profile.protocol == PROTOCOL_REGISTER_MAP)
    status = map_bind(&controller->profile, &map, faults);
  robots_release(robots, entry);
  return status;
}

static bool name_is_good(struct exchange *x, const char *name)
{
  if (strcmp(name, "stop")) return true;
  fault_add(exchange_faults(x), FAULT_AT_POINTER, "/name", FAULT_INCONSISTENT,
            "must not be 'stop': /v1/controllers/stop stops all controllers");
  return false;
}

/* As the store keeps it. */
static bool read_body(struct exchange *x, const char *name, void *row)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct store_controller *to = row;
  struct controller_description controller;
  enum armdyn_status status = controller_decode(body, length, &controller, exchange_faults(x));
  if (!status && !(versioned_is_named(x, name, controller.name) && name_is_good(x, controller.name)))
    status = ARMDYN_EINPUT;
  if (!status) status = check_robot(x, &controller);
  if (!status) {
    struct buffer document = BUFFER(DOCUMENT_MOST);
    controller_encode(&controller, &document);
    status = document.failure;
    to->document = buffer_take(&document, &length);
    buffer_release(&document);
    memcpy(to->name, controller.name, sizeof to->name);
    memcpy(to->robot, controller.robot, sizeof to->robot);
  }
  if (status) answer_status(x, status, NULL);
  return !status;
}

void answer_lease_held(struct exchange *x, const char *controller, const char *holder)
{
  char holders[ARMDYN_NAME_SIZE], order[LABEL_SIZE];
  if (gateway_controller_of(exchange_app(x)->gateway, holder, holders, order) && strcmp(holders, controller))
    answer_problem(x, PROBLEM_LEASE_HELD,
                   "transfer %s holds controller '%s', which has the host, port and unit of '%s'", holder, holders,
                   controller);
  else
    answer_problem(x, PROBLEM_LEASE_HELD, "transfer %s holds controller '%s'", holder, controller);
}

bool controller_is_free(struct exchange *x, const char *name)
{
  char holder[ID_SIZE];
  gateway_locate(exchange_app(x)->gateway, name);
  if (!gateway_lease(exchange_app(x)->gateway, name, holder)) return true;
  answer_lease_held(x, name, holder);
  return false;
}

/* Neither by a transfer nor by a test. */
static bool controller_is_unheld(struct exchange *x, const char *name)
{
  const bool tested = trials_running(exchange_app(x)->trials, name);
  if (tested)
    answer_problem(x, PROBLEM_CONFLICT, "controller '%.64s' is being tested: wait for its end, or DELETE .../test",
                   name);
  return !tested && controller_is_free(x, name);
}

static enum armdyn_status put(struct exchange *x, void *row, int64_t expected, const struct store_idempotency *once)
{
  const struct app *app = exchange_app(x);
  struct controller_description controller;
  enum armdyn_status status =
      expected ? store_controller_update(app->store, row, expected) : store_controller_create(app->store, row, once);
  if (!status) status = decode_row(row, &controller);
  if (status || rehearsing()) return status;
  trials_cancel(app->trials, controller.name); /* one that began meanwhile, of what it was before */
  gateway_controller_changed(app->gateway, &controller);
  return status;
}

/* Its orders would have nobody to go to. */
static bool controller_is_unordered(struct exchange *x, const char *name)
{
  const size_t count = orders_live(exchange_app(x)->orders, name);
  if (count)
    answer_problem(x, PROBLEM_CONFLICT, "%zu orders of controller '%s' have not ended: cancel them first", count, name);
  return !count;
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  const char *name = exchange_segment(x, "controller");
  if (!controller_is_unordered(x, name)) return false;
  enum armdyn_status status = store_controller_delete(exchange_app(x)->store, name, expected);
  if (!status && !rehearsing()) gateway_controller_gone(exchange_app(x)->gateway, name);
  return versioned_found(x, &controllers, status);
}

static enum armdyn_status summarize(const void *row, struct buffer *out)
{
  const struct store_controller *stored = row;
  struct json_writer w = { .out = out };
  struct controller_description *c = malloc(sizeof *c);
  enum armdyn_status status = c ? decode_row(stored, c) : ARMDYN_EMEMORY;
  if (!status) {
    json_begin_object(&w);
    json_key(&w, "name"), json_write_text(&w, stored->name);
    json_key(&w, "host"), json_write_text(&w, c->host);
    json_key(&w, "port"), json_write_integer(&w, c->port);
    json_key(&w, "unit"), json_write_integer(&w, c->unit);
    json_key(&w, "robot"), json_write_text(&w, c->robot);
    json_key(&w, "created_at"), json_write_text(&w, stored->created_at);
    json_end_object(&w);
    status = out->failure;
  }
  free(c);
  return status;
}

static void visit(void *listing, const struct store_controller *row)
{
  versioned_item(listing, &controllers, row);
}

static enum armdyn_status list(struct exchange *x, struct listing *listing)
{
  return store_controller_list(exchange_app(x)->store, &listing->query, visit, listing);
}

const struct versioned controllers = {
  .noun = "controller",
  .article = "a",
  .segment = "controller",
  .collection = "controllers",
  .size = sizeof(struct store_controller),
  .version_at = offsetof(struct store_controller, version),
  .name_at = offsetof(struct store_controller, name),
  .document_at = offsetof(struct store_controller, document),
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .read = read_body,
  .may_change = controller_is_unheld,
  .put = put,
  .remove = remove_row,
  .form = &(const struct list_form){ .filters = "robot",
                                     .sorts = "name created_at robot host",
                                     .order = "name",
                                     .fields = "name host port unit robot created_at" },
  .list = list,
  .summary = summarize,
};

/* -- what it does -- */

/* Somebody waits to hear of a controller. */
struct asking {
  struct exchange *x;
  struct controller_view view;
  bool may_be_unreachable; /* that is an answer too */
};

static void answer_seen(struct asking *a, const struct observation *seen)
{
  struct buffer body = BUFFER(DOCUMENT_MOST);
  controller_view_encode(exchange_app(a->x), &a->view, seen, &body);
  answer_json(a->x, 200, &body);
}

static void seen_answered(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  struct asking *a = context;
  struct exchange *x = a->x;
  if (!status || a->may_be_unreachable)
    answer_seen(a, seen);
  else if (status == ARMDYN_EUNAVAILABLE)
    answer_problem(x, PROBLEM_CONTROLLER_UNREACHABLE, "%s", text);
  else
    answer_problem(x, PROBLEM_CONTROLLER_REFUSED, "%s", text);
  free(a);
  exchange_resume(x);
}

/* The controller of the route, bound to its robot. NULL: answered. */
static struct asking *asking_new(struct exchange *x)
{
  struct controller_description controller;
  if (!controller_of_request(x, exchange_segment(x, "controller"), &controller, NULL)) return NULL;
  struct asking *a = calloc(1, sizeof *a);
  enum armdyn_status status =
      a ? controller_view_make(exchange_app(x), &controller, &a->view, exchange_faults(x)) : ARMDYN_EMEMORY;
  if (!status && exchange_may_wait(x)) {
    a->x = x;
    return a;
  }
  free(a);
  if (status)
    answer_status(x, status, NULL);
  else
    answer_problem(x, PROBLEM_UNAVAILABLE, "too many requests wait already");
  return NULL;
}

enum outcome controller_status(struct exchange *x)
{
  struct asking *a = asking_new(x);
  if (!a) return ANSWERED;
  a->may_be_unreachable = true;
  gateway_command(exchange_app(x)->gateway, a->view.name, "", ASK_LOOK, 0, seen_answered, a);
  return WAITS;
}

enum outcome controller_clear(struct exchange *x)
{
  if (!controller_is_free(x, exchange_segment(x, "controller"))) return ANSWERED;
  struct asking *a = asking_new(x);
  if (!a) return ANSWERED;
  gateway_command(exchange_app(x)->gateway, a->view.name, "", ASK_CLEAR, 0, seen_answered, a);
  return WAITS;
}

/* -- STOP: no lease, no header, no disk, no queue -- */

const char *stop_sent_by(const struct exchange *x)
{
  const struct stand_in *stands = exchange_app(x)->stand_in;
  return stands ? stands->stops : NULL;
}

static void answer_stop(struct exchange *x, bool confirmed, const char *state, const char *why)
{
  struct buffer body = BUFFER(DOCUMENT_MOST);
  struct json_writer w = { .out = &body };
  json_begin_object(&w);
  stop_members_encode(confirmed, state, why, stop_sent_by(x), &w);
  json_end_object(&w);
  answer_json(x, 200, &body);
}

static void stop_answered(void *context, enum armdyn_status status, const char *text, const struct observation *seen)
{
  struct exchange *x = context;
  answer_stop(x, status == ARMDYN_OK, seen->seen_ms ? protocol_phase_word(seen->state.phase) : NULL, text);
  exchange_resume(x);
}

static enum outcome stop_for(struct exchange *x, const char *controller, const char *transfer,
                             enum transfer_command_kind kind)
{
  struct gateway *gateway = exchange_app(x)->gateway;
  trials_cancel(exchange_app(x)->trials, controller); /* which would go on with what it does */
  if (exchange_may_wait(x)) {
    gateway_command(gateway, controller, transfer, kind, 0, stop_answered, x);
    return WAITS;
  }
  gateway_command(gateway, controller, transfer, kind, 0, NULL, NULL);
  answer_stop(x, false, NULL, "STOP was sent; too many requests wait to hear what came of it");
  return ANSWERED;
}

enum outcome stop_and_answer(struct exchange *x, const char *controller, const char *transfer)
{
  return stop_for(x, controller, transfer, ASK_STOP);
}

enum outcome controller_stop(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  if (gateway_knows(exchange_app(x)->gateway, name)) return stop_and_answer(x, name, "");
  answer_problem(x, PROBLEM_NOT_FOUND, "there is no controller '%.64s'", name);
  return ANSWERED;
}

/* Whoever holds the controller is stopped, so that somebody else can have it. */
enum outcome controller_evict(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct gateway *gateway = exchange_app(x)->gateway;
  char holder[ID_SIZE];
  if (!gateway_knows(gateway, name)) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no controller '%.64s'", name);
    return ANSWERED;
  }
  gateway_locate(gateway, name);
  if (gateway_lease(gateway, name, holder)) return stop_for(x, name, holder, ASK_EVICT);
  answer_empty(x, 204);
  return ANSWERED;
}
