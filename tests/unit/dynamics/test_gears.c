/* Friction at coupled motors: tau = y + G' f(G q, G qd), G = diag(1 / gear_ratio) T, y the torque without friction; and what
 * follows from it for forward dynamics, derivatives, regressors and the observer of momentum. */
#include <criterion/criterion.h>

#include "armdyn/code.h"
#include "armdyn/terms.h"
#include "tests/support/observed.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES = 13 };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot, *apart; /* the same with friction at joints */
  struct armdyn_workspace *workspace;
  size_t n;
  double x[3 * N], G[N * N]; /* q, qd, qdd; outputs of gears = G joints */
};

static const double *qd_of(const struct arm *arm)
{
  return arm->x + arm->n;
}
static const double *qdd_of(const struct arm *arm)
{
  return arm->x + 2 * arm->n;
}

/* Drives that turn with all joints before theirs, as those of a wrist do, and a little with the next. */
static void couple(struct arm *arm, struct dice *dice)
{
  struct armdyn_robot_description *d = &arm->description;
  const size_t n = arm->n;
  d->has_transmission = true;
  d->friction_at = ARMDYN_AT_MOTORS;
  for (size_t i = 0; i < n; i++) {
    const double ratio = d->joints[i].drive.gear_ratio = dice_uniform(dice, 0.5, 2) * (i % 2 ? -1 : 1);
    for (size_t j = 0; j < n; j++) {
      const double share = i == j ? 1 : j < i ? dice_uniform(dice, -1, 1) : j == i + 1 ? 0.1 : 0;
      arm->G[i * n + j] = share;
      d->transmission[i * n + j] = ratio * share;
    }
  }
}

static void each_arm(void (*law)(struct arm *arm))
{
  static struct arm arm;
  for (size_t k = 0; k < 24; k++) {
    const size_t n = arm.n = 1 + k % 9;
    struct dice dice = { 31 * k + 7 };
    random_description(&dice, &arm.description, n, (enum armdyn_convention)(k % 3));
    couple(&arm, &dice);
    for (size_t i = 0; i < n; i++) arm.description.joints[i].velocity_scale = 0.1; /* some drives turn around */
    cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, NULL), ARMDYN_OK);
    arm.description.friction_at = ARMDYN_AT_JOINTS;
    cr_assert_eq(armdyn_robot_new(&arm.description, &arm.apart, NULL), ARMDYN_OK);
    arm.workspace = armdyn_workspace_new(n);
    dice_fill(&dice, arm.x, 3 * n, -1.5, 1.5);
    law(&arm);
    armdyn_robot_free(arm.robot);
    armdyn_robot_free(arm.apart);
    armdyn_workspace_free(arm.workspace);
  }
}

static void torques(const struct arm *arm, const double *x, bool frictionless, double *tau)
{
  const struct armdyn_load load = { .frictionless = frictionless };
  armdyn_inverse_dynamics(arm->robot, x, x + arm->n, x + 2 * arm->n, &load, arm->workspace, tau);
}

