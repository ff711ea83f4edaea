#include "lib/model/friction.h"

#include <math.h>

#include "lib/model/compiled.h"

static double directed(const struct armdyn_directed *c, double v)
{
  return v < 0 ? c->negative : c->positive;
}

static bool offset_present(const struct armdyn_friction *f)
{
  return f->offset != 0;
}
static double offset_torque(const struct friction_state *x)
{
  return x->parameters->offset;
}
static void offset_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  (void)x;
  *by_position = *by_speed = 0;
}

static bool coulomb_present(const struct armdyn_friction *f)
{
  return f->coulomb.positive != 0 || f->coulomb.negative != 0;
}
static double coulomb_torque(const struct friction_state *x)
{
  return directed(&x->parameters->coulomb, x->speed) * x->sign;
}
static void coulomb_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  *by_position = 0;
  *by_speed = directed(&x->parameters->coulomb, x->speed) * x->sign_slope;
}

static bool stribeck_present(const struct armdyn_friction *f)
{
  return !isnan(f->stiction);
}
/* (fs - fc) exp(-(|v|/vs)^delta) */
static double stribeck_excess(const struct friction_state *x)
{
  const struct armdyn_friction *f = x->parameters;
  const double excess = f->stiction - directed(&f->coulomb, x->speed);
  return excess * exp(-pow(fabs(x->speed) / f->stribeck_velocity, f->stribeck_exponent));
}
static double stribeck_torque(const struct friction_state *x)
{
  return stribeck_excess(x) * x->sign;
}
static void stribeck_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  const struct armdyn_friction *f = x->parameters;
  const double excess = stribeck_excess(x), speed = fabs(x->speed);
  *by_position = 0;
  *by_speed = excess * x->sign_slope;
  /* At rest the fall of the exponential is multiplied by s(0) = 0; and where nothing is left of it, the exponent may have
   * overflowed. */
  if (speed == 0 || excess == 0) return;
  /* d/d|v| of the exponent, -delta (|v|/vs)^delta / |v|; s(v) v/|v| = |s(v)| */
  const double fall = -f->stribeck_exponent * pow(speed / f->stribeck_velocity, f->stribeck_exponent);
  *by_speed += excess * fall * (fabs(x->sign) / speed);
}

static bool viscous_present(const struct armdyn_friction *f)
{
  return f->viscous.positive != 0 || f->viscous.negative != 0;
}
static double viscous_torque(const struct friction_state *x)
{
  return directed(&x->parameters->viscous, x->speed) * x->speed;
}
static void viscous_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  *by_position = 0;
  *by_speed = directed(&x->parameters->viscous, x->speed);
}

static bool high_speed_present(const struct armdyn_friction *f)
{
  return f->high_speed != 0;
}
static double high_speed_torque(const struct friction_state *x)
{
  return x->parameters->high_speed * x->speed * x->speed * x->sign;
}
static void high_speed_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  *by_position = 0;
  *by_speed = x->parameters->high_speed * x->speed * (2 * x->sign + x->speed * x->sign_slope);
}

static bool position_present(const struct armdyn_friction *f)
{
  return f->ripple_count > 0;
}
static double position_torque(const struct friction_state *x)
{
  double sum = 0;
  for (size_t k = 0; k < x->parameters->ripple_count; k++) {
    const struct armdyn_ripple *r = &x->parameters->ripples[k];
    sum += r->amplitude * sin(r->order * x->motor_angle + r->phase);
  }
  return sum;
}
static void position_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  *by_position = *by_speed = 0;
  for (size_t k = 0; k < x->parameters->ripple_count; k++) {
    const struct armdyn_ripple *r = &x->parameters->ripples[k];
    *by_position += r->amplitude * r->order * x->gear_ratio * cos(r->order * x->motor_angle + r->phase);
  }
}

/* To add a term: its parameters in struct armdyn_friction (with default and rule in lib/model/description.c), three
 * functions and a row here. tests/unit/model/test_friction.c then compares its slopes with differences. */
