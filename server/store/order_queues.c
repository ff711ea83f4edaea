/* What keeps the queues of controllers from going on. */
#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_order_queue, controller, FIELD_TEXT),
  FIELD(store_order_queue, reason, FIELD_TEXT),
  FIELD(store_order_queue, since, FIELD_TEXT),
};
static const struct record_type queue_type = RECORD_TYPE(store_order_queue, fields);

TYPED_VISITOR(store_order_queue)

struct putting {
  const struct store_order_queue *queue;
  const struct store_idempotency *key;
};

static enum armdyn_status put(struct sql *sql, void *argument)
{
  const struct putting *p = argument;
  enum armdyn_status status = store_idempotency_keep(sql, p->key, "controllers", p->queue->controller);
  if (status) return status;
  return record_run(sql,
                    "INSERT INTO order_queues (controller, reason, since) VALUES (:controller, :reason, :since)"
                    " ON CONFLICT (controller) DO UPDATE SET reason = excluded.reason, since = excluded.since",
                    &queue_type, p->queue, NULL);
}

enum armdyn_status store_order_queue_put(struct store *store, const struct store_order_queue *queue,
                                         const struct store_idempotency *key)
{
  struct putting p = { queue, key };
  return store_write(store, put, &p, 0);
}

enum armdyn_status store_order_queue_list(struct store *store, store_order_queue_visit *visit, void *context)
{
  struct listing listing = { .select = "SELECT * FROM order_queues", .order = "controller", .ascending = true };
  return store_read_list(store, &listing, &queue_type, visit_row, &(struct visitor){ visit, context });
}
