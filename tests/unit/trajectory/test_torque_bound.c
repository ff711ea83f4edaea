/* Limits of torques beside changes of friction's sign: values in closed form, derivatives against differences. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/transcription.h"
#include "tests/support/campaign.h"

enum { INTERVALS = 8, KNOTS = INTERVALS + 1, JOINTS = 2, CONTROLS = (INTERVALS + 3) * JOINTS };
enum { BOUNDS = 4, ROWS = BOUNDS * KNOTS };

/* A two-link arm with dry friction that swings forth and back; its torques are limited on both sides. */
struct swing {
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_trajectory motion;
  struct transcription t;
  double controls[CONTROLS];
  void *memory;
};

static void swing_open(struct swing *s)
{
  struct optimum_case c;
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  s->d = c.robot;
  for (size_t j = 0; j < JOINTS; j++) {
    struct armdyn_joint *joint = &s->d.joints[j];
    joint->friction.coulomb.positive = 3, joint->friction.coulomb.negative = 2;
    joint->friction.viscous.positive = joint->friction.viscous.negative = 0.7;
    joint->velocity_scale = 0.3;
  }
  cr_assert_eq(armdyn_robot_new(&s->d, &s->robot, NULL), ARMDYN_OK);
  struct transcription *t = &s->t;
  *t = (struct transcription){ .robot = s->robot, .n = JOINTS, .intervals = INTERVALS, .wary = true };
  const struct armdyn_optimal_request request = { 0 };
  cr_assert_eq(cost_init(&t->cost, s->robot, &request, NULL), ARMDYN_OK);
  t->workspace = armdyn_workspace_new(JOINTS);
  for (size_t b = 0; b < BOUNDS; b++)
    t->bounds[t->bound_count++] = (struct bound){ ARMDYN_LIMIT_TORQUE, b / 2, (b % 2 ? -1 : 1) / 20.0 };
  struct carve size = { 0 };
  transcription_carve(t, &size);
  s->memory = calloc(1, size.used);
  struct carve room = { s->memory, 0 };
  transcription_carve(t, &room);
  transcription_init(t, 1.0);
  for (size_t i = 0; i < ROWS; i++) t->most[i] = 1;
  for (size_t i = 0; i < CONTROLS; i++) s->controls[i] = 0.4 * sin(0.9 * (double)(i / JOINTS) + (double)(i % JOINTS));
  s->motion = (struct armdyn_trajectory){ 0 };
  double *breaks = calloc(INTERVALS + 1, sizeof *breaks), *pieces = calloc(INTERVALS * JOINTS * 4, sizeof *pieces),
         *times = calloc(2, sizeof *times);
  s->motion = (struct armdyn_trajectory){ JOINTS, INTERVALS, 3, breaks, pieces, 2, times };
  bspline_pieces(INTERVALS, 1.0, s->controls, &s->motion);
  torque_bound_reach(t, &s->motion);
}

static void swing_close(struct swing *s)
{
  armdyn_trajectory_free(&s->motion);
  armdyn_workspace_free(s->t.workspace);
  armdyn_robot_free(s->robot);
  free(s->memory);
}

/* Friction of the joints above, written down once more. */
static double friction(double v)
{
  return (v < 0 ? 2 : 3) * tanh(v / 0.3) + 0.7 * v;
}

Test(torque_bound, counts_the_friction_of_the_fastest_speed_around_a_knot)
{
  static struct swing s;
  swing_open(&s);
  transcription_evaluate(&s.t, s.controls);
  bool turns = false;
  for (size_t k = 0; k < KNOTS; k++)
    for (size_t j = 0; j < JOINTS; j++) {
      double qd, fast = -INFINITY, slow = INFINITY;
      for (int i = -4; i <= 4; i++) {
        double v[JOINTS];
        armdyn_trajectory_state(&s.motion, ((double)k + i / 8.0) / INTERVALS, NULL, v, NULL, NULL);
        fast = fmax(fast, v[j]), slow = fmin(slow, v[j]);
      }
      qd = s.t.qd[2 * k * JOINTS + j];
      const double tau = s.t.tau[2 * k * JOINTS + j] - friction(qd);
      /* two velocity scales more where the speed changes at all: tanh(2) of the dry friction, at least */
      const double up = fast - qd > 0.015 ? fast + 0.6 : fast, down = qd - slow > 0.015 ? slow - 0.6 : slow;
      cr_expect_float_eq(s.t.room[2 * j * KNOTS + k], 1 - (tau + friction(up)) / 20, 1e-9, "knot %zu", k);
      cr_expect_float_eq(s.t.room[(2 * j + 1) * KNOTS + k], 1 + (tau + friction(down)) / 20, 1e-9, "knot %zu", k);
      turns = turns || (slow < 0 && fast > 0);
    }
  cr_assert(turns, "this motion is no test");
  swing_close(&s);
}

/* L = cost - multiplier . room */
static double lagrangian(struct swing *s, const double *controls, const double *multiplier)
{
  double sum = transcription_evaluate(&s->t, controls);
  for (size_t i = 0; i < ROWS; i++) sum -= multiplier[i] * s->t.room[i];
  return sum;
}

static void gradient(struct swing *s, const double *controls, const double *multiplier, double *out)
{
  memset(out, 0, CONTROLS * sizeof *out);
  transcription_evaluate(&s->t, controls);
  transcription_differentiate(&s->t, controls);
  transcription_gradient(&s->t, multiplier, out, NULL);
}

static void multipliers(double *z)
{
  for (size_t i = 0; i < ROWS; i++) z[i] = 5 + 4 * sin(1.7 * (double)i);
}

