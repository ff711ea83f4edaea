/* Between joints and motors: motor positions are the transmission's matrix times those of the joints, by default the
 * diagonal of the gear ratios. */
#ifndef LIB_MODEL_MOTOR_H
#define LIB_MODEL_MOTOR_H

#include "lib/model/compiled.h"

/* T^-T tau, N m */
void motor_torques(const struct armdyn_robot *robot, const double *tau, double *motor);
/* T qd, rad/s */
void motor_velocities(const struct armdyn_robot *robot, const double *qd, double *motor);

#endif
