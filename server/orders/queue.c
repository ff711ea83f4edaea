/* One controller's queue, and the thread that works for its orders. */
#include <stdarg.h>
#include <stdlib.h>

#include "api/codec/history.h"
#include "server/app.h"
#include "server/base/log.h"
#include "server/gateway/gateway.h"
#include "server/orders/internal.h"

enum {
  LIVE_MS = 100,  /* how often a queue with orders looks by itself; what changes rings it */
  IDLE_MS = 1000, /* one without */
  AGAIN_MS = 1000 /* before what could not be done is tried again */
};

/* -- waking -- */

void queue_ring(struct queue *q)
{
  pthread_mutex_lock(&q->bell_lock);
  q->rung = true;
  pthread_cond_signal(&q->bell);
  pthread_mutex_unlock(&q->bell_lock);
}

bool queue_stopping(struct queue *q)
{
  pthread_mutex_lock(&q->bell_lock);
  bool stopping = q->stopping;
  pthread_mutex_unlock(&q->bell_lock);
  return stopping;
}

static void await_bell(struct queue *q, int64_t ms)
{
  const int64_t until_ns = clock_monotonic_ns() + ms * 1000000;
  const struct timespec until = { until_ns / 1000000000, until_ns % 1000000000 };
  pthread_mutex_lock(&q->bell_lock);
  while (!q->rung && !q->stopping && !pthread_cond_timedwait(&q->bell, &q->bell_lock, &until)) continue;
  q->rung = false;
  pthread_mutex_unlock(&q->bell_lock);
}

/* -- blocking -- */

static void keep_block(struct queue *q)
{
  enum armdyn_status status = q->block_unkept ? store_order_queue_put(q->app->store, &q->block, NULL) : ARMDYN_OK;
  if (status && q->block_unkept)
    log_event(LOG_ERROR, "that a queue is blocked was not stored", "controller", q->controller, "reason",
              armdyn_status_text(status), NULL);
  else
    q->block_unkept = false;
}

void queue_block(struct queue *q, const char *format, ...)
{
  va_list arguments;
  if (queue_blocked(q)) return;
  va_start(arguments, format);
  vsnprintf(q->block.reason, sizeof q->block.reason, format, arguments);
  va_end(arguments);
  clock_format(clock_wall_ms(), q->block.since);
  log_event(LOG_WARNING, "a queue of orders is blocked", "controller", q->controller, "reason", q->block.reason, NULL);
  q->block_unkept = true;
  keep_block(q);
  announce_change(&q->listeners->queues, q->controller);
}

void queue_notice(struct queue *q)
{
  pthread_mutex_lock(&q->lock); /* before it asks: of two that look, neither has an older number than the one before */
  const uint64_t stopped = gateway_stopped(q->app->gateway, q->controller);
  const unsigned generation = gateway_generation(q->app->gateway);
  if (stopped != q->stopped) queue_block(q, "STOP was sent to the controller");
  if (generation != q->generation) queue_block(q, "the gateway was started anew");
  q->stopped = stopped;
  q->generation = generation;
  pthread_mutex_unlock(&q->lock);
}

/* -- changes of an order -- */

void order_wait(struct order *o, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(o->message, sizeof o->message, format, arguments);
  va_end(arguments);
  o->again_ns = clock_monotonic_ns() + AGAIN_MS * 1000000LL;
}

/* What the store has now. */
static void take(struct order *o, struct store_order *next)
{
  free(o->row.history);
  if (next->plan != o->row.plan) free(o->row.plan);
  if (next->sequence != o->row.sequence) free(o->row.sequence);
  if (next->problem != o->row.problem) free(o->row.problem);
  o->row = *next;
  o->message[0] = '\0';
}

static void tell(struct queue *q, const struct order *o, const char *reason)
{
  char trace[TRACE_ID_SIZE];
  trace_id(o->row.traceparent, trace);
  log_event(LOG_INFO, "order", "order", o->row.id, "state", order_state_name(o->row.state), "controller", q->controller,
            "job_order_id", *o->row.job_order_id ? o->row.job_order_id : NULL, "reason", *reason ? reason : NULL,
            "trace", *trace ? trace : NULL, NULL);
  announce_change(&q->listeners->orders, o->row.id);
  if (order_state_final(o->row.state)) announce_change(&q->listeners->queues, q->controller);
}

