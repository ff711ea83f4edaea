/* Damped Newton on a path of falling strengths, each minimum the start of the next. Everything works on triangles of the
 * equations: no cost depends on how long the logs are.
 *   unknowns   x, p standard parameters
 *   objective  J(x) = |A x - z|^2 / 2 + strength penalty(x),  A = R B / sqrt(samples), z likewise: R the joints' triangles
 *              with their weights, B the base parameters' combinations; columns of what is held are 0
 *   penalty    distance of x to the prior (prior.h), convex, infinite where no body can be; or its square part at the prior
 *   step       (A'A + strength penalty'') dx = -(A'(A x - z) + strength penalty'), shortened until J falls (newton.c)
 *   path       strength = 10^(2 - k / 4), k = 0, 1, ..; the one chosen is the first, coming from strong, whose error on the folds
 *              that were left out is below 1.1 of the least
 * Sources: Lee, Wensing & Park 2019, Geometric robot dynamic identification; Hastie, Tibshirani & Friedman, 7.10. */
#include "lib/identify/regularized.h"

#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/warnings.h"
#include "lib/math/linear.h"
#include "lib/math/newton.h"

/* Strengths on the path: 10^(2 - k / 4). */
static double path_strength(size_t k)
{
  return pow(10, 2 - (double)k / 4);
}

/* A strength is good when its error is less than this above the least: folds of one motion make the curve flat, and what is
 * gained on its floor is lost on other motions. */
static const double GOOD_ENOUGH = 1.1;

/* What is minimised, and scratch. b base parameters, p standard ones. */
struct problem {
  struct training *training;
  struct prior prior;
  enum penalty penalty;
  double strength;
  size_t b, p;
  double *A, *z, *normal; /* b x p, b, p x p: A'A */
  double *x, *residual;   /* p, b */
  struct newton newton;
};

static size_t layout(struct problem *q, void *memory)
{
  struct carve c = { memory, 0 };
  q->A = carve(&c, q->b * q->p, sizeof *q->A);
  q->z = carve(&c, q->b, sizeof *q->z);
  q->normal = carve(&c, q->p * q->p, sizeof *q->normal);
  q->x = carve(&c, q->p, sizeof *q->x);
  q->newton.step = carve(&c, q->p, sizeof *q->newton.step);
  q->newton.trial = carve(&c, q->p, sizeof *q->newton.trial);
  q->newton.gradient = carve(&c, q->p, sizeof *q->newton.gradient);
  q->newton.hessian = carve(&c, q->p * q->p, sizeof *q->newton.hessian);
  q->newton.scale = carve(&c, q->p, sizeof *q->newton.scale);
  q->residual = carve(&c, q->b, sizeof *q->residual);
  return c.used;
}

/* The equations of all folds but one in standard parameters: A = R B / sqrt(samples), B the combinations. */
static void set_equations(struct problem *q, struct training *t, size_t without)
{
  const double factor = 1 / sqrt((double)training_stack(t, without));
  const size_t b = q->b, p = q->p;
  memset(q->A, 0, b * p * sizeof *q->A);
  memset(q->normal, 0, p * p * sizeof *q->normal);
  for (size_t row = 0; row < b; row++) {
    for (size_t k = row; k < b; k++) {
      const double *combination = armdyn_base_parameter_coefficients(t->unknowns->base, k);
      const double weight = factor * t->R[row * (b + 1) + k];
      for (size_t c = 0; c < p; c++) q->A[row * p + c] += t->held[c] ? 0 : weight * combination[c];
    }
    q->z[row] = factor * t->R[row * (b + 1) + b];
    for (size_t i = 0; i < p; i++) {
      const double left = q->A[row * p + i];
      if (left == 0) continue;
      for (size_t j = 0; j < p; j++) q->normal[i * p + j] += left * q->A[row * p + j];
    }
  }
}

