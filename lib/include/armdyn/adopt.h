/* From identified parameters to a model. */
#ifndef ARMDYN_ADOPT_H
#define ARMDYN_ADOPT_H

#include "armdyn/parameter.h"

#ifdef __cplusplus
extern "C" {
#endif

struct armdyn_parameter_value {
  struct armdyn_parameter_id id;
  double value; /* SI */
};

enum armdyn_adopt { ARMDYN_ADOPT_LINKS = 1, ARMDYN_ADOPT_FRICTION = 2, ARMDYN_ADOPT_ROTORS = 4 };

/* Write parameters into a description.
 *   description  in/out  its payload stays what it is: the last link gets what is beyond it
 *   parameters   in      of a link either all ten or none
 *   what         in      enum armdyn_adopt, or-ed; others are left alone
 * OK, EINPUT (a parameter that the joint does not have, an incomplete link; nothing is promised of the description then)
 * or EMEMORY. */
enum armdyn_status armdyn_adopt_parameters(struct armdyn_robot_description *description,
                                           const struct armdyn_parameter_value *parameters, size_t count, unsigned what,
                                           struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
