/* Held tools and walls: against the whole linear system of constrained motion, closed forms, and Gauss's principle itself. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/constraint.h"
#include "armdyn/methods.h"
#include "armdyn/terms.h"
#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX, MOST = N + 6 };

struct arm {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], tau[N];
};

static void arm_open(struct arm *arm, const struct armdyn_robot_description *description)
{
  *arm = (struct arm){ .n = description->joint_count };
  cr_assert_eq(armdyn_robot_new(description, &arm->robot, NULL), ARMDYN_OK);
  arm->workspace = armdyn_workspace_new(arm->n);
}

static void arm_close(struct arm *arm)
{
  armdyn_robot_free(arm->robot);
  armdyn_workspace_free(arm->workspace);
}

static enum armdyn_status constrained(struct arm *arm, enum armdyn_constraint kind, const double *normal, double *qdd,
                                      struct armdyn_constrained *out)
{
  return armdyn_constrained_dynamics(arm->robot, kind, normal, arm->q, arm->qd, arm->tau, NULL, arm->workspace, qdd,
                                     out);
}

/* x = S^-1 x by elimination with pivots, written here. */
static void eliminate(size_t m, double *S, double *x)
{
  for (size_t i = 0; i < m; i++) {
    size_t pivot = i;
    for (size_t r = i; r < m; r++)
      if (fabs(S[r * m + i]) > fabs(S[pivot * m + i])) pivot = r;
    for (size_t k = 0; k < m; k++) {
      const double kept = S[i * m + k];
      S[i * m + k] = S[pivot * m + k], S[pivot * m + k] = kept;
    }
    const double kept = x[i];
    x[i] = x[pivot], x[pivot] = kept;
    for (size_t r = 0; r < m; r++) {
      const double factor = r == i ? 0 : S[r * m + i] / S[i * m + i];
      for (size_t k = i; k < m && factor != 0; k++) S[r * m + k] -= factor * S[i * m + k];
      x[r] -= factor * x[i];
    }
  }
  for (size_t i = 0; i < m; i++) x[i] /= S[i * (m + 1)];
}

/* [M A'; A 0] [qdd; -f] = [tau - h; -A'qd], the rate of A by central differences of the Jacobian along qd. */
static void by_whole_system(struct arm *arm, size_t first, double *qdd, double *f)
{
  const size_t n = arm->n, rows = 6 - first, m = n + rows;
  static double S[MOST * MOST], x[MOST], M[N * N], J[3][6 * N];
  const double zero[N] = { 0 }, h = 1e-5;
  double at[N];
  for (int side = 0; side < 3; side++) {
    for (size_t j = 0; j < n; j++) at[j] = arm->q[j] + (side - 1) * h * arm->qd[j];
    armdyn_jacobian(arm->robot, at, ARMDYN_JACOBIAN_BASE, arm->workspace, J[side]);
  }
  armdyn_mass_matrix(arm->robot, arm->q, arm->workspace, M);
  armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, zero, NULL, arm->workspace, x);
  memset(S, 0, sizeof S);
  for (size_t i = 0; i < n; i++) {
    x[i] = arm->tau[i] - x[i];
    for (size_t j = 0; j < n; j++) S[i * m + j] = M[i * n + j];
  }
  for (size_t i = 0; i < rows; i++) {
    x[n + i] = 0;
    for (size_t j = 0; j < n; j++) {
      S[(n + i) * m + j] = S[j * m + n + i] = J[1][(first + i) * n + j];
      x[n + i] -= (J[2][(first + i) * n + j] - J[0][(first + i) * n + j]) / (2 * h) * arm->qd[j];
    }
  }
  eliminate(m, S, x);
  memcpy(qdd, x, n * sizeof *qdd);
  for (size_t i = 0; i < 6; i++) f[i] = i < first ? 0 : -x[n + i - first];
}

