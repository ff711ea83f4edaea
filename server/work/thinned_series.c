#include "server/work/thinned_series.h"

#include <math.h>
#include <stdlib.h>

#include "api/limits.h"
#include "server/data/stored_trajectory.h"

enum { ROWS = 256 };
static const double room_taken = 0.5;       /* of what the disk has left, by the series of one run */
static const double room_of_log = 16 << 20; /* which the store's log may need beside them */
static const double pyramid = 1 + 2. / 15;  /* of two rows for 16, of two for 256, ... above the samples */

/* 1: every sample is kept. */
static size_t choose_stride(const struct work *work, size_t width, double samples)
{
  const double row = (double)width * sizeof(double) * pyramid;
  const double room = room_taken * (work_room(work) - room_of_log);
  const double most = fmin(LIMIT_RUN_SAMPLES, fmax(room / row, 1));
  return (size_t)fmax(ceil(samples / most), 1);
}

enum armdyn_status thinned_series_open(struct thinned_series *series, struct work *work, const char *columns,
                                       size_t width, double rate, double samples)
{
  *series = (struct thinned_series){ .work = work, .rate = rate, .width = width };
  series->stride = choose_stride(work, width, samples);
  series->rows = malloc(ROWS * width * sizeof *series->rows);
  if (!series->rows) return ARMDYN_EMEMORY;
  work_series(work, SERIES_SAMPLES, columns, width);
  return ARMDYN_OK;
}

static void send_rows(struct thinned_series *series)
{
  work_rows(series->work, series->rows, series->filled);
  series->filled = 0;
}

double *thinned_series_next(struct thinned_series *series)
{
  const size_t position = series->position++;
  if (position % series->stride) return NULL;
  if (series->filled == ROWS) send_rows(series);
  double *row = series->rows + series->filled++ * series->width;
  row[0] = (double)position / series->rate;
  return row;
}

void thinned_series_close(struct thinned_series *series)
{
  if (series->rows) send_rows(series);
  free(series->rows);
  series->rows = NULL;
}

double thinned_series_rate(const struct thinned_series *series)
{
  return series->rate / (double)series->stride;
}
