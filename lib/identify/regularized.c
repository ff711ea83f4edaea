/* Damped Newton on a path of falling strengths, each minimum the start of the next. Everything works on triangles of the
 * equations: no cost depends on how long the logs are.
 *   unknowns   x, p standard parameters
 *   objective  J(x) = |A x - z|^2 / 2 + strength penalty(x),  A = R B / sqrt(samples), z likewise: R the joints' triangles
 *              with their weights, B the base parameters' combinations; columns of what is held are 0
 *   penalty    distance of x to the prior (prior.h), convex, infinite where no body can be; or its square part at the prior
 *   step       (A'A + strength penalty'') dx = -(A'(A x - z) + strength penalty'), shortened until J falls (newton.c)
 *   path       strength = 10^(2 - k / 4), k = 0, 1, ..; the one chosen is the first, coming from strong, whose error on the folds
 *              that were left out is above the least by at most one standard error of that
 * Sources: Lee, Wensing & Park 2019, Geometric robot dynamic identification; Hastie, Tibshirani & Friedman, 7.10 for the
 * choice; MacKay 1992, Bayesian interpolation, and Hoerl & Kennard 1970 for the deviations. */
#include "lib/identify/regularized.h"

#include <math.h>

#include "lib/base/carve.h"
#include "lib/identify/warnings.h"
#include "lib/math/distribution.h"
#include "lib/math/linear.h"
#include "lib/math/newton.h"

/* Strengths on the path: 10^(2 - k / 4). */
static double path_strength(size_t k)
{
  return pow(10, 2 - (double)k / 4);
}

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

/* Of an error over all folds, sqrt(sum of squares / sum of powers), from how the folds' squares differ: the ratio estimator
 * of Cochran 1977, 6.3, and half of it relative for the root. */
static double standard_error(size_t folds, const double *squares, const double *powers)
{
  const double count = (double)folds;
  double square = 0, power = 0, variance = 0;
  for (size_t f = 0; f < folds; f++) square += squares[f], power += powers[f];
  if (!(square > 0) || !(power > 0)) return 0;
  for (size_t f = 0; f < folds; f++) variance += pow(squares[f] - square / power * powers[f], 2) / (count - 1);
  return sqrt(square / power) * sqrt(count * variance) / square / 2;
}

/* Errors of every strength on what it was not fitted to, summed over the folds. */
static enum armdyn_status cross_validate(struct problem *q, struct training *t, struct armdyn_estimate *out,
                                         struct armdyn_error *error)
{
  double left[ARMDYN_JOINTS_MAX], torque[ARMDYN_JOINTS_MAX];
  double total = 0, powers[FOLDS_MAX] = { 0 }, squares[ARMDYN_STRENGTHS][FOLDS_MAX] = { { 0 } };
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
        squares[k][fold] += left[i];
        if (k == 0) powers[fold] += torque[i];
      }
    }
    total += powers[fold];
  }
  for (size_t k = 0; k < ARMDYN_STRENGTHS; k++) {
    for (size_t fold = 0; fold < t->fold_count; fold++) out->curve[k].error += squares[k][fold];
    out->curve[k].error = total > 0 ? sqrt(out->curve[k].error / total) : 0;
    if (out->curve[k].error < out->curve[best].error) best = k;
  }
  for (size_t fold = 0; fold < t->fold_count; fold++) out->held_out[fold] = squares[best][fold];
  out->fold_count = t->fold_count;
  const double most = out->curve[best].error + standard_error(t->fold_count, squares[best], powers);
  while (out->curve[chosen].error > most) chosen++;
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
  q->newton.quadratic = penalty == PENALTY_SQUARE;
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

/* The prior's part of the Hessian at strength 1, p x p. */
static void prior_part(struct problem *q, double *P)
{
  memset(P, 0, q->p * q->p * sizeof *P);
  memset(q->newton.gradient, 0, q->p * sizeof *q->newton.gradient);
  prior_slopes(&q->prior, PENALTY_SQUARE, 1, q->prior.value, q->newton.gradient, P);
}

/* That of what it knows. */
static void known_part(struct problem *q, const double *all, double *P)
{
  for (size_t i = 0; i < q->p; i++) {
    for (size_t j = 0; j < q->p; j++) P[i * q->p + j] = q->prior.known[i] && q->prior.known[j] ? all[i * q->p + j] : 0;
  }
}

