/* Composite rigid bodies: column i of M is the force that gives link i and all beyond it unit acceleration of joint i,
 * felt at the joints on the way to the base. Source: Featherstone 2008, table 6.2. */
#include "lib/dynamics/workspace.h"

/* [moment; force] on a composite body for a unit acceleration about or along z. */
static void column_force(const struct distribution *d, bool prismatic, double f[6])
{
  if (prismatic) { /* h x z, m z */
    const double force[6] = { d->h[1], -d->h[0], 0, 0, 0, d->m };
    memcpy(f, force, sizeof force);
  } else { /* (tr(S) 1 - S) z, z x h */
    const double force[6] = { -d->s[4], -d->s[5], d->s[0] + d->s[1], -d->h[1], d->h[0], 0 };
    memcpy(f, force, sizeof force);
  }
}

static void to_parent(const struct pose *at, double f[6])
{
  double moment[3], linear[3], arm[3];
  rotate3(moment, at->r, f);
  rotate3(linear, at->r, f + 3);
  cross3(arm, at->p, linear);
  for (int k = 0; k < 3; k++) {
    f[k] = moment[k] + arm[k];
    f[3 + k] = linear[k];
  }
}

void armdyn_mass_matrix(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                        double *mass_matrix)
{
  const size_t n = robot->joint_count;
  const struct pose *pose = workspace->pose;
  struct distribution *composite = workspace->composite;
  pose_joints(robot, q, workspace->pose);
  for (size_t i = 0; i < n; i++) composite[i] = robot->joints[i].link;
  for (size_t i = n; i-- > 0;) {
    double f[6];
    if (i > 0) distribution_add(&composite[i - 1], &pose[i], &composite[i]);
    column_force(&composite[i], robot->joints[i].prismatic, f);
    for (size_t j = i + 1; j-- > 0;) {
      mass_matrix[i * n + j] = mass_matrix[j * n + i] = f[robot->joints[j].prismatic ? 5 : 2];
      if (j > 0) to_parent(&pose[j], f);
    }
  }
  rotor_inertia_matrix_add(robot, mass_matrix);
}
