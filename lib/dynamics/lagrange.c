/* Lagrange's equations with 4 x 4 matrices. With T_p the homogeneous frame of link p and G_j = T_j D T_j^-1, D the
 * generator of a motion about or along z,
 *
 *   U_pj = dT_p/dq_j = G_j T_p,   U_pjk = dU_pj/dq_k = G_j G_k T_p   (j <= k <= p, symmetric in j and k)
 *   tau_i = sum_(p >= i) tr([sum_j U_pj qdd_j + sum_jk U_pjk qd_j qd_k] J_p U_pi') - sum_(p >= i) g.(U_pi J_p e_4)
 *
 * where J_p = [S h; h' m] is the pseudo-inertia of the link. The sums over j and k are taken before the trace, so the
 * cost is O(n^3) instead of O(n^4). Source: Uicker 1965; Kahn 1969; Paul, Robot Manipulators, ch. 6. */
#include "lib/dynamics/methods.h"

/* C = A B, 4 x 4 */
static void multiply4(double *restrict C, const double *A, const double *B)
{
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += A[4 * i + k] * B[4 * k + j];
      C[4 * i + j] = sum;
    }
  }
}

static void homogeneous(double T[16], const struct pose *x)
{
  const double *r = x->r, *p = x->p;
  const double whole[16] = { r[0], r[1], r[2], p[0], r[3], r[4], r[5], p[1], r[6], r[7], r[8], p[2], 0, 0, 0, 1 };
  memcpy(T, whole, sizeof whole);
}

/* G = T D T^-1: about the axis z through p, [z]x (x - p); along it, z. */
static void generator(double G[16], const double T[16], bool prismatic)
{
  const double z[3] = { T[2], T[6], T[10] }, p[3] = { T[3], T[7], T[11] };
  memset(G, 0, 16 * sizeof *G);
  if (prismatic) {
    for (int i = 0; i < 3; i++) G[4 * i + 3] = z[i];
    return;
  }
  const double turn[9] = { 0, -z[2], z[1], z[2], 0, -z[0], -z[1], z[0], 0 };
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) G[4 * i + j] = turn[3 * i + j];
    G[4 * i + 3] = -dot3(turn + 3 * i, p);
  }
}

static void pseudo_inertia(double J[16], const struct distribution *d)
{
  const double *s = d->s, *h = d->h;
  const double whole[16] = { s[0], s[3], s[4], h[0], s[3], s[1], s[5], h[1],
                             s[4], s[5], s[2], h[2], h[0], h[1], h[2], d->m };
  memcpy(J, whole, sizeof whole);
}

/* sum_j U_pj qdd_j + sum_jk U_pjk qd_j qd_k for the joints 0 .. p */
static void second_derivative(double sum[16], size_t p, const double *G, const double *U, const double *qd,
                              const double *qdd)
{
  double Ujk[16];
  memset(sum, 0, 16 * sizeof *sum);
  for (size_t k = 0; k <= p; k++) {
    for (int e = 0; e < 16; e++) sum[e] += U[16 * k + (size_t)e] * qdd[k];
    for (size_t j = 0; j <= k; j++) {
      const double twice = (j < k ? 2 : 1) * qd[j] * qd[k];
      multiply4(Ujk, G + 16 * j, U + 16 * k);
      for (int e = 0; e < 16; e++) sum[e] += Ujk[e] * twice;
    }
  }
}

/* tau -= the work of the wrench on the tool's virtual motion G_i T_tool, for every joint */
static void wrench_work(const struct armdyn_robot *robot, const struct armdyn_load *load, const double *last,
                        const double *G, double *tau)
{
  double relative[16], tool[16], motion[16], wrench[6];
  homogeneous(relative, &robot->tool);
  multiply4(tool, last, relative);
  const double R[9] = { tool[0], tool[1], tool[2], tool[4], tool[5], tool[6], tool[8], tool[9], tool[10] };
  memcpy(wrench, load->wrench, sizeof wrench);
  if (load->wrench_frame == ARMDYN_WRENCH_TOOL) {
    rotate3(wrench, R, load->wrench);
    rotate3(wrench + 3, R, load->wrench + 3);
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    const double *g = G + 16 * i, turn[3] = { g[9], g[2], g[4] };
    multiply4(motion, g, tool);
    const double shift[3] = { motion[3], motion[7], motion[11] };
    tau[i] -= dot3(wrench, turn) + dot3(wrench + 3, shift);
  }
}

void lagrange_torques(const struct armdyn_robot *robot, const double *qd, const double *qdd,
                      const struct armdyn_load *load, const struct pose *pose, double *tau)
{
  const size_t n = robot->joint_count;
  double T[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
  double G[16 * ARMDYN_JOINTS_MAX], U[16 * ARMDYN_JOINTS_MAX];
  memset(tau, 0, n * sizeof *tau);
  for (size_t p = 0; p < n; p++) {
    double step[16], parent[16], J[16], acceleration[16], felt[16];
    memcpy(parent, T, sizeof parent);
    homogeneous(step, &pose[p]);
    multiply4(T, parent, step);
    generator(G + 16 * p, T, robot->joints[p].prismatic);
    for (size_t j = 0; j <= p; j++) multiply4(U + 16 * j, G + 16 * j, T);
    second_derivative(acceleration, p, G, U, qd, qdd);
    /* weight is an acceleration of the whole link: rows 0 to 2 of the last column act on h and m alike */
    for (int i = 0; i < 3; i++) acceleration[4 * i + 3] -= robot->gravity[i];
    pseudo_inertia(J, &robot->joints[p].link);
    multiply4(felt, acceleration, J);
    for (size_t i = 0; i <= p; i++) {
      for (int e = 0; e < 12; e++) tau[i] += felt[e] * U[16 * i + (size_t)e];
    }
  }
  if (load && load->wrench) wrench_work(robot, load, T, G, tau);
}