/* y' P y */
static double form(size_t p, const double *P, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < p; i++) {
    for (size_t j = 0; j < p && y[i] != 0; j++) sum += y[i] * P[i * p + j] * y[j];
  }
  return sum;
}

/* The strength that the data themselves give the prior, which is how far from it they are where they tell:
 *   strength samples |x - prior|_P^2 = known - strength tr(H^-1 P)
 * x the minimum at this strength. Source: MacKay 1992, equation 4.5. */
static double told_strength(struct problem *q, const double *P, double samples)
{
  enum { EVIDENCE_ROUNDS = 12 };
  const double chosen = q->strength;
  double told = chosen;
  for (int round = 0; round < EVIDENCE_ROUNDS; round++) {
    double parameters = 0, last = told;
    memcpy(q->x, q->prior.value, q->p * sizeof *q->x);
    q->strength = told;
    newton_minimise(&q->newton, q->x);
    set_slopes(q, q->x, q->newton.gradient, q->newton.hessian);
    if (!scaled_cholesky_factor(q->p, q->newton.hessian, q->newton.scale)) break;
    for (size_t k = 0; k < q->p; k++) {
      if (!q->prior.known[k]) continue;
      memcpy(q->newton.step, P + k * q->p, q->p * sizeof *P);
      solve_hessian(&q->newton, q->newton.step);
      parameters += 1 - told * q->newton.step[k];
    }
    for (size_t k = 0; k < q->p; k++) q->newton.trial[k] = q->x[k] - q->prior.value[k];
    told = fmax(parameters, 0) / (samples * form(q->p, P, q->newton.trial));
    if (!(told < INFINITY) || fabs(told - last) < 0.01 * last) break;
  }
  q->strength = chosen;
  return told;
}

/* How far the prior pulls, beyond what a posterior knows of: by how much the mean square error H^-1 A'A H^-1 + (strength^2 /
 * told) H^-1 P H^-1 is more than H^-1. Source: Hoerl & Kennard 1970, equation 4.2. */
static double pull_of(const struct problem *q, double told)
{
  return told < q->strength ? q->strength * (q->strength / fmax(told, 1e-12 * q->strength) - 1) : 0;
}

/* What estimates vary by: V = H^-1 (B'M B / samples + Q) H^-1 / samples, M = T'T the scores' and Q the prior's part. */
struct spread {
  const double *Q, *T; /* p x p; b x b, a triangle */
  double samples;
  double *h, *Qh, *Th; /* p, p, b of each of a row of directions: H^-1 y, and Q and T B times that */
};

static void spread_along(struct problem *q, const struct spread *s, size_t k, const double *y)
{
  const struct training *t = q->training;
  const size_t b = q->b, p = q->p;
  double *h = s->h + k * p, *Qh = s->Qh + k * p, *Th = s->Th + k * b, *Bh = q->residual;
  memcpy(h, y, p * sizeof *h);
  scaled_cholesky_solve(p, q->newton.hessian, q->newton.scale, h);
  for (size_t i = 0; i < p; i++) {
    Qh[i] = 0;
    for (size_t j = 0; j < p; j++) Qh[i] += s->Q[i * p + j] * h[j];
  }
  for (size_t i = 0; i < b; i++) {
    const double *combination = armdyn_base_parameter_coefficients(t->unknowns->base, i);
    Bh[i] = 0;
    for (size_t c = 0; c < p; c++) Bh[i] += t->held[c] ? 0 : combination[c] * h[c];
  }
  for (size_t i = 0; i < b; i++) {
    Th[i] = 0;
    for (size_t j = i; j < b; j++) Th[i] += s->T[i * b + j] * Bh[j];
  }
}

/* Covariance of what directions i and k are. */
static double spread_between(const struct problem *q, const struct spread *s, size_t i, size_t k)
{
  const double *h = s->h + i * q->p, *Qh = s->Qh + k * q->p, *Ti = s->Th + i * q->b, *Tk = s->Th + k * q->b;
  double noise = 0, prior = 0;
  for (size_t c = 0; c < q->b; c++) noise += Ti[c] * Tk[c];
  for (size_t c = 0; c < q->p; c++) prior += h[c] * Qh[c];
  return (noise / s->samples + prior) / s->samples;
}

