/* PID joint by joint, alone, with gravity, and with the whole torque of the model for the motion wanted. */
#include "armdyn/terms.h"
#include "lib/control/controller.h"
#include "lib/dynamics/methods.h"

/* tau = kp e + ki int e dt + kd e'; the integral has grown already. */
void pid_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  (void)wanted, (void)q, (void)qd;
  for (size_t j = 0; j < c->n; j++) tau[j] = gains->kp[j] * e->q[j] + c->integral[j] + gains->kd[j] * e->qd[j];
}

static void add(const struct armdyn_controller *c, const double *more, double *tau)
{
  for (size_t j = 0; j < c->n; j++) tau[j] += more[j];
}

void pid_gravity_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                        const double *q, const double *qd, double *tau)
{
  double gravity[ARMDYN_JOINTS_MAX];
  armdyn_gravity_torque(c->robot, q, c->workspace, gravity);
  pid_torque(c, wanted, e, q, qd, tau);
  add(c, gravity, tau);
}

void pid_friction_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                         const double *q, const double *qd, double *tau)
{
  double weight[ARMDYN_JOINTS_MAX], with[ARMDYN_JOINTS_MAX];
  pid_gravity_torque(c, wanted, e, q, qd, tau);
  if (c->control.frictionless) return;
  armdyn_gravity_torque(c->robot, q, c->workspace, weight); /* the load that friction is told of */
  memcpy(with, weight, sizeof *with * c->n);
  friction_add(c->robot, q, wanted->qd, NULL, with);
  for (size_t j = 0; j < c->n; j++) with[j] -= weight[j];
  add(c, with, tau);
}

void feedforward_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                        const double *q, const double *qd, double *tau)
{
  double ahead[ARMDYN_JOINTS_MAX];
  armdyn_inverse_dynamics(c->robot, wanted->q, wanted->qd, wanted->qdd, &c->load, c->workspace, ahead);
  pid_torque(c, wanted, e, q, qd, tau);
  add(c, ahead, tau);
}
