/* Energy-optimal motions against closed forms, optima known from elsewhere, and laws that do not know the solver. */
#include <criterion/criterion.h>

#include "tests/support/optima.h"

enum { N = ARMDYN_JOINTS_MAX };

struct motion {
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * N];
  struct armdyn_optimal_result result;
  struct armdyn_error error;
};

static enum armdyn_status motion_plan(struct motion *m, const struct armdyn_robot_description *d,
                                      const struct armdyn_optimal_request *request)
{
  *m = (struct motion){ 0 };
  cr_assert_eq(armdyn_robot_new(d, &m->robot, &m->error), ARMDYN_OK, "%s", m->error.message);
  return armdyn_optimal_plan(m->robot, request, &m->trajectory, m->margin, &m->result, NULL, NULL, &m->error);
}

static void motion_close(struct motion *m)
{
  armdyn_trajectory_free(&m->trajectory);
  armdyn_robot_free(m->robot);
}

static const struct {
  const char *name;
  size_t intervals;
  double relative;
} references[] = {
  { "i_inertia_only", 50, 1e-9 },       { "ii_prismatic_gravity", 50, 1e-9 },           { "iii_viscous", 50, 1e-6 },
  { "iv_2R_unconstrained", 200, 1e-6 }, { "xiii_puma_torque_limit_active", 200, 1e-5 },
};

Test(optimal, costs_are_the_known_optima)
{
  for (size_t k = 0; k < sizeof references / sizeof *references; k++) {
    struct optimum_case c;
    struct motion m;
    cr_assert(optimum_load(references[k].name, &c));
    struct armdyn_optimal_request request = optimum_request(&c, references[k].intervals);
    cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s: %s", references[k].name, m.error.message);
    cr_assert(m.result.optimal, "%s", references[k].name);
    cr_assert_float_eq(m.result.cost, c.cost, references[k].relative * c.cost, "%s: %.10g, not %.10g",
                       references[k].name, m.result.cost, c.cost);
    cr_assert_leq(m.result.violation, 1e-9);
    motion_close(&m);
  }
}

/* An axis of inertia I that moves by D in T from rest to rest: the square of the torque under one limit.
 * Velocity V: parabolic ramps of t1 = 3 (V T - D) / (2 V), cost I^2 8 V^2 / (3 t1).
 * Acceleration A: saturated up to xs = sqrt(3 (T^2 / 4 - D / A)) from the middle, cost I^2 A^2 (T - 4 xs / 3). */
Test(optimal, limits_on_one_axis_cost_what_the_closed_forms_say)
{
  const double I = 2.5, D = 1.2, T = 0.8, V = 1.3 * D / T, A = 4.6 * D / (T * T);
  const double t1 = 3 * (V * T - D) / (2 * V), xs = sqrt(3 * (T * T / 4 - D / A));
  const double by_velocity = I * I * 8 * V * V / (3 * t1), by_acceleration = I * I * A * A * (T - 4 * xs / 3);
  const struct {
    enum armdyn_limit_kind kind;
    double cost;
  } rows[] = { { ARMDYN_LIMIT_VELOCITY, by_velocity },
               { ARMDYN_LIMIT_ACCELERATION, by_acceleration },
               { ARMDYN_LIMIT_TORQUE, by_acceleration } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct optimum_case c;
    struct motion m;
    cr_assert(optimum_load("i_inertia_only", &c));
    struct armdyn_limits *limits = &c.robot.joints[0].limits;
    if (rows[k].kind == ARMDYN_LIMIT_VELOCITY) limits->velocity = V;
    if (rows[k].kind == ARMDYN_LIMIT_ACCELERATION) limits->acceleration = A;
    if (rows[k].kind == ARMDYN_LIMIT_TORQUE) limits->torque = I * A;
    struct armdyn_optimal_request request = optimum_request(&c, 400);
    cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
    cr_assert(m.result.optimal);
    cr_assert_float_eq(m.result.cost, rows[k].cost, 2e-5 * rows[k].cost, "%s: %.10g, not %.10g",
                       armdyn_limit_name(rows[k].kind), m.result.cost, rows[k].cost);
    cr_assert_float_eq(m.margin[rows[k].kind].usage, 1, 1e-3);
    motion_close(&m);
  }
}

