#include "lib/model/parameters.h"

#include <math.h>

#include "lib/model/compiled.h"

enum { LINK = 10 };

static bool differs(const struct armdyn_directed *c)
{
  return c->positive != c->negative;
}

/* exp(-(|v|/vs)^delta), 0 without stiction */
static double stribeck(const struct friction_state *x)
{
  const struct armdyn_friction *f = x->parameters;
  return isnan(f->stiction) ? 0 : exp(-pow(fabs(x->speed) / f->stribeck_velocity, f->stribeck_exponent));
}

static size_t offset_count(const struct armdyn_friction *f)
{
  return f->offset != 0;
}
static double offset_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->offset;
}
static double offset_slope(const struct friction_state *x, size_t line)
{
  (void)x, (void)line;
  return 1;
}

static size_t coulomb_count(const struct armdyn_friction *f)
{
  return f->coulomb.positive != 0 && !differs(&f->coulomb);
}
static double coulomb_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->coulomb.positive;
}
static double coulomb_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return (1 - stribeck(x)) * x->sign;
}

static size_t coulomb_directed_count(const struct armdyn_friction *f)
{
  return differs(&f->coulomb);
}
static double coulomb_positive_slope(const struct friction_state *x, size_t line)
{
  return x->speed < 0 ? 0 : coulomb_slope(x, line);
}
static double coulomb_negative_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->coulomb.negative;
}
static double coulomb_negative_slope(const struct friction_state *x, size_t line)
{
  return x->speed < 0 ? coulomb_slope(x, line) : 0;
}

static size_t stiction_count(const struct armdyn_friction *f)
{
  const bool present = !isnan(f->stiction);
  return present;
}
static double stiction_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->stiction;
}
static double stiction_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return stribeck(x) * x->sign;
}

static size_t viscous_count(const struct armdyn_friction *f)
{
  return f->viscous.positive != 0 && !differs(&f->viscous);
}
static double viscous_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->viscous.positive;
}
static double viscous_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed;
}

static size_t viscous_directed_count(const struct armdyn_friction *f)
{
  return differs(&f->viscous);
}
static double viscous_positive_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return fmax(x->speed, 0);
}
static double viscous_negative_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->viscous.negative;
}
static double viscous_negative_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return fmin(x->speed, 0);
}

static size_t high_speed_count(const struct armdyn_friction *f)
{
  return f->high_speed != 0;
}
static double high_speed_value(const struct armdyn_friction *f, size_t line)
{
  (void)line;
  return f->high_speed;
}
static double high_speed_slope(const struct friction_state *x, size_t line)
{
  (void)line;
  return x->speed * x->speed * x->sign;
}

static size_t position_count(const struct armdyn_friction *f)
{
  return f->ripple_count;
}
static double position_value(const struct armdyn_friction *f, size_t line)
{
  return f->ripples[line].amplitude;
}
static double position_slope(const struct friction_state *x, size_t line)
{
  const struct armdyn_ripple *r = &x->parameters->ripples[line];
  return sin(r->order * x->motor_angle + r->phase);
}

static double no_value(const struct armdyn_friction *f, size_t line)
{
  (void)f, (void)line;
  return 0;
}
/* d/dvs exp(-(|v|/vs)^delta) s(v), of which the torque has stiction - coulomb times */
static double stribeck_velocity_slope(const struct friction_state *x, size_t line)
{
  const struct armdyn_friction *f = x->parameters;
  const double fall = pow(fabs(x->speed) / f->stribeck_velocity, f->stribeck_exponent);
  (void)line;
  const double left = exp(-fall); /* 0 long before the exponent overflows */
  return left > 0 ? left * fall * f->stribeck_exponent / f->stribeck_velocity * x->sign : 0;
}

/* In the order of the columns. A new row of friction_terms in lib/model/friction.c has its parameters here too;
 * tests/unit/dynamics/test_regressor.c compares the two. */
const struct friction_column friction_columns[] = {
  { "offset", offset_count, offset_value, offset_slope, false, false },
  { "coulomb", coulomb_count, coulomb_value, coulomb_slope, true, false },
  { "coulomb.positive", coulomb_directed_count, coulomb_value, coulomb_positive_slope, true, false },
  { "coulomb.negative", coulomb_directed_count, coulomb_negative_value, coulomb_negative_slope, true, false },
  { "stiction", stiction_count, stiction_value, stiction_slope, true, false },
  { "viscous", viscous_count, viscous_value, viscous_slope, true, false },
  { "viscous.positive", viscous_directed_count, viscous_value, viscous_positive_slope, true, false },
  { "viscous.negative", viscous_directed_count, viscous_negative_value, viscous_negative_slope, true, false },
  { "high_speed", high_speed_count, high_speed_value, high_speed_slope, false, false },
  { "position", position_count, position_value, position_slope, false, false },
  { "stribeck_slope", stiction_count, no_value, stribeck_velocity_slope, false, true },
};
const size_t friction_column_count = sizeof friction_columns / sizeof *friction_columns;

