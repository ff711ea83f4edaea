#include "lib/dynamics/lanes.h"
#include "lib/dynamics/methods.h"

enum armdyn_status forward_by_articulated_bodies(const struct armdyn_robot *robot, const double *q, const double *qd,
                                                 const double *tau, const struct armdyn_load *load,
                                                 struct armdyn_workspace *workspace, double *qdd)
{
  double *torque = workspace->vector;
  /* rotors that couple joints are no part of any link */
  if (robot->coupled) return forward_by_mass_matrix(robot, q, qd, tau, load, workspace, qdd);
  memcpy(torque, tau, robot->joint_count * sizeof *torque);
  friction_take_off(robot, q, qd, load, torque);
  return lanes_fastest()->forward(robot, q, qd, torque, load, qdd) ? ARMDYN_OK : ARMDYN_ESINGULAR;
}
