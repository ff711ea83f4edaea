#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_mesh, number, FIELD_INTEGER),  FIELD(store_mesh, id, FIELD_TEXT),
  FIELD(store_mesh, robot, FIELD_TEXT),      FIELD(store_mesh, mesh, FIELD_TEXT),
  FIELD(store_mesh, created_at, FIELD_TEXT), FIELD(store_mesh, triangles, FIELD_INTEGER),
  FIELD(store_mesh, figures, FIELD_OWNED),
};
static const struct record_type mesh_type = RECORD_TYPE(store_mesh, fields);

void store_mesh_release(struct store_mesh *mesh)
{
  record_release(&mesh_type, mesh);
}

struct change {
  struct store_mesh *mesh;
  const char *robot, *name;
  int64_t expected;
  char former[ID_SIZE]; /* out: the id of what was there; "" = nothing */
};

/* Is what is there what is expected (0: nothing)? Then it is gone, but for its triangles. */
static enum armdyn_status take_away(struct sql *sql, struct change *c)
{
  struct store_mesh present = { 0 };
  enum armdyn_status status = record_get(sql, "SELECT * FROM meshes WHERE robot = ? AND mesh = ?",
                                         VALUES(value_text(c->robot), value_text(c->name)), &mesh_type, &present);
  const int64_t number = present.number;
  memcpy(c->former, present.id, sizeof c->former);
  store_mesh_release(&present);
  if (status == ARMDYN_ENOTFOUND) return c->expected ? status : ARMDYN_OK;
  if (status) return status;
  if (number != c->expected) return c->expected ? ARMDYN_ESTALE : ARMDYN_EEXISTS;
  return sql_change(sql, "DELETE FROM meshes WHERE number = ?", VALUES(value_integer(number)));
}

static enum armdyn_status put(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = take_away(sql, c);
  if (status) return status;
  clock_format(clock_wall_ms(), c->mesh->created_at);
  status = record_change(sql,
                         "INSERT INTO meshes (id, robot, mesh, created_at, triangles, figures)"
                         " SELECT :id, :robot, :mesh, :created_at, :triangles, :figures FROM robots"
                         " WHERE name = :robot AND archived = 0",
                         &mesh_type, c->mesh);
  if (status) return status;
  return sql_number(sql, "SELECT number FROM meshes WHERE id = ?", VALUES(value_text(c->mesh->id)), &c->mesh->number);
}

/* What was there is gone, and with it all sight of its triangles; what a failure leaves of them is swept at start. */
static void purge_former(struct store *store, const struct change *c, enum armdyn_status status)
{
  if (!status && *c->former) store_series_purge(store, c->former);
}

enum armdyn_status store_mesh_put(struct store *store, struct store_mesh *mesh, int64_t expected)
{
  struct change c = { .mesh = mesh, .robot = mesh->robot, .name = mesh->mesh, .expected = expected };
  enum armdyn_status status = store_write(store, put, &c, record_bytes(&mesh_type, mesh));
  purge_former(store, &c, status);
  return status;
}

static enum armdyn_status remove_mesh(struct sql *sql, void *argument)
{
  return take_away(sql, argument);
}

enum armdyn_status store_mesh_delete(struct store *store, const char *robot, const char *name, int64_t expected)
{
  struct change c = { .robot = robot, .name = name, .expected = expected };
  enum armdyn_status status = store_write(store, remove_mesh, &c, 0);
  purge_former(store, &c, status);
  return status;
}

enum armdyn_status store_mesh_get(struct store *store, const char *robot, const char *name, struct store_mesh *out)
{
  return store_read(store, "SELECT * FROM meshes WHERE robot = ? AND mesh = ?",
                    VALUES(value_text(robot), value_text(name)), &mesh_type, out);
}

TYPED_VISITOR(store_mesh)

enum armdyn_status store_mesh_list(struct store *store, const char *robot, store_mesh_visit *visit, void *context)
{
  struct listing listing = {
    .select = "SELECT * FROM meshes", .where = { { "robot", value_text(robot) } }, .order = "mesh", .ascending = true
  };
  return store_read_list(store, &listing, &mesh_type, visit_row, &(struct visitor){ visit, context });
}
