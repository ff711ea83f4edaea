/* A SCARA whose drives are coupled, as real ones are: motor 2 stands on the base and turns with joint 1, and nut and spline
 * of the ball screw turn with each other. Friction and rotors act at the motors; links, friction and ripple of the truth are
 * found where the model says so, and not where it has friction at joints. */
#include "armdyn/gears.h"
#include "tests/support/simulated.h"

enum {
  TERMS = ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS | ARMDYN_IDENTIFY_HIGH_SPEED |
          ARMDYN_IDENTIFY_STRIBECK | ARMDYN_IDENTIFY_POSITION
};
static const double noise = 0.01; /* of the rms torque of each motor */

/* What a gear turns of the joints. */
static const double G[N][N] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0, 0, 1, 0.03 }, { 0, -0.4, 0, 1 } };

static struct armdyn_robot *coupled(const struct armdyn_robot *from, enum armdyn_friction_place place)
{
  struct armdyn_robot_description d = *armdyn_robot_description(from);
  struct armdyn_robot *robot = NULL;
  d.has_transmission = true;
  d.friction_at = place;
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) d.transmission[i * N + j] = d.joints[i].drive.gear_ratio * G[i][j];
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* A log whose noise is that of the motors: torques tau = G' t. */
static struct armdyn_motion logged(const struct armdyn_robot *truth, uint64_t seed)
{
  static double time[COUNT], q[COUNT * N], tau[COUNT * N], clean[N], t[COUNT * N];
  const struct armdyn_log log = { .count = COUNT, .time = time, .q = q, .tau = tau };
  const struct armdyn_conditioning c = { .position_cutoff = 20, .torque_cutoff = 20, .trim = 0.5 };
  struct armdyn_motion motion;
  struct dice dice = { seed + 100 };
  double mean2[N] = { 0 };
  simulate(truth, seed, COUNT, 1e-6, 0, time, q, tau);
  for (size_t k = 0; k < COUNT; k++) {
    armdyn_gear_torques(truth, tau + k * N, t + k * N);
    for (size_t i = 0; i < N; i++) mean2[i] += t[k * N + i] * t[k * N + i] / COUNT;
  }
  for (size_t k = 0; k < COUNT; k++) {
    for (size_t i = 0; i < N; i++) clean[i] = t[k * N + i] + noise * sqrt(mean2[i]) * normal(&dice);
    for (size_t j = 0; j < N; j++) {
      tau[k * N + j] = 0;
      for (size_t i = 0; i < N; i++) tau[k * N + j] += G[i][j] * clean[i];
    }
  }
  cr_assert_eq(armdyn_condition(N, &log, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

struct found {
  struct armdyn_gears *gears;
  struct armdyn_robot *chosen;
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
};

static struct found find(const struct armdyn_robot *model, const struct armdyn_source *joints)
{
  const struct armdyn_estimation estimation = { .folds = 8, .estimator = ARMDYN_CONSISTENT };
  struct armdyn_friction_choice choice[N];
  struct armdyn_error error = { "", "" };
  struct found f = { .gears = NULL };
  unsigned terms[N];
  cr_assert_eq(armdyn_gears_new(model, &f.gears, &error), ARMDYN_OK);
  const struct armdyn_source source = armdyn_gears_source(f.gears, joints);
  cr_assert_eq(
      armdyn_choose_friction(model, 0, TERMS, ARMDYN_ROTORS_ALL, &source, &estimation, choice, &f.chosen, &error),
      ARMDYN_OK, "%s", error.message);
  for (size_t i = 0; i < N; i++) terms[i] = choice[i].terms;
  cr_assert_eq(armdyn_unknowns_by_joint(f.chosen, terms, ARMDYN_ROTORS_ALL, &f.unknowns, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(f.unknowns, &source, &estimation, &f.estimate, &error), ARMDYN_OK, "%s",
               error.message);
  return f;
}

static void found_free(struct found *f)
{
  armdyn_gears_free(f->gears);
  armdyn_estimate_free(&f->estimate);
  armdyn_unknowns_free(f->unknowns);
  armdyn_robot_free(f->chosen);
}

/* Of another motion: what is left of the filtered torques of joints, over what the true model leaves of them (n). */
static void above_the_floor(const struct found *f, const struct armdyn_robot *truth, double *ratio)
{
  struct armdyn_motion motion = logged(truth, 77), outputs = motion;
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  double *predicted = malloc(motion.count * N * sizeof *predicted), left[N] = { 0 }, floor[N] = { 0 };
  double *exact = malloc((motion.before + motion.count + motion.after) * N * sizeof *exact);
  cr_assert_eq(armdyn_gears_take(f->gears, &outputs), ARMDYN_OK);
  cr_assert_eq(armdyn_predict_filtered(f->unknowns, f->estimate.beta, &outputs, predicted), ARMDYN_OK);
  armdyn_gears_to_joints(f->gears, motion.count, predicted);
  const size_t lead = motion.before * N, all = motion.before + motion.count + motion.after;
  for (size_t k = 0; k < all; k++)
    armdyn_inverse_dynamics(truth, motion.q - lead + k * N, motion.qd - lead + k * N, motion.qdd - lead + k * N, NULL,
                            workspace, exact + k * N);
  cr_assert_eq(armdyn_lowpass(all, N, motion.rate, motion.torque_cutoff, exact, NULL), ARMDYN_OK);
  for (size_t k = 0; k < motion.count * N; k++) {
    const double a = motion.tau[k] - predicted[k], b = motion.tau[k] - exact[lead + k];
    left[k % N] += a * a, floor[k % N] += b * b;
  }
  for (size_t i = 0; i < N; i++) ratio[i] = sqrt(left[i] / floor[i]);
  free(exact);
  free(predicted);
  armdyn_workspace_free(workspace);
  armdyn_motion_free(&motion);
}

static void expect_near(const struct found *f, const char *name, double truth, double share)
{
  const size_t at = standard_named(f->unknowns, name);
  const double found = f->estimate.standard[at], deviation = f->estimate.standard_deviation[at];
  cr_expect_float_eq(found, truth, fmax(share * truth, 3 * deviation), "%s: %g +- %g, not %g", name, found, deviation,
                     truth);
  cr_expect_lt(deviation, share * truth, "%s: %g +- %g", name, found, deviation);
}

Test(gears, friction_is_found_at_the_motors)
{
  struct armdyn_robot *alone = scara(), *truth = coupled(alone, ARMDYN_AT_MOTORS), *plain = without_friction(truth),
                      *apart = coupled(plain, ARMDYN_AT_JOINTS);
  struct armdyn_motion motion = logged(truth, 5);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  double at_motors[N], at_joints[N];
  struct found f = find(plain, &source), wrong = find(apart, &source);
  above_the_floor(&f, truth, at_motors);
  above_the_floor(&wrong, truth, at_joints);
  for (size_t i = 0; i < N; i++) cr_expect_lt(at_motors[i], 1.3, "joint %zu: %g floors", i + 1, at_motors[i]);
  cr_expect_gt(at_joints[0], 2, "%g floors", at_joints[0]);
  cr_expect_gt(at_joints[1], 2, "%g floors", at_joints[1]);
  expect_near(&f, "j1.coulomb", 4, 0.03);
  expect_near(&f, "j1.viscous", 6, 0.06);
  expect_near(&f, "j3.coulomb", 4.0 / 3, 0.03);
  expect_near(&f, "j3.viscous", 2, 0.03);
  expect_near(&f, "j4.coulomb", 1, 0.03);
  expect_near(&f, "j4.viscous", 1.5, 0.03);
  expect_near(&f, "j2.viscous", 3, 0.05);
  found_free(&f);
  found_free(&wrong);
  armdyn_motion_free(&motion);
  armdyn_robot_free(apart);
  armdyn_robot_free(plain);
  armdyn_robot_free(truth);
  armdyn_robot_free(alone);
}
