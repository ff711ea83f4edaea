#include "server/store/internal.h"

#define VERSION "SELECT max(version) FROM cells WHERE name = ? HAVING max(version) > 0"
#define INSERT                                                                                                         \
  "INSERT INTO cells (name, version, created_at, document) VALUES (:name, :version, :created_at, :document)"

static const struct field fields[] = {
  FIELD(store_cell, name, FIELD_TEXT),
  FIELD(store_cell, version, FIELD_INTEGER),
  FIELD(store_cell, created_at, FIELD_TEXT),
  FIELD(store_cell, document, FIELD_OWNED),
};
static const struct record_type cell_type = RECORD_TYPE(store_cell, fields);

void store_cell_release(struct store_cell *cell)
{
  record_release(&cell_type, cell);
}

struct change {
  struct store_cell *cell;
  const struct store_idempotency *key;
  int64_t expected;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  struct change *c = argument;
  clock_format(clock_wall_ms(), c->cell->created_at);
  enum armdyn_status status = store_first_number(sql, "cell", c->cell->name, &c->cell->version);
  if (!status) status = record_change(sql, INSERT, &cell_type, c->cell);
  return status ? status : store_idempotency_keep(sql, c->key, "cells", c->cell->name);
}

enum armdyn_status store_cell_create(struct store *store, struct store_cell *cell, const struct store_idempotency *key)
{
  struct change c = { .cell = cell, .key = key };
  return store_write(store, create, &c, record_bytes(&cell_type, cell));
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->cell->name, c->expected);
  if (status) return status;
  clock_format(clock_wall_ms(), c->cell->created_at);
  c->cell->version = c->expected + 1;
  return record_change(sql, INSERT, &cell_type, c->cell);
}

enum armdyn_status store_cell_update(struct store *store, struct store_cell *cell, int64_t expected)
{
  struct change c = { .cell = cell, .expected = expected };
  return store_write(store, update, &c, record_bytes(&cell_type, cell));
}

enum armdyn_status store_cell_delete(struct store *store, const char *name, int64_t expected)
{
  return store_remove(store,
                      &(struct named_removal){ VERSION, "DELETE FROM cells WHERE name = ?", "cell", name, expected });
}

enum armdyn_status store_cell_get(struct store *store, const char *name, int64_t version, struct store_cell *out)
{
  return store_read(store,
                    "SELECT * FROM cells WHERE name = ?1 AND version = coalesce(nullif(?2, 0),"
                    " (SELECT max(version) FROM cells WHERE name = ?1))",
                    VALUES(value_text(name), value_integer(version)), &cell_type, out);
}

TYPED_VISITOR(store_cell)

static const struct list_type cell_lists = {
  .table = "(SELECT *, " SQL_EITHER("document ->> '$.description'",
                                    "json_text(document, 'description')") " AS description FROM cells AS c"
                                                                          " WHERE version = (SELECT max(version) FROM "
                                                                          "cells WHERE name = c.name)) AS shown",
  .columns = "name, version, created_at, document",
  .key = "name",
  .search = ", description",
  .type = &cell_type,
};

enum armdyn_status store_cell_list(struct store *store, struct store_query *query, store_cell_visit *visit,
                                   void *context)
{
  return store_read_query(store, &cell_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
