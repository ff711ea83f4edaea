/* Data sets: what logs were uploaded, what people write on them, and their end. Uploads are in uploads.c. */
#include "server/routes/datasets.h"

#include "api/codec/dataset.h"
#include "api/json/document.h"
#include "server/app.h"
#include "server/http/preconditions.h"
#include "server/routes/handlers.h"
#include "server/routes/listing.h"
#include "server/routes/results.h"
#include "server/routes/versioned.h"

static struct dataset_resource resource_of(const struct store_dataset *row)
{
  return (struct dataset_resource){ .id = row->id,
                                    .robot = row->robot,
                                    .created_at = row->created_at,
                                    .label = row->label,
                                    .sha256 = row->sha256,
                                    .figures = row->figures,
                                    .conditions = row->conditions,
                                    .tags = row->tags,
                                    .notes = row->notes,
                                    .job_order_id = row->job_order_id,
                                    .work_master_id = row->work_master_id,
                                    .equipment_id = row->equipment_id,
                                    .created_by = row->created_by_name,
                                    .reason = row->reason,
                                    .revision = row->revision,
                                    .samples = row->samples };
}

static enum armdyn_status get_row(struct exchange *x, const char *name, void *row)
{
  return store_dataset_get(exchange_app(x)->store, name, row);
}

static void release(void *row)
{
  store_dataset_release(row);
}

static enum armdyn_status encode_row(struct exchange *x, bool made, const void *row, struct buffer *out)
{
  (void)x, (void)made;
  const struct dataset_resource resource = resource_of(row);
  dataset_resource_encode(&resource, out);
  return out->failure;
}

static bool remove_row(struct exchange *x, int64_t expected)
{
  const char *id = exchange_segment(x, "dataset");
  enum armdyn_status status = store_dataset_delete(exchange_app(x)->store, id, expected);
  if (status != ARMDYN_ECONFLICT) return versioned_found(x, &datasets, status);
  answer_referred(x, "dataset", id);
  return false;
}

const struct versioned datasets = {
  .noun = "data set",
  .article = "a",
  .segment = "dataset",
  .collection = "datasets",
  .size = sizeof(struct store_dataset),
  .version_at = offsetof(struct store_dataset, version),
  .name_at = offsetof(struct store_dataset, id),
  .get = get_row,
  .release = release,
  .encode = encode_row,
  .remove = remove_row,
};

bool dataset_of_request(struct exchange *x, struct store_dataset *row)
{
  return versioned_found(x, &datasets, get_row(x, exchange_segment(x, "dataset"), row));
}

void answer_dataset(struct exchange *x, const char *id)
{
  struct store_dataset row;
  struct buffer body = BUFFER(MB(1));
  enum armdyn_status status = store_dataset_get(exchange_app(x)->store, id, &row);
  if (!status) {
    exchange_is_about_order(x, row.job_order_id);
    encode_row(x, true, &row, &body);
    exchange_set_header(x, "Location", "/v1/datasets/%s", row.id);
    answer_etag(x, row.version);
    answer_json(x, 201, &body);
    store_dataset_release(&row);
  } else if (status == ARMDYN_ENOTFOUND) {
    answer_problem(x, PROBLEM_NOT_FOUND, "there is no data set '%.64s'", id);
  } else {
    answer_status(x, status, NULL);
  }
  buffer_release(&body);
}

/* -- changes -- */

/* The row with the patch laid over what is written on it. */
static enum armdyn_status change(struct exchange *x, const struct store_dataset *row, struct dataset_notes *notes)
{
  size_t length;
  const char *body = exchange_body(x, &length);
  struct buffer present = BUFFER(MB(2)), merged = BUFFER(MB(2));
  const struct dataset_resource resource = resource_of(row);
  dataset_notes_encode(&resource, &present);
  enum armdyn_status status = present.failure;
  if (!status) status = document_merge(present.data, body, length, &merged, exchange_faults(x));
  if (!status) status = dataset_notes_decode(merged.data, merged.length, notes, exchange_faults(x));
  buffer_release(&present);
  buffer_release(&merged);
  return status;
}

static enum armdyn_status keep(struct exchange *x, const struct store_dataset *row, const struct dataset_notes *notes,
                               int64_t expected)
{
  struct store_dataset changed = { .notes = notes->notes };
  struct buffer tags = BUFFER(MB(1)), conditions = BUFFER(KB(64));
  tags_encode(&notes->tags, &tags);
  dataset_conditions_encode(&notes->conditions, &conditions);
  memcpy(changed.id, row->id, sizeof changed.id);
  memcpy(changed.label, notes->label, sizeof changed.label);
  memcpy(changed.job_order_id, notes->job_order_id, sizeof changed.job_order_id);
  memcpy(changed.work_master_id, notes->work_master_id, sizeof changed.work_master_id);
  memcpy(changed.equipment_id, notes->equipment_id, sizeof changed.equipment_id);
  changed.tags = tags.data;
  changed.conditions = conditions.data;
  enum armdyn_status status = tags.failure ? tags.failure : conditions.failure;
  if (!status) status = store_dataset_update(exchange_app(x)->store, &changed, expected);
  buffer_release(&tags);
  buffer_release(&conditions);
  return status;
}

/* Lay the body over the row. false: answered. */
static bool patch(struct exchange *x, const struct store_dataset *row, int64_t expected)
{
  struct dataset_notes *notes = malloc(sizeof *notes);
  enum armdyn_status status = notes ? change(x, row, notes) : ARMDYN_EMEMORY;
  if (!status) {
    status = keep(x, row, notes, expected);
    dataset_notes_release(notes);
  }
  free(notes);
  return versioned_found(x, &datasets, status);
}

enum outcome dataset_patch(struct exchange *x)
{
  struct store_dataset row;
  int64_t expected;
  if (!versioned_demanded(x, &datasets, false, &expected) || !dataset_of_request(x, &row)) return ANSWERED;
  const bool patched = patch(x, &row, expected);
  store_dataset_release(&row);
  if (!patched || !dataset_of_request(x, &row)) return ANSWERED;
  exchange_is_about_order(x, row.job_order_id);
  versioned_answer(x, &datasets, &row);
  store_dataset_release(&row);
  return ANSWERED;
}

/* -- lists -- */

static void visit(void *context, const struct store_dataset *row)
{
  struct listing *listing = context;
  struct dataset_resource resource = resource_of(row);
  struct buffer item = BUFFER(MB(1));
  resource.summary = true;
  dataset_resource_encode(&resource, &item);
  listing_item(listing, &item);
  buffer_release(&item);
}

enum outcome dataset_list(struct exchange *x)
{
  static const struct list_form form = {
    .filters = "robot revision label sha256",
    .sorts = "created_at label robot samples job_order_id",
    .fields = "id robot revision created_at label samples duration rate quality source sha256 conditions tags"
              " job_order_id work_master_id equipment_id created_by reason",
  };
  struct listing listing;
  if (!listing_query(&listing, x, &form)) return ANSWERED;
  listing_end(&listing, store_dataset_list(exchange_app(x)->store, &listing.query, visit, &listing));
  return ANSWERED;
}
