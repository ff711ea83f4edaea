/* How fast logs become equations, lines "name value unit better": regressor and QR of a six-axis arm with rotors and friction,
 * one thread. The memory of a regression does not depend on how much it takes in, so a block that comes again and again
 * costs what a long log costs. */
#include <stdio.h>
#include <time.h>

#include "tests/support/optima.h"

enum { N = 6, BLOCK = 16384, BLOCKS = 32, RUNS = 3 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* what others do on the machine does not count */
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Sums of sines, and any torques: their values cost nothing. */
static struct armdyn_motion some_motion(void)
{
  static double q[BLOCK * N], qd[BLOCK * N], qdd[BLOCK * N], tau[BLOCK * N];
  for (size_t k = 0; k < BLOCK; k++) {
    for (size_t i = 0; i < N; i++) {
      const double w = 1 + 0.3 * (double)i, angle = w * (double)k / 1000;
      q[k * N + i] = sin(angle) + 0.3 * sin(3.1 * angle);
      qd[k * N + i] = w * (cos(angle) + 0.93 * cos(3.1 * angle));
      qdd[k * N + i] = -w * w * (sin(angle) + 2.883 * sin(3.1 * angle));
      tau[k * N + i] = 10 * cos(1.7 * angle);
    }
  }
  return (
      struct armdyn_motion){ .count = BLOCK, .rate = 1000, .q = q, .qd = qd, .qdd = qdd, .tau = tau, .tau_raw = tau };
}

int main(void)
{
  struct optimum_case c;
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  double best = 0;
  if (!optimum_load("xiii_puma_torque_limit_active", &c) || armdyn_robot_new(&c.robot, &robot, NULL)) return 1;
  if (armdyn_unknowns_new(robot, ARMDYN_IDENTIFY_OFFSET | ARMDYN_IDENTIFY_COULOMB | ARMDYN_IDENTIFY_VISCOUS,
                          ARMDYN_ROTORS_ALL, &unknowns, NULL)) {
    return 1;
  }
  const struct armdyn_motion motion = some_motion();
  for (int run = 0; run < RUNS; run++) {
    struct armdyn_regression *regression = armdyn_regression_new(unknowns);
    const double begin = now();
    for (int k = 0; k < BLOCKS; k++) {
      if (armdyn_regression_add(regression, &motion, NULL)) return 1;
    }
    best = fmax(best, BLOCK * BLOCKS / (now() - begin));
    armdyn_regression_free(regression);
  }
  printf("identify_regression_6_axes_%zu_parameters %.3f Msamples/s higher\n",
         armdyn_base_parameter_count(armdyn_unknowns_base(unknowns)), best * 1e-6);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
  return 0;
}
