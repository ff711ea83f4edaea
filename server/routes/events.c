/* Streams of events: first a snapshot, then what changes. */
#include "server/routes/events.h"

#include "api/json/writer.h"
#include "server/app.h"
#include "server/gateway/gateway.h"
#include "server/routes/handlers.h"
#include "server/routes/motion.h"
#include "server/routes/orders.h"
#include "server/transfers/observer.h"

/* -- what there is to tell -- */

static enum armdyn_status describe_job(struct app *app, const char *id, struct event_description *out)
{
  struct job_view view;
  enum armdyn_status status = jobs_get(app->jobs, id, &view);
  if (status) return status;
  snprintf(out->topic, sizeof out->topic, "%s", id);
  out->ended = job_has_ended(view.job.state);
  status = job_summary(app, &view, &out->json);
  job_view_release(&view);
  return status;
}

static enum armdyn_status describe_transfer(struct app *app, const char *id, struct event_description *out)
{
  struct store_transfer transfer;
  enum armdyn_status status = gateway_transfer(app->gateway, id, &transfer);
  if (status) return status;
  memcpy(out->topic, transfer.controller, sizeof out->topic);
  status = transfer_summary(&transfer, &out->json);
  store_transfer_release(&transfer);
  return status;
}

static enum armdyn_status describe_controller(struct app *app, const char *id, struct event_description *out)
{
  snprintf(out->topic, sizeof out->topic, "%s", id);
  return observer_describe(app->observer, id, true, &out->json);
}

static enum armdyn_status describe_order(struct app *app, const char *id, struct event_description *out)
{
  struct store_order order;
  enum armdyn_status status = store_order_get(app->store, id, &order);
  if (status) return status;
  memcpy(out->topic, order.controller, sizeof out->topic);
  status = order_encode(app, &order, true, &out->json);
  store_order_release(&order);
  return status;
}

static enum armdyn_status describe_queue(struct app *app, const char *controller, struct event_description *out)
{
  snprintf(out->topic, sizeof out->topic, "%s", controller);
  return queue_encode(app, controller, &out->json);
}

/* To add a kind: its number in events.h, its describe function and row here, somebody who calls hub_changed, its list in
 * the snapshot below, and its event in api/paths/events.yaml. */
static const struct event_kind kinds[] = {
  [EVENT_JOB] = { "job", TOPIC_JOBS, describe_job },
  [EVENT_TRANSFER] = { "transfer", TOPIC_CONTROLLERS, describe_transfer },
  [EVENT_CONTROLLER] = { "controller", TOPIC_CONTROLLERS, describe_controller },
  [EVENT_ORDER] = { "order", TOPIC_CONTROLLERS, describe_order },
  [EVENT_QUEUE] = { "queue", TOPIC_CONTROLLERS, describe_queue },
};

static void tick(struct app *app)
{
  observer_tick(app->observer);
}

struct hub *events_new(struct app *app)
{
  return hub_new(&(struct event_setup){ app, kinds, sizeof kinds / sizeof *kinds, tick });
}

void events_job_changed(void *hub, const char *id)
{
  hub_changed(hub, EVENT_JOB, id);
}

void events_transfer_changed(void *hub, const char *id)
{
  hub_changed(hub, EVENT_TRANSFER, id);
}

void events_controller_changed(void *hub, const char *name)
{
  hub_changed(hub, EVENT_CONTROLLER, name);
}

void events_order_changed(void *hub, const char *id)
{
  hub_changed(hub, EVENT_ORDER, id);
}

void events_queue_changed(void *hub, const char *controller)
{
  hub_changed(hub, EVENT_QUEUE, controller);
}

/* -- the snapshot -- */

struct picture {
  struct app *app;
  const struct event_filter *filter;
  struct buffer *out;
  struct json_writer w;
  enum armdyn_status status;
};

/* One item, as its kind's events describe it; what has gone meanwhile is left out. */
static void add(struct picture *p, size_t kind, const char *id)
{
  struct event_description d = { .json = BUFFER(KB(256)) };
  enum armdyn_status status = kinds[kind].describe(p->app, id, &d);
  if (!status && buffer_ok(&d.json) && event_filter_takes(p->filter, kinds[kind].topic, d.topic))
    json_write_raw_n(&p->w, d.json.data, d.json.length);
  else if (status && status != ARMDYN_ENOTFOUND)
    p->status = status;
  buffer_release(&d.json);
}

static void add_job(void *context, const struct store_job *job)
{
  add(context, EVENT_JOB, job->id);
}

static void add_transfer(void *context, const struct store_transfer *transfer)
{
  add(context, EVENT_TRANSFER, transfer->id);
}

/* Those that have begun; who only waits stands in the queue, of which there may be thousands. */
static void add_order(void *context, const struct store_order *order)
{
  if (order->state != ORDER_ACCEPTED) add(context, EVENT_ORDER, order->id);
}

static void add_queue(void *context, const struct store_order_queue *queue)
{
  add(context, EVENT_QUEUE, queue->controller);
}

static void add_controller(void *context, const struct store_controller *controller)
{
  struct picture *p = context;
  struct buffer text = BUFFER(KB(256));
  if (!event_filter_takes(p->filter, TOPIC_CONTROLLERS, controller->name)) return;
  enum armdyn_status status = observer_describe(p->app->observer, controller->name, false, &text);
  if (!status && buffer_ok(&text)) json_write_raw_n(&p->w, text.data, text.length);
  buffer_release(&text); /* one that does not fit its robot any more has nothing to show */
}

