#include "lib/identify/scores.h"

#include <math.h>

#include "lib/identify/instruments.h"
#include "lib/identify/paired.h"
#include "lib/math/triangle.h"

enum { ROWS = 64 };
static const double PERIODS = 8,
                    WINDOWS_LEAST = 50; /* of a window for instruments: of the torque's cut-off; in the data */

size_t scores_window(double samples, double correlation)
{
  const double rho = (correlation - 1) / (correlation + 1), slope = 2 * rho / ((1 - rho) * (1 + rho));
  return (size_t)fmax(1.1447 * cbrt(slope * slope * samples), 1);
}

bool scores_open(size_t b, size_t window, struct scores *scores)
{
  const size_t width = b + 1;
  *scores = (struct scores){ .b = b, .panel = (window + PANELS - 1) / PANELS };
  scores->sums = calloc(PANELS * width, sizeof *scores->sums);
  scores->total = calloc(width, sizeof *scores->total);
  scores->T = calloc(width * width, sizeof *scores->T);
  scores->rows = malloc((width > ROWS ? width : ROWS) * width * sizeof *scores->rows);
  scores->scratch = malloc(2 * width * sizeof *scores->scratch);
  if (scores->sums && scores->total && scores->T && scores->rows && scores->scratch) return true;
  scores_close(scores);
  return false;
}

void scores_close(struct scores *scores)
{
  free(scores->sums);
  free(scores->total);
  free(scores->T);
  free(scores->rows);
  free(scores->scratch);
  *scores = (struct scores){ 0 };
}

static void take_in(struct scores *s)
{
  triangle_update(s->b + 1, s->T, s->pending, s->rows, s->scratch);
  s->pending = 0;
}

/* The window that ends with the panel is a row; the oldest panel makes room. */
static void end_panel(struct scores *s)
{
  const size_t width = s->b + 1;
  double *row = s->rows + s->pending * width;
  for (size_t i = 0; i < width; i++) {
    row[i] = 0;
    for (size_t p = 0; p < PANELS; p++) row[i] += s->sums[p * width + i];
    row[i] /= sqrt(PANELS);
  }
  if (++s->pending == ROWS) take_in(s);
  s->last = (s->last + 1) % PANELS;
  s->filled = 0;
  memset(s->sums + s->last * width, 0, width * sizeof *s->sums);
}

void scores_add(struct scores *scores, const double *score)
{
  const size_t b = scores->b;
  double *sum = scores->sums + scores->last * (b + 1);
  for (size_t i = 0; i < b; i++) {
    sum[i] += score[i];
    scores->total[i] += score[i];
  }
  sum[b] += 1;
  scores->total[b] += 1;
  if (++scores->filled == scores->panel) end_panel(scores);
}

/* The mean taken off every sum of so many samples: [S c] -> S - c mean'. */
static void take_off_mean(struct scores *s)
{
  const size_t b = s->b, width = b + 1;
  for (size_t row = 0; row < width; row++) {
    const double *from = s->T + row * width;
    double *to = s->rows + row * b;
    for (size_t i = 0; i < b; i++) to[i] = (i < row ? 0 : from[i]) - from[b] * s->total[i] / s->total[b];
  }
  memset(s->T, 0, b * b * sizeof *s->T);
  triangle_update(b, s->T, width, s->rows, s->scratch);
}

/* Windows that reach beyond the end have what they have, as those had that began before the first sample. */
void scores_end(struct scores *scores)
{
  for (size_t p = scores->filled > 0 ? 0 : 1; p < PANELS; p++) end_panel(scores);
  take_in(scores);
  if (scores->total[scores->b] > 0) take_off_mean(scores);
}

struct scoring {
  const struct training *training;
  const struct armdyn_regression *rows; /* whose joints' columns are known */
  const double *beta, *factor;
  double *score;
  struct scores *scores;
};

/* What a joint adds to the sample's score: z is its row x, or the instruments in its place. */
static void take_joint(void *context, size_t joint, const double *x, const double *z)
{
  const struct scoring *s = context;
  const struct joint_equations *e = &s->rows->joints[joint];
  const double clip = s->training->clip[joint];
  double left = x[e->count];
  for (size_t c = 0; c < e->count; c++) left -= x[c] * s->beta[e->column[c]];
  const double pull = s->factor[joint] * fmin(fmax(left, -clip), clip);
  for (size_t c = 0; c < e->count; c++) s->score[e->column[c]] += pull * z[c];
}

