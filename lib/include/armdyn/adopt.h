/* From identified parameters to a model. */
#ifndef ARMDYN_ADOPT_H
#define ARMDYN_ADOPT_H

#include "armdyn/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A standard parameter of a joint, named as by armdyn_parameter_name without the joint: "m", "Ixx", "rotor_inertia",
 * "coulomb", "viscous.negative", "position.0", ... */
struct armdyn_joint_parameter {
  size_t joint;
  const char *name;
  double value; /* SI, of links about the origin and in the axes of the link frame */
};

enum armdyn_adopt { ARMDYN_ADOPT_LINKS = 1, ARMDYN_ADOPT_FRICTION = 2, ARMDYN_ADOPT_ROTORS = 4 };

/* Write parameters into a description.
 *   description  in/out  its payload stays what it is: the last link gets what is beyond it
 *   parameters   in      of a link either all ten or none
 *   what         in      enum armdyn_adopt, or-ed; others are left alone
 * OK, EINPUT (a name or joint that is none, an incomplete link; nothing is promised of the description then) or EMEMORY. */
enum armdyn_status armdyn_adopt_parameters(struct armdyn_robot_description *description,
                                           const struct armdyn_joint_parameter *parameters, size_t count, unsigned what,
                                           struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
