#include "server/data/stored_trajectory.h"

#include <stdlib.h>

enum { BEFORE_COEFFICIENTS = 3, SAMPLES_A_JOINT = 5 };

static bool take_rows(const double *rows, size_t width, struct armdyn_trajectory *t)
{
  size_t terms = t->degree + 1;
  for (size_t k = 0; k < t->piece_count; k++)
    for (size_t j = 0; j < t->joint_count; j++) {
      const double *row = rows + (k * t->joint_count + j) * width;
      if (row[2] != (double)(j + 1)) return false;
      t->breaks[k] = row[0];
      t->breaks[k + 1] = row[1];
      memcpy(t->coefficients + (k * t->joint_count + j) * terms, row + BEFORE_COEFFICIENTS, terms * sizeof *row);
    }
  return true;
}

enum armdyn_status stored_trajectory_fits(struct store *store, const char *id, size_t joints)
{
  struct store_series series;
  enum armdyn_status status = store_series_info(store, id, SERIES_SAMPLES, &series);
  return status ? status : series.width == 1 + SAMPLES_A_JOINT * joints ? ARMDYN_OK : ARMDYN_EINPUT;
}

enum armdyn_status stored_trajectory_read(struct store *store, const char *id, size_t joints,
                                          struct armdyn_trajectory *trajectory)
{
  struct store_series series;
  struct armdyn_trajectory t = { .joint_count = joints };
  double *rows = NULL;
  enum armdyn_status status = store_series_info(store, id, SERIES_POLYNOMIAL, &series);
  if (status) return status;
  if (series.width <= BEFORE_COEFFICIENTS || !series.rows || series.rows % joints) return ARMDYN_EIO;
  t.degree = series.width - BEFORE_COEFFICIENTS - 1;
  t.piece_count = series.rows / joints;
  status = ARMDYN_EMEMORY;
  rows = malloc(series.rows * series.width * sizeof *rows);
  t.breaks = malloc((t.piece_count + 1) * sizeof *t.breaks);
  t.coefficients = malloc(series.rows * (t.degree + 1) * sizeof *t.coefficients);
  if (!rows || !t.breaks || !t.coefficients) goto out;
  if ((status = store_series_read(store, id, SERIES_POLYNOMIAL, 0, series.rows, rows))) goto out;
  status = ARMDYN_EIO;
  if (!take_rows(rows, series.width, &t)) goto out;
  *trajectory = t;
  t = (struct armdyn_trajectory){ 0 }; /* handed over */
  status = ARMDYN_OK;
out:
  free(rows);
  armdyn_trajectory_free(&t);
  return status;
}

enum armdyn_status stored_trajectory_open(struct store *store, const char *id, size_t joints, const char *pointer,
                                          struct armdyn_trajectory *trajectory, struct armdyn_error *error)
{
  enum armdyn_status status = stored_trajectory_fits(store, id, joints);
  if (status == ARMDYN_EINPUT)
    return armdyn_refuse(error, status, pointer, "%s has not the robot's %zu joints", id, joints);
  if (!status) status = stored_trajectory_read(store, id, joints, trajectory);
  if (status == ARMDYN_ENOTFOUND)
    return armdyn_refuse(error, ARMDYN_EINPUT, pointer, "%s is no trajectory, excitation or friction test", id);
  return status;
}
