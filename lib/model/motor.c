#include "lib/model/motor.h"

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
