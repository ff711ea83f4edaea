/* Logs of real arms: what is identified from one motion predicts another. */
#include "tests/support/logs.h"

#include "api/urdf/urdf.h"

/* ---------------------------------------------------------------- a KUKA LWR4+ with torque sensors */

enum { LWR = 7 };
static struct armdyn_motion lwr[3]; /* m1, m2 repeat one motion, m3 is another */
static struct armdyn_unknowns *lwr_unknowns;

static struct armdyn_robot *lwr_robot(void)
{
  static char text[1 << 16];
  static struct armdyn_robot_description description;
  const struct urdf_options options = { .allow_unphysical = true };
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  FILE *file = fopen(MEASURED "kuka_lwr4/kuka_lwr4.urdf", "rb");
  if (!file) return NULL;
  const size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  cr_assert_eq(urdf_decode(text, length, &options, &description, NULL, NULL, NULL), ARMDYN_OK);
  struct armdyn_joint plain;
  armdyn_joint_init(&plain);
  for (size_t i = 0; i < description.joint_count; i++) description.joints[i].friction = plain.friction;
  cr_assert_eq(armdyn_robot_new(&description, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return robot;
}

static bool lwr_open(unsigned friction)
{
  static struct log_file file;
  const struct armdyn_conditioning conditioning = { .position_cutoff = 8, .torque_cutoff = 8, .trim = 2.5 };
  struct armdyn_robot *robot = lwr_robot();
  if (!robot) return false;
  cr_assert_eq(armdyn_unknowns_new(robot, friction, ARMDYN_ROTORS_NONE, &lwr_unknowns, NULL), ARMDYN_OK);
  for (int k = 0; k < 3; k++) {
    char path[64];
    snprintf(path, sizeof path, MEASURED "kuka_lwr4/m%d.csv", k + 1);
    if (!log_read(path, LWR, 0, &file)) return false;
    cr_assert_eq(armdyn_condition(LWR, &file.log, &conditioning, &lwr[k], NULL), ARMDYN_OK);
  }
  armdyn_robot_free(robot);
  return true;
}

static double lwr_percent(enum armdyn_estimator estimator, const struct armdyn_motion *motions, size_t count,
                          const struct armdyn_motion *validation)
{
  const struct armdyn_estimation estimation = { .estimator = estimator };
  struct armdyn_estimate estimate;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(lwr_unknowns, motions, count, &estimation, &estimate, &error), ARMDYN_OK, "%s",
               error.message);
  const double percent = validation_percent(lwr_unknowns, LWR, estimate.beta, validation);
  cr_log_info("estimator %d: %.2f %%", estimator, percent);
  armdyn_estimate_free(&estimate);
  return percent;
}

Test(measured, least_squares_of_lwr)
{
  if (!lwr_open(ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS)) {
    cr_skip("no " MEASURED "kuka_lwr4");
  }
  /* on another motion least squares is not to be trusted: this is why there are estimators with a prior */
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr, 1, lwr + 2), 12.0);
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 2, 1, lwr), 7.2);
  /* the validation repeats a training motion: a leak, not a merit */
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 1, 2, lwr), 2.2);
}

Test(measured, least_squares_of_lwr_with_high_speed_friction)
{
  if (!lwr_open(ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS |
                ARMDYN_IDENTIFY_HIGH_SPEED)) {
    cr_skip("no " MEASURED "kuka_lwr4");
  }
  cr_expect_leq(lwr_percent(ARMDYN_OLS, lwr + 1, 2, lwr), 2.1);
}

/* ---------------------------------------------------------------- a UR10, torque from motor currents */

enum { UR = 6 };

static struct armdyn_robot *ur10(void)
{
  static const double a[UR] = { 0, -0.612, -0.5723 }, d[UR] = { 0.1273, 0, 0, 0.163941, 0.1157, 0.0922 };
  static const double quarters[UR] = { 1, 0, 0, 1, -1, 0 };
  static struct armdyn_robot_description description;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&description);
  description.joint_count = UR;
  for (int i = 0; i < UR; i++) {
    struct armdyn_joint *joint = &description.joints[i];
    armdyn_joint_init(joint);
    joint->a = a[i];
    joint->d = d[i];
    joint->alpha = quarters[i] * acos(0);
  }
  cr_assert_eq(armdyn_robot_new(&description, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* Identified from the first 70 %, validated on the rest. */
Test(measured, ur10)
{
  static struct log_file file;
  if (!log_read(MEASURED "ur10/unisa_excitation.csv", UR, UR, &file)) cr_skip("no " MEASURED "ur10");
  const struct armdyn_conditioning conditioning = { .position_cutoff = 10, .torque_cutoff = 10, .trim = 0.5 };
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS };
  struct armdyn_robot *robot = ur10();
  struct armdyn_unknowns *unknowns;
  struct armdyn_motion motion;
  struct armdyn_estimate estimate;
  cr_assert_eq(armdyn_condition(UR, &file.log, &conditioning, &motion, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(robot,
                                   ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS |
                                       ARMDYN_IDENTIFY_HIGH_SPEED,
                                   ARMDYN_ROTORS_ALL, &unknowns, NULL),
               ARMDYN_OK);
  const size_t cut = motion.count * 7 / 10;
  const struct armdyn_motion first = armdyn_motion_part(&motion, UR, 0, cut);
  const struct armdyn_motion rest = armdyn_motion_part(&motion, UR, cut, motion.count - cut);
  cr_assert_eq(armdyn_identify(unknowns, &first, 1, &estimation, &estimate, NULL), ARMDYN_OK);
  cr_expect_leq(validation_percent(unknowns, UR, estimate.beta, &rest), 7.4);
  armdyn_estimate_free(&estimate);
  armdyn_motion_free(&motion);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
}
