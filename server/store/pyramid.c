/* The samples of data sets and results, and pyramids of their extremes: level k has for every block of 16^k rows the least
 * value of each column, and then the greatest. A plot reads the level whose blocks are a little smaller than its points. */
#include "api/limits.h"
#include "server/store/internal.h"

enum { FACTOR = 16, LEVELS = 7 /* 16^7 is more than any of them has */, NAME_SIZE = 16, READ_BYTES = 256 << 10 };
_Static_assert(LIMIT_DATASET_ROWS < 1 << 28 && LIMIT_RUN_SAMPLES < 1 << 28, "16^7 rows have no level above");

static void level_name(size_t level, char name[NAME_SIZE])
{
  snprintf(name, NAME_SIZE, level ? "extremes%zu" : STORE_SAMPLES, level);
}

/* Widen the extremes of a block by others. */
static void widen(double *block, const double *minima, const double *maxima, size_t width)
{
  for (size_t c = 0; c < width; c++) {
    block[c] = minima[c] < block[c] ? minima[c] : block[c];
    block[width + c] = maxima[c] > block[width + c] ? maxima[c] : block[width + c];
  }
}

/* -- writing -- */

struct level {
  struct store_series_writer *writer; /* NULL as long as no block of it is complete */
  double *block;                      /* 2 width, being gathered */
  size_t gathered;                    /* rows or lower blocks in it */
};

struct store_samples_writer {
  struct store *store;
  char id[ID_SIZE];
  char columns[STORE_COLUMNS_SIZE];
  size_t width;
  struct store_patience patience;
  enum armdyn_status status; /* the first failure sticks */
  struct store_series_writer *samples;
  struct level levels[LEVELS];
  double blocks[]; /* of the levels */
};

enum armdyn_status store_samples_begin(struct store *store, const char *id, const char *columns, size_t width,
                                       size_t rows_most, struct store_samples_writer **out)
{
  *out = NULL;
  struct store_series_writer *samples;
  enum armdyn_status status = store_series_begin_long(store, id, STORE_SAMPLES, columns, width, rows_most, &samples);
  if (status) return status;
  struct store_samples_writer *w = calloc(1, sizeof *w + LEVELS * 2 * width * sizeof *w->blocks);
  if (!w) {
    store_series_end(samples, false);
    return ARMDYN_EMEMORY;
  }
  w->store = store;
  w->width = width;
  w->samples = samples;
  snprintf(w->id, sizeof w->id, "%s", id);
  snprintf(w->columns, sizeof w->columns, "%s", columns);
  for (size_t k = 0; k < LEVELS; k++) w->levels[k].block = w->blocks + k * 2 * width;
  *out = w;
  return ARMDYN_OK;
}

void store_samples_be_patient(struct store_samples_writer *w, const struct store_patience *patience)
{
  w->patience = *patience;
  store_series_be_patient(w->samples, patience);
}

static void gather(struct store_samples_writer *w, size_t k, const double *minima, const double *maxima);

/* Write what was gathered as a block of level k, counted from 0, and gather it in the level above. */
static void close_block(struct store_samples_writer *w, size_t k)
{
  struct level *level = &w->levels[k];
  if (!level->writer && !w->status) {
    char name[NAME_SIZE];
    level_name(k + 1, name);
    w->status =
        store_series_begin_long(w->store, w->id, name, w->columns, 2 * w->width, LIMIT_DATASET_ROWS, &level->writer);
    if (!w->status) store_series_be_patient(level->writer, &w->patience);
  }
  if (!w->status) w->status = store_series_append(level->writer, level->block, 1);
  level->gathered = 0;
  if (k + 1 < LEVELS) gather(w, k + 1, level->block, level->block + w->width);
}

static void gather(struct store_samples_writer *w, size_t k, const double *minima, const double *maxima)
{
  struct level *level = &w->levels[k];
  if (level->gathered++) {
    widen(level->block, minima, maxima, w->width);
  } else {
    memcpy(level->block, minima, w->width * sizeof *minima);
    memcpy(level->block + w->width, maxima, w->width * sizeof *maxima);
  }
  if (level->gathered == FACTOR) close_block(w, k);
}

enum armdyn_status store_samples_append(struct store_samples_writer *w, const double *rows, size_t count)
{
  if (!w->status) w->status = store_series_append(w->samples, rows, count);
  for (size_t i = 0; !w->status && i < count; i++) gather(w, 0, rows + i * w->width, rows + i * w->width);
  return w->status;
}