/* A range that the best motion leaves costs something and is kept; one that it does not leave costs nothing. */
Test(optimal, position_limits_count_only_where_they_are_met)
{
  struct optimum_case c;
  struct motion m;
  double lowest = INFINITY;
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 100);
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
  const double unlimited = m.result.cost;
  for (int k = 0; k <= 1000; k++) {
    double q[2], qd[2], qdd[2];
    armdyn_trajectory_state(&m.trajectory, c.duration * k / 1000, q, qd, qdd, NULL);
    lowest = fmin(lowest, q[0]);
  }
  motion_close(&m);
  cr_assert_lt(lowest, c.start[0] - 0.01); /* it swings back first */
  const double rows[][2] = { { lowest - 0.1, 3 },
                             { (lowest + c.start[0]) / 2, 3 },
                             { (lowest + c.start[0]) / 2, INFINITY } };
  for (int k = 0; k < 3; k++) {
    memcpy(c.robot.joints[0].limits.position, rows[k], sizeof rows[k]);
    cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%d: %s", k, m.error.message);
    cr_assert(m.result.optimal);
    cr_assert_leq(m.margin[ARMDYN_LIMIT_POSITION].usage, 1 + 1e-9);
    if (k == 0)
      cr_assert_float_eq(m.result.cost, unlimited, 1e-6 * unlimited);
    else
      cr_assert_gt(m.result.cost, unlimited * (1 + 1e-5));
    motion_close(&m);
  }
}

/* The cost of a motion that is changed by `size` times a smooth bump, zero with its slope at both ends. */
static double cost_of_changed(const struct motion *m, const double *direction, double size, double center)
{
  enum { STEPS = 4000 };
  const size_t n = m->trajectory.joint_count;
  const double T = armdyn_trajectory_duration(&m->trajectory);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double sum = 0, q[N], qd[N], qdd[N], tau[N];
  for (int k = 0; k <= STEPS; k++) {
    /* x^2 (1 - x)^2 (1 + center x) and its derivatives */
    const double x = (double)k / STEPS, a = x * x - 2 * x * x * x + x * x * x * x;
    const double a1 = 2 * x - 6 * x * x + 4 * x * x * x, a2 = 2 - 12 * x + 12 * x * x, b = 1 + center * x;
    armdyn_trajectory_state(&m->trajectory, x * T, q, qd, qdd, NULL);
    for (size_t j = 0; j < n; j++) {
      q[j] += size * direction[j] * a * b;
      qd[j] += size * direction[j] * (a1 * b + a * center) / T;
      qdd[j] += size * direction[j] * (a2 * b + 2 * a1 * center) / (T * T);
    }
    armdyn_inverse_dynamics(m->robot, q, qd, qdd, NULL, workspace, tau);
    const double weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * T / STEPS / 3;
    for (size_t j = 0; j < n; j++) sum += weight * tau[j] * tau[j];
  }
  armdyn_workspace_free(workspace);
  return sum;
}

/* Nothing of the solver is used here: along any smooth change the cost has slope 0 and bends upwards. */
Test(optimal, two_links_are_at_a_minimum_along_smooth_changes)
{
  struct optimum_case c;
  struct motion m;
  struct dice dice = { 5 };
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 200);
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
  for (int trial = 0; trial < 10; trial++) {
    double direction[2], center = dice_uniform(&dice, -0.9, 3), h = 0.05;
    dice_fill(&dice, direction, 2, -1, 1);
    const double up = cost_of_changed(&m, direction, h, center), down = cost_of_changed(&m, direction, -h, center);
    const double here = cost_of_changed(&m, direction, 0, center), bend = up + down - 2 * here;
    cr_assert_gt(bend, 0);
    cr_assert_lt(fabs(up - down), 0.02 * bend, "slope %g, bend %g", up - down, bend);
  }
  motion_close(&m);
}

/* Torques over time, integrated by articulated bodies, lead to the goal. */
Test(optimal, puma_reaches_the_goal_by_its_torques_and_keeps_its_limits)
{
  struct optimum_case c;
  struct motion m;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 50);
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
  struct armdyn_workspace *workspace = armdyn_workspace_new(6);
  enum { STEPS = 10000 };
  double x[12] = { 0 }, largest = 0;
  memcpy(x, c.start, sizeof c.start);
  const double h = c.duration / STEPS;
  for (int k = 0; k < STEPS; k++) { /* the middle of every step */
    double q[6], qd[6], qdd[6], tau[6], middle[12], a[6];
    armdyn_trajectory_state(&m.trajectory, (k + 0.5) * h, q, qd, qdd, NULL);
    armdyn_inverse_dynamics(m.robot, q, qd, qdd, NULL, workspace, tau);
    for (int j = 0; j < 6; j++) largest = fmax(largest, fabs(tau[j]) / c.robot.joints[j].limits.torque);
    cr_assert_eq(armdyn_forward_dynamics(m.robot, x, x + 6, tau, NULL, workspace, a), ARMDYN_OK);
    for (int j = 0; j < 6; j++) middle[j] = x[j] + h / 2 * x[6 + j], middle[6 + j] = x[6 + j] + h / 2 * a[j];
    cr_assert_eq(armdyn_forward_dynamics(m.robot, middle, middle + 6, tau, NULL, workspace, a), ARMDYN_OK);
    for (int j = 0; j < 6; j++) x[j] += h * middle[6 + j], x[6 + j] += h * a[j];
  }
  for (int j = 0; j < 6; j++) cr_assert_float_eq(x[j], c.goal[j], 1e-4, "joint %d: %g", j + 1, x[j] - c.goal[j]);
  cr_assert_leq(largest, 1 + 1e-9);
  cr_assert_geq(largest, 1 - 1e-3);
  armdyn_workspace_free(workspace);
  motion_close(&m);
}

