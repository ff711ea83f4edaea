/* Many random problems: feasible ones are solved, and every solution is what it says by a checker that knows nothing of the
 * solver; infeasible ones are diagnosed. A twentieth of the campaign; all of it with ARMDYN_SOAK=1. */
#include <criterion/criterion.h>
#include <time.h>

#include "tests/support/campaign.h"
#include "tests/support/sanitized.h"

enum { FEASIBLE = 1000, INFEASIBLE = 200 };

enum { SHARE = SANITIZED ? 200 : 20 };

static bool soaks(void)
{
  const char *soak = getenv("ARMDYN_SOAK");
  return soak && strcmp(soak, "0") != 0;
}

static size_t how_many(size_t all)
{
  return soaks() ? all : all / SHARE;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* How far the torques lead from the motion within half a second, integrated by articulated bodies (Runge-Kutta 4) from one
 * state of it after the other, the last one to the goal. (Over longer times, a standing arm without control multiplies
 * every rounding by millions.) */
static double error_of_torques(const struct armdyn_robot *robot, const struct campaign_case *c,
                               const struct armdyn_trajectory *trajectory, double step)
{
  const size_t n = c->n, windows = (size_t)ceil(c->duration / 0.5),
               steps = (size_t)ceil(c->duration / (double)windows / step);
  const double h = c->duration / (double)(windows * steps);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double x[2 * CAMPAIGN_N] = { 0 }, q[CAMPAIGN_N], worst = 0;
  for (size_t k = 0; k < windows * steps; k++) {
    static const double at[4] = { 0, 0.5, 0.5, 1 }, weight[4] = { 1, 2, 2, 1 };
    double slope[2 * CAMPAIGN_N] = { 0 }, sum[2 * CAMPAIGN_N] = { 0 };
    if (k % steps == 0) armdyn_trajectory_state(trajectory, h * (double)k, x, x + n, NULL, NULL);
    for (int stage = 0; stage < 4; stage++) {
      double y[2 * CAMPAIGN_N], row[1 + 5 * CAMPAIGN_N];
      for (size_t i = 0; i < 2 * n; i++) y[i] = x[i] + at[stage] * h * slope[i];
      armdyn_trajectory_sample(robot, trajectory, h * ((double)k + at[stage]), workspace, row);
      memcpy(slope, y + n, n * sizeof *slope);
      if (armdyn_forward_dynamics(robot, y, y + n, row + 1 + 3 * n, NULL, workspace, slope + n)) return INFINITY;
      for (size_t i = 0; i < 2 * n; i++) sum[i] += weight[stage] * slope[i];
    }
    for (size_t i = 0; i < 2 * n; i++) x[i] += h / 6 * sum[i];
    armdyn_trajectory_state(trajectory, h * (double)(k + 1), q, NULL, NULL, NULL);
    if (k + 1 == windows * steps) memcpy(q, c->q + (c->points - 1) * n, n * sizeof *q);
    for (size_t j = 0; j < n; j++) worst = fmax(worst, fabs(x[j] - q[j]));
  }
  armdyn_workspace_free(workspace);
  return worst;
}

/* The largest excess over any limit, in parts of it, on ten samples of every interval; and misses of the points. */
static double worst_excess(const struct armdyn_robot *robot, const struct campaign_case *c,
                           const struct armdyn_trajectory *trajectory, double *miss)
{
  const size_t n = c->n, steps = 10 * trajectory->piece_count;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  double worst = 0, q[CAMPAIGN_N];
  for (size_t k = 0; k <= steps; k++) {
    double row[1 + 5 * CAMPAIGN_N];
    armdyn_trajectory_sample(robot, trajectory, armdyn_trajectory_duration(trajectory) * (double)k / (double)steps,
                             workspace, row);
    for (size_t j = 0; j < n; j++) {
      const struct armdyn_limits *l = &c->robot.joints[j].limits;
      const double *x = row + 1 + j, range = l->position[1] - l->position[0];
      if (isfinite(range)) worst = fmax(worst, fmax(x[0] - l->position[1], l->position[0] - x[0]) / range);
      worst = fmax(worst, fabs(x[n]) / l->velocity - 1);
      worst = fmax(worst, fabs(x[2 * n]) / l->acceleration - 1);
      worst = fmax(worst, fabs(x[3 * n]) / l->torque - 1);
    }
  }
  *miss = 0;
  for (size_t k = 0; k < c->points; k++) {
    armdyn_trajectory_state(trajectory, trajectory->waypoint_times[k], q, NULL, NULL, NULL);
    for (size_t j = 0; j < n; j++) *miss = fmax(*miss, fabs(q[j] - c->q[k * n + j]));
  }
  armdyn_workspace_free(workspace);
  return worst;
}

/* Steps follow the time constant of dry friction. */
static double step_for(const struct campaign_case *c)
{
  const bool dry = c->robot.joints[0].friction.coulomb.positive > 0;
  return !dry ? 2.5e-4 : c->robot.joints[0].velocity_scale < 0.01 ? 2e-5 : 5e-4;
}

Test(campaign, feasible_problems_are_solved, .timeout = 3600)
{
  static struct armdyn_optimal_result result;
  const size_t count = how_many(FEASIBLE);
  size_t solved = 0, optimal = 0, integrated = 0;
  for (size_t k = 0; k < count; k++) {
    struct campaign_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory trajectory;
    struct armdyn_error error = { 0 };
    double miss;
    cr_assert(campaign_feasible(k, &c));
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK, "%s", error.message);
    struct armdyn_optimal_request request = campaign_request(&c);
    if (armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error)) {
      cr_log_info("problem %zu is not solved: %s", k, error.message);
      armdyn_robot_free(robot);
      continue;
    }
    solved++, optimal += result.optimal;
    cr_expect_leq(worst_excess(robot, &c, &trajectory, &miss), 1e-3, "problem %zu", k);
    cr_expect_leq(miss, 1e-7, "problem %zu", k);
    /* every fourth problem of each arm: this takes longer than planning */
    if (k / CAMPAIGN_ARMS % 4 == 0 && !(SANITIZED && integrated)) {
      const double off = error_of_torques(robot, &c, &trajectory, step_for(&c));
      cr_expect_leq(off, 1e-4, "problem %zu: %g", k, off);
      integrated++;
    }
    armdyn_trajectory_free(&trajectory);
    armdyn_robot_free(robot);
  }
  cr_assert_geq((double)solved, 0.995 * (double)count, "%zu of %zu", solved, count);
  cr_assert_geq((double)optimal, 0.98 * (double)count, "%zu of %zu", optimal, count);
  cr_assert_gt(integrated, 0);
}

