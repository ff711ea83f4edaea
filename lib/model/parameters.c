#include "lib/model/parameters.h"

#include "lib/model/compiled.h"

enum { LINK = ARMDYN_LINK_PARAMETERS };

/* How many columns parameter p gives this friction. */
static size_t column_lines(size_t p, const struct armdyn_friction *friction,
                           const struct armdyn_parameter_choice *choice)
{
  if (!friction_parameters[p].slope) return 0;
  if (p == ARMDYN_PARAMETER_STRIBECK_SLOPE && !(choice && choice->stribeck_slopes)) return 0;
  return friction_parameters[p].count(friction);
}

size_t friction_row(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t i, double q,
                    double qd, double load, double *row)
{
  const struct armdyn_joint *joint = &robot->description.joints[i];
  struct friction_state x;
  size_t count = 0;
  if (!robot->joints[i].friction) return 0;
  friction_state_set(&x, joint, q, qd);
  x.load = load;
  for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
    const size_t lines = column_lines(p, &joint->friction, choice);
    for (size_t line = 0; line < lines; line++) row[count++] = friction_parameters[p].slope(&x, line);
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
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT && friction_chosen(choice); p++) {
      count += column_lines(p, &robot->description.joints[i].friction, choice);
    }
  }
  return count;
}

struct armdyn_parameter_id armdyn_parameter_at(const struct armdyn_robot *robot,
                                               const struct armdyn_parameter_choice *choice, size_t index)
{
  const size_t n = robot->joint_count;
  if (index < LINK * n) return (struct armdyn_parameter_id){ index / LINK, ARMDYN_PARAMETER_LINK, index % LINK, 0 };
  index -= LINK * n;
  for (size_t i = 0; i < n; i++) {
    if (!rotor_chosen(robot, choice, i)) continue;
    if (index-- == 0) return (struct armdyn_parameter_id){ i, ARMDYN_PARAMETER_ROTOR, 0, 0 };
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
      const size_t lines = column_lines(p, &robot->description.joints[i].friction, choice);
      if (index < lines) return (struct armdyn_parameter_id){ i, ARMDYN_PARAMETER_FRICTION, p, index };
      index -= lines;
    }
  }
  return (struct armdyn_parameter_id){ n, ARMDYN_PARAMETER_FRICTION, ARMDYN_FRICTION_PARAMETER_COUNT, 0 };
}

void armdyn_parameter_name(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t index,
                           char name[ARMDYN_PARAMETER_NAME_SIZE])
{
  const struct armdyn_parameter_id id = armdyn_parameter_at(robot, choice, index);
  const char *of = robot->description.joints[id.joint].name;
  char own[ARMDYN_PARAMETER_NAME_SIZE];
  armdyn_parameter_id_name(&id, own);
  if (*of) {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "%s.%.23s", of, own);
  } else {
    snprintf(name, ARMDYN_PARAMETER_NAME_SIZE, "j%zu.%.23s", id.joint + 1, own);
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
    for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
      const size_t lines = column_lines(p, friction, choice);
      for (size_t line = 0; line < lines; line++) *values++ = friction_value(friction, p, line);
    }
  }
}
