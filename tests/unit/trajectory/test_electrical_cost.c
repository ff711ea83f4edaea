/* The electrical cost that the planner minimises: against the exact power, its own differences under every way of
 * regenerating, and what a motion costs that was planned with it. */
#include <criterion/criterion.h>

#include "lib/trajectory/cost.h"
#include "lib/trajectory/electrical_cost.h"
#include "tests/support/optima.h"

enum { N = ARMDYN_JOINTS_MAX };

static const struct armdyn_electrical_model models[] = { { ARMDYN_REGENERATION_NONE, 0 },
                                                         { ARMDYN_REGENERATION_SHARED_BUS, 0 },
                                                         { ARMDYN_REGENERATION_GRID, 0.7 } };
enum { MODELS = sizeof models / sizeof *models };

static void drives_give(struct armdyn_robot_description *d, struct dice *dice)
{
  for (size_t j = 0; j < d->joint_count; j++) {
    d->joints[j].drive.torque_constant = dice_uniform(dice, 0.05, 0.2);
    d->joints[j].drive.resistance = dice_uniform(dice, 0.5, 2);
    d->joints[j].drive.efficiency = dice_uniform(dice, 0.7, 0.95);
  }
}

static struct armdyn_robot *robot_of(struct dice *dice, size_t n)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  random_description(dice, &d, n, ARMDYN_DH); /* with coupled drives for n = 3 */
  drives_give(&d, dice);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static void cost_of(const struct armdyn_robot *robot, const struct armdyn_cost_term *term, struct cost *cost)
{
  const struct armdyn_optimal_request request = { .cost_count = 1, .costs = term };
  struct armdyn_error error;
  cr_assert_eq(cost_init(cost, robot, &request, &error), ARMDYN_OK, "%s", error.message);
}

Test(electrical_cost, without_rounding_it_is_the_exact_power)
{
  struct dice dice = { 11 };
  for (size_t n = 1; n <= 4; n++) {
    struct armdyn_robot *robot = robot_of(&dice, n);
    for (int m = 0; m < MODELS; m++) {
      const struct armdyn_cost_term term = { .model = ARMDYN_COST_ELECTRICAL, .weight = 1, .electrical = &models[m] };
      struct cost cost;
      cost_of(robot, &term, &cost);
      for (int trial = 0; trial < 50; trial++) {
        double q[4] = { 0 }, qd[4], tau[4], bus;
        dice_fill(&dice, qd, n, -2, 2), dice_fill(&dice, tau, n, -60, 60);
        armdyn_electrical_power(robot, &models[m], qd, tau, NULL, NULL, NULL, &bus);
        cr_assert_float_eq(cost_density(&cost, q, qd, tau), bus, 1e-12 * (fabs(bus) + 1));
        cost.rounding[0] = 1e-9; /* far from every kink */
        cr_assert_float_eq(cost_density(&cost, q, qd, tau), bus, 1e-8 * (fabs(bus) + 1));
        cost.rounding[0] = 0;
      }
    }
    armdyn_robot_free(robot);
  }
}

/* What squares amount to along a direction */
static double squares_along(const struct cost_bend *bend, double sign, double d[2][4])
{
  double squares = 0;
  for (size_t k = 0; k < bend->count; k++) {
    const struct cost_square *s = &bend->squares[k];
    double sum = 0;
    for (size_t j = s->first; j < s->last; j++) sum += s->a.qd[j] * d[0][j] + s->a.tau[j] * d[1][j];
    cr_assert_geq(sign * s->weight, 0);
    squares += s->weight * sum * sum;
  }
  return squares;
}

