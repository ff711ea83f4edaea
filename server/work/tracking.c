#include "server/work/tracking.h"

#include "armdyn/control.h"

void tracking_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct tracking *x = context;
  double wanted_q[ARMDYN_JOINTS_MAX], wanted_qd[ARMDYN_JOINTS_MAX], wanted_qdd[ARMDYN_JOINTS_MAX];
  const struct armdyn_wanted wanted = { wanted_q, wanted_qd, wanted_qdd };
  armdyn_trajectory_state(x->wanted, x->begin + t, wanted_q, wanted_qd, wanted_qdd, NULL);
  armdyn_computed_torque(x->robot, &wanted, x->bandwidth_hz, q, qd, x->load, x->workspace, tau);
}