/* Of base parameters, then of standard ones. */
static void fill_covariance(struct problem *q, const struct spread *spread, struct armdyn_estimate *out)
{
  const struct training *t = q->training;
  const struct armdyn_base_parameters *base = t->unknowns->base;
  const size_t b = q->b, p = q->p;
  for (size_t k = 0; k < b; k++) {
    spread_along(q, spread, k, armdyn_base_parameter_coefficients(base, k));
    for (size_t i = 0; i <= k; i++)
      out->covariance[i * b + k] = out->covariance[k * b + i] = spread_between(q, spread, i, k);
    for (size_t i = 0; i < b; i++) {
      const double *combination = armdyn_base_parameter_coefficients(base, i);
      double *inverse = &q->training->inverse[i * b + k];
      for (size_t c = 0; c < p; c++) *inverse += combination[c] * spread->h[k * p + c];
    }
    out->deviation[k] = t->held[armdyn_base_parameter_lead(base, k)] ? NAN : sqrt(out->covariance[k * b + k]);
  }
  for (size_t k = 0; k < p; k++) {
    double *y = q->newton.step;
    memset(y, 0, p * sizeof *y);
    y[k] = 1;
    spread_along(q, spread, 0, y);
    out->standard_deviation[k] = t->held[k] ? 0 : sqrt(spread_between(q, spread, 0, 0));
  }
}

/* Of samples of which `correlation` count as one: how strong the prior is and how strong the data say that it is, the
 * strengths of a posterior. Answers the factor of the known part of Q; joints are weighed as before then. */
static double told_pull(struct problem *q, const double *P, double correlation, const struct armdyn_estimate *out)
{
  struct training *t = q->training;
  double weight[ARMDYN_JOINTS_MAX];
  memcpy(weight, t->weight, sizeof weight);
  for (size_t i = 0; i < t->unknowns->n; i++) t->weight[i] = 1 / (out->joint_deviation[i] * sqrt(out->correlation[i]));
  set_equations(q, t, t->fold_count);
  q->strength = out->prior_strength / correlation;
  const double pull = pull_of(q, told_strength(q, P, (double)t->all->samples));
  memcpy(t->weight, weight, sizeof weight);
  return correlation * correlation * pull;
}

/* H of the estimate as it was made, at the prior. */
static bool factor_hessian(struct problem *q, double strength)
{
  set_equations(q, q->training, q->training->fold_count);
  q->strength = strength;
  memcpy(q->x, q->prior.value, q->p * sizeof *q->x);
  set_slopes(q, q->x, q->newton.gradient, q->newton.hessian);
  return scaled_cholesky_factor(q->p, q->newton.hessian, q->newton.scale);
}

/* About the prior's values there is a normal prior as wide as the data show it to be, or as it was taken to be if that is
 * wider: its part of the mean square error is Q. */
enum armdyn_status regularized_spread(struct training *training, bool ignore_prior, const double *T,
                                      struct armdyn_estimate *out)
{
  const size_t n = training->unknowns->n, b = training->unknowns->base_count, p = training->unknowns->standard_count;
  struct armdyn_warnings known_already = { 0 };
  struct problem q;
  double correlation = 0;
  enum armdyn_status status = problem_open(training, PENALTY_SQUARE, ignore_prior, &q, &known_already);
  if (status) return status;
  for (size_t i = 0; i < n; i++) correlation += out->correlation[i] / (double)n;
  double *Q = malloc((2 * p * p + b * (2 * p + b)) * sizeof *Q);
  if (!Q) {
    problem_close(&q);
    return ARMDYN_EMEMORY;
  }
  double *P = Q + p * p, *h = P + p * p;
  const struct spread spread = { Q, T, (double)training->all->samples, h, h + b * p, h + 2 * b * p };
  prior_part(&q, Q);
  known_part(&q, Q, P);
  const double pull = told_pull(&q, P, correlation, out);
  for (size_t k = 0; k < p * p; k++) Q[k] = correlation * out->prior_strength * Q[k] + pull * P[k];
  if (factor_hessian(&q, out->prior_strength)) fill_covariance(&q, &spread, out);
  free(Q);
  problem_close(&q);
  return status;
}
