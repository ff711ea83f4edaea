/* An order at its controller: what its transfer says, and its START. */
#include <math.h>
#include <stdlib.h>

#include "api/json/document.h"
#include "server/app.h"
#include "server/base/log.h"
#include "server/gateway/gateway.h"
#include "server/orders/internal.h"
#include "server/transfers/command_wait.h"

enum { STOP_AGAIN_MS = 2000, START_AT_ONCE_MS = 30000 };

/* -- ending it before its motion -- */

static void stop(struct queue *q, struct order *o)
{
  o->ending_ns = clock_monotonic_ns();
  gateway_command(q->app->gateway, q->controller, o->row.transfer, ASK_STOP, 0, NULL, NULL);
}

/* It fails for this reason as soon as the controller is stopped; one whose end somebody else heard meanwhile has ended. */
static void end(struct queue *q, struct order *o, const struct refusal *why)
{
  pthread_mutex_lock(&q->lock);
  const bool ends = o->ending = !order_state_final(o->row.state);
  o->ending_problem = why->problem;
  snprintf(o->ending_detail, sizeof o->ending_detail, "%.255s",
           why->status ? armdyn_status_text(why->status) : why->detail);
  pthread_mutex_unlock(&q->lock);
  if (ends) stop(q, o);
}

/* A STOP may be lost with the connection. */
static void stop_again(struct queue *q, struct order *o)
{
  if (clock_monotonic_ns() - o->ending_ns > STOP_AGAIN_MS * 1000000LL) stop(q, o);
}

/* -- START -- */

static bool in_time(struct queue *q, const struct order *o, struct refusal *why)
{
  const int64_t now = clock_wall_ms();
  bool good = true;
  pthread_mutex_lock(&q->lock); /* who asks for its start changes the row */
  if (*o->row.expires_at && now > clock_parse(o->row.expires_at))
    good = refusal_say(why, PROBLEM_START_EXPIRED,
                       "it starts by itself until %s (expires_within), and was not started by then", o->row.expires_at);
  else if (o->start_before_ms && now > o->start_before_ms)
    good = refusal_say(why, PROBLEM_START_EXPIRED, "it was ready at %s and not started within start_within",
                       o->row.ready_at);
  pthread_mutex_unlock(&q->lock);
  return good;
}

/* In whose right, and does the controller's entry let this service start motion? Asked as late as can be. */
static bool has_right(struct queue *q, const struct order *o, struct refusal *why)
{
  struct controller_description *controller = calloc(1, sizeof *controller);
  if (!controller) return refusal_status(why, ARMDYN_EMEMORY);
  bool good = order_controller(q, controller, NULL, why);
  if (good && !controller->enabled)
    good = refusal_say(why, PROBLEM_CONFLICT, "%s", gateway_barred);
  else if (good && !controller->profile.allow_start)
    good = refusal_say(why, PROBLEM_CONFLICT,
                       "controller '%s' does not say allow_start: its PLC starts what is armed, not this service",
                       q->controller);
  else if (good && !auth_still_good(q->app->auth, &o->mover, o->since_ns))
    good = refusal_say(why, PROBLEM_MOTION_FORBIDDEN, "key '%s', in whose right it starts, is not good any more",
                       o->mover.name);
  else if (good && !auth_may_move(q->app->auth, &o->mover, q->controller))
    good = refusal_say(why, PROBLEM_MOTION_FORBIDDEN,
                       "key '%s', in whose right it starts, does not name controller '%s' in its `motion`",
                       o->mover.name, q->controller);
  free(controller);
  return good;
}

/* All that must hold when START is sent; queue_notice has just been asked. */
static bool may_start(struct queue *q, struct order *o, struct refusal *why)
{
  queue_notice(q);
  pthread_mutex_lock(&q->lock);
  const bool blocked = queue_blocked(q), cancelled = o->cancelled;
  if (blocked) refusal_say(why, PROBLEM_CONFLICT, "the queue was blocked before it started: %s", q->block.reason);
  if (cancelled) refusal_say(why, PROBLEM_CANCELLED, "cancelled by %s", o->canceller);
  pthread_mutex_unlock(&q->lock);
  return !blocked && !cancelled && in_time(q, o, why) && has_right(q, o, why);
}

