/* Timed paths against closed forms of one axis, a brute-force search that knows nothing of the solver, and geometry. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX };

static const double inertia = 2.5, way = 1.2;

struct motion {
  struct armdyn_robot *robot;
  struct armdyn_trajectory path, trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * N];
  struct armdyn_path_timing_result result;
  struct armdyn_error error;
};

static void axis(struct armdyn_robot_description *d, double torque, double velocity)
{
  armdyn_robot_description_init(d);
  d->joint_count = 1;
  snprintf(d->joints[0].name, sizeof d->joints[0].name, "axis");
  d->joints[0].drive.rotor_inertia = inertia;
  d->joints[0].limits.torque = torque;
  d->joints[0].limits.velocity = velocity;
}

static enum armdyn_status time_path(struct motion *m, const struct armdyn_robot_description *d, const double *points,
                                    size_t count, struct armdyn_path_timing_request request)
{
  *m = (struct motion){ 0 };
  cr_assert_eq(armdyn_robot_new(d, &m->robot, &m->error), ARMDYN_OK, "%s", m->error.message);
  cr_assert_eq(armdyn_path_through(d->joint_count, count, points, &m->path, &m->error), ARMDYN_OK, "%s",
               m->error.message);
  request.path = &m->path;
  return armdyn_path_timing(m->robot, &request, &m->trajectory, m->margin, &m->result, NULL, NULL, &m->error);
}

static void motion_close(struct motion *m)
{
  armdyn_trajectory_free(&m->path);
  armdyn_trajectory_free(&m->trajectory);
  armdyn_robot_free(m->robot);
}

static const struct armdyn_path_timing_request shortest = { .time_price = 1, .duration = NAN, .intervals = 100 };

/* Full torque, then full torque back: T = 2 sqrt(I D / tau). */
Test(path_timing, one_axis_is_bang_bang)
{
  const double ends[2] = { 0.3, 0.3 + way }, torque = 20, T = 2 * sqrt(inertia * way / torque);
  struct armdyn_robot_description d;
  struct motion m;
  axis(&d, torque, INFINITY);
  cr_assert_eq(time_path(&m, &d, ends, 2, shortest), ARMDYN_OK, "%s", m.error.message);
  cr_assert_float_eq(m.result.duration, T, 1e-7 * T, "%.10g, not %.10g", m.result.duration, T);
  cr_assert(m.result.convex && m.result.gap < 1e-6 && m.result.violation <= 1e-6);
  double q[1], qd[1], qdd[1];
  armdyn_trajectory_state(&m.trajectory, 0, q, qd, NULL, NULL);
  cr_assert(fabs(q[0] - ends[0]) < 1e-12 && fabs(qd[0]) < 1e-9);
  armdyn_trajectory_state(&m.trajectory, m.result.duration, q, qd, NULL, NULL);
  cr_assert(fabs(q[0] - ends[1]) < 1e-12 && fabs(qd[0]) < 1e-5);
  armdyn_trajectory_state(&m.trajectory, 0.4 * T, NULL, NULL, qdd, NULL);
  cr_assert_float_eq(qdd[0] * inertia, torque, 1e-4 * torque);
  armdyn_trajectory_state(&m.trajectory, 0.6 * T, NULL, NULL, qdd, NULL);
  cr_assert_float_eq(qdd[0] * inertia, -torque, 1e-4 * torque);
  motion_close(&m);
}

/* With a velocity limit V: ramps of V / A and a cruise, T = D / V + V / A. */
Test(path_timing, one_axis_with_a_velocity_limit_is_a_trapezoid)
{
  const double ends[2] = { 0, way }, torque = 20, V = 2, A = torque / inertia, T = way / V + V / A;
  struct armdyn_robot_description d;
  struct motion m;
  axis(&d, torque, V);
  struct armdyn_path_timing_request request = shortest;
  request.intervals = 400;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_OK, "%s", m.error.message);
  cr_assert_float_eq(m.result.duration, T, 2e-5 * T, "%.10g, not %.10g", m.result.duration, T);
  cr_assert_geq(m.result.duration, T * (1 - 1e-9));
  motion_close(&m);
}

