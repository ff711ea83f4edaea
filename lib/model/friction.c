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

/* -- plain terms: a number, the same in both directions, times what it multiplies, of which the slope by speed follows -- */

#define PLAIN_TERM(name)                                                                                               \
  static bool name##_present(const struct armdyn_friction *f)                                                          \
  {                                                                                                                    \
    return f->name != 0;                                                                                               \
  }                                                                                                                    \
  static size_t name##_count(const struct armdyn_friction *f)                                                          \
  {                                                                                                                    \
    return f->name != 0;                                                                                               \
  }                                                                                                                    \
  static double name##_torque(const struct friction_state *x)                                                          \
  {                                                                                                                    \
    return x->parameters->name * by_##name(x, 0);                                                                      \
  }                                                                                                                    \
  static void name##_slope(const struct friction_state *x, double *by_position, double *by_speed)                      \
  {                                                                                                                    \
    *by_position = 0;                                                                                                  \
    *by_speed = x->parameters->name * name##_slope_of_one(x);                                                          \
  }

static double by_offset(const struct friction_state *x, size_t line)
{
  (void)x, (void)line;
  return 1;
}
static double offset_slope_of_one(const struct friction_state *x)
{
  (void)x;
  return 0;
}
PLAIN_TERM(offset)

static double by_high_speed(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed * x->speed * x->sign;
}
static double high_speed_slope_of_one(const struct friction_state *x)
{
  return x->speed * (2 * x->sign + x->speed * x->sign_slope);
}
PLAIN_TERM(high_speed)

/* v / (v^2 + e^2)^(1/3): the cube root of v, whose slope at rest is finite and nowhere below 0. */
static double by_sublinear(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed / cbrt(x->speed * x->speed + x->width * x->width);
}
static double sublinear_slope_of_one(const struct friction_state *x)
{
  const double v = x->speed * x->speed, e = x->width * x->width, root = cbrt(v + e);
  return (v / 3 + e) / ((v + e) * root);
}
PLAIN_TERM(sublinear)

static double by_load(const struct friction_state *x, size_t line)
{
  (void)line;
  return fabs(x->load) * x->sign;
}
static double load_slope_of_one(const struct friction_state *x)
{
  return fabs(x->load) * x->sign_slope;
}
PLAIN_TERM(load)

/* -- the others -- */

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
#define X(name, text, ...) [ARMDYN_FRICTION_##name] = text,
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
#define PLAIN(NAME, name, unit, positive)                                                                              \
  [ARMDYN_PARAMETER_##NAME] = NUMBER(#name, unit, #name, NAME, name, true, name##_count, by_##name, positive)
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
  PLAIN(OFFSET, offset, "N m", false),
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
  PLAIN(HIGH_SPEED, high_speed, "N m s^2/rad^2", false),
  PLAIN(SUBLINEAR, sublinear, "N m (s/rad)^(1/3)", true),
  PLAIN(LOAD, load, "1", true),
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

size_t friction_plain(size_t term)
{
  static const size_t parameters[ARMDYN_FRICTION_TERM_COUNT] = {
#define PLAIN_1(name)                                 [ARMDYN_FRICTION_##name] = ARMDYN_PARAMETER_##name,
#define PLAIN_0(name)                                 [ARMDYN_FRICTION_##name] = ARMDYN_FRICTION_PARAMETER_COUNT,
#define X(name, text, linear, plain, signless, usual) PLAIN_##plain(name)
    ARMDYN_FRICTION_TERM_LIST(X)
#undef X
  };
  return parameters[term];
}
