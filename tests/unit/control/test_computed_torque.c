/* With the arm's own model the error of computed torque is that of a critically damped oscillator, joint by joint:
 *   e'' + 2 w e' + w^2 e = 0,  e(t) = (e(0) + (e'(0) + w e(0)) t) exp(-w t)
 * whatever the arm weighs, and wherever it goes. */
#include <criterion/criterion.h>

#include "armdyn/control.h"
#include "tests/support/robots.h"

enum { N = 7, STEPS = 400 };
static const double BANDWIDTH = 1.5, STEP = 1e-3; /* Hz, s */

struct loop {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double swing[N], frequency[N], wrench[6];
  struct armdyn_load load;
};

static void loop_open(struct loop *loop, size_t n, enum armdyn_convention convention)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 100 * n + convention + 7 };
  random_description(&dice, &d, n, convention);
  cr_assert_eq(armdyn_robot_new(&d, &loop->robot, NULL), ARMDYN_OK);
  loop->workspace = armdyn_workspace_new(n);
  loop->n = n;
  dice_fill(&dice, loop->swing, n, -1, 1);
  dice_fill(&dice, loop->frequency, n, 0.5, 4);
  dice_fill(&dice, loop->wrench, 6, -20, 20);
  loop->load = (struct armdyn_load){ loop->wrench, n % 2 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE, false };
}

static void loop_close(struct loop *loop)
{
  armdyn_robot_free(loop->robot);
  armdyn_workspace_free(loop->workspace);
}

/* swing sin(frequency t) and its derivatives. */
static void wanted_at(const struct loop *loop, double t, double *q, double *qd, double *qdd)
{
  for (size_t j = 0; j < loop->n; j++) {
    const double a = loop->swing[j], f = loop->frequency[j];
    q[j] = a * sin(f * t), qd[j] = a * f * cos(f * t), qdd[j] = -a * f * f * sin(f * t);
  }
}

/* The arm's acceleration under the controller: x holds q, then qd. */
static void slope_at(const struct loop *loop, double t, const double *x, double *slope)
{
  const size_t n = loop->n;
  double q[N], qd[N], qdd[N], tau[N];
  wanted_at(loop, t, q, qd, qdd);
  const struct armdyn_wanted wanted = { q, qd, qdd };
  armdyn_computed_torque(loop->robot, &wanted, BANDWIDTH, x, x + n, &loop->load, loop->workspace, tau);
  for (size_t j = 0; j < n; j++) slope[j] = x[n + j];
  cr_assert_eq(armdyn_forward_dynamics(loop->robot, x, x + n, tau, &loop->load, loop->workspace, slope + n), ARMDYN_OK);
}

/* One step of Runge and Kutta. */
static void step(const struct loop *loop, double t, double *x)
{
  static const double at[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
  double slope[4][2 * N], sum[2 * N] = { 0 }, here[2 * N];
  for (int k = 0; k < 4; k++) {
    for (size_t i = 0; i < 2 * loop->n; i++) here[i] = x[i] + (k ? at[k] * STEP * slope[k - 1][i] : 0);
    slope_at(loop, t + at[k] * STEP, here, slope[k]);
    for (size_t i = 0; i < 2 * loop->n; i++) sum[i] += weight[k] * slope[k][i];
  }
  for (size_t i = 0; i < 2 * loop->n; i++) x[i] += STEP / 6 * sum[i];
}

static void the_error_decays(size_t n, enum armdyn_convention convention)
{
  const double w = 2 * M_PI * BANDWIDTH;
  struct loop loop;
  struct dice dice = { 5 * n + convention };
  double x[2 * N], e[N], de[N], q[N], qd[N], qdd[N];
  loop_open(&loop, n, convention);
  dice_fill(&dice, e, n, -0.3, 0.3);
  dice_fill(&dice, de, n, -1, 1);
  wanted_at(&loop, 0, q, qd, qdd);
  for (size_t j = 0; j < n; j++) x[j] = q[j] - e[j], x[n + j] = qd[j] - de[j];
  for (int k = 0; k < STEPS; k++) step(&loop, k * STEP, x);

  const double t = STEPS * STEP, fall = exp(-w * t);
  wanted_at(&loop, t, q, qd, qdd);
  for (size_t j = 0; j < n; j++) {
    const double slope = de[j] + w * e[j], left = (e[j] + slope * t) * fall;
    cr_assert_float_eq(q[j] - x[j], left, 1e-8, "joint %zu of %zu: %.12g, %.12g", j, n, q[j] - x[j], left);
    cr_assert_float_eq(qd[j] - x[n + j], (slope - w * (e[j] + slope * t)) * fall, 1e-7, "joint %zu of %zu", j, n);
    cr_assert_lt(fabs(left), 0.3, "the error has become smaller, so this is no test of standing still");
  }
  loop_close(&loop);
}

Test(computed_torque, the_error_of_a_perfect_model_decays_as_a_damped_oscillator)
{
  for (size_t n = 1; n <= N; n += 2)
    for (int convention = ARMDYN_DH; convention <= ARMDYN_FRAMES; convention++)
      the_error_decays(n, (enum armdyn_convention)convention);
}

Test(computed_torque, without_error_it_is_inverse_dynamics)
{
  struct loop loop;
  double q[N], qd[N], qdd[N], tau[N], expected[N];
  loop_open(&loop, N, ARMDYN_FRAMES);
  wanted_at(&loop, 0.3, q, qd, qdd);
  const struct armdyn_wanted wanted = { q, qd, qdd };
  armdyn_computed_torque(loop.robot, &wanted, BANDWIDTH, q, qd, &loop.load, loop.workspace, tau);
  armdyn_inverse_dynamics(loop.robot, q, qd, qdd, &loop.load, loop.workspace, expected);
  for (size_t j = 0; j < N; j++) cr_assert_eq(tau[j], expected[j]);
  loop_close(&loop);
}
