/* Costs over durations, against closed forms and against motions that are planned alone. */
#include <criterion/criterion.h>

#include "tests/support/optima.h"

enum { POINTS = 20, N = ARMDYN_JOINTS_MAX };

struct curve {
  struct armdyn_robot *robot;
  struct armdyn_pareto_point points[POINTS];
  struct armdyn_trajectory motions[POINTS];
  double durations[POINTS], minimum;
  struct armdyn_error error;
};

static enum armdyn_status curve_make(struct curve *x, const struct armdyn_robot_description *d,
                                     const struct armdyn_optimal_request *request, double from, double to)
{
  cr_assert_eq(armdyn_robot_new(d, &x->robot, &x->error), ARMDYN_OK);
  for (size_t k = 0; k < POINTS; k++) x->durations[k] = from + (to - from) * (double)k / (POINTS - 1);
  x->durations[3] = to, x->durations[POINTS - 1] = from + (to - from) * 3 / (POINTS - 1); /* in any order */
  return armdyn_optimal_pareto(x->robot, request, x->durations, POINTS, x->points, x->motions, &x->minimum, NULL, NULL,
                               &x->error);
}

static void curve_close(struct curve *x)
{
  for (size_t k = 0; k < POINTS; k++) armdyn_trajectory_free(&x->motions[k]);
  armdyn_robot_free(x->robot);
}

/* From rest to rest 12 I^2 D^2 / T^3; lifted by a slide 12 m^2 D^2 / T^3 + m^2 g^2 T. */
Test(pareto, one_axis_costs_what_the_closed_forms_say)
{
  for (int lifted = 0; lifted < 2; lifted++) {
    struct optimum_case c;
    struct curve x;
    cr_assert(optimum_load(lifted ? "ii_prismatic_gravity" : "i_inertia_only", &c));
    const double I = lifted ? c.robot.joints[0].link.mass : c.robot.joints[0].drive.rotor_inertia, D = c.goal[0];
    struct armdyn_optimal_request request = optimum_request(&c, 40);
    request.duration = NAN; /* not looked at */
    cr_assert_eq(curve_make(&x, &c.robot, &request, 0.2, 3), ARMDYN_OK, "%s", x.error.message);
    cr_assert(isnan(x.minimum));
    for (size_t k = 0; k < POINTS; k++) {
      const double T = x.durations[k], g = lifted ? 9.81 : 0, cost = I * I * (12 * D * D / (T * T * T) + g * g * T);
      cr_assert_eq(x.points[k].status, ARMDYN_OK);
      cr_assert(x.points[k].optimal);
      cr_assert_eq(x.points[k].duration, T);
      cr_assert_float_eq(x.points[k].cost, cost, 1e-8 * cost, "%g s: %.12g, not %.12g", T, x.points[k].cost, cost);
      cr_assert_float_eq(armdyn_trajectory_duration(&x.motions[k]), T, 1e-12);
    }
    curve_close(&x);
  }
}

/* Where time has a price, the free duration is where the curve falls by that price: T^4 = 36 I^2 D^2 / price. */
Test(pareto, the_best_trade_of_time_for_torque_lies_on_the_curve)
{
  struct optimum_case c;
  struct curve x;
  cr_assert(optimum_load("i_inertia_only", &c));
  const double I = c.robot.joints[0].drive.rotor_inertia, D = c.goal[0], T = 0.9;
  const struct armdyn_cost_term costs[] = { { .model = ARMDYN_COST_TORQUE, .weight = 1 },
                                            { .model = ARMDYN_COST_TIME, .weight = 36 * I * I * D * D / pow(T, 4) } };
  struct armdyn_optimal_request request = optimum_request(&c, 40);
  request.costs = costs, request.cost_count = 2;
  cr_assert_eq(curve_make(&x, &c.robot, &request, T, 2 * T), ARMDYN_OK, "%s", x.error.message);
  for (size_t k = 1; k < POINTS; k++) {
    cr_assert_gt(x.points[k].cost, x.points[0].cost);
    cr_assert_float_eq(x.points[k].terms[0] + x.points[k].terms[1], x.points[k].cost, 1e-12 * x.points[k].cost);
  }
  cr_assert_float_eq(x.points[0].cost, 48 * I * I * D * D / pow(T, 3), 1e-8 * x.points[0].cost);
  curve_close(&x);
}

