/* Friction terms are kept for what they gain on data they were not fitted to. */
#include "tests/support/simulated.h"

enum {
  ALL_TERMS = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_HIGH_SPEED |
              ARMDYN_IDENTIFY_STRIBECK
};

/* The terms that are chosen for a log of `truth`, by someone who knows nothing of its friction but the ripples. */
static struct armdyn_friction_choice choice_for(const struct armdyn_robot *truth, struct armdyn_robot **chosen)
{
  struct armdyn_robot_description d = *armdyn_robot_description(truth);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-4, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .folds = 4 };
  struct armdyn_friction_choice choice;
  struct armdyn_robot *robot;
  struct armdyn_error error = { "", "" };
  for (size_t i = 0; i < N; i++) {
    struct armdyn_joint plain;
    armdyn_joint_init(&plain);
    plain.friction.ripple_count = d.joints[i].friction.ripple_count; /* known from tests of each joint alone */
    memcpy(plain.friction.ripples, d.joints[i].friction.ripples, sizeof plain.friction.ripples);
    d.joints[i].friction = plain.friction;
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(
      armdyn_choose_friction(robot, 0, ALL_TERMS, ARMDYN_ROTORS_ALL, &source, &estimation, &choice, chosen, &error),
      ARMDYN_OK, "%s %s", error.pointer, error.message);
  for (size_t k = 0; k < choice.trial_count; k++) {
    cr_log_info("%u: %.3f %% %s", choice.trials[k].term, 100 * choice.trials[k].error,
                choice.trials[k].kept ? "kept" : "");
  }
  cr_expect_lt(choice.error, choice.without);
  armdyn_motion_free(&motion);
  armdyn_robot_free(robot);
  return choice;
}

/* The SCARA has no offset, but everything else. */
Test(select, terms_that_are_there_are_kept)
{
  struct armdyn_robot *truth = scara(), *chosen;
  const struct armdyn_friction_choice choice = choice_for(truth, &chosen);
  cr_expect_eq(choice.terms, ALL_TERMS & ~(unsigned)ARMDYN_IDENTIFY_OFFSET);
  const struct armdyn_friction *f = &armdyn_robot_description(chosen)->joints[1].friction;
  cr_expect_not(isnan(f->stiction));
  cr_expect(f->stribeck_velocity > 0.1 && f->stribeck_velocity < 0.9, "%g", f->stribeck_velocity);
  armdyn_robot_free(chosen);
  armdyn_robot_free(truth);
}

Test(select, terms_that_are_not_there_are_not)
{
  struct armdyn_robot *full = scara(), *truth, *chosen;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  d.joints[0].friction.high_speed = 0;
  d.joints[1].friction.stiction = d.joints[1].friction.stribeck_velocity = NAN;
  for (size_t i = 0; i < N; i++) d.joints[i].friction.viscous = (struct armdyn_directed){ 0, 0 };
  for (size_t i = 0; i < N; i++) d.joints[i].friction.offset = 0.3 * d.joints[i].friction.coulomb.positive;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  const struct armdyn_friction_choice choice = choice_for(truth, &chosen);
  cr_expect_eq(choice.terms, ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_OFFSET);
  cr_expect(isnan(armdyn_robot_description(chosen)->joints[1].friction.stiction));
  armdyn_robot_free(chosen);
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
}

/* A term that follows the motion by driving a joint where it is fast: no friction does. */
Test(select, what_drives_a_joint_is_no_friction)
{
  struct armdyn_robot *full = scara(), *truth, *chosen;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  for (size_t i = 0; i < N; i++) d.joints[i].friction.high_speed = 0;
  d.joints[1].friction.high_speed = -3;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  const struct armdyn_friction_choice choice = choice_for(truth, &chosen);
  for (size_t k = 0; k < choice.trial_count; k++) {
    if (choice.trials[k].term != ARMDYN_IDENTIFY_HIGH_SPEED) continue;
    cr_expect_gt(choice.trials[k].gain, 1); /* it would be kept for what it gains */
    cr_expect_not(choice.trials[k].kept);
  }
  cr_expect_eq(choice.terms & ARMDYN_IDENTIFY_HIGH_SPEED, 0);
  armdyn_robot_free(chosen);
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
}

/* Asked for by name, by someone who knows neither: the Stribeck velocity is searched, the line over the motor angle found. */
Test(select, what_is_required_is_searched)
{
  struct armdyn_robot *truth = scara(), *plain = without_friction(truth), *chosen;
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .folds = 4 };
  const unsigned required = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_HIGH_SPEED |
                            ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_POSITION;
  struct armdyn_friction_choice choice;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(
      armdyn_choose_friction(plain, required, 0, ARMDYN_ROTORS_ALL, &source, &estimation, &choice, &chosen, &error),
      ARMDYN_OK, "%s %s", error.pointer, error.message);
  cr_expect_eq(choice.terms, required);
  const struct armdyn_friction *f[] = { &armdyn_robot_description(chosen)->joints[0].friction,
                                        &armdyn_robot_description(chosen)->joints[1].friction };
  cr_assert_geq(f[0]->ripple_count, 1);
  for (size_t k = 0; k < f[0]->ripple_count; k++)
    cr_log_info("%g %g %g", f[0]->ripples[k].amplitude, f[0]->ripples[k].order, f[0]->ripples[k].phase);
  cr_expect_float_eq(f[0]->ripples[0].order, 0.25, 1e-3);
  cr_expect(f[1]->stribeck_velocity > 0.1 && f[1]->stribeck_velocity < 0.9, "%g", f[1]->stribeck_velocity);

  cr_assert_eq(armdyn_unknowns_new(chosen, choice.terms, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(unknowns, &source, &estimation, &estimate, NULL), ARMDYN_OK);
  for (size_t k = 0; k < armdyn_unknowns_standard_count(unknowns); k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_unknowns_standard_name(unknowns, k, name);
    if (!strcmp(name, "j1.position.0")) cr_expect_float_eq(estimate.standard[k], 1.2, 0.06);
    if (!strcmp(name, "j1.coulomb")) cr_expect_float_eq(estimate.standard[k], 4, 0.2);
    cr_log_info("%s %g", name, estimate.standard[k]);
  }
  armdyn_estimate_free(&estimate);
  armdyn_unknowns_free(unknowns);
  armdyn_motion_free(&motion);
  armdyn_robot_free(chosen);
  armdyn_robot_free(plain);
  armdyn_robot_free(truth);
}
