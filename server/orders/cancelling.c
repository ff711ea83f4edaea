/* Many orders are cancelled at once: of each queue in one write. */
#include <stdlib.h>

#include "server/app.h"
#include "server/jobs/jobs.h"
#include "server/orders/internal.h"
#include "server/orders/orders.h"

static bool is_chosen(const struct order_choice *c, const struct order *o)
{
  const int64_t created = clock_parse(o->row.created_at);
  return (!*c->job_order_id || !strcmp(o->row.job_order_id, c->job_order_id)) &&
         (!c->states || (c->states >> o->row.state & 1)) && (c->created_after < 0 || created >= c->created_after) &&
         (c->created_before < 0 || created < c->created_before);
}

/* What is cancelled of one queue. */
struct chosen {
  struct order **now; /* they end at once */
  size_t count, later;
  char (*jobs)[ID_SIZE]; /* that plan them */
  size_t job_count;
};

/* Under the lock. Those at the controller, or that the thread works for, are marked: it ends them. */
static bool choose(const struct queue *q, const struct order_choice *c, const char *canceller, struct chosen *chosen)
{
  size_t most = 0;
  for (const struct order *o = q->first; o; o = o->next) most++;
  *chosen =
      (struct chosen){ .now = calloc(most + 1, sizeof *chosen->now), .jobs = calloc(most + 1, sizeof *chosen->jobs) };
  if (!chosen->now || !chosen->jobs) return false;
  for (struct order *o = q->first; o; o = o->next) {
    if (order_state_final(o->row.state) || o->cancelled || !is_chosen(c, o)) continue;
    if (o->row.state == ORDER_PLANNING) memcpy(chosen->jobs[chosen->job_count++], o->row.job, ID_SIZE);
    if (!o->busy && !*o->row.transfer) {
      chosen->now[chosen->count++] = o;
      continue;
    }
    o->cancelled = true;
    snprintf(o->canceller, sizeof o->canceller, "%s", canceller);
    chosen->later++;
  }
  return true;
}

static enum armdyn_status cancel_in(struct queue *q, const struct order_choice *choice, const char *canceller,
                                    size_t *ended, size_t *ending)
{
  struct chosen chosen;
  char reason[ORDER_MESSAGE];
  snprintf(reason, sizeof reason, "cancelled by %s", canceller);
  pthread_mutex_lock(&q->lock);
  enum armdyn_status status = choose(q, choice, canceller, &chosen) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = orders_stop_all(q, chosen.now, chosen.count, reason);
  pthread_mutex_unlock(&q->lock);
  queue_ring(q);
  if (!status) *ended += chosen.count;
  if (!status) *ending += chosen.later;
  for (size_t i = 0; i < chosen.job_count && !status; i++) (void)jobs_cancel(q->app->jobs, chosen.jobs[i]);
  free(chosen.now);
  free(chosen.jobs);
  return status;
}

bool orders_cancel_chosen(struct orders *orders, const struct order_choice *choice, const struct caller *caller,
                          size_t *ended, size_t *ending, struct refusal *why)
{
  enum armdyn_status status = ARMDYN_OK;
  pthread_mutex_lock(&orders->lock);
  struct queue *first = orders->queues; /* the list only grows, at its head */
  pthread_mutex_unlock(&orders->lock);
  *ended = *ending = 0;
  for (struct queue *q = first; q && !status; q = q->next)
    if (!*choice->controller || !strcmp(q->controller, choice->controller))
      status = cancel_in(q, choice, *caller->name ? caller->name : caller->id, ended, ending);
  return status ? refusal_status(why, status) : true;
}