Test(pareto, six_axes_with_torque_limits_cost_what_they_cost_alone)
{
  static struct armdyn_optimal_result result;
  struct optimum_case c;
  struct curve x;
  double shortest = 0;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 40);
  cr_assert_eq(curve_make(&x, &c.robot, &request, 0.35 * c.duration, 2 * c.duration), ARMDYN_OK, "%s", x.error.message);
  for (size_t k = 0; k < POINTS; k++) {
    struct armdyn_trajectory alone;
    const bool kept = x.points[k].status == ARMDYN_OK;
    cr_assert_eq(kept, !(x.durations[k] < x.minimum), "%g s: %d", x.durations[k], x.points[k].status);
    cr_assert_eq(kept, x.motions[k].breaks != NULL);
    if (!kept) {
      cr_assert_eq(x.points[k].status, ARMDYN_EINFEASIBLE);
      cr_assert(isnan(x.points[k].cost));
      continue;
    }
    cr_assert(x.points[k].optimal);
    cr_assert_leq(x.points[k].violation, 1e-9);
    shortest = shortest > 0 ? fmin(shortest, x.durations[k]) : x.durations[k];
    if (k % 4) continue;
    request.duration = x.durations[k];
    cr_assert_eq(armdyn_optimal_plan(x.robot, &request, &alone, NULL, &result, NULL, NULL, NULL), ARMDYN_OK);
    cr_assert_float_eq(x.points[k].cost, result.cost, 1e-5 * result.cost, "%g s: %.9g, alone %.9g", x.durations[k],
                       x.points[k].cost, result.cost);
    armdyn_trajectory_free(&alone);
  }
  cr_assert_lt(x.minimum, shortest);
  cr_assert_gt(x.minimum, 0.35 * c.duration);
  curve_close(&x);
}

static enum armdyn_go cancel(void *context)
{
  size_t *left = context;
  return (*left)-- > 0 ? ARMDYN_GO_ON : ARMDYN_GO_CANCEL;
}

Test(pareto, bad_durations_and_ends_are_told)
{
  static const struct {
    double durations[2];
    size_t count;
    const char *pointer;
  } rows[] = { { { 1, NAN }, 2, "/durations/1" },
               { { 0, 1 }, 2, "/durations/0" },
               { { 1, 1e9 }, 2, "/durations/1" },
               { { 1, 1 }, 0, "/durations" } };
  struct optimum_case c;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct armdyn_pareto_point points[2];
  struct armdyn_trajectory motions[2];
  double minimum;
  cr_assert(optimum_load("i_inertia_only", &c));
  cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK);
  struct armdyn_optimal_request request = optimum_request(&c, 40);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cr_assert_eq(armdyn_optimal_pareto(robot, &request, rows[k].durations, rows[k].count, points, motions, &minimum,
                                       NULL, NULL, &error),
                 ARMDYN_EINPUT);
    cr_assert_str_eq(error.pointer, rows[k].pointer);
  }
  const size_t plenty = 1000000;
  size_t left = plenty;
  cr_assert_eq(
      armdyn_optimal_pareto(robot, &request, (double[]){ 1, 2 }, 2, points, motions, &minimum, cancel, &left, &error),
      ARMDYN_OK);
  for (size_t k = 0; k < 2; k++) armdyn_trajectory_free(&motions[k]);
  for (size_t asked = plenty - left; asked-- > 0;) { /* at every question there was */
    left = asked;
    cr_assert_eq(
        armdyn_optimal_pareto(robot, &request, (double[]){ 1, 2 }, 2, points, motions, &minimum, cancel, &left, &error),
        ARMDYN_ECANCELLED, "%zu", asked);
  }
  armdyn_robot_free(robot);
}
