/* Torque is the regressor times the parameters, and times the base parameters. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX, WIDE = 30 * N };

static struct armdyn_robot *robot_of(const struct armdyn_robot_description *description)
{
  struct armdyn_robot *robot;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_robot_new(description, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return robot;
}

static void same_torque(const double *Y, size_t width, const double *parameters, const double *tau, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double sum = 0, scale = 1;
    for (size_t c = 0; c < width; c++) {
      sum += Y[i * width + c] * parameters[c];
      scale += fabs(Y[i * width + c] * parameters[c]);
    }
    cr_assert_float_eq(sum, tau[i], 1e-12 * scale, "joint %zu of %zu: %.17g, %.17g", i, n, sum, tau[i]);
  }
}

Test(regressor, times_the_parameters_is_the_torque)
{
  static struct armdyn_robot_description d;
  static double Y[N * WIDE], parameters[WIDE];
  for (size_t n = 1; n <= N; n += n < 10 ? 1 : 11) {
    for (int variant = 0; variant < 9; variant++) {
      struct dice dice = { 100 * n + (size_t)variant + 1 };
      double x[3 * N], tau[N];
      random_description(&dice, &d, n, (enum armdyn_convention)(variant % 3));
      if (variant > 2) d.joints[0].friction.coulomb.negative = d.joints[0].friction.coulomb.positive;
      if (variant > 5) d.joints[0].friction.viscous.negative = d.joints[0].friction.viscous.positive;
      if (variant > 5) d.joints[n - 1].friction.stiction = NAN;
      if (variant == 8) d.joints[n / 2].drive.rotor_inertia = 0;
      struct armdyn_robot *robot = robot_of(&d);
      struct armdyn_workspace *workspace = armdyn_workspace_new(n);
      const struct armdyn_parameter_choice all = { .rotors = ARMDYN_ROTORS_ALL, .frictionless = false };
      const struct armdyn_parameter_choice *choice = variant % 2 ? &all : NULL;
      const size_t width = armdyn_parameter_count(robot, choice);
      cr_assert_leq(width, WIDE);
      dice_fill(&dice, x, 3 * n, -1.5, 1.5);
      x[n] *= 1e-3;
      armdyn_inverse_dynamics(robot, x, x + n, x + 2 * n, NULL, workspace, tau);
      armdyn_regressor(robot, choice, x, x + n, x + 2 * n, workspace, Y);
      armdyn_parameters(robot, choice, parameters);
      same_torque(Y, width, parameters, tau, n);
      armdyn_workspace_free(workspace);
      armdyn_robot_free(robot);
    }
  }
}

Test(regressor, columns_have_names)
{
  static struct armdyn_robot_description d;
  static const char *const expected[] = { "a.m",
                                          "a.mx",
                                          "a.my",
                                          "a.mz",
                                          "a.Ixx",
                                          "a.Ixy",
                                          "a.Iyy",
                                          "a.Ixz",
                                          "a.Iyz",
                                          "a.Izz",
                                          "j2.m",
                                          "j2.mx",
                                          "j2.my",
                                          "j2.mz",
                                          "j2.Ixx",
                                          "j2.Ixy",
                                          "j2.Iyy",
                                          "j2.Ixz",
                                          "j2.Iyz",
                                          "j2.Izz",
                                          "j2.rotor_inertia",
                                          "a.coulomb",
                                          "a.viscous.positive",
                                          "a.viscous.negative",
                                          "j2.position.0",
                                          "j2.position.1" };
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "a");
  d.joints[1].drive.rotor_inertia = 1e-4;
  d.joints[0].friction.coulomb = (struct armdyn_directed){ 2, 2 };
  d.joints[0].friction.viscous = (struct armdyn_directed){ 2, 1 };
  d.joints[1].friction.ripple_count = 2;
  d.joints[1].friction.ripples[0] = (struct armdyn_ripple){ 1, 1, 0 };
  d.joints[1].friction.ripples[1] = (struct armdyn_ripple){ 1, 2, 0 };
  struct armdyn_robot *robot = robot_of(&d);
  cr_assert_eq(armdyn_parameter_count(robot, NULL), sizeof expected / sizeof *expected);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    armdyn_parameter_name(robot, NULL, k, name);
    cr_assert_str_eq(name, expected[k]);
  }
  armdyn_robot_free(robot);
}

/* ---- base parameters */

