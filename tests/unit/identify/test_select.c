/* Friction terms are kept for what they gain on data they were not fitted to. */
#include "tests/support/simulated.h"

enum {
  ALL_TERMS = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_HIGH_SPEED |
              ARMDYN_IDENTIFY_STRIBECK
};

/* What is chosen for each joint by a log of `truth`, by someone who knows nothing of its friction but the ripples. */
struct chosen {
  struct armdyn_friction_choice choice[N];
  struct armdyn_robot *robot;
};
static struct chosen choose_for(const struct armdyn_robot *truth)
{
  struct armdyn_robot_description d = *armdyn_robot_description(truth);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .folds = 8 };
  struct chosen chosen;
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
  cr_assert_eq(armdyn_choose_friction(robot, 0, ALL_TERMS, ARMDYN_ROTORS_ALL, &source, &estimation, chosen.choice,
                                      &chosen.robot, &error),
               ARMDYN_OK, "%s %s", error.pointer, error.message);
  for (size_t i = 0; i < N; i++) {
    const struct armdyn_friction_choice *choice = &chosen.choice[i];
    for (size_t k = 0; k < choice->trial_count; k++) {
      const struct armdyn_friction_trial *trial = &choice->trials[k];
      cr_log_info("joint %zu, %u: %.3f %%, gain %.2g, %.3g %g %s", i + 1, trial->term, 100 * trial->error, trial->gain,
                  trial->velocity, trial->exponent, trial->kept ? "kept" : "");
    }
    cr_expect_lt(choice->error, choice->without);
  }
  armdyn_motion_free(&motion);
  armdyn_robot_free(robot);
  return chosen;
}

/* Each joint has its own: high speed the first, Stribeck friction the second. The third lacks viscous friction, the fourth
 * has an offset, and the second changes its sign over a fiftieth of its fastest. */
Test(select, each_joint_has_the_terms_that_it_has)
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  const unsigned dry = ARMDYN_IDENTIFY_COULOMB, usual = dry | ARMDYN_IDENTIFY_VISCOUS;
  const unsigned expected[N] = { usual | ARMDYN_IDENTIFY_HIGH_SPEED, usual | ARMDYN_IDENTIFY_STRIBECK, dry,
                                 usual | ARMDYN_IDENTIFY_OFFSET };
  d.joints[1].friction.stiction = 4;
  d.joints[2].friction.viscous = (struct armdyn_directed){ 0, 0 };
  d.joints[3].friction.offset = 0.3;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  const struct chosen chosen = choose_for(truth);
  for (size_t i = 0; i < N; i++)
    cr_expect_eq(chosen.choice[i].terms, expected[i], "%zu: %u", i + 1, chosen.choice[i].terms);
  const struct armdyn_friction *f = &armdyn_robot_description(chosen.robot)->joints[1].friction;
  cr_expect(f->stribeck_velocity > 0.24 && f->stribeck_velocity < 0.36, "%g", f->stribeck_velocity);
  cr_expect_eq(f->stribeck_exponent, 2);
  cr_expect(isnan(armdyn_robot_description(chosen.robot)->joints[0].friction.stiction));
  armdyn_robot_free(chosen.robot);
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
}

/* What the model's velocity scale and exponent do not fit is found. */
Test(select, scale_and_exponent_are_found)
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  d.joints[0].velocity_scale = 0.1;
  d.joints[1].friction.stiction = 4;
  d.joints[1].friction.stribeck_exponent = 1;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  struct armdyn_robot_description plain = d;
  plain.joints[0].velocity_scale = 1e-3; /* the model's */
  armdyn_robot_free(full);
  cr_assert_eq(armdyn_robot_new(&plain, &full, NULL), ARMDYN_OK);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .folds = 8 };
  struct armdyn_friction_choice choice[N];
  struct armdyn_robot *bare = without_friction(full), *chosen;
  cr_assert_eq(
      armdyn_choose_friction(bare, 0, ALL_TERMS, ARMDYN_ROTORS_ALL, &source, &estimation, choice, &chosen, NULL),
      ARMDYN_OK);
  const struct armdyn_joint *joints = armdyn_robot_description(chosen)->joints;
  cr_expect(joints[0].velocity_scale > 0.05 && joints[0].velocity_scale < 0.2, "%g", joints[0].velocity_scale);
  cr_expect_eq(joints[1].friction.stribeck_exponent, 1);
  cr_expect(joints[1].velocity_scale < 0.02, "%g", joints[1].velocity_scale);
  armdyn_robot_free(chosen);
  armdyn_robot_free(bare);
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
  armdyn_motion_free(&motion);
}

