#include "server/data/new_dataset.h"

#include <nettle/sha2.h>
#include <sodium.h>

#include "api/wire/buffer.h"

struct new_dataset {
  struct store *store;
  char id[ID_SIZE];
  struct dataset_layout layout;
  struct store_samples_writer *writer;
  struct armdyn_quality *quality;
  struct sha256_ctx hash; /* of the samples */
};

enum armdyn_status new_dataset_begin(struct store *store, const char *id, const struct dataset_layout *layout,
                                     struct new_dataset **dataset)
{
  char names[DATASET_COLUMNS_SIZE];
  const size_t torque = layout->present[DATASET_TAU] ? layout->begin[DATASET_TAU] : 0;
  struct new_dataset *d = calloc(1, sizeof *d);
  if (!d) return ARMDYN_EMEMORY;
  d->store = store;
  snprintf(d->id, sizeof d->id, "%s", id);
  d->layout = *layout;
  sha256_init(&d->hash);
  dataset_layout_names(layout, names);
  enum armdyn_status status = armdyn_quality_new(layout->joints, layout->width, torque, &d->quality);
  if (!status) status = store_samples_begin(store, id, names, layout->width, LIMIT_DATASET_ROWS, &d->writer);
  if (!status)
    *dataset = d;
  else
    new_dataset_free(d);
  return status;
}

enum armdyn_status new_dataset_add(struct new_dataset *d, const double *rows, size_t count)
{
  sha256_update(&d->hash, count * d->layout.width * sizeof *rows, (const uint8_t *)rows);
  armdyn_quality_add(d->quality, count, rows);
  return store_samples_append(d->writer, rows, count);
}

static void copy(char *to, size_t size, const char *from)
{
  snprintf(to, size, "%s", from ? from : "");
}

/* Whose it is. */
static enum armdyn_status account(const struct new_dataset_origin *o, struct store_dataset *row)
{
  copy(row->label, sizeof row->label, o->label);
  copy(row->created_by_name, sizeof row->created_by_name, o->created_by_name);
  copy(row->reason, sizeof row->reason, o->reason);
  copy(row->job_order_id, sizeof row->job_order_id, o->job_order_id);
  copy(row->work_master_id, sizeof row->work_master_id, o->work_master_id);
  copy(row->equipment_id, sizeof row->equipment_id, o->equipment_id);
  if (o->tags && !(row->tags = strdup(o->tags))) return ARMDYN_EMEMORY;
  return (row->conditions = strdup(o->conditions)) ? ARMDYN_OK : ARMDYN_EMEMORY;
}

/* The row of what was found. */
static enum armdyn_status describe(struct new_dataset *d, const struct new_dataset_origin *o, struct store_dataset *row)
{
  struct armdyn_quality_report report;
  struct buffer figures = BUFFER(1 << 20);
  unsigned char digest[SHA256_DIGEST_SIZE];
  enum armdyn_status status = armdyn_quality_report(d->quality, &report);
  if (status) return status;
  sha256_digest(&d->hash, sizeof digest, digest);
  sodium_bin2hex(row->sha256, sizeof row->sha256, digest, sizeof digest);
  const struct dataset_figures f = { .layout = &d->layout,
                                     .robot = o->robot,
                                     .report = &report,
                                     .media = o->media,
                                     .mapping = o->mapping,
                                     .source_sha256 = o->source_sha256 ? o->source_sha256 : row->sha256 };
  dataset_figures_encode(&f, &figures);
  status = figures.failure;
  row->figures = buffer_take(&figures, NULL);
  buffer_release(&figures);
  if (!status) status = account(o, row);
  memcpy(row->id, d->id, sizeof row->id);
  snprintf(row->robot, sizeof row->robot, "%s", o->robot->name);
  row->revision = o->revision;
  row->samples = (int64_t)report.count;
  return status;
}

enum armdyn_status new_dataset_keep(struct new_dataset *d, const struct new_dataset_origin *origin,
                                    const struct store_idempotency *key)
{
  struct store_dataset row = { 0 };
  enum armdyn_status status = describe(d, origin, &row);
  if (!status) {
    status = store_samples_end(d->writer, true);
    d->writer = NULL;
  }
  if (!status) {
    status = store_dataset_create(d->store, &row, key);
    if (status) store_samples_discard(d->store, d->id);
  }
  store_dataset_release(&row);
  return status;
}

void new_dataset_free(struct new_dataset *d)
{
  if (!d) return;
  store_samples_end(d->writer, false);
  armdyn_quality_free(d->quality);
  free(d);
}
