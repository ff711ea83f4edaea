/* The standard parameters of a robot, which its torque is linear in: which there are, their names, and the numbers of a
 * model that they are.
 */
#ifndef ARMDYN_PARAMETER_H
#define ARMDYN_PARAMETER_H

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

enum armdyn_parameter_group {
  ARMDYN_PARAMETER_LINK, /* m, mx, my, mz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz: mass in kg, first moment in kg m, inertia matrix
                               in kg m^2, about the origin and in the axes of the link frame of the convention */
  ARMDYN_PARAMETER_ROTOR,    /* rotor_inertia of a drive, kg m^2, on the motor's side */
  ARMDYN_PARAMETER_FRICTION, /* enum armdyn_friction_parameter */
  ARMDYN_PARAMETER_SCALE     /* velocity_scale of a joint, rad/s; torque is not linear in it */
};
enum { ARMDYN_LINK_PARAMETERS = 10 };

/* What there is to know of a parameter of friction. */
struct armdyn_friction_parameter_info {
  const char *name; /* "coulomb.positive"; a star stands for the line, as in "position.*" */
  const char *unit; /* of a revolute joint */
  const char
      *path; /* of the number below the joint in JSON, "friction/coulomb/positive"; NULL: it is no number of its own */
  enum armdyn_friction_term term;
  bool linear, over_angle; /* is torque linear in it, does it depend on the motor angle? */
};
/* Never NULL for a parameter below the count. */
const struct armdyn_friction_parameter_info *armdyn_friction_parameter_info(enum armdyn_friction_parameter parameter);

/* One standard parameter. */
struct armdyn_parameter_id {
  size_t joint;
  enum armdyn_parameter_group group;
  size_t index; /* in the group: 0 .. 9, 0, or enum armdyn_friction_parameter */
  size_t line;  /* over the motor angle; 0 of all other parameters */
};
bool armdyn_parameter_same(const struct armdyn_parameter_id *a, const struct armdyn_parameter_id *b);

enum { ARMDYN_PARAMETER_NAME_SIZE = ARMDYN_NAME_SIZE + 24 };
/* The name that it has within its joint: "Ixx", "rotor_inertia", "coulomb.positive", "position.0", "position.0.order". */
void armdyn_parameter_id_name(const struct armdyn_parameter_id *id, char name[ARMDYN_PARAMETER_NAME_SIZE]);
/* And back; the joint of `id` stays what it is. false: no parameter has this name. */
bool armdyn_parameter_id_read(const char *name, struct armdyn_parameter_id *id);

/* How many parameters of a kind a joint's friction has: 0, 1, or its lines. */
size_t armdyn_friction_parameter_lines(const struct armdyn_friction *friction,
                                       enum armdyn_friction_parameter parameter);
/* The number of a joint that a rotor's or friction's parameter is; NAN: the joint has none such. */
double armdyn_joint_parameter(const struct armdyn_joint *joint, const struct armdyn_parameter_id *id);
/* Write it. The order of the line behind the last one makes a new line.
 * false: the joint has no such number. */
bool armdyn_joint_parameter_set(struct armdyn_joint *joint, const struct armdyn_parameter_id *id, double value);

#ifdef __cplusplus
}
#endif
#endif
