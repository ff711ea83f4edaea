#include "server/work/replay.h"

#include <stdlib.h>

#include "server/data/stored_trajectory.h"

enum { BEFORE_TORQUES = 3 }; /* q, qd, qdd */

static bool make_room(struct replay *replay, size_t joints, size_t count)
{
  *replay = (struct replay){ .n = joints, .count = count };
  replay->t = malloc(count * sizeof *replay->t);
  replay->tau = malloc(count * joints * sizeof *replay->tau);
  return replay->t && replay->tau;
}

enum armdyn_status replay_read(struct store *store, const char *id, size_t joints, struct replay *replay,
                               struct armdyn_error *error)
{
  enum { ROWS = 512 };
  struct store_series series;
  enum armdyn_status status = store_series_info(store, id, SERIES_SAMPLES, &series);
  if (status) return armdyn_refuse(error, status, "/trajectory", "%s has no samples", id);
  double *rows = malloc(ROWS * series.width * sizeof *rows);
  status = rows && make_room(replay, joints, series.rows) ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t first = 0; !status && first < series.rows; first += ROWS) {
    const size_t left = series.rows - first, count = left < ROWS ? left : ROWS;
    status = store_series_read(store, id, SERIES_SAMPLES, first, count, rows);
    for (size_t k = 0; !status && k < count; k++) {
      const double *row = rows + k * series.width;
      replay->t[first + k] = row[0];
      memcpy(replay->tau + (first + k) * joints, row + 1 + BEFORE_TORQUES * joints, joints * sizeof *row);
    }
  }
  free(rows);
  return status;
}

enum armdyn_status replay_of(const struct torque_profile *profile, size_t joints, struct replay *replay)
{
  if (!make_room(replay, joints, profile->tau.rows)) return ARMDYN_EMEMORY;
  for (size_t k = 0; k < replay->count; k++) replay->t[k] = (double)k / profile->rate;
  memcpy(replay->tau, profile->tau.data, replay->count * joints * sizeof *replay->tau);
  return ARMDYN_OK;
}

void replay_release(struct replay *replay)
{
  free(replay->t);
  free(replay->tau);
  *replay = (struct replay){ .n = 0 };
}

/* The last sample at or before t. */
static size_t sample_before(const struct replay *replay, double t)
{
  size_t low = 0, high = replay->count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (replay->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void replay_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct replay *replay = context;
  const size_t n = replay->n, k = sample_before(replay, t);
  const double *here = replay->tau + k * n;
  (void)q, (void)qd;
  memcpy(tau, here, n * sizeof *tau);
  if (k + 1 == replay->count) return;
  const double part = (t - replay->t[k]) / (replay->t[k + 1] - replay->t[k]);
  for (size_t j = 0; j < n; j++) tau[j] += part * (here[n + j] - here[j]);
}
