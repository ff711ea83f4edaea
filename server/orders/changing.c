/* A change of an order that waits. What it was is dropped as it stands, whatever the thread of the queue is just doing for it,
 * and the order is accepted anew in its place: nothing of what was planned for the former one can reach the controller. */
#include <stdlib.h>

#include "api/codec/history.h"
#include "server/app.h"
#include "server/base/rehearsal.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/orders/orders.h"

bool order_waits(const struct store_order *row, struct refusal *why)
{
  if (row->state < ORDER_LOADING && !*row->transfer) return true;
  if (order_state_final(row->state))
    return refusal_say(why, PROBLEM_CONFLICT, "the order has ended (%s), and stays as it was: order anew",
                       order_state_name(row->state));
  return refusal_say(why, PROBLEM_CONFLICT,
                     "the order is %s: its motion is at the controller, and does not change any more. Cancel it (POST "
                     "/v1/orders/%s/cancel, which stops it there), and order anew",
                     order_state_name(row->state), row->id);
}

/* Under the lock: may it be changed (NULL: it has ended), from what the caller has seen of it? */
static bool changeable(const struct order *o, const struct store_order *asked, struct refusal *why)
{
  if (!o || o->cancelled) return refusal_say(why, PROBLEM_CONFLICT, "the order has just been ended: order anew");
  if (!order_waits(&o->row, why)) return false;
  return o->row.changes == asked->changes || refusal_status(why, ARMDYN_ESTALE);
}

/* As it will be stored; only its history is its own. */
static bool next_of(const struct order *o, const struct store_order *asked, const char *reason,
                    struct store_order *next)
{
  char *history = strdup(o->row.history ? o->row.history : "[]");
  *next = *asked;
  if (!history) return false;
  next->state = ORDER_ACCEPTED;
  next->changes++;
  *next->job = *next->trajectory = *next->transfer = *next->plan_key = '\0';
  next->plan = next->sequence = next->problem = NULL;
  next->history = history_with(history, order_state_name(ORDER_ACCEPTED), next->changed_at, reason, false);
  return true;
}

/* Under the lock, and stored: the thread drops the former one at its next look, and what it has begun for it before that.
 *   job  out  that plans it; "" */
static void replace(struct queue *q, struct order *former, struct order *fresh, char job[ID_SIZE])
{
  if (former->row.state == ORDER_PLANNING) memcpy(job, former->row.job, ID_SIZE);
  former->cancelled = true;
  former->row.state = ORDER_STOPPED;
  queue_insert(q, fresh);
}

static enum armdyn_status change(struct queue *q, struct order *o, const struct store_order *asked, const char *reason,
                                 struct order_place *place, char job[ID_SIZE])
{
  struct store_order next;
  if (!next_of(o, asked, reason, &next)) return ARMDYN_EMEMORY;
  struct order *fresh = order_new(&next);
  enum armdyn_status status = fresh ? store_order_change(q->app->store, &next) : ARMDYN_EMEMORY;
  if (!status) queue_place(q, fresh, place);
  if (!status && !rehearsing())
    replace(q, o, fresh, job);
  else if (fresh)
    order_free(fresh);
  free(next.history);
  return status;
}

bool orders_change(struct orders *orders, const struct store_order *asked, const char *reason,
                   struct order_place *place, struct refusal *why)
{
  struct queue *q = orders_queue_of(orders, asked->controller);
  char job[ID_SIZE] = "";
  enum armdyn_status status = ARMDYN_OK;
  *place = (struct order_place){ .position = 0 };
  if (!q) return changeable(NULL, asked, why);
  pthread_mutex_lock(&q->lock);
  struct order *o = queue_live(q, asked->id);
  const bool good = changeable(o, asked, why);
  if (good) status = change(q, o, asked, reason, place, job);
  pthread_mutex_unlock(&q->lock);
  if (status) return refusal_status(why, status);
  if (!good || rehearsing()) return good;
  announce_change(&q->listeners->orders, asked->id);
  announce_change(&q->listeners->queues, asked->controller);
  queue_ring(q);
  if (*job) (void)jobs_cancel(q->app->jobs, job);
  return true;
}