/* Slopes by differences; squares never below the bend, and with the dents that they leave out equal to it. */
Test(electrical_cost, slopes_and_squares_are_those_of_the_density)
{
  struct dice dice = { 12 };
  static struct cost_bend bend;
  for (size_t n = 1; n <= 4; n++) {
    struct armdyn_robot *robot = robot_of(&dice, n);
    for (int m = 0; m < MODELS; m++) {
      const struct armdyn_cost_term term = { .model = ARMDYN_COST_ELECTRICAL, .weight = 1.3, .electrical = &models[m] };
      struct cost cost;
      cost_of(robot, &term, &cost);
      cost.rounding[0] = 20;
      for (int trial = 0; trial < 100; trial++) {
        double q[4] = { 0 }, x[2][4], d[2][4], value[3], along = 0;
        const double h = 1e-4;
        struct cost_slopes slopes;
        dice_fill(&dice, x[0], n, -1, 1), dice_fill(&dice, x[1], n, -40, 40);
        dice_fill(&dice, d[0], n, -1, 1), dice_fill(&dice, d[1], n, -30, 30);
        for (int k = 0; k < 3; k++) {
          double y[2][4];
          for (int r = 0; r < 2; r++)
            for (size_t j = 0; j < n; j++) y[r][j] = x[r][j] + (k - 1) * h * d[r][j];
          value[k] = cost_density(&cost, q, y[0], y[1]);
        }
        cost_slopes(&cost, q, x[0], x[1], 2, &slopes);
        for (size_t j = 0; j < n; j++) along += slopes.qd[j] * d[0][j] + slopes.tau[j] * d[1][j];
        const double difference = 2 * (value[2] - value[0]) / (2 * h);
        cr_assert_float_eq(along, difference, 1e-5 * (fabs(difference) + fabs(value[1])), "%zu %d: %g, not %g", n, m,
                           along, difference);
        /* with sides as the powers say, nothing differs */
        double sides[4], power[4], rounding;
        const size_t kinks = cost_kinks(&cost, q, x[0], x[1], power, &rounding);
        for (size_t k = 0; k < kinks; k++) sides[k] = electrical_side(power[k], rounding);
        cost_bend(&cost, q, x[0], x[1], trial % 2 ? sides : NULL, 1, &bend);
        cr_assert_leq(bend.count, 2 * n + 1);
        const double squares = squares_along(&bend, 1, d);
        cost_dent(&cost, q, x[0], x[1], trial % 2 ? sides : NULL, 1, &bend);
        const double dents = squares_along(&bend, -1, d);
        const double second = (value[2] + value[0] - 2 * value[1]) / (h * h);
        const double room = 1e-4 * (squares - dents + fabs(value[1]));
        cr_assert_geq(squares, second - room, "%zu %d: %g < %g", n, m, squares, second);
        cr_assert_float_eq(squares + dents, second, room, "%zu %d: %g, not %g", n, m, squares + dents, second);
      }
    }
    armdyn_robot_free(robot);
  }
}

/* Newton's method on w root(P) = P, P given: whole steps end on it, whatever the side was; part of one goes part of the
 * way; and no side leaves -1 .. 1, so that no bend is negative. */
Test(electrical_cost, sides_follow_their_powers)
{
  struct dice dice = { 14 };
  for (int trial = 0; trial < 200; trial++) {
    const double rounding = pow(10, dice_uniform(&dice, -3, 2)), P = rounding * dice_uniform(&dice, -5, 5);
    const double side = dice_uniform(&dice, -0.9, 0.9), there = P / sqrt(P * P + rounding * rounding);
    cr_assert_float_eq(electrical_side(P, rounding), there, 1e-14);
    cr_assert_float_eq(electrical_side_moved(side, P, P, 1, rounding), there, 1e-4);
    cr_assert_float_eq(electrical_side_moved(side, P, P, 0.25, rounding), side + (there - side) / 4, 1e-12);
    cr_assert_leq(fabs(electrical_side_moved(side, P, 100 * P, 1, rounding)), 1);
    const double h = 1e-6 * rounding, after = electrical_side_moved(there, P, P + h, 1, rounding);
    cr_assert_float_eq((after - there) / h, (electrical_side(P + h, rounding) - there) / h, 1e-3 / rounding);
  }
}

