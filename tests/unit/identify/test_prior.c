/* Estimates that keep to what a robot can be, on simulated logs, and the functions they are made of. */
#include <criterion/criterion.h>

#include "lib/identify/prior.h"
#include "lib/identify/pseudo_inertia.h"
#include "tests/support/simulated.h"

/* A body of four point masses: P = sum m [x; 1] [x; 1]'. */
Test(prior, a_pseudo_inertia_is_the_sum_of_its_points)
{
  static const double points[4][4] = {
    { 2, 0.1, 0.2, -0.3 }, { 1, -0.4, 0, 0.1 }, { 0.5, 0.3, -0.2, 0.2 }, { 3, 0, 0.1, 0.5 }
  };
  double link[10] = { 0 }, P[16], back[10], sum[16] = { 0 };
  for (int k = 0; k < 4; k++) {
    const double m = points[k][0], x = points[k][1], y = points[k][2], z = points[k][3], one[4] = { x, y, z, 1 };
    const double ten[10] = { 1, x, y, z, y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y };
    for (int i = 0; i < 10; i++) link[i] += m * ten[i];
    for (int i = 0; i < 16; i++) sum[i] += m * one[i / 4] * one[i % 4];
  }
  pseudo_inertia_of(link, P);
  pseudo_inertia_parameters(P, back);
  for (int i = 0; i < 16; i++) cr_expect_float_eq(P[i], sum[i], 1e-14, "%d", i);
  for (int i = 0; i < 10; i++) cr_expect_float_eq(back[i], link[i], 1e-14, "%d", i);
  cr_expect(armdyn_link_is_physical(link));
  link[9] = link[4] + link[6] + 0.1; /* Izz > Ixx + Iyy */
  cr_expect_not(armdyn_link_is_physical(link));
}

/* A projection keeps what is possible, keeps mass and centre, and is as near as it can be: only eigenvalues below the
 * bound change. */
Test(prior, projection_is_to_the_nearest_body)
{
  /* about the centre (0.1, 0, 0), of 2 kg: S = diag(0.02, 0.03, -0.004) */
  double P[16] = { 0.02 + 0.02, 0, 0, 0.2, 0, 0.03, 0, 0, 0, 0, -0.004, 0, 0.2, 0, 0, 2 }, before[16];
  pseudo_inertia_project(1e-3, P);
  const double expected[16] = { 0.04, 0, 0, 0.2, 0, 0.03, 0, 0, 0, 0, 0.002, 0, 0.2, 0, 0, 2 };
  for (int i = 0; i < 16; i++) cr_expect_float_eq(P[i], expected[i], 1e-14, "%d", i);
  memcpy(before, P, sizeof P);
  pseudo_inertia_project(1e-3, P);
  for (int i = 0; i < 16; i++) cr_expect_float_eq(P[i], before[i], 1e-14, "%d", i);
}

/* Slopes against central differences, and the distance's least value, 0, at the prior. */
Test(prior, slopes_are_those_of_the_penalty)
{
  struct known known = known_open();
  const size_t p = armdyn_unknowns_standard_count(known.unknowns);
  struct armdyn_warnings warnings = { 0 };
  struct prior prior;
  struct dice dice = { 4 };
  double *x = calloc(p, sizeof *x), *g = calloc(p, sizeof *g), *low = calloc(p, sizeof *low),
         *H = calloc(p * p, sizeof *H), *unused = calloc(p * p, sizeof *unused);
  cr_assert_eq(prior_open(known.unknowns, false, NULL, NULL, NULL, &prior, &warnings), ARMDYN_OK);
  cr_expect_eq(warnings.count, 0);
  cr_expect_float_eq(prior_penalty(&prior, PENALTY_DISTANCE, 1, prior.value), 0, 1e-9);
  for (enum penalty penalty = PENALTY_DISTANCE; penalty <= PENALTY_SQUARE; penalty++) {
    memset(H, 0, p * p * sizeof *H);
    memset(g, 0, p * sizeof *g);
    for (size_t k = 0; k < p; k++) x[k] = prior.value[k] * dice_uniform(&dice, 0.99, 1.01);
    prior_slopes(&prior, penalty, 0.7, x, g, H);
    for (size_t k = 0; k < p; k++) {
      const double at = x[k], h = 1e-5 * (fabs(at) + 1e-3 * prior.scale[k] * (k < 10 * N ? 1e-3 : 1));
      double value[2];
      memset(low, 0, p * sizeof *low);
      for (int side = 0; side < 2; side++) {
        x[k] = at + (side ? h : -h);
        value[side] = prior_penalty(&prior, penalty, 0.7, x);
        double *slopes = calloc(p, sizeof *slopes);
        prior_slopes(&prior, penalty, 0.7, x, slopes, unused);
        for (size_t i = 0; i < p; i++) low[i] += (side ? 1 : -1) * slopes[i] / (2 * h);
        free(slopes);
      }
      x[k] = at;
      const double size = sqrt(H[k * p + k]);
      cr_expect_float_eq((value[1] - value[0]) / (2 * h), g[k], 1e-4 * size, "penalty %d, parameter %zu", penalty, k);
      for (size_t i = 0; i < p; i++) {
        cr_expect_float_eq(low[i], H[i * p + k], 1e-3 * size * sqrt(H[i * p + i]), "penalty %d, %zu %zu", penalty, i,
                           k);
      }
    }
  }
  x[3] += 1e3;
  cr_expect(isinf(prior_penalty(&prior, PENALTY_DISTANCE, 1, x)));
  prior_close(&prior);
  free(x), free(g), free(low), free(H), free(unused);
  known_close(&known);
}

