/* Friction that grows with the load: tau_i = y_i + c_i |y_i| tanh(qd_i / e_i) + F_i, y the torque without friction; and what
 * follows from it for forward dynamics, derivatives, regressors and the observer of momentum. */
#include <criterion/criterion.h>

#include "armdyn/terms.h"
#include "tests/support/observed.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES = 13 };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double x[3 * N], wrench[6]; /* q, qd, qdd */
  struct armdyn_load load;
};

static const double *qd_of(const struct arm *arm)
{
  return arm->x + arm->n;
}
static const double *qdd_of(const struct arm *arm)
{
  return arm->x + 2 * arm->n;
}

static void each_arm(void (*law)(struct arm *arm))
{
  static struct arm arm;
  for (size_t k = 0; k < 24; k++) {
    const size_t n = arm.n = 1 + k % 9;
    struct dice dice = { 77 * k + 3 };
    random_description(&dice, &arm.description, n, (enum armdyn_convention)(k % 3));
    for (size_t i = 0; i < n; i++) {
      arm.description.joints[i].friction.load = i % 4 == 3 ? 0 : dice_uniform(&dice, 0.02, 0.9);
      arm.description.joints[i].velocity_scale = 0.1; /* some joints turn around */
      arm.description.joints[i].friction.ripple_count =
          0; /* so steep that loads change their sign within a difference */
    }
    cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, NULL), ARMDYN_OK);
    arm.workspace = armdyn_workspace_new(n);
    dice_fill(&dice, arm.x, 3 * n, -1.5, 1.5);
    dice_fill(&dice, arm.wrench, 6, -20, 20);
    arm.load = (struct armdyn_load){ k % 2 ? arm.wrench : NULL, ARMDYN_WRENCH_TOOL, false };
    law(&arm);
    armdyn_robot_free(arm.robot);
    armdyn_workspace_free(arm.workspace);
  }
}

static void torques(const struct arm *arm, const double *x, bool frictionless, double *tau)
{
  struct armdyn_load load = arm->load;
  load.frictionless = frictionless;
  armdyn_inverse_dynamics(arm->robot, x, x + arm->n, x + 2 * arm->n, &load, arm->workspace, tau);
}

static double largest_of(size_t count, const double *x)
{
  double most = 1;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

static void formula(struct arm *arm)
{
  double tau[N], y[N], batch[SAMPLES * N], back[N], by_method[N];
  torques(arm, arm->x, false, tau);
  torques(arm, arm->x, true, y);
  for (size_t i = 0; i < arm->n; i++) {
    const struct armdyn_joint *joint = &arm->description.joints[i];
    const double qd = qd_of(arm)[i], share = joint->friction.load * tanh(qd / joint->velocity_scale);
    const double expected = y[i] + share * fabs(y[i]) + armdyn_friction_torque(arm->robot, i, arm->x[i], qd);
    cr_assert_float_eq(tau[i], expected, 1e-12 * largest_of(arm->n, tau), "%zu: %.15g, not %.15g", i, tau[i], expected);
  }
  armdyn_transmitted_torques(arm->robot, arm->x, qd_of(arm), tau, back);
  for (size_t i = 0; i < arm->n; i++) cr_assert_float_eq(back[i], y[i], 1e-11 * largest_of(arm->n, tau));
  cr_assert_eq(armdyn_inverse_dynamics_by(arm->robot, ARMDYN_INVERSE_LAGRANGE, arm->x, qd_of(arm), qdd_of(arm),
                                          &arm->load, arm->workspace, by_method, NULL),
               ARMDYN_OK);
  const struct armdyn_samples samples = { .count = SAMPLES,
                                          .q = { arm->x, 0 },
                                          .qd = { qd_of(arm), 0 },
                                          .qdd = { qdd_of(arm), 0 },
                                          .wrench = { arm->load.wrench, 0 } };
  armdyn_inverse_dynamics_batch(arm->robot, &samples, arm->workspace, batch);
  for (size_t k = 0; k < SAMPLES * arm->n; k++) {
    cr_assert_float_eq(batch[k], tau[k % arm->n], 1e-11 * largest_of(arm->n, tau));
    cr_assert_float_eq(by_method[k % arm->n], tau[k % arm->n], 1e-9 * largest_of(arm->n, tau));
  }
}
Test(load_friction, is_a_share_of_what_is_transmitted)
{
  each_arm(formula);
}

/* One arm of 2 kg, 0.5 m out, held level with c = 0.2 on its way up and down at 1 rad/s: the drive bears the weight 9.81 N m
 * and 1.962 N m more, or less. */
Test(load_friction, of_a_weight_by_hand)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.gravity[1] = -9.81, d.gravity[2] = 0;
  d.joint_count = 1;
  d.joints[0].a = 0.5;
  d.joints[0].link.mass = 2;
  d.joints[0].friction.load = 0.2;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  for (int way = -1; way <= 1; way++) {
    double q = 0, qd = way, qdd = 0, tau, there;
    armdyn_inverse_dynamics(robot, &q, &qd, &qdd, NULL, NULL, &tau);
    cr_assert_float_eq(tau, 9.81 * (1 + 0.2 * way), 1e-12);
    there = 15; /* (15 / 1.2 - 9.81) / 0.5 upwards, (15 / 0.8 - 9.81) / 0.5 downwards */
    struct armdyn_workspace *workspace = armdyn_workspace_new(1);
    cr_assert_eq(armdyn_forward_dynamics(robot, &q, &qd, &there, NULL, workspace, &qdd), ARMDYN_OK);
    cr_assert_float_eq(qdd, (15 / (1 + 0.2 * way) - 9.81) / 0.5, 1e-11);
    armdyn_workspace_free(workspace);
  }
  armdyn_robot_free(robot);
}

