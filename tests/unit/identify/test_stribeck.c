/* Stribeck velocities that are searched for are found, with honest deviations, wherever they lie between those tried. */
#include "tests/support/sanitized.h"
#include "tests/support/simulated.h"

enum { TERMS = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_STRIBECK };

/* What someone finds who knows nothing of the friction of a robot. */
struct found {
  struct armdyn_robot *refined;
  struct armdyn_stribeck stribeck;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
};

/* The SCARA with Stribeck friction in its first two joints, without lines and what is fast. */
static struct armdyn_robot *truth_with(const double velocity[2])
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  d.joints[0].friction.high_speed = 0;
  d.joints[0].friction.ripple_count = 0;
  for (size_t i = 0; i < 2; i++) {
    d.joints[i].friction.stiction = velocity[i] > 0 ? 1.6 * d.joints[i].friction.coulomb.positive : NAN;
    d.joints[i].friction.stribeck_velocity = velocity[i] > 0 ? velocity[i] : NAN;
  }
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  armdyn_robot_free(full);
  return truth;
}

static struct found find(const struct armdyn_robot *truth, const struct armdyn_motion *motion)
{
  const struct armdyn_source source = { motion->count, 1, read_one, (void *)(uintptr_t)motion };
  struct armdyn_estimation estimation = { .folds = 4 };
  struct armdyn_robot *plain = without_friction(truth), *chosen;
  struct armdyn_friction_choice choice[N];
  const unsigned terms[N] = { TERMS, TERMS, TERMS, TERMS };
  struct armdyn_error error = { "", "" };
  struct found found;
  cr_assert_eq(
      armdyn_choose_friction(plain, TERMS, 0, ARMDYN_ROTORS_ALL, &source, &estimation, choice, &chosen, &error),
      ARMDYN_OK, "%s %s", error.pointer, error.message);
  cr_assert_eq(armdyn_refine_stribeck(plain, chosen, terms, ARMDYN_ROTORS_ALL, &source, &estimation, &found.refined,
                                      &found.stribeck, &error),
               ARMDYN_OK, "%s %s", error.pointer, error.message);
  cr_assert_eq(armdyn_unknowns_new(found.refined, TERMS, ARMDYN_ROTORS_ALL, &found.unknowns, NULL), ARMDYN_OK);
  estimation.estimator = ARMDYN_WLS;
  estimation.more_covariance = found.stribeck.covariance;
  cr_assert_eq(armdyn_identify_source(found.unknowns, &source, &estimation, &found.estimate, NULL), ARMDYN_OK);
  armdyn_robot_free(chosen);
  armdyn_robot_free(plain);
  return found;
}

static void found_free(struct found *found)
{
  armdyn_estimate_free(&found->estimate);
  armdyn_unknowns_free(found->unknowns);
  armdyn_stribeck_free(&found->stribeck);
  armdyn_robot_free(found->refined);
}

static void expect_near(const struct found *found, const char *name, double truth)
{
  const size_t k = standard_named(found->unknowns, name);
  const double value = found->estimate.standard[k], deviation = found->estimate.standard_deviation[k];
  cr_log_info("%s: %.5g, is %.5g, deviation %.2g", name, value, truth, deviation);
  cr_expect_lt(fabs(value / truth - 1), 0.05, "%s: %g, is %g", name, value, truth);
  cr_expect_lt(fabs(value - truth), 4 * deviation, "%s: %g, is %g +- %g", name, value, truth, deviation);
}

/* The joints' fastest are some 3 rad/s: what is tried is 0.06, 0.15, 0.3, 0.6 rad/s. */
Test(stribeck, velocities_between_those_tried_are_found)
{
  static const double velocities[][2] = { { 0.09, 0.4 }, { 0.45, 0.2 }, { 0.22, 0.11 } };
  for (size_t v = 0; v < (SANITIZED ? 1 : sizeof velocities / sizeof *velocities); v++) {
    struct armdyn_robot *truth = truth_with(velocities[v]);
    struct armdyn_motion motion = simulated_filtered(truth, 5 + v, 1e-5, 0.01, 20);
    struct found found = find(truth, &motion);
    for (size_t i = 0; i < 2; i++) {
      const double vs = armdyn_robot_description(found.refined)->joints[i].friction.stribeck_velocity;
      const double deviation = found.stribeck.deviation[i];
      cr_log_info("velocity %zu: %.5g, is %.5g, deviation %.2g", i + 1, vs, velocities[v][i], deviation);
      cr_expect_lt(fabs(vs / velocities[v][i] - 1), 0.05, "%zu: %g", i + 1, vs);
      cr_expect_lt(fabs(vs - velocities[v][i]), 4 * deviation, "%zu: %g +- %g", i + 1, vs, deviation);
    }
    expect_near(&found, "j1.stiction", 1.6 * 4);
    expect_near(&found, "j1.coulomb", 4);
    expect_near(&found, "j1.viscous", 6);
    expect_near(&found, "j2.stiction", 1.6 * 2);
    expect_near(&found, "j2.coulomb", 2);
    expect_near(&found, "j2.viscous", 3);
    found_free(&found);
    armdyn_motion_free(&motion);
    armdyn_robot_free(truth);
  }
}

