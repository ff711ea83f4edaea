/* Estimators on simulated logs whose truth is known: a SCARA with rotors and friction. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = 4, COUNT = 20000 };
static const double rate = 1000, pi = 3.14159265358979323846;

static struct armdyn_robot *scara(void)
{
  static const struct armdyn_body links[N] = {
    { 12, { -0.2, 0.01, 0.02 }, { 0.06, 0.25, 0.24, 0.002, 0, 0.001 } },
    { 7, { -0.12, 0, 0.05 }, { 0.03, 0.09, 0.08, 0, 0.003, 0 } },
    { 2, { 0, 0, -0.15 }, { 0.015, 0.015, 0.001, 0, 0, 0 } },
    { 0.8, { 0.01, 0, 0.03 }, { 0.002, 0.002, 0.0012, 0, 0, 0 } },
  };
  static const double rotor[N] = { 2e-4, 1e-4, 5e-5, 3e-5 }, ratio[N] = { 80, 50, 314, 30 };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&d);
  d.joint_count = N;
  for (size_t i = 0; i < N; i++) {
    struct armdyn_joint *joint = &d.joints[i];
    armdyn_joint_init(joint);
    joint->link = links[i];
    joint->drive.rotor_inertia = rotor[i];
    joint->drive.gear_ratio = ratio[i];
    joint->friction.coulomb = (struct armdyn_directed){ 4.0 / (double)(i + 1), 4.0 / (double)(i + 1) };
    joint->friction.viscous = (struct armdyn_directed){ 6.0 / (double)(i + 1), 6.0 / (double)(i + 1) };
  }
  d.joints[0].a = 0.4;
  d.joints[1].a = 0.3;
  d.joints[2].type = ARMDYN_PRISMATIC;
  d.joints[0].friction.high_speed = 1.5;
  d.joints[0].friction.ripple_count = 1;
  d.joints[0].friction.ripples[0] = (struct armdyn_ripple){ 1.2, 0.25, 0.4 };
  d.joints[1].friction.stiction = 3;
  d.joints[1].friction.stribeck_velocity = 0.3;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static double normal(struct dice *dice)
{
  return sqrt(-2 * log(dice_uniform(dice, 1e-12, 1))) * cos(2 * pi * dice_uniform(dice, 0, 1));
}

/* A log of sums of sines; noise: of the encoder in rad (m / 10), and of the torque relative to its rms. */
static void simulate(const struct armdyn_robot *robot, uint64_t seed, double encoder, double torque, double *time,
                     double *q, double *tau)
{
  struct dice dice = { seed };
  double a[N][5], phase[N][5], qd[N], qdd[N], mean2[N] = { 0 };
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  for (size_t i = 0; i < N; i++) {
    dice_fill(&dice, a[i], 5, 0.2, i == 2 ? 0.25 : 1.2);
    dice_fill(&dice, phase[i], 5, -pi, pi);
  }
  for (size_t k = 0; k < COUNT; k++, q += N, tau += N) {
    const double t = time[k] = (double)k / rate;
    for (size_t i = 0; i < N; i++) {
      q[i] = qd[i] = qdd[i] = 0;
      for (int l = 0; l < 5; l++) {
        const double w = 2 * pi * 0.15 * (l + 1 + 0.13 * (double)i), scale = a[i][l] / (l + 1);
        q[i] += scale * sin(w * t + phase[i][l]);
        qd[i] += scale * w * cos(w * t + phase[i][l]);
        qdd[i] -= scale * w * w * sin(w * t + phase[i][l]);
      }
    }
    armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, workspace, tau);
    for (size_t i = 0; i < N; i++) mean2[i] += tau[i] * tau[i] / COUNT;
    for (size_t i = 0; i < N; i++) q[i] += encoder * normal(&dice) * (i == 2 ? 0.1 : 1);
  }
  for (size_t k = 0; k < COUNT; k++) {
    for (size_t i = 0; i < N; i++) tau[(ptrdiff_t)(k * N + i) - COUNT * N] += torque * sqrt(mean2[i]) * normal(&dice);
  }
  armdyn_workspace_free(workspace);
}

