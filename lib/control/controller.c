#include "lib/control/controller.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/friction.h"
#include "lib/model/gears.h"

/* -- gains of one joint: w what it shall answer with, m its inertia -- */

/* (r + w)^3 = r^3 + 3 w r^2 + 3 w^2 r + w^3 */
static void pid_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  gains->kp[j] = 3 * w * w * m, gains->ki[j] = w * w * w * m, gains->kd[j] = 3 * w * m;
}

/* s'' + w s' + w^2 s = 0 of s and a parameter */
static void adaptive_gains(struct armdyn_gains *gains, size_t j, double w, double m)
{
  gains->lambda[j] = w, gains->kd[j] = w * m, gains->adaptation = w * w;
}

enum {
  OF_PID = ARMDYN_GAIN_KP | ARMDYN_GAIN_KI | ARMDYN_GAIN_KD,
  OF_COMPUTED_TORQUE = ARMDYN_GAIN_KP | ARMDYN_GAIN_KD,
  OF_ADAPTIVE = ARMDYN_GAIN_KD | ARMDYN_GAIN_LAMBDA | ARMDYN_GAIN_ADAPTATION,
  OF_LAYERED = OF_ADAPTIVE | ARMDYN_GAIN_KP,
  OF_IMPEDANCE = ARMDYN_GAIN_KD | ARMDYN_GAIN_STIFFNESS | ARMDYN_GAIN_DAMPING,
  OF_JOINT_IMPEDANCE = ARMDYN_GAIN_KP | ARMDYN_GAIN_KD | ARMDYN_GAIN_JOINT_INERTIA,
  OF_CARTESIAN_IMPEDANCE = OF_IMPEDANCE | ARMDYN_GAIN_INERTIA,
  OF_FORCE = ARMDYN_GAIN_KD | ARMDYN_GAIN_FORCE | ARMDYN_GAIN_FORCE_KP | ARMDYN_GAIN_FORCE_KI,
  OF_HYBRID = OF_FORCE | OF_IMPEDANCE | ARMDYN_GAIN_SELECTION
};

/* A law: which gains it takes, what they are unless given (NULL: 0), its torque before limits, what it learns in a period
 * that meets none (NULL: nothing), and whether it takes what a sensor of forces measures. */
static const struct law {
  unsigned gains; /* enum armdyn_gain, or-ed */
  law_gains *gains_init;
  law_torque *torque;
  void (*learn)(struct armdyn_controller *c);
  bool senses;
} laws[] = {
  [ARMDYN_LAW_PID] = { OF_PID, pid_gains, pid_torque, NULL, false },
  [ARMDYN_LAW_PID_GRAVITY] = { OF_PID, pid_gains, pid_gravity_torque, NULL, false },
  [ARMDYN_LAW_FEEDFORWARD] = { OF_PID, pid_gains, feedforward_torque, NULL, false },
  [ARMDYN_LAW_COMPUTED_TORQUE] = { OF_COMPUTED_TORQUE, computed_torque_gains, computed_torque_torque, NULL, false },
  [ARMDYN_LAW_ADAPTIVE] = { OF_ADAPTIVE, adaptive_gains, adaptive_torque, adaptive_learn, false },
  [ARMDYN_LAW_PID_FRICTION] = { OF_PID, pid_gains, pid_friction_torque, NULL, false },
  [ARMDYN_LAW_IMPEDANCE] = { OF_IMPEDANCE, NULL, impedance_torque, NULL, false },
  [ARMDYN_LAW_JOINT_IMPEDANCE] = { OF_JOINT_IMPEDANCE, joint_impedance_gains, joint_impedance_torque, NULL, true },
  [ARMDYN_LAW_CARTESIAN_IMPEDANCE] = { OF_CARTESIAN_IMPEDANCE, cartesian_impedance_gains, cartesian_impedance_torque,
                                       NULL, true },
  [ARMDYN_LAW_FORCE] = { OF_FORCE, force_gains, force_torque, NULL, true },
  [ARMDYN_LAW_HYBRID] = { OF_HYBRID, hybrid_gains, hybrid_torque, NULL, true },
  [ARMDYN_LAW_LAYERED] = { OF_LAYERED, layered_gains, layered_torque, layered_learn, false },
};
_Static_assert(sizeof laws / sizeof *laws == ARMDYN_LAWS, "a row for every law");

unsigned armdyn_law_gains(enum armdyn_law law)
{
  return laws[law].gains;
}

