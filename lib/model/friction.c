#include "lib/model/friction.h"

#include <math.h>
#include <stddef.h>

#include "lib/model/compiled.h"

/* Of the direction at hand. Blended it changes from one to the other with the sign, and the torque has no kink at rest. */
static double directed(const struct friction_state *x, const struct armdyn_directed *c)
{
  if (x->blended) return (c->positive + c->negative) / 2 + (c->positive - c->negative) / 2 * x->sign;
  return x->speed < 0 ? c->negative : c->positive;
}
static double directed_slope(const struct friction_state *x, const struct armdyn_directed *c)
{
  return x->blended ? (c->positive - c->negative) / 2 * x->sign_slope : 0;
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
  return directed(x, &x->parameters->coulomb) * x->sign;
}
static void coulomb_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  const struct armdyn_directed *c = &x->parameters->coulomb;
  *by_position = 0;
  *by_speed = directed(x, c) * x->sign_slope + directed_slope(x, c) * x->sign;
}

/* exp(-(|v|/vs)^delta), 0 without stiction */
static double stribeck_share(const struct friction_state *x)
{
  const struct armdyn_friction *f = x->parameters;
  return isnan(f->stiction) ? 0 : exp(-pow(fabs(x->speed) / f->stribeck_velocity, f->stribeck_exponent));
}
static bool stribeck_present(const struct armdyn_friction *f)
{
  return !isnan(f->stiction);
}
/* (fs - fc) exp(-(|v|/vs)^delta), of what is present */
static double stribeck_excess(const struct friction_state *x)
{
  const struct armdyn_friction *f = x->parameters;
  const double excess = f->stiction - directed(x, &f->coulomb);
  return excess * stribeck_share(x);
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
  *by_speed = excess * x->sign_slope - directed_slope(x, &f->coulomb) * stribeck_share(x) * x->sign;
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
  return directed(x, &x->parameters->viscous) * x->speed;
}
static void viscous_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  const struct armdyn_directed *c = &x->parameters->viscous;
  *by_position = 0;
  *by_speed = directed(x, c) + directed_slope(x, c) * x->speed;
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

/* v / (v^2 + e^2)^(1/3): the cube root of v, whose slope at rest is finite and nowhere below 0. */
static double cube_root(const struct friction_state *x)
{
  return x->speed / cbrt(x->speed * x->speed + x->width * x->width);
}
static bool sublinear_present(const struct armdyn_friction *f)
{
  return f->sublinear != 0;
}
static double sublinear_torque(const struct friction_state *x)
{
  return x->parameters->sublinear * cube_root(x);
}
static void sublinear_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  const double v = x->speed * x->speed, e = x->width * x->width, root = cbrt(v + e);
  *by_position = 0;
  *by_speed = x->parameters->sublinear * (v / 3 + e) / ((v + e) * root);
}

