/* Torques that are logged later than positions by d: tau(t) = p(t - d), p = Y beta, is p - d p' to first order: one more
 * column.
 *   beta0      of each joint by itself, without the column: p is made of it, and its rate of change by differences
 *   beta, -d   least squares of [Y p'] over all parts, and over all but one, whose error tells what the column gains there
 * Sources: Golub & Pereyra 1973 (a parameter that is not linear, by its slope); Efron & Tibshirani 1993, 11 (jackknife). */
#include <math.h>

#include "armdyn/signals.h"
#include "lib/identify/held_out.h"
#include "lib/identify/training.h"
#include "lib/math/distribution.h"

enum { FOLDS = ARMDYN_DELAY_FOLDS };
static const double LONGEST = 0.1 /* s */, PERIODS = 0.25, SURE = 2 /* deviations */;

/* Of one joint: columns that it sees, the slope, and the torque. */
struct sums {
  struct joint_parts parts;
  double *beta; /* as many: of the columns alone */
};
struct search {
  const struct training *training;
  struct armdyn_regression *rows;
  struct sums joints[ARMDYN_JOINTS_MAX];
  size_t taken, total; /* samples */
  double *slope;       /* of the block that is read, count x n; NULL: none yet */
  double *predicted;   /* the same; NULL: nobody asks */
  double *x;           /* the widest row */
};

/* -- gathering -- */

static void take_sample(void *context, size_t k)
{
  struct search *s = context;
  const size_t n = s->rows->unknowns->n, part = part_of(s->taken + k, s->total);
  for (size_t j = 0; j < n; j++) {
    struct joint_parts *parts = &s->joints[j].parts;
    const size_t columns = parts->width - 2;
    double *row = s->x;
    memcpy(row, regression_row(s->rows, j), columns * sizeof *row);
    row[columns] = s->slope ? s->slope[k * n + j] : 0;
    row[columns + 1] = regression_row(s->rows, j)[columns];
    joint_parts_add(parts, part, row);
  }
}

static void take_prediction(void *context, size_t k)
{
  struct search *s = context;
  const size_t n = s->rows->unknowns->n;
  for (size_t j = 0; j < n; j++) {
    const double *row = regression_row(s->rows, j);
    double sum = 0;
    for (size_t c = 0; c + 2 < s->joints[j].parts.width; c++) sum += row[c] * s->joints[j].beta[c];
    s->predicted[k * n + j] = sum;
  }
}

static enum armdyn_status predict_slope(struct search *s, const struct armdyn_motion *motion)
{
  const size_t n = s->rows->unknowns->n;
  s->predicted = malloc((2 * motion->count * n + 1) * sizeof *s->predicted);
  if (!s->predicted) return ARMDYN_EMEMORY;
  s->slope = s->predicted + motion->count * n;
  const enum armdyn_status status = regression_walk(s->rows, motion, take_prediction, s);
  if (!status) armdyn_differentiate(motion->count, n, motion->rate, s->predicted, s->slope);
  return status;
}

static enum armdyn_status gather(struct search *s, bool with_slope, struct armdyn_error *error)
{
  const struct armdyn_source *source = s->training->source;
  enum armdyn_status status = ARMDYN_OK;
  for (size_t j = 0; j < s->rows->unknowns->n; j++) joint_parts_clear(&s->joints[j].parts);
  s->taken = 0;
  for (size_t block = 0; block < source->blocks && !status; block++) {
    struct armdyn_motion motion;
    status = training_read(s->training, block, &motion, error);
    if (status || motion.count < 3) continue;
    if (with_slope) status = predict_slope(s, &motion);
    if (!status) status = regression_walk(s->rows, &motion, take_sample, s);
    s->taken += motion.count;
    free(s->predicted);
    s->predicted = s->slope = NULL;
  }
  return status;
}

/* -- solving -- */

static void find(struct search *s, const struct sums *sums, struct armdyn_torque_delay *out)
{
  const struct joint_parts *parts = &sums->parts;
  const size_t columns = parts->width - 2;
  double each[FOLDS], mean = 0, squares = 0;
  *out = (struct armdyn_torque_delay){ .delay = NAN, .deviation = NAN };
  for (size_t f = 0; f < FOLDS; f++) {
    if (!joint_parts_solve(parts, columns, f, s->x)) return;
    out->without[f] = joint_parts_left(parts, f, columns, s->x);
    if (!joint_parts_solve(parts, columns + 1, f, s->x)) return;
    out->with[f] = joint_parts_left(parts, f, columns + 1, s->x);
    each[f] = -s->x[columns];
    mean += each[f] / FOLDS;
  }
  for (size_t f = 0; f < FOLDS; f++) squares += (each[f] - mean) * (each[f] - mean);
  if (!joint_parts_solve(parts, columns + 1, FOLDS, s->x)) return;
  out->delay = -s->x[columns];
  out->deviation = sqrt(squares * (FOLDS - 1) / FOLDS);
}

static enum armdyn_status open_search(const struct training *training, struct search *s)
{
  const struct armdyn_unknowns *u = training->unknowns;
  size_t widest = 0;
  s->training = training;
  s->total = training->source->samples;
  s->rows = armdyn_regression_new(u);
  if (!s->rows) return ARMDYN_EMEMORY;
  for (size_t j = 0; j < u->n; j++) {
    struct sums *sums = &s->joints[j];
    const size_t w = s->rows->joints[j].count + 2;
    sums->beta = calloc(w, sizeof *sums->beta);
    if (!joint_parts_open(&sums->parts, w) || !sums->beta) return ARMDYN_EMEMORY;
    widest = w > widest ? w : widest;
  }
  s->x = malloc((widest + 1) * sizeof *s->x);
  return s->x ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static void close_search(struct search *s)
{
  for (size_t j = 0; j < ARMDYN_JOINTS_MAX; j++) {
    joint_parts_close(&s->joints[j].parts);
    free(s->joints[j].beta);
  }
  armdyn_regression_free(s->rows);
  free(s->x);
}

bool armdyn_torque_delay_shows(const struct armdyn_torque_delay *first, const struct armdyn_torque_delay *last,
                               double torque_cutoff)
{
  const double longest = torque_cutoff > 0 ? fmin(LONGEST, PERIODS / torque_cutoff) : LONGEST;
  if (!(fabs(last->delay) <= longest && fabs(last->delay) > SURE * last->deviation)) return false;
  return paired_t(FOLDS, first->without, last->with) > 1;
}

enum armdyn_status armdyn_find_torque_delays(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                             struct armdyn_torque_delay *delays, struct armdyn_error *error)
{
  const struct armdyn_estimation none = { .folds = 0 };
  const struct training training = { .unknowns = unknowns, .source = source, .estimation = &none };
  struct search *s = calloc(1, sizeof *s);
  enum armdyn_status status = s ? open_search(&training, s) : ARMDYN_EMEMORY;
  if (!status) status = gather(s, false, error);
  for (size_t j = 0; j < unknowns->n && !status; j++) {
    const struct joint_parts *parts = &s->joints[j].parts;
    double *beta = s->joints[j].beta;
    if (beta && joint_parts_solve(parts, parts->width - 2, FOLDS, s->x))
      memcpy(beta, s->x, (parts->width - 2) * sizeof *s->x);
  }
  if (!status) status = gather(s, true, error);
  for (size_t j = 0; j < unknowns->n && !status; j++) find(s, &s->joints[j], &delays[j]);
  if (s) close_search(s);
  free(s);
  return status;
}
