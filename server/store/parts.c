#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_part, robot, FIELD_TEXT),      FIELD(store_part, part, FIELD_TEXT),
  FIELD(store_part, version, FIELD_INTEGER), FIELD(store_part, changed_at, FIELD_TEXT),
  FIELD(store_part, document, FIELD_OWNED),
};
static const struct record_type part_type = RECORD_TYPE(store_part, fields);

void store_part_release(struct store_part *part)
{
  record_release(&part_type, part);
}

struct change {
  struct store_part *row;
  const struct store_idempotency *key;
  const char *robot, *part;
  int64_t expected;
};

static const struct robots_own parts = {
  .kind = "part",
  .version = "SELECT version FROM robot_parts WHERE robot = ? AND part = ?",
  .remove = "DELETE FROM robot_parts WHERE robot = ? AND part = ?",
};

static enum armdyn_status put(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  struct store_part *row = c->row;
  char counted[ROBOTS_OWN_SIZE];
  enum armdyn_status status = robots_own_next(sql, &parts, row->robot, row->part, c->expected, &row->version);
  clock_format(clock_wall_ms(), row->changed_at);
  robots_own_counted(row->robot, row->part, counted);
  if (!status)
    status = record_change(sql,
                           "INSERT INTO robot_parts (robot, part, version, changed_at, document)"
                           " VALUES (:robot, :part, :version, :changed_at, :document) ON CONFLICT (robot, part)"
                           " DO UPDATE SET version = excluded.version, changed_at = excluded.changed_at,"
                           " document = excluded.document",
                           &part_type, row);
  return status ? status : store_idempotency_keep(sql, c->key, "parts", counted);
}

enum armdyn_status store_part_put(struct store *store, struct store_part *part, int64_t expected,
                                  const struct store_idempotency *key)
{
  struct change c = { .row = part, .key = key, .expected = expected };
  return store_write(store, put, &c, record_bytes(&part_type, part));
}

/* What an arm holds stays known. */
static enum armdyn_status check_held(struct sql *sql, const char *robot, const char *part)
{
  int64_t held;
  enum armdyn_status status = sql_number(sql, "SELECT 1 FROM controllers WHERE robot = ? AND part = ? LIMIT 1",
                                         VALUES(value_text(robot), value_text(part)), &held);
  return status == ARMDYN_ENOTFOUND ? ARMDYN_OK : status ? status : ARMDYN_ECONFLICT;
}

static enum armdyn_status remove_part(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  return robots_own_remove(sql, &parts, c->robot, c->part, c->expected, check_held);
}

enum armdyn_status store_part_delete(struct store *store, const char *robot, const char *part, int64_t expected)
{
  struct change c = { .robot = robot, .part = part, .expected = expected };
  return store_write(store, remove_part, &c, 0);
}

enum armdyn_status store_part_get(struct store *store, const char *robot, const char *part, struct store_part *out)
{
  return store_read(store, "SELECT * FROM robot_parts WHERE robot = ? AND part = ?",
                    VALUES(value_text(robot), value_text(part)), &part_type, out);
}

TYPED_VISITOR(store_part)

static const struct list_type part_lists = {
  .table = "robot_parts",
  .columns = "robot, part, version, changed_at, document",
  .key = "part",
  .of = "robot",
  .search = "",
  .type = &part_type,
};

enum armdyn_status store_part_list(struct store *store, const char *robot, struct store_query *query,
                                   store_part_visit *visit, void *context)
{
  return store_read_query(store, &part_lists, robot, query, visit_row, &(struct visitor){ visit, context });
}