/* A x - z, and what of the goal it makes. */
static double data_term(struct problem *q, const double *x)
{
  double sum = 0;
  for (size_t row = 0; row < q->b; row++) {
    double e = -q->z[row];
    for (size_t k = 0; k < q->p; k++) e += q->A[row * q->p + k] * x[k];
    q->residual[row] = e;
    sum += e * e;
  }
  return sum / 2;
}

static double goal(void *context, const double *x)
{
  struct problem *q = context;
  const double penalty = prior_penalty(&q->prior, q->penalty, q->strength, x);
  return isfinite(penalty) ? penalty + data_term(q, x) : INFINITY;
}

/* Gradient and Hessian of the goal at x. */
static void set_slopes(void *context, const double *x, double *gradient, double *hessian)
{
  struct problem *q = context;
  const size_t p = q->p;
  memset(gradient, 0, p * sizeof *gradient);
  memcpy(hessian, q->normal, p * p * sizeof *hessian);
  data_term(q, x);
  for (size_t row = 0; row < q->b; row++) {
    for (size_t k = 0; k < p; k++) gradient[k] += q->A[row * p + k] * q->residual[row];
  }
  prior_slopes(&q->prior, q->penalty, q->strength, x, gradient, hessian);
}

static void solve_hessian(const void *context, double *y)
{
  const struct newton *newton = context;
  scaled_cholesky_solve(newton->p, newton->hessian, newton->scale, y);
}

/* The square knows no bounds: the signs of friction are imposed on its minimum. */
static void impose_signs(struct problem *q)
{
  struct signs *signs = &q->training->signs;
  bool broken = false;
  for (size_t s = 0; s < signs->count; s++) {
    signs->list[s].active = false;
    broken = broken || sign_value(&signs->list[s], q->x) < 0;
  }
  if (!broken) return;
  const struct quadratic quadratic = { q->p, signs->in_standard, solve_hessian, &q->newton };
  set_slopes(q, q->x, q->newton.gradient, q->newton.hessian);
  if (scaled_cholesky_factor(q->p, q->newton.hessian, q->newton.scale)) signs_impose(signs, &quadratic, q->x);
}

/* From x to the minimum at this strength. Answers the rounds. */
static size_t minimise(struct problem *q, double strength)
{
  q->strength = strength;
  const size_t rounds = newton_minimise(&q->newton, q->x);
  if (q->penalty == PENALTY_SQUARE && !q->training->estimation->free_signs) impose_signs(q);
  return rounds;
}

static void base_values(const struct problem *q, double *beta)
{
  for (size_t k = 0; k < q->b; k++) {
    const double *combination = armdyn_base_parameter_coefficients(q->training->unknowns->base, k);
    beta[k] = 0;
    for (size_t c = 0; c < q->p; c++) beta[k] += combination[c] * q->x[c];
  }
}

/* Errors of every strength on what it was not fitted to, summed over the folds. */
static enum armdyn_status cross_validate(struct problem *q, struct training *t, struct armdyn_estimate *out,
                                         struct armdyn_error *error)
{
  double left[ARMDYN_JOINTS_MAX], torque[ARMDYN_JOINTS_MAX];
  double total = 0, squares[FOLDS_MAX][ARMDYN_STRENGTHS] = { { 0 } };
  size_t best = 0, chosen = 0;
  memset(out->curve, 0, sizeof out->curve);
  for (size_t fold = 0; fold < t->fold_count; fold++) {
    set_equations(q, t, fold);
    memcpy(q->x, q->prior.value, q->p * sizeof *q->x);
    for (size_t k = 0; k < ARMDYN_STRENGTHS; k++) {
      const enum armdyn_status status = training_cancelled(t, error);
      if (status) return status;
      out->curve[k].strength = path_strength(k);
      out->rounds += minimise(q, out->curve[k].strength);
      base_values(q, out->beta);
      armdyn_regression_squares(t->fold[fold], out->beta, left, torque);
      for (size_t i = 0; i < t->unknowns->n; i++) {
        squares[fold][k] += left[i];
        if (k == 0) total += torque[i];
      }
    }
  }
  for (size_t k = 0; k < ARMDYN_STRENGTHS; k++) {
    for (size_t fold = 0; fold < t->fold_count; fold++) out->curve[k].error += squares[fold][k];
    out->curve[k].error = total > 0 ? sqrt(out->curve[k].error / total) : 0;
    if (out->curve[k].error < out->curve[best].error) best = k;
  }
  for (size_t fold = 0; fold < t->fold_count; fold++) out->held_out[fold] = squares[fold][best];
  out->fold_count = t->fold_count;
  while (chosen + 1 < ARMDYN_STRENGTHS && out->curve[chosen].error > GOOD_ENOUGH * out->curve[best].error) chosen++;
  out->prior_strength = out->curve[chosen].strength;
  return ARMDYN_OK;
}

