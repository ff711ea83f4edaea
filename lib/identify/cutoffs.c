/* Cut-offs by what they leave where nothing was fitted.
 *   unknowns   x_i of each joint by itself, as in held_out.h
 *   fitted     F(Y) x = F(tau): F the low-pass of torques, which friction goes through, and links are too slow to feel
 *   judged     |Y x - tau|^2 without F, on the part that was left out: a filter that takes less off tau is no better for it
 * Of joints together the sum, each weighted by what the first cut-off leaves of it.
 * Source: Hastie, Tibshirani & Friedman 2009, 7.10. */
#include <math.h>

#include "armdyn/signals.h"
#include "lib/identify/condition.h"
#include "lib/identify/held_out.h"
#include "lib/identify/training.h"
#include "lib/math/distribution.h"

struct trial {
  const struct training *training;
  struct armdyn_regression *rows;
  size_t count, taken;                        /* of cut-offs; samples of the blocks before */
  struct joint_parts *into, *judged, *fitted; /* n, of the walk that goes on; n; count x n */
  double *x;
};

static void take_sample(void *context, size_t k)
{
  struct trial *t = context;
  const size_t n = t->rows->unknowns->n, part = part_of(t->taken + k, t->training->source->samples);
  for (size_t j = 0; j < n; j++) joint_parts_add(&t->into[j], part, regression_row(t->rows, j));
}

/* The torque of a block behind another cut-off, margins and all. */
static enum armdyn_status filter_torque(const struct armdyn_motion *motion, size_t n, double cutoff, double *tau,
                                        struct armdyn_error *error)
{
  const size_t count = motion->before + motion->count + motion->after;
  memcpy(tau, motion->tau_raw - motion->before * n, count * n * sizeof *tau);
  return cutoff > 0 ? armdyn_lowpass(count, n, motion->rate, cutoff, tau, error) : ARMDYN_OK;
}

static enum armdyn_status take_block(struct trial *t, const struct armdyn_motion *motion,
                                     const struct armdyn_held_out *tried, struct armdyn_error *error)
{
  const size_t n = t->rows->unknowns->n, count = motion->before + motion->count + motion->after;
  double *tau = malloc(count * n * sizeof *tau);
  struct armdyn_motion own = *motion;
  if (!tau) return ARMDYN_EMEMORY;
  own.tau = own.tau_raw;
  own.torque_cutoff = 0;
  t->into = t->judged;
  enum armdyn_status status = regression_walk(t->rows, &own, take_sample, t);
  own.tau = tau + motion->before * n;
  for (size_t c = 0; c < t->count && !status; c++) {
    t->into = t->fitted + c * n;
    own.torque_cutoff = tried[c].torque_cutoff;
    status = filter_torque(motion, n, own.torque_cutoff, tau, error);
    if (!status) status = regression_walk(t->rows, &own, take_sample, t);
  }
  t->taken += motion->count;
  free(tau);
  return status;
}

/* What one joint's fit behind a cut-off leaves of each part. False: the data do not tell. */
static bool judge(struct trial *t, size_t cutoff, size_t joint, double left[HELD_OUT_PARTS])
{
  const struct joint_parts *judged = &t->judged[joint];
  const size_t columns = judged->width - 1;
  for (size_t part = 0; part < HELD_OUT_PARTS; part++) {
    if (!joint_parts_solve(&t->fitted[cutoff * t->rows->unknowns->n + joint], columns, part, t->x)) return false;
    left[part] = joint_parts_left(judged, part, columns, t->x);
    if (!isfinite(left[part])) return false;
  }
  return true;
}

static void judge_all(struct trial *t, double *weight, struct armdyn_held_out *tried)
{
  const size_t n = t->rows->unknowns->n;
  double left[HELD_OUT_PARTS];
  bool weighted = false;
  for (size_t j = 0; j < n; j++) weighted = weighted || weight[j] > 0;
  for (size_t j = 0; j < n && !weighted; j++) {
    double sum = 0;
    if (!judge(t, 0, j, left)) continue;
    for (size_t part = 0; part < HELD_OUT_PARTS; part++) sum += left[part];
    weight[j] = sum > 0 ? 1 / sum : 0;
  }
  for (size_t c = 0; c < t->count; c++) {
    memset(tried[c].left, 0, sizeof tried[c].left);
    for (size_t j = 0; j < n; j++) {
      if (!(weight[j] > 0)) continue;
      const bool told = judge(t, c, j, left);
      for (size_t part = 0; part < HELD_OUT_PARTS; part++)
        tried[c].left[part] = told ? tried[c].left[part] + weight[j] * left[part] : INFINITY;
    }
  }
}

static enum armdyn_status open_trial(struct trial *t, const struct training *training, size_t count)
{
  const struct armdyn_unknowns *u = training->unknowns;
  size_t widest = 0;
  *t = (struct trial){ .training = training, .rows = armdyn_regression_new(u), .count = count };
  if (!t->rows) return ARMDYN_EMEMORY;
  t->judged = calloc((count + 1) * u->n, sizeof *t->judged);
  if (!t->judged) return ARMDYN_EMEMORY;
  t->fitted = t->judged + u->n;
  for (size_t k = 0; k < (count + 1) * u->n; k++) {
    const size_t width = t->rows->joints[k % u->n].count + 1;
    if (!joint_parts_open(&t->judged[k], width)) return ARMDYN_EMEMORY;
    widest = width > widest ? width : widest;
  }
  t->x = malloc((widest + 1) * sizeof *t->x);
  return t->x ? ARMDYN_OK : ARMDYN_EMEMORY;
}

static void close_trial(struct trial *t)
{
  for (size_t k = 0; t->judged && k < (t->count + 1) * t->training->unknowns->n; k++) joint_parts_close(&t->judged[k]);
  armdyn_regression_free(t->rows);
  free(t->judged);
  free(t->x);
}

enum armdyn_status armdyn_try_cutoffs(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                      double *weight, size_t count, struct armdyn_held_out *tried,
                                      struct armdyn_error *error)
{
  const struct armdyn_estimation none = { .folds = 0 };
  const struct training training = { .unknowns = unknowns, .source = source, .estimation = &none };
  struct trial t;
  enum armdyn_status status = open_trial(&t, &training, count);
  for (size_t block = 0; block < source->blocks && !status; block++) {
    struct armdyn_motion motion;
    status = training_read(&training, block, &motion, error);
    if (!status && motion.count >= 3) status = take_block(&t, &motion, tried, error);
  }
  if (!status) judge_all(&t, weight, tried);
  close_trial(&t);
  return status;
}

double armdyn_held_out_error(const struct armdyn_held_out *of, const struct armdyn_held_out *by)
{
  double own = 0, other = 0;
  for (size_t part = 0; part < HELD_OUT_PARTS; part++) own += of->left[part], other += by->left[part];
  return sqrt(own / other);
}

double armdyn_held_out_gain(const struct armdyn_held_out *a, const struct armdyn_held_out *b)
{
  return paired_t(HELD_OUT_PARTS, a->left, b->left);
}