static void there_and_back(struct arm *arm)
{
  double tau[N], qdd[N], many[SAMPLES * N], taus[SAMPLES * N];
  torques(arm, arm->x, false, tau);
  for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
    cr_assert_eq(armdyn_forward_dynamics_by(arm->robot, (enum armdyn_forward_method)method, arm->x, qd_of(arm), tau,
                                            &arm->load, arm->workspace, qdd),
                 ARMDYN_OK);
    for (size_t i = 0; i < arm->n; i++)
      cr_assert_float_eq(qdd[i], qdd_of(arm)[i], 1e-8, "method %d, joint %zu: %g", method, i, qdd[i] - qdd_of(arm)[i]);
  }
  for (size_t k = 0; k < SAMPLES * arm->n; k++) taus[k] = tau[k % arm->n];
  const struct armdyn_samples samples = { .count = SAMPLES,
                                          .q = { arm->x, 0 },
                                          .qd = { qd_of(arm), 0 },
                                          .tau = { taus, arm->n },
                                          .wrench = { arm->load.wrench, 0 } };
  cr_assert_eq(armdyn_forward_dynamics_batch(arm->robot, &samples, arm->workspace, many), ARMDYN_OK);
  for (size_t k = 0; k < SAMPLES * arm->n; k++) cr_assert_float_eq(many[k], qdd_of(arm)[k % arm->n], 1e-8);
}
Test(load_friction, forward_dynamics_is_the_inverse)
{
  each_arm(there_and_back);
}

/* Slope of a vector function by differences of the sixth order. */
static void difference(struct arm *arm, size_t index, void (*of)(const struct arm *arm, const double *x, double *out),
                       double *slope)
{
  static const double weight[3] = { 1.5, -0.6, 0.1 };
  const double kept = arm->x[index], h = 4e-4;
  double out[N];
  memset(slope, 0, arm->n * sizeof *slope);
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    arm->x[index] = kept + k * h;
    of(arm, arm->x, out);
    for (size_t i = 0; i < arm->n; i++) slope[i] += (k > 0 ? 1 : -1) * weight[abs(k) - 1] * out[i] / (abs(k) * h) / 2;
  }
  arm->x[index] = kept;
}

static void with_friction(const struct arm *arm, const double *x, double *tau)
{
  torques(arm, x, false, tau);
}

