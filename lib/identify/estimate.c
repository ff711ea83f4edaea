/* The estimators, a table. To add one: a function that fills the estimate from the training data, and a row. */
#include "lib/identify/estimate.h"

#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/robust.h"
#include "lib/identify/uncertainty.h"
#include "lib/math/triangle.h"

struct estimator {
  enum armdyn_status (*estimate)(struct training *training, const struct armdyn_estimation *estimation,
                                 struct armdyn_estimate *out, struct armdyn_error *error);
};

static enum armdyn_status ols(struct training *training, const struct armdyn_estimation *estimation,
                              struct armdyn_estimate *out, struct armdyn_error *error)
{
  (void)estimation;
  training_stack(training, training->fold_count);
  return solve_stacked(training, out->beta, error);
}

static enum armdyn_status wls(struct training *training, const struct armdyn_estimation *estimation,
                              struct armdyn_estimate *out, struct armdyn_error *error)
{
  const enum armdyn_status status = ols(training, estimation, out, error);
  if (status) return status;
  training_weigh(training, out->beta);
  training_stack(training, training->fold_count);
  return solve_stacked(training, out->beta, error);
}

static enum armdyn_status irls(struct training *training, const struct armdyn_estimation *estimation,
                               struct armdyn_estimate *out, struct armdyn_error *error)
{
  const enum armdyn_status status = wls(training, estimation, out, error);
  if (status) return status;
  const size_t n = training->unknowns->n;
  double weight[ARMDYN_JOINTS_MAX];
  memcpy(weight, training->weight, n * sizeof *weight);
  const enum armdyn_status robust = robust_solve(training, out->beta, &out->rounds, error);
  memcpy(training->weight, weight, n * sizeof *weight);
  return robust;
}

static const struct estimator estimators[] = {
  [ARMDYN_OLS] = { ols },
  [ARMDYN_WLS] = { wls },
  [ARMDYN_IRLS] = { irls },
};
enum { ESTIMATOR_COUNT = sizeof estimators / sizeof *estimators };

static size_t estimate_layout(struct armdyn_estimate *e, void *memory, const struct armdyn_unknowns *u)
{
  struct carve c = { memory, 0 };
  e->beta = carve(&c, u->base_count, sizeof *e->beta);
  e->deviation = carve(&c, u->base_count, sizeof *e->deviation);
  e->covariance = carve(&c, u->base_count * u->base_count, sizeof *e->covariance);
  e->joint_deviation = carve(&c, u->n, sizeof *e->joint_deviation);
  e->correlation = carve(&c, u->n, sizeof *e->correlation);
  return c.used;
}

static bool estimate_allocate(const struct armdyn_unknowns *u, struct armdyn_estimate *e)
{
  *e = (struct armdyn_estimate){ 0 };
  const size_t size = estimate_layout(e, NULL, u);
  void *memory = aligned_alloc(64, size);
  if (!memory) return false;
  memset(memory, 0, size);
  estimate_layout(e, memory, u);
  return true;
}

void armdyn_estimate_free(struct armdyn_estimate *estimate)
{
  free(estimate->beta); /* the first of one piece */
  *estimate = (struct armdyn_estimate){ 0 };
}

/* Of the unweighted regressor, whose triangle has its singular values. */
static enum armdyn_status condition_of(struct training *t, double *condition)
{
  const size_t b = t->unknowns->base_count, all = b + 1;
  double one[ARMDYN_JOINTS_MAX], largest = 0, least = INFINITY;
  double *A = calloc(all * all, sizeof *A), *values = malloc(b * sizeof *values);
  const enum armdyn_status status = A && values ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (status) goto out;
  for (size_t i = 0; i < t->unknowns->n; i++) one[i] = 1;
  regression_stack(t->all, one, A, t->scratch);
  for (size_t i = 0; i < b; i++) {
    for (size_t j = 0; j < b; j++) t->scratch[i * b + j] = j < i ? 0 : A[i * all + j];
  }
  singular_values(b, b, t->scratch, values);
  for (size_t k = 0; k < b; k++) {
    largest = fmax(largest, values[k]);
    least = fmin(least, values[k]);
  }
  *condition = largest / least;
out:
  free(A);
  free(values);
  return status;
}

static enum armdyn_status judge(struct training *t, struct armdyn_estimate *out)
{
  const size_t n = t->unknowns->n;
  double weight[ARMDYN_JOINTS_MAX];
  double *residuals = malloc(training_sample_count(t) * n * sizeof *residuals);
  enum armdyn_status status = residuals ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = training_residuals(t, out->beta, residuals);
  if (!status) {
    residual_figures(t, residuals, out);
    memcpy(weight, t->weight, n * sizeof *weight);
    status = covariance_of(t, weight, out);
  }
  free(residuals);
  return status ? status : condition_of(t, &out->condition);
}

enum armdyn_status armdyn_identify(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                   size_t motion_count, const struct armdyn_estimation *estimation,
                                   struct armdyn_estimate *out, struct armdyn_error *error)
{
  struct training training;
  *out = (struct armdyn_estimate){ 0 };
  if ((unsigned)estimation->estimator >= ESTIMATOR_COUNT) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/estimator", "must be 0 .. %d, got %d", ESTIMATOR_COUNT - 1,
                         (int)estimation->estimator);
  }
  enum armdyn_status status = training_open(unknowns, motions, motion_count, 1, &training, error);
  if (status) return status;
  status = estimate_allocate(unknowns, out) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = estimators[estimation->estimator].estimate(&training, estimation, out, error);
  if (!status) status = judge(&training, out);
  training_close(&training);
  if (status) armdyn_estimate_free(out);
  return status;
}
