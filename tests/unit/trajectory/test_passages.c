/* Energy-optimal motions past waypoints, with moving ends, in free and in the shortest durations: one axis against closed
 * forms, six axes against laws that do not know the solver. */
#include <criterion/criterion.h>

#include "tests/support/optima.h"

static const double I = 2.5, D = 1.2, T = 0.8; /* inertia, way, duration of the single axis */

struct plan {
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * ARMDYN_JOINTS_MAX];
  struct armdyn_optimal_result result;
  struct armdyn_error error;
};

static enum armdyn_status plan_make(struct plan *p, const struct armdyn_robot_description *d,
                                    const struct armdyn_optimal_request *request)
{
  *p = (struct plan){ 0 };
  cr_assert_eq(armdyn_robot_new(d, &p->robot, &p->error), ARMDYN_OK, "%s", p->error.message);
  return armdyn_optimal_plan(p->robot, request, &p->trajectory, p->margin, &p->result, NULL, NULL, &p->error);
}

static void plan_close(struct plan *p)
{
  armdyn_trajectory_free(&p->trajectory);
  armdyn_robot_free(p->robot);
}

static void axis_load(struct optimum_case *c)
{
  cr_assert(optimum_load("i_inertia_only", c));
  c->robot.joints[0].drive.rotor_inertia = I;
  c->start[0] = 0, c->goal[0] = D, c->duration = T;
}

/* Integral of the squared acceleration of the cubic with these ends. */
static double bend(double way, double time, double from, double to)
{
  const double lack = way - time * (from + to) / 2;
  return 12 * lack * lack / (time * time * time) + (to - from) * (to - from) / time;
}

Test(passages, ends_that_move_cost_what_the_cubic_does)
{
  static const double speeds[][2] = { { 1, 0 }, { 0, -2 }, { 1.5, 1.5 }, { -1, 3 } };
  for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
    struct optimum_case c;
    struct plan p;
    double qd;
    axis_load(&c);
    struct armdyn_optimal_request request = optimum_request(&c, 20);
    request.start_velocity = &speeds[k][0], request.goal_velocity = &speeds[k][1];
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
    const double cost = I * I * bend(D, T, speeds[k][0], speeds[k][1]);
    cr_assert_float_eq(p.result.cost, cost, 1e-8 * cost + 1e-12, "%zu: %.10g, not %.10g", k, p.result.cost, cost);
    for (int end = 0; end < 2; end++) {
      armdyn_trajectory_state(&p.trajectory, end * T, NULL, &qd, NULL, NULL);
      cr_assert_float_eq(qd, speeds[k][end], 1e-9);
    }
    plan_close(&p);
  }
}

Test(passages, accelerations_at_the_ends_are_what_is_given)
{
  struct optimum_case c;
  struct plan p;
  const double start[] = { 3 }, goal[] = { -4 }, speed[] = { 0.7 };
  double qd, qdd;
  axis_load(&c);
  struct armdyn_optimal_request request = optimum_request(&c, 40);
  request.start_acceleration = start, request.goal_acceleration = goal, request.goal_velocity = speed;
  cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
  armdyn_trajectory_state(&p.trajectory, 0, NULL, &qd, &qdd, NULL);
  cr_assert_float_eq(qd, 0, 1e-9);
  cr_assert_float_eq(qdd, 3, 1e-7);
  armdyn_trajectory_state(&p.trajectory, T, NULL, &qd, &qdd, NULL);
  cr_assert_float_eq(qd, 0.7, 1e-9);
  cr_assert_float_eq(qdd, -4, 1e-7);
  plan_close(&p);
}

/* Past w at time t: the best speed there joins two cubics. */
static double bend_past(double w, double t)
{
  double low = -20, high = 20;
  while (high - low > 1e-9) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (bend(w, t, 0, a) + bend(D - w, T - t, a, 0) < bend(w, t, 0, b) + bend(D - w, T - t, b, 0))
      high = b;
    else
      low = a;
  }
  return bend(w, t, 0, low) + bend(D - w, T - t, low, 0);
}

