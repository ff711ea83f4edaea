/* Outputs of gears, where friction of coupled drives acts.
 *   outputs   p = G q, G = diag(1 / gear_ratio) T, T the transmission (motor = T q): what each gear turns, so that friction is
 *             told in the numbers that it has at a joint of its own; with gear ratios of 1 these are the motors
 *   torques   tau = G' t, by virtual work
 *   friction  tau_f = G' f(G q, G qd), f joint by joint
 * Source: Siciliano, Sciavicco, Villani & Oriolo 2009, 7.2 and 5.1 (transmissions). */
#ifndef LIB_MODEL_GEARS_H
#define LIB_MODEL_GEARS_H

#include "lib/model/compiled.h"

/* G x of positions, velocities or accelerations; out is not x. */
void gear_motion(const struct armdyn_robot *robot, const double *x, double *out);
/* G^-1 p: joints of outputs. */
void gear_joints(const struct armdyn_robot *robot, const double *p, double *out);
/* G^-T tau: torques of outputs. */
void gear_torques(const struct armdyn_robot *robot, const double *tau, double *out);
/* tau += G' t */
void gear_torques_add(const struct armdyn_robot *robot, const double *t, double *tau);
/* matrix (n x n) += G' diag(slope) G */
void gear_slopes_add(const struct armdyn_robot *robot, const double *slope, double *matrix);
/* EINPUT where friction acts at coupled motors, which `what` ("planning", ...) does not know; else OK. */
enum armdyn_status gear_friction_refuse(const struct armdyn_robot *robot, const char *what, struct armdyn_error *error);

#endif
