/* Estimators on simulated logs whose truth is known: a SCARA with rotors and friction. */
#define LOG_SAMPLES 20000 /* deviations over few runs want long ones */

#include <criterion/criterion.h>

#include "tests/support/sanitized.h"
#include "tests/support/simulated.h"

static struct armdyn_estimate estimate_of(const struct armdyn_unknowns *u, enum armdyn_estimator estimator,
                                          const struct armdyn_motion *motion)
{
  const struct armdyn_estimation estimation = { .estimator = estimator };
  struct armdyn_estimate out;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(u, motion, 1, &estimation, &out, &error), ARMDYN_OK, "%s", error.message);
  return out;
}

/* Is parameter k one of friction? */
static bool is_friction(const struct known *known, size_t k)
{
  return armdyn_base_parameter_lead(known->base, k) >= 10 * N + N;
}

/* Ten runs, or a hundred in a soak. */
static size_t run_count(void)
{
  const char *soak = getenv("ARMDYN_SOAK");
  return soak && strcmp(soak, "0") != 0 ? 100 : SANITIZED ? 3 : 10;
}

/* Encoders of 3e-5 rad: noise in positions that is larger draws inertias to 0 by errors in variables (0.2 % at 1e-4 rad),
 * which no deviation of least squares knows. */
static void expect_within_three_deviations(double torque_cutoff)
{
  struct known known = known_open();
  const size_t runs = run_count();
  size_t within[64] = { 0 };
  for (uint64_t run = 1; run <= runs; run++) {
    struct armdyn_motion motion = simulated_filtered(known.robot, run, 3e-5, 0.01, torque_cutoff);
    struct armdyn_estimate e = estimate_of(known.unknowns, ARMDYN_WLS, &motion);
    for (size_t k = 0; k < known.count; k++) {
      const double truth = armdyn_base_parameter_value(known.base, k), off = fabs(e.beta[k] - truth);
      within[k] += off <= 3 * e.deviation[k];
      if (is_friction(&known, k)) cr_expect_leq(off, 0.05 * fabs(truth), "run %zu, %zu", (size_t)run, k);
    }
    armdyn_estimate_free(&e);
    armdyn_motion_free(&motion);
  }
  for (size_t k = 0; k < known.count; k++) {
    cr_expect(10 * within[k] >= 9 * runs || within[k] + 1 >= runs, "parameter %zu: %zu of %zu runs", k, within[k],
              runs);
  }
  known_close(&known);
}

Test(estimate, parameters_are_found_within_three_deviations)
{
  expect_within_three_deviations(0);
}

/* A filter rounds off the jumps of friction; the columns of friction have to go through it too. */
Test(estimate, a_filtered_torque_makes_no_difference)
{
  expect_within_three_deviations(20);
}

/* How many parameters are more than their deviation off. */
static size_t beyond_deviation(const struct known *known, const struct armdyn_estimate *e)
{
  size_t beyond = 0;
  for (size_t k = 0; k < known->count; k++)
    beyond += fabs(e->beta[k] - armdyn_base_parameter_value(known->base, k)) > e->deviation[k];
  return beyond;
}

/* Of normal errors 32 % are beyond one deviation. */
static void expect_a_third(size_t beyond, size_t count)
{
  const double share = (double)beyond / (double)count;
  cr_expect(share > 0.2 && share < 0.45, "%g", share);
}

/* ... and not by deviations that are too wide. */
Test(estimate, deviations_are_not_exaggerated)
{
  enum { RUNS = SANITIZED ? 3 : 10 };
  struct known known = known_open();
  size_t beyond = 0;
  for (uint64_t run = 21; run < 21 + RUNS; run++) {
    struct armdyn_motion motion = simulated(known.robot, run, 0, 0.01);
    struct armdyn_estimate e = estimate_of(known.unknowns, ARMDYN_WLS, &motion);
    beyond += beyond_deviation(&known, &e);
    armdyn_estimate_free(&e);
    armdyn_motion_free(&motion);
  }
  expect_a_third(beyond, RUNS * known.count);
  known_close(&known);
}

