#include "lib/control/controller.h"

/* tau = M (qdd_wanted + kd e' + kp e) + C qd + g + F */
void computed_torque_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                            const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  double qdd[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < c->n; j++) qdd[j] = wanted->qdd[j] + gains->kd[j] * e->qd[j] + gains->kp[j] * e->q[j];
  armdyn_inverse_dynamics(c->robot, q, qd, qdd, &c->load, c->workspace, tau);
}

void armdyn_computed_torque(const struct armdyn_robot *robot, const struct armdyn_wanted *wanted, double bandwidth,
                            const double *q, const double *qd, const struct armdyn_load *load,
                            struct armdyn_workspace *workspace, double *tau)
{
  const double w = 2 * 3.14159265358979323846 * bandwidth;
  double qdd[ARMDYN_JOINTS_MAX];

  /* tau = M (qdd_wanted + 2 w e' + w^2 e) + C qd + g + F */
  for (size_t i = 0; i < armdyn_robot_joint_count(robot); i++) {
    qdd[i] = wanted->qdd[i] + 2 * w * (wanted->qd[i] - qd[i]) + w * w * (wanted->q[i] - q[i]);
  }
  armdyn_inverse_dynamics(robot, q, qd, qdd, load, workspace, tau);
}