/* A term that follows the motion by driving a joint where it is fast: no friction does. */
Test(select, what_drives_a_joint_is_no_friction)
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  for (size_t i = 0; i < N; i++) d.joints[i].friction.high_speed = 0;
  d.joints[1].friction.high_speed = -3;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  const struct chosen chosen = choose_for(truth);
  cr_expect_eq(chosen.choice[1].terms & ARMDYN_IDENTIFY_HIGH_SPEED, 0);
  armdyn_robot_free(chosen.robot);
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
}

/* A model's term that is no candidate is identified beside those that are chosen: viscous friction that flattens. */
Test(select, what_is_no_candidate_stays)
{
  struct armdyn_robot *full = scara(), *truth, *plain = without_friction(full), *chosen;
  struct armdyn_robot_description d = *armdyn_robot_description(full), bare = *armdyn_robot_description(plain);
  d.joints[0].friction.high_speed = 0;
  d.joints[0].friction.viscous = (struct armdyn_directed){ 0, 0 };
  d.joints[0].friction.ripple_count = 0; /* unknown here, it would hide what is small */
  d.joints[0].friction.sublinear = 3;
  bare.joints[0].friction.sublinear = 1;
  armdyn_robot_free(plain);
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_robot_new(&bare, &plain, NULL), ARMDYN_OK);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .folds = 8 };
  struct armdyn_friction_choice choice[N];
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  unsigned terms[N];
  cr_assert_eq(
      armdyn_choose_friction(plain, 0, ALL_TERMS, ARMDYN_ROTORS_ALL, &source, &estimation, choice, &chosen, NULL),
      ARMDYN_OK);
  for (size_t i = 0; i < N; i++) terms[i] = choice[i].terms;
  cr_expect(terms[0] & ARMDYN_IDENTIFY_SUBLINEAR, "%u", terms[0]);
  cr_expect_eq((terms[1] | terms[2] | terms[3]) & ARMDYN_IDENTIFY_SUBLINEAR, 0);
  cr_assert_eq(armdyn_unknowns_by_joint(chosen, terms, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(unknowns, &source, &estimation, &estimate, NULL), ARMDYN_OK);
  const size_t at = standard_named(unknowns, "j1.sublinear");
  cr_expect_float_eq(estimate.standard[at], 3, 0.15, "%g", estimate.standard[at]);
  armdyn_estimate_free(&estimate);
  armdyn_unknowns_free(unknowns);
  armdyn_motion_free(&motion);
  armdyn_robot_free(chosen);
  armdyn_robot_free(plain);
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
  struct armdyn_friction_choice choice[N];
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(
      armdyn_choose_friction(plain, required, 0, ARMDYN_ROTORS_ALL, &source, &estimation, choice, &chosen, &error),
      ARMDYN_OK, "%s %s", error.pointer, error.message);
  cr_expect_eq(choice[0].terms, required);
  const struct armdyn_friction *f[] = { &armdyn_robot_description(chosen)->joints[0].friction,
                                        &armdyn_robot_description(chosen)->joints[1].friction };
  cr_assert_geq(f[0]->ripple_count, 1);
  for (size_t k = 0; k < f[0]->ripple_count; k++)
    cr_log_info("%g %g %g", f[0]->ripples[k].amplitude, f[0]->ripples[k].order, f[0]->ripples[k].phase);
  cr_expect_float_eq(f[0]->ripples[0].order, 0.25, 1e-3);
  cr_expect(f[1]->stribeck_velocity > 0.1 && f[1]->stribeck_velocity < 0.9, "%g", f[1]->stribeck_velocity);

  cr_assert_eq(armdyn_unknowns_new(chosen, required, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
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
