/* Friction of a joint of a compiled robot: the terms that it has, summed. */
#include <math.h>

#include "lib/model/compiled.h"
#include "lib/model/friction.h"

static struct friction_state state_of(const struct armdyn_joint *joint, double q, double qd, double sign)
{
  return (struct friction_state){ .parameters = &joint->friction,
                                  .motor_angle = joint->drive.gear_ratio * q,
                                  .gear_ratio = joint->drive.gear_ratio,
                                  .speed = qd,
                                  .sign = sign,
                                  .sign_slope = (1 - sign * sign) / joint->velocity_scale,
                                  .width = joint->velocity_scale };
}

void friction_state_set(struct friction_state *x, const struct armdyn_joint *joint, double q, double qd)
{
  const double ratio = qd / joint->velocity_scale;
  /* tanh(20) is 1 to the last bit, and most samples move faster than 20 velocity scales */
  *x = state_of(joint, q, qd, fabs(ratio) < 20 ? tanh(ratio) : copysign(1, ratio));
}

bool friction_is_signed(const struct armdyn_robot *robot, size_t joint)
{
  return robot->friction_blended || (robot->joints[joint].friction & ~(unsigned)FRICTION_SIGNLESS);
}

/* Of a joint with the terms that it has: a hyperbolic tangent is most of the work, and few need it. */
static struct friction_state state_at(const struct armdyn_robot *robot, size_t joint, double q, double qd)
{
  const struct armdyn_joint *of = &robot->description.joints[joint];
  struct friction_state x = state_of(of, q, qd, 0);
  if (friction_is_signed(robot, joint)) friction_state_set(&x, of, q, qd);
  x.blended = robot->friction_blended;
  return x;
}

unsigned friction_mask(const struct armdyn_friction *friction)
{
  unsigned mask = 0;
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    if (friction_terms[k].present(friction)) mask |= 1u << k;
  }
  return mask;
}

static void slopes_of(const struct armdyn_robot *robot, size_t joint, const struct friction_state *x,
                      double *by_position, double *by_speed)
{
  *by_position = *by_speed = 0;
  for (unsigned left = robot->joints[joint].friction; left; left &= left - 1) {
    double position, speed;
    friction_terms[__builtin_ctz(left)].slope(x, &position, &speed);
    *by_position += position;
    *by_speed += speed;
  }
}

/* Most arms: friction in proportion to the speed, the same both ways. */
static bool is_viscous_alone(const struct armdyn_robot *robot, size_t joint)
{
  const struct armdyn_directed *c = &robot->description.joints[joint].friction.viscous;
  return robot->joints[joint].friction == 1u << ARMDYN_FRICTION_VISCOUS && c->positive == c->negative;
}

void friction_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                     double *by_speed)
{
  if (is_viscous_alone(robot, joint)) {
    *by_position = 0, *by_speed = robot->description.joints[joint].friction.viscous.positive;
    return;
  }
  const struct friction_state x = state_at(robot, joint, q, qd);
  slopes_of(robot, joint, &x, by_position, by_speed);
}

void friction_smooth_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                            double *by_speed)
{
  struct friction_state x = state_at(robot, joint, q, qd);
  x.sign_slope = 0;
  slopes_of(robot, joint, &x, by_position, by_speed);
}

double armdyn_friction_over_velocity(const struct armdyn_joint *joint, double velocity)
{
  struct friction_state x;
  double sum = 0;
  friction_state_set(&x, joint, 0, velocity);
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    if (k == ARMDYN_FRICTION_POSITION || !friction_terms[k].present(&joint->friction)) continue;
    sum += friction_terms[k].torque(&x);
  }
  return sum;
}

double armdyn_friction_over_angle(const struct armdyn_friction *friction, double motor_angle)
{
  const struct friction_state x = { .parameters = friction, .motor_angle = motor_angle };
  return friction_terms[ARMDYN_FRICTION_POSITION].torque(&x);
}

double armdyn_friction_torque(const struct armdyn_robot *robot, size_t joint, double q, double qd)
{
  const unsigned mask = robot->joints[joint].friction;
  if (!mask) return 0;
  const struct friction_state x = state_at(robot, joint, q, qd);
  double sum = 0;
  for (unsigned left = mask; left; left &= left - 1) sum += friction_terms[__builtin_ctz(left)].torque(&x);
  return sum;
}
