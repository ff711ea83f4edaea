/* Gauss's principle of least constraint: of all accelerations that the joints allow, the true ones make
 *
 *   Z = sum_i [m a.a / 2 - F.a + e.J e / 2 - (N - w x J w).e] + qdd' rotors qdd / 2 - (tau - friction)' qdd
 *
 * least; a is the acceleration of the centre of mass of link i, e its angular acceleration, F and N what acts on it there
 * (weight and wrench), J its inertia about the centre of mass. Everything stands in base axes. a and e are
 * linear in qdd, with derivatives da/dqdd_j, de/dqdd_j that pass outward from link to link and are zero for joints beyond
 * the link; so dZ/dqdd = 0 is the linear system H qdd = b that is gathered link by link. That is how drives that couple joints
 * are computed; all others recursively (gauss_kernel.h).
 * Source: Gauss 1829; Udwadia & Kalaba, Analytical Dynamics, ch. 2 and 8. */
#include "lib/dynamics/lanes.h"
#include "lib/dynamics/methods.h"
#include "lib/dynamics/rnea.h"
#include "lib/dynamics/singular.h"
#include "lib/math/linear.h"

/* A link's frame in the base's, its motion at qdd = 0, and the derivatives of its accelerations by every qdd. */
struct accelerated {
  struct pose at;
  double w[3], e[3], a[3];                                       /* a of the origin */
  double e_by[ARMDYN_JOINTS_MAX][3], a_by[ARMDYN_JOINTS_MAX][3]; /* joints 0 .. i */
};

/* A link about its centre of mass, in base axes. */
struct centred {
  double m, c[3]; /* c from the link's origin */
  double J[9];
};

static void add_cross(double *restrict out, const double *a, const double *b)
{
  double product[3];
  cross3(product, a, b);
  for (int k = 0; k < 3; k++) out[k] += product[k];
}

/* out += e x arm + w x (w x arm) */
static void add_swing(double *restrict out, const double *e, const double *w, const double *arm)
{
  double speed[3];
  cross3(speed, w, arm);
  add_cross(out, e, arm);
  add_cross(out, w, speed);
}

static void link_outward(struct accelerated *x, size_t joint, const struct pose *step, bool prismatic, double qd)
{
  const struct pose parent = x->at;
  double arm[3];
  rotate3(arm, parent.r, step->p);
  pose_multiply(&x->at, &parent, step);
  add_swing(x->a, x->e, x->w, arm);
  for (size_t j = 0; j < joint; j++) add_cross(x->a_by[j], x->e_by[j], arm);

  const double z[3] = { x->at.r[2], x->at.r[5], x->at.r[8] }; /* the joint's axis */
  double turn[3];                                             /* of the axis, times qd */
  cross3(turn, x->w, z);
  for (int k = 0; k < 3; k++) {
    x->a_by[joint][k] = prismatic ? z[k] : 0;
    x->e_by[joint][k] = prismatic ? 0 : z[k];
    if (prismatic) {
      x->a[k] += 2 * turn[k] * qd;
    } else {
      x->e[k] += turn[k] * qd;
      x->w[k] += z[k] * qd;
    }
  }
}

static void centre(struct centred *x, const struct distribution *d, const double *r)
{
  double c[3], inertia[9], half[9];
  for (int k = 0; k < 3; k++) c[k] = d->m != 0 ? d->h[k] / d->m : 0;
  /* tr(S) 1 - S with S about the centre of mass */
  const double s[6] = { d->s[0] - d->m * c[0] * c[0], d->s[1] - d->m * c[1] * c[1], d->s[2] - d->m * c[2] * c[2],
                        d->s[3] - d->m * c[0] * c[1], d->s[4] - d->m * c[0] * c[2], d->s[5] - d->m * c[1] * c[2] };
  const double about[9] = { s[1] + s[2], -s[3], -s[4], -s[3], s[0] + s[2], -s[5], -s[4], -s[5], s[0] + s[1] };
  x->m = d->m;
  rotate3(x->c, r, c);
  multiply3(half, r, about);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) inertia[3 * i + j] = dot3(half + 3 * i, r + 3 * j);
  }
  memcpy(x->J, inertia, sizeof inertia);
}