const struct friction_term friction_terms[] = {
  { "offset", "offset [N m]", offset_present, offset_torque, offset_slope },
  { "coulomb", "fc [N m]", coulomb_present, coulomb_torque, coulomb_slope },
  { "stribeck", "fs [N m], vs [rad/s], delta [1]", stribeck_present, stribeck_torque, stribeck_slope },
  { "viscous", "fv [N m s/rad]", viscous_present, viscous_torque, viscous_slope },
  { "high_speed", "fa [N m s^2/rad^2]", high_speed_present, high_speed_torque, high_speed_slope },
  { "position", "A [N m], order [1], phase [rad] per line", position_present, position_torque, position_slope },
};
const size_t friction_term_count = sizeof friction_terms / sizeof *friction_terms;

void friction_state_set(struct friction_state *x, const struct armdyn_joint *joint, double q, double qd)
{
  const double ratio = qd / joint->velocity_scale;
  /* tanh(20) is 1 to the last bit, and most samples move faster than 20 velocity scales */
  const double sign = fabs(ratio) < 20 ? tanh(ratio) : copysign(1, ratio);
  *x = (struct friction_state){ .parameters = &joint->friction,
                                .motor_angle = joint->drive.gear_ratio * q,
                                .gear_ratio = joint->drive.gear_ratio,
                                .speed = qd,
                                .sign = sign,
                                .sign_slope = (1 - sign * sign) / joint->velocity_scale };
}

unsigned friction_mask(const struct armdyn_friction *friction)
{
  unsigned mask = 0;
  for (size_t k = 0; k < friction_term_count; k++) {
    if (friction_terms[k].present(friction)) mask |= 1u << k;
  }
  return mask;
}

static void slopes_sum(const struct armdyn_robot *robot, size_t joint, const struct friction_state *x,
                       double *by_position, double *by_speed)
{
  for (size_t k = 0; k < friction_term_count; k++) {
    double position, speed;
    if (!(robot->joints[joint].friction >> k & 1)) continue;
    friction_terms[k].slope(x, &position, &speed);
    *by_position += position;
    *by_speed += speed;
  }
}

void friction_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                     double *by_speed)
{
  struct friction_state x;
  *by_position = *by_speed = 0;
  if (!robot->joints[joint].friction) return;
  friction_state_set(&x, &robot->description.joints[joint], q, qd);
  slopes_sum(robot, joint, &x, by_position, by_speed);
}

void friction_smooth_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                            double *by_speed)
{
  struct friction_state x;
  *by_position = *by_speed = 0;
  if (!robot->joints[joint].friction) return;
  friction_state_set(&x, &robot->description.joints[joint], q, qd);
  x.sign_slope = 0;
  slopes_sum(robot, joint, &x, by_position, by_speed);
}

double armdyn_friction_over_velocity(const struct armdyn_joint *joint, double velocity)
{
  struct friction_state x;
  double sum = 0;
  friction_state_set(&x, joint, 0, velocity);
  for (size_t k = 0; k < friction_term_count; k++) {
    if (friction_terms[k].torque == position_torque || !friction_terms[k].present(&joint->friction)) continue;
    sum += friction_terms[k].torque(&x);
  }
  return sum;
}

double armdyn_friction_over_angle(const struct armdyn_friction *friction, double motor_angle)
{
  return position_torque(&(struct friction_state){ .parameters = friction, .motor_angle = motor_angle });
}

double armdyn_friction_torque(const struct armdyn_robot *robot, size_t joint, double q, double qd)
{
  const unsigned mask = robot->joints[joint].friction;
  if (!mask) return 0;
  struct friction_state x;
  friction_state_set(&x, &robot->description.joints[joint], q, qd);
  double sum = 0;
  for (size_t k = 0; k < friction_term_count; k++) {
    if (mask >> k & 1) sum += friction_terms[k].torque(&x);
  }
  return sum;
}
