/* Slotine and Li's adaptive law: M ds/dt + C s = -kd s - Y (p - p_arm) and dp/dt = G Y' s, so that
 * V = s' M s / 2 + (p - p_arm)' G^-1 (p - p_arm) / 2 falls by s' kd s. C is that of Christoffel symbols, with which
 * dM/dt - 2 C is skew-symmetric. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/random.h"
#include "lib/control/controller.h"

/* Of a brisk motion, which sets the scale. */
enum { POSTURES = 16 };
static const double VELOCITY = 3, ACCELERATION = 10; /* rad/s, rad/s^2 (m/s, m/s^2) */
static const double NO_EFFECT = 1e-20;               /* rounding, squared */

/* What was asked of parameter k. */
static double factor_of(const struct armdyn_controller *c, size_t k)
{
  const struct armdyn_parameter_id id = armdyn_parameter_at(c->robot, &c->whole, k);
  for (size_t i = 0; i < c->control.factor_count; i++)
    if (armdyn_parameter_same(&c->control.factors[i].parameter, &id)) return c->control.factors[i].factor;
  return 1;
}

/* The diagonal of G: with one parameter and one joint of inertia m, m ds/dt + kd s = -Y p and dp/dt = G Y s swing with the
 * squared frequency G Y^2 / m. What has no effect on any torque is not adapted. */
static void fill_rates(struct armdyn_controller *c)
{
  uint64_t random = random_from_seed(1);
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  for (int posture = 0; posture < POSTURES; posture++) {
    for (size_t j = 0; j < c->n; j++) {
      q[j] = random_symmetric(&random);
      qd[j] = VELOCITY * random_symmetric(&random), qdd[j] = ACCELERATION * random_symmetric(&random);
    }
    armdyn_mass_matrix(c->robot, q, c->workspace, M);
    armdyn_regressor(c->robot, &c->whole, q, qd, qdd, c->workspace, c->regressor);
    for (size_t i = 0; i < c->n * c->count; i++) {
      const double m = M[i / c->count * (c->n + 1)], y = c->regressor[i];
      if (m > 0) c->rates[i % c->count] += y * y / m / POSTURES;
    }
  }
  const double share = c->control.gains.adaptation * (double)c->n / (double)c->count;
  for (size_t k = 0; k < c->count; k++)
    c->rates[k] = c->rates[k] > NO_EFFECT ? share * factor_of(c, k) / c->rates[k] : 0;
}

enum armdyn_status adaptive_open(struct armdyn_controller *c)
{
  c->rigid = (struct armdyn_parameter_choice){ .frictionless = true };
  c->whole = (struct armdyn_parameter_choice){ .frictionless = c->control.frictionless };
  c->rigid_count = armdyn_parameter_count(c->robot, &c->rigid);
  c->count = armdyn_parameter_count(c->robot, &c->whole);
  c->parameters = calloc(c->count, sizeof *c->parameters);
  c->rates = calloc(c->count, sizeof *c->rates);
  c->rigid_regressor = calloc(3 * c->n * c->rigid_count, sizeof *c->rigid_regressor);
  c->regressor = calloc(c->n * c->count, sizeof *c->regressor);
  c->slope = calloc(c->count, sizeof *c->slope);
  if (!c->parameters || !c->rates || !c->rigid_regressor || !c->regressor || !c->slope) return ARMDYN_EMEMORY;
  armdyn_parameters(c->robot, &c->whole, c->parameters);
  fill_rates(c);
  return ARMDYN_OK;
}

/* Y with Y p = M qdd_r + C(q, qd) qd_r + g + F(q, qd). C(q, a) b is bilinear and symmetric, so of the regressor Y1(q, v, a) of
 * M a + C(q, v) v + g: Y = Y1(q, (qd + qd_r) / 2, qdd_r) - Y1(q, (qd - qd_r) / 2, 0) + Y1(q, 0, 0), and friction's columns. */
