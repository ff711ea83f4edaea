/* Friction over velocity as an estimate has it: against Coulomb's and viscous friction added up by hand. */
#include "tests/support/simulated.h"

enum { POINTS = 5, TERMS = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS };

struct identified {
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
};

static struct identified identified(void)
{
  struct armdyn_robot *truth = scara(), *plain = without_friction(truth);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-5, 0.01, 20);
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_OLS };
  struct identified out = { 0 };
  cr_assert_eq(armdyn_unknowns_new(plain, TERMS, ARMDYN_ROTORS_ALL, &out.unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify(out.unknowns, &motion, 1, &estimation, &out.estimate, NULL), ARMDYN_OK);
  armdyn_motion_free(&motion);
  armdyn_robot_free(plain);
  armdyn_robot_free(truth);
  return out;
}

static void identified_free(struct identified *it)
{
  armdyn_estimate_free(&it->estimate);
  armdyn_unknowns_free(it->unknowns);
}

Test(friction_curve, adds_what_was_identified)
{
  static const double velocity[POINTS] = { -2, -0.5, 0.5, 1, 3 };
  struct identified it = identified();
  const double coulomb = it.estimate.standard[standard_named(it.unknowns, "j2.coulomb")];
  const double viscous = it.estimate.standard[standard_named(it.unknowns, "j2.viscous")];
  double torque[POINTS], deviation[POINTS];
  armdyn_friction_curve(it.unknowns, &it.estimate, 1, POINTS, velocity, torque, deviation);
  for (size_t k = 0; k < POINTS; k++) {
    cr_expect_float_eq(torque[k], copysign(coulomb, velocity[k]) + viscous * velocity[k], 1e-9, "at %g", velocity[k]);
  }
  identified_free(&it);
}

/* Its variance is var(coulomb) + 2 v cov + v^2 var(viscous): that of viscous friction far out, and with a third difference
 * of zero everywhere, as a parabola has. */
Test(friction_curve, deviations_are_those_of_a_sum)
{
  static const double velocity[POINTS] = { 1, 2, 3, 4, 1e7 };
  struct identified it = identified();
  double torque[POINTS], deviation[POINTS], square[POINTS];
  armdyn_friction_curve(it.unknowns, &it.estimate, 1, POINTS, velocity, torque, deviation);
  for (size_t k = 0; k < POINTS; k++) square[k] = deviation[k] * deviation[k];
  const double of_viscous = it.estimate.standard_deviation[standard_named(it.unknowns, "j2.viscous")];
  const double of_coulomb = it.estimate.standard_deviation[standard_named(it.unknowns, "j2.coulomb")];
  const double third = square[3] - 3 * square[2] + 3 * square[1] - square[0];
  const double at_rest = 3 * square[0] - 3 * square[1] + square[2]; /* the parabola's, there */
  cr_expect_gt(of_viscous, 0);
  cr_expect_float_eq(deviation[4] / velocity[4] / of_viscous, 1, 1e-5);
  cr_expect_float_eq(third / square[3], 0, 1e-9);
  cr_expect_float_eq(sqrt(at_rest) / of_coulomb, 1, 1e-6);
  identified_free(&it);
}
