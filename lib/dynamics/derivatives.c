/* Analytic derivatives of inverse dynamics, in base axes.
 *
 * Let s_j be the axis of joint j, v and a the velocity and acceleration of the link before it. A change of q_j carries all
 * links beyond it along with s_j, and with them everything that is theirs. Seen from these links the rest of the arm moves
 * backwards; so their velocity changes, over and above being carried, by s' = v x s_j per unit of q_j, and their
 * acceleration by s'' = a x s_j + v x s', v's own Coriolis part apart. What force does that take? On a body with velocity
 * field V, [integral x cross f; integral f] of
 *   f = (field of s'') dm + 2 w' cross V dm,   w' the angular part of s',
 * the second term being Coriolis' force on what moves in a frame that turns with w'. Its integrals need two sums of the body:
 * momentum = integral V dm and carried = integral V x' dm. They add up over bodies, as mass, h and S do, and so
 *   d tau_i / d q_j  = s_i . (A s'_j + B s''_j)                for i >= j, sums over link i and all beyond it,
 *   d tau_i / d q_j  = s_i . (A s'_j + B s''_j + s_j x* f_j)   for i < j, sums over j and beyond, f_j their force;
 *   d tau_i / d qd_j = s_i . (A s_j + 2 B s'_j)
 * with A the Coriolis term and B the inertia. */
#include "armdyn/derivatives.h"

#include "lib/dynamics/links_in_base.h"
#include "lib/dynamics/rnea.h"
#include "lib/math/linear.h"
#include "lib/model/friction.h"

/* The sums of one link, and its force. */
static void link_sums(struct link_in_base *x, const struct distribution *link)
{
  const double *w = x->velocity, *v = x->velocity + 3, *h = x->body.h, *s = x->body.s;
  memset(&x->body, 0, sizeof x->body);
  distribution_add(&x->body, &x->at, link);

  /* carried = v h' + [w]x S, momentum = m v + w x h */
  const double full[9] = { s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2] };
  for (int k = 0; k < 3; k++) {
    x->carried[k] = v[0] * h[k] + w[1] * full[6 + k] - w[2] * full[3 + k];
    x->carried[3 + k] = v[1] * h[k] + w[2] * full[k] - w[0] * full[6 + k];
    x->carried[6 + k] = v[2] * h[k] + w[0] * full[3 + k] - w[1] * full[k];
  }
  cross3(x->momentum, w, h);
  for (int k = 0; k < 3; k++) x->momentum[k] += x->body.m * v[k];
}

/* out += factor ([moment; force] of 2 w' cross V), per 2 */
static void add_coriolis(double out[6], const struct link_in_base *x, const double turn[3], double factor)
{
  const double trace = x->carried[0] + x->carried[4] + x->carried[8];
  double moment[3], force[3];
  rotate3(moment, x->carried, turn);
  cross3(force, turn, x->momentum);
  for (int k = 0; k < 3; k++) {
    out[k] += factor * (trace * turn[k] - moment[k]);
    out[3 + k] += factor * force[k];
  }
}

static void sums(const struct armdyn_robot *robot, struct link_in_base *links)
{
  for (size_t i = robot->joint_count; i-- > 0;) {
    struct link_in_base *x = &links[i];
    link_sums(x, &robot->joints[i].link);
    body_times(x->force, &x->body, x->acceleration);
    add_coriolis(x->force, x, x->velocity, 1);
    if (i + 1 == robot->joint_count) continue;
    const struct link_in_base *beyond = x + 1;
    x->body.m += beyond->body.m;
    for (int k = 0; k < 3; k++) x->body.h[k] += beyond->body.h[k];
    for (int k = 0; k < 6; k++) x->body.s[k] += beyond->body.s[k];
    for (int k = 0; k < 9; k++) x->carried[k] += beyond->carried[k];
    for (int k = 0; k < 3; k++) x->momentum[k] += beyond->momentum[k];
    for (int k = 0; k < 6; k++) x->force[k] += beyond->force[k];
  }
}

/* A force in the frame of a link, at the base origin in base axes. */
static void force_to_base(const struct pose *at, const double f[6], double out[6])
{
  double arm[3];
  rotate3(out, at->r, f);
  rotate3(out + 3, at->r, f + 3);
  cross3(arm, at->p, out + 3);
  for (int k = 0; k < 3; k++) out[k] += arm[k];
}