/* A way that rounding makes, or hardly more, takes the shortest duration there is; a robot with dry friction and without
 * limits of jerk is drawn below it. */
Test(optimal, a_way_that_is_hardly_one_is_reached)
{
  static struct armdyn_robot_description d;
  const double start[6] = { 0, 0.15, -2.1, 0, -1.19, 0 };
  const struct armdyn_cost_term costs[2] = { { ARMDYN_COST_TORQUE, 1, NULL, NULL },
                                             { ARMDYN_COST_TIME, 1, NULL, NULL } };
  cJSON *json = json_load("tests/data/robots/puma560.json");
  cr_assert(json);
  description_from_json(json, &d);
  cJSON_Delete(json);
  for (int j = 0; j < 6; j++) d.joints[j].limits.jerk = d.joints[j].limits.torque_rate = INFINITY;
  for (double way = 1e-16; way < 1e-5; way *= 1e9) {
    double goal[6], q[6];
    struct motion m;
    memcpy(goal, start, sizeof goal);
    goal[0] += way;
    const struct armdyn_optimal_request request = {
      .start = start, .goal = goal, .duration = NAN, .intervals = 48, .starts = 1, .cost_count = 2, .costs = costs
    };
    cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%g: %s", way, m.error.message);
    const double T = armdyn_trajectory_duration(&m.trajectory);
    cr_assert(T >= 1e-3 * (1 - 1e-9) && T < 2e-3, "%g: %g s", way, T);
    cr_assert_eq(m.result.violation, 0);
    cr_assert_float_eq(m.trajectory.waypoint_times[m.trajectory.waypoint_count - 1], T, 1e-12);
    armdyn_trajectory_state(&m.trajectory, T, q, NULL, NULL, NULL);
    for (int j = 0; j < 6; j++) cr_assert_float_eq(q[j], goal[j], 1e-15);
    motion_close(&m);
  }
}

Test(optimal, starts_find_both_minima_of_two_links_and_repeat_themselves)
{
  struct optimum_case c;
  struct motion m, again;
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 50);
  request.starts = 24;
  request.seed = 1;
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
  cr_assert_eq(motion_plan(&again, &c.robot, &request), ARMDYN_OK);
  cr_assert_arr_eq(m.result.minima, again.result.minima, sizeof m.result.minima);
  cr_assert_float_eq(m.result.minima[0], 346.36, 0.01);
  bool second = false;
  for (size_t k = 0; k < m.result.minimum_count; k++) second = second || fabs(m.result.minima[k] - 456.9) < 0.15;
  cr_assert(second, "of %zu minima none is 456.9", m.result.minimum_count);
  cr_assert_float_eq(m.result.cost, m.result.minima[0], 1e-4 * m.result.cost);
  motion_close(&again);
  motion_close(&m);
}

Test(optimal, boundary_acceleration_is_zero_when_asked)
{
  struct optimum_case c;
  struct motion m;
  double q[2], qd[2], qdd[2];
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 100);
  request.zero_boundary_acceleration = true;
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_OK, "%s", m.error.message);
  for (int end = 0; end < 2; end++) {
    armdyn_trajectory_state(&m.trajectory, end * c.duration, q, qd, qdd, NULL);
    for (int j = 0; j < 2; j++) {
      cr_assert_float_eq(q[j], end ? c.goal[j] : c.start[j], 1e-12);
      cr_assert_float_eq(qd[j], 0, 1e-10);
      cr_assert_float_eq(qdd[j], 0, 1e-7);
    }
  }
  cr_assert_gt(m.result.cost, c.cost);
  motion_close(&m);
}

