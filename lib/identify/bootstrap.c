/* Intervals of errors by resampling blocks of a log. */
#include "armdyn/bootstrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/math/distribution.h"

/* -- cells -- */

enum sum { SUM_ERROR, SUM_ERROR2, SUM_TORQUE2, SUMS };

struct armdyn_error_cells {
  size_t columns, length, count; /* samples of a cell; cells that are full */
  size_t filled;                 /* samples of the one that is not */
  double *sums;                  /* ARMDYN_CELLS_MOST x columns x SUMS */
};

enum armdyn_status armdyn_error_cells_new(size_t columns, struct armdyn_error_cells **out)
{
  struct armdyn_error_cells *cells = malloc(sizeof *cells);
  double *sums = calloc(ARMDYN_CELLS_MOST * columns * SUMS + 1, sizeof *sums);
  if (!cells || !sums) {
    free(cells);
    free(sums);
    return ARMDYN_EMEMORY;
  }
  *cells = (struct armdyn_error_cells){ .columns = columns, .length = 1, .sums = sums };
  *out = cells;
  return ARMDYN_OK;
}

void armdyn_error_cells_free(struct armdyn_error_cells *cells)
{
  if (!cells) return;
  free(cells->sums);
  free(cells);
}

static const double *sums_of(const struct armdyn_error_cells *cells, size_t cell, size_t column)
{
  return cells->sums + (cell * cells->columns + column) * SUMS;
}

static void halve(struct armdyn_error_cells *cells)
{
  const size_t width = cells->columns * SUMS, half = ARMDYN_CELLS_MOST / 2;
  for (size_t c = 0; c < half; c++)
    for (size_t k = 0; k < width; k++)
      cells->sums[c * width + k] = cells->sums[2 * c * width + k] + cells->sums[(2 * c + 1) * width + k];
  memset(cells->sums + half * width, 0, half * width * sizeof *cells->sums);
  cells->count = half;
  cells->length *= 2;
}

void armdyn_error_cells_add(struct armdyn_error_cells *cells, const double *measured, const double *predicted)
{
  double *sums = cells->sums + cells->count * cells->columns * SUMS;
  for (size_t j = 0; j < cells->columns; j++, sums += SUMS) {
    const double e = measured[j] - predicted[j];
    sums[SUM_ERROR] += e;
    sums[SUM_ERROR2] += e * e;
    sums[SUM_TORQUE2] += measured[j] * measured[j];
  }
  if (++cells->filled < cells->length) return;
  cells->filled = 0;
  if (++cells->count == ARMDYN_CELLS_MOST) halve(cells);
}

/* -- the length of blocks -- */

static const double insignificant = 2, e_folds = 2;

/* Autocorrelations of x, whose mean is taken out, at lags 0 .. lags; [0] is the variance. false: it does not vary. */
static bool correlate(double *x, size_t count, size_t lags, double *out)
{
  double mean = 0;
  for (size_t k = 0; k < count; k++) mean += x[k] / (double)count;
  for (size_t k = 0; k < count; k++) x[k] -= mean;
  for (size_t lag = 0; lag <= lags; lag++) {
    double sum = 0;
    for (size_t k = lag; k < count; k++) sum += x[k] * x[k - lag];
    out[lag] = sum / (double)count;
  }
  for (size_t lag = 1; lag <= lags && out[0] > 0; lag++) out[lag] /= out[0];
  return out[0] > 0;
}

/* The lag after which `run` correlations do not differ from 0, at most `most`. */
static size_t last_significant(const double *correlation, size_t count, size_t run, size_t most)
{
  const double limit = insignificant * sqrt(log10((double)count) / (double)count);
  size_t last = 0;
  for (size_t lag = 1; lag <= most && lag <= last + run; lag++)
    if (fabs(correlation[lag]) >= limit) last = lag;
  return last;
}

/* Politis and White's length for the variance of the mean of a series with these correlations. */
static double wanted_length(const double *correlation, size_t count, size_t lags)
{
  const size_t run = (size_t)fmax(5, ceil(sqrt(log10((double)count))));
  const size_t widest = (size_t)fmin(ceil(sqrt((double)count)) + (double)run, (double)lags);
  const size_t last = last_significant(correlation, count, run, widest);
  const size_t width = last < 1 ? 2 : 2 * last < lags ? 2 * last : lags;
  double at_zero = 1, slope = 0;
  for (size_t lag = 1; lag <= width; lag++) {
    const double weight = fmin(1, 2 * (1 - (double)lag / (double)width)); /* flat, then falling */
    at_zero += 2 * weight * correlation[lag];
    slope += 2 * weight * (double)lag * correlation[lag];
  }
  const double spread = 4.0 / 3 * at_zero * at_zero;
  return spread > 0 ? cbrt(2 * slope * slope / spread * (double)count) : (double)count;
}

