#include "lib/model/gears.h"

/* out = A x, or A' x */
static void multiply(size_t n, const double *A, bool transposed, const double *x, double *out)
{
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    for (size_t j = 0; j < n; j++) out[i] += A[transposed ? j * n + i : i * n + j] * x[j];
  }
}

void gear_motion(const struct armdyn_robot *robot, const double *x, double *out)
{
  multiply(robot->joint_count, robot->gear_from_joint, false, x, out);
}

void gear_joints(const struct armdyn_robot *robot, const double *p, double *out)
{
  multiply(robot->joint_count, robot->joint_from_gear, false, p, out);
}

void gear_torques(const struct armdyn_robot *robot, const double *tau, double *out)
{
  multiply(robot->joint_count, robot->joint_from_gear, true, tau, out);
}

void gear_torques_add(const struct armdyn_robot *robot, const double *t, double *tau)
{
  double sum[ARMDYN_JOINTS_MAX];
  multiply(robot->joint_count, robot->gear_from_joint, true, t, sum);
  for (size_t i = 0; i < robot->joint_count; i++) tau[i] += sum[i];
}

void gear_slopes_add(const struct armdyn_robot *robot, const double *slope, double *matrix)
{
  const size_t n = robot->joint_count;
  const double *G = robot->gear_from_joint;
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < n; i++) {
      for (size_t j = 0; j < n; j++) matrix[i * n + j] += G[k * n + i] * slope[k] * G[k * n + j];
    }
  }
}

enum armdyn_status gear_friction_refuse(const struct armdyn_robot *robot, const char *what, struct armdyn_error *error)
{
  if (!robot->friction_at_motors) return ARMDYN_OK;
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "%s is not made for friction at coupled motors, and the model has transmission/friction "
                       "\"motors\": use a revision with \"joints\", identified as such",
                       what);
}

bool armdyn_friction_at_motors(const struct armdyn_robot *robot)
{
  return robot->friction_at_motors;
}

void armdyn_gear_motion(const struct armdyn_robot *robot, const double *joints, double *outputs)
{
  if (robot->friction_at_motors)
    gear_motion(robot, joints, outputs);
  else
    memcpy(outputs, joints, robot->joint_count * sizeof *outputs);
}

void armdyn_gear_torques(const struct armdyn_robot *robot, const double *joints, double *outputs)
{
  if (robot->friction_at_motors)
    gear_torques(robot, joints, outputs);
  else
    memcpy(outputs, joints, robot->joint_count * sizeof *outputs);
}
