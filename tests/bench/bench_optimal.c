/* Processor time of energy-optimal plans, lines "name value unit better": the six-axis arm whose torque limits are active,
 * from a cold start, one thread; the median of several runs. */
#include <time.h>

#include "tests/support/optima.h"

enum { RUNS = 9 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what others do on the machine does not count */
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int ascending(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Twenty durations from the reference's to twice as long. */
static bool pareto(const struct armdyn_robot *robot, const struct optimum_case *c)
{
  enum { POINTS = 20 };
  const struct armdyn_optimal_request request = optimum_request(c, 50);
  struct armdyn_pareto_point points[POINTS];
  double durations[POINTS], minimum, time[RUNS];
  for (int k = 0; k < POINTS; k++) durations[k] = c->duration * (1 + (double)k / (POINTS - 1));
  for (int run = 0; run < RUNS; run++) {
    const double begin = now();
    if (armdyn_optimal_pareto(robot, &request, durations, POINTS, points, NULL, &minimum, NULL, NULL, NULL))
      return false;
    time[run] = now() - begin;
    for (int k = 0; k < POINTS; k++)
      if (!points[k].optimal) return false;
  }
  qsort(time, RUNS, sizeof *time, ascending);
  printf("optimal_puma_50_intervals_20_durations %.3f ms lower\n", time[RUNS / 2]);
  return true;
}

int main(void)
{
  static const struct {
    size_t intervals, starts;
  } rows[] = { { 50, 1 }, { 100, 1 }, { 200, 1 }, { 400, 1 }, { 50, 8 } };
  static struct armdyn_optimal_result result;
  struct optimum_case c;
  struct armdyn_robot *robot;
  if (!optimum_load("xiii_puma_torque_limit_active", &c) || armdyn_robot_new(&c.robot, &robot, NULL)) return 1;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct armdyn_optimal_request request = optimum_request(&c, rows[k].intervals);
    double time[RUNS];
    request.starts = rows[k].starts;
    for (int run = 0; run < RUNS; run++) {
      struct armdyn_trajectory trajectory = { 0 };
      const double begin = now();
      const enum armdyn_status rc = armdyn_optimal_plan(robot, &request, &trajectory, NULL, &result, NULL, NULL, NULL);
      time[run] = now() - begin;
      armdyn_trajectory_free(&trajectory);
      if (rc || !result.optimal) return 1;
    }
    qsort(time, RUNS, sizeof *time, ascending);
    printf("optimal_puma_%zu_intervals_%zu_starts %.3f ms lower\n", rows[k].intervals, rows[k].starts, time[RUNS / 2]);
    printf("optimal_puma_%zu_intervals_%zu_starts_iterations %zu 1 lower\n", rows[k].intervals, rows[k].starts,
           result.iterations);
  }
  const bool done = pareto(robot, &c);
  armdyn_robot_free(robot);
  return !done;
}
