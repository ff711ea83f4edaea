/* The estimators, a table. To add one: a function that fills the estimate from the training data, and a row. */
#include "lib/identify/training.h"

#include <math.h>
#include <stdint.h>

#include "lib/base/carve.h"
#include "lib/identify/collinear.h"
#include "lib/identify/instruments.h"
#include "lib/identify/lack_of_fit.h"
#include "lib/identify/regularized.h"
#include "lib/identify/robust.h"
#include "lib/identify/scores.h"
#include "lib/identify/uncertainty.h"
#include "lib/identify/warnings.h"
#include "lib/math/triangle.h"

struct estimator {
  bool has_prior;
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
  return status ? status : robust_solve(training, out->beta, &out->rounds, error);
}

static enum armdyn_status ridge(struct training *training, const struct armdyn_estimation *estimation,
                                struct armdyn_estimate *out, struct armdyn_error *error)
{
  return regularized_solve(training, PENALTY_SQUARE, estimation, out, error);
}

static enum armdyn_status consistent(struct training *training, const struct armdyn_estimation *estimation,
                                     struct armdyn_estimate *out, struct armdyn_error *error)
{
  return regularized_solve(training, PENALTY_DISTANCE, estimation, out, error);
}

/* Weights are those that least squares leave, and then those of the estimate itself. */
static enum armdyn_status iv(struct training *training, const struct armdyn_estimation *estimation,
                             struct armdyn_estimate *out, struct armdyn_error *error)
{
  enum armdyn_status status = wls(training, estimation, out, error);
  if (!status)
    status =
        instruments_new(training->unknowns, training->source, estimation->instruments, &training->instruments, error);
  for (int round = 0; round < 2 && !status; round++) {
    training_weigh(training, out->beta);
    training_stack(training, training->fold_count);
    status = solve_stacked(training, out->beta, error);
  }
  return status;
}

static const struct estimator estimators[ARMDYN_ESTIMATORS] = {
  [ARMDYN_OLS] = { false, ols },
  [ARMDYN_WLS] = { false, wls },
  [ARMDYN_IRLS] = { false, irls },
  [ARMDYN_RIDGE] = { true, ridge },
  [ARMDYN_CONSISTENT] = { true, consistent },
  [ARMDYN_DIDIM] = { true, consistent },
  [ARMDYN_IV] = { false, iv },
};
enum { FOLDS_USUAL = 8 };

static size_t estimate_layout(struct armdyn_estimate *e, void *memory, const struct armdyn_unknowns *u)
{
  struct carve c = { memory, 0 };
  e->beta = carve(&c, u->base_count, sizeof *e->beta);
  e->deviation = carve(&c, u->base_count, sizeof *e->deviation);
  e->standard = carve(&c, u->standard_count, sizeof *e->standard);
  e->standard_deviation = carve(&c, u->standard_count, sizeof *e->standard_deviation);
  e->at_bound = carve(&c, u->standard_count, sizeof *e->at_bound);
  e->physical = carve(&c, u->n, sizeof *e->physical);
  e->covariance = carve(&c, u->base_count * u->base_count, sizeof *e->covariance);
  e->joint_deviation = carve(&c, u->n, sizeof *e->joint_deviation);
  e->correlation = carve(&c, u->n, sizeof *e->correlation);
  e->lack_of_fit = carve(&c, u->n * ARMDYN_LACKS, sizeof *e->lack_of_fit);
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
  *condition = least > 1e-14 * largest ? largest / least : INFINITY;
out:
  free(A);
  free(values);
  return status;
}

/* Add what is not known of what was found before. */
static enum armdyn_status widen(const struct training *t, struct armdyn_estimate *out)
{
  const struct armdyn_unknowns *u = t->unknowns;
  const double *more = t->estimation->more_covariance;
  struct armdyn_warnings known_already = { 0 };
  if (!more) return ARMDYN_OK;
  double *standard = malloc(2 * u->standard_count * sizeof *standard);
  if (!standard) return ARMDYN_EMEMORY;
  double *deviation = standard + u->standard_count;
  const enum armdyn_status status =
      armdyn_standard_parameters(u, t->estimation->ignore_prior, out->beta, more, standard, deviation, &known_already);
  for (size_t k = 0; k < u->base_count * u->base_count; k++) out->covariance[k] += more[k];
  for (size_t k = 0; k < u->base_count; k++) {
    out->deviation[k] = sqrt(out->deviation[k] * out->deviation[k] + more[k * u->base_count + k]);
  }
  for (size_t k = 0; k < u->standard_count && !status; k++) {
    out->standard_deviation[k] = hypot(out->standard_deviation[k], deviation[k]);
  }
  free(standard);
  return status;
}

/* Friction that the data pull below its bound by more than so many deviations is no accident of noise. */
static const double PULLED = 3;

static void warn_of_signs(const struct training *t, struct armdyn_estimate *out)
{
  for (size_t s = 0; s < t->signs.count; s++) {
    const struct sign *sign = &t->signs.list[s];
    const struct armdyn_parameter_id id = t->unknowns->id[sign->bound];
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    if (!sign->active || !(sign->wanted < -PULLED * sqrt(sign_variance(&t->signs, s, out->covariance)))) continue;
    armdyn_parameter_id_name(&id, name);
    warn(&out->warnings, ARMDYN_WARNING_FRICTION_SIGN, (int)id.joint,
         "%s is kept at its bound, which the data pull it across by more than noise: a term of friction is missing or "
         "wrong, such as stribeck for friction that falls with speed, or velocities are off",
         name);
  }
}

