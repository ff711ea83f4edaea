#include "lib/control/controller.h"

/* tau = M (qdd_wanted + kd e' + kp e) + C qd + g + F */
static void torque(const struct armdyn_robot *robot, const struct armdyn_wanted *wanted, const double *kp,
                   const double *kd, const double *q, const double *qd, const struct armdyn_load *load,
                   struct armdyn_workspace *workspace, double *tau)
{
  double qdd[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < armdyn_robot_joint_count(robot); j++)
    qdd[j] = wanted->qdd[j] + kd[j] * (wanted->qd[j] - qd[j]) + kp[j] * (wanted->q[j] - q[j]);
  armdyn_inverse_dynamics(robot, q, qd, qdd, load, workspace, tau);
}

/* (r + w)^2 = r^2 + 2 w r + w^2 */
void computed_torque_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  (void)m;
  gains->kp[j] = w * w, gains->kd[j] = 2 * w;
}

void computed_torque_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                            const double *q, const double *qd, double *tau)
{
  (void)e;
  torque(c->robot, wanted, c->control.gains.kp, c->control.gains.kd, q, qd, &c->load, c->workspace, tau);
}

void armdyn_computed_torque(const struct armdyn_robot *robot, const struct armdyn_wanted *wanted, double bandwidth,
                            const double *q, const double *qd, const struct armdyn_load *load,
                            struct armdyn_workspace *workspace, double *tau)
{
  struct armdyn_gains gains = { 0 };
  for (size_t j = 0; j < armdyn_robot_joint_count(robot); j++) computed_torque_gains(&gains, j, angular(bandwidth), 0);
  torque(robot, wanted, gains.kp, gains.kd, q, qd, load, workspace, tau);
}
