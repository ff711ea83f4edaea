#include "server/watch/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PIECE = 1; /* s */

void rows_release(struct rows *rows)
{
  free(rows->time);
  free(rows->q);
  free(rows->tau);
  *rows = (struct rows){ .n = rows->n };
}

void rows_clear(struct rows *rows)
{
  rows->count = 0;
}

static enum armdyn_status make_room(struct rows *rows)
{
  if (rows->count < rows->capacity) return ARMDYN_OK;
  const size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
  double *time = realloc(rows->time, capacity * sizeof *time);
  if (time) rows->time = time;
  double *q = realloc(rows->q, capacity * rows->n * sizeof *q);
  if (q) rows->q = q;
  double *tau = realloc(rows->tau, capacity * rows->n * sizeof *tau);
  if (tau) rows->tau = tau;
  if (!time || !q || !tau) return ARMDYN_EMEMORY;
  rows->capacity = capacity;
  return ARMDYN_OK;
}

enum armdyn_status rows_add(struct rows *rows, const struct telemetry_row *row)
{
  const size_t n = rows->n;
  enum armdyn_status status = make_room(rows);
  if (status) return status;
  if (!rows->count) rows->origin = rows->done = row->time;
  rows->time[rows->count] = row->time;
  memcpy(rows->q + rows->count * n, row->q, n * sizeof *rows->q);
  memcpy(rows->tau + rows->count * n, row->tau, n * sizeof *rows->tau);
  rows->count++;
  return ARMDYN_OK;
}

/* What lies so long before `until` that no later sample needs it. */
static void drop_before(struct rows *rows, double until)
{
  size_t gone = 0;
  while (gone + 4 < rows->count && rows->time[gone + 1] < until) gone++;
  rows->count -= gone;
  memmove(rows->time, rows->time + gone, rows->count * sizeof *rows->time);
  memmove(rows->q, rows->q + gone * rows->n, rows->count * rows->n * sizeof *rows->q);
  memmove(rows->tau, rows->tau + gone * rows->n, rows->count * rows->n * sizeof *rows->tau);
}

enum armdyn_status rows_piece(struct rows *rows, const struct armdyn_conditioning *conditioning, bool last,
                              struct armdyn_motion *motion, struct armdyn_error *error)
{
  *motion = (struct armdyn_motion){ 0 };
  if (rows->count < 4) return ARMDYN_OK;
  const double margin = armdyn_conditioning_margin(conditioning), newest = rows->time[rows->count - 1];
  const double first = fmax(rows->done, rows->origin + conditioning->trim);
  const double to = last ? newest - conditioning->trim + 0.5 / conditioning->rate : newest - margin;
  if (!(to - first > (last ? 0 : PIECE))) return ARMDYN_OK;
  const struct armdyn_log log = { .count = rows->count, .time = rows->time, .q = rows->q, .tau = rows->tau };
  enum armdyn_status status =
      armdyn_condition_piece(rows->n, &log, conditioning, rows->origin, first, to, motion, error);
  rows->done = to;
  if (!last) drop_before(rows, to - margin);
  return status;
}
