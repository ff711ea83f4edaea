/* The limit of the tool's speed: derivatives against differences, and motions whose optimum is known. */
#include "armdyn/path_timing.h"
#include "tests/support/swing.h"

/* Arms with parallel axes, with axes across each other, and with a slide. */
Test(tool_bound, derivatives_are_those_of_differences)
{
  static struct swing s;
  for (size_t arm = 0; arm < 3; arm++) {
    struct armdyn_robot_description d;
    campaign_arm(arm, &d);
    s.t = (struct transcription){ .tool_speed = 0.7, .bound_count = 1, .bounds = { { BOUND_TOOL_SPEED, 0, 1 } } };
    swing_open(&s, &d);
    swing_expect_gradients(&s);
    swing_expect_second_derivatives(&s);
    swing_expect_stiffness(&s, 4);
    swing_close(&s);
  }
}

/* Half the square of the speed over its limit, by differences of the tool's place. */
Test(tool_bound, value_is_of_the_speed)
{
  static struct swing s;
  struct armdyn_robot_description d;
  campaign_arm(1, &d);
  s.t = (struct transcription){ .tool_speed = 0.7, .bound_count = 1, .bounds = { { BOUND_TOOL_SPEED, 0, 1 } } };
  swing_open(&s, &d);
  lagrangian_evaluate(&s.t, s.controls);
  for (size_t k = 1; k < SWING_INTERVALS; k++) {
    double T[2][16], q[CAMPAIGN_N], squares = 0;
    const double h = 1e-5, t = (double)k / SWING_INTERVALS;
    for (int e = 0; e < 2; e++) {
      armdyn_trajectory_state(&s.motion, t + (e ? h : -h), q, NULL, NULL, NULL);
      armdyn_forward_kinematics(s.robot, q, s.t.workspace, T[e], NULL);
    }
    for (size_t i = 0; i < 3; i++) squares += pow((T[1][4 * i + 3] - T[0][4 * i + 3]) / (2 * h), 2);
    cr_expect_float_eq(1 - s.t.room[k], squares / 0.49 / 2, 1e-6, "knot %zu: %g", k, squares);
  }
  swing_close(&s);
}

/* A wheel of 0.5 m: its rim is as fast as its joint. */
static struct armdyn_robot *wheel(double velocity)
{
  static struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "j1");
  d.joints[0].a = 0.5;
  d.joints[0].drive.rotor_inertia = 2.5;
  d.joints[0].limits.velocity = velocity;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static const double start[1] = { 0 }, goal[1] = { 1.2 };

/* Closed form of a velocity limit v: to v by a parabola of acceleration in time s, v T - 2 v s / 3 = D, at a cost of
 * 2 I^2 4 / 3 v^2 / s. */
Test(tool_bound, a_wheel_keeps_the_speed_of_its_rim)
{
  static struct armdyn_optimal_result result;
  const double v = 0.9 * 1.5 * 1.2 / 0.8, ramp = (v * 0.8 - 1.2) * 1.5 / v;
  struct armdyn_optimal_request request = {
    .start = start, .goal = goal, .duration = 0.8, .intervals = 100, .starts = 1
  };
  struct armdyn_robot *robot = wheel(INFINITY);
  struct armdyn_trajectory motion;
  struct armdyn_error error = { 0 };
  double speed, time;
  request.tool_speed = 0.5 * v;
  cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  cr_assert(result.optimal);
  cr_expect_float_eq(result.cost, 2 * 2.5 * 2.5 * 4 / 3 * v * v / ramp, 1e-3 * result.cost, "%g", result.cost);
  cr_assert_eq(armdyn_trajectory_tool_speed(robot, &motion, &speed, &time), ARMDYN_OK);
  cr_expect_leq(speed, 0.5 * v * (1 + 1e-9));
  cr_expect_geq(speed, 0.5 * v * (1 - 1e-6));
  armdyn_trajectory_free(&motion);
  armdyn_robot_free(robot);
}

/* With no more than a speed limit, the least duration is that of the limit all the way. */
Test(tool_bound, too_little_time_is_told)
{
  static struct armdyn_optimal_result result;
  const struct armdyn_optimal_request request = {
    .start = start, .goal = goal, .duration = 0.5, .intervals = 40, .starts = 1, .tool_speed = 1
  };
  struct armdyn_robot *robot = wheel(INFINITY);
  struct armdyn_trajectory motion;
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_EINFEASIBLE);
  cr_expect(strstr(error.message, "limit of the tool's speed") != NULL, "%s", error.message);
  cr_expect_float_eq(result.minimum_duration, 0.6, 0.06, "%g", result.minimum_duration);
  armdyn_robot_free(robot);
}

Test(tool_bound, a_speed_below_zero_is_refused)
{
  static struct armdyn_optimal_result result;
  const struct armdyn_optimal_request request = {
    .start = start, .goal = goal, .duration = 0.8, .intervals = 40, .starts = 1, .tool_speed = -1
  };
  struct armdyn_robot *robot = wheel(INFINITY);
  struct armdyn_trajectory motion;
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.pointer, "/tool_speed_max");
  armdyn_robot_free(robot);
}

/* Random motions of the campaign's arms whose tool may be no faster than nine tenths of what was best without a limit: densely
 * kept, reached somewhere, and dearer than before. */
Test(tool_bound, arms_keep_it_everywhere)
{
  static struct armdyn_optimal_result result;
  size_t optimal = 0;
  for (size_t number = 0; number < 8; number++) {
    struct campaign_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory motion;
    struct armdyn_error error = { 0 };
    double speed, time;
    cr_assert(campaign_feasible(number, &c));
    for (size_t j = 0; j < c.n; j++) {
      struct armdyn_joint fresh;
      armdyn_joint_init(&fresh);
      c.robot.joints[j].limits = fresh.limits;
      c.robot.joints[j].friction = fresh.friction;
    }
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK);
    struct armdyn_optimal_request request = campaign_request(&c);
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_OK);
    const double free_cost = result.cost;
    armdyn_trajectory_tool_speed(robot, &motion, &speed, &time);
    struct armdyn_trajectory best = motion;
    request.guess = &best; /* else it may be another local minimum */
    request.tool_speed = 0.9 * speed;
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%zu: %s",
                 number, error.message);
    armdyn_trajectory_tool_speed(robot, &motion, &speed, &time);
    cr_expect_leq(speed, request.tool_speed * (1 + 1e-3), "%zu: %g of %g", number, speed, request.tool_speed);
    cr_expect_geq(speed, request.tool_speed * (1 - 2e-2), "%zu: %g of %g", number, speed, request.tool_speed);
    cr_expect_gt(result.cost, free_cost * (1 - 1e-9), "%zu", number);
    optimal += result.optimal;
    armdyn_trajectory_free(&best);
    armdyn_trajectory_free(&motion);
    armdyn_robot_free(robot);
  }
  cr_expect_geq(optimal, 7); /* the search of one ends before it is sure */
}
