/* Lines of friction over the motor angle are found in what an estimate without them leaves of a motion. */
#include "lib/identify/motion_ripples.h"
#include "tests/support/simulated.h"

/* Lines found in a log of `truth`, by someone who knows of none. */
static void find(const struct armdyn_robot *truth, struct armdyn_friction found[N])
{
  struct armdyn_robot_description d = *armdyn_robot_description(truth);
  struct armdyn_motion motion = simulated(truth, 8, 1e-5, 0.01);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS };
  struct armdyn_robot *plain;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  for (size_t i = 0; i < N; i++) d.joints[i].friction.ripple_count = 0;
  cr_assert_eq(armdyn_robot_new(&d, &plain, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(plain, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(unknowns, &source, &estimation, &estimate, NULL), ARMDYN_OK);
  for (size_t i = 0; i < N; i++) found[i] = d.joints[i].friction;
  cr_assert_eq(motion_ripples_find(unknowns, estimate.beta, &source, found, NULL), ARMDYN_OK);
  armdyn_estimate_free(&estimate);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(plain);
  armdyn_motion_free(&motion);
}

Test(motion_ripples, lines_that_are_there_are_found)
{
  struct armdyn_robot *truth = scara();
  struct armdyn_friction found[N];
  find(truth, found);
  const struct armdyn_ripple *line = &found[0].ripples[0],
                             *is = &armdyn_robot_description(truth)->joints[0].friction.ripples[0];
  cr_assert_geq(found[0].ripple_count, 1);
  cr_expect_float_eq(line->order, is->order, 1e-3, "%g", line->order);
  cr_expect_float_eq(line->amplitude, is->amplitude, 0.1 * is->amplitude, "%g", line->amplitude);
  cr_expect_float_eq(remainder(line->phase - is->phase, 2 * pi), 0, 0.2, "%g", line->phase);
  for (size_t i = 1; i < N; i++) {
    for (size_t k = 0; k < found[i].ripple_count; k++) { /* what else is found is a trifle */
      cr_expect_lt(found[i].ripples[k].amplitude, 0.02 * found[i].coulomb.positive, "%zu: %g", i,
                   found[i].ripples[k].amplitude);
    }
  }
  armdyn_robot_free(truth);
}

Test(motion_ripples, where_there_are_none_none_of_weight_are_found)
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  struct armdyn_friction found[N];
  d.joints[0].friction.ripple_count = 0;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  find(truth, found);
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < found[i].ripple_count; k++) {
      cr_expect_lt(found[i].ripples[k].amplitude, 0.02 * found[i].coulomb.positive, "%zu: %g", i,
                   found[i].ripples[k].amplitude);
    }
  }
  armdyn_robot_free(truth);
  armdyn_robot_free(full);
}
