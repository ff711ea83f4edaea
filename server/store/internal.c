#include "server/store/internal.h"

#include "server/store/rehearsals.h"

enum armdyn_status store_write(struct store *store, writer_apply *apply, void *argument, size_t bytes)
{
  if (rehearsing()) return rehearsal_write(store->writer, apply, argument);
  return writer_do(store->writer, apply, argument, bytes);
}

enum armdyn_status store_read(struct store *store, const char *text, struct values values,
                              const struct record_type *type, void *record)
{
  struct sql *sql;
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = record_get(sql, text, values, type, record);
  readers_give(store->readers, sql);
  if (status) memset(record, 0, type->size); /* it may be released in any case; not before: values may stand in it */
  return status;
}

enum armdyn_status store_read_list(struct store *store, const struct listing *listing, const struct record_type *type,
                                   record_visit *visit, void *context)
{
  struct sql *sql;
  struct records found = { .type = type };
  enum armdyn_status status = readers_take(store->readers, &sql);
  if (!status) status = record_list(sql, listing, type, &found);
  readers_give(store->readers, sql);
  for (size_t i = 0; i < found.count; i++) visit(context, (const char *)found.items + i * type->size);
  records_release(&found);
  return status;
}

static enum armdyn_status create(struct sql *sql, void *argument)
{
  const struct store_change *c = argument;
  enum armdyn_status status = record_change(sql, c->text, c->type, c->record);
  return status ? status : store_idempotency_keep(sql, c->key, c->collection, c->name);
}

enum armdyn_status store_create(struct store *store, struct store_change *change)
{
  return store_write(store, create, change, record_bytes(change->type, change->record));
}

enum armdyn_status store_change_guarded(struct sql *sql, const struct store_change *c)
{
  enum armdyn_status status = record_change(sql, c->text, c->type, c->record);
  return status == ARMDYN_ENOTFOUND ? store_conflict(sql, c->exists, c->name, ARMDYN_ENOTFOUND) : status;
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  return store_change_guarded(sql, argument);
}

enum armdyn_status store_update(struct store *store, struct store_change *change)
{
  return store_write(store, update, change, record_bytes(change->type, change->record));
}

enum armdyn_status store_conflict(struct sql *sql, const char *text, const char *id, enum armdyn_status otherwise)
{
  int64_t number;
  enum armdyn_status status = sql_number(sql, text, VALUES(value_text(id)), &number);
  if (!status) return ARMDYN_ECONFLICT;
  return status == ARMDYN_ENOTFOUND ? otherwise : status;
}

enum armdyn_status store_expect_version(struct sql *sql, const char *text, const char *name, int64_t expected)
{
  int64_t version;
  enum armdyn_status status = sql_number(sql, text, VALUES(value_text(name)), &version);
  return !status && expected != STORE_ANY_VERSION && version != expected ? ARMDYN_ESTALE : status;
}

enum armdyn_status store_first_number(struct sql *sql, const char *kind, const char *name, int64_t *number)
{
  return sql_number(sql, "SELECT 1 + coalesce(max(last), 0) FROM retired WHERE kind = ? AND name = ?",
                    VALUES(value_text(kind), value_text(name)), number);
}

enum armdyn_status store_retire_number(struct sql *sql, const char *kind, const char *name, int64_t last)
{
  return sql_run(sql,
                 "INSERT INTO retired (kind, name, last) VALUES (?, ?, ?)"
                 " ON CONFLICT (kind, name) DO UPDATE SET last = excluded.last",
                 VALUES(value_text(kind), value_text(name), value_integer(last)), NULL);
}

void robots_own_counted(const char *robot, const char *name, char out[ROBOTS_OWN_SIZE])
{
  snprintf(out, ROBOTS_OWN_SIZE, "%s/%s", robot, name);
}

enum armdyn_status robots_own_next(struct sql *sql, const struct robots_own *own, const char *robot, const char *name,
                                   int64_t expected, int64_t *version)
{
  int64_t present = 0;
  char counted[ROBOTS_OWN_SIZE];
  enum armdyn_status status = sql_number(sql, own->version, VALUES(value_text(robot), value_text(name)), &present);
  if (status && status != ARMDYN_ENOTFOUND) return status;
  if (expected != STORE_ANY_VERSION && expected != present)
    return !expected ? ARMDYN_EEXISTS : present ? ARMDYN_ESTALE : ARMDYN_ENOTFOUND;
  *version = present + 1;
  robots_own_counted(robot, name, counted);
  return present ? ARMDYN_OK : store_first_number(sql, own->kind, counted, version);
}

enum armdyn_status robots_own_remove(struct sql *sql, const struct robots_own *own, const char *robot, const char *name,
                                     int64_t expected,
                                     enum armdyn_status (*held)(struct sql *sql, const char *robot, const char *name))
{
  int64_t present;
  char counted[ROBOTS_OWN_SIZE];
  enum armdyn_status status = sql_number(sql, own->version, VALUES(value_text(robot), value_text(name)), &present);
  if (!status && present != expected) status = ARMDYN_ESTALE;
  if (!status && held) status = held(sql, robot, name);
  if (!status) status = sql_change(sql, own->remove, VALUES(value_text(robot), value_text(name)));
  robots_own_counted(robot, name, counted);
  return status ? status : store_retire_number(sql, own->kind, counted, expected);
}

static enum armdyn_status remove_it(struct sql *sql, void *argument)
{
  const struct named_removal *r = argument;
  enum armdyn_status status = store_expect_version(sql, r->version, r->name, r->expected);
  if (!status) status = sql_change(sql, r->remove, VALUES(value_text(r->name)));
  return status ? status : store_retire_number(sql, r->kind, r->name, r->expected);
}

enum armdyn_status store_remove(struct store *store, const struct named_removal *removal)
{
  struct named_removal copy = *removal;
  return store_write(store, remove_it, &copy, 0);
}
