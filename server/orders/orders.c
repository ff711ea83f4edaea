#include "server/orders/orders.h"

#include <stdlib.h>

#include "api/json/writer.h"
#include "server/app.h"
#include "server/base/log.h"
#include "server/gateway/gateway.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/transfers/command_wait.h"

enum { LIVE_MOST = 1000, START_MS = 30000 }; /* orders of one queue; from a start that is asked for to START, at most */

/* -- the queues -- */

struct queue *orders_queue_of(struct orders *orders, const char *controller)
{
  pthread_mutex_lock(&orders->lock);
  struct queue *q = orders->queues;
  while (q && strcmp(q->controller, controller)) q = q->next;
  pthread_mutex_unlock(&orders->lock);
  return q;
}

static struct queue *queue_new(struct orders *orders, const char *controller)
{
  struct queue *q = calloc(1, sizeof *q);
  pthread_condattr_t monotonic;
  if (!q) return NULL;
  q->app = orders->app;
  q->listeners = &orders->listeners;
  snprintf(q->controller, sizeof q->controller, "%s", controller);
  memcpy(q->block.controller, q->controller, sizeof q->block.controller);
  clock_format(clock_wall_ms(), q->block.since);
  q->generation = gateway_generation(q->app->gateway);
  pthread_mutex_init(&q->lock, NULL);
  pthread_mutex_init(&q->bell_lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&q->bell, &monotonic);
  pthread_condattr_destroy(&monotonic);
  return q;
}

static void queue_free(struct queue *q)
{
  pthread_cond_destroy(&q->bell);
  pthread_mutex_destroy(&q->bell_lock);
  pthread_mutex_destroy(&q->lock);
  free(q);
}

/* Its thread runs from here on. */
static bool queue_begin(struct orders *orders, struct queue *q)
{
  if (pthread_create(&q->thread, NULL, queue_main, q)) return false;
  q->begun = true;
  q->next = orders->queues;
  orders->queues = q;
  return true;
}

/* The queue of a controller, made where there was none. NULL: no memory, or the service stops. */
static struct queue *find_or_make(struct orders *orders, const char *controller)
{
  struct queue *q = orders_queue_of(orders, controller);
  if (q) return q;
  struct queue *fresh = queue_new(orders, controller);
  if (!fresh) return NULL;
  pthread_mutex_lock(&orders->lock);
  for (q = orders->queues; q && strcmp(q->controller, controller);) q = q->next;
  if (!q && !orders->stopping && queue_begin(orders, fresh)) {
    q = fresh;
    fresh = NULL;
  }
  pthread_mutex_unlock(&orders->lock);
  if (fresh) queue_free(fresh);
  return q;
}

/* -- start and stop -- */

struct leftovers {
  struct orders *orders;
  enum armdyn_status status;
};

static void take_up_queue(void *context, const struct store_order_queue *row)
{
  struct leftovers *left = context;
  struct queue *q = queue_new(left->orders, row->controller);
  if (!q) {
    left->status = ARMDYN_EMEMORY;
    return;
  }
  q->block = *row;
  queue_block(q, "the service was started anew");
  pthread_mutex_lock(&left->orders->lock);
  q->next = left->orders->queues;
  left->orders->queues = q;
  pthread_mutex_unlock(&left->orders->lock);
}

static void take_up_order(void *context, const struct store_order *row)
{
  struct leftovers *left = context;
  struct queue *q = orders_queue_of(left->orders, row->controller);
  struct order *o = q ? order_new(row) : NULL;
  if (o)
    queue_insert(q, o);
  else
    left->status = ARMDYN_EMEMORY;
}

struct orders *orders_new(struct app *app, const struct order_listeners *listeners)
{
  struct orders *orders = calloc(1, sizeof *orders);
  if (!orders) return NULL;
  orders->app = app;
  orders->listeners = *listeners;
  pthread_mutex_init(&orders->lock, NULL);
  return orders;
}

