/* Logs of real arms, read in place beside the tree: they are not ours to copy. */
#ifndef TESTS_SUPPORT_LOGS_H
#define TESTS_SUPPORT_LOGS_H

#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/armdyn.h"

#define MEASURED "../shared/data/"
enum { LOG_ROWS = 8192, LOG_JOINTS = 7 };

struct log_file {
  struct armdyn_log log;
  double time[LOG_ROWS], q[LOG_ROWS * LOG_JOINTS], tau[LOG_ROWS * LOG_JOINTS];
};

/* Columns t, q1 .. qn, `skip` others, tau1 .. taun. False: there is no such file. */
static inline bool log_read(const char *path, size_t n, size_t skip, struct log_file *out)
{
  char line[1024];
  FILE *file = fopen(path, "r");
  if (!file) return false;
  size_t count = 0;
  cr_assert(fgets(line, sizeof line, file));
  for (; count < LOG_ROWS && fgets(line, sizeof line, file); count++) {
    char *at = line;
    for (size_t c = 0; c < 1 + 2 * n + skip; c++, at++) {
      const double x = strtod(at, &at);
      if (c == 0) out->time[count] = x;
      if (c >= 1 && c <= n) out->q[count * n + c - 1] = x;
      if (c > n + skip) out->tau[count * n + c - 1 - n - skip] = x;
    }
  }
  fclose(file);
  out->log = (struct armdyn_log){ count, out->time, out->q, out->tau };
  return true;
}

/* The relative error over all joints, filtered torque, in percent. */
static inline double validation_percent(const struct armdyn_unknowns *unknowns, size_t n, const double *beta,
                                        const struct armdyn_motion *motion)
{
  struct armdyn_fit joints[ARMDYN_JOINTS_MAX], together;
  double *tau = malloc(motion->count * n * sizeof *tau);
  cr_assert(tau && armdyn_predict(unknowns, beta, motion, tau) == ARMDYN_OK);
  armdyn_fit(motion->count, n, motion->tau, tau, joints, &together);
  free(tau);
  return 100 * together.relative;
}

#endif