/* The cheapest in a given time is the cubic, 12 I^2 D^2 / T^3; with a price rho of the time it takes
 * T^4 = 36 I^2 D^2 / rho. */
Test(path_timing, cheapest_motions_of_one_axis_are_cubics)
{
  const double ends[2] = { 0, way }, one = 1, T = 0.8, square = inertia * inertia * way * way, rho = 700;
  struct armdyn_robot_description d;
  struct motion m;
  struct armdyn_path_timing_request request = { .torque_price = 1, .weights = &one, .duration = T, .intervals = 400 };
  axis(&d, INFINITY, INFINITY);
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_OK, "%s", m.error.message);
  cr_assert_float_eq(m.result.duration, T, 1e-6 * T);
  cr_assert_float_eq(m.result.cost, 12 * square / (T * T * T), 2e-4 * m.result.cost, "%.10g", m.result.cost);
  cr_assert(isnan(m.result.shortest));
  motion_close(&m);
  request.duration = NAN, request.time_price = rho;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_OK, "%s", m.error.message);
  const double best = pow(36 * square / rho, 0.25), cost = 12 * square / (best * best * best) + rho * best;
  cr_assert_float_eq(m.result.duration, best, 2e-3 * best, "%.10g, not %.10g", m.result.duration, best);
  cr_assert_float_eq(m.result.cost, cost, 2e-4 * cost, "%.10g, not %.10g", m.result.cost, cost);
  motion_close(&m);
}

/* -- a two-link arm along a bent path -- */

static void two_links(struct armdyn_robot_description *d)
{
  armdyn_robot_description_init(d);
  d->joint_count = 2;
  d->gravity[1] = -9.81, d->gravity[2] = 0;
  for (size_t j = 0; j < 2; j++) {
    struct armdyn_joint *joint = &d->joints[j];
    snprintf(joint->name, sizeof joint->name, "j%zu", j + 1);
    joint->a = 0.45 - 0.1 * (double)j;
    joint->link = (struct armdyn_body){ 5 - 2 * (double)j, { -0.2, 0, 0 }, { .zz = 0.06 } };
    joint->limits.torque = j ? 22 : 75;
    joint->limits.velocity = 4;
    joint->limits.acceleration = 60;
  }
}

static const double bent[] = { -0.4, 0.3, 0.2, 1.1, 0.9, 0.5, 1.2, -0.2 };

/* Accelerations along the path that all limits allow at one place and speed, from the arm's own inverse dynamics. */
static bool allowed(const struct motion *m, struct armdyn_workspace *workspace, double s, double b, double range[2])
{
  const struct armdyn_robot_description *d = armdyn_robot_description(m->robot);
  double q[2], slope[2], bend[2], qd[2], tau[2][2];
  armdyn_trajectory_state(&m->path, s, q, slope, bend, NULL);
  for (int unit = 0; unit < 2; unit++) {
    double qdd[2];
    for (int j = 0; j < 2; j++) qd[j] = slope[j] * sqrt(b), qdd[j] = bend[j] * b + slope[j] * unit;
    armdyn_inverse_dynamics(m->robot, q, qd, qdd, NULL, workspace, tau[unit]);
  }
  range[0] = -INFINITY, range[1] = INFINITY;
  for (int j = 0; j < 2; j++) {
    if (fabs(qd[j]) > d->joints[j].limits.velocity) return false;
    const double at[2] = { tau[0][j], bend[j] * b }, by[2] = { tau[1][j] - tau[0][j], slope[j] };
    const double most[2] = { d->joints[j].limits.torque, d->joints[j].limits.acceleration };
    for (int k = 0; k < 2; k++) {
      if (by[k] == 0) {
        if (fabs(at[k]) > most[k]) return false;
        continue;
      }
      const double one = (-most[k] - at[k]) / by[k], two = (most[k] - at[k]) / by[k];
      range[0] = fmax(range[0], fmin(one, two)), range[1] = fmin(range[1], fmax(one, two));
    }
  }
  return range[0] <= range[1];
}

