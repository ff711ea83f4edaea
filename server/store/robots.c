#include <stdlib.h>

#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_robot, name, FIELD_TEXT),
  FIELD(store_robot, revision, FIELD_INTEGER),
  FIELD(store_robot, created_at, FIELD_TEXT),
  FIELD(store_robot, unphysical, FIELD_BOOL),
  FIELD(store_robot, archived, FIELD_BOOL),
  FIELD(store_robot, document, FIELD_OWNED),
  FIELD_WITH(store_robot, reason, FIELD_TEXT, .fallback = ""),
  FIELD_WITH(store_robot, identification, FIELD_TEXT, .fallback = ""),
};
static const struct record_type robot_type = RECORD_TYPE(store_robot, fields);

void store_robot_release(struct store_robot *robot)
{
  record_release(&robot_type, robot);
}

/* What the changes of a robot are given. */
struct change {
  struct store_robot *robot;
  struct store_alias *alias;
  const struct store_idempotency *key;
  const char *name;
  int64_t expected;
  bool archive;
};

static enum armdyn_status add_revision(struct sql *sql, struct store_robot *robot)
{
  clock_format(clock_wall_ms(), robot->created_at);
  robot->archived = false;
  return record_change(sql,
                       "INSERT INTO robot_revisions (name, revision, created_at, unphysical, document, reason,"
                       " identification) VALUES (:name, :revision, :created_at, :unphysical, :document, :reason,"
                       " :identification)",
                       &robot_type, robot);
}

static enum armdyn_status newest_revision(struct sql *sql, const char *name, bool archived, int64_t *revision)
{
  return sql_number(sql, "SELECT newest FROM robots WHERE name = ? AND archived = ?",
                    VALUES(value_text(name), value_integer(archived)), revision);
}

static enum armdyn_status set_newest(struct sql *sql, const struct store_robot *robot)
{
  return record_change(sql, "UPDATE robots SET newest = :revision, archived = 0 WHERE name = :name", &robot_type,
                       robot);
}

/* An archived name comes back with its next revision. */
static enum armdyn_status create(struct sql *sql, void *argument)
{
  struct change *c = argument;
  struct store_robot *robot = c->robot;
  enum armdyn_status status = newest_revision(sql, robot->name, true, &robot->revision);
  if (!status) {
    robot->revision++;
    status = set_newest(sql, robot);
  } else if (status == ARMDYN_ENOTFOUND) {
    status = store_first_number(sql, "robot", robot->name, &robot->revision);
    if (!status)
      status = record_change(sql, "INSERT INTO robots (name, newest) VALUES (:name, :revision)", &robot_type, robot);
  }
  if (!status) status = add_revision(sql, robot);
  return status ? status : store_idempotency_keep(sql, c->key, "robots", robot->name);
}

enum armdyn_status store_robot_create(struct store *store, struct store_robot *robot,
                                      const struct store_idempotency *key)
{
  struct change c = { .robot = robot, .key = key };
  return store_write(store, create, &c, record_bytes(&robot_type, robot));
}

static enum armdyn_status expect(struct sql *sql, const char *name, int64_t expected)
{
  int64_t newest;
  enum armdyn_status status = newest_revision(sql, name, false, &newest);
  return !status && newest != expected ? ARMDYN_ESTALE : status;
}

static enum armdyn_status update(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = expect(sql, c->robot->name, c->expected);
  if (status) return status;
  c->robot->revision = c->expected + 1;
  status = add_revision(sql, c->robot);
  if (!status) status = set_newest(sql, c->robot);
  if (!status && c->alias) {
    c->alias->revision = c->robot->revision;
    status = store_alias_keep(sql, c->alias, STORE_ANY_VERSION);
  }
  char name[ARMDYN_NAME_SIZE + 32];
  snprintf(name, sizeof name, "%s/revisions/%lld", c->robot->name, (long long)c->robot->revision);
  return status ? status : store_idempotency_keep(sql, c->key, "robots", name);
}

enum armdyn_status store_robot_promote(struct store *store, struct store_robot *robot, int64_t expected,
                                       struct store_alias *alias, const struct store_idempotency *key)
{
  struct change c = { .robot = robot, .expected = expected, .alias = alias, .key = key };
  return store_write(store, update, &c, record_bytes(&robot_type, robot));
}