static enum armdyn_status problem_open(struct training *t, enum penalty penalty, bool ignore_prior, struct problem *q,
                                       struct armdyn_warnings *warnings)
{
  *q = (struct problem){
    .training = t, .penalty = penalty, .b = t->unknowns->base_count, .p = t->unknowns->standard_count
  };
  const size_t size = layout(q, NULL);
  void *memory = aligned_alloc(64, size);
  if (!memory) return ARMDYN_EMEMORY;
  layout(q, memory);
  q->newton.p = q->p;
  q->newton.value = goal;
  q->newton.slopes = set_slopes;
  q->newton.context = q;
  set_equations(q, t, t->fold_count);
  const enum armdyn_status status = prior_open(t->unknowns, ignore_prior, q->A, q->z, t->held, &q->prior, warnings);
  if (status) free(memory);
  if (!status && penalty == PENALTY_DISTANCE && !t->estimation->free_signs) prior_keep_signs(&q->prior, &t->signs);
  return status;
}

static void problem_close(struct problem *q)
{
  prior_close(&q->prior);
  free(q->A); /* the first of one piece */
}

/* Down the path to a strength. */
static size_t descend(struct problem *q, double strength)
{
  size_t rounds = 0;
  memcpy(q->x, q->prior.value, q->p * sizeof *q->x);
  for (size_t k = 0; k < ARMDYN_STRENGTHS && path_strength(k) > strength; k++) rounds += minimise(q, path_strength(k));
  return rounds + minimise(q, strength);
}

/* Which signs rest on their bounds at a minimum of the distance. */
static void find_held_signs(struct problem *q)
{
  struct signs *signs = &q->training->signs;
  set_slopes(q, q->x, q->newton.gradient, q->newton.hessian);
  if (!scaled_cholesky_factor(q->p, q->newton.hessian, q->newton.scale)) return;
  for (size_t s = 0; s < signs->count; s++) {
    const double *row = signs->in_standard + s * q->p;
    double variance = 0;
    memcpy(q->newton.step, row, q->p * sizeof *row);
    solve_hessian(&q->newton, q->newton.step);
    for (size_t k = 0; k < q->p; k++) variance += row[k] * q->newton.step[k];
    signs->list[s].wanted = prior_sign_without_barrier(&q->prior, &signs->list[s], q->x, variance);
    signs->list[s].active = signs->list[s].wanted < 0;
  }
}

/* Joints are weighed by what a first estimate leaves, whose joints are weighed by their torques. Least squares would do,
 * but does not exist for motions that leave a parameter open. */
static void weigh_joints(struct problem *q, struct training *t, double *beta)
{
  static const double first_strength = 1e-3;
  memset(beta, 0, q->b * sizeof *beta);
  training_weigh(t, beta);
  set_equations(q, t, t->fold_count);
  descend(q, first_strength);
  base_values(q, beta);
  training_weigh(t, beta);
}