static bool load_present(const struct armdyn_friction *f)
{
  return f->load != 0;
}
static double load_torque(const struct friction_state *x)
{
  return x->parameters->load * fabs(x->load) * x->sign;
}
static void load_slope(const struct friction_state *x, double *by_position, double *by_speed)
{
  *by_position = 0;
  *by_speed = x->parameters->load * fabs(x->load) * x->sign_slope;
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

/* Its parameters follow further down. tests/unit/model/test_friction.c compares every slope with differences. */
const struct friction_term friction_terms[ARMDYN_FRICTION_TERM_COUNT] = {
  [ARMDYN_FRICTION_OFFSET] = { offset_present, offset_torque, offset_slope },
  [ARMDYN_FRICTION_COULOMB] = { coulomb_present, coulomb_torque, coulomb_slope },
  [ARMDYN_FRICTION_STRIBECK] = { stribeck_present, stribeck_torque, stribeck_slope },
  [ARMDYN_FRICTION_VISCOUS] = { viscous_present, viscous_torque, viscous_slope },
  [ARMDYN_FRICTION_HIGH_SPEED] = { high_speed_present, high_speed_torque, high_speed_slope },
  [ARMDYN_FRICTION_SUBLINEAR] = { sublinear_present, sublinear_torque, sublinear_slope },
  [ARMDYN_FRICTION_LOAD] = { load_present, load_torque, load_slope },
  [ARMDYN_FRICTION_POSITION] = { position_present, position_torque, position_slope },
};

const char *armdyn_friction_term_name(enum armdyn_friction_term term)
{
  static const char *const names[ARMDYN_FRICTION_TERM_COUNT] = {
#define X(name, text, linear) [ARMDYN_FRICTION_##name] = text,
    ARMDYN_FRICTION_TERM_LIST(X)
#undef X
  };
  return (unsigned)term < ARMDYN_FRICTION_TERM_COUNT ? names[term] : "unknown";
}

/* ---------------------------------------------------------------- parameters */

static bool differs(const struct armdyn_directed *c)
{
  return c->positive != c->negative;
}

static size_t offset_count(const struct armdyn_friction *f)
{
  return f->offset != 0;
}
static double by_offset(const struct friction_state *x, size_t line)
{
  (void)x, (void)line;
  return 1;
}

static size_t coulomb_count(const struct armdyn_friction *f)
{
  return f->coulomb.positive != 0 && !differs(&f->coulomb);
}
static double by_coulomb(const struct friction_state *x, size_t line)
{
  (void)line;
  return (1 - stribeck_share(x)) * x->sign;
}

static size_t coulomb_directed_count(const struct armdyn_friction *f)
{
  return differs(&f->coulomb);
}
static double by_coulomb_positive(const struct friction_state *x, size_t line)
{
  return x->speed < 0 ? 0 : by_coulomb(x, line);
}
static double by_coulomb_negative(const struct friction_state *x, size_t line)
{
  return x->speed < 0 ? by_coulomb(x, line) : 0;
}

static size_t stiction_count(const struct armdyn_friction *f)
{
  const bool present = !isnan(f->stiction);
  return present;
}
static double by_stiction(const struct friction_state *x, size_t line)
{
  (void)line;
  return stribeck_share(x) * x->sign;
}

static size_t viscous_count(const struct armdyn_friction *f)
{
  return f->viscous.positive != 0 && !differs(&f->viscous);
}
static double by_viscous(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed;
}

static size_t viscous_directed_count(const struct armdyn_friction *f)
{
  return differs(&f->viscous);
}
static double by_viscous_positive(const struct friction_state *x, size_t line)
{
  (void)line;
  return fmax(x->speed, 0);
}
static double by_viscous_negative(const struct friction_state *x, size_t line)
{
  (void)line;
  return fmin(x->speed, 0);
}

static size_t high_speed_count(const struct armdyn_friction *f)
{
  return f->high_speed != 0;
}
static double by_high_speed(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed * x->speed * x->sign;
}

static size_t sublinear_count(const struct armdyn_friction *f)
{
  return f->sublinear != 0;
}
static double by_sublinear(const struct friction_state *x, size_t line)
{
  (void)line;
  return cube_root(x);
}

static size_t load_count(const struct armdyn_friction *f)
{
  return f->load != 0;
}
static double by_load(const struct friction_state *x, size_t line)
{
  (void)line;
  return fabs(x->load) * x->sign;
}

static size_t position_count(const struct armdyn_friction *f)
{
  return f->ripple_count;
}
static double by_position(const struct friction_state *x, size_t line)
{
  const struct armdyn_ripple *r = &x->parameters->ripples[line];
  return sin(r->order * x->motor_angle + r->phase);
}

/* d/dvs exp(-(|v|/vs)^delta) s(v), of which the torque has stiction - coulomb times */
static double by_stribeck_velocity(const struct friction_state *x, size_t line)
{
  const struct armdyn_friction *f = x->parameters;
  const double fall = pow(fabs(x->speed) / f->stribeck_velocity, f->stribeck_exponent);
  (void)line;
  const double left = exp(-fall); /* 0 long before the exponent overflows */
  return left > 0 ? left * fall * f->stribeck_exponent / f->stribeck_velocity * x->sign : 0;
}

#define AT(member) offsetof(struct armdyn_friction, member)
#define NUMBER(name, unit, path, term, member, linear, count, slope, positive)                                         \
  {                                                                                                                    \
    { name, unit, "friction/" path, ARMDYN_FRICTION_##term, linear, false }, count, slope, AT(member), AT(member),     \
        positive                                                                                                       \
  }
#define OF_LINE(name, unit, member, linear, slope)                                                                     \
  {                                                                                                                    \
    { "position.*" name, unit, "friction/position/*/" #member, ARMDYN_FRICTION_POSITION, linear, true },               \
        position_count, slope, AT(ripples[0].member), AT(ripples[0].member), false                                     \
  }
#define BOTH_WAYS(name, unit, term, member, count, slope)                                                              \
  {                                                                                                                    \
    { name, unit, NULL, ARMDYN_FRICTION_##term, true, false }, count, slope, AT(member.positive), AT(member.negative), \
        true                                                                                                           \
  }

const struct friction_parameter friction_parameters[ARMDYN_FRICTION_PARAMETER_COUNT] = {
  [ARMDYN_PARAMETER_OFFSET] = NUMBER("offset", "N m", "offset", OFFSET, offset, true, offset_count, by_offset, false),
  [ARMDYN_PARAMETER_COULOMB] = BOTH_WAYS("coulomb", "N m", COULOMB, coulomb, coulomb_count, by_coulomb),
  [ARMDYN_PARAMETER_COULOMB_POSITIVE] = NUMBER("coulomb.positive", "N m", "coulomb/positive", COULOMB, coulomb.positive,
                                               true, coulomb_directed_count, by_coulomb_positive, true),
  [ARMDYN_PARAMETER_COULOMB_NEGATIVE] = NUMBER("coulomb.negative", "N m", "coulomb/negative", COULOMB, coulomb.negative,
                                               true, coulomb_directed_count, by_coulomb_negative, true),
  [ARMDYN_PARAMETER_STICTION] =
      NUMBER("stiction", "N m", "stiction", STRIBECK, stiction, true, stiction_count, by_stiction, true),
  [ARMDYN_PARAMETER_VISCOUS] = BOTH_WAYS("viscous", "N m s/rad", VISCOUS, viscous, viscous_count, by_viscous),
  [ARMDYN_PARAMETER_VISCOUS_POSITIVE] =
      NUMBER("viscous.positive", "N m s/rad", "viscous/positive", VISCOUS, viscous.positive, true,
             viscous_directed_count, by_viscous_positive, true),
  [ARMDYN_PARAMETER_VISCOUS_NEGATIVE] =
      NUMBER("viscous.negative", "N m s/rad", "viscous/negative", VISCOUS, viscous.negative, true,
             viscous_directed_count, by_viscous_negative, true),
  [ARMDYN_PARAMETER_HIGH_SPEED] = NUMBER("high_speed", "N m s^2/rad^2", "high_speed", HIGH_SPEED, high_speed, true,
                                         high_speed_count, by_high_speed, false),
  [ARMDYN_PARAMETER_SUBLINEAR] = NUMBER("sublinear", "N m (s/rad)^(1/3)", "sublinear", SUBLINEAR, sublinear, true,
                                        sublinear_count, by_sublinear, true),
  [ARMDYN_PARAMETER_LOAD] = NUMBER("load", "1", "load", LOAD, load, true, load_count, by_load, true),
  [ARMDYN_PARAMETER_LINE_AMPLITUDE] = OF_LINE("", "N m", amplitude, true, by_position),
  [ARMDYN_PARAMETER_STRIBECK_SLOPE] = { { "stribeck_slope", "N m rad/s", NULL, ARMDYN_FRICTION_STRIBECK, true, false },
                                        stiction_count,
                                        by_stribeck_velocity,
                                        NOWHERE,
                                        NOWHERE,
                                        false },
  [ARMDYN_PARAMETER_STRIBECK_VELOCITY] = NUMBER("stribeck_velocity", "rad/s", "stribeck_velocity", STRIBECK,
                                                stribeck_velocity, false, stiction_count, NULL, true),
  [ARMDYN_PARAMETER_STRIBECK_EXPONENT] = NUMBER("stribeck_exponent", "1", "stribeck_exponent", STRIBECK,
                                                stribeck_exponent, false, stiction_count, NULL, true),
  [ARMDYN_PARAMETER_LINE_ORDER] = OF_LINE(".order", "1", order, false, NULL),
  [ARMDYN_PARAMETER_LINE_PHASE] = OF_LINE(".phase", "rad", phase, false, NULL),
};

const struct armdyn_friction_parameter_info *armdyn_friction_parameter_info(enum armdyn_friction_parameter parameter)
{
  return &friction_parameters[parameter].info;
}

size_t armdyn_friction_parameter_lines(const struct armdyn_friction *friction, enum armdyn_friction_parameter parameter)
{
  return friction_parameters[parameter].count(friction);
}

/* The number at an offset of the table; of a line, in that line. */
static double *number_at(struct armdyn_friction *friction, size_t offset, size_t line)
{
  return (double *)(void *)((unsigned char *)friction + offset + line * sizeof(struct armdyn_ripple));
}

double friction_value(const struct armdyn_friction *friction, size_t parameter, size_t line)
{
  const size_t at = friction_parameters[parameter].at + line * sizeof(struct armdyn_ripple);
  if (friction_parameters[parameter].at == NOWHERE) return 0;
  return *(const double *)(const void *)((const unsigned char *)friction + at);
}

bool friction_set(struct armdyn_friction *friction, size_t parameter, size_t line, double value)
{
  const struct friction_parameter *p = &friction_parameters[parameter];
  if (p->at == NOWHERE || (!p->info.over_angle && line > 0)) return false;
  if (parameter == ARMDYN_PARAMETER_LINE_ORDER && line == friction->ripple_count && line < ARMDYN_RIPPLES_MAX)
    friction->ripples[friction->ripple_count++] = (struct armdyn_ripple){ 0 };
  if (p->info.over_angle && line >= friction->ripple_count) return false;
  *number_at(friction, p->at, line) = *number_at(friction, p->also, line) = value;
  return true;
}

void friction_set_linear(struct armdyn_friction *friction, enum armdyn_friction_term term, double value)
{
  for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
    if (friction_parameters[p].info.term == term) friction_set(friction, p, 0, value);
  }
}

/* ---------------------------------------------------------------- of a joint */

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

void friction_slopes(const struct armdyn_robot *robot, size_t joint, double q, double qd, double *by_position,
                     double *by_speed)
{
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
  return position_torque(&(struct friction_state){ .parameters = friction, .motor_angle = motor_angle });
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