/* The controller checks that the arm stands at the start. false: `why`, or nothing when that is not known yet. */
static bool arm(struct queue *q, const struct order *o, struct refusal *why)
{
  struct observation seen;
  char text[COMMAND_ANSWER_SIZE] = "";
  enum armdyn_status status;
  command_wait(q->app->gateway, &(struct awaited_command){ q->controller, o->row.transfer, ASK_ARM, 0 }, &seen, text,
               &status);
  if (status == ARMDYN_ECONFLICT) refusal_say(why, PROBLEM_CONTROLLER_REFUSED, "%s", text);
  return status == ARMDYN_OK;
}

/* The one START is claimed, durably and for ever, before anybody hears of it; and what it needs is asked once more. */
static bool start(struct queue *q, struct order *o, struct refusal *why)
{
  o->start_asked = true;
  enum armdyn_status status = store_transfer_claim_start(q->app->store, o->row.transfer);
  if (status == ARMDYN_ECONFLICT) return true; /* somebody started the transfer, or it has ended: it will tell */
  if (status) return refusal_status(why, status);
  if (!may_start(q, o, why)) return false;
  pthread_mutex_lock(&q->lock);
  int64_t before_ms = o->start_before_ms;
  if (*o->row.expires_at && clock_parse(o->row.expires_at) < before_ms) before_ms = clock_parse(o->row.expires_at);
  pthread_mutex_unlock(&q->lock);
  log_event(LOG_INFO, "START of an order", "order", o->row.id, "transfer", o->row.transfer, "controller", q->controller,
            "key", o->mover.name, NULL);
  gateway_command(q->app->gateway, q->controller, o->row.transfer, ASK_START, before_ms, NULL, NULL);
  return true;
}

/* Is it to be started now? Under the lock. */
static bool wanted(struct order *o)
{
  const double within = isnan(o->request.start_within) ? ORDER_START_WITHIN : o->request.start_within;
  const bool limited = o->row.automatic || !isnan(o->request.start_within);
  if (!o->start_before_ms && limited) o->start_before_ms = clock_parse(o->row.ready_at) + (int64_t)(1000 * within);
  return (o->row.automatic || *o->row.started_by) && *o->mover.id && !o->start_asked;
}

/* It rests at the controller, ready or armed. */
static void bring_to_start(struct queue *q, struct order *o, enum transfer_state transfer)
{
  struct refusal why = { .faults = calloc(1, sizeof *why.faults) };
  pthread_mutex_lock(&q->lock);
  const bool wants = wanted(o);
  pthread_mutex_unlock(&q->lock);
  bool good = why.faults && in_time(q, o, &why);
  if (good && wants) good = may_start(q, o, &why);
  if (good && wants && transfer == TRANSFER_READY)
    good = arm(q, o, &why);
  else if (good && wants && transfer == TRANSFER_ARMED)
    good = start(q, o, &why);
  if (!good && (*why.detail || why.status)) end(q, o, &why);
  free(why.faults);
}

/* -- what its transfer says -- */

/* The end of an order is its transfer's, unless we ended that, before it began, for a reason of our own. */
static void enter_end(struct queue *q, struct order *o, const struct store_transfer *t, enum order_state to)
{
  struct store_order changed = o->row;
  char reason[ORDER_MESSAGE] = "";
  memcpy(changed.started_at, t->started_at, sizeof changed.started_at);
  if (o->ending && to == ORDER_STOPPED && !*t->started_at) {
    order_fail(q, o, o->ending_problem, NULL, "%s", o->ending_detail);
    return;
  }
  if (to == ORDER_STOPPED) snprintf(reason, sizeof reason, "its transfer was stopped");
  if (to == ORDER_STOPPED && o->cancelled) snprintf(reason, sizeof reason, "cancelled by %s", o->canceller);
  enum armdyn_status status = order_enter(q, o, &changed, to, reason, t->problem, NULL);
  if (status) order_wait(o, "its end was not stored: %s", armdyn_status_text(status));
}