/* Not within a difference of where Coulomb friction of two directions has its kink, nor of a load that changes its sign. */
static void keep_off_kinks(struct arm *arm)
{
  double y[N];
  for (size_t i = 0; i < arm->n; i++)
    if (fabs(arm->x[arm->n + i]) < 0.05) arm->x[arm->n + i] = 0.05;
  torques(arm, arm->x, true, y);
  for (size_t i = 0; i < arm->n; i++) cr_assert_gt(fabs(y[i]), 0.02, "another seed: %g", y[i]);
}

static void slopes(struct arm *arm)
{
  static double by[3][SAMPLES * N * N], sums[3][SAMPLES * N];
  const size_t n = arm->n;
  double weights[N], y[N], tau[N];
  keep_off_kinks(arm);
  torques(arm, arm->x, true, y);
  torques(arm, arm->x, false, tau);
  const struct armdyn_samples samples = { .count = SAMPLES,
                                          .q = { arm->x, 0 },
                                          .qd = { qd_of(arm), 0 },
                                          .qdd = { qdd_of(arm), 0 },
                                          .wrench = { arm->load.wrench, 0 } };
  for (size_t i = 0; i < n; i++) weights[i] = sin(3 + (double)i);
  const struct armdyn_rows rows = { weights, 0 };
  armdyn_inverse_dynamics_derivatives_batch(arm->robot, &samples, arm->workspace, by[0], by[1], by[2]);
  armdyn_inverse_dynamics_adjoint_batch(arm->robot, &samples, &rows, arm->workspace, sums[0], sums[1], sums[2]);
  for (int kind = 0; kind < 3; kind++) {
    for (size_t j = 0; j < n; j++) {
      double slope[N], sum = 0;
      difference(arm, (size_t)kind * n + j, with_friction, slope);
      for (size_t i = 0; i < n; i++) {
        const struct armdyn_joint *joint = &arm->description.joints[i];
        const double share = joint->friction.load * tanh(qd_of(arm)[i] / joint->velocity_scale);
        const double factor = kind == 2 ? 1 + copysign(share, share * y[i]) : 1; /* by qdd: M, rows times that */
        for (size_t k = 0; k < SAMPLES; k += SAMPLES - 1)
          cr_assert_float_eq(factor * by[kind][k * n * n + i * n + j], slope[i], 1e-6 * largest_of(n, slope),
                             "by %d, (%zu, %zu) of %zu: %.10g, difference %.10g", kind, i, j, n,
                             factor * by[kind][i * n + j], slope[i]);
        sum += weights[i] * slope[i];
      }
      cr_assert_float_eq(sums[kind][j], sum, 1e-6 * largest_of(n, slope) * (double)n);
    }
  }
}
Test(load_friction, derivatives_are_its_slopes)
{
  each_arm(slopes);
}

static double held_torque[N];
static void accelerations(const struct arm *arm, const double *x, double *out)
{
  cr_assert_eq(armdyn_forward_dynamics(arm->robot, x, x + arm->n, held_torque, &arm->load, arm->workspace, out),
               ARMDYN_OK);
}

static void linear(struct arm *arm)
{
  static double a[4 * N * N], b[2 * N * N];
  const size_t n = arm->n;
  keep_off_kinks(arm);
  torques(arm, arm->x, false, held_torque);
  cr_assert_eq(armdyn_linearize(arm->robot, arm->x, qd_of(arm), held_torque, &arm->load, arm->workspace, a, b),
               ARMDYN_OK);
  for (size_t j = 0; j < 2 * n; j++) {
    double slope[N];
    difference(arm, j, accelerations, slope);
    for (size_t i = 0; i < n; i++)
      cr_assert_float_eq(a[(n + i) * 2 * n + j], slope[i], 2e-5 * largest_of(n, slope),
                         "(%zu, %zu) of %zu: %.9g, difference %.9g", i, j, n, a[(n + i) * 2 * n + j], slope[i]);
  }
  for (size_t j = 0; j < n; j++) {
    double more[N], less[N], kept = held_torque[j];
    held_torque[j] = kept + 1e-4;
    accelerations(arm, arm->x, more);
    held_torque[j] = kept - 1e-4;
    accelerations(arm, arm->x, less);
    held_torque[j] = kept;
    for (size_t i = 0; i < n; i++)
      cr_assert_float_eq(b[(n + i) * n + j], (more[i] - less[i]) / 2e-4, 1e-6 * largest_of(n, more));
  }
}
Test(load_friction, linearization_is_that_of_forward_dynamics)
{
  each_arm(linear);
}

