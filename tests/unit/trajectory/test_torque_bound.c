/* Limits of torques beside changes of friction's sign: values in closed form, derivatives against differences. */
#include "tests/support/sanitized.h"
#include "tests/support/swing.h"

/* A two-link arm with dry friction; its torques are limited on both sides. */
static void open(struct swing *s)
{
  struct optimum_case c;
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  for (size_t j = 0; j < 2; j++) {
    struct armdyn_joint *joint = &c.robot.joints[j];
    joint->friction.coulomb.positive = 3, joint->friction.coulomb.negative = 2;
    joint->friction.viscous.positive = joint->friction.viscous.negative = 0.7;
    joint->velocity_scale = 0.3;
  }
  s->t = (struct transcription){ .robust = true };
  for (size_t b = 0; b < 4; b++)
    s->t.bounds[s->t.bound_count++] = (struct bound){ ARMDYN_LIMIT_TORQUE, b / 2, (b % 2 ? -1 : 1) / 20.0 };
  swing_open(s, &c.robot);
  torque_bound_reach(&s->t, &s->motion);
}

/* Friction of the joints above, written down once more. */
static double friction(double v)
{
  return (v < 0 ? 2 : 3) * tanh(v / 0.3) + 0.7 * v;
}

Test(torque_bound, counts_the_friction_of_the_fastest_speed_around_a_knot)
{
  static struct swing s;
  open(&s);
  lagrangian_evaluate(&s.t, s.controls);
  bool turns = false;
  for (size_t k = 0; k < SWING_KNOTS; k++)
    for (size_t j = 0; j < 2; j++) {
      double qd, fast = -INFINITY, slow = INFINITY;
      for (int i = -4; i <= 4; i++) {
        double v[2];
        armdyn_trajectory_state(&s.motion, ((double)k + i / 8.0) / SWING_INTERVALS, NULL, v, NULL, NULL);
        fast = fmax(fast, v[j]), slow = fmin(slow, v[j]);
      }
      qd = s.t.qd[2 * k * 2 + j];
      const double tau = s.t.tau[2 * k * 2 + j] - friction(qd);
      /* two velocity scales more where the speed changes at all: tanh(2) of the dry friction, at least */
      const double up = fast - qd > 0.015 ? fast + 0.6 : fast, down = qd - slow > 0.015 ? slow - 0.6 : slow;
      cr_expect_float_eq(s.t.room[2 * j * SWING_KNOTS + k], 1 - (tau + friction(up)) / 20, 1e-9, "knot %zu", k);
      cr_expect_float_eq(s.t.room[(2 * j + 1) * SWING_KNOTS + k], 1 + (tau + friction(down)) / 20, 1e-9, "knot %zu", k);
      turns = turns || (slow < 0 && fast > 0);
    }
  cr_assert(turns, "this motion is no test");
  swing_close(&s);
}

Test(torque_bound, derivatives_are_those_of_differences)
{
  static struct swing s;
  open(&s);
  swing_expect_gradients(&s);
  swing_expect_second_derivatives(&s);
  swing_expect_stiffness(&s, SWING_KNOTS + 4);
  swing_close(&s);
}

/* Of the campaign, problems in which a joint with dry friction turns between two knots with its torque at the limit: they
 * used to end as infeasible. */
Test(torque_bound, turns_between_knots_keep_the_limits)
{
  static const size_t numbers[] = { 581, 75, 245, 595 }; /* the first is the quickest */
  static struct armdyn_optimal_result result;
  for (size_t i = 0; i < (SANITIZED ? 1 : sizeof numbers / sizeof *numbers); i++) {
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
