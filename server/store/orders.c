#include "server/store/internal.h"

const char *const order_state_names[ORDER_STATE_COUNT + 1] = {
  [ORDER_ACCEPTED] = "accepted",
  [ORDER_PLANNING] = "planning",
  [ORDER_QUEUED] = "queued",
  [ORDER_LOADING] = "loading",
  [ORDER_READY] = "ready",
  [ORDER_RUNNING] = "running",
  [ORDER_HELD] = "held",
  [ORDER_DONE] = "done",
  [ORDER_STOPPED] = "stopped",
  [ORDER_FAILED] = "failed",
  [ORDER_INTERRUPTED] = "interrupted",
};

const char *order_state_name(enum order_state state)
{
  return (unsigned)state < ORDER_STATE_COUNT ? order_state_names[state] : "unknown";
}

static const struct field fields[] = {
  FIELD(store_order, id, FIELD_TEXT),
  FIELD(store_order, controller, FIELD_TEXT),
  FIELD_WITH(store_order, state, FIELD_NAMED, .names = order_state_names),
  FIELD(store_order, priority, FIELD_INT),
  FIELD(store_order, automatic, FIELD_BOOL),
  FIELD(store_order, created_by, FIELD_TEXT),
  FIELD(store_order, created_by_name, FIELD_TEXT),
  FIELD(store_order, started_by, FIELD_TEXT),
  FIELD(store_order, started_by_name, FIELD_TEXT),
  FIELD(store_order, created_at, FIELD_TEXT),
  FIELD(store_order, expires_at, FIELD_TEXT),
  FIELD(store_order, ready_at, FIELD_TEXT),
  FIELD(store_order, started_at, FIELD_TEXT),
  FIELD(store_order, finished_at, FIELD_TEXT),
  FIELD(store_order, job, FIELD_TEXT),
  FIELD(store_order, trajectory, FIELD_TEXT),
  FIELD(store_order, transfer, FIELD_TEXT),
  FIELD(store_order, plan_key, FIELD_TEXT),
  FIELD(store_order, request, FIELD_OWNED),
  FIELD_WITH(store_order, tags, FIELD_OWNED, .fallback = "{}"),
  FIELD_WITH(store_order, history, FIELD_OWNED, .fallback = "[]"),
  FIELD(store_order, plan, FIELD_OWNED),
  FIELD(store_order, sequence, FIELD_OWNED),
  FIELD(store_order, problem, FIELD_OWNED),
  FIELD(store_order, measured, FIELD_OWNED),
  FIELD(store_order, unmeasured, FIELD_OWNED),
  FIELD(store_order, job_order_id, FIELD_TEXT),
  FIELD(store_order, work_master_id, FIELD_TEXT),
  FIELD(store_order, equipment_id, FIELD_TEXT),
  FIELD(store_order, traceparent, FIELD_TEXT),
  FIELD(store_order, reason, FIELD_TEXT),
  FIELD(store_order, changes, FIELD_INTEGER),
  FIELD(store_order, changed_at, FIELD_TEXT),
  FIELD(store_order, changed_by, FIELD_TEXT),
  FIELD(store_order, changed_by_name, FIELD_TEXT),
};
static const struct record_type order_type = RECORD_TYPE(store_order, fields);

#define EXISTS     "SELECT 1 FROM orders WHERE id = ?"
#define UNFINISHED "finished_at IS NULL"

/* What was measured is its transfer's. */
#define OF_TRANSFER(column) "(SELECT " column " FROM transfers WHERE transfers.id = orders.transfer) AS " column
#define SUM                 OF_TRANSFER("measured") ", " OF_TRANSFER("unmeasured")

void store_order_release(struct store_order *order)
{
  record_release(&order_type, order);
}

/* The queue of a controller is there as soon as it has an order. */
static enum armdyn_status create(struct sql *sql, void *argument)
{
  const struct store_change *change = argument;
  const struct store_order *order = change->record;
  enum armdyn_status status =
      sql_send(sql, "INSERT INTO order_queues (controller, since) VALUES (?, ?) ON CONFLICT DO NOTHING",
               VALUES(value_text(order->controller), value_text(order->created_at)));
  if (!status) status = store_idempotency_keep(sql, change->key, "orders", order->id);
  return status ? status : record_run(sql, change->text, change->type, change->record, NULL);
}

enum armdyn_status store_order_create(struct store *store, const struct store_order *order,
                                      const struct store_idempotency *key)
{
  struct store_change change = {
    .text =
        "INSERT INTO orders (id, controller, state, priority, automatic, created_by, created_by_name, created_at,"
        " expires_at, request, tags, history, traceparent, reason) VALUES (:id, :controller, :state, :priority, "
        ":automatic,"
        " :created_by, :created_by_name, :created_at, :expires_at, :request, :tags, :history, :traceparent, :reason)",
    .type = &order_type,
    .record = order,
    .name = order->id,
    .key = key,
  };
  return store_write(store, create, &change, record_bytes(&order_type, order));
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  const struct store_change *change = argument;
  enum armdyn_status status = store_change_guarded(sql, change);
  return status ? status : store_idempotency_keep(sql, change->key, "orders", change->name);
}

