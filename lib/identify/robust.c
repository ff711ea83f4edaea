#include "lib/identify/robust.h"

#include <math.h>

enum { ROUNDS_MAX = 50, BINS = 4096 };

/* Residuals of a joint by size, in units of `unit`: bins of equal ratio from 2^-12 to 2^12. */
struct histogram {
  double unit, total;
  double bins[BINS];
};

static void histogram_add(struct histogram *h, double e)
{
  const double at = (log2(fabs(e) / h->unit + 1e-300) + 12) / 24 * BINS;
  h->bins[(size_t)fmin(fmax(at, 0), BINS - 1)] += 1;
  h->total += 1;
}

/* 1.4826 median |e|: the deviation of a normal distribution, whatever a few outliers do. */
static double robust_deviation(const struct histogram *h)
{
  double below = 0;
  size_t bin = 0;
  while (bin + 1 < BINS && below + h->bins[bin] < h->total / 2) below += h->bins[bin++];
  const double part = h->bins[bin] > 0 ? (h->total / 2 - below) / h->bins[bin] : 0;
  return 1.4826 * h->unit * exp2(((double)bin + part) / BINS * 24 - 12);
}

/* Deviations beyond which a residual pulls no harder: 95 % efficient where there are no outliers. */
static const double HUBER = 1.345;

/* Residuals become factors of their equations, sqrt(Huber's weight) / deviation. */
static void weigh_samples(size_t n, size_t count, const double *deviation, double *e)
{
  for (size_t k = 0; k < count * n; k++) {
    const double beyond = fabs(e[k]) / (HUBER * deviation[k % n]);
    e[k] = (beyond > 1 ? sqrt(1 / beyond) : 1) / deviation[k % n];
  }
}

/* One pass over the data: equations weighted by what beta leaves, and how that is distributed. */
static enum armdyn_status pass(const struct training *t, const double *beta, const double *deviation,
                               struct histogram *histograms, struct armdyn_regression *weighted,
                               struct armdyn_error *error)
{
  const size_t n = t->unknowns->n;
  for (size_t block = 0; block < t->source->blocks; block++) {
    struct armdyn_motion motion;
    enum armdyn_status status = training_read(t, block, &motion, error);
    if (status) return status;
    double *e = malloc((motion.count * n + 1) * sizeof *e);
    status = e ? residuals_of(t->unknowns, beta, &motion, e) : ARMDYN_EMEMORY;
    for (size_t k = 0; k < motion.count * n && !status; k++) histogram_add(&histograms[k % n], e[k]);
    if (!status) {
      weigh_samples(n, motion.count, deviation, e);
      status = armdyn_regression_add(weighted, &motion, e);
    }
    free(e);
    if (status) return status;
  }
  return ARMDYN_OK;
}

/* How far beta moved, by what that changes the weighted torques: |R step|^2 / |R beta|^2. */
static double moved(const struct training *t, const double *beta, const double *before)
{
  const size_t b = t->unknowns->base_count;
  double change = 0, size = 0;
  for (size_t i = 0; i < b; i++) {
    double step = 0, now = 0;
    for (size_t j = i; j < b; j++) {
      step += t->R[i * (b + 1) + j] * (beta[j] - before[j]);
      now += t->R[i * (b + 1) + j] * beta[j];
    }
    change += step * step;
    size += now * now;
  }
  return sqrt(change / fmax(size, 1e-300));
}

/* One round: reweigh, and solve again. */
static enum armdyn_status reweigh(struct training *t, double *beta, double *deviation, struct histogram *histograms,
                                  struct armdyn_error *error)
{
  const size_t n = t->unknowns->n, all = t->unknowns->base_count + 1;
  struct armdyn_regression *weighted = armdyn_regression_new(t->unknowns);
  if (!weighted) return ARMDYN_EMEMORY;
  for (size_t i = 0; i < n; i++) histograms[i] = (struct histogram){ .unit = deviation[i] };
  enum armdyn_status status = pass(t, beta, deviation, histograms, weighted, error);
  memset(t->R, 0, all * all * sizeof *t->R);
  if (!status) regression_stack(weighted, t->weight, t->R, t->scratch);
  armdyn_regression_free(weighted);
  return status ? status : solve_stacked(t, beta, error);
}

enum armdyn_status robust_solve(struct training *training, double *beta, size_t *rounds, struct armdyn_error *error)
{
  struct training *t = training;
  const size_t n = t->unknowns->n, b = t->unknowns->base_count;
  struct histogram *histograms = malloc(n * sizeof *histograms);
  double *before = malloc(b * sizeof *before), deviation[ARMDYN_JOINTS_MAX] = { 0 }, least[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = histograms && before ? ARMDYN_OK : ARMDYN_EMEMORY;
  /* the weights that were: 1 / deviation */
  for (size_t i = 0; i < n; i++) {
    deviation[i] = 1 / t->weight[i];
    least[i] = 1e-3 * deviation[i];
    t->weight[i] = 1;
  }
  double change = INFINITY;
  for (*rounds = 0; *rounds < ROUNDS_MAX && change > 1e-5 && !status; ++*rounds) {
    memcpy(before, beta, b * sizeof *before);
    if ((status = reweigh(t, beta, deviation, histograms, error))) break;
    change = moved(t, beta, before);
    for (size_t i = 0; i < n; i++) deviation[i] = fmax(robust_deviation(&histograms[i]), least[i]);
  }
  for (size_t i = 0; i < n; i++) {
    t->weight[i] = 1 / deviation[i];
    t->clip[i] = HUBER * deviation[i];
  }
  free(histograms);
  free(before);
  return status;
}
