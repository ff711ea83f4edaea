/* The outbox of what webhooks are told. */
#include "server/store/internal.h"

static const char *const states[DELIVERY_STATE_COUNT + 1] = { "pending", "delivered", "failed" };

static const struct field delivery_fields[] = {
  FIELD(store_delivery, id, FIELD_TEXT),        FIELD(store_delivery, job, FIELD_TEXT),
  FIELD(store_delivery, transfer, FIELD_TEXT),  FIELD(store_delivery, order_id, FIELD_TEXT),
  FIELD(store_delivery, number, FIELD_INTEGER), FIELD(store_delivery, event, FIELD_TEXT),
  FIELD(store_delivery, webhook, FIELD_TEXT),   FIELD_WITH(store_delivery, state, FIELD_NAMED, .names = states),
  FIELD(store_delivery, attempts, FIELD_INT),   FIELD(store_delivery, http_status, FIELD_INT),
  FIELD(store_delivery, error, FIELD_TEXT),     FIELD(store_delivery, created_at, FIELD_TEXT),
  FIELD(store_delivery, last_at, FIELD_TEXT),   FIELD(store_delivery, next_at, FIELD_TEXT),
};
static const struct record_type delivery_type = RECORD_TYPE(store_delivery, delivery_fields);

#define SELECT                                                                                                         \
  "SELECT id, job, transfer, order_id, number, event, webhook, state, attempts, http_status, error, created_at, "      \
  "last_at, next_at"                                                                                                   \
  " FROM deliveries"

const char *delivery_state_name(enum delivery_state state)
{
  return (unsigned)state < DELIVERY_STATE_COUNT ? states[state] : "unknown";
}

TYPED_VISITOR(store_delivery)

enum armdyn_status store_delivery_list(struct store *store, const char *owner, store_delivery_visit *visit,
                                       void *context)
{
  struct listing listing = {
    .select = SELECT, .where = { { "owner", value_text(owner) } }, .order = "rowid", .ascending = true
  };
  return store_read_list(store, &listing, &delivery_type, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_delivery_next(struct store *store, const char *webhook, struct store_delivery *out)
{
  return store_read(store, SELECT " WHERE webhook = ? AND state = 'pending' ORDER BY next_at, rowid LIMIT 1",
                    VALUES(value_text(webhook)), &delivery_type, out);
}

enum armdyn_status store_delivery_pending(struct store *store, int64_t *count)
{
  struct sql *sql;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = sql_number(sql, "SELECT count(*) FROM deliveries WHERE state = 'pending'", NO_VALUES, count);
  readers_give(store->readers, sql);
  return status;
}

static enum armdyn_status note_attempt(struct sql *sql, void *delivery)
{
  return record_change(sql,
                       "UPDATE deliveries SET state = :state, attempts = :attempts, http_status = :http_status,"
                       " error = :error, last_at = :last_at, next_at = :next_at WHERE id = :id",
                       &delivery_type, delivery);
}

enum armdyn_status store_delivery_attempted(struct store *store, const struct store_delivery *delivery)
{
  struct store_delivery copy = *delivery;
  return store_write(store, note_attempt, &copy, record_bytes(&delivery_type, delivery));
}

static enum armdyn_status begin_again(struct sql *sql, void *owner)
{
  char now[TIME_SIZE];
  clock_format(clock_wall_ms(), now);
  return sql_change(sql, "UPDATE deliveries SET state = 'pending', attempts = 0, next_at = ? WHERE owner = ?",
                    VALUES(value_text(now), value_text((const char *)owner)));
}

enum armdyn_status store_delivery_again(struct store *store, const char *owner)
{
  char id[ID_SIZE];
  snprintf(id, sizeof id, "%s", owner);
  return store_write(store, begin_again, id, 0);
}
