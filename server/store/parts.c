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

static enum armdyn_status present_version(struct sql *sql, const char *robot, const char *part, int64_t *version)
{
  return sql_number(sql, "SELECT version FROM robot_parts WHERE robot = ? AND part = ?",
                    VALUES(value_text(robot), value_text(part)), version);
}

/* Numbers of one robot's part go on when it was deleted: no ETag means two things. */
static void counted_as(const char *robot, const char *part, char out[2 * ARMDYN_NAME_SIZE])
{
  snprintf(out, 2 * ARMDYN_NAME_SIZE, "%s/%s", robot, part);
}

static enum armdyn_status put(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  struct store_part *row = c->row;
  int64_t present = 0;
  char counted[2 * ARMDYN_NAME_SIZE];
  enum armdyn_status status = present_version(sql, row->robot, row->part, &present);
  if (status && status != ARMDYN_ENOTFOUND) return status;
  if (c->expected != present) return !c->expected ? ARMDYN_EEXISTS : present ? ARMDYN_ESTALE : ARMDYN_ENOTFOUND;
  clock_format(clock_wall_ms(), row->changed_at);
  counted_as(row->robot, row->part, counted);
  row->version = present + 1;
  status = present ? ARMDYN_OK : store_first_number(sql, "part", counted, &row->version);
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
  int64_t present;
  char counted[2 * ARMDYN_NAME_SIZE];
  enum armdyn_status status = present_version(sql, c->robot, c->part, &present);
  if (!status && present != c->expected) status = ARMDYN_ESTALE;
  if (!status) status = check_held(sql, c->robot, c->part);
  if (!status)
    status = sql_change(sql, "DELETE FROM robot_parts WHERE robot = ? AND part = ?",
                        VALUES(value_text(c->robot), value_text(c->part)));
  counted_as(c->robot, c->part, counted);
  return status ? status : store_retire_number(sql, "part", counted, c->expected);
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
