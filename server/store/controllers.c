#include "server/store/internal.h"

#define VERSION "SELECT version FROM controllers WHERE name = ?"

static const struct field fields[] = {
  FIELD(store_controller, name, FIELD_TEXT),       FIELD(store_controller, version, FIELD_INTEGER),
  FIELD(store_controller, created_at, FIELD_TEXT), FIELD(store_controller, robot, FIELD_TEXT),
  FIELD(store_controller, part, FIELD_TEXT),       FIELD(store_controller, part_at, FIELD_TEXT),
  FIELD(store_controller, document, FIELD_OWNED),
};
static const struct record_type controller_type = RECORD_TYPE(store_controller, fields);

void store_controller_release(struct store_controller *controller)
{
  record_release(&controller_type, controller);
}

struct change {
  struct store_controller *controller;
  const struct store_idempotency *key;
  int64_t expected;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  struct change *c = argument;
  struct store_controller *controller = c->controller;
  clock_format(clock_wall_ms(), controller->created_at);
  enum armdyn_status status = store_first_number(sql, "controller", controller->name, &controller->version);
  if (!status)
    status = record_change(sql,
                           "INSERT INTO controllers (name, version, created_at, robot, document)"
                           " VALUES (:name, :version, :created_at, :robot, :document)",
                           &controller_type, controller);
  return status ? status : store_idempotency_keep(sql, c->key, "controllers", controller->name);
}

enum armdyn_status store_controller_create(struct store *store, struct store_controller *controller,
                                           const struct store_idempotency *key)
{
  struct change c = { .controller = controller, .key = key };
  return store_write(store, create, &c, record_bytes(&controller_type, controller));
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->controller->name, c->expected);
  if (status) return status;
  c->controller->version = c->expected + 1;
  return record_change(
      sql,
      "UPDATE controllers SET version = :version, robot = :robot, document = :document,"
      " part = CASE WHEN robot IS NOT DISTINCT FROM :robot THEN part ELSE '' END WHERE name = :name", /* parts are a robot's */
      &controller_type, c->controller);
}

enum armdyn_status store_controller_update(struct store *store, struct store_controller *controller, int64_t expected)
{
  struct change c = { .controller = controller, .expected = expected };
  return store_write(store, update, &c, record_bytes(&controller_type, controller));
}

struct holding {
  const char *name, *part;
};

static enum armdyn_status hold(struct sql *sql, void *argument)
{
  const struct holding *h = argument;
  char now[TIME_SIZE];
  int64_t found;
  enum armdyn_status status =
      sql_number(sql, "SELECT 1 FROM controllers WHERE name = ?", VALUES(value_text(h->name)), &found);
  if (!status && *h->part) {
    status = sql_number(sql,
                        "SELECT 1 FROM robot_parts p JOIN controllers c ON p.robot = c.robot"
                        " WHERE c.name = ? AND p.part = ?",
                        VALUES(value_text(h->name), value_text(h->part)), &found);
    if (status == ARMDYN_ENOTFOUND) status = ARMDYN_ECONFLICT;
  }
  clock_format(clock_wall_ms(), now);
  return status ? status
                : sql_change(sql, "UPDATE controllers SET part = ?, part_at = ? WHERE name = ?",
                             VALUES(value_text(h->part), value_text(now), value_text(h->name)));
}

enum armdyn_status store_controller_hold(struct store *store, const char *name, const char *part)
{
  struct holding h = { .name = name, .part = part };
  return store_write(store, hold, &h, 0);
}

enum armdyn_status store_controller_delete(struct store *store, const char *name, int64_t expected)
{
  return store_remove(store, &(struct named_removal){ VERSION, "DELETE FROM controllers WHERE name = ?", "controller",
                                                      name, expected });
}

enum armdyn_status store_controller_get(struct store *store, const char *name, struct store_controller *out)
{
  return store_read(store, "SELECT * FROM controllers WHERE name = ?", VALUES(value_text(name)), &controller_type, out);
}

TYPED_VISITOR(store_controller)

static const struct list_type controller_lists = {
  .table = "(SELECT *, " SQL_EITHER("document ->> '$.host'",
                                    "json_text(document, 'host')") " AS host FROM controllers) AS shown",
  .columns = "name, version, created_at, robot, part, part_at, document",
  .key = "name",
  .search = ", host, robot",
  .type = &controller_type,
};

enum armdyn_status store_controller_list(struct store *store, struct store_query *query, store_controller_visit *visit,
                                         void *context)
{
  return store_read_query(store, &controller_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