/* Outliers pull least squares, but hardly the robust estimate. */
Test(estimate, robust_estimate_withstands_outliers)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 5, 0, 0.01);
  struct dice dice = { 9 };
  for (size_t k = 0; k < motion.count; k += 20) motion.tau[k * N + k / 20 % N] += dice_uniform(&dice, 100, 300);
  double off[2] = { 0 };
  const enum armdyn_estimator estimators[2] = { ARMDYN_WLS, ARMDYN_IRLS };
  for (int m = 0; m < 2; m++) {
    struct armdyn_estimate e = estimate_of(known.unknowns, estimators[m], &motion);
    for (size_t k = 0; k < known.count; k++) {
      if (!is_friction(&known, k)) continue;
      const double truth = armdyn_base_parameter_value(known.base, k);
      off[m] += fabs(e.beta[k] / truth - 1);
    }
    armdyn_estimate_free(&e);
  }
  cr_expect_lt(off[1], 0.1 * off[0], "%g against %g", off[1], off[0]);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* ... and its deviations are those of what it feels of them. */
Test(estimate, robust_deviations_are_honest)
{
  enum { RUNS = 8, SAMPLES = 3000 };
  struct known known = known_open();
  size_t beyond = 0;
  struct dice dice = { 10 };
  for (uint64_t run = 41; run < 41 + RUNS; run++) {
    struct armdyn_motion motion = simulated(known.robot, run, 0, 0.01);
    const struct armdyn_motion part = armdyn_motion_part(&motion, N, 0, SAMPLES);
    for (size_t k = 0; k < SAMPLES; k += 20) part.tau[k * N + k / 20 % N] += dice_uniform(&dice, -200, 200);
    struct armdyn_estimate e = estimate_of(known.unknowns, ARMDYN_IRLS, &part);
    beyond += beyond_deviation(&known, &e);
    armdyn_estimate_free(&e);
    armdyn_motion_free(&motion);
  }
  expect_a_third(beyond, RUNS * known.count);
  known_close(&known);
}

/* Blocks, their lengths and their order do not matter; squares are those of the residuals. */
Test(estimate, regressions_merge_to_the_same_equations)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 7, 1e-4, 0.01);
  struct armdyn_regression *whole = armdyn_regression_new(known.unknowns);
  struct armdyn_regression *parts = armdyn_regression_new(known.unknowns);
  struct armdyn_regression *tail = armdyn_regression_new(known.unknowns);
  armdyn_regression_add(whole, &motion, NULL);
  const size_t cuts[] = { 0, 1, 333, 5000, motion.count };
  for (int k = 4; k-- > 0;) {
    const struct armdyn_motion part = armdyn_motion_part(&motion, N, cuts[k], cuts[k + 1] - cuts[k]);
    armdyn_regression_add(k < 2 ? parts : tail, &part, NULL);
  }
  armdyn_regression_merge(parts, tail);
  cr_expect_eq(armdyn_regression_sample_count(parts), motion.count);

  double beta[64], left[2][N], torque[2][N], square[N] = { 0 };
  double *tau = malloc(motion.count * N * sizeof *tau);
  for (size_t k = 0; k < known.count; k++) beta[k] = 0.9 * armdyn_base_parameter_value(known.base, k);
  armdyn_regression_squares(whole, beta, left[0], torque[0]);
  armdyn_regression_squares(parts, beta, left[1], torque[1]);
  cr_assert_eq(armdyn_predict(known.unknowns, beta, &motion, tau), ARMDYN_OK);
  for (size_t k = 0; k < motion.count * N; k++) square[k % N] += (motion.tau[k] - tau[k]) * (motion.tau[k] - tau[k]);
  for (size_t i = 0; i < N; i++) {
    cr_expect_float_eq(left[0][i], square[i], 1e-9 * square[i]);
    cr_expect_float_eq(left[1][i], square[i], 1e-9 * square[i]);
    cr_expect_float_eq(torque[1][i], torque[0][i], 1e-9 * torque[0][i]);
  }
  free(tau);
  armdyn_regression_free(whole);
  armdyn_regression_free(parts);
  armdyn_regression_free(tail);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* Joint 4 rests, which the encoder's noise hides, at a speed where Coulomb friction is all there: what the torque shows is no
 * friction. It stays what the model says, and what the other joints show is found. */
