/* Friction of the load is found from data of an arm whose truth is known, by someone whose model has other masses. */
#include "tests/support/simulated.h"

enum {
  TERMS = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_HIGH_SPEED |
          ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_LOAD
};

/* The second joint has it, and each joint friction as a SCARA has; nothing is left of lines over the motor angle. */
static struct armdyn_robot *loaded(double c)
{
  struct armdyn_robot *full = scara(), *truth;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  for (size_t i = 0; i < N; i++) d.joints[i].friction.ripple_count = 0;
  d.joints[0].friction.high_speed = 0;
  d.joints[1].friction.stiction = NAN;
  d.joints[1].friction.load = c;
  cr_assert_eq(armdyn_robot_new(&d, &truth, NULL), ARMDYN_OK);
  armdyn_robot_free(full);
  return truth;
}

/* The truth without its friction, with links a third too heavy. */
static struct armdyn_robot *model_of(const struct armdyn_robot *truth)
{
  struct armdyn_robot *plain = without_friction(truth), *model;
  struct armdyn_robot_description d = *armdyn_robot_description(plain);
  for (size_t i = 0; i < N; i++) {
    struct armdyn_body *link = &d.joints[i].link;
    double *const numbers[] = { &link->mass,       &link->inertia.xx, &link->inertia.yy, &link->inertia.zz,
                                &link->inertia.xy, &link->inertia.xz, &link->inertia.yz };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) *numbers[k] *= 4.0 / 3;
  }
  cr_assert_eq(armdyn_robot_new(&d, &model, NULL), ARMDYN_OK);
  armdyn_robot_free(plain);
  return model;
}

struct found {
  unsigned terms[N];
  struct armdyn_robot *loads, *chosen;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  size_t rounds;
};

static struct found find(const struct armdyn_robot *model, const struct armdyn_source *source)
{
  struct armdyn_estimation estimation = { .folds = 8, .estimator = ARMDYN_CONSISTENT };
  struct armdyn_friction_choice choice[N];
  struct armdyn_error error = { "", "" };
  struct found f = { .rounds = 0 };
  for (size_t i = 0; i < N; i++) f.terms[i] = ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS;
  cr_assert_eq(armdyn_loads_first(model, f.terms, ARMDYN_ROTORS_ALL, source, &estimation, &f.loads, &error), ARMDYN_OK,
               "%s", error.message);
  estimation.loads = f.loads;
  cr_assert_eq(
      armdyn_choose_friction(model, 0, TERMS, ARMDYN_ROTORS_ALL, source, &estimation, choice, &f.chosen, &error),
      ARMDYN_OK, "%s", error.message);
  for (size_t i = 0; i < N; i++) f.terms[i] = choice[i].terms;
  cr_assert_eq(armdyn_unknowns_under(f.chosen, f.loads, f.terms, ARMDYN_ROTORS_ALL, &f.unknowns, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_under_load(f.chosen, f.terms, ARMDYN_ROTORS_ALL, source, &estimation, &f.unknowns,
                                          &f.estimate, &f.rounds, &error),
               ARMDYN_OK, "%s", error.message);
  return f;
}

static void found_free(struct found *f)
{
  armdyn_estimate_free(&f->estimate);
  armdyn_unknowns_free(f->unknowns);
  armdyn_robot_free(f->chosen);
  armdyn_robot_free(f->loads);
}

static void expect_near(const struct found *f, const char *name, double truth, double share)
{
  const size_t at = standard_named(f->unknowns, name);
  const double found = f->estimate.standard[at], deviation = f->estimate.standard_deviation[at];
  cr_expect_float_eq(found, truth, fmax(share * truth, 3 * deviation), "%s: %g +- %g, not %g", name, found, deviation,
                     truth);
  cr_expect_lt(deviation, share * truth, "%s: %g +- %g", name, found, deviation);
}

Test(load_friction, is_found_at_the_joint_that_has_it)
{
  struct armdyn_robot *truth = loaded(0.15), *model = model_of(truth);
  struct armdyn_motion motion = simulated_filtered(truth, 5, 1e-6, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  struct found f = find(model, &source);
  for (size_t i = 0; i < N; i++)
    cr_expect_eq(!(f.terms[i] & ARMDYN_IDENTIFY_LOAD), i != 1, "joint %zu: %u", i + 1, f.terms[i]);
  expect_near(&f, "j2.load", 0.15, 0.05);
  expect_near(&f, "j2.coulomb", 2, 0.05);
  expect_near(&f, "j1.coulomb", 4, 0.03);
  cr_expect(f.rounds >= 2 && f.rounds < ARMDYN_LOAD_ROUNDS, "%zu rounds", f.rounds);
  found_free(&f);
  armdyn_motion_free(&motion);
  armdyn_robot_free(model);
  armdyn_robot_free(truth);
}

/* And nowhere, where no joint has it: the same as without the candidate. */
Test(load_friction, is_not_found_where_there_is_none)
{
  struct armdyn_robot *truth = loaded(0), *model = model_of(truth);
  struct armdyn_motion motion = simulated_filtered(truth, 6, 1e-6, 0.01, 20);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  struct found f = find(model, &source);
  size_t kept = 0;
  for (size_t i = 0; i < N; i++) kept += (f.terms[i] & ARMDYN_IDENTIFY_LOAD) != 0;
  cr_expect_leq(kept, 1, "%zu joints", kept); /* one standard error is passed by chance */
  for (size_t k = 0; k < armdyn_unknowns_standard_count(f.unknowns); k++) {
    if (armdyn_unknowns_standard_id(f.unknowns, k).index != ARMDYN_PARAMETER_LOAD) continue;
    if (armdyn_unknowns_standard_id(f.unknowns, k).group != ARMDYN_PARAMETER_FRICTION) continue;
    cr_expect_lt(f.estimate.standard[k], 0.01);
  }
  found_free(&f);
  armdyn_motion_free(&motion);
  armdyn_robot_free(model);
  armdyn_robot_free(truth);
}
