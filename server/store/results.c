#include "server/store/internal.h"

static const struct field fields[] = {
  FIELD(store_result, id, FIELD_TEXT),
  FIELD(store_result, kind, FIELD_TEXT),
  FIELD(store_result, job, FIELD_TEXT),
  FIELD(store_result, robot, FIELD_TEXT),
  FIELD(store_result, revision, FIELD_INTEGER),
  FIELD(store_result, created_at, FIELD_TEXT),
  FIELD(store_result, document, FIELD_OWNED),
  FIELD_WITH(store_result, summary, FIELD_OWNED, .fallback = "{}"),
  FIELD_WITH(store_result, tags, FIELD_OWNED, .fallback = "{}"),
  FIELD(store_result, job_order_id, FIELD_TEXT),
  FIELD(store_result, work_master_id, FIELD_TEXT),
  FIELD(store_result, equipment_id, FIELD_TEXT),
  FIELD(store_result, version, FIELD_INTEGER),
  FIELD(store_result, pinned, FIELD_BOOL),
  FIELD_WITH(store_result, label, FIELD_TEXT, .fallback = ""),
  FIELD_WITH(store_result, notes, FIELD_OWNED, .fallback = ""),
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
                    "INSERT INTO results (id, kind, job, robot, revision, created_at, summary, tags, job_order_id,"
                    " work_master_id, equipment_id) SELECT :id, :kind, id, :robot, :revision, :created_at, :summary,"
                    " :tags, job_order_id, work_master_id, equipment_id FROM jobs WHERE id = :job",
                    &result_type, e->result);
  if (status == ARMDYN_ENOTFOUND) return ARMDYN_ECONFLICT; /* no such job */
  if (!status)
    status = record_send(sql, "INSERT INTO result_documents (result_id, document) VALUES (:id, :document)",
                         &result_type, e->result);
  if (!status) status = store_job_succeed(sql, e->job, e->result->id);
  return status ? status : store_referrals_inherit(sql, e->job->id, e->result->kind, e->result->id);
}

enum armdyn_status store_result_create(struct store *store, const struct store_result *result,
                                       const struct store_job *job)
{
  struct ending ending = { result, job };
  return store_write(store, create, &ending, record_bytes(&result_type, result));
}

enum armdyn_status store_result_get(struct store *store, const char *kind, const char *id, struct store_result *out)
{
  return store_read(store,
                    "SELECT r.*, d.document FROM results r JOIN result_documents d ON d.result_id = r.id"
                    " WHERE r.id = ? AND r.kind = ?",
                    VALUES(value_text(id), value_text(kind)), &result_type, out);
}

#define EXISTS "SELECT 1 FROM results WHERE id = ?"

static enum armdyn_status annotate(struct sql *sql, void *argument)
{
  struct store_result *result = argument;
  enum armdyn_status status = record_change(sql,
                                            "UPDATE results SET tags = :tags, label = :label, notes = :notes,"
                                            " pinned = :pinned, version = version + 1"
                                            " WHERE id = :id AND kind = :kind AND version = :version",
                                            &result_type, result);
  if (status == ARMDYN_ENOTFOUND)
    return store_conflict(sql, EXISTS, result->id, ARMDYN_ENOTFOUND) == ARMDYN_ECONFLICT ? ARMDYN_ESTALE : status;
  return status;
}

enum armdyn_status store_result_annotate(struct store *store, struct store_result *result)
{
  enum armdyn_status status = store_write(store, annotate, result, record_bytes(&result_type, result));
  if (!status) result->version++;
  return status;
}

struct deletion {
  const char *kind, *id;
  int64_t expected;
};

static enum armdyn_status remove_result(struct sql *sql, void *argument)
{
  const struct deletion *d = argument;
  enum armdyn_status status = store_expect_version(sql, "SELECT version FROM results WHERE id = ?", d->id, d->expected);
  if (!status) status = store_referrals_check(sql, d->kind, d->id);
  if (!status)
    status = sql_change(sql,
                        "DELETE FROM results WHERE id = ? AND kind = ? AND pinned = 0"
                        " AND NOT EXISTS (SELECT 1 FROM orders WHERE trajectory = results.id AND finished_at IS NULL)",
                        VALUES(value_text(d->id), value_text(d->kind)));
  if (status == ARMDYN_ENOTFOUND)
    return store_conflict(sql,
                          "SELECT 1 FROM results WHERE id = ? AND (pinned = 1 OR EXISTS"
                          " (SELECT 1 FROM orders WHERE trajectory = results.id AND finished_at IS NULL))",
                          d->id, ARMDYN_ENOTFOUND);
  return status ? status : store_referrals_forget(sql, d->kind, d->id);
}

enum armdyn_status store_result_delete(struct store *store, const char *kind, const char *id, int64_t expected)
{
  struct deletion deletion = { kind, id, expected };
  enum armdyn_status status = store_write(store, remove_result, &deletion, 0);
  /* The result is gone, and with it all sight of its series; what a failure leaves of them is swept at start. */
  if (!status) store_series_purge(store, id);
  return status;
}

TYPED_VISITOR(store_result)

static const struct list_type result_lists = {
  .table = "results",
  .columns = "id, kind, job, robot, revision, created_at, summary, tags, job_order_id, work_master_id, equipment_id,"
             " version, pinned, label",
  .key = "id",
  .search = ", label, notes",
  .tags = "tags",
  .trigrams = "result_search",
  .numbers = "result_numbers",
  .never_null = (const char *const[]){ "label", "robot", NULL },
  .type = &result_type,
};

enum armdyn_status store_result_list(struct store *store, struct store_query *query, store_result_visit *visit,
                                     void *context)
{
  return store_read_query(store, &result_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
