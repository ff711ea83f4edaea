/* Logs of real arms, read in place beside the tree: they are not ours to copy. */
#ifndef TESTS_SUPPORT_LOGS_H
#define TESTS_SUPPORT_LOGS_H

#include <criterion/criterion.h>
#include <math.h>

#include "api/urdf/urdf.h"
#include "armdyn/armdyn.h"

enum { LOG_ROWS = 8192, LOG_JOINTS = 7, LWR = 7, UR = 6 };

struct log_file {
  struct armdyn_log log;
  double time[LOG_ROWS], q[LOG_ROWS * LOG_JOINTS], tau[LOG_ROWS * LOG_JOINTS];
};

/* A file of the measured data: in the folder ARMDYN_SHARED_DATA, or ../shared/data. */
static inline FILE *measured_open(const char *name)
{
  const char *folder = getenv("ARMDYN_SHARED_DATA");
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", name);
  return fopen(path, "r");
}

/* Columns t, q1 .. qn, `skip` others, tau1 .. taun. False: there is no such file. */
static inline bool log_read(const char *name, size_t n, size_t skip, struct log_file *out)
{
  char line[1024];
  FILE *file = measured_open(name);
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
  out->log = (struct armdyn_log){ .count = count, .time = out->time, .q = out->q, .tau = out->tau };
  return true;
}

/* A KUKA LWR4+, which has torque sensors behind its gears; friction left to be found. NULL: there is no such file. */
static inline struct armdyn_robot *lwr_robot(void)
{
  static char text[1 << 16];
  static struct armdyn_robot_description description;
  const struct urdf_options options = { .allow_unphysical = true };
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  FILE *file = measured_open("kuka_lwr4/kuka_lwr4.urdf");
  if (!file) return NULL;
  const size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  cr_assert_eq(urdf_decode(text, length, &options, &description, NULL, NULL, NULL), ARMDYN_OK);
  struct armdyn_joint plain;
  armdyn_joint_init(&plain);
  for (size_t i = 0; i < description.joint_count; i++) description.joints[i].friction = plain.friction;
  cr_assert_eq(armdyn_robot_new(&description, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return robot;
}

/* A UR10 without masses. */
static inline struct armdyn_robot *ur10(void)
{
  static const double a[UR] = { 0, -0.612, -0.5723 }, d[UR] = { 0.1273, 0, 0, 0.163941, 0.1157, 0.0922 };
  static const double quarters[UR] = { 1, 0, 0, 1, -1, 0 };
  static struct armdyn_robot_description description;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&description);
  description.joint_count = UR;
  for (int i = 0; i < UR; i++) {
    struct armdyn_joint *joint = &description.joints[i];
    armdyn_joint_init(joint);
    joint->a = a[i];
    joint->d = d[i];
    joint->alpha = quarters[i] * acos(0);
  }
  cr_assert_eq(armdyn_robot_new(&description, &robot, NULL), ARMDYN_OK);
  return robot;
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
