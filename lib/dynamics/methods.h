/* The methods that armdyn/methods.h offers; arguments and answers as there. */
#ifndef LIB_DYNAMICS_METHODS_H
#define LIB_DYNAMICS_METHODS_H

#include "armdyn/methods.h"
#include "lib/dynamics/workspace.h"

enum armdyn_status forward_by_articulated_bodies(const struct armdyn_robot *robot, const double *q, const double *qd,
                                                 const double *tau, const struct armdyn_load *load,
                                                 struct armdyn_workspace *workspace, double *qdd);
enum armdyn_status forward_by_mass_matrix(const struct armdyn_robot *robot, const double *q, const double *qd,
                                          const double *tau, const struct armdyn_load *load,
                                          struct armdyn_workspace *workspace, double *qdd);
enum armdyn_status forward_by_least_constraint(const struct armdyn_robot *robot, const double *q, const double *qd,
                                               const double *tau, const struct armdyn_load *load,
                                               struct armdyn_workspace *workspace, double *qdd);

/* tau += friction of joints that transmit tau, when the load has any */
void friction_add(const struct armdyn_robot *robot, const double *q, const double *qd, const struct armdyn_load *load,
                  double *tau);
/* The reverse: torques of drives to what they transmit. */
void friction_take_off(const struct armdyn_robot *robot, const double *q, const double *qd,
                       const struct armdyn_load *load, double *tau);

/* Where friction depends on the load: tau = y + d |y| + F of every joint that transmits y, d = c s(qd).
 *   gain   out  n: 1 + d sgn y, so that d tau = gain d y + |y| d d + d F
 *   slope  out  n: |y| dd/dqd */
void load_gains(const struct armdyn_robot *robot, const double *q, const double *qd, const double *qdd,
                const struct armdyn_load *load, double *gain, double *slope);

/* Links, gravity and wrench, without rotors and friction, as rnea_torques. pose_joints comes first. */
void lagrange_torques(const struct armdyn_robot *robot, const double *qd, const double *qdd,
                      const struct armdyn_load *load, const struct pose *pose, double *tau);

#endif