enum armdyn_status orders_start(struct orders *orders, struct armdyn_error *error)
{
  struct leftovers left = { .orders = orders };
  enum armdyn_status status = store_order_queue_list(orders->app->store, take_up_queue, &left);
  if (!status) status = store_order_unfinished(orders->app->store, take_up_order, &left);
  if (!status) status = left.status;
  pthread_mutex_lock(&orders->lock);
  for (struct queue *q = orders->queues; q && !status; q = q->next) {
    if (pthread_create(&q->thread, NULL, queue_main, q)) status = ARMDYN_EMEMORY;
    q->begun = !status;
  }
  pthread_mutex_unlock(&orders->lock);
  return status ? armdyn_refuse(error, status, "", "orders cannot be taken up: %s", armdyn_status_text(status))
                : ARMDYN_OK;
}

void orders_stop(struct orders *orders)
{
  if (!orders) return;
  pthread_mutex_lock(&orders->lock);
  orders->stopping = true;
  struct queue *first = orders->queues;
  pthread_mutex_unlock(&orders->lock);
  for (struct queue *q = first; q; q = q->next) {
    pthread_mutex_lock(&q->bell_lock);
    q->stopping = true;
    pthread_cond_signal(&q->bell);
    pthread_mutex_unlock(&q->bell_lock);
  }
  for (struct queue *q = first; q; q = q->next)
    if (q->begun) pthread_join(q->thread, NULL);
}

void orders_free(struct orders *orders)
{
  if (!orders) return;
  for (struct queue *q; (q = orders->queues); queue_free(q)) orders->queues = q->next;
  pthread_mutex_destroy(&orders->lock);
  free(orders);
}

void orders_look(struct orders *orders)
{
  if (!orders) return;
  pthread_mutex_lock(&orders->lock);
  for (struct queue *q = orders->queues; q; q = q->next) queue_ring(q);
  pthread_mutex_unlock(&orders->lock);
}

/* -- new ones -- */

static bool refuse_full(const struct store_order *row, struct refusal *why)
{
  return refusal_say(why, PROBLEM_TOO_MANY, "%d orders of controller '%s' have not ended", LIVE_MOST, row->controller);
}

bool orders_rehearse(struct orders *orders, const struct store_order *row, const struct store_idempotency *key,
                     struct order_place *place, struct refusal *why)
{
  struct queue *q = orders_queue_of(orders, row->controller);
  const struct order asked = { .row = *row };
  bool full = false;
  *place = (struct order_place){ .position = 1 };
  if (q) {
    pthread_mutex_lock(&q->lock);
    full = queue_count(q) >= LIVE_MOST;
    queue_place(q, &asked, place);
    pthread_mutex_unlock(&q->lock);
  }
  if (full) return refuse_full(row, why);
  enum armdyn_status status = store_order_create(orders->app->store, row, key);
  return status ? refusal_status(why, status) : true;
}

bool orders_accept(struct orders *orders, const struct store_order *row, const struct store_idempotency *key,
                   struct refusal *why)
{
  struct queue *q = find_or_make(orders, row->controller);
  struct order *o = q ? order_new(row) : NULL;
  if (!o) return refusal_status(why, ARMDYN_EUNAVAILABLE);
  pthread_mutex_lock(&q->lock);
  const bool full = queue_count(q) >= LIVE_MOST;
  enum armdyn_status status =
      full || queue_stopping(q) ? ARMDYN_EUNAVAILABLE : store_order_create(orders->app->store, row, key);
  if (!status) queue_insert(q, o);
  pthread_mutex_unlock(&q->lock);
  if (!status) {
    announce_change(&q->listeners->orders, row->id);
    announce_change(&q->listeners->queues, row->controller);
    queue_ring(q);
    return true;
  }
  order_free(o);
  if (full) return refuse_full(row, why);
  return refusal_status(why, status);
}

size_t orders_live(struct orders *orders, const char *controller)
{
  struct queue *q = orders_queue_of(orders, controller);
  if (!q) return 0;
  pthread_mutex_lock(&q->lock);
  const size_t count = queue_count(q);
  pthread_mutex_unlock(&q->lock);
  return count;
}

void orders_place(struct orders *orders, const char *controller, const char *id, struct order_place *place)
{
  struct queue *q = orders_queue_of(orders, controller);
  *place = (struct order_place){ .position = 0 };
  if (!q) return;
  pthread_mutex_lock(&q->lock);
  int position = 0;
  for (const struct order *o = q->first; o; o = o->next) {
    if (order_state_final(o->row.state)) continue;
    position++;
    if (strcmp(o->row.id, id)) continue;
    place->position = position;
    memcpy(place->message, o->message, sizeof place->message);
    memcpy(place->blocked, q->block.reason, sizeof place->blocked);
  }
  pthread_mutex_unlock(&q->lock);
}