/* The shortest duration by forward and backward sweeps in fine steps: below the highest speed that is allowed at all,
 * accelerate as much as is allowed from the start, brake as much as is allowed towards the end, take the slower. */
static double swept_duration(const struct motion *m)
{
  enum { STEPS = 20000 };
  static double top[STEPS + 1], speed[STEPS + 1], back[STEPS + 1];
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  const double h = 1.0 / STEPS;
  double range[2], T = 0;
  for (int k = 0; k <= STEPS; k++) {
    double low = 0, high = 1000;
    for (int i = 0; i < 50; i++) {
      const double middle = (low + high) / 2;
      if (allowed(m, workspace, k * h, middle, range))
        low = middle;
      else
        high = middle;
    }
    top[k] = low;
  }
  speed[0] = back[STEPS] = 0;
  for (int k = 0; k < STEPS; k++) {
    allowed(m, workspace, k * h, fmin(speed[k], top[k]), range);
    speed[k + 1] = fmin(top[k + 1], fmax(0, speed[k] + 2 * h * range[1]));
  }
  for (int k = STEPS; k > 0; k--) {
    allowed(m, workspace, k * h, fmin(back[k], top[k]), range);
    back[k - 1] = fmin(top[k - 1], fmax(0, back[k] - 2 * h * range[0]));
  }
  for (int k = 0; k < STEPS; k++) T += 2 * h / (sqrt(fmin(speed[k], back[k])) + sqrt(fmin(speed[k + 1], back[k + 1])));
  armdyn_workspace_free(workspace);
  return T;
}

Test(path_timing, the_shortest_motion_is_that_of_a_brute_force_sweep)
{
  struct armdyn_robot_description d;
  struct motion m;
  two_links(&d);
  struct armdyn_path_timing_request request = shortest;
  request.intervals = 400;
  cr_assert_eq(time_path(&m, &d, bent, 4, request), ARMDYN_OK, "%s", m.error.message);
  const double reference = swept_duration(&m);
  cr_assert_float_eq(m.result.duration, reference, 2e-3 * reference, "%.10g, not %.10g", m.result.duration, reference);
  cr_assert_leq(m.result.violation, 1e-3);
  cr_assert_float_eq(m.result.shortest, m.result.duration, 1e-9);
  motion_close(&m);
}

/* On the path everywhere: every position has a parameter, and its points are passed in time. */
Test(path_timing, the_path_is_kept)
{
  struct armdyn_robot_description d;
  struct motion m;
  two_links(&d);
  cr_assert_eq(time_path(&m, &d, bent, 4, shortest), ARMDYN_OK, "%s", m.error.message);
  double s = 0, worst = 0;
  for (int k = 0; k <= 400; k++) {
    double q[2], at[2], slope[2];
    armdyn_trajectory_state(&m.trajectory, m.result.duration * k / 400, q, NULL, NULL, NULL);
    for (int newton = 0; newton < 20; newton++) { /* the nearest point of the path */
      armdyn_trajectory_state(&m.path, s, at, slope, NULL, NULL);
      s += ((q[0] - at[0]) * slope[0] + (q[1] - at[1]) * slope[1]) / (slope[0] * slope[0] + slope[1] * slope[1]);
      s = fmin(fmax(s, 0), 1);
    }
    worst = fmax(worst, hypot(q[0] - at[0], q[1] - at[1]));
  }
  cr_assert_lt(worst, 1e-9);
  cr_assert_eq(m.trajectory.waypoint_count, 4);
  for (size_t w = 0; w < 4; w++) {
    double q[2];
    armdyn_trajectory_state(&m.trajectory, m.trajectory.waypoint_times[w], q, NULL, NULL, NULL);
    for (int j = 0; j < 2; j++) cr_assert_float_eq(q[j], bent[2 * w + (size_t)j], 1e-9);
  }
  motion_close(&m);
}

