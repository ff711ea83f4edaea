/* The power of the drives, and what becomes of it. */
#include "armdyn/electrical.h"
#include "armdyn/terms.h"

#include <math.h>

#include "lib/model/motor.h"
#include "lib/trajectory/energy.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/quadrature.h"

enum { N = ARMDYN_JOINTS_MAX };

/* Which part of the power P_j counts in the total. */
typedef double share(const struct armdyn_electrical_model *model, double P, double sum);

static double share_alone(const struct armdyn_electrical_model *model, double P, double sum)
{
  (void)model, (void)sum;
  return P > 0 ? 1 : 0;
}
static double share_on_link(const struct armdyn_electrical_model *model, double P, double sum)
{
  (void)model, (void)P;
  return sum > 0 ? 1 : 0;
}
static double share_with_grid(const struct armdyn_electrical_model *model, double P, double sum)
{
  (void)P;
  return sum > 0 ? 1 : model->grid_efficiency;
}

/* To add a way: its name in enum armdyn_regeneration, a share and a row here, and what the planner minimises
 * (electrical_cost.c, drives_at). */
static const struct {
  const char *name;
  share *of;
} ways[ARMDYN_REGENERATION_COUNT] = {
  [ARMDYN_REGENERATION_NONE] = { "none", share_alone },
  [ARMDYN_REGENERATION_SHARED_BUS] = { "shared_bus", share_on_link },
  [ARMDYN_REGENERATION_GRID] = { "grid", share_with_grid },
};

const char *armdyn_regeneration_name(enum armdyn_regeneration regeneration)
{
  return (unsigned)regeneration < ARMDYN_REGENERATION_COUNT ? ways[regeneration].name : "unknown";
}

enum armdyn_status armdyn_electrical_check(const struct armdyn_robot *robot,
                                           const struct armdyn_electrical_model *model, struct armdyn_error *error)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  char where[64];
  if ((unsigned)model->regeneration >= ARMDYN_REGENERATION_COUNT)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cost/regeneration", "is no way to regenerate: %d",
                         (int)model->regeneration);
  if (model->regeneration == ARMDYN_REGENERATION_GRID && !(model->grid_efficiency >= 0 && model->grid_efficiency <= 1))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cost/grid_efficiency", "must be >= 0 and <= 1, got %g",
                         model->grid_efficiency);
  for (size_t j = 0; j < d->joint_count; j++) {
    const struct armdyn_drive *drive = &d->joints[j].drive;
    const struct {
      const char *name;
      double value;
    } fields[] = { { "torque_constant", drive->torque_constant },
                   { "resistance", drive->resistance },
                   { "efficiency", drive->efficiency } };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      if (!isnan(fields[f].value)) continue;
      snprintf(where, sizeof where, "/joints/%zu/drive/%s", j, fields[f].name);
      return armdyn_refuse(error, ARMDYN_EINPUT, where,
                           "is needed for electrical energy: joint %zu %s has no drive.%s in its model", j + 1,
                           d->joints[j].name, fields[f].name);
    }
  }
  return ARMDYN_OK;
}

/* Powers of all drives at one instant. */
struct powers {
  double net[N], copper[N], gear[N], sum;
};

static void powers_at(const struct armdyn_robot *robot, size_t n, const double *qd, const double *tau,
                      struct powers *out)
{
  const struct armdyn_robot_description *d = armdyn_robot_description(robot);
  double torque[N], velocity[N];
  motor_torques(robot, tau, torque);
  motor_velocities(robot, qd, velocity);
  out->sum = 0;
  for (size_t j = 0; j < n; j++) {
    const struct armdyn_drive *drive = &d->joints[j].drive;
    const double shaft = torque[j] * velocity[j], eta = drive->efficiency;
    const double motor = torque[j] * (shaft > 0 ? 1 / eta : shaft < 0 ? eta : 1), i = motor / drive->torque_constant;
    out->copper[j] = drive->resistance * i * i;
    out->gear[j] = motor * velocity[j] - shaft;
    out->net[j] = out->copper[j] + motor * velocity[j];
    out->sum += out->net[j];
  }
}

