/* Friction has the signs that friction has, whatever a motion would rather follow. */
#include "tests/support/simulated.h"

enum {
  TERMS = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
  LOGS = 2,
};

static struct armdyn_motion motions[LOGS];

/* A truth whose friction falls with speed all the way (a wide Stribeck hill), to a model of Coulomb and viscous friction:
 * viscous friction of joint 2 would be negative. */
static struct armdyn_robot *falling(void)
{
  struct armdyn_robot *robot = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  for (size_t i = 0; i < N; i++) d.joints[i].friction.ripple_count = 0, d.joints[i].friction.high_speed = 0;
  d.joints[1].friction.coulomb = (struct armdyn_directed){ 1, 1 };
  d.joints[1].friction.viscous = (struct armdyn_directed){ 0.05, 0.05 };
  d.joints[1].friction.stiction = 9;
  d.joints[1].friction.stribeck_velocity = 3;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  for (size_t m = 0; m < LOGS; m++) motions[m] = simulated(truth, 20 + m, 1e-6, 0.01);
  armdyn_robot_free(robot);
  return truth;
}

static void release(struct armdyn_robot *robot)
{
  for (size_t m = 0; m < LOGS; m++) armdyn_motion_free(&motions[m]);
  armdyn_robot_free(robot);
}

static struct armdyn_unknowns *unknowns_of(struct armdyn_robot_description *d, unsigned terms)
{
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  cr_assert_eq(armdyn_robot_new(d, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(robot, terms, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  armdyn_robot_free(robot);
  return unknowns;
}

static struct armdyn_unknowns *plain_unknowns(const struct armdyn_robot *truth, unsigned terms)
{
  struct armdyn_robot *plain = without_friction(truth);
  struct armdyn_robot_description d = *armdyn_robot_description(plain);
  armdyn_robot_free(plain);
  return unknowns_of(&d, terms);
}

static struct armdyn_estimate estimate_with(const struct armdyn_unknowns *u, struct armdyn_estimation estimation)
{
  struct armdyn_estimate e;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(u, motions, LOGS, &estimation, &e, &error), ARMDYN_OK, "%s", error.message);
  return e;
}

/* Of every estimator; and without the demand least squares do go there, so the test would see a fault. */
Test(signs, no_estimator_breaks_them)
{
  struct armdyn_robot *truth = falling();
  struct armdyn_unknowns *u = plain_unknowns(truth, TERMS);
  const size_t viscous = standard_named(u, "j2.viscous"), coulomb = standard_named(u, "j2.coulomb");
  struct armdyn_estimate e =
      estimate_with(u, (struct armdyn_estimation){ .estimator = ARMDYN_WLS, .free_signs = true });
  cr_expect_lt(e.standard[viscous], -0.1, "%g", e.standard[viscous]);
  cr_expect_not(e.at_bound[viscous]);
  armdyn_estimate_free(&e);
  for (enum armdyn_estimator k = ARMDYN_OLS; k <= ARMDYN_CONSISTENT; k++) {
    e = estimate_with(u, (struct armdyn_estimation){ .estimator = k, .ignore_prior = true });
    cr_expect_geq(e.standard[viscous], -1e-9, "estimator %d: %g", (int)k, e.standard[viscous]);
    cr_expect_lt(e.standard[viscous], 1e-3, "estimator %d: %g", (int)k, e.standard[viscous]);
    cr_expect(e.at_bound[viscous], "estimator %d", (int)k);
    cr_expect_geq(e.standard[viscous], 0, "estimator %d: %g", (int)k, e.standard[viscous]);
    cr_expect(isnan(e.standard_deviation[viscous]), "estimator %d: %g", (int)k, e.standard_deviation[viscous]);
    bool said = false;
    for (size_t i = 0; i < e.warnings.count; i++)
      said |= e.warnings.list[i].code == ARMDYN_WARNING_FRICTION_SIGN && e.warnings.list[i].joint == 1;
    cr_expect(said, "estimator %d", (int)k);
    cr_expect_not(e.at_bound[coulomb]);
    cr_expect(e.standard_deviation[coulomb] > 0);
    armdyn_estimate_free(&e);
  }
  armdyn_unknowns_free(u);
  release(truth);
}

/* At a bound of 0 least squares are those without the term, deviations included. */
Test(signs, a_term_at_zero_is_as_if_it_were_not_there)
{
  struct armdyn_robot *truth = falling();
  struct armdyn_unknowns *with = plain_unknowns(truth, TERMS), *without;
  struct armdyn_robot *plain = without_friction(truth);
  struct armdyn_robot_description d = *armdyn_robot_description(plain);
  for (size_t i = 0; i < N; i++) {
    d.joints[i].friction.coulomb = (struct armdyn_directed){ 1, 1 };
    if (i != 1) d.joints[i].friction.viscous = (struct armdyn_directed){ 1, 1 };
  }
  without = unknowns_of(&d, 0);
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_OLS };
  struct armdyn_estimate a = estimate_with(with, estimation), b = estimate_with(without, estimation);
  cr_assert(a.at_bound[standard_named(with, "j2.viscous")]);
  for (size_t i = 1; i <= N; i++) {
    char name[32];
    snprintf(name, sizeof name, "j%zu.coulomb", i);
    const size_t k = standard_named(with, name), j = standard_named(without, name);
    cr_expect_float_eq(a.standard[k], b.standard[j], 1e-8, "%s: %g, is %g", name, a.standard[k], b.standard[j]);
    cr_expect_float_eq(a.standard_deviation[k] / b.standard_deviation[j], 1, 20.0 / COUNT, "%s: %g, is %g", name,
                       a.standard_deviation[k], b.standard_deviation[j]);
  }
  armdyn_estimate_free(&a);
  armdyn_estimate_free(&b);
  armdyn_unknowns_free(with);
  armdyn_unknowns_free(without);
  armdyn_robot_free(plain);
  release(truth);
}

/* Friction that flattens may: its slope stays above 0 up to three times the fastest speed. */
Test(signs, the_slope_of_friction_stays_positive)
{
  struct armdyn_robot *truth = falling();
  struct armdyn_unknowns *u = plain_unknowns(truth, TERMS | ARMDYN_IDENTIFY_HIGH_SPEED);
  const size_t viscous = standard_named(u, "j2.viscous"), high_speed = standard_named(u, "j2.high_speed");
  double fastest = 0;
  for (size_t m = 0; m < LOGS; m++) {
    for (size_t k = 0; k < motions[m].count; k++) fastest = fmax(fastest, fabs(motions[m].qd[k * N + 1]));
  }
  for (enum armdyn_estimator k = ARMDYN_OLS; k <= ARMDYN_CONSISTENT; k++) {
    struct armdyn_estimate e = estimate_with(u, (struct armdyn_estimation){ .estimator = k, .ignore_prior = true });
    const double slope = e.standard[viscous] + 2 * e.standard[high_speed] * 3 * fastest;
    cr_expect(slope > -1e-6 && e.standard[viscous] > -1e-9, "estimator %d: viscous %g, slope %g", (int)k,
              e.standard[viscous], slope);
    armdyn_estimate_free(&e);
  }
  armdyn_unknowns_free(u);
  release(truth);
}

/* The right model is left alone: no bound, and the bits of the estimate without the demand. */
Test(signs, what_keeps_them_anyway_is_not_touched)
{
  struct known k = known_open();
  struct armdyn_robot *truth = scara();
  for (size_t m = 0; m < LOGS; m++) motions[m] = simulated(truth, 30 + m, 1e-6, 0.01);
  for (enum armdyn_estimator kind = ARMDYN_OLS; kind <= ARMDYN_RIDGE; kind++) {
    struct armdyn_estimate a = estimate_with(k.unknowns, (struct armdyn_estimation){ .estimator = kind });
    struct armdyn_estimate b =
        estimate_with(k.unknowns, (struct armdyn_estimation){ .estimator = kind, .free_signs = true });
    for (size_t i = 0; i < k.count; i++) cr_expect_eq(a.beta[i], b.beta[i]);
    for (size_t i = 0; i < armdyn_unknowns_standard_count(k.unknowns); i++) cr_expect_not(a.at_bound[i]);
    armdyn_estimate_free(&a);
    armdyn_estimate_free(&b);
  }
  release(truth);
  known_close(&k);
}