static double falls_to_a_third(const double *correlation, size_t lags)
{
  size_t lag = 1;
  while (lag < lags && correlation[lag] > exp(-1)) lag++;
  return (double)lag;
}

/* Room for a series and its correlations. */
struct series {
  size_t count, lags;
  double *x, *correlation;
};

/* What the error of columns [first, end) makes of every cell: its part in the sum of e^2 - r^2 tau^2, which is 0. */
static double length_for(struct series *s, const struct armdyn_error_cells *cells, size_t first, size_t end)
{
  double error2 = 0, torque2 = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t c = 0; c < s->count; c++) {
      double own_error2 = 0, own_torque2 = 0;
      for (size_t j = first; j < end; j++) {
        own_error2 += sums_of(cells, c, j)[SUM_ERROR2];
        own_torque2 += sums_of(cells, c, j)[SUM_TORQUE2];
      }
      if (!pass)
        error2 += own_error2, torque2 += own_torque2;
      else
        s->x[c] = own_error2 - (torque2 > 0 ? error2 / torque2 * own_torque2 : 0);
    }
  return correlate(s->x, s->count, s->lags, s->correlation) ? wanted_length(s->correlation, s->count, s->lags) : 0;
}

static double correlation_of(struct series *s, const struct armdyn_error_cells *cells, size_t column)
{
  for (size_t c = 0; c < s->count; c++) s->x[c] = sums_of(cells, c, column)[SUM_ERROR];
  return correlate(s->x, s->count, s->lags, s->correlation) ? falls_to_a_third(s->correlation, s->lags) : 0;
}

static void look_at(struct series *s, const struct armdyn_error_cells *cells, double *wanted, double *correlation)
{
  *wanted = fmax(*wanted, length_for(s, cells, 0, cells->columns));
  for (size_t j = 0; j < cells->columns; j++) {
    *wanted = fmax(*wanted, length_for(s, cells, j, j + 1));
    *correlation = fmax(*correlation, correlation_of(s, cells, j));
  }
}

enum armdyn_status armdyn_blocks_choose(const struct armdyn_error_cells *const *cells, size_t count, size_t length,
                                        struct armdyn_blocks *out)
{
  struct series s = { .count = cells[0]->count, .lags = cells[0]->count / ARMDYN_BLOCKS_LEAST };
  const double step = (double)cells[0]->length, most = (double)s.lags;
  double wanted = 1, correlation = 0;
  if (s.lags < 4 || (double)length > most * step) return ARMDYN_EINPUT;
  s.x = malloc(s.count * sizeof *s.x);
  s.correlation = malloc((s.lags + 1) * sizeof *s.correlation);
  const bool room = s.x && s.correlation;
  for (size_t i = 0; i < count && room; i++) look_at(&s, cells[i], &wanted, &correlation);
  free(s.x);
  free(s.correlation);
  if (!room) return ARMDYN_EMEMORY;
  wanted = ceil(fmax(wanted, e_folds * correlation));
  const double chosen = fmax(length ? (double)length / step : wanted, (double)s.count / ARMDYN_BLOCKS_MOST);
  const double cells_each = fmin(ceil(chosen), most);
  *out = (struct armdyn_blocks){ .step = cells[0]->length,
                                 .samples = s.count * cells[0]->length,
                                 .length = (size_t)(cells_each * step),
                                 .correlation = correlation * step,
                                 .limited = wanted > cells_each };
  return ARMDYN_OK;
}

/* -- resampling -- */

struct resampling {
  const struct armdyn_bootstrap *order;
  const struct armdyn_error_cells *const *cells;
  size_t models, reference, columns, count; /* cells */
  size_t blocks, length;                    /* of a resample; cells of a block */
  double *running; /* models x columns x (count + 1) of e^2, then columns x (count + 1) of tau^2 */
  size_t *starts;  /* blocks */
  double *errors;  /* models x (columns + 1) x resamples */
  double *sorted;  /* resamples */
};

static double *running_of(const struct resampling *r, size_t model, size_t column)
{
  return r->running + (model * r->columns + column) * (r->count + 1);
}

static void run_up(const struct resampling *r)
{
  for (size_t m = 0; m <= r->models; m++)
    for (size_t j = 0; j < r->columns; j++) {
      double *running = running_of(r, m, j);
      const bool torques = m == r->models; /* all models have the same */
      running[0] = 0;
      for (size_t c = 0; c < r->count; c++)
        running[c + 1] = running[c] + sums_of(r->cells[torques ? 0 : m], c, j)[torques ? SUM_TORQUE2 : SUM_ERROR2];
    }
}

/* The sum over the blocks that were drawn, the last of which is as long as the log needs. */
static double sum_drawn(const struct resampling *r, const double *running)
{
  double sum = 0;
  for (size_t b = 0, left = r->count; b < r->blocks; b++) {
    const size_t start = r->starts[b], length = left < r->length ? left : r->length, end = start + length;
    sum +=
        end <= r->count ? running[end] - running[start] : running[r->count] - running[start] + running[end - r->count];
    left -= length;
  }
  return sum;
}