/* Nothing slow enough is in the log: that is said, and no velocity is made up. The same of joints without such friction. */
Test(stribeck, what_the_data_do_not_tell_is_said)
{
  struct armdyn_robot *truth = truth_with((double[]){ 2e-3, 0.3 });
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  struct found found = find(truth, &motion);
  const struct armdyn_warnings *warnings = &found.stribeck.warnings;
  cr_assert_eq(warnings->count, 3);
  for (size_t k = 0; k < 3; k++) {
    cr_expect_eq(warnings->list[k].code, ARMDYN_WARNING_STRIBECK_UNKNOWN);
    cr_expect_eq(warnings->list[k].joint, k == 0 ? 0 : (int)k + 1);
  }
  for (size_t i = 0; i < N; i++) {
    cr_expect_eq(isnan(found.stribeck.deviation[i]), i != 1);
    cr_expect_eq(isnan(armdyn_robot_description(found.refined)->joints[i].friction.stiction), i != 1);
  }
  cr_expect_float_eq(armdyn_robot_description(found.refined)->joints[1].friction.stribeck_velocity, 0.3, 0.015);
  expect_near(&found, "j1.coulomb", 4);
  expect_near(&found, "j2.stiction", 1.6 * 2);
  found_free(&found);
  armdyn_motion_free(&motion);
  armdyn_robot_free(truth);
}

/* Noise moves velocity and stiction as their deviations say; without the velocity's part stiction would be given as better
 * known than it is. The same data give the same bits. */
Test(stribeck, deviations_are_honest)
{
  enum { RUNS = SANITIZED ? 1 : 4 };
  struct armdyn_robot *truth = truth_with((double[]){ 0.12, 0.25 });
  double square[2] = { 0, 0 }, first = 0;
  for (uint64_t run = 0; run <= RUNS; run++) {
    struct armdyn_motion motion = simulated_filtered(truth, run < RUNS ? 20 + run : 20, 1e-5, 0.02, 20);
    struct found found = find(truth, &motion);
    const size_t stiction = standard_named(found.unknowns, "j2.stiction");
    const double off[] = { (armdyn_robot_description(found.refined)->joints[1].friction.stribeck_velocity - 0.25) /
                               found.stribeck.deviation[1],
                           (found.estimate.standard[stiction] - 3.2) / found.estimate.standard_deviation[stiction] };
    const struct armdyn_source source = { motion.count, 1, read_one, &motion };
    const struct armdyn_estimation fixed = { .estimator = ARMDYN_WLS };
    struct armdyn_estimate without;
    cr_assert_eq(armdyn_identify_source(found.unknowns, &source, &fixed, &without, NULL), ARMDYN_OK);
    cr_expect_gt(found.estimate.standard_deviation[stiction], 1.05 * without.standard_deviation[stiction]);
    cr_expect_eq(found.estimate.standard[stiction], without.standard[stiction]);
    if (run == 0) first = found.estimate.standard[stiction];
    if (run == RUNS) cr_expect_eq(found.estimate.standard[stiction], first);
    for (int k = 0; k < 2 && run < RUNS; k++) {
      cr_expect_lt(fabs(off[k]), 4, "run %d: %g deviations", (int)run, off[k]);
      square[k] += off[k] * off[k] / RUNS;
    }
    armdyn_estimate_free(&without);
    found_free(&found);
    armdyn_motion_free(&motion);
  }
  for (int k = 0; k < 2 && RUNS > 1; k++) cr_expect(square[k] > 0.1 && square[k] < 4, "%g", square[k]);
  armdyn_robot_free(truth);
}
