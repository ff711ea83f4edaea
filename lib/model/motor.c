#include "lib/model/motor.h"

#include "armdyn/electrical.h"
#include "lib/math/linear.h"

void motor_torques(const struct armdyn_robot *robot, const double *tau, double *motor)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) {
    motor[i] = 0;
    if (!robot->coupled) {
      motor[i] = tau[i] / robot->description.joints[i].drive.gear_ratio;
      continue;
    }
    for (size_t j = 0; j < n; j++) motor[i] += robot->motor_from_joint[i * n + j] * tau[j];
  }
}

void motor_velocities(const struct armdyn_robot *robot, const double *qd, double *motor)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) {
    motor[i] = 0;
    if (!robot->coupled) {
      motor[i] = qd[i] * robot->description.joints[i].drive.gear_ratio;
      continue;
    }
    for (size_t j = 0; j < n; j++) motor[i] += robot->description.transmission[i * n + j] * qd[j];
  }
}

void armdyn_joint_torques_of_motors(const struct armdyn_robot_description *robot, const double *motor, double *tau)
{
  const size_t n = robot->joint_count;
  double sum[ARMDYN_JOINTS_MAX] = { 0 };
  for (size_t j = 0; j < n; j++) {
    if (!robot->has_transmission) sum[j] = robot->joints[j].drive.gear_ratio * motor[j];
    for (size_t m = 0; robot->has_transmission && m < n; m++) sum[j] += robot->transmission[m * n + j] * motor[m];
  }
  memcpy(tau, sum, n * sizeof *tau);
}

void armdyn_joint_torques_of_currents(const struct armdyn_robot_description *robot, const double *current, double *tau)
{
  double motor[ARMDYN_JOINTS_MAX];
  for (size_t m = 0; m < robot->joint_count; m++) motor[m] = robot->joints[m].drive.torque_constant * current[m];
  armdyn_joint_torques_of_motors(robot, motor, tau);
}

void armdyn_joints_of_motors(const struct armdyn_robot_description *robot, double *inverse)
{
  const size_t n = robot->joint_count;
  double copy[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  if (robot->has_transmission) {
    memcpy(copy, robot->transmission, n * n * sizeof *copy);
    invert(n, copy, inverse); /* description_check saw that it can */
    return;
  }
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t j = 0; j < n; j++) inverse[j * n + j] = 1 / robot->joints[j].drive.gear_ratio;
}