/* Say what only the prior tells. R is that of all training data. What is held of a joint that rests counts too. */
static void warn_of_open_parameters(const struct training *t, struct armdyn_warnings *warnings)
{
  for (size_t k = 0; (k = training_open_parameter(t, k)) < t->unknowns->base_count; k++) {
    const size_t lead = armdyn_base_parameter_lead(t->unknowns->base, k);
    char text[96];
    armdyn_base_parameter_text(t->unknowns->base, k, text, sizeof text);
    warn(warnings, ARMDYN_WARNING_RANK_DEFICIENT, (int)t->unknowns->id[lead].joint,
         "the motion does not tell %s from other parameters, its value is the prior's; move more joints at once", text);
  }
}

enum armdyn_status regularized_solve(struct training *training, enum penalty penalty,
                                     const struct armdyn_estimation *estimation, struct armdyn_estimate *out,
                                     struct armdyn_error *error)
{
  struct problem q;
  enum armdyn_status status = problem_open(training, penalty, estimation->ignore_prior, &q, &out->warnings);
  if (status) return status;
  weigh_joints(&q, training, out->beta);
  out->prior_strength = estimation->prior_strength;
  if (!(out->prior_strength > 0)) status = cross_validate(&q, training, out, error);
  if (!status) {
    set_equations(&q, training, training->fold_count);
    warn_of_open_parameters(training, &out->warnings);
    out->rounds += descend(&q, out->prior_strength);
    if (penalty == PENALTY_DISTANCE && !estimation->free_signs) find_held_signs(&q);
    base_values(&q, out->beta);
    memcpy(out->standard, q.x, q.p * sizeof *out->standard);
  }
  problem_close(&q);
  return status;
}

/* Column k of B H^-1 B' and of H^-1, for every k. */
static void fill_covariance(struct problem *q, double samples, struct armdyn_estimate *out)
{
  const struct armdyn_base_parameters *base = q->training->unknowns->base;
  for (size_t k = 0; k < q->b; k++) {
    memcpy(q->newton.step, armdyn_base_parameter_coefficients(base, k), q->p * sizeof *q->newton.step);
    scaled_cholesky_solve(q->p, q->newton.hessian, q->newton.scale, q->newton.step);
    for (size_t i = 0; i < q->b; i++) {
      const double *combination = armdyn_base_parameter_coefficients(base, i);
      double sum = 0;
      for (size_t c = 0; c < q->p; c++) sum += combination[c] * q->newton.step[c];
      out->covariance[i * q->b + k] = sum / samples;
    }
    out->deviation[k] = sqrt(out->covariance[k * q->b + k]);
    if (q->training->held[armdyn_base_parameter_lead(base, k)]) out->deviation[k] = NAN;
  }
  for (size_t k = 0; k < q->p; k++) {
    memset(q->newton.step, 0, q->p * sizeof *q->newton.step);
    q->newton.step[k] = 1;
    scaled_cholesky_solve(q->p, q->newton.hessian, q->newton.scale, q->newton.step);
    out->standard_deviation[k] = q->training->held[k] ? 0 : sqrt(q->newton.step[k] / samples);
  }
}

/* The posterior of a normal prior about the prior's values, and of samples of which `correlation` count as one. */
enum armdyn_status regularized_spread(struct training *training, bool ignore_prior, struct armdyn_estimate *out)
{
  const size_t n = training->unknowns->n;
  struct armdyn_warnings known_already = { 0 };
  struct problem q;
  double correlation = 0;
  const enum armdyn_status status = problem_open(training, PENALTY_SQUARE, ignore_prior, &q, &known_already);
  if (status) return status;
  for (size_t i = 0; i < n; i++) {
    training->weight[i] = 1 / (out->joint_deviation[i] * sqrt(out->correlation[i]));
    correlation += out->correlation[i] / (double)n;
  }
  set_equations(&q, training, training->fold_count);
  memcpy(q.x, q.prior.value, q.p * sizeof *q.x);
  q.strength = out->prior_strength / correlation;
  set_slopes(&q, q.x, q.newton.gradient, q.newton.hessian);
  if (scaled_cholesky_factor(q.p, q.newton.hessian, q.newton.scale))
    fill_covariance(&q, (double)training->all->samples, out);
  problem_close(&q);
  return ARMDYN_OK;
}