enum armdyn_status store_robot_update(struct store *store, struct store_robot *robot, int64_t expected)
{
  return store_robot_promote(store, robot, expected, NULL, NULL);
}

/* Results and controllers hold a robot by foreign keys; queued jobs are asked. */
static enum armdyn_status remove_robot(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = expect(sql, c->name, c->expected);
  if (status) return status;
  if (c->archive) return sql_change(sql, "UPDATE robots SET archived = 1 WHERE name = ?", VALUES(value_text(c->name)));
  status = store_conflict(sql, "SELECT 1 FROM jobs WHERE robot = ? AND state = 'queued' LIMIT 1", c->name, ARMDYN_OK);
  if (!status) status = sql_change(sql, "DELETE FROM robots WHERE name = ?", VALUES(value_text(c->name)));
  return status ? status : store_retire_number(sql, "robot", c->name, c->expected);
}

/* The ids of a robot's meshes, whose triangles go after it. */
struct mesh_ids {
  char (*items)[ID_SIZE];
  size_t count;
  enum armdyn_status status;
};

static void note_mesh(void *context, const struct store_mesh *mesh)
{
  struct mesh_ids *ids = context;
  void *more = realloc(ids->items, (ids->count + 1) * sizeof *ids->items);
  if (!more) {
    ids->status = ARMDYN_EMEMORY;
    return;
  }
  ids->items = more;
  memcpy(ids->items[ids->count++], mesh->id, ID_SIZE);
}

enum armdyn_status store_robot_delete(struct store *store, const char *name, int64_t expected, bool archive)
{
  struct change c = { .name = name, .expected = expected, .archive = archive };
  struct mesh_ids meshes = { .items = NULL };
  enum armdyn_status status = archive ? ARMDYN_OK : store_mesh_list(store, name, note_mesh, &meshes);
  if (!status) status = meshes.status;
  if (!status) status = store_write(store, remove_robot, &c, 0);
  /* what a failure leaves of them is swept at start */
  for (size_t i = 0; !status && i < meshes.count; i++) store_series_purge(store, meshes.items[i]);
  free(meshes.items);
  return status;
}

/* What is read of revisions. CROSS: from a robot to its own, never from all revisions to their robots. */
#define SUMMARY  "SELECT r.name, v.revision, v.created_at, v.unphysical, r.archived, v.reason, v.identification"
#define REVISION " FROM robots r " SQL_EITHER("CROSS ", "") "JOIN robot_revisions v ON v.name = r.name"
#define NEWEST   REVISION " AND v.revision = r.newest"

enum armdyn_status store_robot_get(struct store *store, const char *name, int64_t revision, struct store_robot *out)
{
  if (revision == 0)
    return store_read(store, SUMMARY ", v.document" NEWEST " WHERE r.name = ? AND r.archived = 0",
                      VALUES(value_text(name)), &robot_type, out);
  return store_read(store, SUMMARY ", v.document" REVISION " WHERE r.name = ? AND v.revision = ?",
                    VALUES(value_text(name), value_integer(revision)), &robot_type, out);
}

TYPED_VISITOR(store_robot)

/* What lists show of a revision, and what its model says of it, which they may be searched by. */
#define LISTED                                                                                                         \
  SUMMARY ", " SQL_EITHER("v.document ->> '$.description'", "json_text(v.document, 'description')") " AS description"
#define SHOWN "name, revision, created_at, unphysical, archived, reason, identification"

static const struct list_type robot_lists = {
  .table = "(" LISTED NEWEST " WHERE r.archived = 0) AS shown",
  .columns = SHOWN,
  .key = "name",
  .search = ", description",
  .never_null = (const char *const[]){ "revision", NULL },
  .type = &robot_type,
};
static const struct list_type revision_lists = {
  .table = "(" LISTED REVISION ") AS shown",
  .columns = SHOWN,
  .key = "revision",
  .of = "name",
  .search = ", description, reason, identification",
  .type = &robot_type,
};

enum armdyn_status store_robot_list(struct store *store, struct store_query *query, store_robot_visit *visit,
                                    void *context)
{
  return store_read_query(store, &robot_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_robot_revisions(struct store *store, const char *name, struct store_query *query,
                                         store_robot_visit *visit, void *context)
{
  return store_read_query(store, &revision_lists, name, query, visit_row, &(struct visitor){ visit, context });
}
