/* Random moves of arms whose drives have their data, planned for least electricity: nearly all end optimal, and none draws
 * more than a classic profile that keeps the limits. 20 of them; 600 with ARMDYN_SOAK=1, which also holds them against 64
 * random starts and the time of one core. */
#include <criterion/criterion.h>
#include <time.h>

#include "tests/support/moves.h"
#include "tests/support/sanitized.h"

enum { MOVES = 600, QUICK = SANITIZED ? 1 : 20, INTERVALS = 100, STARTS = 4, RIVALS = 64 };

static bool soaks(void)
{
  const char *soak = getenv("ARMDYN_SOAK");
  return soak && strcmp(soak, "0") != 0;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what others do on the machine does not count */
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double energy_of(const struct armdyn_robot *robot, const struct move *m,
                        const struct armdyn_trajectory *trajectory)
{
  struct armdyn_electrical_energy energy;
  cr_assert_eq(armdyn_trajectory_electrical_energy(robot, &m->model, trajectory, &energy, NULL), ARMDYN_OK);
  return energy.total;
}

/* The least that a classic profile draws which takes as long and keeps the limits */
static double cheapest_profile(const struct armdyn_robot *robot, const struct move *m)
{
  double least = INFINITY;
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    struct armdyn_trajectory trajectory;
    const struct armdyn_profile_request request = {
      .profile = (enum armdyn_profile)profile, .point_count = 2, .points = m->points, .duration = m->duration
    };
    if (armdyn_profile_plan(robot, &request, &trajectory, NULL, NULL, NULL, NULL, NULL)) continue;
    least = fmin(least, energy_of(robot, m, &trajectory));
    armdyn_trajectory_free(&trajectory);
  }
  return least;
}

/* What the planned motion draws; is it optimal? */
static double planned(const struct armdyn_robot *robot, struct move *m, size_t starts, bool *optimal)
{
  static struct armdyn_optimal_result result;
  struct armdyn_optimal_request request = move_request(m, INTERVALS, starts);
  struct armdyn_trajectory trajectory;
  struct armdyn_error error;
  cr_assert_eq(armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  const double energy = energy_of(robot, m, &trajectory);
  cr_assert_float_eq(energy, result.cost,
                     2e-4 * fabs(energy)); /* two quadratures over the sides of power and friction */
  *optimal = result.optimal;
  armdyn_trajectory_free(&trajectory);
  return energy;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

Test(moves, the_least_electricity_is_found, .timeout = 36000)
{
  static double saved[MOVES];
  const bool soak = soaks();
  const size_t count = soak ? MOVES : QUICK;
  size_t optimal = 0, in_time = 0, best = 0;
  for (size_t k = 0; k < count; k++) {
    struct move m;
    struct armdyn_robot *robot;
    bool is_optimal, ignored;
    cr_assert(move_make(k, &m));
    cr_assert_eq(armdyn_robot_new(&m.robot, &robot, NULL), ARMDYN_OK);
    const double begin = now(), energy = planned(robot, &m, STARTS, &is_optimal), took = now() - begin;
    const double profile = cheapest_profile(robot, &m);
    cr_assert(isfinite(profile));
    cr_expect_leq(energy, profile + 1e-6 * fabs(profile), "move %zu: %g, a profile %g", k, energy, profile);
    saved[k] = 100 * (profile - energy) / fabs(profile); /* a load that is lowered may feed back */
    optimal += is_optimal, in_time += is_optimal && took <= 2;
    const double rival = soak ? planned(robot, &m, RIVALS, &ignored) : energy;
    best += energy <= rival + 0.005 * fabs(rival);
    armdyn_robot_free(robot);
  }
  qsort(saved, count, sizeof *saved, ascending);
  cr_log_info("%zu moves: %zu optimal, median saving %.1f %%", count, optimal, saved[count / 2]);
  cr_assert_geq((double)optimal, 0.95 * (double)count - (SANITIZED ? 1 : 0), "%zu of %zu", optimal, count);
  if (!soak) return;
  cr_log_info("%zu in 2 s, %zu not beaten by %d random starts", in_time, best, RIVALS);
  if (!SANITIZED) cr_assert_geq((double)in_time, 0.95 * (double)count, "%zu of %zu", in_time, count);
  cr_assert_geq((double)best, 0.95 * (double)count, "%zu of %zu", best, count);
}

/* The same move to goals that differ in their last digits costs the same and takes as long to find: no decision of the search
 * hangs on a rounding. */
Test(moves, iterations_do_not_follow_last_digits, .timeout = 600)
{
  static const double off[] = { 0, 1e-9, -1e-9, 1e-8, -1e-8, 1e-7, -1e-7, 1e-6 };
  static const struct armdyn_electrical_model bus = { ARMDYN_REGENERATION_SHARED_BUS, 0 };
  static const struct armdyn_cost_term electrical = { .model = ARMDYN_COST_ELECTRICAL,
                                                      .weight = 1,
                                                      .electrical = &bus };
  static struct armdyn_optimal_result result;
  struct optimum_case c;
  struct armdyn_robot *robot;
  size_t least = SIZE_MAX, most = 0;
  double first = 0;
  cr_assert(optimum_load("xiii_puma_torque_limit_active", &c));
  move_puma_drives(&c.robot);
  cr_assert_eq(armdyn_robot_new(&c.robot, &robot, NULL), ARMDYN_OK);
  const double *const goal = c.goal;
  double moved[MOVE_N];
  for (size_t k = 0; k < (SANITIZED ? 2 : sizeof off / sizeof *off); k++) {
    struct armdyn_optimal_request request = optimum_request(&c, INTERVALS);
    struct armdyn_trajectory trajectory;
    for (size_t j = 0; j < c.robot.joint_count; j++) moved[j] = goal[j] + (j % 2 ? off[k] : -0.7 * off[k]);
    request.goal = moved;
    request.cost_count = 1, request.costs = &electrical;
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, NULL), ARMDYN_OK);
    cr_expect(result.optimal, "%g", off[k]);
    if (k == 0) first = result.cost;
    cr_expect_float_eq(result.cost, first, (1e-7 + 10 * fabs(off[k])) * first, "%g: %.9g, not %.9g", off[k],
                       result.cost, first);
    least = result.iterations < least ? result.iterations : least;
    most = result.iterations > most ? result.iterations : most;
    armdyn_trajectory_free(&trajectory);
  }
  cr_expect_leq((double)most, 1.2 * (double)least, "%zu to %zu iterations", least, most);
  armdyn_robot_free(robot);
}

