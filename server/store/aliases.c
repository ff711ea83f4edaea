#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_alias, robot, FIELD_TEXT),
  FIELD(store_alias, alias, FIELD_TEXT),
  FIELD(store_alias, version, FIELD_INTEGER),
  FIELD(store_alias, revision, FIELD_INTEGER),
  FIELD_WITH(store_alias, reason, FIELD_TEXT, .fallback = ""),
  FIELD(store_alias, changed_at, FIELD_TEXT),
};
static const struct record_type alias_type = RECORD_TYPE(store_alias, fields);

struct change {
  struct store_alias *alias;
  const char *robot, *name;
  int64_t expected;
};

static const struct robots_own aliases = {
  .kind = "alias",
  .version = "SELECT version FROM robot_aliases WHERE robot = ? AND alias = ?",
  .remove = "DELETE FROM robot_aliases WHERE robot = ? AND alias = ?",
};

enum armdyn_status store_alias_keep(struct sql *sql, struct store_alias *alias, int64_t expected)
{
  int64_t exists;
  enum armdyn_status status = sql_number(sql, "SELECT 1 FROM robot_revisions WHERE name = ? AND revision = ?",
                                         VALUES(value_text(alias->robot), value_integer(alias->revision)), &exists);
  if (status) return status == ARMDYN_ENOTFOUND ? ARMDYN_ECONFLICT : status;
  status = robots_own_next(sql, &aliases, alias->robot, alias->alias, expected, &alias->version);
  if (status) return status;
  clock_format(clock_wall_ms(), alias->changed_at);
  return record_change(sql,
                       "INSERT INTO robot_aliases (robot, alias, version, revision, reason, changed_at)"
                       " VALUES (:robot, :alias, :version, :revision, :reason, :changed_at) ON CONFLICT (robot, alias)"
                       " DO UPDATE SET version = excluded.version, revision = excluded.revision,"
                       " reason = excluded.reason, changed_at = excluded.changed_at",
                       &alias_type, alias);
}

static enum armdyn_status put(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  return store_alias_keep(sql, c->alias, c->expected);
}

enum armdyn_status store_alias_put(struct store *store, struct store_alias *alias, int64_t expected)
{
  struct change c = { .alias = alias, .expected = expected };
  return store_write(store, put, &c, record_bytes(&alias_type, alias));
}

static enum armdyn_status remove_alias(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  return robots_own_remove(sql, &aliases, c->robot, c->name, c->expected, NULL);
}

enum armdyn_status store_alias_delete(struct store *store, const char *robot, const char *alias, int64_t expected)
{
  struct change c = { .robot = robot, .name = alias, .expected = expected };
  return store_write(store, remove_alias, &c, 0);
}

enum armdyn_status store_alias_get(struct store *store, const char *robot, const char *alias, struct store_alias *out)
{
  return store_read(store, "SELECT * FROM robot_aliases WHERE robot = ? AND alias = ?",
                    VALUES(value_text(robot), value_text(alias)), &alias_type, out);
}

TYPED_VISITOR(store_alias)

static const struct list_type alias_lists = {
  .table = "robot_aliases",
  .columns = "robot, alias, version, revision, reason, changed_at",
  .key = "alias",
  .of = "robot",
  .search = ", reason",
  .never_null = (const char *const[]){ "revision", NULL },
  .type = &alias_type,
};

enum armdyn_status store_alias_list(struct store *store, const char *robot, struct store_query *query,
                                    store_alias_visit *visit, void *context)
{
  return store_read_query(store, &alias_lists, robot, query, visit_row, &(struct visitor){ visit, context });
}
