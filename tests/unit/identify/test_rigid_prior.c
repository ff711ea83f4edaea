/* What a prior believes of a wheel's inertia about its axis, by a closed form. The square of the distance from a
 * pseudo-inertia P is tr((P^-1 dP)^2) / 2; among all changes dP of the whole body which change the inertia about z, C
 * . dP with C = diag(1, 1, 0, 0), by d, the nearest is P C P d / tr(C P C P): as far as d^2 / 2 / (Sxx^2 + 2 Sxy^2 +
 * Syy^2). */
#include "lib/identify/structure.h"
#include "tests/support/simulated.h"

enum { SAMPLES = 50 };
static const double MASS = 3, AT[3] = { 0.2, -0.1, 0.05 }, XX = 0.02, YY = 0.03, ZZ = 0.04, XY = 0.004;

/* About an upright axis beside its centre of mass. */
static struct armdyn_robot *wheel(void)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  d.joints[0].link = (struct armdyn_body){ MASS, { AT[0], AT[1], AT[2] }, { XX, YY, ZZ, XY, 0, 0 } };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

Test(rigid_prior, of_a_wheel_is_the_nearest_body_that_has_the_inertia)
{
  double q[SAMPLES], qd[SAMPLES], qdd[SAMPLES], tau[SAMPLES];
  struct armdyn_motion motion = {
    .count = SAMPLES, .rate = 100, .q = q, .qd = qd, .qdd = qdd, .tau = tau, .tau_raw = tau
  };
  const struct armdyn_source source = { SAMPLES, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { 0 };
  struct armdyn_robot *robot = wheel();
  const double fastest = 1, weight = 2;
  const struct shapes shapes = shapes_first(&armdyn_robot_description(robot)->joints[0], fastest);
  struct candidates candidates;
  struct dice dice = { 8 };
  for (size_t k = 0; k < SAMPLES; k++) {
    q[k] = dice_uniform(&dice, -1, 1), qd[k] = dice_uniform(&dice, -1, 1), qdd[k] = dice_uniform(&dice, -1, 1);
    tau[k] = 0.2 * qdd[k];
  }
  cr_assert_eq(candidates_open(robot, NULL, ARMDYN_ROTORS_NONE, &source, &fastest, &shapes, 2, &candidates, NULL),
               ARMDYN_OK);
  cr_assert_eq(armdyn_base_parameter_count(armdyn_unknowns_base(candidates.rigid)), 1, "the inertia about the axis");

  /* second moments about the axis' point: those about the centre are half of what is left of the trace */
  const double Sxx = (YY + ZZ - XX) / 2 + MASS * AT[0] * AT[0], Syy = (XX + ZZ - YY) / 2 + MASS * AT[1] * AT[1];
  const double Sxy = -XY + MASS * AT[0] * AT[1], squares = Sxx * Sxx + 2 * Sxy * Sxy + Syy * Syy;
  for (double strength = 1e-3; strength < 1e3; strength *= 30) {
    struct rigid_prior prior;
    cr_assert_eq(rigid_prior_open(&candidates, &estimation, strength, &weight, &prior), ARMDYN_OK);
    cr_expect_float_eq(prior.information[0] * squares / strength, 1, 1e-9, "%g of %g", prior.information[0],
                       strength / squares);
    cr_expect_float_eq(prior.pull[0] * squares / strength, Sxx + Syy, 1e-9, "the inertia that is believed");
    rigid_prior_close(&prior);
    cr_expect_null(prior.information);
  }
  candidates_close(&candidates);
  armdyn_robot_free(robot);
}
