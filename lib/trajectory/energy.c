/* Mechanical energy of a motion. */
#include "lib/trajectory/energy.h"

#include <math.h>

#include "armdyn/terms.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/quadrature.h"

enum { N = ARMDYN_JOINTS_MAX };

/* What is integrated: positive power of every joint, then these. */
enum { BRAKED, FRICTION, COST, BEYOND_JOINTS };

struct energy {
  const struct armdyn_robot *robot;
  const struct armdyn_trajectory *trajectory;
  struct armdyn_workspace *workspace;
};

static void powers_at(void *context, size_t piece, double s, double *out)
{
  const struct energy *w = context;
  const struct armdyn_robot_description *d = armdyn_robot_description(w->robot);
  double q[N], qd[N], qdd[N], tau[N], transmitted[N], *rest = out + d->joint_count;
  piece_state(w->trajectory, piece, s, q, qd, qdd, NULL);
  armdyn_inverse_dynamics(w->robot, q, qd, qdd, NULL, w->workspace, tau);
  armdyn_transmitted_torques(w->robot, q, qd, tau, transmitted);
  rest[BRAKED] = rest[FRICTION] = rest[COST] = 0;
  for (size_t j = 0; j < d->joint_count; j++) {
    const double power = tau[j] * qd[j], limit = d->joints[j].limits.torque;
    const double relative = tau[j] / (isfinite(limit) ? limit : 1);
    out[j] = fmax(0, power);
    rest[BRAKED] += fmax(0, -power);
    rest[FRICTION] += (tau[j] - transmitted[j]) * qd[j];
    rest[COST] += relative * relative;
  }
}

void energy_of_ends(const struct armdyn_robot *robot, const double *const q[2], const double *const qd[2],
                    struct armdyn_workspace *workspace, double *kinetic, double *gravity)
{
  double moving[2], lifted[2];
  for (int end = 0; end < 2; end++) armdyn_energy(robot, q[end], qd[end], workspace, &moving[end], &lifted[end]);
  *kinetic = moving[1] - moving[0];
  *gravity = lifted[1] - lifted[0];
}

void energy_of_trajectory_ends(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                               struct armdyn_workspace *workspace, double *kinetic, double *gravity)
{
  double q[2][N], qd[2][N];
  armdyn_trajectory_state(trajectory, 0, q[0], qd[0], NULL, NULL);
  armdyn_trajectory_state(trajectory, armdyn_trajectory_duration(trajectory), q[1], qd[1], NULL, NULL);
  energy_of_ends(robot, (const double *[2]){ q[0], q[1] }, (const double *[2]){ qd[0], qd[1] }, workspace, kinetic,
                 gravity);
}

enum armdyn_status armdyn_trajectory_energy(const struct armdyn_robot *robot,
                                            const struct armdyn_trajectory *trajectory,
                                            struct armdyn_motion_energy *energy)
{
  const size_t n = armdyn_robot_joint_count(robot);
  struct energy w = { robot, trajectory, armdyn_workspace_new(n) };
  double sum[N + BEYOND_JOINTS];
  if (!w.workspace) return ARMDYN_EMEMORY;
  *energy = (struct armdyn_motion_energy){ 0 };
  energy_of_trajectory_ends(robot, trajectory, w.workspace, &energy->kinetic, &energy->gravity);
  quadrature_integrate(trajectory, n + BEYOND_JOINTS, powers_at, &w, sum);
  for (size_t j = 0; j < n; j++) energy->positive_work += energy->by_joint[j] = sum[j];
  energy->braked = sum[n + BRAKED];
  energy->friction = sum[n + FRICTION];
  energy->torque_cost = sum[n + COST];
  armdyn_workspace_free(w.workspace);
  return ARMDYN_OK;
}