size_t friction_column_lines(const struct friction_column *column, const struct armdyn_friction *friction,
                             const struct armdyn_parameter_choice *choice)
{
  if (column->on_demand && !(choice && choice->stribeck_slopes)) return 0;
  return column->count(friction);
}

size_t friction_row(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t i, double q,
                    double qd, double *row)
{
  const struct armdyn_joint *joint = &robot->description.joints[i];
  struct friction_state x;
  size_t count = 0;
  if (!robot->joints[i].friction) return 0;
  friction_state_set(&x, joint, q, qd);
  for (size_t c = 0; c < friction_column_count; c++) {
    const size_t lines = friction_column_lines(&friction_columns[c], &joint->friction, choice);
    for (size_t line = 0; line < lines; line++) row[count++] = friction_columns[c].slope(&x, line);
  }
  return count;
}

bool rotor_chosen(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t joint)
{
  const enum armdyn_rotor_columns rotors = choice ? choice->rotors : ARMDYN_ROTORS_PRESENT;
  if (rotors == ARMDYN_ROTORS_PRESENT) return robot->description.joints[joint].drive.rotor_inertia != 0;
  return rotors == ARMDYN_ROTORS_ALL;
}

bool friction_chosen(const struct armdyn_parameter_choice *choice)
{
  return !choice || !choice->frictionless;
}

size_t armdyn_parameter_count(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice)
{
  size_t count = LINK * robot->joint_count;
  for (size_t i = 0; i < robot->joint_count; i++) {
    count += rotor_chosen(robot, choice, i);
    for (size_t c = 0; c < friction_column_count && friction_chosen(choice); c++) {
      count += friction_column_lines(&friction_columns[c], &robot->description.joints[i].friction, choice);
    }
  }
  return count;
}

static void write_name(const struct armdyn_robot *robot, size_t joint, const char *parameter, const char *suffix,
                       char name[ARMDYN_PARAMETER_NAME_SIZE])
{
  const char *of = robot->description.joints[joint].name;
  if (*of) {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "%s.%s%s", of, parameter, suffix);
  } else {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "j%zu.%s%s", joint + 1, parameter, suffix);
  }
}

void armdyn_parameter_name(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t index,
                           char name[ARMDYN_PARAMETER_NAME_SIZE])
{
  static const char *const of_link[LINK] = { "m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz" };
  const size_t n = robot->joint_count;
  if (index < LINK * n) {
    write_name(robot, index / LINK, of_link[index % LINK], "", name);
    return;
  }
  index -= LINK * n;
  for (size_t i = 0; i < n; i++) {
    if (!rotor_chosen(robot, choice, i)) continue;
    if (index-- == 0) {
      write_name(robot, i, "rotor_inertia", "", name);
      return;
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t c = 0; c < friction_column_count; c++) {
      const size_t count = friction_column_lines(&friction_columns[c], &robot->description.joints[i].friction, choice);
      char line[8] = "";
      if (index >= count) {
        index -= count;
        continue;
      }
      if (friction_columns[c].count == position_count) snprintf(line, sizeof line, ".%u", (unsigned)index & 0xff);
      write_name(robot, i, friction_columns[c].name, line, name);
      return;
    }
  }
}

/* m, m c and I about the origin of the link frame, from the distribution in the canonical frame. */
static void link_values(const struct compiled_joint *joint, double *out)
{
  const struct pose back = pose_inverse(&joint->frame);
  struct distribution d = { 0 };
  distribution_add(&d, &back, &joint->link);
  const double *s = d.s, values[LINK] = { d.m,   d.h[0],      d.h[1], d.h[2], s[1] + s[2],
                                          -s[3], s[0] + s[2], -s[4],  -s[5],  s[0] + s[1] };
  memcpy(out, values, sizeof values);
}

void armdyn_parameters(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, double *values)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) link_values(&robot->joints[i], values + LINK * i);
  values += LINK * n;
  for (size_t i = 0; i < n; i++) {
    if (rotor_chosen(robot, choice, i)) *values++ = robot->description.joints[i].drive.rotor_inertia;
  }
  for (size_t i = 0; i < n && friction_chosen(choice); i++) {
    const struct armdyn_friction *friction = &robot->description.joints[i].friction;
    for (size_t c = 0; c < friction_column_count; c++) {
      const size_t count = friction_column_lines(&friction_columns[c], friction, choice);
      for (size_t line = 0; line < count; line++) *values++ = friction_columns[c].value(friction, line);
    }
  }
}