void armdyn_gains_init(const struct armdyn_robot *robot, enum armdyn_law law, double bandwidth, const double *q,
                       struct armdyn_workspace *workspace, struct armdyn_gains *gains)
{
  const size_t n = armdyn_robot_joint_count(robot);
  double M[ARMDYN_JOINTS_MAX * ARMDYN_JOINTS_MAX];
  armdyn_mass_matrix(robot, q, workspace, M);
  *gains = (struct armdyn_gains){ 0 };
  for (size_t j = 0; j < n && laws[law].gains_init; j++)
    laws[law].gains_init(gains, j, angular(bandwidth), M[j * n + j]);
}

bool armdyn_law_schedules(enum armdyn_law law)
{
  return laws[law].gains == OF_PID;
}

bool armdyn_law_senses(enum armdyn_law law)
{
  return laws[law].senses;
}

void armdyn_gains_damp(struct armdyn_gains *gains, double bandwidth)
{
  const double w = angular(bandwidth);
  for (size_t i = 0; i < 6; i++) {
    double stiffness = gains->stiffness[i];
    for (size_t k = i / 3 * 3; k < i / 3 * 3 + 3 && gains->selection[i] > 0; k++)
      stiffness = fmax(stiffness, gains->stiffness[k]);
    gains->damping[i] = 2 * stiffness / w;
    gains->inertia[i] = stiffness / (w * w);
  }
}

static enum armdyn_status check(const char *name, const double *gains, size_t count, struct armdyn_error *error)
{
  for (size_t k = 0; k < count; k++) {
    if (isfinite(gains[k]) && gains[k] >= 0) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, name, "must be finite and not below 0, got %g", gains[k]);
  }
  return ARMDYN_OK;
}