Test(constrained, held_tools_are_the_whole_system)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 5 };
  int compared = 0;
  for (int k = 0; k < 60; k++) {
    struct arm arm;
    struct armdyn_constrained out;
    double qdd[N], expected[N], f[6], largest = 1, pushed = 1;
    random_description(&dice, &d, 7, (enum armdyn_convention)(k % 2));
    d.has_transmission = k % 3 == 0;
    for (size_t j = 0; j < 7; j++) d.joints[j].link.mass = 1 + (double)j, d.joints[j].velocity_scale = 0.1;
    arm_open(&arm, &d);
    dice_fill(&dice, arm.q, 7, -2, 2), dice_fill(&dice, arm.qd, 7, -1, 1), dice_fill(&dice, arm.tau, 7, -20, 20);
    for (int pose = 0; pose < 2; pose++) {
      if (constrained(&arm, pose ? ARMDYN_CONSTRAINT_POSE : ARMDYN_CONSTRAINT_POINT, NULL, qdd, &out)) continue;
      by_whole_system(&arm, pose ? 0 : 3, expected, f);
      for (size_t j = 0; j < 7; j++) largest = fmax(largest, fabs(expected[j]));
      for (size_t i = 0; i < 6; i++) pushed = fmax(pushed, fabs(f[i]));
      if (pushed > 1e8) continue; /* rows that depend on each other: the whole system has no inverse */
      compared++;
      for (size_t j = 0; j < 7; j++) cr_assert_float_eq(qdd[j], expected[j], 1e-6 * largest, "arm %d", k);
      for (size_t i = 0; i < 6; i++) cr_assert_float_eq(out.wrench[i], f[i], 1e-6 * pushed, "arm %d", k);
      for (size_t i = pose ? 0 : 3; i < 6; i++) cr_assert_float_eq(out.acceleration[i], 0, 1e-7 * largest);
    }
    arm_close(&arm);
  }
  cr_assert_gt(compared, 90);
}

/* Two rods in a plane: their end held, they are a triangle that cannot move, and carry their weight as a frame does. */
Test(constrained, a_triangle_stands)
{
  static struct armdyn_robot_description d;
  struct arm arm;
  struct armdyn_constrained out;
  double qdd[2];
  const double m = 3, g = 9.81;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  d.gravity[1] = -g, d.gravity[2] = 0;
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "a"), snprintf(d.joints[1].name, sizeof d.joints[1].name, "b");
  for (size_t j = 0; j < 2; j++) d.joints[j].a = 1, d.joints[j].link.mass = m, d.joints[j].link.com[0] = -0.5;
  arm_open(&arm, &d);
  arm.q[0] = M_PI / 3, arm.q[1] = -2 * M_PI / 3; /* up 60 degrees, down again: an A, its feet 1 m apart */
  cr_assert_eq(constrained(&arm, ARMDYN_CONSTRAINT_POSE, NULL, qdd, &out), ARMDYN_OK);
  cr_assert_float_eq(qdd[0], 0, 1e-10);
  cr_assert_float_eq(qdd[1], 0, 1e-10);
  cr_assert_eq(constrained(&arm, ARMDYN_CONSTRAINT_POINT, NULL, qdd, &out), ARMDYN_OK);
  cr_assert_float_eq(qdd[0], 0, 1e-10);
  cr_assert_float_eq(qdd[1], 0, 1e-10);
  /* each foot carries one rod; about the ridge m g / 4 = H sin 60 + ...: H = m g / (2 tan 60), inward */
  cr_assert_float_eq(out.wrench[4], m * g, 1e-9);
  cr_assert_float_eq(out.wrench[3], -m * g / (2 * tan(M_PI / 3)), 1e-9);
  arm_close(&arm);
}

/* A mass that slides up and down over a floor. */
Test(constrained, a_wall_pushes_and_never_pulls)
{
  static struct armdyn_robot_description d;
  struct arm arm;
  struct armdyn_constrained out;
  double qdd;
  const double m = 4, g = 9.81, up[3] = { 0, 0, 5 };
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  d.joints[0].type = ARMDYN_PRISMATIC;
  d.joints[0].link.mass = m;
  arm_open(&arm, &d);
  arm.tau[0] = 10;
  cr_assert_eq(constrained(&arm, ARMDYN_CONSTRAINT_WALL, up, &qdd, &out), ARMDYN_OK);
  cr_assert_float_eq(qdd, 0, 1e-12);
  cr_assert_float_eq(out.wrench[5], m * g - 10, 1e-12);
  cr_assert_float_eq(out.gauss, pow(m * g - 10, 2) / (2 * m), 1e-10);
  arm.tau[0] = 60;
  cr_assert_eq(constrained(&arm, ARMDYN_CONSTRAINT_WALL, up, &qdd, &out), ARMDYN_OK);
  cr_assert_float_eq(qdd, 60 / m - g, 1e-12);
  cr_assert(out.wrench[5] == 0 && out.gauss == 0);
  arm_close(&arm);
}

