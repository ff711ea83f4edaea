/* Every model of a cost against differences of itself, and sums of them. */
#include <criterion/criterion.h>

#include "lib/trajectory/cost.h"
#include "tests/support/optima.h"

enum { N = ARMDYN_JOINTS_MAX, JOINTS = 6 };

/* A six-axis arm of which everything is known that a model may ask for. */
static struct armdyn_robot *robot_with_drives(void)
{
  struct optimum_case c;
  struct armdyn_robot *robot;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  for (size_t j = 0; j < JOINTS; j++) {
    c.robot.joints[j].drive.torque_constant = 0.2 + 0.01 * (double)j;
    c.robot.joints[j].drive.resistance = 1.5 - 0.1 * (double)j;
    c.robot.joints[j].drive.efficiency = 0.9;
  }
  cr_assert_eq(armdyn_robot_new(&c.robot, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* x = [q; qd; tau] */
static double density_at(const struct cost *cost, const double *x)
{
  return cost_density(cost, x, x + JOINTS, x + 2 * JOINTS);
}

Test(cost, slopes_of_every_model_are_its_differences)
{
  struct armdyn_robot *robot = robot_with_drives();
  struct dice dice = { 3 };
  for (int model = 0; model < ARMDYN_COST_MODELS; model++) {
    const struct armdyn_cost_term term = { .model = (enum armdyn_cost_model)model, .weight = 0.7 };
    const struct armdyn_optimal_request request = { .cost_count = 1, .costs = &term };
    struct armdyn_error error;
    struct cost cost;
    cr_assert_eq(cost_init(&cost, robot, &request, &error), ARMDYN_OK, "%s: %s", cost_models[model].name,
                 error.message);
    cost.rounding[0] = 5;
    for (int trial = 0; trial < 20; trial++) {
      double x[3 * JOINTS], y[3 * JOINTS];
      struct cost_slopes slopes;
      dice_fill(&dice, x, 2 * JOINTS, -2, 2);
      dice_fill(&dice, x + 2 * JOINTS, JOINTS, -60, 60);
      cost_slopes(&cost, x, x + JOINTS, x + 2 * JOINTS, 3, &slopes);
      const double *const by[] = { slopes.q, slopes.qd, slopes.tau };
      const double unit = 3 * fabs(density_at(&cost, x)) + 1;
      for (size_t i = 0; i < 3 * JOINTS; i++) {
        const double h = i < 2 * JOINTS ? 1e-5 : 1e-3;
        memcpy(y, x, sizeof y);
        y[i] = x[i] + h;
        const double up = density_at(&cost, y);
        y[i] = x[i] - h;
        const double difference = 3 * (up - density_at(&cost, y)) / (2 * h);
        cr_assert_float_eq(by[i / JOINTS][i % JOINTS], difference, 1e-6 * unit, "%s, %zu: %g, not %g",
                           cost_models[model].name, i, by[i / JOINTS][i % JOINTS], difference);
      }
    }
  }
  armdyn_robot_free(robot);
}

/* The square that a direction makes of all squares of a model */
static double bend_along(const struct cost_bend *bend, const double *d)
{
  double sum = 0;
  for (size_t j = 0; j < JOINTS; j++) sum += bend->tau[j] * d[2 * JOINTS + j] * d[2 * JOINTS + j];
  for (size_t k = 0; k < bend->count; k++) {
    const struct cost_square *s = &bend->squares[k];
    double along = 0;
    for (size_t j = s->first; j < s->last; j++)
      along += s->a.q[j] * d[j] + s->a.qd[j] * d[JOINTS + j] + s->a.tau[j] * d[2 * JOINTS + j];
    cr_assert_geq(s->weight, 0);
    cr_assert_leq(s->last, JOINTS);
    sum += s->weight * along * along;
  }
  return sum;
}

/* The squares are never less than what the density bends by (where it is convex they are equal: Gauss-Newton drops what
 * is negative), and the density of the torques, which is convex, has all of its bend in them. */
Test(cost, squares_hold_the_bend_of_every_model)
{
  struct armdyn_robot *robot = robot_with_drives();
  struct dice dice = { 4 };
  for (int model = 0; model < ARMDYN_COST_MODELS; model++) {
    const struct armdyn_cost_term term = { .model = (enum armdyn_cost_model)model, .weight = 0.7 };
    const struct armdyn_optimal_request request = { .cost_count = 1, .costs = &term };
    static struct cost_bend bend;
    struct cost cost;
    cr_assert_eq(cost_init(&cost, robot, &request, NULL), ARMDYN_OK);
    cost.rounding[0] = 5;
    for (int trial = 0; trial < 50; trial++) {
      double x[3 * JOINTS], d[3 * JOINTS], up[3 * JOINTS], down[3 * JOINTS];
      dice_fill(&dice, x, 2 * JOINTS, -2, 2);
      dice_fill(&dice, x + 2 * JOINTS, JOINTS, -60, 60);
      dice_fill(&dice, d, 3 * JOINTS, -1, 1);
      for (size_t i = 0; i < 3 * JOINTS; i++) up[i] = x[i] + 1e-3 * d[i], down[i] = x[i] - 1e-3 * d[i];
      const double here = density_at(&cost, x);
      const double difference = (density_at(&cost, up) + density_at(&cost, down) - 2 * here) / 1e-6;
      cost_bend(&cost, x, x + JOINTS, x + 2 * JOINTS, NULL, 1, &bend);
      const double squares = bend_along(&bend, d), room = 1e-6 * (1 + fabs(difference)) + 1e-8 * fabs(here) / 1e-6;
      cr_assert_geq(squares, difference - room, "%s: %g < %g", cost_models[model].name, squares, difference);
      if (model == ARMDYN_COST_TORQUE) cr_assert_float_eq(squares, difference, room);
    }
  }
  armdyn_robot_free(robot);
}

/* 12 I^2 D^2 / T^3 for the torque alone, and the price of the time on top. */
Test(cost, terms_add_up)
{
  struct optimum_case c;
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
  struct armdyn_error error;
  static struct armdyn_optimal_result result;
  const double weights[] = { 2 };
  const struct armdyn_cost_term terms[] = { { .model = ARMDYN_COST_TORQUE, .weight = 0.5 },
                                            { .model = ARMDYN_COST_TIME, .weight = 3 },
                                            { .model = ARMDYN_COST_TORQUE, .weight = 1, .joint_weights = weights } };
  cr_assert(optimum_load("i_inertia_only", &c));
  cr_assert_eq(armdyn_robot_new(&c.robot, &robot, NULL), ARMDYN_OK);
  struct armdyn_optimal_request request = optimum_request(&c, 20);
  request.costs = terms, request.cost_count = 3;
  cr_assert_eq(armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  cr_assert_float_eq(result.terms[0], 0.5 * c.cost, 1e-8 * c.cost);
  cr_assert_float_eq(result.terms[1], 3 * c.duration, 1e-12);
  cr_assert_float_eq(result.terms[2], 2 * c.cost, 1e-8 * c.cost);
  cr_assert_float_eq(result.cost, 2.5 * c.cost + 3 * c.duration, 1e-8 * c.cost);
  armdyn_trajectory_free(&trajectory);
  armdyn_robot_free(robot);
}

Test(cost, refuses_terms_that_make_no_sense)
{
  struct armdyn_robot *robot = robot_with_drives();
  const double weights[JOINTS] = { 1, 1, -1, 1, 1, 1 };
  struct armdyn_cost_term terms[ARMDYN_COST_TERMS_MAX + 1];
  const struct {
    struct armdyn_cost_term second;
    size_t count;
    const char *pointer;
  } rows[] = { { { .model = ARMDYN_COST_TORQUE, .weight = 0 }, 2, "/cost/1/weight" },
               { { .model = ARMDYN_COST_TIME, .weight = NAN }, 2, "/cost/1/weight" },
               { { .model = ARMDYN_COST_TORQUE, .weight = 1, .joint_weights = weights }, 2, "/cost/1/weights/2" },
               { { .model = ARMDYN_COST_MODELS, .weight = 1 }, 2, "/cost/1" },
               { { .model = ARMDYN_COST_TORQUE, .weight = 1 }, ARMDYN_COST_TERMS_MAX + 1, "/cost" } };
  for (size_t k = 0; k <= ARMDYN_COST_TERMS_MAX; k++)
    terms[k] = (struct armdyn_cost_term){ .model = ARMDYN_COST_TORQUE, .weight = 1 };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct armdyn_optimal_request request = { .cost_count = rows[k].count, .costs = terms };
    struct armdyn_error error;
    struct cost cost;
    terms[1] = rows[k].second;
    cr_assert_eq(cost_init(&cost, robot, &request, &error), ARMDYN_EINPUT, "%zu", k);
    cr_assert_str_eq(error.pointer, rows[k].pointer);
  }
  armdyn_robot_free(robot);
}