/* The cost falls with the time that is allowed, and the optimum for a time beats every slowed-down shorter one. */
Test(path_timing, time_and_torque_trade_off)
{
  struct armdyn_robot_description d;
  double last = INFINITY, T = 0;
  two_links(&d);
  d.gravity[1] = 0;
  for (int k = 0; k < 5; k++) {
    struct motion m;
    struct armdyn_path_timing_request request = { .torque_price = 1,
                                                  .duration = k ? T * (1 + 0.2 * k) : 10,
                                                  .intervals = 100 };
    cr_assert_eq(time_path(&m, &d, bent, 4, request), ARMDYN_OK, "%s", m.error.message);
    if (k == 0) {
      T = m.result.shortest;
    } else {
      cr_assert_float_eq(m.result.duration, request.duration, 1e-6);
      cr_assert(m.result.gap < 1e-6 && m.result.violation <= 1e-3);
      /* without weight or friction a motion that is slowed down by c costs c^-3 of itself */
      if (k > 1) cr_assert_lt(m.result.cost, last * pow((1 + 0.2 * (k - 1)) / (1 + 0.2 * k), 3) * (1 + 1e-6));
      last = m.result.cost;
    }
    motion_close(&m);
  }
}

/* A weight that must be held makes slow motions dear: the optimum takes less time than it may. */
Test(path_timing, holding_a_weight_for_long_is_not_cheap)
{
  struct armdyn_robot_description d;
  double cost[3], T[3];
  two_links(&d);
  for (int k = 0; k < 3; k++) {
    struct motion m;
    const struct armdyn_path_timing_request request = { .torque_price = 1,
                                                        .duration = k == 0   ? 30
                                                                    : k == 1 ? T[0]
                                                                             : 0.9 * T[0],
                                                        .intervals = 100 };
    cr_assert_eq(time_path(&m, &d, bent, 4, request), ARMDYN_OK, "%d: %s", k, m.error.message);
    T[k] = m.result.duration, cost[k] = m.result.cost;
    motion_close(&m);
  }
  cr_assert(T[0] < 10 && T[0] > 0.5, "%g", T[0]);
  cr_assert_float_eq(cost[1], cost[0], 1e-4 * cost[0]);
  cr_assert_gt(cost[2], cost[0]);
}

/* Viscous friction: the torque of a full cruise leaves less to accelerate; the answer settles and keeps the limits. */
Test(path_timing, friction_is_counted)
{
  double last = 0;
  for (int k = 0; k < 3; k++) {
    struct armdyn_robot_description d;
    struct motion m;
    two_links(&d);
    for (int j = 0; j < 2; j++) {
      if (k > 0) d.joints[j].friction.coulomb = (struct armdyn_directed){ 2, 3 };
      if (k > 1) d.joints[j].friction.viscous = (struct armdyn_directed){ 1.5, 1.5 };
    }
    cr_assert_eq(time_path(&m, &d, bent, 4, shortest), ARMDYN_OK, "%s", m.error.message);
    cr_assert_eq(m.result.convex, k < 2);
    cr_assert_leq(m.result.violation, 1e-3);
    double worst = 0;
    for (int i = 0; i < ARMDYN_LIMIT_KINDS * 2; i++) worst = fmax(worst, m.margin[i].usage);
    cr_assert_float_eq(worst, 1, 1e-3);
    if (k == 2) cr_assert_gt(m.result.duration, last);
    last = m.result.duration;
    motion_close(&m);
  }
}

