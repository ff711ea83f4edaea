#include "server/simulator/arm.h"

#include <math.h>
#include <string.h>

#include "armdyn/terms.h"

enum { SUBSTEPS = 4 };
static const double bandwidth = 100; /* rad/s of the position loop, critically damped */

enum armdyn_status arm_init(struct arm *arm, const struct armdyn_robot *robot, size_t axes)
{
  *arm = (struct arm){ .axes = robot ? armdyn_robot_joint_count(robot) : axes, .robot = robot };
  if (robot && !(arm->workspace = armdyn_workspace_new(arm->axes))) return ARMDYN_EMEMORY;
  return ARMDYN_OK;
}

void arm_release(struct arm *arm)
{
  armdyn_workspace_free(arm->workspace);
  arm->workspace = NULL;
}

void arm_place(struct arm *arm, const double *q)
{
  memmove(arm->q, q, arm->axes * sizeof *q); /* it may be placed where it is */
  memset(arm->qd, 0, sizeof arm->qd);
}

/* Of friction at coupled motors: of what all drives of a joint do. */
static double gear_friction_slope(const struct arm *arm, size_t j)
{
  const double h = 0.1 * armdyn_robot_description(arm->robot)->joints[j].velocity_scale;
  double qd[ARMDYN_JOINTS_MAX], more[ARMDYN_JOINTS_MAX], less[ARMDYN_JOINTS_MAX];
  memcpy(qd, arm->qd, arm->axes * sizeof *qd);
  qd[j] = arm->qd[j] + h;
  armdyn_friction_torques(arm->robot, arm->q, qd, more);
  qd[j] = arm->qd[j] - h;
  armdyn_friction_torques(arm->robot, arm->q, qd, less);
  return fmax(0, (more[j] - less[j]) / (2 * h));
}

/* dF/dv of a joint's friction, by central difference over its own velocity scale. */
static double friction_slope(const struct arm *arm, size_t j)
{
  if (armdyn_friction_at_motors(arm->robot)) return gear_friction_slope(arm, j);
  double h = 0.1 * armdyn_robot_description(arm->robot)->joints[j].velocity_scale;
  double rise = armdyn_friction_torque(arm->robot, j, arm->q[j], arm->qd[j] + h) -
                armdyn_friction_torque(arm->robot, j, arm->q[j], arm->qd[j] - h);
  return fmax(0, rise / (2 * h));
}

/* Torque of the drives: feed-forward + M_jj (w^2 e + 2 w de). */
static void drive_torque(const struct arm *arm, const struct arm_drive *drive, const double *mass, double *tau)
{
  static const double rest[ARMDYN_JOINTS_MAX];
  static const struct armdyn_load frictionless = { .frictionless = true };
  if (drive->torque)
    memcpy(tau, drive->torque, arm->axes * sizeof *tau);
  else if (arm->robot)
    armdyn_inverse_dynamics(arm->robot, arm->q, rest, rest, &frictionless, arm->workspace, tau);
  else
    memset(tau, 0, arm->axes * sizeof *tau);

  for (size_t j = 0; drive->position && j < arm->axes; j++)
    tau[j] += mass[j] * (bandwidth * bandwidth * (drive->position[j] - arm->q[j]) +
                         2 * bandwidth * (drive->position_speed[j] - arm->qd[j]));
}

/* Without a model: qdd = tau; the position loop alone where there is a reference, whatever the torque was meant for. */
static void step_unit_inertias(struct arm *arm, const struct arm_drive *drive, double dt)
{
  static const double unit[ARMDYN_JOINTS_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                                  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  struct arm_drive follow = *drive;
  if (follow.position) follow.torque = NULL;
  double tau[ARMDYN_JOINTS_MAX];
  drive_torque(arm, &follow, unit, tau);
  for (size_t j = 0; j < arm->axes; j++) {
    arm->tau[j] += tau[j] / SUBSTEPS;
    arm->qd[j] += dt * tau[j];
    arm->q[j] += dt * arm->qd[j];
  }
}

/* Semi-implicit Euler; friction and damping, which are stiff near rest, enter linearly implicit:
 *   v' = v + dt qdd / (1 + dt (F' + D) / M_jj),   q' = q + dt v' */
static void step_robot(struct arm *arm, const struct arm_drive *drive, double dt)
{
  double mass[ARMDYN_JOINTS_MAX], tau[ARMDYN_JOINTS_MAX], qdd[ARMDYN_JOINTS_MAX];
  armdyn_mass_matrix(arm->robot, arm->q, arm->workspace, arm->mass_matrix);
  for (size_t j = 0; j < arm->axes; j++) mass[j] = fmax(arm->mass_matrix[j * arm->axes + j], 1e-9);
  drive_torque(arm, drive, mass, tau);
  if (armdyn_forward_dynamics(arm->robot, arm->q, arm->qd, tau, NULL, arm->workspace, qdd)) return;

  for (size_t j = 0; j < arm->axes; j++) {
    double loop = drive->position ? 2 * bandwidth : 0, damping = friction_slope(arm, j) / mass[j] + loop;
    double rise = dt * qdd[j] / (1 + dt * damping);
    arm->tau[j] += (tau[j] - mass[j] * loop * rise) / SUBSTEPS; /* the loop's damping is that of v' */
    arm->qd[j] += rise;
    arm->q[j] += dt * arm->qd[j];
  }
}

void arm_step(struct arm *arm, const struct arm_drive *drive, double dt)
{
  memset(arm->tau, 0, sizeof arm->tau);
  for (int k = 0; k < SUBSTEPS; k++) {
    if (arm->robot)
      step_robot(arm, drive, dt / SUBSTEPS);
    else
      step_unit_inertias(arm, drive, dt / SUBSTEPS);
  }
}