static double largest_of(size_t count, const double *x)
{
  double most = 1;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* p = G q, v = G qd and the friction there. */
static void at_outputs(const struct arm *arm, double *v, double *f)
{
  const size_t n = arm->n;
  for (size_t i = 0; i < n; i++) {
    double p = 0;
    v[i] = 0;
    for (size_t j = 0; j < n; j++) p += arm->G[i * n + j] * arm->x[j], v[i] += arm->G[i * n + j] * qd_of(arm)[j];
    f[i] = armdyn_friction_torque(arm->apart, i, p, v[i]);
  }
}

static void formula(struct arm *arm)
{
  const size_t n = arm->n;
  double tau[N], y[N], v[N], f[N], batch[SAMPLES * N], by_method[N], power = 0, of_outputs = 0;
  torques(arm, arm->x, false, tau);
  torques(arm, arm->x, true, y);
  at_outputs(arm, v, f);
  for (size_t j = 0; j < n; j++) {
    double expected = y[j];
    for (size_t i = 0; i < n; i++) expected += arm->G[i * n + j] * f[i];
    cr_assert_float_eq(tau[j], expected, 1e-12 * largest_of(n, tau), "%zu: %.15g, not %.15g", j, tau[j], expected);
    power += qd_of(arm)[j] * (tau[j] - y[j]);
    of_outputs += v[j] * f[j];
  }
  cr_assert_float_eq(power, of_outputs, 1e-11 * fmax(1, fabs(power)), "%.15g W, not %.15g", power, of_outputs);
  cr_assert_eq(armdyn_inverse_dynamics_by(arm->robot, ARMDYN_INVERSE_LAGRANGE, arm->x, qd_of(arm), qdd_of(arm), NULL,
                                          arm->workspace, by_method, NULL),
               ARMDYN_OK);
  const struct armdyn_samples samples = {
    .count = SAMPLES, .q = { arm->x, 0 }, .qd = { qd_of(arm), 0 }, .qdd = { qdd_of(arm), 0 }
  };
  armdyn_inverse_dynamics_batch(arm->robot, &samples, arm->workspace, batch);
  for (size_t k = 0; k < SAMPLES * n; k++) {
    cr_assert_float_eq(batch[k], tau[k % n], 1e-11 * largest_of(n, tau));
    cr_assert_float_eq(by_method[k % n], tau[k % n], 1e-9 * largest_of(n, tau));
  }
}
Test(gears, friction_of_motors_does_their_work)
{
  each_arm(formula);
}

/* A wrist: motor 2 turns with joint 1 too, T = [[1 0] [1 1]]. With joint 2 at rest it rubs 0.5 + 0.2 * 3 N m, which joint 1
 * bears as well; nothing else has friction. */
Test(gears, of_a_wrist_by_hand)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  armdyn_joint_init(&d.joints[1]);
  d.joints[1].friction.coulomb = (struct armdyn_directed){ 0.5, 0.5 };
  d.joints[1].friction.viscous = (struct armdyn_directed){ 0.2, 0.2 };
  d.has_transmission = true;
  d.friction_at = ARMDYN_AT_MOTORS;
  d.transmission[0] = d.transmission[2] = d.transmission[3] = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  double q[2] = { 0.3, 0.1 }, qd[2] = { 3, 0 }, qdd[2] = { 0 }, tau[2];
  armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, NULL, tau);
  cr_assert_float_eq(tau[0], 1.1, 1e-12);
  cr_assert_float_eq(tau[1], 1.1, 1e-12);
  armdyn_robot_free(robot);
}

static void there_and_back(struct arm *arm)
{
  double tau[N], qdd[N], many[SAMPLES * N], taus[SAMPLES * N];
  torques(arm, arm->x, false, tau);
  for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
    cr_assert_eq(armdyn_forward_dynamics_by(arm->robot, (enum armdyn_forward_method)method, arm->x, qd_of(arm), tau,
                                            NULL, arm->workspace, qdd),
                 ARMDYN_OK);
    for (size_t i = 0; i < arm->n; i++)
      cr_assert_float_eq(qdd[i], qdd_of(arm)[i], 1e-8, "method %d, joint %zu: %g", method, i, qdd[i] - qdd_of(arm)[i]);
  }
  for (size_t k = 0; k < SAMPLES * arm->n; k++) taus[k] = tau[k % arm->n];
  const struct armdyn_samples samples = {
    .count = SAMPLES, .q = { arm->x, 0 }, .qd = { qd_of(arm), 0 }, .tau = { taus, arm->n }
  };
  cr_assert_eq(armdyn_forward_dynamics_batch(arm->robot, &samples, arm->workspace, many), ARMDYN_OK);
  for (size_t k = 0; k < SAMPLES * arm->n; k++) cr_assert_float_eq(many[k], qdd_of(arm)[k % arm->n], 1e-8);
}
Test(gears, forward_dynamics_is_the_inverse)
{
  each_arm(there_and_back);
}

/* Slope of the torques by differences of the sixth order. */
static void difference(struct arm *arm, size_t index, double *slope)
{
  static const double weight[3] = { 1.5, -0.6, 0.1 };
  const double kept = arm->x[index], h = 1e-4;
  double out[N];
  memset(slope, 0, arm->n * sizeof *slope);
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    arm->x[index] = kept + k * h;
    torques(arm, arm->x, false, out);
    for (size_t i = 0; i < arm->n; i++) slope[i] += (k > 0 ? 1 : -1) * weight[abs(k) - 1] * out[i] / (abs(k) * h) / 2;
  }
  arm->x[index] = kept;
}