enum { WAITING_MOST = 1000 }; /* so many are in a picture, the oldest; the list has all */

/* Jobs that were asked for by id, whatever their state; else those that have not ended. */
static void add_jobs(struct picture *p)
{
  const struct event_names *names = &p->filter->of[TOPIC_JOBS];
  for (size_t i = 0; i < names->count; i++) add(p, EVENT_JOB, names->names[i]);
  enum armdyn_status status = names->all ? store_job_queued(p->app->store, "", WAITING_MOST, add_job, p) : ARMDYN_OK;
  if (status) p->status = status;
}

/* The lists of a snapshot that belong to controllers. */
static enum armdyn_status list_transfers(struct picture *p)
{
  return store_transfer_unfinished(p->app->store, add_transfer, p);
}

static enum armdyn_status list_orders(struct picture *p)
{
  return store_order_unfinished(p->app->store, add_order, p);
}

static enum armdyn_status list_queues(struct picture *p)
{
  return store_order_queue_list(p->app->store, add_queue, p);
}

static enum armdyn_status list_controllers(struct picture *p)
{
  return store_controller_list(p->app->store, STORE_ALL_BY_NAME, add_controller, p);
}

static const struct {
  const char *name;
  enum armdyn_status (*list)(struct picture *p);
} lists[] = {
  { "transfers", list_transfers },
  { "orders", list_orders },
  { "queues", list_queues },
  { "controllers", list_controllers },
};

static void take_picture(struct app *app, const struct event_filter *filter, struct buffer *out)
{
  struct picture p = { .app = app, .filter = filter, .out = out, .w = { .out = out } };
  const bool controllers = event_filter_takes(filter, TOPIC_CONTROLLERS, NULL);
  json_begin_object(&p.w);
  json_key(&p.w, "jobs"), json_begin_array(&p.w);
  add_jobs(&p);
  json_end_array(&p.w);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    json_key(&p.w, lists[k].name), json_begin_array(&p.w);
    enum armdyn_status status = controllers && !p.status ? lists[k].list(&p) : ARMDYN_OK;
    if (status) p.status = status;
    json_end_array(&p.w);
  }
  json_end_object(&p.w);
  if (p.status && !out->failure) out->failure = p.status;
}

static void stream(struct exchange *x, const struct event_filter *filter)
{
  struct app *app = exchange_app(x);
  struct event_stream *answer;
  bool resumes;
  if (!stream_open(x, app->events, filter, &answer, &resumes)) return;
  struct buffer snapshot = BUFFER(MB(8));
  if (!resumes) take_picture(app, filter, &snapshot);
  stream_answer(answer, &snapshot);
}

/* -- the routes -- */

/* "*" or names with commas between. false: a fault. */
static bool read_names(struct exchange *x, const char *parameter, bool ids, struct event_names *names)
{
  const char *text = exchange_query(x, parameter);
  if (!text) return true;
  if (!strcmp(text, "*")) {
    names->all = true;
    return true;
  }
  for (const char *at = text; names->count < LIMIT_EVENT_NAMES;) {
    size_t length = strcspn(at, ",");
    char *name = names->names[names->count++];
    if (!length || length >= ARMDYN_NAME_SIZE) break;
    memcpy(name, at, length);
    name[length] = '\0';
    if (ids && !id_valid(name)) break;
    if (!at[length]) return true;
    at += length + 1;
  }
  fault_add(exchange_faults(x), FAULT_AT_PARAMETER, parameter, FAULT_PATTERN,
            "must be * or at most %d %s with commas between, got '%.64s'", LIMIT_EVENT_NAMES,
            ids ? "ids of jobs" : "names of controllers", text);
  return false;
}

enum outcome event_stream(struct exchange *x)
{
  struct event_filter filter = { 0 };
  bool good = read_names(x, "jobs", true, &filter.of[TOPIC_JOBS]);
  good = read_names(x, "controllers", false, &filter.of[TOPIC_CONTROLLERS]) && good;
  if (!exchange_query(x, "jobs") && !exchange_query(x, "controllers"))
    filter.of[TOPIC_JOBS].all = filter.of[TOPIC_CONTROLLERS].all = true;
  if (good)
    stream(x, &filter);
  else
    answer_problem(x, PROBLEM_INVALID, NULL);
  return ANSWERED;
}

static struct event_filter only(enum event_topic topic, const char *name)
{
  struct event_filter filter = { 0 };
  struct event_names *names = &filter.of[topic];
  snprintf(names->names[names->count++], sizeof *names->names, "%s", name);
  return filter;
}

enum outcome job_events(struct exchange *x)
{
  const char *id = exchange_segment(x, "job");
  struct job_view view;
  enum armdyn_status status = jobs_get(exchange_app(x)->jobs, id, &view);
  if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no job '%.64s'", id);
  } else if (status) {
    answer_status(x, status, NULL);
  } else {
    job_view_release(&view);
    struct event_filter filter = only(TOPIC_JOBS, id);
    filter.one = true;
    stream(x, &filter);
    hub_changed(exchange_app(x)->events, EVENT_JOB,
                id); /* one that has ended says so at once, and then the stream ends */
  }
  return ANSWERED;
}

enum outcome controller_events(struct exchange *x)
{
  const char *name = exchange_segment(x, "controller");
  struct controller_description controller;
  if (!controller_of_request(x, name, &controller, NULL)) return ANSWERED;
  struct event_filter filter = only(TOPIC_CONTROLLERS, name);
  stream(x, &filter);
  return ANSWERED;
}