void armdyn_electrical_power(const struct armdyn_robot *robot, const struct armdyn_electrical_model *model,
                             const double *qd, const double *tau, double *power, double *copper, double *gear,
                             double *bus)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct powers p;
  powers_at(robot, n, qd, tau, &p);
  if (power) memcpy(power, p.net, n * sizeof *power);
  if (copper) memcpy(copper, p.copper, n * sizeof *copper);
  if (gear) memcpy(gear, p.gear, n * sizeof *gear);
  if (!bus) return;
  *bus = 0;
  for (size_t j = 0; j < n; j++) *bus += p.net[j] * ways[model->regeneration].of(model, p.net[j], p.sum);
}

/* -- integrals: these of every drive, then the excess of the link -- */

enum { TOTAL, DRAWN, RETURNED, COPPER, GEAR, FRICTION, BY_JOINT };
_Static_assert(BY_JOINT *N + 1 <= QUADRATURE_TERMS_MAX, "a place for every integral");

struct estimate {
  const struct armdyn_robot *robot;
  const struct armdyn_electrical_model *model;
  const struct armdyn_trajectory *trajectory;
  struct armdyn_workspace *workspace;
};

static void integrands(const struct estimate *e, const double *q, const double *qd, const double *tau, double *out)
{
  const size_t n = armdyn_robot_joint_count(e->robot);
  struct powers p;
  double transmitted[N];
  powers_at(e->robot, n, qd, tau, &p);
  armdyn_transmitted_torques(e->robot, q, qd, tau, transmitted);
  for (size_t j = 0; j < n; j++) {
    double *x = out + j * BY_JOINT;
    x[TOTAL] = p.net[j] * ways[e->model->regeneration].of(e->model, p.net[j], p.sum);
    x[DRAWN] = fmax(0, p.net[j]);
    x[RETURNED] = fmax(0, -p.net[j]);
    x[COPPER] = p.copper[j];
    x[GEAR] = p.gear[j];
    x[FRICTION] = (tau[j] - transmitted[j]) * qd[j];
  }
  out[BY_JOINT * n] = fmax(0, -p.sum);
}

static void integrands_of_motion(void *context, size_t piece, double s, double *out)
{
  const struct estimate *e = context;
  double q[N], qd[N], qdd[N], tau[N];
  piece_state(e->trajectory, piece, s, q, qd, qdd, NULL);
  armdyn_inverse_dynamics(e->robot, q, qd, qdd, NULL, e->workspace, tau);
  integrands(e, q, qd, tau, out);
}

/* From the integrals, with kinetic and gravity known. */
static void add_up(const struct estimate *e, const double *integral, struct armdyn_electrical_energy *out)
{
  const size_t n = armdyn_robot_joint_count(e->robot);
  const double excess = integral[BY_JOINT * n];
  double returned = 0;
  for (size_t j = 0; j < n; j++) {
    const double *x = integral + j * BY_JOINT;
    out->by_joint[j] = (struct armdyn_drive_energy){ x[TOTAL], x[DRAWN], x[RETURNED], x[COPPER], x[GEAR], x[FRICTION] };
    out->total += x[TOTAL];
    out->copper += x[COPPER];
    out->gear += x[GEAR];
    out->friction += x[FRICTION];
    returned += x[RETURNED];
  }
  out->burnt = returned;
  if (e->model->regeneration != ARMDYN_REGENERATION_NONE) {
    out->exchanged = returned - excess;
    out->fed_back = e->model->regeneration == ARMDYN_REGENERATION_GRID ? e->model->grid_efficiency * excess : 0;
    out->burnt = excess - out->fed_back;
  }
  out->unexplained = out->total - (out->copper + out->gear + out->friction + out->gravity + out->kinetic + out->burnt);
}

