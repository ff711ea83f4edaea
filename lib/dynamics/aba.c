/* Articulated bodies: joint accelerations in O(n).
 *
 * The outward pass is that of inverse dynamics at qdd = 0, so the forces already hold gravity and everything that comes
 * from velocities; what is left is linear: inward the articulated inertias and the torques left over, outward the
 * accelerations that those cause. Source: Featherstone 2008, table 7.1. */
#include "lib/dynamics/motion.h"
#include "lib/dynamics/rnea.h"
#include "lib/dynamics/roads.h"

/* A link by itself: [tr(S) 1 - S, [h]x; [h]x', m 1] */
static void articulated_link(struct articulated *x, const struct distribution *d)
{
  const double *h = d->h, *s = d->s, m = d->m;
  *x = (struct articulated){ { s[1] + s[2], s[0] + s[2], s[0] + s[1], -s[3], -s[4], -s[5] },
                             { 0, -h[2], h[1], h[2], 0, -h[0], -h[1], h[0], 0 },
                             { m, m, m, 0, 0, 0 } };
}

/* The force that a unit acceleration of the joint takes. */
static void joint_column(double U[6], const struct articulated *x, bool prismatic)
{
  const double *B = x->coupling;
  if (prismatic) {
    const double column[6] = { B[2], B[5], B[8], x->mass[4], x->mass[5], x->mass[2] };
    memcpy(U, column, sizeof column);
  } else {
    const double column[6] = { x->angular[4], x->angular[5], x->angular[2], B[6], B[7], B[8] };
    memcpy(U, column, sizeof column);
  }
}

static const int row_of[6] = { 0, 1, 2, 0, 0, 1 }, column_of[6] = { 0, 1, 2, 1, 2, 2 };

/* x -= U U' / D: what is felt through a joint that gives way */
static inline void release(struct articulated *x, const double U[6], double D)
{
  double V[6];
  for (int k = 0; k < 6; k++) V[k] = U[k] / D;
  for (int k = 0; k < 6; k++) {
    x->angular[k] -= U[row_of[k]] * V[column_of[k]];
    x->mass[k] -= U[3 + row_of[k]] * V[3 + column_of[k]];
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) x->coupling[3 * i + j] -= U[i] * V[3 + j];
  }
}

/* R A R' of a symmetric A, all nine elements */
static inline void turn_symmetric(double *restrict out, const double *r, const double s[6])
{
  const double full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  double half[9];
  multiply3(half, r, full);
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) out[3 * i + j] = out[3 * j + i] = dot3(half + 3 * i, r + 3 * j);
  }
}

/* parent += an articulated body whose frame in the parent's is `at`. With A, B, C turned into the parent's axes:
 * mass C, coupling B + [p]x C, angular A + [p]x B' + (B + [p]x C) [p]x'. */
static inline void articulated_inward(struct articulated *restrict parent, const struct pose *at,
                                      const struct articulated *x)
{
  const double *p = at->p, *r = at->r;
  const double cross[9] = { 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0 };
  double A[9], B[9], C[9], half[9], moved[9];
  turn_symmetric(A, r, x->angular);
  turn_symmetric(C, r, x->mass);
  multiply3(half, r, x->coupling);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) B[3 * i + j] = dot3(half + 3 * i, r + 3 * j);
  }
  multiply3(moved, cross, C);
  for (int k = 0; k < 9; k++) moved[k] += B[k];
  for (int k = 0; k < 6; k++) {
    const int i = row_of[k], j = column_of[k];
    parent->angular[k] += A[3 * i + j] + dot3(cross + 3 * i, B + 3 * j) + dot3(moved + 3 * i, cross + 3 * j);
    parent->mass[k] += C[3 * i + j];
  }
  for (int k = 0; k < 9; k++) parent->coupling[k] += moved[k];
}

/* Forces on the links for qdd = 0, and every link's own inertia. */
static void bias_outward(const struct armdyn_robot *robot, const double *qd, const struct armdyn_load *load,
                         struct armdyn_workspace *workspace)
{
  struct motion motion[2] = { 0 };
  double memory[6];
  for (int k = 0; k < 3; k++) motion[1].a[k] = -robot->gravity[k];
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct compiled_joint *joint = &robot->joints[i];
    motion_outward(&motion[i % 2], &motion[(i + 1) % 2], &workspace->pose[i], joint->prismatic, qd[i], 0);
    inertial_force(workspace->force + 6 * i, &motion[i % 2], &joint->link);
    articulated_link(&workspace->articulated[i], &joint->link);
  }
  const double *wrench = load_on_last_link(robot, load, workspace->pose, memory);
  double *last = workspace->force + 6 * (robot->joint_count - 1);
  for (int k = 0; wrench && k < 6; k++) last[k] -= wrench[k];
}

/* Every joint's inertia and the torque left for it; false when a joint has no inertia to push against. */
static bool hinges_inward(const struct armdyn_robot *robot, const double *q, const double *qd, const double *tau,
                          bool frictionless, struct armdyn_workspace *workspace)
{
  for (size_t i = robot->joint_count; i-- > 0;) {
    struct articulated *body = &workspace->articulated[i];
    struct hinge *hinge = &workspace->hinge[i];
    const int axis = robot->joints[i].prismatic ? 5 : 2;
    double *force = workspace->force + 6 * i;
    joint_column(hinge->column, body, robot->joints[i].prismatic);
    hinge->inertia = hinge->column[axis] + robot->rotor_inertia[i];
    hinge->torque = tau[i] - force[axis];
    if (!frictionless && robot->joints[i].friction) hinge->torque -= armdyn_friction_torque(robot, i, q[i], qd[i]);
    if (!(hinge->inertia > 0)) return false;
    if (i == 0) break;
    const double rate = hinge->torque / hinge->inertia;
    for (int k = 0; k < 6; k++) force[k] += hinge->column[k] * rate;
    force_inward(force - 6, &workspace->pose[i], force);
    release(body, hinge->column, hinge->inertia);
    articulated_inward(body - 1, &workspace->pose[i], body);
  }
  return true;
}

static void accelerations_outward(const struct armdyn_robot *robot, const struct armdyn_workspace *workspace,
                                  double *qdd)
{
  double turn[3] = { 0 }, shift[3] = { 0 }; /* what the joints so far add to the link's motion */
  for (size_t i = 0; i < robot->joint_count; i++) {
    const struct hinge *hinge = &workspace->hinge[i];
    velocity_outward(turn, shift, &workspace->pose[i], robot->joints[i].prismatic, 0);
    const double felt = dot3(hinge->column, turn) + dot3(hinge->column + 3, shift);
    qdd[i] = (hinge->torque - felt) / hinge->inertia;
    (robot->joints[i].prismatic ? shift : turn)[2] += qdd[i];
  }
}

enum armdyn_status forward_by_articulated_bodies(const struct armdyn_robot *robot, const double *q, const double *qd,
                                                 const double *tau, const struct armdyn_load *load,
                                                 struct armdyn_workspace *workspace, double *qdd)
{
  /* rotors that couple joints are no part of any link */
  if (robot->coupled) return forward_by_mass_matrix(robot, q, qd, tau, load, workspace, qdd);
  pose_joints(robot, q, workspace->pose);
  bias_outward(robot, qd, load, workspace);
  if (!hinges_inward(robot, q, qd, tau, load && load->frictionless, workspace)) return ARMDYN_ESINGULAR;
  accelerations_outward(robot, workspace, qdd);
  return ARMDYN_OK;
}