Test(estimate, friction_of_a_joint_that_rests_stays_the_models)
{
  enum { STILL = 3 };
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 3, 0, 0.01);
  struct dice dice = { 11 };
  for (size_t k = 0; k < motion.count; k++) {
    const size_t at = k * N + STILL;
    motion.q[at] = 0.4 + 1e-4 * normal(&dice);
    motion.qd[at] = 5e-3 * normal(&dice);
    motion.qdd[at] = 0;
    motion.tau[at] = 30 * normal(&dice);
  }
  const struct armdyn_motion part = armdyn_motion_part(&motion, N, 0, motion.count / 2);
  const double *const prior = armdyn_unknowns_prior(known.unknowns);
  const enum armdyn_estimator estimators[] = { ARMDYN_RIDGE, ARMDYN_CONSISTENT };
  for (int m = 0; m < 2; m++) {
    for (int from_model = 0; from_model < 2; from_model++) {
      const struct armdyn_estimation estimation = { .estimator = estimators[m], .ignore_prior = !from_model };
      struct armdyn_estimate e;
      cr_assert_eq(armdyn_identify(known.unknowns, &part, 1, &estimation, &e, NULL), ARMDYN_OK);
      bool said = false;
      for (size_t i = 0; i < e.warnings.count; i++) {
        const struct armdyn_warning *w = &e.warnings.list[i];
        said |= w->code == ARMDYN_WARNING_RANK_DEFICIENT && w->joint == STILL && strstr(w->detail, "j4.coulomb");
      }
      cr_expect(said);
      for (size_t k = 0; k < armdyn_unknowns_standard_count(known.unknowns); k++) {
        char name[ARMDYN_PARAMETER_NAME_SIZE];
        armdyn_unknowns_standard_name(known.unknowns, k, name);
        if (strcmp(name, "j4.coulomb") == 0 || strcmp(name, "j4.viscous") == 0) {
          cr_expect_eq(e.standard[k], prior[k], "%s: %g", name, e.standard[k]);
          cr_expect_eq(e.standard_deviation[k], 0);
        } else if (strcmp(name, "j1.coulomb") == 0 || strcmp(name, "j2.viscous") == 0) {
          /* their torques were made while joint 4 moved, which they feel a little */
          cr_expect_float_eq(e.standard[k], prior[k], 0.1 * prior[k], "%s: %g", name, e.standard[k]);
        }
      }
      for (size_t k = 0; k < known.count; k++) {
        const size_t lead = armdyn_base_parameter_lead(known.base, k);
        char name[ARMDYN_PARAMETER_NAME_SIZE];
        armdyn_unknowns_standard_name(known.unknowns, lead, name);
        const bool rests = !strcmp(name, "j4.coulomb") || !strcmp(name, "j4.viscous");
        cr_expect_eq(isnan(e.deviation[k]), rests || e.at_bound[lead], "%s", name);
      }
      armdyn_estimate_free(&e);
    }
  }
  armdyn_motion_free(&motion);
  known_close(&known);
}

Test(estimate, a_joint_that_does_not_move_is_named)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 3, 0, 0);
  for (size_t k = 0; k < motion.count; k++) motion.q[k * N + 3] = motion.qd[k * N + 3] = motion.qdd[k * N + 3] = 0;
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_OLS };
  struct armdyn_estimate e;
  struct armdyn_error error = { "", "" };
  cr_expect_eq(armdyn_identify(known.unknowns, &motion, 1, &estimation, &e, &error), ARMDYN_ESINGULAR);
  cr_expect(strstr(error.message, "j4."), "%s", error.message);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* By hand: e = 1 -1 2 on tau = 1 2 6. */
Test(estimate, errors_are_as_defined)
{
  const double measured[3] = { 1, 2, 6 }, predicted[3] = { 0, 3, 4 };
  struct armdyn_fit joint, together;
  armdyn_fit(3, 1, measured, predicted, &joint, &together);
  cr_expect_float_eq(joint.relative, sqrt(6.0 / 41), 1e-14);
  cr_expect_float_eq(joint.rms, sqrt(2), 1e-14);
  cr_expect_float_eq(joint.nrmse, sqrt(2) / 5, 1e-14);
  cr_expect_float_eq(joint.r2, 1 - 6.0 / 14, 1e-14);
  cr_expect_eq(joint.max, 2);
  cr_expect_eq(together.rms, joint.rms);
}
