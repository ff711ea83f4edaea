#include "api/limits.h"
#include "server/store/internal.h"

#define COLUMNS "name, url, secret, former_secret, former_until, version, enabled, events, created_at"
#define VERSION "SELECT version FROM webhooks WHERE name = ?"

static const struct field webhook_fields[] = {
  FIELD(store_webhook, name, FIELD_TEXT),         FIELD(store_webhook, url, FIELD_TEXT),
  FIELD(store_webhook, secret, FIELD_TEXT),       FIELD(store_webhook, former_secret, FIELD_TEXT),
  FIELD(store_webhook, former_until, FIELD_TEXT), FIELD(store_webhook, version, FIELD_INTEGER),
  FIELD(store_webhook, enabled, FIELD_BOOL),      FIELD(store_webhook, events, FIELD_TEXT),
  FIELD(store_webhook, created_at, FIELD_TEXT),
};
static const struct record_type webhook_type = RECORD_TYPE(store_webhook, webhook_fields);

struct change {
  struct store_webhook *webhook;
  const struct store_idempotency *key;
  int64_t expected;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  struct change *c = argument;
  struct store_webhook *webhook = c->webhook;
  int64_t count;
  clock_format(clock_wall_ms(), webhook->created_at);
  enum armdyn_status status = sql_number(sql, "SELECT count(*) FROM webhooks", NO_VALUES, &count);
  if (!status && count >= LIMIT_WEBHOOKS) status = ARMDYN_ELIMIT;
  if (!status) status = store_first_number(sql, "webhook", webhook->name, &webhook->version);
  if (!status)
    status = record_change(sql,
                           "INSERT INTO webhooks (name, url, secret, version, enabled, events, created_at)"
                           " VALUES (:name, :url, :secret, :version, :enabled, :events, :created_at)",
                           &webhook_type, webhook);
  return status ? status : store_idempotency_keep(sql, c->key, "webhooks", webhook->name);
}

enum armdyn_status store_webhook_create(struct store *store, struct store_webhook *webhook,
                                        const struct store_idempotency *key)
{
  struct change c = { .webhook = webhook, .key = key };
  return store_write(store, create, &c, record_bytes(&webhook_type, webhook));
}

enum armdyn_status store_webhook_get(struct store *store, const char *name, struct store_webhook *out)
{
  return store_read(store, "SELECT " COLUMNS " FROM webhooks WHERE name = ?", VALUES(value_text(name)), &webhook_type,
                    out);
}

enum armdyn_status store_webhook_hears(struct store *store, const char *types, bool *hears)
{
  struct sql *sql;
  int64_t count = 0;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status)
    status = sql_number(
        sql,
        "SELECT count(*) FROM webhooks, " SQL_EITHER(
            "json_each(",
            "json_array_elements_text(") "webhooks.events" SQL_EITHER("", "::json") ") WHERE enabled = 1 "
                                                                                    "AND " SQL_EITHER("instr",
                                                                                                      "strpos") "(',' "
                                                                                                                "|| ? "
                                                                                                                "|| "
                                                                                                                "',', "
                                                                                                                "',' "
                                                                                                                "|| "
                                                                                                                "value "
                                                                                                                "|| "
                                                                                                                "',') "
                                                                                                                "> 0",
        VALUES(value_text(types)), &count);
  readers_give(store->readers, sql);
  *hears = count > 0;
  return status;
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->webhook->name, c->expected);
  if (status) return status;
  return record_change(sql,
                       "UPDATE webhooks SET url = :url, enabled = :enabled, events = :events, version = version + 1"
                       " WHERE name = :name",
                       &webhook_type, c->webhook);
}

enum armdyn_status store_webhook_update(struct store *store, struct store_webhook *webhook, int64_t expected)
{
  struct change c = { .webhook = webhook, .expected = expected };
  return store_write(store, update, &c, record_bytes(&webhook_type, webhook));
}

static enum armdyn_status rotate(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  enum armdyn_status status =
      record_change(sql,
                    "UPDATE webhooks SET former_secret = secret, former_until = :former_until, secret = :secret,"
                    " version = version + 1 WHERE name = :name",
                    &webhook_type, c->webhook);
  return status ? status : store_idempotency_keep(sql, c->key, "webhooks", c->webhook->name);
}

enum armdyn_status store_webhook_rotate(struct store *store, struct store_webhook *webhook,
                                        const struct store_idempotency *key)
{
  struct change c = { .webhook = webhook, .key = key };
  return store_write(store, rotate, &c, record_bytes(&webhook_type, webhook));
}

enum armdyn_status store_webhook_delete(struct store *store, const char *name, int64_t expected)
{
  return store_remove(
      store, &(struct named_removal){ VERSION, "DELETE FROM webhooks WHERE name = ?", "webhook", name, expected });
}

TYPED_VISITOR(store_webhook)

static const struct list_type webhook_lists = {
  .table = "webhooks",
  .columns = COLUMNS,
  .key = "name",
  .search = ", url",
  .type = &webhook_type,
};

enum armdyn_status store_webhook_list(struct store *store, struct store_query *query, store_webhook_visit *visit,
                                      void *context)
{
  return store_read_query(store, &webhook_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
