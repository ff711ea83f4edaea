#include <inttypes.h>

#include "server/store/internal.h"

enum { DIGEST_SIZE = 32, KEPT_MS = 24 * 60 * 60 * 1000, PRUNED_AT_ONCE = 100 };

static int64_t expired_before(void)
{
  return clock_wall_ms() - KEPT_MS;
}

enum armdyn_status store_idempotency_prune(struct sql *sql, int64_t most)
{
  return sql_send(sql,
                  "DELETE FROM idempotency WHERE scope IN"
                  " (SELECT scope FROM idempotency WHERE created_ms < ? AND kept = 0 ORDER BY created_ms LIMIT ?)",
                  VALUES(value_integer(expired_before()), value_integer(most)));
}

/* Of these the schema forgets the keys with the row. */
static bool is_kept(const char *collection)
{
  static const char *const those[] = { "orders", "jobs", "transfers", "datasets" };
  size_t k = 0;
  while (k < sizeof those / sizeof *those && strcmp(those[k], collection) != 0) k++;
  return k < sizeof those / sizeof *those;
}

enum armdyn_status store_idempotency_keep(struct sql *sql, const struct store_idempotency *key, const char *collection,
                                          const char *name)
{
  if (!key) return ARMDYN_OK;
  char href[256];
  if (snprintf(href, sizeof href, "/v1/%s/%s", collection, name) >= (int)sizeof href) return ARMDYN_ELIMIT;
  enum armdyn_status status = sql_send(sql, "DELETE FROM idempotency WHERE scope = ? AND created_ms < ? AND kept = 0",
                                       VALUES(value_text(key->scope), value_integer(expired_before())));
  if (!status) status = store_idempotency_prune(sql, PRUNED_AT_ONCE);
  if (!status)
    status = sql_run(sql, "INSERT INTO idempotency (scope, digest, href, created_ms, kept) VALUES (?, ?, ?, ?, ?)",
                     VALUES(value_text(key->scope), value_blob(key->digest, DIGEST_SIZE), value_text(href),
                            value_integer(clock_wall_ms()), value_integer(key->kept && is_kept(collection))),
                     NULL);
  return status == ARMDYN_EEXISTS ? ARMDYN_ECONFLICT : status;
}

struct remembered {
  const struct store_idempotency *key;
  const char *collection, *name;
};

static enum armdyn_status remember(struct sql *sql, void *context)
{
  const struct remembered *r = context;
  return store_idempotency_keep(sql, r->key, r->collection, r->name);
}

enum armdyn_status store_idempotency_remember(struct store *store, const struct store_idempotency *key,
                                              const char *collection, const char *name)
{
  struct remembered remembered = { key, collection, name };
  return store_write(store, remember, &remembered, 0);
}

static enum armdyn_status find(struct sql *sql, const struct store_idempotency *key, char **href)
{
  struct sql_statement *statement;
  bool row;
  enum armdyn_status status =
      sql_query(sql, "SELECT digest, href FROM idempotency WHERE scope = ? AND (created_ms >= ? OR kept = 1)",
                VALUES(value_text(key->scope), value_integer(expired_before())), &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && !row) status = ARMDYN_ENOTFOUND;
  if (!status && !(*href = strdup(sql_text(statement, 1)))) status = ARMDYN_EMEMORY;
  if (!status) {
    size_t size;
    const void *digest = sql_blob(statement, 0, &size);
    if (size != DIGEST_SIZE || memcmp(digest, key->digest, DIGEST_SIZE) != 0) status = ARMDYN_ECONFLICT;
  }
  sql_finish(statement);
  return status;
}

enum armdyn_status store_idempotency_find(struct store *store, const struct store_idempotency *key, char **href)
{
  struct sql *sql;
  *href = NULL;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = find(sql, key, href);
  readers_give(store->readers, sql);
  return status;
}
