/* The orders of a queue in memory: made of rows of the store, and where they stand. */
#include <stdlib.h>

#include "server/orders/internal.h"
#include "server/orders/orders.h"

/* Does a come before b? What has begun keeps its place: the farther, the earlier. */
static bool comes_before(const struct order *a, const struct order *b)
{
  const bool placed = order_is_placed(a->row.state);
  if (placed || order_is_placed(b->row.state)) return a->row.state > b->row.state;
  if (a->row.priority != b->row.priority) return a->row.priority > b->row.priority;
  return strcmp(a->row.id, b->row.id) < 0;
}

void queue_insert(struct queue *q, struct order *o)
{
  struct order **at = &q->first;
  while (*at && !comes_before(o, *at)) at = &(*at)->next;
  o->next = *at;
  *at = o;
}

static bool copy_text(char **to, const char *from)
{
  *to = from ? strdup(from) : NULL;
  return *to || !from;
}

/* It starts by itself in the right of who said last what it is. */
static void take_mover(struct order *o)
{
  const bool changed = *o->row.changed_by;
  memcpy(o->mover.id, changed ? o->row.changed_by : o->row.created_by, sizeof o->mover.id);
  memcpy(o->mover.name, changed ? o->row.changed_by_name : o->row.created_by_name, sizeof o->mover.name);
}

struct order *order_new(const struct store_order *row)
{
  struct order *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->row = *row;
  o->row.request = o->row.tags = o->row.history = o->row.plan = o->row.sequence = o->row.problem = NULL;
  o->row.measured = o->row.unmeasured = NULL;
  if (copy_text(&o->row.request, row->request) && copy_text(&o->row.tags, row->tags) &&
      copy_text(&o->row.history, row->history) && copy_text(&o->row.plan, row->plan) &&
      copy_text(&o->row.sequence, row->sequence) &&
      !order_request_decode(row->request, strlen(row->request), &o->request, NULL)) {
    if (row->automatic) take_mover(o);
    snprintf(o->row.job_order_id, sizeof o->row.job_order_id, "%s",
             o->request.job_order_id); /* a new one's is not read yet */
    o->since_ns = clock_monotonic_ns();
    if (o->row.plan) order_take_plan(o);
    return o;
  }
  store_order_release(&o->row);
  free(o);
  return NULL;
}

struct order *queue_live(const struct queue *q, const char *id)
{
  struct order *o = q->first;
  while (o && (order_state_final(o->row.state) || strcmp(o->row.id, id))) o = o->next;
  return o;
}

size_t queue_count(const struct queue *q)
{
  size_t count = 0;
  for (const struct order *o = q->first; o; o = o->next) count += !order_state_final(o->row.state);
  return count;
}

void queue_place(const struct queue *q, const struct order *asked, struct order_place *place)
{
  place->position = 1;
  for (const struct order *o = q->first; o; o = o->next)
    place->position += !order_state_final(o->row.state) && strcmp(o->row.id, asked->row.id) && !comes_before(asked, o);
  memcpy(place->blocked, q->block.reason, sizeof place->blocked);
}
