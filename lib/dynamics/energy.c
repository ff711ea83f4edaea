#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

static double kinetic_energy(const struct armdyn_robot *robot, const double *qd, struct armdyn_workspace *workspace)
{
  double velocity[6] = { 0 }, momentum[6], sum = 0; /* twice the energy */
  for (size_t i = 0; i < robot->joint_count; i++) {
    velocity_outward(velocity, velocity + 3, &workspace->pose[i], robot->joints[i].prismatic, qd[i]);
    body_times(momentum, &robot->joints[i].link, velocity);
    sum += dot6(velocity, momentum);
  }
  double *rotor = workspace->vector;
  memset(rotor, 0, robot->joint_count * sizeof *rotor);
  rotor_inertia_add(robot, qd, rotor);
  for (size_t i = 0; i < robot->joint_count; i++) sum += qd[i] * rotor[i];
  return sum / 2;
}

/* -g . (first moment of everything, in the base frame) */
static double potential_energy(const struct armdyn_robot *robot, const struct pose *pose)
{
  double m = 0, h[3] = { 0 };
  for (size_t i = robot->joint_count; i-- > 0;) {
    const struct distribution *link = &robot->joints[i].link;
    double turned[3];
    m += link->m;
    for (int k = 0; k < 3; k++) h[k] += link->h[k];
    rotate3(turned, pose[i].r, h);
    for (int k = 0; k < 3; k++) h[k] = turned[k] + m * pose[i].p[k];
  }
  return -dot3(robot->gravity, h);
}

void armdyn_energy(const struct armdyn_robot *robot, const double *q, const double *qd,
                   struct armdyn_workspace *workspace, double *kinetic, double *potential)
{
  pose_joints(robot, q, workspace->pose);
  if (kinetic) *kinetic = kinetic_energy(robot, qd, workspace);
  if (potential) *potential = potential_energy(robot, workspace->pose);
}

double armdyn_samples_work(size_t n, const double *t, const struct armdyn_samples *samples)
{
  double sum = 0, before = 0;
  for (size_t k = 0; k < samples->count; k++) {
    const double *tau = samples->tau.data + k * samples->tau.stride, *qd = samples->qd.data + k * samples->qd.stride;
    double power = 0;
    for (size_t j = 0; j < n; j++) power += tau[j] * qd[j];
    if (k) sum += (before + power) / 2 * (t[k] - t[k - 1]);
    before = power;
  }
  return sum;
}
