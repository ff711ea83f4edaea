#include "server/data/resampling.h"

#include <math.h>
#include <stdlib.h>

#include "api/limits.h"
#include "armdyn/identify.h"

enum { RAW_BYTES = 128 << 10, FEWEST = 4 };

struct resampling {
  struct store *store;
  char id[ID_SIZE];
  double rate, from, to;
  size_t width, total; /* of the log */
  size_t count;
  size_t room;        /* rows of `raw` */
  size_t begin, held; /* which are in it */
  double *raw, *time;
};

enum armdyn_status resampling_new(struct store *store, const char *id, double rate, double from, double to,
                                  struct resampling **out)
{
  struct store_series info;
  enum armdyn_status status = store_series_info(store, id, STORE_SAMPLES, &info);
  if (status) return status;
  if (info.rows < FEWEST) return ARMDYN_EINPUT;
  if (!((to - from) * rate < LIMIT_DATASET_ROWS - 1)) return ARMDYN_ELIMIT;
  struct resampling *r = calloc(1, sizeof *r);
  if (!r) return ARMDYN_EMEMORY;
  *r = (struct resampling){ .store = store, .rate = rate, .from = from, .to = to };
  snprintf(r->id, sizeof r->id, "%s", id);
  r->width = info.width;
  r->total = info.rows;
  r->count = to < from ? 0 : 1 + (size_t)((to - from) * rate + 1e-6); /* as armdyn_resampled_count */
  r->room = RAW_BYTES / (info.width * sizeof *r->raw);
  r->raw = malloc(r->room * r->width * sizeof *r->raw);
  r->time = malloc(r->room * sizeof *r->time);
  if (!r->raw || !r->time) {
    resampling_free(r);
    return ARMDYN_EMEMORY;
  }
  *out = r;
  return ARMDYN_OK;
}

void resampling_free(struct resampling *r)
{
  if (!r) return;
  free(r->raw);
  free(r->time);
  free(r);
}

size_t resampling_count(const struct resampling *r)
{
  return r->count;
}

static double time_of(const struct resampling *r, size_t k)
{
  return fmin(r->from + (double)k / r->rate, r->to);
}

/* The neighbours of times up to this one are held; of the end of the log, all are. */
static double reach(const struct resampling *r)
{
  return r->begin + r->held == r->total ? INFINITY : r->time[r->held - 2];
}

/* Hold the rows from one before the last that is not after t. */
static enum armdyn_status hold(struct resampling *r, double t)
{
  size_t after = 0;
  bool near = r->held && t >= r->time[r->begin ? 1 : 0] && t <= r->time[r->held - 1];
  enum armdyn_status status = ARMDYN_OK;
  if (near)
    for (after = 1; after < r->held && r->time[after] <= t;) after++;
  else
    status = store_samples_rows_until(r->store, r->id, t, true, &after);
  if (status) return status;
  if (near) after += r->begin;
  size_t begin = after > 2 ? after - 2 : 0;
  if (begin + FEWEST > r->total) begin = r->total - FEWEST;
  r->begin = begin;
  r->held = r->total - begin < r->room ? r->total - begin : r->room;
  status = store_series_read(r->store, r->id, STORE_SAMPLES, begin, r->held, r->raw);
  for (size_t i = 0; !status && i < r->held; i++) r->time[i] = r->raw[i * r->width];
  if (status) r->held = 0;
  return status;
}

enum armdyn_status resampling_read(struct resampling *r, size_t first, size_t most, double *rows, size_t *count)
{
  const double begin = time_of(r, first);
  size_t at = 0;
  *count = 0;
  if (!r->held || begin < r->time[r->begin ? 1 : 0] || begin > reach(r)) {
    enum armdyn_status status = hold(r, begin);
    if (status) return status;
  }
  for (; *count < most && first + *count < r->count; ++*count) {
    const double t = time_of(r, first + *count);
    double *row = rows + *count * r->width;
    if (t > reach(r)) break;
    armdyn_interpolate(r->held, r->width, r->time, r->raw, t, &at, row);
    row[0] = t;
  }
  return *count ? ARMDYN_OK : ARMDYN_EIO;
}