static struct armdyn_estimate with_strength(const struct armdyn_unknowns *u, enum armdyn_estimator estimator,
                                            double strength, const struct armdyn_motion *motion)
{
  const struct armdyn_estimation estimation = { .estimator = estimator, .prior_strength = strength };
  struct armdyn_estimate out;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(u, motion, 1, &estimation, &out, &error), ARMDYN_OK, "%s", error.message);
  return out;
}

/* A weak prior gives way to least squares where the truth is a possible robot; a strong one stays where it was. */
Test(prior, the_strength_leads_from_least_squares_to_the_prior)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 2, 1e-4, 0.01);
  struct armdyn_estimate wls = with_strength(known.unknowns, ARMDYN_WLS, 0, &motion);
  const double *truth = armdyn_unknowns_prior(known.unknowns);
  for (enum armdyn_estimator estimator = ARMDYN_RIDGE; estimator <= ARMDYN_CONSISTENT; estimator++) {
    struct armdyn_estimate weak = with_strength(known.unknowns, estimator, 1e-10, &motion);
    struct armdyn_estimate strong = with_strength(known.unknowns, estimator, 1e6, &motion);
    for (size_t k = 0; k < known.count; k++) {
      cr_expect_float_eq(weak.beta[k], wls.beta[k], 0.2 * wls.deviation[k] + 1e-9, "%d %zu", estimator, k);
      cr_expect_float_eq(weak.deviation[k], wls.deviation[k], 0.05 * wls.deviation[k], "%d %zu", estimator, k);
    }
    for (size_t k = 0; k < 10 * N; k++) {
      cr_expect_float_eq(strong.standard[k], truth[k], 1e-3 * fabs(truth[k]) + 1e-4, "%d %zu", estimator, k);
    }
    armdyn_estimate_free(&weak);
    armdyn_estimate_free(&strong);
  }
  armdyn_estimate_free(&wls);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* Noise beyond all reason: least squares leaves the bounds, the consistent estimate does not. */
Test(prior, consistent_estimates_are_possible_robots)
{
  struct known known = known_open();
  const size_t p = armdyn_unknowns_standard_count(known.unknowns);
  struct armdyn_motion motion = simulated(known.robot, 6, 1e-3, 1.0), part = armdyn_motion_part(&motion, N, 0, 2000);
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_CONSISTENT };
  struct armdyn_estimate wls = with_strength(known.unknowns, ARMDYN_WLS, 0, &part), e;
  cr_assert_eq(armdyn_identify(known.unknowns, &part, 1, &estimation, &e, NULL), ARMDYN_OK);
  cr_expect_not(wls.physical[0] && wls.physical[1] && wls.physical[2] && wls.physical[3]);
  for (size_t i = 0; i < N; i++) {
    cr_expect(e.physical[i]);
    cr_expect_gt(e.standard[10 * N + i], 0, "rotor %zu", i);
  }
  for (size_t k = 10 * N; k < p; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_unknowns_standard_name(known.unknowns, k, name);
    if (strstr(name, "coulomb") || strstr(name, "viscous")) cr_expect_gt(e.standard[k], 0, "%s", name);
  }
  cr_expect_gt(e.prior_strength, 0);
  armdyn_estimate_free(&wls);
  armdyn_estimate_free(&e);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* Where the data leave a parameter open, the prior answers, and a warning names it. */