/* A link's share of H and of b = -dZ/dqdd at qdd = 0. `wrench` [moment; force] acts on its origin, base axes. */
static void gather(const struct accelerated *x, size_t joint, const struct centred *link, const double *gravity,
                   const double wrench[6], size_t n, double *H, double *b)
{
  double a[3], e[3], spin[3], force[3], moment[3], a_by[ARMDYN_JOINTS_MAX][3], Je_by[ARMDYN_JOINTS_MAX][3];
  memcpy(a, x->a, sizeof a);
  add_swing(a, x->e, x->w, link->c);
  rotate3(e, link->J, x->e);
  rotate3(spin, link->J, x->w);
  add_cross(e, x->w, spin); /* J e + w x J w */
  cross3(moment, wrench + 3, link->c);
  for (int k = 0; k < 3; k++) {
    force[k] = link->m * (a[k] - gravity[k]) - wrench[3 + k];
    moment[k] = e[k] - (wrench[k] + moment[k]);
  }
  for (size_t j = 0; j <= joint; j++) {
    memcpy(a_by[j], x->a_by[j], sizeof a_by[j]);
    add_cross(a_by[j], x->e_by[j], link->c);
    rotate3(Je_by[j], link->J, x->e_by[j]);
    b[j] -= dot3(force, a_by[j]) + dot3(moment, x->e_by[j]);
    for (size_t k = 0; k <= j; k++) H[j * n + k] += link->m * dot3(a_by[j], a_by[k]) + dot3(Je_by[j], x->e_by[k]);
  }
}

/* The load's wrench on the last link, at its origin in base axes. */
static void wrench_in_base(const struct armdyn_robot *robot, const struct armdyn_load *load, const struct pose *pose,
                           const struct pose *at, double out[6])
{
  double memory[6];
  const double *wrench = load_on_last_link(robot, load, pose, memory);
  memset(out, 0, 6 * sizeof *out);
  if (!wrench) return;
  rotate3(out, at->r, wrench);
  rotate3(out + 3, at->r, wrench + 3);
}

static enum armdyn_status least_by_linear_system(const struct armdyn_robot *robot, const double *q, const double *qd,
                                                 const double *tau, const struct armdyn_load *load,
                                                 struct armdyn_workspace *workspace, double *qdd)
{
  const size_t n = robot->joint_count;
  double *H = workspace->matrix, *b = workspace->vector, wrench[6] = { 0 };
  struct accelerated x = { .at = { .r = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  pose_joints(robot, q, workspace->pose);
  memcpy(b, tau, n * sizeof *b);
  friction_take_off(robot, q, qd, load, b);
  for (size_t k = 0; k < n * n; k++) H[k] = robot->coupled ? robot->coupled_rotor_inertia[k] : 0;
  for (size_t i = 0; i < n && !robot->coupled; i++) H[i * n + i] = robot->rotor_inertia[i];

  for (size_t i = 0; i < n; i++) {
    struct centred link;
    link_outward(&x, i, &workspace->pose[i], robot->joints[i].prismatic, qd[i]);
    centre(&link, &robot->joints[i].link, x.at.r);
    if (i + 1 == n) wrench_in_base(robot, load, workspace->pose, &x.at, wrench);
    gather(&x, i, &link, robot->gravity, wrench, n, H, b);
  }
  if (!mass_matrix_factor(robot, q, H)) return ARMDYN_ESINGULAR;
  cholesky_solve(n, H, b);
  memcpy(qdd, b, n * sizeof *qdd);
  return ARMDYN_OK;
}

enum armdyn_status forward_by_least_constraint(const struct armdyn_robot *robot, const double *q, const double *qd,
                                               const double *tau, const struct armdyn_load *load,
                                               struct armdyn_workspace *workspace, double *qdd)
{
  double torque[ARMDYN_JOINTS_MAX];
  if (robot->coupled) return least_by_linear_system(robot, q, qd, tau, load, workspace, qdd);
  memcpy(torque, tau, robot->joint_count * sizeof *torque);
  friction_take_off(robot, q, qd, load, torque);
  return lanes_fastest()->gauss(robot, q, qd, torque, load, qdd) ? ARMDYN_OK : ARMDYN_ESINGULAR;
}
