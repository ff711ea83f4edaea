/* What estimates with a prior minimise, put together from its parts anew: nothing beside them is lower. */
#include "lib/identify/regularized.h"
#include "tests/support/simulated.h"

/* sum of w_i^2 |Y_i x - tau_i|^2 / (2 samples) + strength penalty(x) */
static double goal(const struct training *t, const struct prior *prior, enum penalty penalty, double strength,
                   const double *x)
{
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(t->unknowns);
  const size_t b = armdyn_base_parameter_count(base), p = armdyn_unknowns_standard_count(t->unknowns);
  double beta[256], left[N], torque[N], sum = 0;
  cr_assert_leq(b, sizeof beta / sizeof *beta);
  for (size_t k = 0; k < b; k++) {
    beta[k] = 0;
    for (size_t c = 0; c < p; c++) beta[k] += armdyn_base_parameter_coefficients(base, k)[c] * x[c];
  }
  armdyn_regression_squares(t->all, beta, left, torque);
  for (size_t i = 0; i < N; i++) sum += t->weight[i] * t->weight[i] * left[i];
  return sum / (2 * (double)t->all->samples) + prior_penalty(prior, penalty, strength, x);
}

static void expect_minimum(enum penalty penalty, double strength)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 2, 1e-5, 0.05);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .prior_strength = strength };
  const size_t p = armdyn_unknowns_standard_count(known.unknowns);
  struct armdyn_robot_description d = *armdyn_robot_description(known.robot);
  struct armdyn_robot *wrong;
  struct armdyn_unknowns *unknowns;
  struct training training;
  struct prior prior;
  struct armdyn_estimate out = { .beta = calloc(known.count, sizeof *out.beta),
                                 .standard = calloc(p, sizeof *out.standard) };
  for (size_t i = 0; i < N; i++) d.joints[i].link.mass *= 1.3; /* a prior that pulls */
  cr_assert_eq(armdyn_robot_new(&d, &wrong, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(wrong, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(training_open(unknowns, &source, &estimation, 1, &training, NULL), ARMDYN_OK);
  cr_assert_eq(regularized_solve(&training, penalty, &estimation, &out, NULL), ARMDYN_OK);
  cr_assert_eq(prior_open(unknowns, false, NULL, NULL, NULL, &prior, &out.warnings), ARMDYN_OK);
  const double least = goal(&training, &prior, penalty, strength, out.standard);
  cr_expect_eq(out.prior_strength, strength);
  cr_expect_lt(least, 0.99 * goal(&training, &prior, penalty, strength, prior.value));
  for (size_t k = 0; k < p; k++) {
    const double kept = out.standard[k], step = 1e-3 * fmax(fabs(kept), 1e-3);
    for (int side = -1; side <= 1; side += 2) {
      out.standard[k] = kept + side * step;
      const double beside = goal(&training, &prior, penalty, strength, out.standard);
      cr_expect_geq(beside, least * (1 - 1e-12), "parameter %zu: %.17g beside %.17g", k, beside, least);
    }
    out.standard[k] = kept;
  }
  prior_close(&prior);
  training_close(&training);
  free(out.beta);
  free(out.standard);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(wrong);
  armdyn_motion_free(&motion);
  known_close(&known);
}

Test(regularized, nothing_beside_the_ridge_estimate_is_lower)
{
  expect_minimum(PENALTY_SQUARE, 1);
  expect_minimum(PENALTY_SQUARE, 1e-3);
}

Test(regularized, nothing_beside_the_consistent_estimate_is_lower)
{
  expect_minimum(PENALTY_DISTANCE, 1);
  expect_minimum(PENALTY_DISTANCE, 1e-3);
}