/* A Puma from pose to pose on straight lines and arcs: the tool is where geometry says. */
Test(path_timing, the_tool_keeps_to_lines_and_arcs)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct armdyn_workspace *workspace = armdyn_workspace_new(6);
  const double start[6] = { 0.2, 0.6, -0.4, 0.3, 0.8, 0.1 };
  cJSON *json = json_load("tests/data/robots/puma560.json");
  description_from_json(json, &d);
  cJSON_Delete(json);
  for (size_t j = 0; j < 6; j++) d.joints[j].limits.jerk = d.joints[j].limits.torque_rate = INFINITY;
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  double from[16], goal[16], via[3];
  armdyn_forward_kinematics(robot, start, workspace, from, NULL);
  memcpy(goal, from, sizeof goal);
  goal[3] += 0.1, goal[7] += 0.25, goal[11] -= 0.1;
  for (int i = 0; i < 3; i++) via[i] = (from[4 * i + 3] + goal[4 * i + 3]) / 2 + (i == 2 ? 0.1 : 0);
  for (int arc = 0; arc < 2; arc++) {
    const struct armdyn_tool_path_request request = { start, goal, arc ? via : NULL, 0, 1e-6 };
    struct armdyn_trajectory path, timed;
    double deviation, off = 0, passed = INFINITY, normal[3], u[3], v[3];
    cr_assert_eq(armdyn_path_of_tool(robot, &request, &path, &deviation, &error), ARMDYN_OK, "%s", error.message);
    cr_assert_leq(deviation, 1e-6);
    struct armdyn_path_timing_request timing = shortest;
    struct armdyn_path_timing_result result;
    timing.path = &path;
    cr_assert_eq(armdyn_path_timing(robot, &timing, &timed, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
                 error.message);
    cr_assert(result.violation <= 1e-3 && result.gap < 1e-5);
    for (int i = 0; i < 3; i++) u[i] = goal[4 * i + 3] - from[4 * i + 3], v[i] = via[i] - from[4 * i + 3];
    for (int i = 0; i < 3; i++) normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    const double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k <= 200; k++) {
      double q[6], at[16], w[3], along = 0, across = 0, plane = 0, near = 0;
      armdyn_trajectory_state(&timed, result.duration * k / 200, q, NULL, NULL, NULL);
      armdyn_forward_kinematics(robot, q, workspace, at, NULL);
      for (int i = 0; i < 3; i++) {
        w[i] = at[4 * i + 3] - from[4 * i + 3];
        along += w[i] * u[i] / length, plane += w[i] * normal[i];
        near += pow(at[4 * i + 3] - via[i], 2);
        for (int c = 0; c < 3; c++) cr_assert_float_eq(at[4 * i + c], from[4 * i + c], 3e-6);
      }
      for (int i = 0; i < 3; i++) across += pow(w[i] - along * u[i] / length, 2);
      off = fmax(off, arc ? fabs(plane) : sqrt(across));
      passed = fmin(passed, sqrt(near));
    }
    cr_assert_lt(off, 3e-6);
    if (arc) cr_assert_lt(passed, 0.01); /* by way of `via`, as far as 200 samples tell */
    armdyn_trajectory_free(&path);
    armdyn_trajectory_free(&timed);
  }
  /* far away: said where the line leaves the arm's reach */
  goal[3] += 3;
  struct armdyn_trajectory path;
  const struct armdyn_tool_path_request far = { start, goal, NULL, 0, 0 };
  cr_assert_eq(armdyn_path_of_tool(robot, &far, &path, NULL, &error), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(error.message, "cannot follow"), "%s", error.message);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* Two and a half turns about a slanted axis: everywhere at the radius, in the plane, the orientation kept, and evenly. */
