/* Motions with different loads in one identification, and drives whose torque constant is not what was assumed. */
#include "armdyn/loads.h"

#include "tests/support/simulated.h"

static struct armdyn_robot *carrying(const struct armdyn_robot *robot, double mass)
{
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  struct armdyn_robot *out;
  d.payload = (struct armdyn_body){ mass, { 0.05, 0.02, 0.1 }, { 0.02 * mass, 0.02 * mass, 0.01 * mass, 0, 0, 0 } };
  cr_assert_eq(armdyn_robot_new(&d, &out, NULL), ARMDYN_OK);
  return out;
}

/* Nothing but its mass is told. */
static struct armdyn_robot *weighed_only(const struct armdyn_robot *robot, double mass)
{
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  struct armdyn_robot *out;
  d.payload = (struct armdyn_body){ .mass = mass };
  cr_assert_eq(armdyn_robot_new(&d, &out, NULL), ARMDYN_OK);
  return out;
}

/* The masses of a drawing. */
static struct armdyn_robot *drawn(const struct armdyn_robot *robot)
{
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  struct armdyn_robot *out;
  for (size_t i = 0; i < N; i++) d.joints[i].link.mass *= 1.3;
  cr_assert_eq(armdyn_robot_new(&d, &out, NULL), ARMDYN_OK);
  return out;
}

enum { LOGS = 3 };
static const double masses[LOGS] = { 0, 2, 5 };

/* Motions of the same arm with each load, and the model with it. */
struct loaded {
  struct armdyn_robot *truth, *model, *with[LOGS];
  struct armdyn_motion motions[LOGS];
  struct armdyn_loads *loads;
};

static struct loaded make(double noise, const double *gains, size_t logs)
{
  struct loaded l = { .truth = scara() };
  l.model = drawn(l.truth);
  for (size_t i = 0; i < logs; i++) {
    struct armdyn_robot *arm = carrying(l.truth, masses[i]);
    l.with[i] = masses[i] > 0 ? carrying(l.model, masses[i]) : NULL;
    l.motions[i] = simulated_filtered(arm, 3 + i, 0, noise, 10);
    l.motions[i].log = i;
    for (size_t k = 0; k < l.motions[i].count * N && gains; k++) {
      l.motions[i].tau[k] /= gains[k % N];
      l.motions[i].tau_raw[k] /= gains[k % N];
    }
    armdyn_robot_free(arm);
  }
  cr_assert_eq(armdyn_loads_new(l.model, (const struct armdyn_robot *const *)l.with, logs, &l.loads, NULL), ARMDYN_OK);
  return l;
}

static struct armdyn_source source_of(struct loaded *l, size_t logs)
{
  size_t samples = 0;
  for (size_t i = 0; i < logs; i++) samples += l->motions[i].count;
  return (struct armdyn_source){ .samples = samples, .blocks = logs, .read = read_one, .context = l->motions };
}

static void unmake(struct loaded *l, size_t logs)
{
  for (size_t i = 0; i < logs; i++) {
    armdyn_motion_free(&l->motions[i]);
    armdyn_robot_free(l->with[i]);
  }
  armdyn_loads_free(l->loads);
  armdyn_robot_free(l->model);
  armdyn_robot_free(l->truth);
}

static double base_value(const struct armdyn_unknowns *u, size_t k, const double *standard)
{
  const double *c = armdyn_base_parameter_coefficients(armdyn_unknowns_base(u), k);
  double sum = 0;
  for (size_t i = 0; i < armdyn_unknowns_standard_count(u); i++) sum += c[i] * standard[i];
  return sum;
}

