/* Equations of the training data, in parts for cross-validation. */
#include <math.h>

#include "lib/identify/condition.h"
#include "lib/identify/instruments.h"
#include "lib/identify/training.h"
#include "lib/math/triangle.h"

enum armdyn_status training_cancelled(const struct training *training, struct armdyn_error *error)
{
  const struct armdyn_estimation *e = training->estimation;
  if (!e->cancelled || !e->cancelled(e->context)) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_ECANCELLED, "", "cancelled before the identification was done");
}

enum armdyn_status training_read(const struct training *training, size_t index, struct armdyn_motion *motion,
                                 struct armdyn_error *error)
{
  const enum armdyn_status status = training_cancelled(training, error);
  return status ? status : training->source->read(training->source->context, index, motion, error);
}

double motion_least(const struct armdyn_robot *robot, size_t joint)
{
  return armdyn_robot_description(robot)->joints[joint].type == ARMDYN_PRISMATIC ? 5e-4 : 2e-3;
}

static void reach_add(struct reach *reach, size_t n, const struct armdyn_motion *motion)
{
  for (size_t k = 0; k < motion->count * n; k++) {
    reach->low[k % n] = fmin(reach->low[k % n], motion->q[k]);
    reach->high[k % n] = fmax(reach->high[k % n], motion->q[k]);
    reach->fastest[k % n] = fmax(reach->fastest[k % n], fabs(motion->qd[k]));
  }
}

static void fill_held(struct training *t)
{
  const struct reach *reach = &t->reach;
  const struct armdyn_unknowns *u = t->unknowns;
  for (size_t k = u->friction_first; k < u->standard_count; k++) {
    const size_t i = u->id[k].joint;
    t->held[k] = u->of_motion[k] && reach->high[i] - reach->low[i] < motion_least(u->robot, i);
  }
}

/* Parts of equal length, consecutive over all blocks. */
static enum armdyn_status fill_folds(struct training *t, struct armdyn_error *error)
{
  const size_t total = t->source->samples;
  for (size_t i = 0; i < ARMDYN_JOINTS_MAX; i++) t->reach.low[i] = INFINITY, t->reach.high[i] = -INFINITY;
  size_t fold = 0, taken = 0;
  for (size_t block = 0; block < t->source->blocks; block++) {
    struct armdyn_motion motion;
    enum armdyn_status status = training_read(t, block, &motion, error);
    if (!status) reach_add(&t->reach, t->unknowns->n, &motion);
    for (size_t at = 0; !status && at < motion.count;) {
      const bool last = fold + 1 >= t->fold_count;
      const size_t left = motion.count - at, room = last ? left : total * (fold + 1) / t->fold_count - taken;
      const size_t count = left < room ? left : room;
      const struct armdyn_motion part = armdyn_motion_part(&motion, t->unknowns->n, at, count);
      status = armdyn_regression_add(t->fold[fold], &part, NULL);
      at += count;
      taken += count;
      if (count == room && !last) fold++;
    }
    if (status) return status;
  }
  fill_held(t);
  return signs_open(t->unknowns, t->reach.fastest, t->held, &t->signs);
}

enum armdyn_status training_open(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                 const struct armdyn_estimation *estimation, size_t folds, struct training *training,
                                 struct armdyn_error *error)
{
  const size_t b = unknowns->base_count, total = source->samples;
  struct training *t = training;
  *t = (struct training){ .unknowns = unknowns, .source = source, .estimation = estimation };
  if (total * unknowns->n < b || total < folds) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/datasets",
                         "must have more samples: %zu of %zu joints cannot tell %zu parameters", total, unknowns->n, b);
  }
  t->fold_count = folds;
  t->all = armdyn_regression_new(unknowns);
  t->R = malloc((b + 1) * (b + 1) * sizeof *t->R);
  t->scratch = malloc((b + 2) * (b + 2) * sizeof *t->scratch);
  t->inverse = calloc(b * b, sizeof *t->inverse);
  t->held = calloc(unknowns->standard_count, sizeof *t->held);
  bool complete = t->all && t->R && t->scratch && t->inverse && t->held;
  for (size_t f = 0; f < folds && complete; f++) complete = (t->fold[f] = armdyn_regression_new(unknowns)) != NULL;
  if (!complete) {
    training_close(t);
    return ARMDYN_EMEMORY;
  }
  const enum armdyn_status status = fill_folds(t, error);
  if (status) {
    training_close(t);
    return status;
  }
  for (size_t f = 0; f < folds; f++) armdyn_regression_merge(t->all, t->fold[f]);
  for (size_t i = 0; i < unknowns->n; i++) {
    t->weight[i] = 1;
    t->clip[i] = INFINITY;
  }
  return ARMDYN_OK;
}

void training_close(struct training *training)
{
  for (size_t f = 0; f < FOLDS_MAX; f++) armdyn_regression_free(training->fold[f]);
  armdyn_regression_free(training->all);
  instruments_free(training->instruments);
  free(training->R);
  free(training->scratch);
  free(training->inverse);
  free(training->held);
  signs_close(&training->signs);
  *training = (struct training){ 0 };
}

size_t training_stack(struct training *training, size_t without)
{
  const size_t all = training->unknowns->base_count + 1;
  size_t samples = 0;
  if (training->instruments && without >= training->fold_count) {
    instruments_stack(training->instruments, training->weight, training->R);
    return training->all->samples;
  }
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

size_t training_open_parameter(const struct training *training, size_t k)
{
  const size_t b = training->unknowns->base_count, stride = b + 1;
  const double *R = training->R;
  for (; k < b; k++) {
    double length = 0;
    if (training->held[armdyn_base_parameter_lead(training->unknowns->base, k)]) break;
    for (size_t i = 0; i <= k; i++) length += R[i * stride + k] * R[i * stride + k];
    if (!(fabs(R[k * stride + k]) > 1e-9 * sqrt(length))) break;
  }
  return k;
}

/* y <- (R'R)^-1 y */
static void solve_normal(const void *context, double *y)
{
  const struct training *t = context;
  const size_t b = t->unknowns->base_count;
  triangle_solve_transposed(b, t->R, b + 1, y, y);
  triangle_solve(b, t->R, b + 1, y, y);
}

enum armdyn_status solve_stacked(struct training *training, double *beta, struct armdyn_error *error)
{
  const size_t b = training->unknowns->base_count, open = training_open_parameter(training, 0);
  if (open < b) {
    char text[96];
    armdyn_base_parameter_text(training->unknowns->base, open, text, sizeof text);
    return armdyn_refuse(error, ARMDYN_ESINGULAR, "/datasets",
                         "the motion does not tell %s from other parameters; move more joints at once, or use an "
                         "estimator with a prior",
                         text);
  }
  for (size_t k = 0; k < b; k++) beta[k] = training->R[k * (b + 1) + b];
  triangle_solve(b, training->R, b + 1, beta, beta);
  const struct quadratic squares = { b, training->signs.in_base, solve_normal, training };
  if (!training->estimation->free_signs) signs_impose(&training->signs, &squares, beta);
  return ARMDYN_OK;
}