/* What rests on its bound is there exactly: no model takes a viscous friction of -1e-19. */
static void take_off_rounding(const struct sign *sign, double *standard)
{
  const int own = sign->standard[0] == sign->bound ? 0 : 1, other = 1 - own;
  if (!(sign_value(sign, standard) < 0)) return;
  standard[sign->bound] = 0 - sign->factor[other] * standard[sign->standard[other]] / sign->factor[own];
}

/* What rests on a bound has no deviation, and the others have those that they have while it does. */
static void keep_bounds(struct training *t, struct armdyn_estimate *out)
{
  const struct armdyn_unknowns *u = t->unknowns;
  warn_of_signs(t, out);
  signs_condition(&t->signs, t->inverse, out->covariance);
  for (size_t k = 0; k < u->base_count; k++) {
    if (!isnan(out->deviation[k])) out->deviation[k] = sqrt(fmax(out->covariance[k * (u->base_count + 1)], 0));
  }
  for (size_t s = 0; s < t->signs.count; s++) {
    for (int i = 0; i < 2; i++) {
      const size_t standard = t->signs.list[s].standard[i], base = base_led_by(u, standard);
      if (base < u->base_count) out->standard_deviation[standard] = out->deviation[base];
    }
  }
  for (size_t s = 0; s < t->signs.count; s++) {
    const size_t bound = t->signs.list[s].bound, base = base_led_by(u, bound);
    if (!t->signs.list[s].active) continue;
    take_off_rounding(&t->signs.list[s], out->standard);
    out->at_bound[bound] = true;
    out->standard_deviation[bound] = NAN;
    if (base < u->base_count) out->deviation[base] = NAN;
  }
}

/* Covariance and deviations of the parameters. */
static enum armdyn_status spread(struct training *t, struct armdyn_estimate *out, struct armdyn_error *error)
{
  const struct armdyn_estimation *estimation = t->estimation;
  struct scores scores = { 0 };
  enum armdyn_status status = scores_of(t, out->beta, out->correlation, &scores, error);
  if (status) return status;
  if (estimators[estimation->estimator].has_prior) {
    status = regularized_spread(t, estimation->ignore_prior, scores.T, out);
  } else {
    training_stack(t, t->fold_count);
    if (t->instruments) instruments_project(t->instruments, scores.T);
    status = covariance_of(t, scores.T, out);
    if (!status) {
      status = armdyn_standard_parameters(t->unknowns, estimation->ignore_prior, out->beta, out->covariance,
                                          out->standard, out->standard_deviation, &out->warnings);
    }
  }
  scores_close(&scores);
  return status;
}

/* Deviations of the residuals and of the parameters. */
static enum armdyn_status judge(struct training *t, struct armdyn_estimate *out, struct armdyn_error *error)
{
  const struct armdyn_unknowns *u = t->unknowns;
  const struct armdyn_estimation *estimation = t->estimation;
  enum armdyn_status status = residual_figures(t, out, error);
  if (!status && estimation->lack_of_fit) status = lack_of_fit_fill(t, out, error);
  if (!status) status = spread(t, out, error);
  if (!status) keep_bounds(t, out);
  if (!status) status = widen(t, out);
  for (size_t i = 0; i < u->n; i++) out->physical[i] = armdyn_link_is_physical(out->standard + 10 * i);
  if (!status) status = condition_of(t, &out->condition);
  if (!status && estimation->lack_of_fit && !estimators[estimation->estimator].has_prior)
    status = warn_of_collinear(t, &out->warnings);
  return status;
}

static enum armdyn_status check(const struct armdyn_estimation *e, struct armdyn_error *error)
{
  if ((unsigned)e->estimator >= ARMDYN_ESTIMATORS) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/estimator", "must be 0 .. %d, got %d", ARMDYN_ESTIMATORS - 1,
                         (int)e->estimator);
  }
  if (!(e->prior_strength >= 0) || isinf(e->prior_strength)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/prior_strength", "must be above 0, or 0 for cross-validation, got %g",
                         e->prior_strength);
  }
  if (e->estimator == ARMDYN_IV && !e->instruments)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/instruments", "are missing, by which the estimator iv estimates");
  if (e->folds == 1 || e->folds > FOLDS_MAX) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/folds", "must be 2 .. %d, or 0 for %d, got %zu", FOLDS_MAX,
                         FOLDS_USUAL, e->folds);
  }
  return ARMDYN_OK;
}

enum armdyn_status armdyn_identify_source(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                          const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                          struct armdyn_error *error)
{
  struct training training;
  *out = (struct armdyn_estimate){ 0 };
  enum armdyn_status status = check(estimation, error);
  if (status) return status;
  const struct estimator *estimator = &estimators[estimation->estimator];
  const bool validated = estimator->has_prior && !(estimation->prior_strength > 0);
  const size_t folds = estimation->folds ? estimation->folds : FOLDS_USUAL;
  status = training_open(unknowns, source, estimation, validated ? folds : 1, &training, error);
  if (status) return status;
  status = estimate_allocate(unknowns, out) ? ARMDYN_OK : ARMDYN_EMEMORY;
  if (!status) status = estimator->estimate(&training, estimation, out, error);
  if (!status) status = judge(&training, out, error);
  training_close(&training);
  if (status) armdyn_estimate_free(out);
  return status;
}

static enum armdyn_status read_motion(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  (void)error;
  *motion = ((const struct armdyn_motion *)context)[index];
  return ARMDYN_OK;
}

enum armdyn_status armdyn_identify(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                   size_t motion_count, const struct armdyn_estimation *estimation,
                                   struct armdyn_estimate *out, struct armdyn_error *error)
{
  struct armdyn_source source = { .blocks = motion_count, .read = read_motion, .context = (void *)(uintptr_t)motions };
  for (size_t m = 0; m < motion_count; m++) source.samples += motions[m].count;
  return armdyn_identify_source(unknowns, &source, estimation, out, error);
}
