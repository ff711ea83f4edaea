#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_result, id, FIELD_TEXT),          FIELD(store_result, kind, FIELD_TEXT),
  FIELD(store_result, job, FIELD_TEXT),         FIELD(store_result, robot, FIELD_TEXT),
  FIELD(store_result, revision, FIELD_INTEGER), FIELD(store_result, created_at, FIELD_TEXT),
  FIELD(store_result, document, FIELD_OWNED),   FIELD_WITH(store_result, tags, FIELD_OWNED, .fallback = "{}"),
};
static const struct record_type result_type = RECORD_TYPE(store_result, fields);

void store_result_release(struct store_result *result)
{
  record_release(&result_type, result);
}

struct ending {
  const struct store_result *result;
  const struct store_job *job;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  const struct ending *e = argument;
  enum armdyn_status status =
      record_change(sql,
                    "INSERT INTO results (id, kind, job, robot, revision, created_at, document, tags)"
                    " VALUES (:id, :kind, :job, :robot, :revision, :created_at, :document, :tags)",
                    &result_type, e->result);
  return status ? status : store_job_succeed(sql, e->job, e->result->id);
}

enum armdyn_status store_result_create(struct store *store, const struct store_result *result,
                                       const struct store_job *job)
{
  struct ending ending = { result, job };
  return store_write(store, create, &ending, record_bytes(&result_type, result));
}

enum armdyn_status store_result_get(struct store *store, const char *kind, const char *id, struct store_result *out)
{
  return store_read(store, "SELECT * FROM results WHERE id = ? AND kind = ?", VALUES(value_text(id), value_text(kind)),
                    &result_type, out);
}

struct deletion {
  const char *kind, *id;
};

static enum armdyn_status remove_result(struct sql *sql, void *argument)
{
  const struct deletion *d = argument;
  return sql_change(sql, "DELETE FROM results WHERE id = ? AND kind = ?",
                    VALUES(value_text(d->id), value_text(d->kind)));
}

enum armdyn_status store_result_delete(struct store *store, const char *kind, const char *id)
{
  struct deletion deletion = { kind, id };
  enum armdyn_status status = store_write(store, remove_result, &deletion, 0);
  /* The result is gone, and with it all sight of its series; what a failure leaves of them is swept at start. */
  if (!status) store_series_purge(store, id);
  return status;
}

/* The caller's visitor behind that of record_list's rows. */
struct visitor {
  store_result_visit *visit;
  void *context;
};

static void visit_row(void *context, const void *row)
{
  const struct visitor *v = context;
  v->visit(v->context, row);
}

enum armdyn_status store_result_list(struct store *store, const char *kind, const char *robot,
                                     const struct store_page *page, store_result_visit *visit, void *context)
{
  struct listing listing = { .select = "SELECT * FROM results",
                             .where = { { "kind", value_text(kind) }, { "robot", value_text(robot) } },
                             .order = "id",
                             .before = value_text(page->before),
                             .limit = page->limit };
  return store_read_list(store, &listing, &result_type, visit_row, &(struct visitor){ visit, context });
}
