#include "server/store/internal.h"

const char *const job_state_names[JOB_STATE_COUNT + 1] = {
  [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_SUCCEEDED] = "succeeded",
  [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};

const char *job_state_name(enum job_state state)
{
  return (unsigned)state < JOB_STATE_COUNT ? job_state_names[state] : "unknown";
}

static const struct field fields[] = {
  FIELD(store_job, id, FIELD_TEXT),
  FIELD(store_job, kind, FIELD_TEXT),
  FIELD(store_job, robot, FIELD_TEXT),
  FIELD(store_job, owner, FIELD_TEXT),
  FIELD(store_job, revision, FIELD_INTEGER),
  FIELD_WITH(store_job, state, FIELD_NAMED, .names = job_state_names),
  FIELD(store_job, attempt, FIELD_INT),
  FIELD(store_job, created_at, FIELD_TEXT),
  FIELD(store_job, started_at, FIELD_TEXT),
  FIELD(store_job, finished_at, FIELD_TEXT),
  FIELD(store_job, result_id, FIELD_TEXT),
  FIELD(store_job, request, FIELD_OWNED),
  FIELD_WITH(store_job, tags, FIELD_OWNED, .fallback = "{}"),
  FIELD(store_job, problem, FIELD_OWNED),
  FIELD_WITH(store_job, attempts, FIELD_OWNED, .fallback = "[]"),
  FIELD(store_job, job_order_id, FIELD_TEXT),
  FIELD(store_job, work_master_id, FIELD_TEXT),
  FIELD(store_job, equipment_id, FIELD_TEXT),
  FIELD(store_job, priority, FIELD_INT),
  FIELD(store_job, traceparent, FIELD_TEXT),
  FIELD(store_job, time_limit_ms, FIELD_INTEGER),
  FIELD(store_job, created_by_name, FIELD_TEXT),
  FIELD(store_job, reason, FIELD_TEXT),
};
static const struct record_type job_type = RECORD_TYPE(store_job, fields);

void store_job_release(struct store_job *job)
{
  record_release(&job_type, job);
}

struct creation {
  const struct store_job *job;
  const struct store_idempotency *key;
};

static enum armdyn_status create(struct sql *sql, void *argument)
{
  const struct creation *c = argument;
  enum armdyn_status status = record_send(
      sql,
      "INSERT INTO jobs (id, kind, robot, owner, revision, state, attempt, created_at, started_at, request, tags,"
      " attempts, traceparent, created_by_name, reason) VALUES (:id, :kind, :robot, :owner, :revision, 'queued', "
      ":attempt, :created_at,"
      " :started_at, :request, :tags, :attempts, :traceparent, :created_by_name, :reason)",
      &job_type, c->job);
  if (!status) status = store_referrals_keep(sql, "job", c->job->id, c->job->sources, c->job->source_count);
  return status ? status : store_idempotency_keep(sql, c->key, "jobs", c->job->id);
}

enum armdyn_status store_job_create(struct store *store, const struct store_job *job,
                                    const struct store_idempotency *key)
{
  struct creation creation = { job, key };
  return store_write(store, create, &creation, record_bytes(&job_type, job));
}

enum armdyn_status store_job_get(struct store *store, const char *id, struct store_job *out)
{
  return store_read(store, "SELECT * FROM jobs WHERE id = ?", VALUES(value_text(id)), &job_type, out);
}

static struct store_change change_of(const struct store_job *job, const char *text)
{
  return (struct store_change){
    .text = text, .type = &job_type, .record = job, .name = job->id, .exists = "SELECT 1 FROM jobs WHERE id = ?"
  };
}

enum armdyn_status store_job_retry(struct store *store, const struct store_job *job)
{
  struct store_change change =
      change_of(job, "UPDATE jobs SET attempt = :attempt, attempts = :attempts, started_at = :started_at"
                     " WHERE id = :id AND state = 'queued'");
  return store_update(store, &change);
}

#define END                                                                                                            \
  " attempt = :attempt, attempts = :attempts, started_at = :started_at, finished_at = :finished_at,"                   \
  " problem = :problem WHERE id = :id AND state = 'queued'"

static enum armdyn_status end(struct sql *sql, void *argument)
{
  const struct store_job *job = argument;
  struct store_change change = change_of(job, "UPDATE jobs SET state = :state," END);
  enum armdyn_status status = store_change_guarded(sql, &change);
  return status ? status : store_referrals_forget(sql, "job", job->id);
}

enum armdyn_status store_job_end(struct store *store, const struct store_job *job)
{
  if (job->state != JOB_FAILED && job->state != JOB_CANCELLED) return ARMDYN_EINPUT;
  return store_write(store, end, (void *)(uintptr_t)job, record_bytes(&job_type, job));
}

enum armdyn_status store_job_succeed(struct sql *sql, const struct store_job *job, const char *result_id)
{
  struct store_change change = change_of(job, "UPDATE jobs SET state = 'succeeded'," END);
  enum armdyn_status status = store_change_guarded(sql, &change);
  if (status) return status;
  return sql_send(sql, "UPDATE jobs SET result_id = ? WHERE id = ?",
                  VALUES(value_text(result_id), value_text(job->id)));
}

TYPED_VISITOR(store_job)

static const struct list_type job_lists = {
  .table = "jobs",
  .columns =
      "id, kind, robot, owner, revision, state, attempt, created_at, started_at, finished_at, result_id, tags,"
      " job_order_id, work_master_id, equipment_id, priority, time_limit_ms, traceparent, created_by_name, reason",
  .key = "id",
  .search = ", job_order_id, reason",
  .tags = "tags",
  .never_null = (const char *const[]){ "kind", "robot", "state", "priority", NULL },
  .states = job_state_names,
  .of_states = (const char *const[]){ "kind", "robot", NULL },
  .walked = (const char *const[]){ "started_at", "finished_at", "priority", NULL },
  .counts = "job_counts",
  .counted = (const char *const[]){ "kind", "robot", NULL },
  .type = &job_type,
};

enum armdyn_status store_job_list(struct store *store, struct store_query *query, store_job_visit *visit, void *context)
{
  return store_read_query(store, &job_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}

enum armdyn_status store_job_totals(struct store *store, const struct store_query *query,
                                    int64_t totals[JOB_STATE_COUNT])
{
  return store_read_totals(store, &job_lists, query, job_state_names, totals);
}

enum armdyn_status store_job_queued(struct store *store, const char *behind, size_t most, store_job_visit *visit,
                                    void *context)
{
  struct listing listing = {
    .select = "SELECT id, kind, robot, owner, attempt, created_at, started_at, priority, traceparent, time_limit_ms"
              " FROM jobs",
    .and = "state = 'queued'",
    .order = "id",
    .ascending = true,
    .before = value_text(*behind ? behind : NULL),
    .limit = most,
  };
  return store_read_list(store, &listing, &job_type, visit_row, &(struct visitor){ visit, context });
}