static void block_for(struct queue *q, const struct order *o)
{
  if (!order_blocks(o->row.state, *o->row.transfer)) return;
  queue_block(q, "order %s%s%.64s%s %s%s", o->row.id, *o->row.job_order_id ? " (" : "", o->row.job_order_id,
              *o->row.job_order_id ? ")" : "", o->row.state == ORDER_FAILED ? "" : "was ",
              order_state_name(o->row.state));
}

/* The store has an end for it that we do not know, or has it no more. */
static void lose(struct queue *q, struct order *o, enum armdyn_status status)
{
  log_event(LOG_ERROR, "an order is not as the store has it", "order", o->row.id, "reason", armdyn_status_text(status),
            NULL);
  o->row.state = ORDER_INTERRUPTED;
  block_for(q, o);
}

/* `next` as it will be in this state, with a history of its own; and a problem, if there is one. */
static enum armdyn_status prepare(const struct order *o, struct store_order *next, enum order_state to,
                                  const char *reason, const char *problem)
{
  const bool moves = to != o->row.state;
  if (moves && !order_may_become(o->row.state, to)) {
    log_event(LOG_ERROR, "an order cannot go there", "order", o->row.id, "from", order_state_name(o->row.state), "to",
              order_state_name(to), NULL);
    return ARMDYN_ECONFLICT;
  }
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  next->state = to;
  if (to == ORDER_READY && moves) memcpy(next->ready_at, now, sizeof now);
  if (order_state_final(to)) memcpy(next->finished_at, now, sizeof now);
  char *history = strdup(o->row.history ? o->row.history : "[]");
  if (problem) next->problem = strdup(problem);
  if (!history || (problem && !next->problem)) {
    free(history);
    if (problem) free(next->problem);
    return ARMDYN_EMEMORY;
  }
  next->history = history_with(history, order_state_name(to), now, reason, order_state_final(to));
  return ARMDYN_OK;
}

/* The store has it. */
static void settle(struct queue *q, struct order *o, struct store_order *next, const char *reason)
{
  const bool moves = next->state != o->row.state;
  take(o, next);
  tell(q, o, reason);
  if (moves) block_for(q, o);
}

enum armdyn_status order_enter(struct queue *q, struct order *o, struct store_order *changed, enum order_state to,
                               const char *reason, const char *problem, const struct store_idempotency *key)
{
  struct store_order next = *changed;
  enum armdyn_status status = prepare(o, &next, to, reason, problem);
  if (status) return status;
  status = store_order_update(q->app->store, &next, key);
  if (status) {
    free(next.history);
    if (problem) free(next.problem);
    if (!key && (status == ARMDYN_ECONFLICT || status == ARMDYN_ENOTFOUND)) lose(q, o, status);
    return status;
  }
  settle(q, o, &next, reason);
  queue_ring(q);
  return ARMDYN_OK;
}

enum armdyn_status orders_stop_all(struct queue *q, struct order *const *all, size_t count, const char *reason)
{
  struct store_order *next = calloc(count ? count : 1, sizeof *next);
  enum armdyn_status status = next ? ARMDYN_OK : ARMDYN_EMEMORY;
  size_t ready = 0;
  while (!status && ready < count) {
    next[ready] = all[ready]->row;
    status = prepare(all[ready], &next[ready], ORDER_STOPPED, reason, NULL);
    ready += !status;
  }
  if (!status) status = store_order_update_all(q->app->store, next, count);
  for (size_t i = 0; i < ready; i++) status ? free(next[i].history) : settle(q, all[i], &next[i], reason);
  free(next);
  return status;
}

static void fail_with(struct queue *q, struct order *o, enum problem problem, const struct faults *faults,
                      const char *detail)
{
  struct buffer text = BUFFER(KB(64));
  char instance[64];
  snprintf(instance, sizeof instance, "/v1/orders/%s", o->row.id);
  problem_write(&text, problem, *detail ? detail : NULL, instance, faults, NULL);
  enum armdyn_status status = text.failure;
  struct store_order changed = o->row;
  if (!status)
    status = order_enter(q, o, &changed, ORDER_FAILED, *detail ? detail : problem_title(problem), text.data, NULL);
  if (status) order_wait(o, "its failure was not stored: %s", armdyn_status_text(status));
  buffer_release(&text);
}

