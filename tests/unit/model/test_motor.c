/* Motors behind gears and behind a wrist of bevel gears: what goes through a transmission loses no power. */
#include <criterion/criterion.h>

#include "armdyn/electrical.h"
#include "lib/model/motor.h"
#include "tests/support/robots.h"

enum { N = 6 };

static struct armdyn_robot *arm(bool coupled, double *matrix)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 17 };
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  random_description(&dice, &d, N, ARMDYN_DH);
  memset(d.transmission, 0, sizeof d.transmission);
  d.has_transmission = coupled;
  for (size_t i = 0; i < N; i++) {
    d.joints[i].drive.torque_constant = 0.1 + 0.02 * (double)i;
    d.joints[i].drive.gear_ratio = i % 2 ? -80.0 : 120.0 + (double)i;
    for (size_t j = 0; j < N; j++) {
      matrix[i * N + j] = i == j ? d.joints[i].drive.gear_ratio : 0;
      if (coupled && i > 2 && j > 2 && j < i) matrix[i * N + j] = dice_uniform(&dice, -30, 30); /* the wrist */
      d.transmission[i * N + j] = matrix[i * N + j];
    }
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return robot;
}

static void no_power_is_lost(bool coupled)
{
  double T[N * N], tau[N], qd[N], motor_tau[N], motor_qd[N], joints = 0, motors = 0;
  struct dice dice = { 4 };
  struct armdyn_robot *robot = arm(coupled, T);
  dice_fill(&dice, tau, N, -50, 50);
  dice_fill(&dice, qd, N, -2, 2);
  motor_torques(robot, tau, motor_tau);
  motor_velocities(robot, qd, motor_qd);
  for (size_t i = 0; i < N; i++) {
    double velocity = 0, torque = 0;
    for (size_t j = 0; j < N; j++) velocity += T[i * N + j] * qd[j], torque += T[j * N + i] * motor_tau[j];
    cr_assert_float_eq(motor_qd[i], velocity, 1e-12 * 200, "motor %zu", i);
    cr_assert_float_eq(torque, tau[i], 1e-12 * 50, "T' times the motors' torques is the joints': joint %zu", i);
    joints += tau[i] * qd[i];
    motors += motor_tau[i] * motor_qd[i];
  }
  cr_assert_float_eq(motors, joints, 1e-12 * 100);
  double back[N], current[N];
  for (size_t i = 0; i < N; i++) current[i] = motor_tau[i] / (0.1 + 0.02 * (double)i);
  armdyn_joint_torques_of_motors(armdyn_robot_description(robot), motor_tau, back);
  for (size_t i = 0; i < N; i++) cr_assert_float_eq(back[i], tau[i], 1e-12 * 50, "joint %zu", i);
  armdyn_joint_torques_of_currents(armdyn_robot_description(robot), current, current);
  for (size_t i = 0; i < N; i++) cr_assert_float_eq(current[i], tau[i], 1e-12 * 50, "joint %zu", i);
  armdyn_robot_free(robot);
}

Test(motor, gears_lose_no_power)
{
  no_power_is_lost(false);
}

Test(motor, a_coupled_wrist_loses_no_power)
{
  no_power_is_lost(true);
}