/* Of all accelerations that the wall allows none bends the free motion less. */
Test(constrained, gauss_function_is_least)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 8 };
  int pressed = 0;
  for (int k = 0; k < 40; k++) {
    struct arm arm;
    struct armdyn_constrained out;
    double qdd[N], free[N], M[N * N], J[6 * N], drift[6], normal[3];
    random_description(&dice, &d, 6, ARMDYN_DH);
    d.has_transmission = k % 2;
    arm_open(&arm, &d);
    dice_fill(&dice, arm.q, 6, -2, 2), dice_fill(&dice, arm.qd, 6, -1, 1), dice_fill(&dice, arm.tau, 6, -20, 20);
    dice_fill(&dice, normal, 3, -1, 1);
    if (constrained(&arm, ARMDYN_CONSTRAINT_WALL, normal, qdd, &out)) continue;
    armdyn_forward_dynamics(arm.robot, arm.q, arm.qd, arm.tau, NULL, arm.workspace, free);
    armdyn_mass_matrix(arm.robot, arm.q, arm.workspace, M);
    armdyn_jacobian(arm.robot, arm.q, ARMDYN_JACOBIAN_BASE, arm.workspace, J);
    armdyn_jacobian_dot_qd(arm.robot, arm.q, arm.qd, ARMDYN_JACOBIAN_BASE, arm.workspace, drift);
    pressed += out.gauss > 0;
    for (int trial = 0; trial < 200; trial++) {
      double other[N], G = 0, along = 0;
      for (size_t j = 0; j < 6; j++)
        other[j] = (trial % 2 ? qdd : free)[j] + pow(10, -trial % 5) * dice_uniform(&dice, -1, 1);
      for (size_t i = 0; i < 3; i++) {
        along += normal[i] * drift[3 + i];
        for (size_t j = 0; j < 6; j++) along += normal[i] * J[(3 + i) * 6 + j] * other[j];
      }
      if (along < 0) continue;
      for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) G += (other[i] - free[i]) * M[i * 6 + j] * (other[j] - free[j]) / 2;
      cr_assert_geq(G, out.gauss * (1 - 1e-9), "arm %d", k);
    }
    arm_close(&arm);
  }
  cr_assert(pressed > 5 && pressed < 35, "%d", pressed);
}

/* Friction that grows with the load is taken off as in every other method, with nothing held. */
Test(constrained, free_tools_are_forward_dynamics)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 12 };
  for (int k = 0; k < 20; k++) {
    struct arm arm;
    struct armdyn_constrained out;
    double qdd[N], expected[N], largest = 1;
    random_description(&dice, &d, 6, ARMDYN_DH);
    d.has_transmission = k % 2;
    for (size_t j = 0; j < 6; j++) d.joints[j].friction.load = dice_uniform(&dice, 0, 0.3);
    arm_open(&arm, &d);
    dice_fill(&dice, arm.q, 6, -2, 2), dice_fill(&dice, arm.qd, 6, -1, 1), dice_fill(&dice, arm.tau, 6, -20, 20);
    cr_assert_eq(constrained(&arm, ARMDYN_CONSTRAINT_NONE, NULL, qdd, &out), ARMDYN_OK);
    armdyn_forward_dynamics(arm.robot, arm.q, arm.qd, arm.tau, NULL, arm.workspace, expected);
    for (size_t j = 0; j < 6; j++) largest = fmax(largest, fabs(expected[j]));
    for (size_t j = 0; j < 6; j++) cr_assert_float_eq(qdd[j], expected[j], 1e-9 * largest, "arm %d", k);
    arm_close(&arm);
  }
}