/* -- what people ask of an order -- */

static bool wrong_state(struct refusal *why, enum order_state is, enum order_state must_be)
{
  refusal_say(why, PROBLEM_CONFLICT, "the order is %s, not %s", order_state_name(is), order_state_name(must_be));
  return false;
}

/* The order, if it is in this state, and its queue locked. false: `why`, and nothing is locked. */
static bool lock_in(struct orders *orders, const struct store_order *row, enum order_state must_be,
                    struct queue **queue, struct order **order, struct refusal *why)
{
  struct queue *q = orders_queue_of(orders, row->controller);
  if (!q) return wrong_state(why, row->state, must_be);
  pthread_mutex_lock(&q->lock);
  struct order *o = queue_live(q, row->id);
  const enum order_state is = o ? o->row.state : row->state;
  if (o && is == must_be && !o->ending && !o->cancelled) {
    *queue = q, *order = o;
    return true;
  }
  const bool ends = o && (o->ending || o->cancelled);
  pthread_mutex_unlock(&q->lock);
  if (!ends) return wrong_state(why, is, must_be);
  refusal_say(why, PROBLEM_CONFLICT, "the order is being ended");
  return false;
}

bool orders_begin(struct orders *orders, const struct store_order *row, const struct caller *caller,
                  const struct store_idempotency *key, struct refusal *why)
{
  struct queue *q;
  struct order *o;
  if (!lock_in(orders, row, order_taken_in(COMMAND_START_ORDER), &q, &o, why)) return false;
  bool good = true;
  if (queue_blocked(q))
    good = refusal_say(why, PROBLEM_CONFLICT,
                       "the queue is blocked: %s. Look at the arm, then POST /v1/controllers/%s/queue/release",
                       q->block.reason, q->controller);
  else if (o->row.automatic || *o->row.started_by)
    good = refusal_say(why, PROBLEM_CONFLICT,
                       o->row.automatic ? "the order starts by itself" : "its start was asked for already");
  struct store_order changed = o->row;
  memcpy(changed.started_by, caller->id, sizeof changed.started_by);
  snprintf(changed.started_by_name, sizeof changed.started_by_name, "%s", *caller->name ? caller->name : caller->id);
  enum armdyn_status status =
      good ? order_enter(q, o, &changed, ORDER_READY, "its start was asked for", NULL, key) : ARMDYN_OK;
  if (good && !status) {
    const int64_t before_ms = clock_wall_ms() + START_MS;
    o->mover = *caller;
    o->since_ns = clock_monotonic_ns();
    if (!o->start_before_ms || before_ms < o->start_before_ms) o->start_before_ms = before_ms;
  }
  pthread_mutex_unlock(&q->lock);
  if (status) return refusal_status(why, status);
  if (good) queue_ring(q);
  return good;
}

/* Ask the controller and wait for its answer. */
static bool command(struct orders *orders, const char *controller, const char *transfer,
                    enum transfer_command_kind kind, struct refusal *why)
{
  struct observation seen;
  char text[COMMAND_ANSWER_SIZE] = "";
  enum armdyn_status status;
  command_wait(orders->app->gateway, &(struct awaited_command){ controller, transfer, kind, 0 }, &seen, text, &status);
  orders_look(orders);
  if (status == ARMDYN_OK || status == ARMDYN_EUNAVAILABLE) return true; /* no answer yet: the order will tell */
  return refusal_say(why, PROBLEM_CONTROLLER_REFUSED, "%s", text);
}

/* Its transfer, if it is in the state that the command is taken in. */
static bool transfer_for(struct orders *orders, const struct store_order *row, enum order_command what,
                         char transfer[ID_SIZE], struct refusal *why)
{
  struct queue *q;
  struct order *o;
  if (!lock_in(orders, row, order_taken_in(what), &q, &o, why)) return false;
  memcpy(transfer, o->row.transfer, ID_SIZE);
  pthread_mutex_unlock(&q->lock);
  return true;
}