/* Its state with a reason, or another one. */
static void enter(struct queue *q, struct order *o, const struct store_transfer *t, enum order_state to,
                  const char *reason)
{
  struct store_order changed = o->row;
  memcpy(changed.started_at, t->started_at, sizeof changed.started_at);
  enum armdyn_status status = order_enter(q, o, &changed, to, reason, NULL, NULL);
  if (status) order_wait(o, "that it is %s was not stored: %s", order_state_name(to), armdyn_status_text(status));
}

static bool sets_outputs(const struct order *o)
{
  for (size_t i = 0; i < o->request.step_count; i++)
    if (*o->request.steps[i].output.name) return true;
  return false;
}

/* What the transfer's history has more of, while it moved: outputs that are set. */
static void hear_of_outputs(struct queue *q, struct order *o, const struct store_transfer *t)
{
  cJSON *history = document_open(t->history);
  const cJSON *entry;
  size_t seen = 0;
  cJSON_ArrayForEach (entry, history) {
    const char *state = document_text(entry, "state"), *reason = document_text(entry, "reason");
    const bool moves = state && (!strcmp(state, transfer_state_name(TRANSFER_PLAYING)) ||
                                 !strcmp(state, transfer_state_name(TRANSFER_HOLDING)));
    if (seen++ < o->heard) continue;
    o->heard = seen;
    if (!moves || !reason) continue;
    if (o->row.state == ORDER_LOADING || o->row.state == ORDER_READY) enter(q, o, t, ORDER_RUNNING, "");
    enter(q, o, t, o->row.state, reason);
  }
  document_close(history);
}

/* Under the lock. */
static void hear(struct queue *q, struct order *o, const struct store_transfer *t)
{
  const enum order_state to = order_state_of(t->state);
  if (order_state_final(o->row.state)) return;
  if (sets_outputs(o)) hear_of_outputs(q, o, t);
  if (order_state_final(to)) {
    enter_end(q, o, t, to);
  } else if (to != o->row.state && order_may_become(o->row.state, to)) {
    enter(q, o, t, to, "");
  }
  if (o->row.state == ORDER_LOADING && t->total)
    snprintf(o->message, sizeof o->message, "its transfer is %s, %lld of %lld samples", transfer_state_name(t->state),
             (long long)t->sent, (long long)t->total);
}

static struct order *loaded(struct queue *q)
{
  struct order *o = q->first;
  while (o && !order_is_loaded(o->row.state)) o = o->next;
  return o;
}

void queue_hear_end(struct queue *q)
{
  struct store_transfer t;
  char transfer[ID_SIZE] = "";
  pthread_mutex_lock(&q->lock);
  const struct order *there = loaded(q);
  if (there) memcpy(transfer, there->row.transfer, sizeof transfer);
  pthread_mutex_unlock(&q->lock);
  if (!*transfer || gateway_transfer(q->app->gateway, transfer, &t)) return;
  pthread_mutex_lock(&q->lock);
  struct order *o = loaded(q);
  if (o && !strcmp(o->row.transfer, transfer) && order_state_final(order_state_of(t.state))) hear(q, o, &t);
  pthread_mutex_unlock(&q->lock);
  store_transfer_release(&t);
}

/* An earlier run of the service kept its id, and ended before it was made: nothing was sent. */
static void end_unmade(struct queue *q, struct order *o)
{
  pthread_mutex_lock(&q->lock);
  if (!order_state_final(o->row.state))
    order_fail(q, o, PROBLEM_TRANSFER_INTERRUPTED, NULL,
               "the service ended before anything of it was sent to the controller");
  pthread_mutex_unlock(&q->lock);
}

void order_follow(struct queue *q, struct order *o)
{
  struct store_transfer t;
  enum armdyn_status status = gateway_transfer(q->app->gateway, o->row.transfer, &t);
  if (status == ARMDYN_ENOTFOUND) end_unmade(q, o);
  if (status) return;
  pthread_mutex_lock(&q->lock);
  hear(q, o, &t);
  const bool rests = o->row.state == ORDER_READY && (t.state == TRANSFER_READY || t.state == TRANSFER_ARMED);
  const bool over = order_state_final(o->row.state), stops = o->ending || o->cancelled;
  pthread_mutex_unlock(&q->lock);
  if (stops && !over)
    stop_again(q, o);
  else if (rests)
    bring_to_start(q, o, t.state);
  store_transfer_release(&t);
}
