/* Laws that make the arm give way as a mass, a spring and a damper would: of the tool, or joint by joint. */
#include <string.h>

#include "armdyn/terms.h"
#include "lib/control/tool.h"
#include "lib/dynamics/methods.h"
#include "lib/math/linear.h"
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

void tool_error(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const double *q, const double *qd,
                struct tool_error *error)
{
  memset(error->rate, 0, sizeof error->rate);
  armdyn_forward_kinematics(c->robot, q, c->workspace, error->is, NULL);
  armdyn_forward_kinematics(c->robot, wanted->q, c->workspace, error->should, NULL);
  way(error->is, error->should, error->x);
  armdyn_jacobian(c->robot, wanted->q, ARMDYN_JACOBIAN_BASE, c->workspace, error->wanted_J);
  add_twist(error->wanted_J, wanted->qd, c->n, 1, error->rate);
  armdyn_jacobian(c->robot, q, ARMDYN_JACOBIAN_BASE, c->workspace, error->J);
  add_twist(error->J, qd, c->n, -1, error->rate);
}

void add_joint_torques(const double *J, size_t n, const double wrench[6], double *tau)
{
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < 6; i++) tau[j] += J[i * n + j] * wrench[i];
}

/* With R = R_should R_is' and R_is turning by w, d phi / dt = -A' w, A the inverse of the left Jacobian: the slope of
 * phi' K phi / 2 is the moment A K phi. With one stiffness about all axes that is K phi. */
void spring_wrench(const double *stiffness, const double x[6], double wrench[6])
{
  double A[9];
  rotation_vector_rate(x, A);
  for (int i = 0; i < 3; i++) {
    wrench[i] = 0, wrench[3 + i] = stiffness[3 + i] * x[3 + i];
    for (int k = 0; k < 3; k++) wrench[i] += A[3 * i + k] * stiffness[k] * x[k];
  }
}

/* ---- a spring and a damper at the tool */

/* tau = g + J' (K x + D x') + kd e' */
void impedance_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                      const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  struct tool_error error;
  double wrench[6];
  tool_error(c, wanted, q, qd, &error);
  armdyn_gravity_torque(c->robot, q, c->workspace, tau);
  for (size_t i = 0; i < 6; i++) wrench[i] = gains->stiffness[i] * error.x[i] + gains->damping[i] * error.rate[i];
  for (size_t j = 0; j < c->n; j++) tau[j] += gains->kd[j] * e->qd[j];
  add_joint_torques(error.J, c->n, wrench, tau);
}

/* ---- joint by joint */

/* (r + w)^2 m */
void joint_impedance_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  gains->kp[j] = w * w * m, gains->kd[j] = 2 * w * m;
}

/* F of the motion wanted, of joints that transmit tau: where rest is wanted it adds no dry friction, which could make the arm
 * hunt. */
static void add_wanted_friction(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const double *q,
                                double *tau)
{
  if (!c->control.frictionless) friction_add(c->robot, q, wanted->qd, NULL, tau);
}

/* tau = M qdd + C qd + g + F(qd_wanted) - what the sensor has of it */
static void shaped_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const double *q,
                          const double *qd, const double *qdd, const double *external, double *tau)
{
  const struct armdyn_load load = { .frictionless = true };
  armdyn_inverse_dynamics(c->robot, q, qd, qdd, &load, c->workspace, tau);
  for (size_t j = 0; j < c->n; j++) tau[j] -= external[j];
  add_wanted_friction(c, wanted, q, tau);
}

/* tau = M qdd_wanted + C qd_wanted + g + F(qd_wanted) + kp e + kd e'; C of Christoffel symbols, by which V = e' M e' / 2 +
 * e kp e / 2 falls by e' kd e' and grows by what is pushed. */
static void natural(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                    const double *q, const double *qd, double *tau)
{
  const size_t n = c->n;
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], C[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  armdyn_gravity_torque(c->robot, q, c->workspace, tau);
  armdyn_mass_matrix(c->robot, q, c->workspace, M);
  armdyn_coriolis_matrix(c->robot, q, qd, c->workspace, C);
  for (size_t i = 0; i < n; i++) {
    tau[i] += c->control.gains.kp[i] * e->q[i] + c->control.gains.kd[i] * e->qd[i];
    for (size_t j = 0; j < n; j++) tau[i] += M[i * n + j] * wanted->qdd[j] + C[i * n + j] * wanted->qd[j];
  }
  add_wanted_friction(c, wanted, q, tau);
}