Test(optimal, a_duration_that_is_too_short_is_told)
{
  struct optimum_case c;
  struct motion m;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  c.duration = 0.3;
  struct armdyn_optimal_request request = optimum_request(&c, 50);
  cr_assert_eq(motion_plan(&m, &c.robot, &request), ARMDYN_EINFEASIBLE, "cost %g", m.result.cost);
  cr_assert(strstr(m.error.message, "torque limit of joint"), "%s", m.error.message);
  cr_assert(m.result.minimum_duration > 0.43 && m.result.minimum_duration < 0.46, "%g", m.result.minimum_duration);
  cr_assert_gt(m.result.violation, 1);
  cr_assert_null(m.trajectory.breaks);
  motion_close(&m);
}

struct countdown {
  int left;
  enum armdyn_go then;
};
static enum armdyn_go count_down(void *context)
{
  struct countdown *c = context;
  return c->left-- > 0 ? ARMDYN_GO_ON : c->then;
}

Test(optimal, ends_when_it_is_told_to)
{
  struct optimum_case c;
  struct motion m = { 0 };
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 100);
  cr_assert_eq(armdyn_robot_new(&c.robot, &m.robot, NULL), ARMDYN_OK);
  for (int then = ARMDYN_GO_FINISH; then <= ARMDYN_GO_CANCEL; then++) {
    struct countdown countdown = { 2, (enum armdyn_go)then };
    const enum armdyn_status rc =
        armdyn_optimal_plan(m.robot, &request, &m.trajectory, NULL, &m.result, count_down, &countdown, &m.error);
    cr_assert_eq(rc, then == ARMDYN_GO_CANCEL ? ARMDYN_ECANCELLED : ARMDYN_OK);
    if (rc) continue;
    cr_assert_not(m.result.optimal); /* without limits anything is feasible */
    cr_assert_gt(m.result.cost, c.cost);
    cr_assert_eq(m.result.iterations, 2);
    armdyn_trajectory_free(&m.trajectory);
  }
  motion_close(&m);
}

Test(optimal, refuses_what_makes_no_sense)
{
  struct optimum_case c;
  struct motion m;
  const double weights[2] = { 1, 0 };
  cr_assert(optimum_load("iv_2R_unconstrained", &c));
  const struct armdyn_optimal_request good = optimum_request(&c, 100);
  enum { BAD = 13 };
  struct armdyn_optimal_request bad[BAD];
  for (int k = 0; k < BAD; k++) bad[k] = good;
  const double points[] = { 0.1, 0.2, 0.3, NAN }, times[] = { 0.3, 0.2 }, speed[] = { 0, NAN };
  bad[0].duration = NAN, bad[1].duration = 0, bad[2].intervals = 2, bad[3].starts = 0, bad[4].weights = weights;
  bad[5].duration = NAN, bad[5].duration_max = -1;
  bad[6].duration = NAN, bad[6].duration_min = 2, bad[6].duration_max = 1;
  bad[7].waypoint_count = 2, bad[7].waypoints = points;
  bad[8].waypoint_count = 2, bad[8].waypoints = good.start, bad[8].waypoints = (const double[]){ 1, 2, 3, 4 };
  bad[8].waypoint_times = times;
  bad[9].start_velocity = speed, bad[10].goal_acceleration = speed;
  bad[11].waypoint_count = ARMDYN_WAYPOINTS_MAX + 1, bad[11].waypoints = points;
  bad[12].waypoint_count = 2, bad[12].waypoints = points, bad[12].intervals = 8;
  static const char *const pointers[BAD] = { "/duration",         "/duration",   "/intervals",    "/multistart",
                                             "/cost/weights/1",   "/duration",   "/duration_max", "/waypoints/1/q/1",
                                             "/waypoints/1/time", "/start/qd/1", "/goal/qdd/1",   "/waypoints",
                                             "/intervals" };
  for (int k = 0; k < BAD; k++) {
    cr_assert_eq(motion_plan(&m, &c.robot, &bad[k]), ARMDYN_EINPUT, "%d", k);
    cr_assert_str_eq(m.error.pointer, pointers[k]);
    motion_close(&m);
  }
}

/* Coulomb friction of a Puma differs with the direction, and some of its joints dwell at rest on the best way: between the two
 * slopes there Newton's method found no end. By the robot itself no step from the answer to a classic profile that keeps
 * the limits costs less. */