/* Logs with 0, 2 and 5 kg together give the arm without any, whose parameters the truth is asked for. */
Test(loads, what_logs_were_made_with_is_no_part_of_the_arm)
{
  struct loaded l = make(1e-6, NULL, LOGS);
  const struct armdyn_source raw = source_of(&l, LOGS), source = armdyn_loads_source(l.loads, &raw);
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS };
  struct armdyn_unknowns *u, *true_unknowns;
  struct armdyn_estimate estimate;
  cr_assert_eq(armdyn_unknowns_new(l.model, 0, ARMDYN_ROTORS_PRESENT, &u, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(l.truth, 0, ARMDYN_ROTORS_PRESENT, &true_unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(u, &source, &estimation, &estimate, NULL), ARMDYN_OK);
  const double *prior = armdyn_unknowns_prior(true_unknowns);
  for (size_t k = 0; k < armdyn_base_parameter_count(armdyn_unknowns_base(u)); k++) {
    const double want = base_value(true_unknowns, k, prior);
    cr_expect_float_eq(estimate.beta[k], want, 2e-3 * fabs(want) + 2e-3, "%zu: %g for %g", k, estimate.beta[k], want);
  }
  armdyn_estimate_free(&estimate);
  armdyn_unknowns_free(u);
  armdyn_unknowns_free(true_unknowns);
  unmake(&l, LOGS);
}

/* Torque constants that are 8 % too small, 5 % too large, right, 20 % too small. */
Test(loads, drives_are_measured_by_a_load_that_is_known)
{
  static const double gains[N] = { 1.08, 0.95, 1, 1.2 };
  struct loaded l = make(0.01, gains, 2);
  const struct armdyn_source source = source_of(&l, 2);
  struct armdyn_drive_gain found[N];
  struct armdyn_unknowns *u;
  cr_assert_eq(armdyn_unknowns_new(l.model, 0, ARMDYN_ROTORS_PRESENT, &u, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_find_drive_gains(u, l.loads, &source, found, NULL), ARMDYN_OK);
  for (size_t j = 0; j < N; j++) {
    cr_expect_float_eq(found[j].gain, gains[j], 3 * found[j].deviation, "joint %zu: %g +- %g for %g", j, found[j].gain,
                       found[j].deviation, gains[j]);
    cr_expect_lt(found[j].deviation, j == 3 ? 0.1 : 0.02, "joint %zu: %g +- %g", j, found[j].gain, found[j].deviation);
  }
  armdyn_unknowns_free(u);
  unmake(&l, 2);
}

/* The same where of 2 and 5 kg nothing but the mass is told: gains, and where the loads have their mass; and what is taken off
 * is what they are. The SCARA's gravity tells nothing of z. */
Test(loads, drives_and_loads_are_measured_by_a_mass_alone)
{
  static const double gains[N] = { 1.08, 0.95, 1, 1.2 };
  struct loaded l = make(0.01, gains, LOGS);
  struct armdyn_robot *weighed[LOGS] = { NULL, weighed_only(l.model, masses[1]), weighed_only(l.model, masses[2]) };
  const struct armdyn_source source = source_of(&l, LOGS);
  struct armdyn_weighed_load loads[ARMDYN_LOAD_KINDS_MOST];
  struct armdyn_loads *known = l.loads;
  struct armdyn_drive_gain found[N];
  struct armdyn_unknowns *u;
  size_t kinds;
  cr_assert_eq(armdyn_loads_new(l.model, (const struct armdyn_robot *const *)weighed, LOGS, &l.loads, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(l.model, 0, ARMDYN_ROTORS_PRESENT, &u, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_find_drive_gains_by_mass(u, l.loads, &source, found, loads, &kinds, NULL), ARMDYN_OK);
  for (size_t j = 0; j < N; j++) {
    cr_expect_float_eq(found[j].gain, gains[j], 3.5 * found[j].deviation, "joint %zu: %g +- %g for %g", j,
                       found[j].gain, found[j].deviation, gains[j]);
    cr_expect_lt(found[j].deviation, j == 3 ? 0.1 : 0.03, "joint %zu: %g +- %g", j, found[j].gain, found[j].deviation);
  }
  cr_assert_eq(kinds, 2);
  for (size_t kind = 0; kind < kinds; kind++) {
    const double mass = masses[kind + 1], truth[4] = { mass, 0.05 * mass, 0.02 * mass, 0.1 * mass };
    cr_expect_eq(armdyn_loads_kind(l.loads, kind + 1), kind + 1);
    for (size_t k = 0; k < 3; k++)
      cr_expect_float_eq(loads[kind].parameters[k], truth[k], 3.5 * loads[kind].deviation[k],
                         "%zu, %zu: %g +- %g for %g", kind, k, loads[kind].parameters[k], loads[kind].deviation[k],
                         truth[k]);
    cr_expect(isnan(loads[kind].deviation[3]), "m z shows nowhere: %g", loads[kind].deviation[3]);
  }
  for (size_t i = 1; i < LOGS; i++) {
    const size_t count = l.motions[i].count * N;
    double *are = malloc(count * sizeof *are), *taken = malloc(count * sizeof *taken), off = 0, whole = 0;
    armdyn_loads_torques(known, i, &l.motions[i], are);
    armdyn_loads_torques(l.loads, i, &l.motions[i], taken);
    for (size_t k = 0; k < count; k++) off += pow(taken[k] - are[k], 2), whole += are[k] * are[k];
    cr_expect_lt(sqrt(off / whole), 0.03, "log %zu: %g", i, sqrt(off / whole));
    free(are);
    free(taken);
  }
  for (size_t i = 0; i < LOGS; i++) armdyn_robot_free(weighed[i]);
  armdyn_loads_free(known);
  armdyn_unknowns_free(u);
  unmake(&l, LOGS);
}

Test(loads, a_load_that_is_the_same_everywhere_tells_nothing_of_drives)
{
  struct loaded l = make(0.01, NULL, 1);
  const struct armdyn_source source = source_of(&l, 1);
  struct armdyn_drive_gain found[N];
  struct armdyn_unknowns *u;
  struct armdyn_error error;
  cr_assert_eq(armdyn_unknowns_new(l.model, 0, ARMDYN_ROTORS_PRESENT, &u, NULL), ARMDYN_OK);
  cr_expect_eq(armdyn_find_drive_gains(u, l.loads, &source, found, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "different loads"), "%s", error.message);
  struct armdyn_weighed_load weighed[ARMDYN_LOAD_KINDS_MOST];
  size_t kinds;
  cr_expect_eq(armdyn_find_drive_gains_by_mass(u, l.loads, &source, found, weighed, &kinds, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "different mass"), "%s", error.message);
  armdyn_unknowns_free(u);
  unmake(&l, 1);
}