static void end_sample(void *context)
{
  const struct scoring *s = context;
  scores_add(s->scores, s->score);
  memset(s->score, 0, s->training->unknowns->base_count * sizeof *s->score);
}

static void take_sample(void *context, size_t k)
{
  const struct scoring *s = context;
  (void)k;
  for (size_t i = 0; i < s->training->unknowns->n; i++) {
    const double *row = regression_row(s->rows, i);
    take_joint(context, i, row, row);
  }
  end_sample(context);
}

static enum armdyn_status walk_rows(const struct training *t, struct armdyn_regression *rows, struct scoring *scoring,
                                    struct armdyn_error *error)
{
  enum armdyn_status status = ARMDYN_OK;
  for (size_t block = 0; block < t->source->blocks && !status; block++) {
    struct armdyn_motion motion;
    status = training_read(t, block, &motion, error);
    if (!status) status = regression_walk(rows, &motion, take_sample, scoring);
  }
  return status;
}

static enum armdyn_status walk_pairs(const struct training *t, struct scoring *scoring, struct armdyn_error *error)
{
  const struct paired_taker taker = { take_joint, end_sample, scoring };
  struct paired paired;
  enum armdyn_status status = paired_open(t->unknowns, t->source, instruments_source(t->instruments), &paired);
  if (!status) status = paired_walk(&paired, &taker, error);
  paired_close(&paired);
  return status;
}

/* A clipped estimate feels the curvature of the residuals inside alone (Huber 1981, 7.6); and each parameter costs as many
 * residuals as count as one. */
static void fill_factors(const struct training *t, const double *correlation, double *factor)
{
  const size_t n = t->unknowns->n;
  const double samples = (double)t->source->samples, share = (double)t->unknowns->base_count / (double)n;
  for (size_t i = 0; i < n; i++) {
    const double freedom = fmax(samples - correlation[i] * share, samples / 2);
    factor[i] = t->weight[i] * t->weight[i] / t->inside[i] * sqrt(samples / freedom);
  }
}

/* Instruments are for noise of positions, which is differentiated: it has no power at the low frequencies of the motion, and a
 * window that resolves no lower frequencies than the torque's cut-off would take that of the higher ones for it. */
static enum armdyn_status widen_window(const struct training *t, size_t *window, struct armdyn_error *error)
{
  struct armdyn_motion first;
  if (!t->instruments) return ARMDYN_OK;
  const enum armdyn_status status = training_read(t, 0, &first, error);
  if (status || !(first.torque_cutoff > 0)) return status;
  const double wide = fmin(PERIODS * first.rate / first.torque_cutoff, (double)t->source->samples / WINDOWS_LEAST);
  if (wide > (double)*window) *window = (size_t)wide;
  return ARMDYN_OK;
}

enum armdyn_status scores_of(struct training *training, const double *beta, const double *correlation,
                             struct scores *scores, struct armdyn_error *error)
{
  const size_t n = training->unknowns->n, b = training->unknowns->base_count;
  double factor[ARMDYN_JOINTS_MAX], most = 1;
  for (size_t i = 0; i < n; i++) most = fmax(most, correlation[i]);
  fill_factors(training, correlation, factor);
  struct armdyn_regression *rows = armdyn_regression_new(training->unknowns);
  double *score = calloc(b, sizeof *score);
  struct scoring scoring = { training, rows, beta, factor, score, scores };
  size_t window = scores_window((double)training->source->samples, most);
  *scores = (struct scores){ 0 };
  enum armdyn_status status = widen_window(training, &window, error);
  if (!status && !scores_open(b, window, scores)) status = ARMDYN_EMEMORY;
  if (!rows || !score) status = ARMDYN_EMEMORY;
  if (!status)
    status = training->instruments ? walk_pairs(training, &scoring, error) : walk_rows(training, rows, &scoring, error);
  if (status)
    scores_close(scores);
  else
    scores_end(scores);
  armdyn_regression_free(rows);
  free(score);
  return status;
}
