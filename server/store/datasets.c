#include "server/store/internal.h"

#define VERSION "SELECT version FROM datasets WHERE id = ?"

static const struct field fields[] = {
  FIELD(store_dataset, id, FIELD_TEXT),
  FIELD(store_dataset, robot, FIELD_TEXT),
  FIELD(store_dataset, revision, FIELD_INTEGER),
  FIELD(store_dataset, version, FIELD_INTEGER),
  FIELD(store_dataset, created_at, FIELD_TEXT),
  FIELD_WITH(store_dataset, label, FIELD_TEXT, .fallback = ""),
  FIELD(store_dataset, samples, FIELD_INTEGER),
  FIELD(store_dataset, sha256, FIELD_TEXT),
  FIELD(store_dataset, figures, FIELD_OWNED),
  FIELD_WITH(store_dataset, conditions, FIELD_OWNED, .fallback = "{}"),
  FIELD_WITH(store_dataset, tags, FIELD_OWNED, .fallback = "{}"),
  FIELD_WITH(store_dataset, notes, FIELD_OWNED, .fallback = ""),
  FIELD_WITH(store_dataset, job_order_id, FIELD_TEXT, .fallback = ""),
  FIELD_WITH(store_dataset, work_master_id, FIELD_TEXT, .fallback = ""),
  FIELD_WITH(store_dataset, equipment_id, FIELD_TEXT, .fallback = ""),
  FIELD(store_dataset, created_by_name, FIELD_TEXT),
  FIELD(store_dataset, reason, FIELD_TEXT),
};
static const struct record_type dataset_type = RECORD_TYPE(store_dataset, fields);

void store_dataset_release(struct store_dataset *dataset)
{
  record_release(&dataset_type, dataset);
}

enum armdyn_status store_dataset_create(struct store *store, struct store_dataset *dataset,
                                        const struct store_idempotency *key)
{
  dataset->version = 1;
  clock_format(clock_wall_ms(), dataset->created_at);
  struct store_change change = {
    .text = "INSERT INTO datasets (id, robot, revision, version, created_at, label, samples, sha256, figures,"
            " conditions, tags, notes, job_order_id, work_master_id, equipment_id, created_by_name, reason) VALUES "
            "(:id, :robot, :revision,"
            " :version, :created_at, :label, :samples, :sha256, :figures, :conditions, :tags, :notes, :job_order_id,"
            " :work_master_id, :equipment_id, :created_by_name, :reason)",
    .type = &dataset_type,
    .record = dataset,
    .name = dataset->id,
    .collection = "datasets",
    .key = key,
  };
  return store_create(store, &change);
}

enum armdyn_status store_dataset_get(struct store *store, const char *id, struct store_dataset *out)
{
  return store_read(store, "SELECT * FROM datasets WHERE id = ?", VALUES(value_text(id)), &dataset_type, out);
}

struct change {
  struct store_dataset *dataset;
  const char *id;
  int64_t expected;
};

static enum armdyn_status update(struct sql *sql, void *argument)
{
  struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->dataset->id, c->expected);
  if (status) return status;
  c->dataset->version = c->expected + 1;
  return record_change(sql,
                       "UPDATE datasets SET version = :version, label = :label, conditions = :conditions, tags = :tags,"
                       " notes = :notes, job_order_id = :job_order_id, work_master_id = :work_master_id,"
                       " equipment_id = :equipment_id WHERE id = :id",
                       &dataset_type, c->dataset);
}

enum armdyn_status store_dataset_update(struct store *store, struct store_dataset *dataset, int64_t expected)
{
  struct change c = { .dataset = dataset, .expected = expected };
  return store_write(store, update, &c, record_bytes(&dataset_type, dataset));
}

static enum armdyn_status remove_dataset(struct sql *sql, void *argument)
{
  const struct change *c = argument;
  enum armdyn_status status = store_expect_version(sql, VERSION, c->id, c->expected);
  if (!status) status = store_referrals_check(sql, "dataset", c->id);
  return status ? status : sql_change(sql, "DELETE FROM datasets WHERE id = ?", VALUES(value_text(c->id)));
}

enum armdyn_status store_dataset_delete(struct store *store, const char *id, int64_t expected)
{
  struct change c = { .id = id, .expected = expected };
  enum armdyn_status status = store_write(store, remove_dataset, &c, 0);
  /* It is gone, and with it all sight of its series; what a failure leaves of them is swept at start. */
  if (!status) store_series_purge(store, id);
  return status;
}

TYPED_VISITOR(store_dataset)

static const struct list_type dataset_lists = {
  .table = "datasets",
  .columns =
      "id, robot, revision, version, created_at, label, samples, sha256, figures, conditions, tags, job_order_id,"
      " work_master_id, equipment_id, created_by_name, reason",
  .key = "id",
  .search = ", label, notes, reason",
  .tags = "dataset_tags",
  .never_null = (const char *const[]){ "samples", NULL },
  .type = &dataset_type,
};

enum armdyn_status store_dataset_list(struct store *store, struct store_query *query, store_dataset_visit *visit,
                                      void *context)
{
  return store_read_query(store, &dataset_lists, NULL, query, visit_row, &(struct visitor){ visit, context });
}