/* At rest r (tau / (N k))^2 is all there is, and its second derivative is all the bend. */
Test(electrical_cost, at_rest_the_squares_are_the_windings)
{
  struct dice dice = { 13 };
  static struct cost_bend bend;
  struct armdyn_robot *robot = robot_of(&dice, 1);
  const struct armdyn_drive *d = &armdyn_robot_description(robot)->joints[0].drive;
  const struct armdyn_cost_term term = { .model = ARMDYN_COST_ELECTRICAL, .weight = 1, .electrical = &models[2] };
  const double q[1] = { 0 }, qd[1] = { 0 }, tau[1] = { 25 };
  const double heat = d->resistance / pow(d->gear_ratio * d->torque_constant, 2);
  struct cost cost;
  double second = 0;
  cost_of(robot, &term, &cost);
  cost.rounding[0] = 1e-6;
  cr_assert_float_eq(cost_density(&cost, q, qd, tau), heat * 625, 1e-6);
  cost_bend(&cost, q, qd, tau, NULL, 1, &bend);
  for (size_t k = 0; k < bend.count; k++) second += bend.squares[k].weight * pow(bend.squares[k].a.tau[0], 2);
  cr_assert_geq(second, 2 * heat * (1 - 1e-9));
  armdyn_robot_free(robot);
}

static double electrical_total(const struct armdyn_robot *robot, const struct armdyn_electrical_model *model,
                               const struct armdyn_trajectory *trajectory)
{
  struct armdyn_electrical_energy e;
  cr_assert_eq(armdyn_trajectory_electrical_energy(robot, model, trajectory, &e, NULL), ARMDYN_OK);
  return e.total;
}

/* Two links with drives: planned for electricity the motion needs less of it than planned for torque, or than the quintic,
 * and each way of regenerating is served best by the motion that was planned for it. */
Test(electrical_cost, planning_for_electricity_saves_it)
{
  struct dice dice = { 14 };
  struct optimum_case c;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct armdyn_trajectory motion[MODELS + 1];
  static struct armdyn_optimal_result result;
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  c.duration = 0.6;
  drives_give(&c.robot, &dice);
  for (size_t j = 0; j < 2; j++) c.robot.joints[j].drive.gear_ratio = 50;
  cr_assert_eq(armdyn_robot_new(&c.robot, &robot, NULL), ARMDYN_OK);
  for (int m = 0; m <= MODELS; m++) {
    const struct armdyn_cost_term term = { .model = m < MODELS ? ARMDYN_COST_ELECTRICAL : ARMDYN_COST_TORQUE,
                                           .weight = 1,
                                           .electrical = m < MODELS ? &models[m] : NULL };
    struct armdyn_optimal_request request = optimum_request(&c, 40);
    request.cost_count = 1, request.costs = &term, request.starts = 2;
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &motion[m], NULL, &result, NULL, NULL, &error), ARMDYN_OK,
                 "%d: %s", m, error.message);
    cr_assert(result.optimal, "%d: residual %g", m, result.residual);
    if (m < MODELS)
      cr_assert_float_eq(result.cost, electrical_total(robot, &models[m], &motion[m]), 2e-3 * result.cost);
  }
  for (int m = 0; m < MODELS; m++)
    for (int other = 0; other <= MODELS; other++) {
      const double here = electrical_total(robot, &models[m], &motion[m]);
      cr_assert_leq(here, electrical_total(robot, &models[m], &motion[other]) * (1 + 1e-3), "%d by %d", m, other);
    }
  cr_assert_lt(electrical_total(robot, &models[1], &motion[1]),
               0.99 * electrical_total(robot, &models[1], &motion[MODELS]));
  for (int m = 0; m <= MODELS; m++) armdyn_trajectory_free(&motion[m]);
  armdyn_robot_free(robot);
}

Test(electrical_cost, what_it_lacks_is_named)
{
  struct dice dice = { 15 };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct cost cost;
  struct armdyn_cost_term terms[2] = { { .model = ARMDYN_COST_ELECTRICAL, .weight = 1 },
                                       { .model = ARMDYN_COST_ELECTRICAL, .weight = 1 } };
  struct armdyn_optimal_request request = { .cost_count = 2, .costs = terms };
  random_description(&dice, &d, 2, ARMDYN_DH);
  drives_give(&d, &dice);
  for (int missing = 0; missing < 2; missing++) {
    if (missing) d.joints[1].drive.resistance = NAN;
    cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
    cr_assert_eq(cost_init(&cost, robot, &request, &error), ARMDYN_EINPUT);
    cr_assert_str_eq(error.pointer, missing ? "/cost/0/joints/1/drive/resistance" : "/cost/1");
    armdyn_robot_free(robot);
  }
}