#define UPDATE                                                                                                         \
  "UPDATE orders SET state = :state, started_by = :started_by, started_by_name = :started_by_name,"                    \
  " ready_at = :ready_at, started_at = :started_at, finished_at = :finished_at, job = :job,"                           \
  " trajectory = :trajectory, transfer = :transfer, plan_key = :plan_key, history = :history, plan = :plan, sequence " \
  "= :sequence,"                                                                                                       \
  " problem = :problem WHERE id = :id AND " UNFINISHED " AND (transfer IS NULL OR transfer = :transfer)"

static struct store_change change_of(const struct store_order *order, const struct store_idempotency *key)
{
  return (struct store_change){
    .text = UPDATE, .type = &order_type, .record = order, .name = order->id, .exists = EXISTS, .key = key
  };
}

enum armdyn_status store_order_update(struct store *store, const struct store_order *order,
                                      const struct store_idempotency *key)
{
  struct store_change change = change_of(order, key);
  return store_write(store, update, &change, record_bytes(&order_type, order));
}

struct several {
  const struct store_order *orders;
  size_t count;
};

static enum armdyn_status update_all(struct sql *sql, void *argument)
{
  const struct several *all = argument;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t i = 0; i < all->count && !status; i++) {
    const struct store_change change = change_of(&all->orders[i], NULL);
    status = store_change_guarded(sql, &change);
  }
  return status;
}

enum armdyn_status store_order_update_all(struct store *store, const struct store_order *orders, size_t count)
{
  struct several all = { orders, count };
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += record_bytes(&order_type, &orders[i]);
  return count ? store_write(store, update_all, &all, bytes) : ARMDYN_OK;
}

enum armdyn_status store_order_change(struct store *store, const struct store_order *order)
{
  struct store_change change = {
    .text = "UPDATE orders SET state = :state, priority = :priority, automatic = :automatic, expires_at = :expires_at,"
            " request = :request, tags = :tags, history = :history, job = NULL, trajectory = NULL, plan_key = NULL,"
            " plan = NULL, sequence = NULL, changes = :changes, changed_at = :changed_at, changed_by = :changed_by,"
            " changed_by_name = :changed_by_name"
            " WHERE id = :id AND " UNFINISHED " AND transfer IS NULL AND changes + 1 = :changes",
    .type = &order_type,
    .record = order,
    .name = order->id,
    .exists = EXISTS,
  };
  return store_update(store, &change);
}

enum armdyn_status store_order_get(struct store *store, const char *id, struct store_order *out)
{
  return store_read(store, "SELECT *, " SUM " FROM orders WHERE id = ?", VALUES(value_text(id)), &order_type, out);
}

enum armdyn_status store_order_planned(struct store *store, const char *plan_key, struct store_order *out)
{
  return store_read(store,
                    "SELECT * FROM orders WHERE plan_key = ? AND trajectory IS NOT NULL"
                    " AND EXISTS (SELECT 1 FROM results WHERE id = trajectory) ORDER BY created_at DESC LIMIT 1",
                    VALUES(value_text(plan_key)), &order_type, out);
}

struct planned_move {
  char trajectory[ID_SIZE];
};
static const struct field move_fields[] = { FIELD(planned_move, trajectory, FIELD_TEXT) };
static const struct record_type move_type = RECORD_TYPE(planned_move, move_fields);

enum armdyn_status store_move_planned(struct store *store, const char *plan_key, char trajectory[ID_SIZE])
{
  struct planned_move move = { "" };
  enum armdyn_status status = store_read(store, "SELECT trajectory FROM planned_moves WHERE plan_key = ?",
                                         VALUES(value_text(plan_key)), &move_type, &move);
  memcpy(trajectory, move.trajectory, ID_SIZE);
  return status;
}

TYPED_VISITOR(store_order)

static const struct list_type order_lists = {
  .table = "orders",
  .columns =
      "id, controller, state, priority, automatic, created_by, created_by_name, started_by, started_by_name,"
      " created_at, expires_at, ready_at, started_at, finished_at, job, trajectory, transfer, request, tags, plan,"
      " job_order_id, work_master_id, equipment_id, reason, changed_at, changed_by, changed_by_name, " SUM,
  .key = "id",
  .search = ", controller, job_order_id, reason",
  .tags = "tags",
  .narrow =
      (const char *const[]){ "job_order_id", "work_master_id", "equipment_id", "reason", "created_by_name", NULL },
  .never_null = (const char *const[]){ "priority", NULL },
  .states = order_state_names,
  .walked = (const char *const[]){ "finished_at", NULL },
  .type = &order_type,
};

enum armdyn_status store_order_list(struct store *store, struct store_query *query, store_order_visit *visit,
                                    void *context)
{
  return store_read_query(store, &order_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_order_unfinished(struct store *store, store_order_visit *visit, void *context)
{
  struct listing listing = { .select = "SELECT * FROM orders", .and = UNFINISHED, .order = "id", .ascending = true };
  return store_read_list(store, &listing, &order_type, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_order_totals(struct store *store, const struct store_query *query,
                                      int64_t totals[ORDER_STATE_COUNT])
{
  return store_read_totals(store, &order_lists, query, order_state_names, totals);
}