Test(passages, a_waypoint_costs_what_two_cubics_do)
{
  static const double rows[][2] = { { 0.9, 0.3 }, { -0.2, 0.25 }, { 1.5, 0.4 }, { 0.6, 0.123456 } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct optimum_case c;
    struct plan p;
    double q;
    axis_load(&c);
    struct armdyn_optimal_request request = optimum_request(&c, 200);
    request.waypoint_count = 1, request.waypoints = &rows[k][0], request.waypoint_times = &rows[k][1];
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
    cr_assert(p.result.optimal);
    armdyn_trajectory_state(&p.trajectory, rows[k][1], &q, NULL, NULL, NULL);
    cr_assert_float_eq(q, rows[k][0], 1e-8);
    const double cost = I * I * bend_past(rows[k][0], rows[k][1]);
    cr_assert_float_eq(p.result.cost, cost, 1e-5 * cost, "%zu: %.10g, not %.10g", k, p.result.cost, cost);
    cr_assert_geq(p.result.cost, cost * (1 - 1e-9)); /* no spline is better than the best motion */
    cr_assert_eq(p.trajectory.waypoint_count, 3);
    cr_assert_float_eq(p.trajectory.waypoint_times[1], rows[k][1], 1e-12);
    plan_close(&p);
  }
}

Test(passages, a_free_time_of_passing_is_the_best_one)
{
  static const double points[] = { 0.9, -0.2, 1.5 };
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    struct optimum_case c;
    struct plan p;
    double q, best = 0.001;
    axis_load(&c);
    struct armdyn_optimal_request request = optimum_request(&c, 200);
    request.waypoint_count = 1, request.waypoints = &points[k];
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
    cr_assert(p.result.optimal);
    for (double t = 0.001; t < T; t += 0.001)
      if (bend_past(points[k], t) < bend_past(points[k], best)) best = t;
    cr_assert_float_eq(p.trajectory.waypoint_times[1], best, 0.002);
    armdyn_trajectory_state(&p.trajectory, p.trajectory.waypoint_times[1], &q, NULL, NULL, NULL);
    cr_assert_float_eq(q, points[k], 1e-8);
    const double cost = I * I * bend_past(points[k], p.trajectory.waypoint_times[1]);
    cr_assert_float_eq(p.result.cost, cost, 1e-5 * cost, "%zu: %.10g, not %.10g", k, p.result.cost, cost);
    plan_close(&p);
  }
}

/* 12 I^2 D^2 / T^3 + price T is least where its derivative is zero. */
Test(passages, a_price_on_time_chooses_the_duration)
{
  static const double prices[] = { 3, 100, 20000 };
  for (size_t k = 0; k < sizeof prices / sizeof *prices; k++) {
    struct optimum_case c;
    struct plan p;
    axis_load(&c);
    struct armdyn_optimal_request request = optimum_request(&c, 20);
    const struct armdyn_cost_term terms[] = { { .model = ARMDYN_COST_TORQUE, .weight = 1 },
                                              { .model = ARMDYN_COST_TIME, .weight = prices[k] } };
    request.costs = terms, request.cost_count = 2, request.duration = NAN;
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
    cr_assert(p.result.optimal);
    const double best = pow(36 * I * I * D * D / prices[k], 0.25);
    cr_assert_float_eq(p.result.duration, best, 1e-5 * best);
    cr_assert_float_eq(p.result.duration, armdyn_trajectory_duration(&p.trajectory), 1e-12);
    cr_assert_float_eq(p.result.terms[1], prices[k] * best, 1e-5 * prices[k] * best);
    const double range[] = { 0.5 * best, 0.7 * best }; /* and at the end of a range that does not hold it */
    plan_close(&p);
    request.duration_min = range[0], request.duration_max = range[1];
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
    cr_assert_float_eq(p.result.duration, range[1], 1e-5 * best);
    plan_close(&p);
  }
}

/* Least durations of a double integrator. Torque alone: 2 sqrt(D / A). Velocity V too: D / V + V / A. Jerk J from rest
 * without acceleration: cbrt(32 D / J), and as much for a torque rate of I J. */
