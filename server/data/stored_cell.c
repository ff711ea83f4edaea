#include "server/data/stored_cell.h"

enum armdyn_status stored_cell_decode(const struct store_cell *row, struct cell_document *cell)
{
  const enum armdyn_status status = cell_decode(row->document, strlen(row->document), cell, NULL);
  return status && status != ARMDYN_EMEMORY ? ARMDYN_EINTERNAL : status;
}

enum armdyn_status stored_cell_read(struct store *store, const char *name, int64_t *revision,
                                    struct cell_document *cell)
{
  struct store_cell row;
  enum armdyn_status status = store_cell_get(store, name, *revision, &row);
  if (!status) status = stored_cell_decode(&row, cell);
  if (!status) *revision = row.version;
  store_cell_release(&row);
  return status;
}

enum armdyn_status played_motion_of(const struct armdyn_trajectory *trajectory, double rate,
                                    struct armdyn_played_motion *motion, struct armdyn_error *error)
{
  const double duration = armdyn_trajectory_duration(trajectory);
  const size_t n = trajectory->joint_count;
  if (duration * rate > LIMIT_SERIES_ROWS)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/rate", "%g s at %g Hz are more than %d samples", duration, rate,
                         LIMIT_SERIES_ROWS);
  const size_t count = armdyn_sample_count(trajectory, rate);
  double *q = malloc(count * n * sizeof *q);
  for (size_t k = 0; q && k < count; k++)
    armdyn_trajectory_state(trajectory, armdyn_sample_time(trajectory, rate, k), q + k * n, NULL, NULL, NULL);
  *motion = (struct armdyn_played_motion){ .count = count, .period = 1 / rate, .q = q };
  return q ? ARMDYN_OK : ARMDYN_EMEMORY;
}
