#include "armdyn/collision.h"

#include <math.h>

#include "armdyn/terms.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/rnea.h"

void armdyn_observer_init(struct armdyn_observer *observer, double gain, bool held)
{
  *observer = (struct armdyn_observer){ .gain = gain, .held = held };
}

/* J' w - F of drives with these torques: after armdyn_joint_momentum, which sets the poses. */
static void load_torques(const struct armdyn_robot *robot, const double *q, const double *qd, const double *drives,
                         const struct armdyn_load *load, struct armdyn_workspace *workspace, double *tau)
{
  double memory[6], transmitted[ARMDYN_JOINTS_MAX];
  const double *wrench = load_on_last_link(robot, load, workspace->pose, memory);
  memset(tau, 0, robot->joint_count * sizeof *tau);
  memcpy(transmitted, drives, sizeof *drives * robot->joint_count);
  if (wrench) rnea_wrench_torques(robot, wrench, workspace, tau);
  friction_take_off(robot, q, qd, load, transmitted);
  for (size_t i = 0; i < robot->joint_count; i++) tau[i] = transmitted[i] - drives[i] - tau[i];
}

void armdyn_observe(struct armdyn_observer *observer, const struct armdyn_robot *robot, double t, const double *q,
                    const double *qd, const double *tau, const struct armdyn_load *load,
                    struct armdyn_workspace *workspace)
{
  double momentum[ARMDYN_JOINTS_MAX], drift[ARMDYN_JOINTS_MAX], other[ARMDYN_JOINTS_MAX];
  const double period = t - observer->t;
  if (observer->begun && !(period > 0)) return;
  armdyn_joint_momentum(robot, q, qd, workspace, momentum, drift);
  load_torques(robot, q, qd, tau, load, workspace, other);
  const double taken_in = -expm1(-observer->gain * period);
  for (size_t i = 0; i < robot->joint_count; i++) {
    /* tau_ext, on the average since the sample before = (p - p before) / T - the average of tau + C' qd - g - F */
    const double push = drift[i] + other[i] + (observer->held ? 0 : tau[i]);
    const double known = (push + observer->push[i]) / 2 + (observer->held ? tau[i] : 0);
    const double external = (momentum[i] - observer->momentum[i]) / period - known;
    if (observer->begun) observer->residual[i] += taken_in * (external - observer->residual[i]);
    observer->momentum[i] = momentum[i];
    observer->push[i] = push;
  }
  observer->t = t;
  observer->begun = true;
}
