/* Christoffel symbols without derivatives of M. The torque of velocities is a quadratic form, c(qd) = Gamma(qd, qd), with
 * Gamma symmetric; column j of C is Gamma(qd, e_j). So the recursion of Newton and Euler runs with two velocities at
 * once, qd and e_j, and with the symmetric form of every product: (u x v' + u' x v)/2 for u x v. */
#include "armdyn/terms.h"

#include "lib/dynamics/motion.h"
#include "lib/dynamics/workspace.h"

/* A frame under both motions: angular velocities, and the acceleration that they cause together. */
struct two_motions {
  double w[3], unit[3]; /* of qd, of e_j */
  struct motion both;   /* wd, a and K; its w is not used */
};

/* K = [wd]x + ([w]x[u]x + [u]x[w]x)/2 */
static void bilinear_matrix(struct two_motions *x)
{
  const double *w = x->w, *u = x->unit, *d = x->both.wd;
  const double square[9] = { 0, -d[2], d[1], d[2], 0, -d[0], -d[1], d[0], 0 };
  const double along = dot3(w, u);
  /* [w]x[u]x = u w' - (w.u) 1 */
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) x->both.K[3 * i + j] = square[3 * i + j] + (w[i] * u[j] + u[i] * w[j]) / 2;
    x->both.K[4 * i] -= along;
  }
}

static void bilinear_outward(struct two_motions *restrict x, const struct two_motions *restrict parent,
                             const struct pose *at, bool prismatic, double qd, double unit)
{
  double a[3];
  rotate3(a, parent->both.K, at->p);
  for (int k = 0; k < 3; k++) a[k] += parent->both.a[k];
  unrotate3(x->w, at->r, parent->w);
  unrotate3(x->unit, at->r, parent->unit);
  unrotate3(x->both.wd, at->r, parent->both.wd);
  unrotate3(x->both.a, at->r, a);
  /* w x z unit + u x z qd: twice the symmetric form of w x z qd */
  const double turn[2] = { x->w[1] * unit + x->unit[1] * qd, -x->w[0] * unit - x->unit[0] * qd };
  for (int k = 0; k < 2; k++) {
    if (prismatic) {
      x->both.a[k] += turn[k];
    } else {
      x->both.wd[k] += turn[k] / 2;
    }
  }
  if (!prismatic) {
    x->w[2] += qd;
    x->unit[2] += unit;
  }
  bilinear_matrix(x);
}

void armdyn_coriolis_matrix(const struct armdyn_robot *robot, const double *q, const double *qd,
                            struct armdyn_workspace *workspace, double *coriolis_matrix)
{
  const size_t n = robot->joint_count;
  double *force = workspace->force;
  struct two_motions before = { 0 }; /* the link before joint j: nothing of e_j yet, so no acceleration */
  pose_joints(robot, q, workspace->pose);
  for (size_t j = 0; j < n; j++) {
    struct two_motions motion[2];
    motion[(j + 1) % 2] = before;
    memset(force, 0, 6 * n * sizeof *force);
    for (size_t i = j; i < n; i++) {
      const struct compiled_joint *joint = &robot->joints[i];
      bilinear_outward(&motion[i % 2], &motion[(i + 1) % 2], &workspace->pose[i], joint->prismatic, qd[i], i == j);
      inertial_force(force + 6 * i, &motion[i % 2].both, &joint->link);
    }
    for (size_t i = n; i-- > 0;) {
      coriolis_matrix[i * n + j] = force[6 * i + (robot->joints[i].prismatic ? 5 : 2)];
      if (i > 0) force_inward(force + 6 * (i - 1), &workspace->pose[i], force + 6 * i);
    }
    double still[3] = { 0 };
    velocity_outward(before.w, still, &workspace->pose[j], robot->joints[j].prismatic, qd[j]);
  }
}

/* C(q, e_k)_ij = D_ijk */
void armdyn_velocity_coefficients(const struct armdyn_robot *robot, const double *q, struct armdyn_workspace *workspace,
                                  double *coefficients)
{
  const size_t n = robot->joint_count;
  for (size_t k = 0; k < n; k++) {
    double unit[ARMDYN_JOINTS_MAX] = { 0 };
    unit[k] = 1;
    armdyn_coriolis_matrix(robot, q, unit, workspace, workspace->matrix);
    for (size_t i = 0; i < n * n; i++) coefficients[i * n + k] = workspace->matrix[i];
  }
}
