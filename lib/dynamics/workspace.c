#include "lib/dynamics/workspace.h"

#include "lib/base/carve.h"
#include "lib/dynamics/lanes.h"

static size_t workspace_layout(struct armdyn_workspace *w, void *base, size_t n)
{
  struct carve c = { base, 0 };
  carve(&c, 1, sizeof *w);
  w->pose = carve(&c, n, sizeof *w->pose);
  w->force = carve(&c, n, 6 * sizeof *w->force);
  w->links = carve(&c, n, LANES_LINK_SIZE);
  w->matrix = carve(&c, n * n, sizeof *w->matrix);
  w->vector = carve(&c, n, sizeof *w->vector);
  w->zero = carve(&c, n, sizeof *w->zero);
  return c.used;
}

struct armdyn_workspace *armdyn_workspace_new(size_t joints)
{
  struct armdyn_workspace measure;
  if (joints > ARMDYN_JOINTS_MAX) return NULL;
  const size_t size = workspace_layout(&measure, NULL, joints);
  struct armdyn_workspace *workspace = aligned_alloc(64, size);
  if (!workspace) return NULL;
  memset(workspace, 0, size);
  workspace_layout(workspace, workspace, joints);
  return workspace;
}

void armdyn_workspace_free(struct armdyn_workspace *workspace)
{
  free(workspace);
}

void pose_joints(const struct armdyn_robot *robot, const double *q, struct pose *pose)
{
  double sine[ARMDYN_JOINTS_MAX], cosine[ARMDYN_JOINTS_MAX];
  lanes_fastest()->sines(robot->joint_count, q, sine, cosine);
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct pose *parent = &robot->joints[i].parent;
    const double *P = parent->r;
    struct pose *x = &pose[i];
    if (robot->joints[i].prismatic) {
      *x = *parent;
      for (int k = 0; k < 3; k++) x->p[k] += P[3 * k + 2] * q[i];
      continue;
    }
    /* P Rz(q) turns the first two columns of P into each other */
    const double c = cosine[i], s = sine[i];
    for (int k = 0; k < 3; k++) {
      x->r[3 * k] = P[3 * k] * c + P[3 * k + 1] * s;
      x->r[3 * k + 1] = P[3 * k + 1] * c - P[3 * k] * s;
      x->r[3 * k + 2] = P[3 * k + 2];
      x->p[k] = parent->p[k];
    }
  }
}

void rotor_inertia_matrix_add(const struct armdyn_robot *robot, double *M)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n && !robot->coupled; i++) M[i * n + i] += robot->rotor_inertia[i];
  for (size_t k = 0; k < n * n && robot->coupled; k++) M[k] += robot->coupled_rotor_inertia[k];
}

void rotor_inertia_add(const struct armdyn_robot *robot, const double *x, double *y)
{
  const size_t n = robot->joint_count;
  for (size_t i = 0; i < n; i++) {
    if (!robot->coupled) {
      y[i] += robot->rotor_inertia[i] * x[i];
      continue;
    }
    for (size_t j = 0; j < n; j++) y[i] += robot->coupled_rotor_inertia[i * n + j] * x[j];
  }
}