static struct armdyn_motion simulated(const struct armdyn_robot *robot, uint64_t seed, double encoder, double torque)
{
  static double time[COUNT], q[COUNT * N], tau[COUNT * N];
  const struct armdyn_log log = { COUNT, time, q, tau };
  const struct armdyn_conditioning c = { .position_cutoff = 20, .trim = 0.5 };
  struct armdyn_motion motion;
  simulate(robot, seed, encoder, torque, time, q, tau);
  cr_assert_eq(armdyn_condition(N, &log, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

static struct armdyn_estimate estimate_of(const struct armdyn_unknowns *u, enum armdyn_estimator estimator,
                                          const struct armdyn_motion *motion)
{
  const struct armdyn_estimation estimation = { .estimator = estimator };
  struct armdyn_estimate out;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify(u, motion, 1, &estimation, &out, &error), ARMDYN_OK, "%s", error.message);
  return out;
}

struct known {
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  const struct armdyn_base_parameters *base;
  size_t count;
};

static struct known known_open(void)
{
  struct known k = { .robot = scara() };
  cr_assert_eq(armdyn_unknowns_new(k.robot, 0, ARMDYN_ROTORS_ALL, &k.unknowns, NULL), ARMDYN_OK);
  k.base = armdyn_unknowns_base(k.unknowns);
  k.count = armdyn_base_parameter_count(k.base);
  return k;
}

static void known_close(struct known *k)
{
  armdyn_unknowns_free(k->unknowns);
  armdyn_robot_free(k->robot);
}

/* Is parameter k one of friction? */
static bool is_friction(const struct known *known, size_t k)
{
  return armdyn_base_parameter_lead(known->base, k) >= 10 * N + N;
}

/* The torque is left as measured: a filter would round off the jumps of friction, which the regressor has. */
Test(estimate, parameters_are_found_within_three_deviations)
{
  struct known known = known_open();
  size_t within[64] = { 0 };
  for (uint64_t run = 1; run <= 10; run++) {
    struct armdyn_motion motion = simulated(known.robot, run, 1e-4, 0.01);
    struct armdyn_estimate e = estimate_of(known.unknowns, ARMDYN_WLS, &motion);
    for (size_t k = 0; k < known.count; k++) {
      const double truth = armdyn_base_parameter_value(known.base, k), off = fabs(e.beta[k] - truth);
      within[k] += off <= 3 * e.deviation[k];
      if (is_friction(&known, k)) cr_expect_leq(off, 0.05 * fabs(truth), "run %zu, %zu", (size_t)run, k);
    }
    armdyn_estimate_free(&e);
    armdyn_motion_free(&motion);
  }
  for (size_t k = 0; k < known.count; k++) cr_expect(within[k] >= 9, "parameter %zu: %zu of 10 runs", k, within[k]);
  known_close(&known);
}

/* ... and not by deviations that are too wide: of normal errors 32 % are beyond one. */
Test(estimate, deviations_are_not_exaggerated)
{
  struct known known = known_open();
  size_t beyond = 0;
  for (uint64_t run = 21; run <= 30; run++) {
    struct armdyn_motion motion = simulated(known.robot, run, 0, 0.01);
    struct armdyn_estimate e = estimate_of(known.unknowns, ARMDYN_WLS, &motion);
    for (size_t k = 0; k < known.count; k++) {
      beyond += fabs(e.beta[k] - armdyn_base_parameter_value(known.base, k)) > e.deviation[k];
    }
    armdyn_estimate_free(&e);
    armdyn_motion_free(&motion);
  }
  const double share = (double)beyond / (10 * (double)known.count);
  cr_expect(share > 0.2 && share < 0.45, "%g", share);
  known_close(&known);
}

/* Outliers pull least squares, but hardly the robust estimate. */
Test(estimate, robust_estimate_withstands_outliers)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 5, 0, 0.01);
  struct dice dice = { 9 };
  for (size_t k = 0; k < motion.count; k += 20) motion.tau[k * N + k / 20 % N] += dice_uniform(&dice, 100, 300);
  double off[2] = { 0 };
  const enum armdyn_estimator estimators[2] = { ARMDYN_WLS, ARMDYN_IRLS };
  for (int m = 0; m < 2; m++) {
    struct armdyn_estimate e = estimate_of(known.unknowns, estimators[m], &motion);
    for (size_t k = 0; k < known.count; k++) {
      if (!is_friction(&known, k)) continue;
      const double truth = armdyn_base_parameter_value(known.base, k);
      off[m] += fabs(e.beta[k] / truth - 1);
    }
    armdyn_estimate_free(&e);
  }
  cr_expect_lt(off[1], 0.1 * off[0], "%g against %g", off[1], off[0]);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* Blocks, their lengths and their order do not matter; squares are those of the residuals. */
Test(estimate, regressions_merge_to_the_same_equations)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 7, 1e-4, 0.01);
  struct armdyn_regression *whole = armdyn_regression_new(known.unknowns);
  struct armdyn_regression *parts = armdyn_regression_new(known.unknowns);
  struct armdyn_regression *tail = armdyn_regression_new(known.unknowns);
  armdyn_regression_add(whole, &motion, NULL);
  const size_t cuts[] = { 0, 1, 333, 5000, motion.count };
  for (int k = 4; k-- > 0;) {
    const struct armdyn_motion part = armdyn_motion_part(&motion, N, cuts[k], cuts[k + 1] - cuts[k]);
    armdyn_regression_add(k < 2 ? parts : tail, &part, NULL);
  }
  armdyn_regression_merge(parts, tail);
  cr_expect_eq(armdyn_regression_sample_count(parts), motion.count);

  double beta[64], left[2][N], torque[2][N], square[N] = { 0 };
  double *tau = malloc(motion.count * N * sizeof *tau);
  for (size_t k = 0; k < known.count; k++) beta[k] = 0.9 * armdyn_base_parameter_value(known.base, k);
  armdyn_regression_squares(whole, beta, left[0], torque[0]);
  armdyn_regression_squares(parts, beta, left[1], torque[1]);
  cr_assert_eq(armdyn_predict(known.unknowns, beta, &motion, tau), ARMDYN_OK);
  for (size_t k = 0; k < motion.count * N; k++) square[k % N] += (motion.tau[k] - tau[k]) * (motion.tau[k] - tau[k]);
  for (size_t i = 0; i < N; i++) {
    cr_expect_float_eq(left[0][i], square[i], 1e-9 * square[i]);
    cr_expect_float_eq(left[1][i], square[i], 1e-9 * square[i]);
    cr_expect_float_eq(torque[1][i], torque[0][i], 1e-9 * torque[0][i]);
  }
  free(tau);
  armdyn_regression_free(whole);
  armdyn_regression_free(parts);
  armdyn_regression_free(tail);
  armdyn_motion_free(&motion);
  known_close(&known);
}