Test(passages, shortest_durations_are_the_closed_forms)
{
  const double A = 8, V = 1.5, J = 60;
  const struct {
    double torque, velocity, jerk, rate, duration;
    bool still;
  } rows[] = { { I * A, INFINITY, INFINITY, INFINITY, 2 * sqrt(D / A), false },
               { I * A, V, INFINITY, INFINITY, D / V + V / A, false },
               { INFINITY, INFINITY, J, INFINITY, cbrt(32 * D / J), true },
               { INFINITY, INFINITY, INFINITY, I * J, cbrt(32 * D / J), true } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct optimum_case c;
    struct plan p;
    const struct armdyn_cost_term time = { .model = ARMDYN_COST_TIME, .weight = 1 };
    axis_load(&c);
    struct armdyn_limits *limits = &c.robot.joints[0].limits;
    limits->torque = rows[k].torque, limits->velocity = rows[k].velocity;
    limits->jerk = rows[k].jerk, limits->torque_rate = rows[k].rate;
    struct armdyn_optimal_request request = optimum_request(&c, 100);
    request.zero_boundary_acceleration = rows[k].still;
    request.costs = &time, request.cost_count = 1, request.duration = NAN;
    request.minimum_duration = true;
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%zu: %s", k, p.error.message);
    cr_assert_float_eq(p.result.duration, rows[k].duration, 5e-3 * rows[k].duration, "%zu: %g, not %g", k,
                       p.result.duration, rows[k].duration);
    cr_assert_geq(p.result.duration, rows[k].duration * (1 - 1e-7));
    cr_assert_leq(p.result.violation, 1e-9);
    cr_assert_float_eq(p.result.minimum_duration, rows[k].duration, 1e-2 * rows[k].duration);
    plan_close(&p);
    /* half as long is told to be too short, and by which limit */
    request.costs = NULL, request.cost_count = 0, request.duration = rows[k].duration / 2;
    cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_EINFEASIBLE);
    cr_assert_float_eq(p.result.minimum_duration, rows[k].duration, 1e-2 * rows[k].duration, "%zu: %g, not %g", k,
                       p.result.minimum_duration, rows[k].duration);
    static const char *const names[] = { "torque", "torque", "jerk", "torque_rate" };
    char text[32];
    snprintf(text, sizeof text, "times the %s limit", names[k]);
    cr_assert(strstr(p.error.message, text), "%zu: %s", k, p.error.message);
    plan_close(&p);
  }
}

/* The rate of a six-axis arm's torques, by differences of samples. */
Test(passages, torque_rates_are_kept_by_six_axes)
{
  struct optimum_case c;
  struct plan p;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  c.duration = 0.8;
  for (size_t j = 0; j < 6; j++) c.robot.joints[j].limits.torque_rate = 1.6 * c.robot.joints[j].limits.torque;
  struct armdyn_optimal_request request = optimum_request(&c, 60);
  cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
  cr_assert(p.result.optimal);
  struct armdyn_workspace *workspace = armdyn_workspace_new(6);
  enum { STEPS = 6000 };
  double before[6], largest = 0;
  for (int k = 0; k <= STEPS; k++) {
    double row[31];
    armdyn_trajectory_sample(p.robot, &p.trajectory, c.duration * k / STEPS, workspace, row);
    for (int j = 0; j < 6 && k > 0; j++) {
      const double rate = (row[19 + j] - before[j]) * STEPS / c.duration;
      largest = fmax(largest, fabs(rate) / c.robot.joints[j].limits.torque_rate);
    }
    memcpy(before, row + 19, sizeof before);
  }
  cr_assert_leq(largest, 1 + 1e-6);
  cr_assert_geq(largest, 1 - 1e-3, "%g", largest);
  armdyn_workspace_free(workspace);
  plan_close(&p);
}

/* Six axes past two waypoints, one at a given time: passed, limits kept, and other times of passing cost more. */
Test(passages, six_axes_pass_their_waypoints)
{
  struct optimum_case c;
  struct plan p, other;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  c.duration = 0.9;
  const double points[] = { -0.3, 0.9, 2.8, 0.2, 0.5, 0.1, 0.5, 0.8, 3.3, 0.9, -0.2, 0.8 };
  double times[] = { 0.35, NAN };
  struct armdyn_optimal_request request = optimum_request(&c, 60);
  request.waypoint_count = 2, request.waypoints = points, request.waypoint_times = times;
  cr_assert_eq(plan_make(&p, &c.robot, &request), ARMDYN_OK, "%s", p.error.message);
  cr_assert(p.result.optimal);
  cr_assert_leq(p.result.violation, 1e-9);
  for (size_t k = 0; k < 2; k++) {
    double q[6];
    armdyn_trajectory_state(&p.trajectory, p.trajectory.waypoint_times[k + 1], q, NULL, NULL, NULL);
    for (int j = 0; j < 6; j++) cr_assert_float_eq(q[j], points[k * 6 + (size_t)j], 1e-8);
  }
  for (int side = -1; side <= 1; side += 2) {
    times[1] = p.trajectory.waypoint_times[2] + 0.02 * side;
    cr_assert_eq(plan_make(&other, &c.robot, &request), ARMDYN_OK, "%s", other.error.message);
    cr_assert_gt(other.result.cost, p.result.cost);
    plan_close(&other);
  }
  plan_close(&p);
}
