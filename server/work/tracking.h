/* A simulated arm that follows a trajectory by ideal computed torque: with its own model, measured exactly, without limits. */
#ifndef SERVER_WORK_TRACKING_H
#define SERVER_WORK_TRACKING_H

#include "armdyn/dynamics.h"
#include "armdyn/trajectory.h"

/* Hz, of a servo of an arm, where a request leaves it open. */
enum { USUAL_BANDWIDTH_HZ = 5 };

struct tracking {
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *wanted;
  double bandwidth_hz;
  double begin; /* s, of the trajectory where the simulation's time is 0 */
  const struct armdyn_load *load;
  struct armdyn_workspace *workspace;
};

/* The torque of an armdyn_simulation whose torque_context is a struct tracking. */
void tracking_torque(void *context, double t, const double *q, const double *qd, double *tau);

#endif
