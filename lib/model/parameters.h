/* Rotors and friction as parameters that the torque is linear in: the columns of a regressor beyond those of the links. */
#ifndef LIB_MODEL_PARAMETERS_H
#define LIB_MODEL_PARAMETERS_H

#include "armdyn/regressor.h"
#include "lib/model/friction.h"

/* Of one joint at most: every parameter once, and lines over the motor angle. */
enum { FRICTION_ROW_MAX = ARMDYN_FRICTION_PARAMETER_COUNT + ARMDYN_RIPPLES_MAX };

/* Columns of the friction of joint i, which transmits `load`, in the order of the table; answers how many. choice may be
 * NULL. */
size_t friction_row(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t i, double q,
                    double qd, double load, double *row);

/* Does this choice have the rotor of a joint? */
bool rotor_chosen(const struct armdyn_robot *robot, const struct armdyn_parameter_choice *choice, size_t joint);
bool friction_chosen(const struct armdyn_parameter_choice *choice);

#endif