bool orders_hold(struct orders *orders, const struct store_order *row, struct refusal *why)
{
  char transfer[ID_SIZE];
  return transfer_for(orders, row, COMMAND_HOLD_ORDER, transfer, why) &&
         command(orders, row->controller, transfer, ASK_HOLD, why);
}

bool orders_resume(struct orders *orders, const struct store_order *row, const struct store_idempotency *key,
                   struct refusal *why)
{
  char transfer[ID_SIZE];
  if (!transfer_for(orders, row, COMMAND_RESUME_ORDER, transfer, why)) return false;
  enum armdyn_status status = store_idempotency_remember(orders->app->store, key, "orders", row->id);
  if (status) return refusal_status(why, status);
  return command(orders, row->controller, transfer, ASK_RESUME, why);
}

bool orders_cancel(struct orders *orders, const struct store_order *row, const struct caller *caller,
                   struct refusal *why)
{
  struct queue *q = orders_queue_of(orders, row->controller);
  char transfer[ID_SIZE] = "", job[ID_SIZE] = "";
  struct order *o = NULL;
  if (q) {
    pthread_mutex_lock(&q->lock);
    o = queue_live(q, row->id);
    if (o) {
      o->cancelled = true;
      snprintf(o->canceller, sizeof o->canceller, "%s", *caller->name ? caller->name : caller->id);
      memcpy(transfer, o->row.transfer, sizeof transfer);
      if (o->row.state == ORDER_PLANNING) memcpy(job, o->row.job, sizeof job);
      order_end_cancelled(q, o);
    }
    pthread_mutex_unlock(&q->lock);
    queue_ring(q);
  }
  if (!o) return refusal_say(why, PROBLEM_CONFLICT, "the order has ended already");
  if (*transfer) return command(orders, row->controller, transfer, ASK_STOP, why);
  if (*job) (void)jobs_cancel(orders->app->jobs, job);
  return true;
}

/* -- queues -- */

void orders_queue(struct orders *orders, const char *controller, struct queue_view *view)
{
  struct queue *q = orders_queue_of(orders, controller);
  *view = (struct queue_view){ .ids = BUFFER(KB(64)) };
  struct json_writer w = { .out = &view->ids };
  json_begin_array(&w);
  if (q) {
    pthread_mutex_lock(&q->lock);
    memcpy(view->blocked, q->block.reason, sizeof view->blocked);
    memcpy(view->since, q->block.since, sizeof view->since);
    for (const struct order *o = q->first; o; o = o->next) {
      if (order_state_final(o->row.state)) continue;
      json_write_text(&w, o->row.id);
      view->count++;
    }
    pthread_mutex_unlock(&q->lock);
  }
  json_end_array(&w);
}

/* Under the lock: is there a reason not to go on yet? */
static bool releasable(const struct queue *q, struct refusal *why)
{
  for (const struct order *o = q->first; o; o = o->next) {
    if (o->row.state == ORDER_HELD)
      return refusal_say(why, PROBLEM_CONFLICT, "order %s is held: resume or cancel it first", o->row.id);
    if (o->ending || (o->cancelled && order_is_loaded(o->row.state)))
      return refusal_say(why, PROBLEM_CONFLICT, "order %s is being ended", o->row.id);
  }
  return true;
}

bool orders_release(struct orders *orders, const char *controller, const struct store_idempotency *key,
                    struct refusal *why)
{
  struct queue *q = find_or_make(orders, controller); /* a STOP before its first order would block that */
  if (!q) return refusal_status(why, ARMDYN_EUNAVAILABLE);
  queue_notice(q); /* a STOP that was answered is released too; one that comes after this blocks anew */
  queue_hear_end(q);
  pthread_mutex_lock(&q->lock);
  bool good = releasable(q, why);
  struct store_order_queue next = q->block;
  next.reason[0] = '\0';
  clock_format(clock_wall_ms(), next.since);
  enum armdyn_status status = good ? store_order_queue_put(orders->app->store, &next, key) : ARMDYN_OK;
  if (good && !status) {
    q->block = next;
    q->block_unkept = false;
    q->instance_known = false;
    announce_change(&q->listeners->queues, controller);
  }
  pthread_mutex_unlock(&q->lock);
  queue_ring(q);
  return status ? refusal_status(why, status) : good;
}
