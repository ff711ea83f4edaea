/* Derivatives against differences of the torque itself, and of the acceleration. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double x[3 * N], wrench[6]; /* q, qd, qdd */
  struct armdyn_load load;
};

static void each_arm(void (*law)(struct arm *arm))
{
  static struct arm arm;
  for (size_t n = 1; n <= N; n += n < 10 ? 1 : 11) {
    for (int convention = ARMDYN_DH; convention <= ARMDYN_FRAMES; convention++) {
      struct dice dice = { 1000 * n + 10 * (size_t)convention + 5 };
      random_description(&dice, &arm.description, n, (enum armdyn_convention)convention);
      cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, NULL), ARMDYN_OK);
      arm.workspace = armdyn_workspace_new(n);
      arm.n = n;
      dice_fill(&dice, arm.x, 3 * n, -1.5, 1.5);
      dice_fill(&dice, arm.wrench, 6, -20, 20);
      for (int load = 0; load < 3; load++) {
        arm.load = (struct armdyn_load){ load ? arm.wrench : NULL, load == 1 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE,
                                         load == 1 };
        law(&arm);
      }
      armdyn_robot_free(arm.robot);
      armdyn_workspace_free(arm.workspace);
    }
  }
}

/* Column `index` of d tau / d x by central differences, extrapolated after Richardson to the sixth order. */
static void difference(struct arm *arm, size_t index, double *slope)
{
  const double weight[3] = { 1.5, -0.6, 0.1 }, kept = arm->x[index];
  const double h = 4e-4; /* ripples turn with the motor, 120 times as fast */
  double tau[N];
  memset(slope, 0, arm->n * sizeof *slope);
  for (int k = -3; k <= 3; k++) {
    if (k == 0) continue;
    arm->x[index] = kept + k * h;
    armdyn_inverse_dynamics(arm->robot, arm->x, arm->x + arm->n, arm->x + 2 * arm->n, &arm->load, arm->workspace, tau);
    for (size_t i = 0; i < arm->n; i++) {
      slope[i] += (k > 0 ? 1 : -1) * weight[abs(k) - 1] * tau[i] / (abs(k) * h) / 2;
    }
  }
  arm->x[index] = kept;
}

static void slopes(struct arm *arm)
{
  static double matrix[3][N * N];
  const size_t n = arm->n;
  for (size_t i = 0; i < n; i++) { /* away from where friction changes its sign within a step */
    if (fabs(arm->x[n + i]) < 0.05) arm->x[n + i] = 0.05;
  }
  armdyn_inverse_dynamics_derivatives(arm->robot, arm->x, arm->x + n, arm->x + 2 * n, &arm->load, arm->workspace,
                                      matrix[0], matrix[1], matrix[2]);
  for (int kind = 0; kind < 3; kind++) {
    double largest = 1;
    for (size_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(matrix[kind][k]));
    for (size_t j = 0; j < n; j++) {
      double slope[N];
      difference(arm, (size_t)kind * n + j, slope);
      for (size_t i = 0; i < n; i++) {
        cr_assert_float_eq(matrix[kind][i * n + j], slope[i], 2e-8 * largest,
                           "matrix %d (%zu, %zu) of %zu joints: %.12g, by difference %.12g", kind, i, j, n,
                           matrix[kind][i * n + j], slope[i]);
      }
    }
  }
}

Test(derivatives, are_the_slopes_of_the_torque)
{
  each_arm(slopes);
}

static void mass_matrix(struct arm *arm)
{
  static double a[N * N], b[N * N], M[N * N], expected[N * N];
  double largest = 0;
  armdyn_inverse_dynamics_derivatives(arm->robot, arm->x, arm->x + arm->n, arm->x + 2 * arm->n, &arm->load,
                                      arm->workspace, a, b, M);
  armdyn_mass_matrix(arm->robot, arm->x, arm->workspace, expected);
  for (size_t k = 0; k < arm->n * arm->n; k++) largest = fmax(largest, fabs(expected[k]));
  for (size_t k = 0; k < arm->n * arm->n; k++) cr_assert_float_eq(M[k], expected[k], 1e-12 * largest);
}

Test(derivatives, mass_matrix_is_that_of_composite_bodies)
{
  each_arm(mass_matrix);
}

/* A and B against differences of the forward dynamics. */
static void state_space(struct arm *arm)
{
  static double a[4 * N * N], b[2 * N * N];
  const size_t n = arm->n;
  double tau[N], x[3 * N], low[N], high[N];
  if (n > 9) return; /* an arm that long is too stiff for differences */
  for (size_t i = 0; i < n; i++) {
    if (fabs(arm->x[n + i]) < 0.05) arm->x[n + i] = 0.05;
  }
  armdyn_inverse_dynamics(arm->robot, arm->x, arm->x + n, arm->x + 2 * n, &arm->load, arm->workspace, tau);
  cr_assert_eq(armdyn_linearize(arm->robot, arm->x, arm->x + n, tau, &arm->load, arm->workspace, a, b), ARMDYN_OK);
  memcpy(x, arm->x, 2 * n * sizeof *x);
  memcpy(x + 2 * n, tau, n * sizeof *x);
  for (size_t j = 0; j < 3 * n; j++) {
    const double kept = x[j], h = 1e-5 * fmax(1, fabs(kept));
    double largest = 1;
    x[j] = kept - h;
    armdyn_forward_dynamics(arm->robot, x, x + n, x + 2 * n, &arm->load, arm->workspace, low);
    x[j] = kept + h;
    armdyn_forward_dynamics(arm->robot, x, x + n, x + 2 * n, &arm->load, arm->workspace, high);
    x[j] = kept;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(high[i] - low[i]) / (2 * h));
    for (size_t i = 0; i < n; i++) {
      const double upper = j < 2 * n ? a[i * 2 * n + j] : b[i * n + j - 2 * n];
      const double lower = j < 2 * n ? a[(n + i) * 2 * n + j] : b[(n + i) * n + j - 2 * n];
      cr_assert_eq(upper, j == n + i ? 1 : 0);
      cr_assert_float_eq(lower, (high[i] - low[i]) / (2 * h), 1e-6 * largest, "(%zu, %zu) of %zu joints", i, j, n);
    }
  }
}

Test(derivatives, linear_state_space_is_the_slope_of_the_acceleration)
{
  each_arm(state_space);
}