void order_fail(struct queue *q, struct order *o, enum problem problem, const struct faults *faults, const char *format,
                ...)
{
  char detail[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(detail, sizeof detail, format, arguments);
  va_end(arguments);
  fail_with(q, o, problem, faults, detail);
}

void order_refuse(struct queue *q, struct order *o, const struct refusal *why)
{
  fail_with(q, o, why->problem, why->faults, why->status ? armdyn_status_text(why->status) : why->detail);
}

void order_refuse_or_wait(struct queue *q, struct order *o, const struct refusal *why)
{
  switch (why->status) {
  case ARMDYN_EBUSY:
  case ARMDYN_EUNAVAILABLE:
  case ARMDYN_ELIMIT:
  case ARMDYN_EFULL:
  case ARMDYN_EMEMORY:
    order_wait(o, "it cannot go on just now: %s", *why->detail ? why->detail : armdyn_status_text(why->status));
    break;
  default: order_refuse(q, o, why);
  }
}

void order_end_cancelled(struct queue *q, struct order *o)
{
  struct store_order changed = o->row;
  char reason[ORDER_MESSAGE];
  if (!o->cancelled || o->busy || *o->row.transfer || order_state_final(o->row.state)) return;
  snprintf(reason, sizeof reason, "cancelled by %s", o->canceller);
  enum armdyn_status status = order_enter(q, o, &changed, ORDER_STOPPED, reason, NULL, NULL);
  if (status) order_wait(o, "that it is cancelled was not stored: %s", armdyn_status_text(status));
}

/* -- the thread -- */

void order_free(struct order *o)
{
  order_request_release(&o->request);
  store_order_release(&o->row);
  free(o);
}

static void sweep(struct queue *q)
{
  for (struct order **at = &q->first; *at;) {
    struct order *o = *at;
    if (!order_state_final(o->row.state)) {
      at = &o->next;
      continue;
    }
    *at = o->next;
    order_free(o);
  }
}

static bool expired(const struct order *o)
{
  return *o->row.expires_at && clock_wall_ms() > clock_parse(o->row.expires_at);
}

/* Those that start by themselves do so in time, or not at all. */
static void expire(struct queue *q)
{
  for (struct order *o = q->first; o; o = o->next)
    if (expired(o) && !order_is_loaded(o->row.state) && !order_state_final(o->row.state))
      order_fail(q, o, PROBLEM_START_EXPIRED, NULL,
                 "it starts by itself until %s (expires_within), and was not loaded by then: it was %s",
                 o->row.expires_at, order_state_name(o->row.state));
}

/* What is done for an order in each state. */
typedef void step_function(struct queue *q, struct order *o);
static step_function *const steps[ORDER_STATE_COUNT] = {
  [ORDER_ACCEPTED] = order_plan,  [ORDER_PLANNING] = order_hear_of_plan, [ORDER_QUEUED] = order_load,
  [ORDER_LOADING] = order_follow, [ORDER_READY] = order_follow,          [ORDER_RUNNING] = order_follow,
  [ORDER_HELD] = order_follow,
};

/* The loaded one and the next, which is all that is ever worked for: two of them are never loaded, nor two planned. */
enum { WORKED_FOR = 2 };
static size_t pick(const struct queue *q, struct order *out[WORKED_FOR])
{
  size_t count = 0;
  for (struct order *o = q->first; o && count < WORKED_FOR; o = o->next) {
    if (order_state_final(o->row.state)) continue;
    if (count == 1 && !order_is_loaded(out[0]->row.state)) break; /* the first is not at the controller yet */
    out[count++] = o;
  }
  return count;
}

static bool look(struct queue *q)
{
  struct order *work[WORKED_FOR];
  queue_notice(q);
  pthread_mutex_lock(&q->lock);
  sweep(q);
  keep_block(q);
  expire(q);
  const size_t count = pick(q, work);
  pthread_mutex_unlock(&q->lock);
  for (size_t k = 0; k < count && !queue_stopping(q); k++) {
    pthread_mutex_lock(&q->lock);
    const enum order_state state = work[k]->row.state; /* a final one is swept at the next look */
    const bool due = !order_state_final(state) && clock_monotonic_ns() >= work[k]->again_ns;
    pthread_mutex_unlock(&q->lock);
    if (due) steps[state](q, work[k]);
  }
  return count > 0;
}

void *queue_main(void *context)
{
  struct queue *q = context;
  while (!queue_stopping(q)) await_bell(q, look(q) ? LIVE_MS : IDLE_MS);
  pthread_mutex_lock(&q->lock);
  for (struct order *o; (o = q->first); order_free(o)) q->first = o->next;
  pthread_mutex_unlock(&q->lock);
  return NULL;
}