void armdyn_electrical_energy_add(struct armdyn_electrical_energy *sum, const struct armdyn_electrical_energy *next)
{
  sum->total += next->total;
  sum->copper += next->copper;
  sum->gear += next->gear;
  sum->friction += next->friction;
  sum->gravity += next->gravity;
  sum->kinetic += next->kinetic;
  sum->burnt += next->burnt;
  sum->fed_back += next->fed_back;
  sum->exchanged += next->exchanged;
  sum->unexplained += next->unexplained;
  for (size_t j = 0; j < N; j++) {
    struct armdyn_drive_energy *drive = &sum->by_joint[j];
    const struct armdyn_drive_energy *more = &next->by_joint[j];
    drive->total += more->total;
    drive->drawn += more->drawn;
    drive->returned += more->returned;
    drive->copper += more->copper;
    drive->gear += more->gear;
    drive->friction += more->friction;
  }
}

enum armdyn_status armdyn_trajectory_electrical_energy(const struct armdyn_robot *robot,
                                                       const struct armdyn_electrical_model *model,
                                                       const struct armdyn_trajectory *trajectory,
                                                       struct armdyn_electrical_energy *energy,
                                                       struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot);
  double integral[BY_JOINT * N + 1];
  enum armdyn_status rc = armdyn_electrical_check(robot, model, error);
  if (rc) return rc;
  struct estimate e = { robot, model, trajectory, armdyn_workspace_new(n) };
  if (!e.workspace) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a workspace");
  *energy = (struct armdyn_electrical_energy){ 0 };
  energy_of_trajectory_ends(robot, trajectory, e.workspace, &energy->kinetic, &energy->gravity);
  quadrature_integrate(trajectory, BY_JOINT * n + 1, integrands_of_motion, &e, integral);
  add_up(&e, integral, energy);
  armdyn_workspace_free(e.workspace);
  return ARMDYN_OK;
}

static const double *row(const struct armdyn_rows *rows, size_t k)
{
  return rows->data + k * rows->stride;
}

enum armdyn_status armdyn_samples_electrical_energy(const struct armdyn_robot *robot,
                                                    const struct armdyn_electrical_model *model, const double *t,
                                                    const struct armdyn_samples *samples,
                                                    struct armdyn_electrical_energy *energy, struct armdyn_error *error)
{
  const size_t n = armdyn_robot_joint_count(robot), last = samples->count - 1;
  double integral[BY_JOINT * N + 1] = { 0 }, x[2][BY_JOINT * N + 1] = { { 0 } };
  enum armdyn_status rc = armdyn_electrical_check(robot, model, error);
  if (rc) return rc;
  if (samples->count < 2)
    return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs at least 2 samples, got %zu", samples->count);
  for (size_t k = 1; k < samples->count; k++) {
    if (t[k] >= t[k - 1]) continue;
    return armdyn_refuse(error, ARMDYN_EINPUT, "",
                         "time must not decrease: sample %zu is at %g s, the one before at %g s", k, t[k], t[k - 1]);
  }
  struct estimate e = { robot, model, NULL, armdyn_workspace_new(n) };
  if (!e.workspace) return armdyn_refuse(error, ARMDYN_EMEMORY, "", "no memory for a workspace");
  *energy = (struct armdyn_electrical_energy){ 0 };
  const double *const q[2] = { row(&samples->q, 0), row(&samples->q, last) };
  const double *const qd[2] = { row(&samples->qd, 0), row(&samples->qd, last) };
  energy_of_ends(robot, q, qd, e.workspace, &energy->kinetic, &energy->gravity);
  for (size_t k = 0; k < samples->count; k++) {
    integrands(&e, row(&samples->q, k), row(&samples->qd, k), row(&samples->tau, k), x[k % 2]);
    for (size_t i = 0; k > 0 && i <= BY_JOINT * n; i++) integral[i] += (t[k] - t[k - 1]) / 2 * (x[0][i] + x[1][i]);
  }
  add_up(&e, integral, energy);
  armdyn_workspace_free(e.workspace);
  return ARMDYN_OK;
}
