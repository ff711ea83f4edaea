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

static enum armdyn_status present_version(struct sql *sql, const char *robot, const char *alias, int64_t *version)
{
  return sql_number(sql, "SELECT version FROM robot_aliases WHERE robot = ? AND alias = ?",
                    VALUES(value_text(robot), value_text(alias)), version);
}

/* Numbers of one robot's alias go on when it was deleted: no ETag means two things. */
static void counted_as(const char *robot, const char *alias, char out[2 * ARMDYN_NAME_SIZE])
{
  snprintf(out, 2 * ARMDYN_NAME_SIZE, "%s/%s", robot, alias);
}

enum armdyn_status store_alias_keep(struct sql *sql, struct store_alias *alias, int64_t expected)
{
  int64_t present = 0, exists;
  char counted[2 * ARMDYN_NAME_SIZE];
  enum armdyn_status status = sql_number(sql, "SELECT 1 FROM robot_revisions WHERE name = ? AND revision = ?",
                                         VALUES(value_text(alias->robot), value_integer(alias->revision)), &exists);
  if (status) return status == ARMDYN_ENOTFOUND ? ARMDYN_ECONFLICT : status;
  status = present_version(sql, alias->robot, alias->alias, &present);
  if (status && status != ARMDYN_ENOTFOUND) return status;
  if (expected != STORE_ANY_VERSION && expected != present)
    return !expected ? ARMDYN_EEXISTS : present ? ARMDYN_ESTALE : ARMDYN_ENOTFOUND;
  clock_format(clock_wall_ms(), alias->changed_at);
  counted_as(alias->robot, alias->alias, counted);
  alias->version = present + 1;
  status = present ? ARMDYN_OK : store_first_number(sql, "alias", counted, &alias->version);
  if (status) return status;
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
  int64_t present;
  char counted[2 * ARMDYN_NAME_SIZE];
  enum armdyn_status status = present_version(sql, c->robot, c->name, &present);
  if (!status && present != c->expected) status = ARMDYN_ESTALE;
  if (!status)
    status = sql_change(sql, "DELETE FROM robot_aliases WHERE robot = ? AND alias = ?",
                        VALUES(value_text(c->robot), value_text(c->name)));
  counted_as(c->robot, c->name, counted);
  return status ? status : store_retire_number(sql, "alias", counted, c->expected);
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