void joint_impedance_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                            const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  double J[6 * ARMDYN_JOINTS_MAX], external[ARMDYN_JOINTS_MAX] = { 0 }, qdd[ARMDYN_JOINTS_MAX];
  if (!(gains->joint_inertia[0] > 0)) {
    natural(c, wanted, e, q, qd, tau);
    return;
  }
  armdyn_jacobian(c->robot, q, ARMDYN_JACOBIAN_BASE, c->workspace, J);
  add_joint_torques(J, c->n, c->sensed, external);
  for (size_t j = 0; j < c->n; j++)
    qdd[j] =
        wanted->qdd[j] + (gains->kd[j] * e->qd[j] + gains->kp[j] * e->q[j] + external[j]) / gains->joint_inertia[j];
  shaped_torque(c, wanted, q, qd, qdd, external, tau);
}

/* ---- an inertia at the tool */

void cartesian_impedance_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  (void)m;
  gains->kd[j] = 2 * w;
}

static const double AWAY = 1e-8; /* how much less what the tool does not see counts */

/* The qdd for which J qdd + dJ/dt qd comes nearest to `a`, weighted by the inertia W: (J' W J + r M) qdd = J' W (a - dJ/dt qd)
 * - r M kd qd, r next to nothing: what the tool does not see is braked, and an arm that cannot follow moves as the body W on
 * its rails would (Gauss), which keeps the law passive. */
static void nearest(struct armdyn_controller *c, const double *J, const double *q, const double *qd, const double a[6],
                    double *qdd)
{
  const size_t n = c->n;
  const double *W = c->control.gains.inertia, *kd = c->control.gains.kd;
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], H[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX], scale[ARMDYN_JOINTS_MAX];
  double bias[6], wrench[6], seen = 0, own = 0;
  armdyn_mass_matrix(c->robot, q, c->workspace, M);
  armdyn_jacobian_dot_qd(c->robot, q, qd, ARMDYN_JACOBIAN_BASE, c->workspace, bias);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      H[i * n + j] = 0;
      for (size_t k = 0; k < 6; k++) H[i * n + j] += J[k * n + i] * W[k] * J[k * n + j];
    }
    seen += H[i * n + i], own += M[i * n + i];
    qdd[i] = 0;
  }
  const double r = AWAY * seen / own;
  for (size_t k = 0; k < 6; k++) wrench[k] = W[k] * (a[k] - bias[k]);
  add_joint_torques(J, n, wrench, qdd);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      H[i * n + j] += r * M[i * n + j];
      qdd[i] -= r * M[i * n + j] * kd[j] * qd[j];
    }
  if (scaled_cholesky_factor(n, H, scale))
    scaled_cholesky_solve(n, H, scale, qdd);
  else
    memset(qdd, 0, n * sizeof *qdd);
}

void cartesian_impedance_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted,
                                const struct deviation *e, const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  struct tool_error error;
  double spring[6], a[6], qdd[ARMDYN_JOINTS_MAX], external[ARMDYN_JOINTS_MAX] = { 0 };
  (void)e;
  tool_error(c, wanted, q, qd, &error);
  armdyn_jacobian_dot_qd(c->robot, wanted->q, wanted->qd, ARMDYN_JACOBIAN_BASE, c->workspace, a);
  add_twist(error.wanted_J, wanted->qdd, c->n, 1, a);
  spring_wrench(gains->stiffness, error.x, spring);
  for (size_t i = 0; i < 6; i++)
    a[i] += (spring[i] + gains->damping[i] * error.rate[i] + c->sensed[i]) / gains->inertia[i];
  nearest(c, error.J, q, qd, a, qdd);
  add_joint_torques(error.J, c->n, c->sensed, external);
  shaped_torque(c, wanted, q, qd, qdd, external, tau);
}