static void fill_regressor(struct armdyn_controller *c, const double *q, const double *qd, const double *qd_r,
                           const double *qdd_r)
{
  const size_t n = c->n, size = n * c->rigid_count;
  double velocities[3 * ARMDYN_JOINTS_MAX] = { 0 }, accelerations[3 * ARMDYN_JOINTS_MAX] = { 0 };
  for (size_t j = 0; j < n; j++) {
    velocities[j] = (qd[j] + qd_r[j]) / 2;
    velocities[n + j] = (qd[j] - qd_r[j]) / 2;
    accelerations[j] = qdd_r[j];
  }
  const struct armdyn_samples samples = {
    .count = 3, .q = { q, 0 }, .qd = { velocities, n }, .qdd = { accelerations, n }
  };
  armdyn_regressor_batch(c->robot, &c->rigid, &samples, c->workspace, c->rigid_regressor);
  armdyn_regressor(c->robot, &c->whole, q, qd, qdd_r, c->workspace,
                   c->regressor); /* of which friction's columns stay */
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < c->rigid_count; k++) {
      const double *y = c->rigid_regressor + j * c->rigid_count + k;
      c->regressor[j * c->count + k] = y[0] - y[size] + y[2 * size];
    }
  }
}

void adaptive_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                     const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  double qd_r[ARMDYN_JOINTS_MAX], qdd_r[ARMDYN_JOINTS_MAX];
  for (size_t j = 0; j < c->n; j++) {
    c->s[j] = e->qd[j] + gains->lambda[j] * e->q[j];
    qd_r[j] = qd[j] + c->s[j];
    qdd_r[j] = wanted->qdd[j] + gains->lambda[j] * e->qd[j];
  }
  fill_regressor(c, q, qd, qd_r, qdd_r);
  for (size_t j = 0; j < c->n; j++) {
    tau[j] = gains->kd[j] * c->s[j];
    for (size_t k = 0; k < c->count; k++) tau[j] += c->regressor[j * c->count + k] * c->parameters[k];
  }
}

/* p += period G Y' s */
void adaptive_learn(struct armdyn_controller *c)
{
  for (size_t k = 0; k < c->count; k++) {
    double slope = 0;
    for (size_t j = 0; j < c->n; j++) slope += c->regressor[j * c->count + k] * c->s[j];
    c->parameters[k] += c->control.period * c->rates[k] * slope;
  }
}

/* -- in layers -- */

void layered_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  gains->lambda[j] = w, gains->kd[j] = w * m, gains->kp[j] = w * w * m, gains->adaptation = w * w;
}

void layered_torque(struct armdyn_controller *c, const struct armdyn_wanted *wanted, const struct deviation *e,
                    const double *q, const double *qd, double *tau)
{
  const struct armdyn_gains *gains = &c->control.gains;
  (void)q, (void)qd;
  armdyn_regressor(c->robot, &c->whole, wanted->q, wanted->qd, wanted->qdd, c->workspace, c->regressor);
  for (size_t j = 0; j < c->n; j++) {
    c->s[j] = e->qd[j] + gains->lambda[j] * e->q[j];
    tau[j] = gains->kp[j] * e->q[j] + gains->kd[j] * c->s[j];
    for (size_t k = 0; k < c->count; k++) tau[j] += c->regressor[j * c->count + k] * c->parameters[k];
  }
}

/* The fast layer goes on with the parameters that it has, until p += period G (sum of Y' s). */
void layered_learn(struct armdyn_controller *c)
{
  for (size_t k = 0; k < c->count; k++)
    for (size_t j = 0; j < c->n; j++) c->slope[k] += c->regressor[j * c->count + k] * c->s[j];
  if (++c->since_learnt < c->control.learn_periods) return;
  for (size_t k = 0; k < c->count; k++) c->parameters[k] += c->control.period * c->rates[k] * c->slope[k];
  memset(c->slope, 0, c->count * sizeof *c->slope);
  c->since_learnt = 0;
}

const double *armdyn_controller_parameters(const struct armdyn_controller *controller, size_t *count,
                                           const double **rates)
{
  *count = controller->count;
  *rates = controller->rates;
  return controller->parameters;
}