Test(optimal, joints_may_dwell_where_friction_differs_with_the_direction)
{
  const double start[6] = { -0.587, 0.944, 1.010, -1.020, -0.370, 0.394 };
  const double goal[6] = { -1.323, -0.093, -1.277, -2.048, -0.436, -1.837 };
  const struct armdyn_optimal_request request = {
    .start = start, .goal = goal, .duration = 1.747, .intervals = 50, .starts = 1
  };
  static struct armdyn_robot_description d;
  static struct motion m;
  size_t feasible = 0;
  cJSON *json = json_load("tests/data/robots/puma560.json");
  description_from_json(json, &d);
  cJSON_Delete(json);
  for (size_t j = 0; j < d.joint_count; j++) d.joints[j].velocity_scale = 0.01;
  cr_assert_eq(motion_plan(&m, &d, &request), ARMDYN_OK, "%s", m.error.message);
  cr_assert(m.result.optimal, "residual %g", m.result.residual);
  cr_assert_leq(m.result.violation, 1e-9);
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    double points[12], minimum, cost;
    struct armdyn_trajectory classic, other;
    memcpy(points, start, sizeof start), memcpy(points + 6, goal, sizeof goal);
    const struct armdyn_profile_request ask = {
      .profile = (enum armdyn_profile)profile, .point_count = 2, .points = points, .duration = request.duration
    };
    if (armdyn_profile_plan(m.robot, &ask, &classic, NULL, &minimum, NULL, NULL, NULL)) continue;
    cr_assert_eq(armdyn_trajectory_cubic(&classic, m.trajectory.piece_count, request.duration, &other, NULL),
                 ARMDYN_OK);
    for (size_t i = 0; i < 4 * 6 * m.trajectory.piece_count; i++)
      other.coefficients[i] = 0.99 * m.trajectory.coefficients[i] + 0.01 * other.coefficients[i];
    cr_assert_eq(armdyn_optimal_cost(m.robot, &request, &other, &cost, NULL, NULL), ARMDYN_OK);
    cr_assert_geq(cost, m.result.cost, "%s: %.10g < %.10g", armdyn_profile_name(ask.profile), cost, m.result.cost);
    armdyn_trajectory_free(&classic);
    armdyn_trajectory_free(&other);
    feasible++;
  }
  cr_assert_gt(feasible, 0);
  motion_close(&m);
}

/* A seed of a mesh that is no multiple of what is asked for is cheaper than the optimum there, and is the answer: told are its
 * intervals, not those of the search. */
Test(optimal, the_intervals_are_those_of_the_answer)
{
  struct optimum_case c;
  struct motion seed, motion;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 75);
  cr_assert_eq(motion_plan(&seed, &c.robot, &request), ARMDYN_OK, "%s", seed.error.message);
  request.intervals = 50, request.guess = &seed.trajectory;
  cr_assert_eq(motion_plan(&motion, &c.robot, &request), ARMDYN_OK, "%s", motion.error.message);
  cr_assert_not_null(motion.result.instead);
  cr_assert_float_eq(motion.result.cost, seed.result.cost, 1e-12 * seed.result.cost);
  cr_assert_eq(motion.trajectory.piece_count, 75);
  cr_assert_eq(motion.result.intervals, 75, "%zu", motion.result.intervals);
  motion_close(&motion);
  motion_close(&seed);
}

/* A goal that moves by a little: from the motion before the same optimum is found, in a few iterations; where the goal moves
 * by much, or the seed is another motion, the search finds it all the same. */
Test(optimal, a_seed_leads_to_the_optimum_soon)
{
  static const struct {
    double by;
    size_t most; /* iterations; 0: whatever it takes */
  } rows[] = { { 0, 4 }, { 1e-3, 4 }, { 1e-2, 6 }, { 0.2, 0 }, { -1.5, 0 } };
  struct optimum_case c;
  struct motion before;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  struct armdyn_optimal_request request = optimum_request(&c, 100);
  cr_assert_eq(motion_plan(&before, &c.robot, &request), ARMDYN_OK, "%s", before.error.message);
  const double first = c.goal[0];
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct motion cold, seeded;
    c.goal[0] = first + rows[k].by;
    request.guess = NULL;
    cr_assert_eq(motion_plan(&cold, &c.robot, &request), ARMDYN_OK, "%g: %s", rows[k].by, cold.error.message);
    request.guess = &before.trajectory;
    cr_assert_eq(motion_plan(&seeded, &c.robot, &request), ARMDYN_OK, "%g: %s", rows[k].by, seeded.error.message);
    cr_assert(seeded.result.optimal, "%g", rows[k].by);
    cr_assert_leq(seeded.result.violation, 1e-9);
    cr_assert_leq(seeded.result.cost, cold.result.cost * (1 + 1e-5), "%g: %.10g, not %.10g", rows[k].by,
                  seeded.result.cost, cold.result.cost);
    if (rows[k].most)
      cr_assert_leq(seeded.result.iterations, rows[k].most, "%g: %zu", rows[k].by, seeded.result.iterations);
    motion_close(&cold);
    motion_close(&seeded);
  }
  motion_close(&before);
}