/* -- one axis, whose optimum is known in closed form: c tau^2 in the windings, c = r / (N k)^2, and what the joint takes -- */

enum { AXIS_INERTIA, AXIS_COULOMB, AXIS_VISCOUS };

/* inertia  tau = I a: the windings alone, as what is put into the motion comes back; v a parabola, 12 c I^2 w^2 / T^3
 * Coulomb  tau = I a + f: c f^2 T and f w more, as the direction never changes, and to rest first and hurry then, free of
 *          friction at rest, pays only beyond f = 6 I w / T^2
 * viscous  tau = I a + b v: (c b^2 + b) v^2 beside c I^2 a^2, hence v = A (1 - cosh(k (t - T / 2)) / cosh(k T / 2)),
 *          k^2 = (c b^2 + b) / (c I^2), and (c b^2 + b) w^2 / (T - 2 / k tanh(k T / 2)) */
static double closed_form(int axis, double c, double I, double friction, double way, double T)
{
  const double windings = 12 * c * I * I * way * way / (T * T * T), B = c * friction * friction + friction;
  const double k = sqrt(B / (c * I * I));
  if (axis == AXIS_VISCOUS) return B * way * way / (T - 2 / k * tanh(k * T / 2));
  return axis == AXIS_INERTIA ? windings : windings + c * friction * friction * T + friction * way;
}

/* Everything is fed back; and where friction brakes nearly all, regeneration makes hardly a difference. */
Test(moves, one_axis_meets_its_closed_forms)
{
  static const struct {
    int axis;
    double friction;
    struct armdyn_electrical_model model;
    double room;
  } rows[] = { { AXIS_INERTIA, 0, { ARMDYN_REGENERATION_GRID, 1 }, 1e-6 },
               { AXIS_COULOMB, 3, { ARMDYN_REGENERATION_GRID, 1 }, 1e-4 },
               { AXIS_COULOMB, 11.5, { ARMDYN_REGENERATION_NONE, 0 }, 1e-3 },
               { AXIS_COULOMB, 11.5, { ARMDYN_REGENERATION_SHARED_BUS, 0 }, 1e-3 },
               { AXIS_VISCOUS, 5, { ARMDYN_REGENERATION_GRID, 1 }, 1e-5 } };
  const double way = 1, T = 1, I = 2, gear = 50, constant = 0.1, resistance = 0.5;
  const double start[1] = { 0 }, goal[1] = { way };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    static struct armdyn_optimal_result result;
    struct armdyn_robot_description d;
    struct armdyn_robot *robot;
    struct armdyn_trajectory trajectory;
    struct armdyn_error error;
    armdyn_robot_description_init(&d);
    armdyn_joint_init(&d.joints[0]);
    snprintf(d.joints[0].name, sizeof d.joints[0].name, "axis");
    d.joint_count = 1;
    d.joints[0].velocity_scale = 1e-4;
    d.joints[0].drive = (struct armdyn_drive){ .rotor_inertia = I / (gear * gear),
                                               .gear_ratio = gear,
                                               .torque_constant = constant,
                                               .resistance = resistance,
                                               .efficiency = 1 };
    const struct armdyn_directed friction = { rows[k].friction, rows[k].friction };
    if (rows[k].axis == AXIS_COULOMB) d.joints[0].friction.coulomb = friction;
    if (rows[k].axis == AXIS_VISCOUS) d.joints[0].friction.viscous = friction;
    cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK, "%s", error.message);
    const struct armdyn_cost_term cost = { .model = ARMDYN_COST_ELECTRICAL, .weight = 1, .electrical = &rows[k].model };
    const struct armdyn_optimal_request request = {
      .start = start, .goal = goal, .duration = T, .intervals = 100, .starts = 1, .cost_count = 1, .costs = &cost
    };
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error), ARMDYN_OK, "%s",
                 error.message);
    const double c = resistance / (gear * constant * gear * constant);
    const double least = closed_form(rows[k].axis, c, I, rows[k].friction, way, T);
    /* the motion of least torque is the optimum of the first rows, and beats by rounding what the search makes of it */
    cr_expect(result.optimal || result.instead, "%zu: residual %g", k, result.residual);
    cr_expect_float_eq(result.cost, least, rows[k].room * least, "%zu: %.9g, not %.9g", k, result.cost, least);
    armdyn_trajectory_free(&trajectory);
    armdyn_robot_free(robot);
  }
}