static enum armdyn_status check_filter(const struct armdyn_control *control, struct armdyn_error *error)
{
  const struct armdyn_torque_filter *filter = &control->filter;
  const double most = 0.5 / control->period;
  if (!(filter->lowpass >= 0 && filter->lowpass < most))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/filter/lowpass", "must be >= 0 and below half of the rate, %g, got %g",
                         most, filter->lowpass);
  if (!(filter->notch >= 0 && filter->notch < most))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/filter/notch", "must be >= 0 and below half of the rate, %g, got %g",
                         most, filter->notch);
  if (filter->notch > 0 && !(isfinite(filter->width) && filter->width > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/filter/width", "must be finite and above 0, got %g", filter->width);
  return ARMDYN_OK;
}

/* What is divided by, and what has a sign or is a choice. */
static enum armdyn_status check_tool(const struct armdyn_control *control, size_t n, struct armdyn_error *error)
{
  const struct armdyn_gains *gains = &control->gains;
  size_t shaped = 0;
  for (size_t i = 0; i < 6; i++) {
    if (control->law == ARMDYN_LAW_CARTESIAN_IMPEDANCE && !(gains->inertia[i] > 0))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/inertia", "must be above 0, got %g", gains->inertia[i]);
    if (!isfinite(gains->force[i]))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/force", "must be finite, got %g", gains->force[i]);
    if (gains->selection[i] != 0 && gains->selection[i] != 1)
      return armdyn_refuse(error, ARMDYN_EINPUT, "/selection", "must be 0 or 1, got %g", gains->selection[i]);
  }
  for (size_t j = 0; j < n; j++) shaped += gains->joint_inertia[j] > 0;
  if (shaped && shaped < n)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/joint_inertia", "must be above 0 for all joints, or for none");
  if (control->law == ARMDYN_LAW_LAYERED && !control->learn_periods)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/learn_periods", "must be above 0");
  for (size_t k = 0; k < control->factor_count; k++)
    if (!(control->factors[k].factor >= 0 && isfinite(control->factors[k].factor)))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/factors", "must be finite and not below 0, got %g",
                           control->factors[k].factor);
  const struct armdyn_search *search = &control->search;
  if (search->radius > 0 && !(isfinite(search->radius) && search->pitch > 0 && search->speed > 0 && search->fall > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/search", "must have a pitch, a speed and a fall above 0");
  return ARMDYN_OK;
}

static enum armdyn_status check_control(const struct armdyn_control *control, size_t n, struct armdyn_error *error)
{
  const struct armdyn_gains *gains = &control->gains;
  const struct {
    const char *name;
    const double *values;
    size_t count;
  } numbers[] = { { "/kp", gains->kp, n },
                  { "/ki", gains->ki, n },
                  { "/kd", gains->kd, n },
                  { "/lambda", gains->lambda, n },
                  { "/adaptation", &gains->adaptation, 1 },
                  { "/stiffness", gains->stiffness, 6 },
                  { "/damping", gains->damping, 6 },
                  { "/inertia", gains->inertia, 6 },
                  { "/joint_inertia", gains->joint_inertia, n },
                  { "/force_kp", gains->force_kp, 6 },
                  { "/force_ki", gains->force_ki, 6 } };
  if (!isfinite(control->period) || control->period <= 0)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/period", "must be a finite number above 0, got %g", control->period);
  for (size_t j = 0; j < n; j++)
    if (!(control->torque_limit[j] > 0))
      return armdyn_refuse(error, ARMDYN_EINPUT, "/torque_limit", "must be above 0, got %g", control->torque_limit[j]);
  enum armdyn_status status = check_filter(control, error);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !status; k++)
    status = check(numbers[k].name, numbers[k].values, numbers[k].count, error);
  if (!status) status = check_tool(control, n, error);
  if (!status && (control->schedule.count || control->schedule.zones) && !armdyn_law_schedules(control->law))
    status = armdyn_refuse(error, ARMDYN_EINPUT, "/schedule", "goes with laws that are a PID and more");
  return status ? status : schedule_check(&control->schedule, n, error);
}

/* -- a controller -- */

enum armdyn_status armdyn_controller_new(const struct armdyn_robot *robot, const struct armdyn_control *control,
                                         struct armdyn_controller **controller, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  enum armdyn_status status = check_control(control, n, error);
  if (!status && control->law == ARMDYN_LAW_ADAPTIVE && !control->frictionless)
    status = load_friction_refuse(robot, "the adaptive law", error);
  if (!status && control->law == ARMDYN_LAW_ADAPTIVE && !control->frictionless)
    status = gear_friction_refuse(robot, "the adaptive law", error);
  if (status) return status;
  struct armdyn_controller *c = calloc(1, sizeof *c);
  if (!c) goto memory;
  c->robot = robot;
  c->control = *control;
  c->law = control->law;
  c->load.frictionless = control->frictionless;
  c->n = n;
  if (control->filter.lowpass > 0)
    c->sections[c->section_count++] = section_lowpass(control->filter.lowpass, control->period);
  if (control->filter.notch > 0)
    c->sections[c->section_count++] = section_notch(control->filter.notch, control->filter.width, control->period);
  c->workspace = armdyn_workspace_new(n);
  if (!c->workspace || (laws[control->law].learn && adaptive_open(c))) goto memory;
  *controller = c;
  return ARMDYN_OK;
memory:
  armdyn_controller_free(c);
  return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a controller of %zu joints", n);
}

void armdyn_controller_free(struct armdyn_controller *controller)
{
  if (!controller) return;
  armdyn_workspace_free(controller->workspace);
  free(controller->parameters);
  free(controller->rates);
  free(controller->rigid_regressor);
  free(controller->regressor);
  free(controller->slope);
  free(controller);
}

void armdyn_controller_sense(struct armdyn_controller *controller, const double wrench[6])
{
  memcpy(controller->sensed, wrench, sizeof controller->sensed);
}

static void filter(struct armdyn_controller *c, double *tau)
{
  for (size_t k = 0; k < c->section_count; k++)
    for (size_t j = 0; j < c->n; j++) {
      if (!c->begun) section_begin(&c->sections[k], &c->filtered[k][j], tau[j]);
      tau[j] = section_step(&c->sections[k], &c->filtered[k][j], tau[j]);
    }
  c->begun = true;
}

void armdyn_controller_step(struct armdyn_controller *controller, const struct armdyn_wanted *wanted, const double *q,
                            const double *qd, double *tau, bool *saturated)
{
  struct armdyn_controller *c = controller;
  struct deviation e;
  bool free_joints = true;
  schedule_step(c, q, qd);
  const struct law *law = &laws[c->law];
  for (size_t j = 0; j < c->n; j++) {
    e.q[j] = wanted->q[j] - q[j], e.qd[j] = wanted->qd[j] - qd[j];
    c->integral[j] += c->control.gains.ki[j] * e.q[j] * c->control.period;
  }
  law->torque(c, wanted, &e, q, qd, tau);
  filter(c, tau);
  memcpy(c->last_tau, tau, c->n * sizeof *tau);
  for (size_t j = 0; j < c->n; j++) {
    const double limit = c->control.torque_limit[j], asked = tau[j];
    const bool beyond = fabs(asked) > limit;
    if (beyond && asked * e.q[j] > 0) c->integral[j] -= c->control.gains.ki[j] * e.q[j] * c->control.period;
    if (beyond) tau[j] = copysign(limit, asked), free_joints = false;
    if (saturated) saturated[j] = beyond;
  }
  if (law->learn && free_joints) law->learn(c);
}
