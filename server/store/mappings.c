#include "server/store/internal.h"

#define VERSION "SELECT version FROM mappings WHERE name = ?"

static const struct field fields[] = {
  FIELD(store_mapping, name, FIELD_TEXT),
  FIELD(store_mapping, version, FIELD_INTEGER),
  FIELD(store_mapping, created_at, FIELD_TEXT),
  FIELD(store_mapping, document, FIELD_OWNED),
};
static const struct record_type mapping_type = RECORD_TYPE(store_mapping, fields);

void store_mapping_release(struct store_mapping *mapping)
{
  record_release(&mapping_type, mapping);
}

struct change {
  struct store_mapping *mapping;
  int64_t expected;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  struct change *c = argument;
  clock_format(clock_wall_ms(), c->mapping->created_at);
  enum armdyn_status status = store_first_number(sql, "mapping", c->mapping->name, &c->mapping->version);
  if (status) return status;
  return record_change(sql,
                       "INSERT INTO mappings (name, version, created_at, document)"
                       " VALUES (:name, :version, :created_at, :document)",
                       &mapping_type, c->mapping);
}

enum armdyn_status store_mapping_create(struct store *store, struct store_mapping *mapping)
{
  struct change c = { .mapping = mapping };
  return store_write(store, create, &c, record_bytes(&mapping_type, mapping));
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->mapping->name, c->expected);
  if (status) return status;
  c->mapping->version = c->expected + 1;
  return record_change(sql, "UPDATE mappings SET version = :version, document = :document WHERE name = :name",
                       &mapping_type, c->mapping);
}

enum armdyn_status store_mapping_update(struct store *store, struct store_mapping *mapping, int64_t expected)
{
  struct change c = { .mapping = mapping, .expected = expected };
  return store_write(store, update, &c, record_bytes(&mapping_type, mapping));
}

enum armdyn_status store_mapping_delete(struct store *store, const char *name, int64_t expected)
{
  return store_remove(
      store, &(struct named_removal){ VERSION, "DELETE FROM mappings WHERE name = ?", "mapping", name, expected });
}

enum armdyn_status store_mapping_get(struct store *store, const char *name, struct store_mapping *out)
{
  return store_read(store, "SELECT * FROM mappings WHERE name = ?", VALUES(value_text(name)), &mapping_type, out);
}

TYPED_VISITOR(store_mapping)

static const struct list_type mapping_lists = {
  .table = "(SELECT *, " SQL_EITHER("document ->> '$.description'",
                                    "json_text(document, 'description')") " AS description FROM mappings) AS shown",
  .columns = "name, version, created_at, document",
  .key = "name",
  .search = ", description",
  .type = &mapping_type,
};

enum armdyn_status store_mapping_list(struct store *store, struct store_query *query, store_mapping_visit *visit,
                                      void *context)
{
  return store_read_query(store, &mapping_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
