#include "server/data/stored_dataset.h"

#include <stdlib.h>

struct stored_dataset {
  struct store *store;
  struct store_dataset row;
  struct dataset_layout layout;
  size_t at, room; /* rows */
  double *rows;
};

enum armdyn_status stored_dataset_open(struct store *store, const char *id, struct stored_dataset **out)
{
  struct store_series series;
  struct stored_dataset *d = calloc(1, sizeof *d);
  if (!d) return ARMDYN_EMEMORY;
  d->store = store;
  enum armdyn_status status = store_dataset_get(store, id, &d->row);
  if (!status) status = store_series_info(store, id, STORE_SAMPLES, &series);
  if (!status && (!dataset_layout_read(series.columns, &d->layout) || d->layout.width != series.width))
    status = ARMDYN_EIO;
  if (status) goto out;
  d->room = STORED_DATASET_BYTES / (series.width * sizeof *d->rows);
  d->rows = malloc(d->room * series.width * sizeof *d->rows);
  if (!d->rows) status = ARMDYN_EMEMORY;
  if (status) goto out;
  *out = d;
  d = NULL;
out:
  stored_dataset_close(d);
  return status;
}

void stored_dataset_close(struct stored_dataset *d)
{
  if (!d) return;
  store_dataset_release(&d->row);
  free(d->rows);
  free(d);
}

const struct store_dataset *stored_dataset_row(const struct stored_dataset *d)
{
  return &d->row;
}

const struct dataset_layout *stored_dataset_layout(const struct stored_dataset *d)
{
  return &d->layout;
}

void stored_dataset_seek(struct stored_dataset *d, size_t row)
{
  d->at = row;
}

enum armdyn_status stored_dataset_next(struct stored_dataset *d, const double **rows, size_t *count)
{
  const size_t left = (size_t)d->row.samples - d->at;
  *rows = d->rows;
  *count = left < d->room ? left : d->room;
  if (*count == 0) return ARMDYN_OK;
  enum armdyn_status status = store_series_read(d->store, d->row.id, STORE_SAMPLES, d->at, *count, d->rows);
  if (!status) d->at += *count;
  return status;
}
