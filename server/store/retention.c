/* What nobody needs any more: jobs that ended long ago, with their results; orders and alarms that did. */
#include "api/json/writer.h"
#include "server/store/internal.h"

/* A result that nobody pinned, computed from, sent to an arm, ordered, or made a revision of. */
#define UNNEEDED                                                                                                       \
  " pinned = 0 AND NOT EXISTS (SELECT 1 FROM referrals WHERE to_kind = results.kind AND to_id = results.id)"           \
  " AND NOT EXISTS (SELECT 1 FROM transfers WHERE trajectory = results.id)"                                            \
  " AND NOT EXISTS (SELECT 1 FROM orders WHERE trajectory = results.id)"                                               \
  " AND NOT EXISTS (SELECT 1 FROM robot_revisions WHERE identification = results.id)"

static const struct field fields[] = {
  FIELD(store_job, id, FIELD_TEXT),
  FIELD(store_job, kind, FIELD_TEXT),
  FIELD(store_job, result_id, FIELD_TEXT),
};
static const struct record_type outdated_type = RECORD_TYPE(store_job, fields);

/* In the audit trail, as if somebody had asked for it. */
static enum armdyn_status leave_entry(struct sql *sql, const char *option, const char *collection, const char *id,
                                      const char *ended_before)
{
  struct buffer line = BUFFER(KB(4));
  struct json_writer w = { .out = &line };
  char now[TIME_SIZE], text[128];
  clock_format(clock_wall_ms(), now);
  json_begin_object(&w);
  json_member_text(&w, "at", now);
  json_member_text(&w, "key", "retention");
  json_member_text(&w, "key_name", option);
  json_member_text(&w, "address", "local");
  json_member_text(&w, "request_id", "");
  json_member_text(&w, "method", "DELETE");
  snprintf(text, sizeof text, "/v1/%s/%s", collection, id);
  json_member_text(&w, "path", text);
  json_member_text(&w, "operation", "retention");
  json_key(&w, "status"), json_write_integer(&w, 204);
  snprintf(text, sizeof text, "it ended before %s", ended_before);
  json_member_text(&w, "reason", text);
  json_end_object(&w);
  enum armdyn_status status = line.failure ? line.failure : store_audit_keep(sql, line.data);
  buffer_release(&line);
  return status;
}

/* -- jobs -- */

struct removal {
  const struct store_job *job;
  const char *ended_before;
};

static enum armdyn_status remove_job(struct sql *sql, void *argument)
{
  const struct removal *removal = argument;
  const struct store_job *job = removal->job;
  enum armdyn_status status = ARMDYN_OK;
  if (job->result_id[0]) {
    status = sql_change(sql, "DELETE FROM results WHERE id = ? AND" UNNEEDED, VALUES(value_text(job->result_id)));
    if (!status) status = store_referrals_forget(sql, job->kind, job->result_id);
  }
  if (!status) status = sql_change(sql, "DELETE FROM jobs WHERE id = ?", VALUES(value_text(job->id)));
  return status ? status : leave_entry(sql, "--keep-jobs", "jobs", job->id, removal->ended_before);
}

struct clearing {
  struct store *store;
  const char *ended_before;
  size_t removed;
  enum armdyn_status status;
};

static void clear(void *context, const void *row)
{
  struct clearing *c = context;
  const struct store_job *job = row;
  if (c->status) return;
  struct removal removal = { job, c->ended_before };
  enum armdyn_status status = store_write(c->store, remove_job, &removal, 0);
  if (status == ARMDYN_ENOTFOUND || status == ARMDYN_ECONFLICT) return; /* it is needed meanwhile, or gone */
  c->status = status;
  if (status) return;
  c->removed++;
  if (job->result_id[0]) store_series_purge(c->store, job->result_id); /* what a failure leaves is swept at start */
}

enum armdyn_status store_jobs_clear(struct store *store, const char *ended_before, size_t most, size_t *removed)
{
  struct clearing clearing = { .store = store, .ended_before = ended_before };
  /* the newest first, so that what was computed from others goes before them */
  struct listing outdated = {
    .select = "SELECT id, kind, result_id FROM jobs",
    .and = "state != 'queued' AND (result_id IS NULL OR EXISTS (SELECT 1 FROM results WHERE results.id = jobs.result_id"
           " AND" UNNEEDED "))",
    .order = "finished_at",
    .before = value_text(ended_before),
    .limit = most,
  };
  enum armdyn_status status = store_read_list(store, &outdated, &outdated_type, clear, &clearing);
  *removed = clearing.removed;
  return status ? status : clearing.status;
}

/* -- orders and alarms, which stand for themselves -- */

/* A kind of them. */
struct ended_type {
  const char *oldest; /* SELECT id of the one that ended first, before a time */
  const char *remove; /* by its id */
  const char *option, *collection;
};

/* Some that ended before that time, in one write. */
struct clearing_ended {
  const struct ended_type *type;
  const char *ended_before;
  size_t most, removed;
};

static enum armdyn_status oldest_ended(struct sql *sql, const struct clearing_ended *c, char id[ID_SIZE])
{
  struct sql_statement *statement;
  bool row = false;
  *id = '\0';
  enum armdyn_status status = sql_query(sql, c->type->oldest, VALUES(value_text(c->ended_before)), &statement);
  if (!status) status = sql_step(statement, &row);
  if (!status && row) snprintf(id, ID_SIZE, "%s", sql_text(statement, 0));
  sql_finish(statement);
  return status;
}

static enum armdyn_status clear_ended(struct sql *sql, void *argument)
{
  struct clearing_ended *c = argument;
  enum armdyn_status status = ARMDYN_OK;
  char id[ID_SIZE];
  for (c->removed = 0; !status && c->removed < c->most; c->removed++) {
    status = oldest_ended(sql, c, id);
    if (!status && !*id) break;
    if (!status) status = sql_change(sql, c->type->remove, VALUES(value_text(id)));
    if (!status) status = leave_entry(sql, c->type->option, c->type->collection, id, c->ended_before);
  }
  return status;
}

static enum armdyn_status clear_of_type(struct store *store, struct clearing_ended *clearing, size_t *removed)
{
  enum armdyn_status status = store_write(store, clear_ended, clearing, 0);
  *removed = status ? 0 : clearing->removed;
  return status;
}

enum armdyn_status store_orders_clear(struct store *store, const char *ended_before, size_t most, size_t *removed)
{
  static const struct ended_type orders = {
    "SELECT id FROM orders WHERE coalesce(finished_at, '') > '' AND coalesce(finished_at, '') < ?"
    " ORDER BY coalesce(finished_at, '') LIMIT 1",
    "DELETE FROM orders WHERE id = ?", "--keep-orders", "orders"
  };
  return clear_of_type(store, &(struct clearing_ended){ &orders, ended_before, most, 0 }, removed);
}

enum armdyn_status store_alarms_clear(struct store *store, const char *ended_before, size_t most, size_t *removed)
{
  static const struct ended_type alarms = { "SELECT id FROM alarms WHERE until < ? ORDER BY until LIMIT 1",
                                            "DELETE FROM alarms WHERE id = ?", "--keep-alarms", "alarms" };
  return clear_of_type(store, &(struct clearing_ended){ &alarms, ended_before, most, 0 }, removed);
}
