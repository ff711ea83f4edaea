/* Gauss's principle in batch costs at most 1.3 times what articulated bodies cost: least processor time of many turns, in
 * alternation, so that what else runs slows both. Measured 0.97 to 1.20. Asked where the processor is one. */
#include <criterion/criterion.h>
#include <time.h>

#include "armdyn/methods.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = 7, COUNT = 512, TURNS = 40 };

static double seconds(const struct armdyn_robot *robot, enum armdyn_forward_method method,
                      const struct armdyn_samples *samples, struct armdyn_workspace *workspace, double *qdd)
{
  struct timespec from, to;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  cr_assert_eq(armdyn_forward_dynamics_batch_by(robot, method, samples, workspace, qdd), ARMDYN_OK);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static double ratio_of(const char *file)
{
  static struct armdyn_robot_description d;
  static double q[COUNT * N], qd[COUNT * N], tau[COUNT * N], qdd[COUNT * N];
  struct dice dice = { 7 };
  struct armdyn_robot *robot;
  char path[96];
  snprintf(path, sizeof path, "tests/data/robots/%s.json", file);
  cJSON *json = json_load(path);
  description_from_json(json, &d);
  cJSON_Delete(json);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  const size_t n = d.joint_count;
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  dice_fill(&dice, q, COUNT * n, -2, 2), dice_fill(&dice, qd, COUNT * n, -2, 2),
      dice_fill(&dice, tau, COUNT * n, -9, 9);
  const struct armdyn_samples samples = { .count = COUNT, .q = { q, n }, .qd = { qd, n }, .tau = { tau, n } };
  double least[2] = { INFINITY, INFINITY };
  for (int k = 0; k < 2 * TURNS; k++)
    least[k % 2] =
        fmin(least[k % 2], seconds(robot, k % 2 ? ARMDYN_FORWARD_GAUSS : ARMDYN_FORWARD_ABA, &samples, workspace, qdd));
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
  return least[1] / least[0];
}

Test(gauss_time, is_at_most_1_3_times_that_of_articulated_bodies)
{
  static const char *const files[] = { "scara", "puma560", "ur10" };
#if !defined(__x86_64__)
  cr_skip_test("an emulator's seconds are no measure");
#endif
  if (SANITIZED) cr_skip_test("a sanitizer's seconds are no measure");
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    const double ratio = ratio_of(files[f]);
    cr_log_info("%s: %.3f", files[f], ratio);
    cr_assert_leq(ratio, 1.3, "%s: %.3f", files[f], ratio);
  }
}