/* A robot of revolute joints, or with a slide, by its rows [a, alpha, d]; all joints with random physical bodies. */
static void describe(struct armdyn_robot_description *d, enum armdyn_convention convention, size_t n,
                     const double (*rows)[3], int slide)
{
  struct dice dice = { n };
  armdyn_robot_description_init(d);
  d->convention = convention;
  d->joint_count = n;
  for (size_t i = 0; i < n; i++) {
    struct armdyn_joint *joint = &d->joints[i];
    joint->type = (int)i == slide ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
    joint->a = rows[i][0];
    joint->alpha = rows[i][1];
    joint->d = rows[i][2];
    random_body(&dice, &joint->link, dice_uniform(&dice, 1, 5), 0.3);
    joint->drive.rotor_inertia = 1e-4;
    joint->drive.gear_ratio = 50;
  }
}

static const double H = M_PI / 2;
static const double two[][3] = { { 0.4, 0, 0 }, { 0.3, 0, 0 } };
static const double scara[][3] = { { 0.4, 0, 0.3 }, { 0.3, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
static const double puma[][3] = { { 0, H, 0 },      { 0.4318, 0, 0 }, { 0.0203, -H, 0.15005 },
                                  { 0, H, 0.4318 }, { 0, -H, 0 },     { 0, 0, 0 } };
static const double ur[][3] = { { 0, H, 0.1273 },   { -0.612, 0, 0 },  { -0.5723, 0, 0 },
                                { 0, H, 0.163941 }, { 0, -H, 0.1157 }, { 0, 0, 0.0922 } };
static const double panda[][3] = { { 0, 0, 0.333 },        { 0, -H, 0 }, { 0, H, 0.316 }, { 0.0825, H, 0 },
                                   { -0.0825, -H, 0.384 }, { 0, H, 0 },  { 0.088, H, 0 } };

static const struct arm {
  const char *name;
  enum armdyn_convention convention;
  size_t n;
  const double (*rows)[3];
  int slide;
  double gravity[3];
  size_t counts[2]; /* without and with rotors */
} arms[] = {
  { "2R horizontal", ARMDYN_DH, 2, two, -1, { 0, 0, -9.81 }, { 4, 5 } },
  { "2R vertical", ARMDYN_DH, 2, two, -1, { 0, -9.81, 0 }, { 6, 7 } },
  { "SCARA RRPR", ARMDYN_DH, 4, scara, 2, { 0, 0, -9.81 }, { 8, 11 } },
  { "Puma 560", ARMDYN_DH, 6, puma, -1, { 0, 0, -9.81 }, { 36, 40 } },
  { "UR10", ARMDYN_DH, 6, ur, -1, { 0, 0, -9.81 }, { 36, 40 } },
  { "Panda", ARMDYN_MDH, 7, panda, -1, { 0, 0, -9.81 }, { 43, 48 } },
};

static size_t base_count(const struct armdyn_robot *robot, enum armdyn_rotor_columns rotors)
{
  const struct armdyn_parameter_choice choice = { .rotors = rotors, .frictionless = true };
  struct armdyn_base_parameters *base;
  cr_assert_eq(armdyn_base_parameters_new(robot, &choice, &base), ARMDYN_OK);
  const size_t count = armdyn_base_parameter_count(base);
  armdyn_base_parameters_free(base);
  return count;
}

Test(base_parameters, counts_are_those_of_the_literature)
{
  static struct armdyn_robot_description d;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; k++) {
    describe(&d, arms[k].convention, arms[k].n, arms[k].rows, arms[k].slide);
    memcpy(d.gravity, arms[k].gravity, sizeof d.gravity);
    struct armdyn_robot *robot = robot_of(&d);
    cr_expect_eq(base_count(robot, ARMDYN_ROTORS_NONE), arms[k].counts[0], "%s has %zu", arms[k].name,
                 base_count(robot, ARMDYN_ROTORS_NONE));
    cr_expect_eq(base_count(robot, ARMDYN_ROTORS_PRESENT), arms[k].counts[1], "%s has %zu with rotors", arms[k].name,
                 base_count(robot, ARMDYN_ROTORS_PRESENT));
    armdyn_robot_free(robot);
  }
  memcpy(d.gravity, (double[3]){ 0, -9.81, 0 }, sizeof d.gravity); /* the last, mounted sideways */
  struct armdyn_robot *robot = robot_of(&d);
  cr_expect_eq(base_count(robot, ARMDYN_ROTORS_NONE), 45);
  armdyn_robot_free(robot);
}

/* Y_b beta is the torque of the model, friction and rotors included, at states that had no part in finding beta. */
static void same_torque_from_base(const struct armdyn_robot_description *d, uint64_t seed)
{
  static double Y[N * WIDE], Yb[N * WIDE], beta[WIDE];
  const size_t n = d->joint_count;
  struct armdyn_robot *robot = robot_of(d);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  struct armdyn_base_parameters *base;
  struct dice dice = { seed };
  double x[3 * N], tau[N];
  cr_assert_eq(armdyn_base_parameters_new(robot, NULL, &base), ARMDYN_OK);
  const size_t count = armdyn_base_parameter_count(base), width = armdyn_parameter_count(robot, NULL);
  cr_assert_lt(count, width);
  for (size_t k = 0; k < count; k++) beta[k] = armdyn_base_parameter_value(base, k);
  for (int repeat = 0; repeat < 5; repeat++) {
    dice_fill(&dice, x, 3 * n, -2, 2);
    armdyn_inverse_dynamics(robot, x, x + n, x + 2 * n, NULL, workspace, tau);
    armdyn_regressor(robot, NULL, x, x + n, x + 2 * n, workspace, Y);
    armdyn_base_columns(base, Y, n, Yb);
    for (size_t i = 0; i < n; i++) {
      double sum = 0, scale = 1;
      for (size_t k = 0; k < count; k++) {
        sum += Yb[i * count + k] * beta[k];
        scale += fabs(Yb[i * count + k] * beta[k]);
      }
      cr_assert_float_eq(sum, tau[i], 1e-10 * scale, "joint %zu of %zu: %.17g, %.17g", i, n, sum, tau[i]);
    }
  }
  armdyn_base_parameters_free(base);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(base_parameters, give_the_same_torque)
{
  static struct armdyn_robot_description d;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; k++) {
    describe(&d, arms[k].convention, arms[k].n, arms[k].rows, arms[k].slide);
    same_torque_from_base(&d, k + 1);
  }
  for (size_t n = 1; n <= 9; n++) {
    struct dice dice = { 7 * n };
    random_description(&dice, &d, n, (enum armdyn_convention)(n % 3));
    same_torque_from_base(&d, n);
  }
}

/* A pendulum about a vertical axis feels Izz alone; lying down, its moments as well. */
Test(base_parameters, are_spelt_out)
{
  static struct armdyn_robot_description d;
  const double rows[][3] = { { 0, 0, 0 }, { 0.5, 0, 0 } };
  const struct armdyn_parameter_choice links = { .rotors = ARMDYN_ROTORS_NONE, .frictionless = true };
  struct armdyn_base_parameters *base;
  char text[256], cut[8];
  describe(&d, ARMDYN_MDH, 2, rows, -1);
  struct armdyn_robot *robot = robot_of(&d);
  cr_assert_eq(armdyn_base_parameters_new(robot, &links, &base), ARMDYN_OK);
  cr_assert_eq(armdyn_base_parameter_count(base), 4); /* Izz1 + l^2 m2, mx2, my2, Izz2 */
  double m1 = 0;
  for (size_t k = 0; k < 4; k++) {
    const size_t length = armdyn_base_parameter_text(base, k, text, sizeof text);
    cr_assert_eq(length, strlen(text));
    const double *c = armdyn_base_parameter_coefficients(base, k);
    cr_assert_eq(c[armdyn_base_parameter_lead(base, k)], 1);
    for (size_t j = 0; j < 9; j++) cr_assert_eq(c[j], 0, "of link 1 only Izz moves");
    if (c[9] != 0) {
      m1++;
      cr_assert_float_eq(c[10] / c[9], 0.25, 1e-9, "Izz1 + l^2 m2: %s", text);
      cr_assert_str_eq(text, "j1.Izz + 0.25 j2.m");
      cr_assert_eq(armdyn_base_parameter_text(base, k, cut, sizeof cut), length);
      cr_assert_eq(strlen(cut), sizeof cut - 1);
    }
  }
  cr_assert_eq(m1, 1);
  armdyn_base_parameters_free(base);
  armdyn_robot_free(robot);
}