Test(prior, a_joint_at_rest_keeps_its_prior)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 3, 0, 0);
  for (size_t k = 0; k < motion.count; k++) motion.q[k * N + 3] = motion.qd[k * N + 3] = motion.qdd[k * N + 3] = 0;
  struct armdyn_estimate e = with_strength(known.unknowns, ARMDYN_CONSISTENT, 1e-4, &motion);
  bool named = false;
  for (size_t k = 0; k < e.warnings.count; k++) {
    named |= e.warnings.list[k].code == ARMDYN_WARNING_RANK_DEFICIENT && e.warnings.list[k].joint == 3;
  }
  cr_expect(named);
  cr_expect(isinf(e.condition));
  armdyn_estimate_free(&e);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* Models without masses, or with impossible ones, are said so and do not stop the work. */
Test(prior, impossible_models_are_mended_and_named)
{
  struct armdyn_robot *good = scara(), *bad = NULL;
  struct armdyn_robot_description d = *armdyn_robot_description(good);
  struct armdyn_motion motion = simulated(good, 2, 1e-4, 0.01);
  struct armdyn_unknowns *unknowns;
  d.joints[1].link = (struct armdyn_body){ 0 };
  d.joints[3].link.inertia.zz = 3 * d.joints[3].link.inertia.xx;
  cr_assert_eq(armdyn_robot_new(&d, &bad, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(bad, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  struct armdyn_estimate e = with_strength(unknowns, ARMDYN_CONSISTENT, 0, &motion);
  cr_assert_eq(e.warnings.count, 2);
  cr_expect_str_eq(armdyn_warning_name(e.warnings.list[0].code), "prior_massless");
  cr_expect_eq(e.warnings.list[0].joint, 1);
  cr_expect_str_eq(armdyn_warning_name(e.warnings.list[1].code), "prior_unphysical");
  cr_expect_eq(e.warnings.list[1].joint, 3);
  for (size_t i = 0; i < N; i++) cr_expect(e.physical[i]);
  armdyn_estimate_free(&e);
  armdyn_unknowns_free(unknowns);
  armdyn_motion_free(&motion);
  armdyn_robot_free(bad);
  armdyn_robot_free(good);
}

/* The standard parameters that go with base parameters: they have them, and are the prior's where the prior has them. */
Test(prior, the_smallest_change_has_the_base_parameters)
{
  struct known known = known_open();
  const size_t p = armdyn_unknowns_standard_count(known.unknowns);
  const double *prior = armdyn_unknowns_prior(known.unknowns);
  struct armdyn_warnings warnings = { 0 };
  struct dice dice = { 8 };
  double beta[64], *x = calloc(p, sizeof *x);
  for (int kind = 0; kind < 2; kind++) {
    for (size_t k = 0; k < known.count; k++) {
      beta[k] = armdyn_base_parameter_value(known.base, k) * (kind ? dice_uniform(&dice, 0.8, 1.2) : 1);
    }
    cr_assert_eq(armdyn_standard_parameters(known.unknowns, false, beta, NULL, x, NULL, &warnings), ARMDYN_OK);
    for (size_t k = 0; k < known.count; k++) {
      double sum = 0;
      for (size_t c = 0; c < p; c++) sum += armdyn_base_parameter_coefficients(known.base, k)[c] * x[c];
      cr_expect_float_eq(sum, beta[k], 1e-9 * fabs(beta[k]) + 1e-12, "%zu", k);
    }
    for (size_t c = 0; c < p && !kind; c++) cr_expect_float_eq(x[c], prior[c], 1e-9 * fabs(prior[c]) + 1e-12, "%zu", c);
  }
  free(x);
  known_close(&known);
}

static bool never(void *context)
{
  return ++*(int *)context > 3;
}

Test(prior, bad_requests_are_refused_and_work_can_be_cancelled)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 2, 0, 0.01);
  struct armdyn_estimate e;
  struct armdyn_error error;
  struct armdyn_estimation x = { .estimator = ARMDYN_CONSISTENT, .folds = 1 };
  cr_expect_eq(armdyn_identify(known.unknowns, &motion, 1, &x, &e, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.pointer, "/folds");
  x = (struct armdyn_estimation){ .estimator = ARMDYN_CONSISTENT, .prior_strength = NAN };
  cr_expect_eq(armdyn_identify(known.unknowns, &motion, 1, &x, &e, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.pointer, "/prior_strength");
  int calls = 0;
  x = (struct armdyn_estimation){ .estimator = ARMDYN_CONSISTENT, .cancelled = never, .context = &calls };
  cr_expect_eq(armdyn_identify(known.unknowns, &motion, 1, &x, &e, &error), ARMDYN_ECANCELLED);
  cr_expect_eq(calls, 4);
  armdyn_motion_free(&motion);
  known_close(&known);
}