Test(torque_bound, gradients_are_those_of_differences)
{
  static struct swing s;
  double z[ROWS], g[CONTROLS], moved[CONTROLS], change[ROWS], before[ROWS];
  swing_open(&s);
  multipliers(z);
  gradient(&s, s.controls, z, g);
  for (size_t i = 0; i < CONTROLS; i++) {
    const double h = 1e-5;
    memcpy(moved, s.controls, sizeof moved);
    moved[i] += h;
    const double up = lagrangian(&s, moved, z);
    memcpy(before, s.t.room, sizeof before);
    moved[i] -= 2 * h;
    const double down = lagrangian(&s, moved, z);
    cr_expect_float_eq(g[i], (up - down) / (2 * h), 1e-5 * (1 + fabs(g[i])), "control %zu", i);
    for (size_t r = 0; r < ROWS; r++) before[r] = (before[r] - s.t.room[r]) / (2 * h);
    gradient(&s, s.controls, z, moved);
    memset(moved, 0, sizeof moved);
    moved[i] = 1;
    transcription_room_change(&s.t, moved, 0, change);
    for (size_t r = 0; r < ROWS; r++)
      cr_expect_float_eq(change[r], before[r], 1e-5 * (1 + fabs(before[r])), "control %zu, row %zu", i, r);
  }
  swing_close(&s);
}

/* The element of a symmetric band, of which the upper rows are kept. */
static double element(const double *band, size_t i, size_t j)
{
  const size_t low = i < j ? i : j, off = i < j ? j - i : i - j;
  return off < 4 * JOINTS ? band[low * 4 * JOINTS + off] : 0;
}

/* The squares of the torque cost and the curvature of the torques are all of its second derivative. */
Test(torque_bound, second_derivatives_are_those_of_differences)
{
  static struct swing s;
  static double H[CONTROLS * 4 * JOINTS], S[CONTROLS * 4 * JOINTS];
  double z[ROWS], none[ROWS] = { 0 }, up[CONTROLS], down[CONTROLS], moved[CONTROLS], largest = 0;
  struct duration_bend ignored = { NULL, 0 };
  swing_open(&s);
  multipliers(z);
  gradient(&s, s.controls, z, up);
  transcription_gauss_newton(&s.t, none, z, H, &ignored);
  transcription_curvature(&s.t, z, S, &ignored);
  for (size_t i = 0; i < CONTROLS; i++) largest = fmax(largest, fabs(H[i * 4 * JOINTS]));
  for (size_t i = 0; i < CONTROLS; i++) {
    const double h = 1e-5;
    memcpy(moved, s.controls, sizeof moved);
    moved[i] += h;
    gradient(&s, moved, z, up);
    moved[i] -= 2 * h;
    gradient(&s, moved, z, down);
    for (size_t j = 0; j < CONTROLS; j++)
      cr_expect_float_eq(element(H, i, j) + element(S, i, j), (up[j] - down[j]) / (2 * h), 1e-5 * largest,
                         "controls %zu and %zu", i, j);
  }
  swing_close(&s);
}

/* Stiffness w of one row alone is w times the square of the row's gradient. */
Test(torque_bound, stiffness_is_that_of_the_whole_row)
{
  static struct swing s;
  static double H[CONTROLS * 4 * JOINTS], none_H[CONTROLS * 4 * JOINTS];
  double stiffness[ROWS] = { 0 }, none[ROWS] = { 0 }, g[CONTROLS], plain[CONTROLS], z[ROWS] = { 0 };
  struct duration_bend ignored = { NULL, 0 };
  const size_t row = 1 * KNOTS + 4;
  swing_open(&s);
  gradient(&s, s.controls, none, plain);
  transcription_gauss_newton(&s.t, none, none, none_H, &ignored);
  stiffness[row] = 7, z[row] = 1;
  gradient(&s, s.controls, z, g);
  transcription_gauss_newton(&s.t, stiffness, none, H, &ignored);
  for (size_t i = 0; i < CONTROLS; i++)
    for (size_t j = i; j < CONTROLS; j++) {
      const double want = 7 * (g[i] - plain[i]) * (g[j] - plain[j]);
      cr_expect_float_eq(element(H, i, j) - element(none_H, i, j), want, 1e-9 * (1 + fabs(want)), "%zu, %zu", i, j);
    }
  swing_close(&s);
}

/* Of the campaign, problems in which a joint with dry friction turns between two knots with its torque at the limit: they
 * used to end as infeasible. */
Test(torque_bound, turns_between_knots_keep_the_limits)
{
#ifdef __SANITIZE_ADDRESS__
  static const size_t numbers[] = { 581 };
#else
  static const size_t numbers[] = { 75, 245, 595 };
#endif
  static struct armdyn_optimal_result result;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct campaign_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory trajectory;
    struct armdyn_error error = { 0 };
    cr_assert(campaign_feasible(numbers[i], &c));
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK);
    const struct armdyn_optimal_request request = campaign_request(&c);
    const enum armdyn_status rc = armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error);
    cr_assert_eq(rc, ARMDYN_OK, "problem %zu: %s", numbers[i], error.message);
    const size_t steps = 100 * trajectory.piece_count;
    struct armdyn_workspace *workspace = armdyn_workspace_new(c.n);
    for (size_t k = 0; k <= steps; k++) {
      double row[1 + 5 * CAMPAIGN_N];
      armdyn_trajectory_sample(robot, &trajectory, c.duration * (double)k / (double)steps, workspace, row);
      for (size_t j = 0; j < c.n; j++)
        cr_expect_leq(fabs(row[1 + 3 * c.n + j]), 1.001 * c.robot.joints[j].limits.torque);
    }
    armdyn_workspace_free(workspace);
    armdyn_trajectory_free(&trajectory);
    armdyn_robot_free(robot);
  }
}