enum armdyn_status store_samples_end(struct store_samples_writer *w, bool keep)
{
  if (!w) return ARMDYN_OK;
  /* Levels that exist are complete to the last row: their last block may be short. */
  for (size_t k = 0; k < LEVELS; k++)
    if (w->levels[k].writer && w->levels[k].gathered) close_block(w, k);
  keep = keep && !w->status;
  enum armdyn_status status = w->status, ended = store_series_end(w->samples, keep);
  for (size_t k = 0; k < LEVELS; k++) {
    enum armdyn_status level = store_series_end(w->levels[k].writer, keep && !ended);
    if (!ended) ended = level;
  }
  if (keep && ended) store_series_purge(w->store, w->id); /* those that ended well before */
  free(w);
  return status ? status : ended;
}

void store_samples_discard(struct store *store, const char *id)
{
  store_series_purge(store, id); /* what a failure leaves of it is swept at start */
}

/* -- reading -- */

/* By halves: the clock increases. */
enum armdyn_status store_samples_rows_until(struct store *store, const char *id, double time, bool inclusive,
                                            size_t *rows)
{
  struct store_series info;
  enum armdyn_status status = store_series_info(store, id, STORE_SAMPLES, &info);
  if (status) return status;
  double *row = malloc(info.width * sizeof *row);
  if (!row) return ARMDYN_EMEMORY;
  size_t below = 0, above = info.rows; /* rows before `below` are, those from `above` on are not */
  while (below < above) {
    const size_t middle = below + (above - below) / 2;
    if ((status = store_series_read(store, id, STORE_SAMPLES, middle, 1, row))) break;
    if (inclusive ? row[0] <= time : row[0] < time)
      below = middle + 1;
    else
      above = middle;
  }
  free(row);
  *rows = below;
  return status;
}

struct plot {
  struct store *store;
  const char *id;
  size_t width;        /* of the samples */
  size_t level;        /* 0: the samples themselves */
  size_t block, total; /* rows of a block of that level, and how many blocks there are */
};

/* The highest level with at least two blocks a bucket, so that buckets of whole blocks are even. */
static enum armdyn_status choose_level(struct plot *plot, size_t bucket)
{
  struct store_series info;
  char name[NAME_SIZE];
  size_t level = 0, block = 1;
  while (level < LEVELS && block * FACTOR * 2 <= bucket) level++, block *= FACTOR;
  enum armdyn_status status;
  for (;; level--, block /= FACTOR) {
    level_name(level, name);
    status = store_series_info(plot->store, plot->id, name, &info);
    if (status != ARMDYN_ENOTFOUND || level == 0) break; /* a short set has no high levels */
  }
  if (status) return status;
  if (info.width != (level ? 2 : 1) * plot->width) return ARMDYN_EIO;
  plot->level = level;
  plot->block = block;
  plot->total = info.rows;
  return ARMDYN_OK;
}

/* Gather blocks [first, end) into buckets of `each`. */
static enum armdyn_status gather_buckets(const struct plot *plot, size_t first, size_t end, size_t each, double *out)
{
  const size_t w = plot->width, width = plot->level ? 2 * w : w, room = READ_BYTES / (width * sizeof(double));
  double *blocks = malloc(room * width * sizeof *blocks);
  char name[NAME_SIZE];
  level_name(plot->level, name);
  enum armdyn_status status = blocks ? ARMDYN_OK : ARMDYN_EMEMORY;
  for (size_t at = first; !status && at < end;) {
    const size_t count = end - at < room ? end - at : room;
    status = store_series_read(plot->store, plot->id, name, at, count, blocks);
    for (size_t i = 0; !status && i < count; i++) {
      const double *minima = blocks + i * width, *maxima = plot->level ? minima + w : minima;
      double *bucket = out + (at + i - first) / each * 2 * w;
      if ((at + i - first) % each) {
        widen(bucket, minima, maxima, w);
      } else {
        memcpy(bucket, minima, w * sizeof *minima);
        memcpy(bucket + w, maxima, w * sizeof *maxima);
      }
    }
    at += count;
  }
  free(blocks);
  return status;
}

enum armdyn_status store_samples_extremes(struct store *store, const char *id, size_t width, size_t first, size_t end,
                                          size_t points, double *out, size_t *buckets)
{
  struct plot plot = { .store = store, .id = id, .width = width };
  struct store_series samples;
  enum armdyn_status status = store_series_info(store, id, STORE_SAMPLES, &samples);
  if (!status && (first >= end || end > samples.rows || points == 0 || width == 0)) status = ARMDYN_EINPUT;
  if (!status) status = choose_level(&plot, (end - first + points - 1) / points);
  if (status) return status;
  size_t from = first / plot.block, to = (end - 1) / plot.block + 1;
  if (to > plot.total) return ARMDYN_EIO;
  size_t each = (to - from + points - 1) / points;
  *buckets = (to - from + each - 1) / each;
  return gather_buckets(&plot, from, to, each, out);
}
