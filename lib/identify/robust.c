#include "lib/identify/robust.h"

#include <math.h>

enum { ROUNDS_MAX = 50 };

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* 1.4826 median |e|: the deviation of a normal distribution, whatever a few outliers do. */
static double robust_deviation(const double *e, size_t count, size_t stride, double *sorted)
{
  for (size_t k = 0; k < count; k++) sorted[k] = fabs(e[k * stride]);
  qsort(sorted, count, sizeof *sorted, ascending);
  return 1.4826 * sorted[count / 2];
}

/* Residuals become factors of their equations, sqrt(Huber's weight) / deviation. `floor`: least deviation by joint. */
static void weigh_samples(size_t n, size_t count, const double *least, double *e, double *sorted)
{
  for (size_t i = 0; i < n; i++) {
    const double deviation = fmax(robust_deviation(e + i, count, n, sorted), least[i]);
    for (size_t k = i; k < count * n; k += n) {
      const double beyond = fabs(e[k]) / (1.345 * deviation);
      e[k] = (beyond > 1 ? sqrt(1 / beyond) : 1) / deviation;
    }
  }
}

static struct armdyn_regression *weighted_equations(const struct training *t, const double *weights)
{
  struct armdyn_regression *r = armdyn_regression_new(t->unknowns);
  if (!r) return NULL;
  for (size_t m = 0; m < t->motion_count; m++) {
    armdyn_regression_add(r, &t->motions[m], weights);
    weights += t->motions[m].count * t->unknowns->n;
  }
  return r;
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

enum armdyn_status robust_solve(struct training *training, double *beta, size_t *rounds, struct armdyn_error *error)
{
  struct training *t = training;
  const size_t n = t->unknowns->n, b = t->unknowns->base_count, count = training_sample_count(t);
  double *e = malloc(count * n * sizeof *e), *sorted = malloc(count * sizeof *sorted),
         *before = malloc(b * sizeof *before), least[ARMDYN_JOINTS_MAX];
  enum armdyn_status status = e && sorted && before ? ARMDYN_OK : ARMDYN_EMEMORY;
  /* the weights that were: 1 / deviation */
  for (size_t i = 0; i < n; i++) {
    least[i] = 1e-3 / t->weight[i];
    t->weight[i] = 1;
  }
  double change = INFINITY;
  for (*rounds = 0; *rounds < ROUNDS_MAX && change > 1e-8 && !status; ++*rounds) {
    memcpy(before, beta, b * sizeof *before);
    if ((status = training_residuals(t, beta, e))) break;
    weigh_samples(n, count, least, e, sorted);
    struct armdyn_regression *weighted = weighted_equations(t, e);
    if (!weighted) {
      status = ARMDYN_EMEMORY;
      break;
    }
    memset(t->R, 0, (b + 1) * (b + 1) * sizeof *t->R);
    regression_stack(weighted, t->weight, t->R, t->scratch);
    armdyn_regression_free(weighted);
    if (!(status = solve_stacked(t, beta, error))) change = moved(t, beta, before);
  }
  free(e);
  free(sorted);
  free(before);
  return status;
}
