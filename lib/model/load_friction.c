/* Friction that grows with what a joint transmits: d |y| with d = c s(qd), y the drive's torque without friction.
 *   drive     tau = y + d |y| + F, F what does not depend on the load
 *   transmits y = r / (1 + d sgn r) of r = tau - F: y and r have one sign, for |d| < 1 */
#include <math.h>

#include "lib/model/compiled.h"
#include "lib/model/friction.h"

double load_share(const struct armdyn_robot *robot, size_t joint, double qd, double *by_speed)
{
  const struct armdyn_joint *of = &robot->description.joints[joint];
  struct friction_state x;
  *by_speed = 0;
  if (!(robot->joints[joint].friction >> ARMDYN_FRICTION_LOAD & 1)) return 0;
  friction_state_set(&x, of, 0, qd);
  *by_speed = of->friction.load * x.sign_slope;
  return of->friction.load * x.sign;
}

double load_transmitted(double torque, double share)
{
  return torque / (torque < 0 ? 1 - share : 1 + share);
}

double armdyn_friction_of_load(const struct armdyn_robot *robot, size_t joint, double qd, double transmitted)
{
  double by_speed;
  return load_share(robot, joint, qd, &by_speed) * fabs(transmitted);
}

bool armdyn_has_load_friction(const struct armdyn_robot *robot)
{
  return robot->load_friction;
}

enum armdyn_status load_friction_refuse(const struct armdyn_robot *robot, const char *what, struct armdyn_error *error)
{
  size_t joint = 0;
  if (!robot->load_friction) return ARMDYN_OK;
  while (!(robot->joints[joint].friction >> ARMDYN_FRICTION_LOAD & 1)) joint++;
  const struct armdyn_joint *of = &robot->description.joints[joint];
  return armdyn_refuse(error, ARMDYN_EINPUT, "",
                       "%s is not made for friction that depends on the load, and joint %zu (%s) has friction/load %g: "
                       "use a model without it, whose coulomb is the mean of what it was at the loads of the work",
                       what, joint + 1, of->name, of->friction.load);
}