Test(estimate, a_joint_that_does_not_move_is_named)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 3, 0, 0);
  for (size_t k = 0; k < motion.count; k++) motion.q[k * N + 3] = motion.qd[k * N + 3] = motion.qdd[k * N + 3] = 0;
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_OLS };
  struct armdyn_estimate e;
  struct armdyn_error error = { "", "" };
  cr_expect_eq(armdyn_identify(known.unknowns, &motion, 1, &estimation, &e, &error), ARMDYN_ESINGULAR);
  cr_expect(strstr(error.message, "j4."), "%s", error.message);
  armdyn_motion_free(&motion);
  known_close(&known);
}

/* By hand: e = 1 -1 2 on tau = 1 2 6. */
Test(estimate, errors_are_as_defined)
{
  const double measured[3] = { 1, 2, 6 }, predicted[3] = { 0, 3, 4 };
  struct armdyn_fit joint, together;
  armdyn_fit(3, 1, measured, predicted, &joint, &together);
  cr_expect_float_eq(joint.relative, sqrt(6.0 / 41), 1e-14);
  cr_expect_float_eq(joint.rms, sqrt(2), 1e-14);
  cr_expect_float_eq(joint.nrmse, sqrt(2) / 5, 1e-14);
  cr_expect_float_eq(joint.r2, 1 - 6.0 / 14, 1e-14);
  cr_expect_eq(joint.max, 2);
  cr_expect_eq(together.rms, joint.rms);
}