/* Planned again from its own answer no problem gets a dearer one, and to a goal beside it none that is much dearer: with dry
 * friction whole steps from problem 0 led to a minimum that was a fifth dearer, and the search from 216 and 957 past them. */
Test(campaign, a_seed_is_never_passed_by)
{
  static const size_t numbers[] = { 0, 6, 216, 957 };
  static const double off[] = { 0, 1e-3 };
  static struct armdyn_optimal_result result;
  for (size_t k = 0; k < (SANITIZED ? 2 : sizeof numbers / sizeof *numbers); k++) {
    struct campaign_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory seed, trajectory;
    struct armdyn_error error = { 0 };
    cr_assert(campaign_feasible(numbers[k], &c));
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK, "%s", error.message);
    struct armdyn_optimal_request request = campaign_request(&c);
    cr_assert_eq(armdyn_optimal_plan(robot, &request, &seed, NULL, &result, NULL, NULL, &error), ARMDYN_OK);
    const double cost = result.cost;
    request.guess = &seed;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
      for (size_t j = 0; j < c.n; j++) c.q[(c.points - 1) * c.n + j] += off[i];
      cr_assert_eq(armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error), ARMDYN_OK);
      cr_expect_leq(result.cost, cost * (off[i] > 0 ? 1.05 : 1 + 1e-6), "problem %zu, %g: %g, not %g", numbers[k],
                    off[i], result.cost, cost);
      armdyn_trajectory_free(&trajectory);
    }
    armdyn_trajectory_free(&seed);
    armdyn_robot_free(robot);
  }
}

/* Is 2 % more long enough for a motion, and 2 % less too short for three starts? */
static bool is_the_shortest(const struct armdyn_robot *robot, const struct campaign_case *c, double duration)
{
  static struct armdyn_optimal_result result;
  struct armdyn_optimal_request request = campaign_request(c);
  struct armdyn_trajectory trajectory;
  struct armdyn_error error;
  double miss;
  if (isnan(duration)) return false;
  request.duration = 1.02 * duration;
  if (armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error)) return false;
  cr_expect_leq(worst_excess(robot, c, &trajectory, &miss), 1e-3);
  armdyn_trajectory_free(&trajectory);
  request.duration = 0.98 * duration, request.starts = 3;
  if (armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error)) return true;
  armdyn_trajectory_free(&trajectory);
  return false;
}

Test(campaign, infeasible_problems_are_diagnosed, .timeout = 3600)
{
  static struct armdyn_optimal_result result;
  struct dice dice = { 0x9E3779B97F4A7C15u };
  size_t weak = 0, confirmed = 0;
  for (size_t k = 0; k < how_many(INFEASIBLE); k++) {
    struct campaign_case c;
    struct armdyn_robot *robot;
    struct armdyn_trajectory trajectory;
    struct armdyn_error error = { 0 };
    enum campaign_infeasibility kind;
    double shortest;
    cr_assert(campaign_infeasible(k, &c, &kind, &shortest));
    if (kind == CAMPAIGN_HURRIED && k % 2) campaign_friction(&dice, &c); /* limits of speed do not feel it */
    cr_assert_eq(armdyn_robot_new(&c.robot, &robot, &error), ARMDYN_OK, "%s", error.message);
    struct armdyn_optimal_request request = campaign_request(&c);
    const double begin = now();
    enum armdyn_status rc = armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, &error);
    const double took = now() - begin;
    cr_expect_eq(rc, ARMDYN_EINFEASIBLE, "problem %zu: %d %s", k, rc, error.message);
    cr_expect(strstr(error.message, " limit of joint ") != NULL, "problem %zu: %s", k, error.message);
    if (soaks()) cr_expect_leq(took, 0.3, "problem %zu: %g s", k, took); /* 0.1 where nothing else runs */
    const double found = result.minimum_duration;
    if (kind == CAMPAIGN_HELPLESS) cr_expect(isnan(found), "problem %zu: %g", k, found);
    if (kind == CAMPAIGN_HURRIED)
      cr_expect_float_eq(found, shortest, 0.02 * shortest, "problem %zu: %g, not %g", k, found, shortest);
    if (kind == CAMPAIGN_WEAK) weak++, confirmed += is_the_shortest(robot, &c, found);
    armdyn_robot_free(robot);
  }
  /* the shortest duration under torque limits is a hard problem with local minima of its own: nearly always found. Of 320
   * others none is found for four or five; which ones depends on the last bits. */
  cr_assert_geq((double)confirmed, 0.96 * (double)weak, "%zu of %zu", confirmed, weak);
}