static double *error_of(const struct resampling *r, size_t model, size_t column)
{
  return r->errors + (model * (r->columns + 1) + column) * r->order->resamples;
}

static void resample(struct resampling *r, size_t index, uint64_t *random)
{
  double torque2[ARMDYN_JOINTS_MAX + 1];
  for (size_t b = 0; b < r->blocks; b++) r->starts[b] = (size_t)(random_unit(random) * (double)r->count);
  torque2[r->columns] = 0;
  for (size_t j = 0; j < r->columns; j++) torque2[r->columns] += torque2[j] = sum_drawn(r, running_of(r, r->models, j));
  for (size_t m = 0; m < r->models; m++) {
    double all = 0;
    for (size_t j = 0; j < r->columns; j++) {
      const double error2 = fmax(sum_drawn(r, running_of(r, m, j)), 0);
      error_of(r, m, j)[index] = sqrt(error2 / torque2[j]);
      all += error2;
    }
    error_of(r, m, r->columns)[index] = sqrt(all / torque2[r->columns]);
  }
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double part)
{
  const double place = part * (double)(count - 1);
  const size_t below = (size_t)place;
  const double rest = place - (double)below;
  return rest > 0 ? sorted[below] + rest * (sorted[below + 1] - sorted[below]) : sorted[below];
}

/* The part of resamples beyond either end: that of the normal distribution beyond Student's quantile for so few blocks, whose
 * resampled spread is too small by (b - 1) / b. */
static double part_beyond(double level, double blocks)
{
  double low = 0, high = 1e6;
  for (int k = 0; k < 200 && high - low > 1e-12 * high; k++) {
    const double t = (low + high) / 2;
    *(f_distribution_tail(t * t, 1, blocks - 1) > 1 - level ? &low : &high) = t;
  }
  return (1 - erf(low * sqrt(blocks / (blocks - 1) / 2))) / 2;
}

/* Of what was resampled, less what the reference was then; NULL: nothing less. */
static void bound(struct resampling *r, const double *errors, const double *less, struct armdyn_interval *out)
{
  const size_t count = r->order->resamples;
  const double beyond = part_beyond(r->order->level, (double)r->count / (double)r->length);
  bool known = true;
  for (size_t k = 0; k < count; k++) {
    r->sorted[k] = less ? errors[k] - less[k] : errors[k];
    known = known && isfinite(r->sorted[k]);
  }
  out->low = out->high = NAN;
  if (!known) return;
  qsort(r->sorted, count, sizeof *r->sorted, ascending);
  out->low = percentile(r->sorted, count, beyond);
  out->high = percentile(r->sorted, count, 1 - beyond);
}

static void bound_all(struct resampling *r, struct armdyn_interval *errors, struct armdyn_interval *differences)
{
  const size_t width = r->columns + 1;
  for (size_t m = 0; m < r->models; m++)
    for (size_t j = 0; j < width; j++) {
      struct armdyn_interval *error = &errors[m * width + j], *difference = &differences[m * width + j];
      bound(r, error_of(r, m, j), NULL, error);
      bound(r, error_of(r, m, j), error_of(r, r->reference, j), difference);
    }
}

enum armdyn_status armdyn_bootstrap(const struct armdyn_bootstrap *bootstrap,
                                    const struct armdyn_error_cells *const *cells, size_t models, size_t reference,
                                    struct armdyn_interval *errors, struct armdyn_interval *differences)
{
  struct resampling r = { .order = bootstrap,
                          .cells = cells,
                          .models = models,
                          .reference = reference,
                          .columns = cells[0]->columns,
                          .count = cells[0]->count };
  uint64_t random = random_from_seed((unsigned long)bootstrap->seed);
  r.length = bootstrap->blocks.length / bootstrap->blocks.step;
  r.blocks = (r.count + r.length - 1) / r.length;
  r.running = malloc((models + 1) * r.columns * (r.count + 1) * sizeof *r.running);
  r.starts = malloc(r.blocks * sizeof *r.starts);
  r.errors = malloc(models * (r.columns + 1) * bootstrap->resamples * sizeof *r.errors);
  r.sorted = malloc(bootstrap->resamples * sizeof *r.sorted);
  const bool room = r.running && r.starts && r.errors && r.sorted;
  if (room) {
    run_up(&r);
    for (size_t k = 0; k < bootstrap->resamples; k++) resample(&r, k, &random);
    bound_all(&r, errors, differences);
  }
  free(r.running);
  free(r.starts);
  free(r.errors);
  free(r.sorted);
  return room ? ARMDYN_OK : ARMDYN_EMEMORY;
}
