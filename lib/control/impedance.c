/* The tool as a spring and damper between where it is and where it should be, in base axes. */
#include "armdyn/terms.h"
#include "lib/control/controller.h"
#include "lib/math/rotation.h"

/* [rotation vector; translation] that takes the tool from `is` to `should`, both 4 x 4. */
static void way(const double *is, const double *should, double x[6])
{
  double turn[9] = { 0 };
  for (size_t i = 0; i < 3; i++) {
    /* R = R_should R_is' */
    for (size_t j = 0; j < 3; j++)
      for (size_t k = 0; k < 3; k++) turn[3 * i + j] += should[4 * i + k] * is[4 * j + k];
    x[3 + i] = should[4 * i + 3] - is[4 * i + 3];
  }
  rotation_vector(turn, x);
}

/* twist += sign J qd */
static void add_twist(const double *J, const double *qd, size_t n, double sign, double twist[6])
{
  for (size_t i = 0; i < 6; i++)
    for (size_t j = 0; j < n; j++) twist[i] += sign * J[i * n + j] * qd[j];
}

void impedance_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                      const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  double J[6 * ARMDYN_JOINTS_MAX], is[16], should[16], x[6], rate[6] = { 0 };
  armdyn_forward_kinematics(c->robot, q, c->workspace, is, NULL);
  armdyn_forward_kinematics(c->robot, wanted->q, c->workspace, should, NULL);
  way(is, should, x);
  armdyn_jacobian(c->robot, wanted->q, ARMDYN_JACOBIAN_BASE, c->workspace, J);
  add_twist(J, wanted->qd, c->n, 1, rate);
  armdyn_jacobian(c->robot, q, ARMDYN_JACOBIAN_BASE, c->workspace, J);
  add_twist(J, qd, c->n, -1, rate);

  /* tau = g + J' (K x + D x') + kd e' */
  armdyn_gravity_torque(c->robot, q, c->workspace, tau);
  for (size_t j = 0; j < c->n; j++) {
    tau[j] += gains->kd[j] * e->qd[j];
    for (size_t i = 0; i < 6; i++)
      tau[j] += J[i * c->n + j] * (gains->stiffness[i] * x[i] + gains->damping[i] * rate[i]);
  }
}
