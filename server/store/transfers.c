#include "server/store/internal.h"

const char *const transfer_state_names[TRANSFER_STATE_COUNT + 1] = {
  [TRANSFER_QUEUED] = "queued",
  [TRANSFER_CONNECTING] = "connecting",
  [TRANSFER_LOADING] = "loading",
  [TRANSFER_READY] = "ready",
  [TRANSFER_ARMED] = "armed",
  [TRANSFER_PLAYING] = "playing",
  [TRANSFER_HOLDING] = "holding",
  [TRANSFER_DONE] = "done",
  [TRANSFER_STOPPED] = "stopped",
  [TRANSFER_FAILED] = "failed",
  [TRANSFER_INTERRUPTED] = "interrupted",
};

const char *transfer_state_name(enum transfer_state state)
{
  return (unsigned)state < TRANSFER_STATE_COUNT ? transfer_state_names[state] : "unknown";
}

static const struct field fields[] = {
  FIELD(store_transfer, id, FIELD_TEXT),
  FIELD(store_transfer, controller, FIELD_TEXT),
  FIELD(store_transfer, trajectory, FIELD_TEXT),
  FIELD_WITH(store_transfer, state, FIELD_NAMED, .names = transfer_state_names),
  FIELD(store_transfer, sent, FIELD_INTEGER),
  FIELD(store_transfer, total, FIELD_INTEGER),
  FIELD(store_transfer, start_sent, FIELD_BOOL),
  FIELD(store_transfer, created_at, FIELD_TEXT),
  FIELD(store_transfer, started_at, FIELD_TEXT),
  FIELD(store_transfer, finished_at, FIELD_TEXT),
  FIELD(store_transfer, request, FIELD_OWNED),
  FIELD_WITH(store_transfer, tags, FIELD_OWNED, .fallback = "{}"),
  FIELD_WITH(store_transfer, history, FIELD_OWNED, .fallback = "[]"),
  FIELD(store_transfer, problem, FIELD_OWNED),
  FIELD(store_transfer, job_order_id, FIELD_TEXT),
  FIELD(store_transfer, work_master_id, FIELD_TEXT),
  FIELD(store_transfer, equipment_id, FIELD_TEXT),
  FIELD(store_transfer, traceparent, FIELD_TEXT),
  FIELD(store_transfer, created_by_name, FIELD_TEXT),
  FIELD(store_transfer, reason, FIELD_TEXT),
  FIELD(store_transfer, version, FIELD_INTEGER),
  FIELD(store_transfer, verdict, FIELD_TEXT),
  FIELD_WITH(store_transfer, notes, FIELD_OWNED, .fallback = ""),
  FIELD(store_transfer, measured, FIELD_OWNED),
  FIELD(store_transfer, unmeasured, FIELD_OWNED),
};
static const struct record_type transfer_type = RECORD_TYPE(store_transfer, fields);

#define EXISTS     "SELECT 1 FROM transfers WHERE id = ?"
#define UNFINISHED "state NOT IN ('done', 'stopped', 'failed', 'interrupted')"

void store_transfer_release(struct store_transfer *transfer)
{
  record_release(&transfer_type, transfer);
}

enum armdyn_status store_transfer_create(struct store *store, const struct store_transfer *transfer,
                                         const struct store_idempotency *key)
{
  struct store_change change = {
    .text = "INSERT INTO transfers (id, controller, trajectory, state, sent, total, start_sent, created_at, started_at,"
            " finished_at, request, tags, history, problem, traceparent, created_by_name, reason) VALUES (:id, "
            ":controller, :trajectory, "
            ":state, :sent,"
            " :total, :start_sent, :created_at, :started_at, :finished_at, :request, :tags, :history, :problem, "
            ":traceparent, :created_by_name, :reason)",
    .type = &transfer_type,
    .record = transfer,
    .name = transfer->id,
    .collection = "transfers",
    .key = key,
  };
  return store_create(store, &change);
}

enum armdyn_status store_transfer_update(struct store *store, const struct store_transfer *transfer)
{
  struct store_change change = {
    .text = "UPDATE transfers SET state = :state, sent = :sent, total = :total, started_at = :started_at,"
            " start_sent = CASE WHEN :start_sent = 1 THEN 1 ELSE start_sent END, finished_at = :finished_at, history = "
            ":history,"
            " problem = :problem WHERE id = :id AND (state = :state OR " UNFINISHED ")",
    .type = &transfer_type,
    .record = transfer,
    .name = transfer->id,
    .exists = EXISTS,
  };
  return store_update(store, &change);
}

