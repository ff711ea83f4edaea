/* Logs of real arms: what is identified from one motion predicts another. */

#include "tests/support/logs.h"
#include "tests/support/sanitized.h"

/* ---------------------------------------------------------------- a KUKA LWR4+ with torque sensors */

static struct armdyn_motion lwr[3]; /* m1, m2 repeat one motion, m3 is another */
static struct armdyn_unknowns *lwr_unknowns;

static bool lwr_open(unsigned friction)
{
  static struct log_file file;
  const struct armdyn_conditioning conditioning = { .position_cutoff = 8, .torque_cutoff = 8, .trim = 2.5 };
  struct armdyn_robot *robot = lwr_robot();
  if (!robot) return false;
  cr_assert_eq(armdyn_unknowns_new(robot, friction, ARMDYN_ROTORS_NONE, &lwr_unknowns, NULL), ARMDYN_OK);
  for (int k = 0; k < 3; k++) {
    char path[64];
    snprintf(path, sizeof path, "kuka_lwr4/m%d.csv", k + 1);
    if (!log_read(path, LWR, 0, &file)) return false;
    cr_assert_eq(armdyn_condition(LWR, &file.log, &conditioning, &lwr[k], NULL), ARMDYN_OK);
  }
  armdyn_robot_free(robot);
  return true;
}

/* Error on the validation, in percent; least squares without signs, as others' figures of it are. Nothing that the
 * estimator does depends on the validation. */
static double lwr_percent(enum armdyn_estimator estimator, const struct armdyn_motion *motions, size_t count,
                          const struct armdyn_motion *validation)
{
  const struct armdyn_estimation estimation = { .estimator = estimator, .free_signs = estimator == ARMDYN_OLS };
  struct armdyn_estimate estimate;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(lwr_unknowns, motions, count, &estimation, &estimate, &error), ARMDYN_OK, "%s",
               error.message);
  const double percent = validation_percent(lwr_unknowns, LWR, estimate.beta, validation);
  cr_log_info("estimator %d: %.2f %%", estimator, percent);
  for (size_t i = 0; i < LWR && estimator == ARMDYN_CONSISTENT; i++) cr_expect(estimate.physical[i], "link %zu", i);
  armdyn_estimate_free(&estimate);
  return percent;
}

Test(measured, least_squares_of_lwr)
{
  if (!lwr_open(ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS)) {
    cr_skip("no measured data kuka_lwr4");
  }
  /* on another motion least squares is not to be trusted: this is why there are estimators with a prior */
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr, 1, lwr + 2), 12.0);
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 2, 1, lwr), 7.3);
  /* the validation repeats a training motion: a leak, not a merit */
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 1, 2, lwr), 2.2);
}

Test(measured, least_squares_of_lwr_with_high_speed_friction)
{
  if (!lwr_open(ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS |
                ARMDYN_IDENTIFY_HIGH_SPEED)) {
    cr_skip("no measured data kuka_lwr4");
  }
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 1, 2, lwr), 2.1);
}

Test(measured, consistent_estimate_of_lwr)
{
  if (!lwr_open(ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS)) {
    cr_skip("no measured data kuka_lwr4");
  }
  cr_expect_leq(lwr_percent(ARMDYN_CONSISTENT, lwr, 1, lwr + 2), 6.0);
  if (!SANITIZED) cr_expect_leq(lwr_percent(ARMDYN_CONSISTENT, lwr + 2, 1, lwr), 3.5);
}

/* ---------------------------------------------------------------- a UR10, torque from motor currents */

/* Signs are free: this log's friction flattens within its own speeds, and would fall at three times that.
 * Identified from the first 70 %, validated on the rest. The model has no masses: least squares needs none, and for the
 * consistent estimate rough bodies stand in. */
Test(measured, ur10)
{
  static struct log_file file;
  if (!log_read("ur10/unisa_excitation.csv", UR, UR, &file)) cr_skip("no measured data ur10");
  const struct armdyn_conditioning conditioning = { .position_cutoff = 10, .torque_cutoff = 10, .trim = 0.5 };
  const enum armdyn_estimator estimators[] = { ARMDYN_WLS, ARMDYN_CONSISTENT };
  struct armdyn_robot *robot = ur10();
  struct armdyn_unknowns *unknowns;
  struct armdyn_motion motion;
  cr_assert_eq(armdyn_condition(UR, &file.log, &conditioning, &motion, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(robot,
                                   ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS |
                                       ARMDYN_IDENTIFY_HIGH_SPEED,
                                   ARMDYN_ROTORS_ALL, &unknowns, NULL),
               ARMDYN_OK);
  const size_t cut = motion.count * 7 / 10;
  const struct armdyn_motion first = armdyn_motion_part(&motion, UR, 0, cut);
  const struct armdyn_motion rest = armdyn_motion_part(&motion, UR, cut, motion.count - cut);
  for (int k = 0; k < 2; k++) {
    const struct armdyn_estimation estimation = { .estimator = estimators[k], .free_signs = true };
    struct armdyn_estimate estimate;
    cr_assert_eq(armdyn_identify(unknowns, &first, 1, &estimation, &estimate, NULL), ARMDYN_OK);
    const double percent = validation_percent(unknowns, UR, estimate.beta, &rest);
    cr_log_info("estimator %d: %.2f %%", estimators[k], percent);
    cr_expect_leq(percent, k == 0 ? 7.0 : 6.5);
    armdyn_estimate_free(&estimate);
  }
  armdyn_motion_free(&motion);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
}