/* A wrench in base axes is not carried along as the sums have it: its direction stays, its point moves with the tool. */
static void wrench_stays(const struct armdyn_robot *robot, const struct link_in_base *links, const double wrench[6],
                         double *dtau_dq)
{
  const size_t n = robot->joint_count;
  struct pose tool;
  pose_multiply(&tool, &links[n - 1].at, &robot->tool);
  for (size_t j = 0; j < n; j++) {
    const double *s = links[j].axis;
    double carried[6], point[3], moved[3];
    cross_force(carried, s, wrench);
    cross3(point, s, tool.p);
    for (int k = 0; k < 3; k++) point[k] += s[3 + k];
    cross3(moved, point, wrench + 3);
    for (int k = 0; k < 3; k++) carried[k] -= moved[k];
    for (size_t i = 0; i < n; i++) dtau_dq[i * n + j] += dot6(links[i].axis, carried);
  }
}

/* Row i up to the diagonal: the sums of link i and beyond, for changes of the joints before it. */
static void row_of(const struct link_in_base *links, size_t n, size_t i, double *dtau_dq, double *dtau_dqd, double *M)
{
  const struct link_in_base *x = &links[i];
  const double trace = x->carried[0] + x->carried[4] + x->carried[8];
  double inertial[6], turn[3], shift[3];
  /* s . A w' = w' . turn */
  body_times(inertial, &x->body, x->axis);
  unrotate3(turn, x->carried, x->axis);
  cross3(shift, x->momentum, x->axis + 3);
  for (int k = 0; k < 3; k++) turn[k] = 2 * (trace * x->axis[k] - turn[k] + shift[k]);
  for (size_t j = 0; j <= i; j++) {
    const struct link_in_base *y = &links[j];
    M[i * n + j] = M[j * n + i] = dot6(inertial, y->axis);
    dtau_dq[i * n + j] = dot6(inertial, y->turned_twice) + dot3(turn, y->turned);
    dtau_dqd[i * n + j] = 2 * dot6(inertial, y->turned) + dot3(turn, y->axis);
  }
}

/* Column j above the diagonal: the same sums, felt at the joints before. */
static void column_of(const struct link_in_base *links, size_t n, size_t j, double *dtau_dq, double *dtau_dqd)
{
  const struct link_in_base *x = &links[j];
  double by_q[6], by_qd[6], carried[6];
  body_times(by_q, &x->body, x->turned_twice);
  body_times(by_qd, &x->body, x->turned);
  cross_force(carried, x->axis, x->force);
  for (int k = 0; k < 6; k++) {
    by_q[k] += carried[k];
    by_qd[k] *= 2;
  }
  add_coriolis(by_q, x, x->turned, 2);
  add_coriolis(by_qd, x, x->axis, 2);
  for (size_t i = 0; i < j; i++) {
    dtau_dq[i * n + j] = dot6(links[i].axis, by_q);
    dtau_dqd[i * n + j] = dot6(links[i].axis, by_qd);
  }
}

void armdyn_inverse_dynamics_derivatives(const struct armdyn_robot *robot, const double *q, const double *qd,
                                         const double *qdd, const struct armdyn_load *load,
                                         struct armdyn_workspace *workspace, double *dtau_dq, double *dtau_dqd,
                                         double *mass_matrix)
{
  const size_t n = robot->joint_count;
  struct link_in_base *links = workspace->links;
  double memory[6], wrench[6];
  links_move(robot, q, qd, qdd, workspace);
  sums(robot, links);
  const double *on_last = load_on_last_link(robot, load, workspace->pose, memory);
  if (on_last) {
    force_to_base(&links[n - 1].at, on_last, wrench);
    for (size_t i = 0; i < n; i++) {
      for (int k = 0; k < 6; k++) links[i].force[k] -= wrench[k];
    }
  }
  for (size_t i = 0; i < n; i++) {
    row_of(links, n, i, dtau_dq, dtau_dqd, mass_matrix);
    column_of(links, n, i, dtau_dq, dtau_dqd);
  }
  if (on_last && load->wrench_frame == ARMDYN_WRENCH_BASE) wrench_stays(robot, links, wrench, dtau_dq);
  rotor_inertia_matrix_add(robot, mass_matrix);
  for (size_t i = 0; i < n && !(load && load->frictionless); i++) {
    double by_position, by_speed;
    friction_slopes(robot, i, q[i], qd[i], &by_position, &by_speed);
    dtau_dq[i * n + i] += by_position;
    dtau_dqd[i * n + i] += by_speed;
  }
}