Test(path_timing, the_tool_goes_round)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct armdyn_workspace *workspace = armdyn_workspace_new(6);
  const double start[6] = { 0.2, 0.6, -0.4, 0.3, 0.8, 0.1 }, normal[3] = { 0, 0.6, 0.8 }, radius = 0.08, turns = 2.5;
  cJSON *json = json_load("tests/data/robots/puma560.json");
  description_from_json(json, &d);
  cJSON_Delete(json);
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  double from[16], center[3], deviation;
  armdyn_forward_kinematics(robot, start, workspace, from, NULL);
  const double out[3] = { radius, 0, 0 }, across[3] = { 0, 0.8 * radius, -0.6 * radius }; /* normal x out */
  for (int i = 0; i < 3; i++) center[i] = from[4 * i + 3] - out[i] + 0.3 * normal[i];
  struct armdyn_tool_circle circle = { start, center, normal, turns, 0, 1e-8 };
  struct armdyn_trajectory path;
  cr_assert_eq(armdyn_path_of_circle(robot, &circle, &path, &deviation, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_leq(deviation, 1e-8);
  for (int k = 0; k <= 1000; k++) {
    const double s = k / 1000.0, angle = 2 * M_PI * turns * s;
    double q[6], at[16];
    armdyn_trajectory_state(&path, s, q, NULL, NULL, NULL);
    armdyn_forward_kinematics(robot, q, workspace, at, NULL);
    for (int i = 0; i < 3; i++) {
      const double place = from[4 * i + 3] + (cos(angle) - 1) * out[i] + sin(angle) * across[i];
      cr_assert_float_eq(at[4 * i + 3], place, 3e-8, "%g of the way", s);
      for (int c = 0; c < 3; c++) cr_assert_float_eq(at[4 * i + c], from[4 * i + c], 3e-8);
    }
  }
  armdyn_trajectory_free(&path);
  circle.turns = 0;
  cr_assert_eq(armdyn_path_of_circle(robot, &circle, &path, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/turns");
  circle.turns = 1;
  for (int i = 0; i < 3; i++) center[i] = from[4 * i + 3] + normal[i];
  cr_assert_eq(armdyn_path_of_circle(robot, &circle, &path, NULL, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/center");
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* A tool on a long arm that turns: v = radius qd, so a limit of the tool is one of the joint, and the other way round. */
Test(path_timing, the_speed_of_the_tool_is_a_limit)
{
  const double ends[2] = { 0.3, 0.3 + way }, radius = 0.7, speed = 0.5, torque = 20;
  struct armdyn_robot_description d;
  struct motion m, of_joint;
  struct armdyn_path_timing_request request = shortest;
  axis(&d, torque, speed / radius);
  d.joints[0].a = radius;
  cr_assert_eq(time_path(&of_joint, &d, ends, 2, shortest), ARMDYN_OK, "%s", of_joint.error.message);
  d.joints[0].limits.velocity = INFINITY;
  request.tool_speed = speed;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_OK, "%s", m.error.message);
  double most, when;
  cr_assert_eq(armdyn_trajectory_tool_speed(m.robot, &m.trajectory, &most, &when), ARMDYN_OK);
  cr_assert_float_eq(most, speed, 1e-6);
  cr_assert(when > 0 && when < m.result.duration);
  cr_assert_float_eq(m.result.duration, of_joint.result.duration, 1e-6 * m.result.duration);
  /* full torque up to v = speed / radius, and back: T = D / v + v I / tau */
  const double v = speed / radius, T = way / v + v * inertia / torque;
  cr_assert_float_eq(m.result.duration, T, 1e-3 * T, "%.9g, not %.9g", m.result.duration, T);
  motion_close(&of_joint);
  motion_close(&m);
  request.tool_speed = -1;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_EINPUT);
  cr_assert_str_eq(m.error.pointer, "/tool_speed_max");
  motion_close(&m);
}

/* Two links on a straight joint line: wherever one looks, between the points too, the tool keeps its limit, and the motion
 * uses it; without the limit it is faster. Speeds by differences of positions. */
Test(path_timing, the_tool_keeps_its_speed_everywhere)
{
  const double ends[4] = { -0.4, 1.9, 1.1, 0.4 }, speed = 0.6;
  struct armdyn_robot_description d;
  struct motion m, free_motion;
  struct armdyn_path_timing_request request = shortest;
  two_links(&d);
  for (size_t j = 0; j < 2; j++) d.joints[j].limits.torque = 80;
  cr_assert_eq(time_path(&free_motion, &d, ends, 2, request), ARMDYN_OK, "%s", free_motion.error.message);
  request.tool_speed = speed;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_OK, "%s", m.error.message);
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  const double h = 1e-6;
  double highest = 0;
  for (int k = 1; k < 5000; k++) {
    const double t = m.result.duration * k / 5000;
    double q[2], a[16], b[16];
    armdyn_trajectory_state(&m.trajectory, t - h, q, NULL, NULL, NULL);
    armdyn_forward_kinematics(m.robot, q, workspace, a, NULL);
    armdyn_trajectory_state(&m.trajectory, t + h, q, NULL, NULL, NULL);
    armdyn_forward_kinematics(m.robot, q, workspace, b, NULL);
    highest = fmax(highest, hypot(b[3] - a[3], b[7] - a[7]) / (2 * h));
  }
  cr_assert_leq(highest, speed * (1 + 1e-3));
  cr_assert_geq(highest, speed * (1 - 1e-3));
  cr_assert_leq(m.result.violation, 1e-3);
  cr_assert_gt(m.result.duration, 1.2 * free_motion.result.duration);
  armdyn_workspace_free(workspace);
  motion_close(&free_motion);
  motion_close(&m);
}

/* The three points of an arc are equally far from its center, whichever way round. */
Test(path_timing, an_arc_goes_by_way_of_its_point)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_error error;
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  const double start[2] = { 0.3, 1.2 }, center[2] = { 0.35, 0.35 };
  two_links(&d);
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  for (int direction = -1; direction <= 1; direction += 2) {
    double from[16], goal[16], via[3] = { 0 }, at[16], q[2];
    armdyn_forward_kinematics(robot, start, workspace, from, NULL);
    const double x = from[3] - center[0], y = from[7] - center[1], r = hypot(x, y), angle = atan2(y, x);
    memcpy(goal, from, sizeof goal);
    via[0] = center[0] + r * cos(angle + direction * 1.2), via[1] = center[1] + r * sin(angle + direction * 1.2);
    goal[3] = center[0] + r * cos(angle + direction * 4), goal[7] = center[1] + r * sin(angle + direction * 4);
    const struct armdyn_tool_path_request request = { start, goal, via, ARMDYN_TASK_X | ARMDYN_TASK_Y, 1e-7 };
    struct armdyn_trajectory path;
    cr_assert_eq(armdyn_path_of_tool(robot, &request, &path, NULL, &error), ARMDYN_OK, "%s", error.message);
    for (int k = 0; k <= 100; k++) {
      armdyn_trajectory_state(&path, k / 100.0, q, NULL, NULL, NULL);
      armdyn_forward_kinematics(robot, q, workspace, at, NULL);
      const double turned = angle + direction * 4 * k / 100.0;
      cr_assert_float_eq(at[3], center[0] + r * cos(turned), 1e-6);
      cr_assert_float_eq(at[7], center[1] + r * sin(turned), 1e-6);
    }
    armdyn_trajectory_free(&path);
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(path_timing, what_cannot_be_is_told)
{
  struct armdyn_robot_description d;
  struct motion m;
  struct armdyn_path_timing_request request = shortest;
  axis(&d, 20, INFINITY);
  const double ends[2] = { 0, way }, same[2] = { 1, 1 };
  request.duration = 0.5; /* 0.77 s are needed */
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(m.error.message, "0.7745"), "%s", m.error.message);
  motion_close(&m);
  request = shortest, request.time_price = NAN;
  cr_assert_eq(time_path(&m, &d, ends, 2, request), ARMDYN_EINPUT);
  cr_assert_str_eq(m.error.pointer, "/time_price");
  motion_close(&m);
  d.joints[0].limits.jerk = 100;
  cr_assert_eq(time_path(&m, &d, ends, 2, shortest), ARMDYN_EINPUT);
  cr_assert_str_eq(m.error.pointer, "/limits/jerk/0");
  motion_close(&m);
  axis(&d, INFINITY, INFINITY);
  cr_assert_eq(time_path(&m, &d, ends, 2, shortest), ARMDYN_EINPUT); /* as fast as you like */
  cr_assert_str_eq(m.error.pointer, "/duration");
  motion_close(&m);
  const double back[3] = { 0, 1, 0.2 };
  axis(&d, 20, INFINITY);
  cr_assert_eq(time_path(&m, &d, back, 3, shortest), ARMDYN_EINPUT);
  cr_assert_str_eq(m.error.pointer, "/path");
  motion_close(&m);
  struct armdyn_trajectory path;
  cr_assert_eq(armdyn_path_through(1, 2, same, &path, &m.error), ARMDYN_EINPUT);
  cr_assert_str_eq(m.error.pointer, "/goal/q");
  two_links(&d);
  d.joints[0].limits.torque = 20; /* less than the weight */
  cr_assert_eq(time_path(&m, &d, bent, 4, shortest), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(m.error.message, "torque of joint 1 j1"), "%s", m.error.message);
  motion_close(&m);
  two_links(&d);
  d.joints[1].limits.position[1] = 1;
  cr_assert_eq(time_path(&m, &d, bent, 4, shortest), ARMDYN_EINFEASIBLE);
  cr_assert(strstr(m.error.message, "position of joint 2"), "%s", m.error.message);
  cr_assert_gt(m.margin[1].usage, 1);
  motion_close(&m);
}

/* Arms of two to seven joints with friction, on random paths within random limits: every answer keeps every limit on a fine
 * grid, by inverse dynamics alone, ends where the path ends, and is no slower than the same path under limits a tenth
 * smaller. */
Test(path_timing, random_problems_keep_their_limits)
{
  enum { ROUNDS = SANITIZED ? 2 : 8 };
  struct dice dice = { 99 };
  for (int round = 0; round < ROUNDS; round++) {
    const size_t n = 2 + (size_t)dice_uniform(&dice, 0, 6);
    struct armdyn_robot_description d;
    struct motion m[2];
    double points[3 * 8], duration[2];
    random_description(&dice, &d, n, round % 2 ? ARMDYN_DH : ARMDYN_FRAMES);
    d.has_transmission = false;
    dice_fill(&dice, points, 3 * n, -1.5, 1.5);
    for (size_t j = 0; j < n; j++) {
      d.joints[j].limits.velocity = dice_uniform(&dice, 1, 5);
      d.joints[j].limits.acceleration = dice_uniform(&dice, 10, 80);
      d.joints[j].limits.torque = 150 + dice_uniform(&dice, 0, 100);
    }
    for (int k = 0; k < 2; k++) {
      cr_assert_eq(time_path(&m[k], &d, points, 3, shortest), ARMDYN_OK, "%d: %s", round, m[k].error.message);
      duration[k] = m[k].result.duration;
      for (size_t j = 0; j < n; j++) d.joints[j].limits.velocity *= 0.9, d.joints[j].limits.acceleration *= 0.9;
    }
    cr_assert_lt(duration[0], duration[1] * (1 + 1e-6));
    struct armdyn_workspace *workspace = armdyn_workspace_new(n);
    const struct armdyn_robot_description *own = armdyn_robot_description(m[0].robot);
    for (int k = 0; k <= 4000; k++) {
      double q[8], qd[8], qdd[8], tau[8];
      armdyn_trajectory_state(&m[0].trajectory, duration[0] * k / 4000, q, qd, qdd, NULL);
      armdyn_inverse_dynamics(m[0].robot, q, qd, qdd, NULL, workspace, tau);
      for (size_t j = 0; j < n; j++) {
        cr_assert_leq(fabs(tau[j]), own->joints[j].limits.torque * 1.001, "%d: torque %zu", round, j);
        cr_assert_leq(fabs(qd[j]), own->joints[j].limits.velocity * 1.001, "%d: velocity %zu", round, j);
        cr_assert_leq(fabs(qdd[j]), own->joints[j].limits.acceleration * 1.001, "%d: acceleration %zu", round, j);
        if (k == 4000) cr_assert_float_eq(q[j], points[2 * n + j], 1e-9);
      }
    }
    armdyn_workspace_free(workspace);
    motion_close(&m[0]);
    motion_close(&m[1]);
  }
}
