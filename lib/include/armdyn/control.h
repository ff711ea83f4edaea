/* Control laws: joint torques from where an arm is and where it should be. */
#ifndef ARMDYN_CONTROL_H
#define ARMDYN_CONTROL_H

#include "armdyn/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an arm should be. */
struct armdyn_wanted {
  const double *q, *qd, *qdd; /* n */
};

/* Computed torque: with the model that the arm has, what it is off dies out in every joint alone as
 * e'' + 2 w e' + w^2 e = 0, w = 2 pi bandwidth, critically damped.
 *   bandwidth  in   Hz
 *   q, qd      in   n, where the arm is
 *   load       in   as in armdyn_inverse_dynamics
 *   tau        out  n, N m (N)
 * O(n), no allocation, cannot fail. Source: Craig, ch. 10; Siciliano et al., 8.5.2. */
void armdyn_computed_torque(const struct armdyn_robot *robot, const struct armdyn_wanted *wanted, double bandwidth,
                            const double *q, const double *qd, const struct armdyn_load *load,
                            struct armdyn_workspace *workspace, double *tau);

#ifdef __cplusplus
}
#endif
#endif
