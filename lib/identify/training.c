/* Equations of the training data, in parts for cross-validation. */
#include <math.h>

#include "lib/identify/estimate.h"
#include "lib/math/triangle.h"

size_t training_sample_count(const struct training *training)
{
  size_t count = 0;
  for (size_t m = 0; m < training->motion_count; m++) count += training->motions[m].count;
  return count;
}

/* Parts of equal length, consecutive over all motions. */
static void fill_folds(struct training *t)
{
  const size_t total = training_sample_count(t);
  size_t fold = 0, taken = 0;
  for (size_t m = 0; m < t->motion_count; m++) {
    for (size_t at = 0; at < t->motions[m].count;) {
      const size_t end = total * (fold + 1) / t->fold_count, left = t->motions[m].count - at;
      const size_t count = left < end - taken ? left : end - taken;
      const struct armdyn_motion part = armdyn_motion_part(&t->motions[m], t->unknowns->n, at, count);
      armdyn_regression_add(t->fold[fold], &part, NULL);
      at += count;
      taken += count;
      if (taken == end && fold + 1 < t->fold_count) fold++;
    }
  }
}

enum armdyn_status training_open(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                 size_t motion_count, size_t folds, struct training *training,
                                 struct armdyn_error *error)
{
  const size_t b = unknowns->base_count;
  struct training *t = training;
  *t = (struct training){ .unknowns = unknowns, .motions = motions, .motion_count = motion_count };
  const size_t total = training_sample_count(t);
  if (folds < 1 || folds > FOLDS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/folds", "must be 1 .. %d, got %zu", FOLDS_MAX, folds);
  }
  if (total * unknowns->n < b || total < folds) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/datasets",
                         "must have more samples: %zu of %zu joints cannot tell %zu parameters", total, unknowns->n, b);
  }
  t->fold_count = folds;
  t->all = armdyn_regression_new(unknowns);
  t->R = malloc((b + 1) * (b + 1) * sizeof *t->R);
  t->scratch = malloc((b + 2) * (b + 2) * sizeof *t->scratch);
  bool complete = t->all && t->R && t->scratch;
  for (size_t f = 0; f < folds && complete; f++) complete = (t->fold[f] = armdyn_regression_new(unknowns)) != NULL;
  if (!complete) {
    training_close(t);
    return ARMDYN_EMEMORY;
  }
  fill_folds(t);
  for (size_t f = 0; f < folds; f++) armdyn_regression_merge(t->all, t->fold[f]);
  for (size_t i = 0; i < unknowns->n; i++) t->weight[i] = 1;
  return ARMDYN_OK;
}

void training_close(struct training *training)
{
  for (size_t f = 0; f < FOLDS_MAX; f++) armdyn_regression_free(training->fold[f]);
  armdyn_regression_free(training->all);
  free(training->R);
  free(training->scratch);
  *training = (struct training){ 0 };
}

size_t training_stack(struct training *training, size_t without)
{
  const size_t all = training->unknowns->base_count + 1;
  size_t samples = 0;
  memset(training->R, 0, all * all * sizeof *training->R);
  if (without >= training->fold_count) {
    regression_stack(training->all, training->weight, training->R, training->scratch);
    return training->all->samples;
  }
  for (size_t f = 0; f < training->fold_count; f++) {
    if (f == without) continue;
    regression_stack(training->fold[f], training->weight, training->R, training->scratch);
    samples += training->fold[f]->samples;
  }
  return samples;
}

/* Residuals below the rounding of the torques are no reason for infinite weights. */
void training_weigh(struct training *training, const double *beta)
{
  double left[ARMDYN_JOINTS_MAX], torque[ARMDYN_JOINTS_MAX];
  const double samples = (double)training->all->samples;
  armdyn_regression_squares(training->all, beta, left, torque);
  for (size_t i = 0; i < training->unknowns->n; i++) {
    training->weight[i] = sqrt(samples / fmax(left[i], fmax(1e-18 * torque[i], 1e-30)));
  }
}

enum armdyn_status solve_stacked(const struct training *training, double *beta, struct armdyn_error *error)
{
  const size_t b = training->unknowns->base_count, stride = b + 1;
  const double *R = training->R;
  for (size_t k = 0; k < b; k++) {
    double length = 0;
    for (size_t i = 0; i <= k; i++) length += R[i * stride + k] * R[i * stride + k];
    if (fabs(R[k * stride + k]) > 1e-9 * sqrt(length)) continue;
    char text[96];
    armdyn_base_parameter_text(training->unknowns->base, k, text, sizeof text);
    return armdyn_refuse(error, ARMDYN_ESINGULAR, "/datasets",
                         "the motion does not tell %s from other parameters; move more joints at once, or use an "
                         "estimator with a prior",
                         text);
  }
  for (size_t k = 0; k < b; k++) beta[k] = R[k * stride + b];
  triangle_solve(b, R, stride, beta, beta);
  return ARMDYN_OK;
}

enum armdyn_status training_residuals(const struct training *training, const double *beta, double *residuals)
{
  const size_t n = training->unknowns->n;
  for (size_t m = 0; m < training->motion_count; m++) {
    const struct armdyn_motion *motion = &training->motions[m];
    const enum armdyn_status status = armdyn_predict(training->unknowns, beta, motion, residuals);
    if (status) return status;
    for (size_t k = 0; k < motion->count * n; k++) residuals[k] = motion->tau[k] - residuals[k];
    residuals += motion->count * n;
  }
  return ARMDYN_OK;
}