static enum armdyn_status annotate(struct sql *sql, void *argument)
{
  struct store_transfer *t = argument;
  enum armdyn_status status =
      store_expect_version(sql, "SELECT version FROM transfers WHERE id = ?", t->id, t->version);
  if (status) return status;
  t->version++;
  return record_change(
      sql, "UPDATE transfers SET version = :version, tags = :tags, notes = :notes, verdict = :verdict WHERE id = :id",
      &transfer_type, t);
}

enum armdyn_status store_transfer_annotate(struct store *store, struct store_transfer *transfer)
{
  return store_write(store, annotate, transfer, record_bytes(&transfer_type, transfer));
}

struct claim {
  const char *id;
  const struct store_idempotency *key;
};

static enum armdyn_status claim(struct sql *sql, void *argument)
{
  const struct claim *c = argument;
  enum armdyn_status status =
      sql_change(sql, "UPDATE transfers SET start_sent = 1 WHERE id = ? AND start_sent = 0 AND " UNFINISHED,
                 VALUES(value_text(c->id)));
  if (status == ARMDYN_ENOTFOUND) return store_conflict(sql, EXISTS, c->id, ARMDYN_ENOTFOUND);
  return status ? status : store_idempotency_keep(sql, c->key, "transfers", c->id);
}

enum armdyn_status store_transfer_claim_start_with(struct store *store, const char *id,
                                                   const struct store_idempotency *key)
{
  struct claim c = { id, key };
  return store_write(store, claim, &c, 0);
}

enum armdyn_status store_transfer_claim_start(struct store *store, const char *id)
{
  return store_transfer_claim_start_with(store, id, NULL);
}

enum armdyn_status store_transfer_get(struct store *store, const char *id, struct store_transfer *out)
{
  return store_read(store, "SELECT * FROM transfers WHERE id = ?", VALUES(value_text(id)), &transfer_type, out);
}

TYPED_VISITOR(store_transfer)

static const struct list_type transfer_lists = {
  .table = "transfers",
  .columns = "id, controller, trajectory, state, sent, total, start_sent, created_at, started_at, finished_at, tags,"
             " job_order_id, work_master_id, equipment_id, created_by_name, reason, verdict,"
             " measured, unmeasured",
  .key = "id",
  .search = ", controller, job_order_id, reason, notes",
  .tags = "tags",
  .states = transfer_state_names,
  .type = &transfer_type,
};

enum armdyn_status store_transfer_list(struct store *store, struct store_query *query, store_transfer_visit *visit,
                                       void *context)
{
  return store_read_query(store, &transfer_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_transfer_totals(struct store *store, const struct store_query *query,
                                         int64_t totals[TRANSFER_STATE_COUNT])
{
  return store_read_totals(store, &transfer_lists, query, transfer_state_names, totals);
}

enum armdyn_status store_transfer_unfinished(struct store *store, store_transfer_visit *visit, void *context)
{
  struct listing listing = { .select = "SELECT * FROM transfers", .and = UNFINISHED, .order = "id", .ascending = true };
  return store_read_list(store, &listing, &transfer_type, visit_row, &(struct visitor){ visit, context });
}

/* -- what was measured -- */

/* Not before its order has ended: that is told first. */
#define NOT_SUMMED_UP                                                                                                  \
  "measured IS NULL AND unmeasured IS NULL AND finished_at IS NOT NULL"                                                \
  " AND NOT EXISTS (SELECT 1 FROM orders WHERE transfer = transfers.id AND orders.finished_at IS NULL)"

enum armdyn_status store_transfer_not_summed_up(struct store *store, size_t most, store_transfer_visit *visit,
                                                void *context)
{
  struct listing listing = {
    .select = "SELECT id FROM transfers", .and = NOT_SUMMED_UP, .order = "id", .ascending = true, .limit = most
  };
  return store_read_list(store, &listing, &transfer_type, visit_row, &(struct visitor){ visit, context });
}

struct sum {
  const char *id, *measured, *unmeasured;
};

static enum armdyn_status keep_sum(struct sql *sql, void *argument)
{
  const struct sum *s = argument;
  return sql_run(sql, "UPDATE transfers SET measured = ?, unmeasured = ? WHERE id = ? AND " NOT_SUMMED_UP,
                 VALUES(value_text(s->measured), value_text(s->unmeasured), value_text(s->id)), NULL);
}

enum armdyn_status store_transfer_sum_up(struct store *store, const char *id, const char *measured,
                                         const char *unmeasured)
{
  struct sum sum = { id, measured, unmeasured };
  return store_write(store, keep_sum, &sum, measured ? strlen(measured) : 0);
}