static void linear_in_parameters(struct arm *arm)
{
  double tau[N], *Y, *parameters;
  const size_t n = arm->n, count = armdyn_parameter_count(arm->robot, NULL);
  const struct armdyn_load none = { 0 };
  Y = malloc(n * count * sizeof *Y);
  parameters = malloc(count * sizeof *parameters);
  armdyn_parameters(arm->robot, NULL, parameters);
  armdyn_regressor(arm->robot, NULL, arm->x, qd_of(arm), qdd_of(arm), arm->workspace, Y);
  armdyn_inverse_dynamics(arm->robot, arm->x, qd_of(arm), qdd_of(arm), &none, arm->workspace, tau);
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += Y[i * count + k] * parameters[k];
    cr_assert_float_eq(sum, tau[i], 1e-9 * largest_of(n, tau), "%zu: %g", i, sum - tau[i]);
  }
  free(Y);
  free(parameters);
}
Test(load_friction, is_linear_under_the_loads_of_the_model)
{
  each_arm(linear_in_parameters);
}

static void parts(struct arm *arm)
{
  double tau[N], part[5][N];
  const struct armdyn_torque_parts wanted = {
    .inertial = part[0], .coriolis = part[1], .gravity = part[2], .friction = part[3], .external = part[4]
  };
  armdyn_inverse_dynamics_parts(arm->robot, arm->x, qd_of(arm), qdd_of(arm), &arm->load, arm->workspace, tau, &wanted);
  for (size_t i = 0; i < arm->n; i++) {
    const double sum = part[0][i] + part[1][i] + part[2][i] + part[3][i] + part[4][i];
    cr_assert_float_eq(sum, tau[i], 1e-10 * largest_of(arm->n, tau), "%zu: %g", i, sum - tau[i]);
  }
}
Test(load_friction, stands_among_the_parts)
{
  each_arm(parts);
}

/* Nothing touches an arm that turns as its drives make it: the observer shows but the error of its trapezoids. */
Test(load_friction, is_known_to_the_observer)
{
  struct dice dice = { 5 };
  struct armdyn_robot_description d;
  random_description(&dice, &d, 4, ARMDYN_DH);
  for (size_t i = 0; i < 4; i++) d.joints[i].friction.load = 0.3;
  expect_unfelt(&d);
}

/* What does not know it says so, and names the joint. */
Test(load_friction, is_refused_where_it_is_not_known)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_error error = { "", "" };
  struct armdyn_code *code = NULL;
  struct armdyn_code_request request;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  d.joints[1].friction.load = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.pointer, "/joints/1/friction/load");
  d.joints[1].friction.load = 0.1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  armdyn_code_request_init(&request);
  cr_expect_eq(armdyn_code_new(robot, &request, &code, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "joint 2"), "%s", error.message);
  request.terms = ARMDYN_CODE_ALL_TERMS & ~ARMDYN_CODE_RUBBING;
  cr_expect_eq(armdyn_code_new(robot, &request, &code, &error), ARMDYN_OK);
  armdyn_code_free(code);
  const double ends[4] = { 0, 0, 1, 1 };
  const struct armdyn_optimal_request motion = { .start = ends, .goal = ends + 2, .duration = 2 };
  struct armdyn_trajectory out = { 0 };
  struct armdyn_optimal_result planned;
  cr_expect_eq(armdyn_optimal_plan(robot, &motion, &out, NULL, &planned, NULL, NULL, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "optimal motion") && strstr(error.message, "joint 2"), "%s", error.message);
  armdyn_robot_free(robot);
}