static void slopes(struct arm *arm)
{
  static double by[3][SAMPLES * N * N], sums[3][SAMPLES * N];
  const size_t n = arm->n;
  double weights[N], v[N], f[N];
  at_outputs(arm, v, f);
  for (size_t i = 0; i < n; i++)
    if (fabs(v[i]) < 2e-3) return; /* where friction of two directions has its kink */
  const struct armdyn_samples samples = {
    .count = SAMPLES, .q = { arm->x, 0 }, .qd = { qd_of(arm), 0 }, .qdd = { qdd_of(arm), 0 }
  };
  for (size_t i = 0; i < n; i++) weights[i] = sin(3 + (double)i);
  const struct armdyn_rows rows = { weights, 0 };
  armdyn_inverse_dynamics_derivatives_batch(arm->robot, &samples, arm->workspace, by[0], by[1], by[2]);
  armdyn_inverse_dynamics_adjoint_batch(arm->robot, &samples, &rows, arm->workspace, sums[0], sums[1], sums[2]);
  for (int kind = 0; kind < 3; kind++) {
    for (size_t j = 0; j < n; j++) {
      double slope[N], sum = 0;
      difference(arm, (size_t)kind * n + j, slope);
      for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < SAMPLES; k += SAMPLES - 1)
          cr_assert_float_eq(by[kind][k * n * n + i * n + j], slope[i], 1e-6 * largest_of(n, slope),
                             "by %d, (%zu, %zu) of %zu: %.10g, difference %.10g", kind, i, j, n, by[kind][i * n + j],
                             slope[i]);
        sum += weights[i] * slope[i];
      }
      cr_assert_float_eq(sums[kind][j], sum, 1e-6 * largest_of(n, slope) * (double)n);
    }
  }
}
Test(gears, derivatives_are_its_slopes)
{
  each_arm(slopes);
}

static void linear_in_parameters(struct arm *arm)
{
  double tau[N], *Y, *parameters;
  const size_t n = arm->n, count = armdyn_parameter_count(arm->robot, NULL);
  Y = malloc(n * count * sizeof *Y);
  parameters = malloc(count * sizeof *parameters);
  armdyn_parameters(arm->robot, NULL, parameters);
  armdyn_regressor(arm->robot, NULL, arm->x, qd_of(arm), qdd_of(arm), arm->workspace, Y);
  torques(arm, arm->x, false, tau);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += Y[i * count + k] * parameters[k];
    cr_assert_float_eq(sum, tau[i], 1e-9 * largest_of(n, tau), "%zu: %g", i, sum - tau[i]);
  }
  free(Y);
  free(parameters);
}
Test(gears, torques_are_linear_in_friction_of_motors)
{
  each_arm(linear_in_parameters);
}

/* Nothing touches an arm that turns as its drives make it: the observer shows but the error of its trapezoids. */
Test(gears, friction_of_motors_is_known_to_the_observer)
{
  struct dice dice = { 5 };
  struct arm arm = { .n = 4 };
  random_description(&dice, &arm.description, 4, ARMDYN_DH);
  couple(&arm, &dice);
  expect_unfelt(&arm.description);
}

/* What does not know it says so; so does friction of the load at a coupled motor. */
Test(gears, who_does_not_know_friction_of_motors_says_so)
{
  struct dice dice = { 9 };
  struct arm arm = { .n = 3 };
  struct armdyn_error error = { "", "" };
  struct armdyn_code *code;
  random_description(&dice, &arm.description, 3, ARMDYN_DH);
  couple(&arm, &dice);
  cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, &error), ARMDYN_OK);
  const struct armdyn_code_request request = { .function = ARMDYN_CODE_FRICTION, .language = ARMDYN_CODE_C };
  cr_assert_eq(armdyn_code_new(arm.robot, &request, &code, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "coupled motors"), "%s", error.message);
  armdyn_robot_free(arm.robot);
  arm.description.joints[1].friction.load = 0.1;
  cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/joints/1/friction/load");
}
