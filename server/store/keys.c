#include "api/limits.h"
#include "server/store/internal.h"

static const char *const roles[STORE_ROLE_COUNT + 1] = { "viewer", "operator", "engineer", "admin" };

static const struct field fields[] = {
  FIELD(store_api_key, id, FIELD_TEXT),
  FIELD(store_api_key, name, FIELD_TEXT),
  FIELD_WITH(store_api_key, role, FIELD_NAMED, .names = roles),
  FIELD(store_api_key, motion, FIELD_OWNED),
  FIELD(store_api_key, hash, FIELD_TEXT),
  FIELD(store_api_key, created_at, FIELD_TEXT),
  FIELD(store_api_key, expires_at, FIELD_TEXT),
  FIELD(store_api_key, last_used_at, FIELD_TEXT),
};
static const struct record_type key_type = RECORD_TYPE(store_api_key, fields);

const char *store_role_name(enum store_role role)
{
  return (unsigned)role < STORE_ROLE_COUNT ? roles[role] : "unknown";
}

void store_api_key_release(struct store_api_key *key)
{
  record_release(&key_type, key);
}

struct creation {
  struct store_api_key *key;
  const struct store_idempotency *once;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  const struct creation *c = argument;
  int64_t count;
  enum armdyn_status status = sql_number(sql, "SELECT count(*) FROM keys", NO_VALUES, &count);
  if (!status && count >= LIMIT_KEYS) status = ARMDYN_ELIMIT;
  if (!status)
    status = record_change(sql,
                           "INSERT INTO keys (id, name, role, motion, hash, created_at, expires_at)"
                           " VALUES (:id, :name, :role, :motion, :hash, :created_at, :expires_at)",
                           &key_type, c->key);
  return status ? status : store_idempotency_keep(sql, c->once, "keys", c->key->id);
}

enum armdyn_status store_api_key_create(struct store *store, struct store_api_key *key,
                                        const struct store_idempotency *once)
{
  struct creation creation = { key, once };
  clock_format(clock_wall_ms(), key->created_at);
  return store_write(store, create, &creation, record_bytes(&key_type, key));
}

enum armdyn_status store_api_key_get(struct store *store, const char *id, struct store_api_key *out)
{
  return store_read(store, "SELECT * FROM keys WHERE id = ?", VALUES(value_text(id)), &key_type, out);
}

static enum armdyn_status remove_key(struct sql *sql, void *id)
{
  return sql_change(sql, "DELETE FROM keys WHERE id = ?", VALUES(value_text(id)));
}

enum armdyn_status store_api_key_delete(struct store *store, const char *id)
{
  char name[ID_SIZE];
  snprintf(name, sizeof name, "%s", id);
  return store_write(store, remove_key, name, 0);
}

static enum armdyn_status note_use(struct sql *sql, void *argument)
{
  const struct store_api_key_use *use = argument;
  return sql_send(sql, "UPDATE keys SET last_used_at = ? WHERE id = ?",
                  VALUES(value_text(use->last_used_at), value_text(use->id)));
}

enum armdyn_status store_api_key_used(struct store *store, const struct store_api_key_use *use)
{
  struct store_api_key_use copy = *use;
  return store_write(store, note_use, &copy, 0);
}

TYPED_VISITOR(store_api_key)

static const struct list_type key_lists = {
  .table = "keys",
  .columns = "id, name, role, motion, hash, created_at, expires_at, last_used_at",
  .key = "id",
  .search = ", name",
  .type = &key_type,
};

enum armdyn_status store_api_key_list(struct store *store, struct store_query *query, store_api_key_visit *visit,
                                      void *context)
{
  return store_read_query(store, &key_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
