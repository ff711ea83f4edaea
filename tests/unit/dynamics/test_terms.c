/* The terms one by one on random arms: Christoffel's matrix, Jacobian, momentum and statics against differences of
 * forward kinematics and of the mass matrix, and against the balance of forces. */
#include <criterion/criterion.h>

#include "lib/math/vector.h"
#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], wrench[6];
};

static void each_arm(void (*law)(const struct arm *arm))
{
  static struct arm arm;
  for (size_t k = 0; k < 3 * N; k++) {
    struct dice dice = { 31 + 100 * k };
    arm.n = 1 + k / 3;
    random_description(&dice, &arm.description, arm.n, (enum armdyn_convention)(k % 3));
    cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, NULL), ARMDYN_OK);
    arm.workspace = armdyn_workspace_new(arm.n);
    dice_fill(&dice, arm.q, arm.n, -1.5, 1.5);
    dice_fill(&dice, arm.qd, arm.n, -1, 1);
    dice_fill(&dice, arm.wrench, 6, -20, 20);
    law(&arm);
    armdyn_robot_free(arm.robot);
    armdyn_workspace_free(arm.workspace);
  }
}

/* d/dt of `count` numbers along qd, by a fourth-order difference. */
static void along_motion(const struct arm *arm, void (*evaluate)(const struct arm *arm, const double *q, double *out),
                         size_t count, double *rate)
{
  const double h = 1e-3, weight[4] = { 1, -8, 8, -1 }, step[4] = { -2, -1, 1, 2 };
  static double value[N * N];
  double q[N];
  memset(rate, 0, count * sizeof *rate);
  for (int k = 0; k < 4; k++) {
    for (size_t i = 0; i < arm->n; i++) q[i] = arm->q[i] + step[k] * h * arm->qd[i];
    evaluate(arm, q, value);
    for (size_t i = 0; i < count; i++) rate[i] += weight[k] * value[i] / (12 * h);
  }
}

static double largest(const double *x, size_t count)
{
  double most = 1;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(x[k]));
  return most;
}

/* ---- Coriolis */

static void mass_matrix(const struct arm *arm, const double *q, double *M)
{
  armdyn_mass_matrix(arm->robot, q, arm->workspace, M);
}

/* dM/dt = C + C', and C(u) v = C(v) u: only Christoffel's symbols have both. C qd is the torque of velocities. */
static void christoffel(const struct arm *arm)
{
  static double C[N * N], other[N * N], rate[N * N];
  const size_t n = arm->n;
  double v[N], torque[N];
  struct dice dice = { n };
  dice_fill(&dice, v, n, -1, 1);
  armdyn_coriolis_matrix(arm->robot, arm->q, arm->qd, arm->workspace, C);
  armdyn_coriolis_matrix(arm->robot, arm->q, v, arm->workspace, other);
  armdyn_coriolis_torque(arm->robot, arm->q, arm->qd, arm->workspace, torque);
  along_motion(arm, mass_matrix, n * n, rate);
  const double scale = largest(C, n * n);
  for (size_t i = 0; i < n; i++) {
    double own = 0, crossed = 0, swapped = 0;
    for (size_t j = 0; j < n; j++) {
      own += C[i * n + j] * arm->qd[j];
      crossed += C[i * n + j] * v[j];
      swapped += other[i * n + j] * arm->qd[j];
      cr_assert_float_eq(C[i * n + j] + C[j * n + i], rate[i * n + j], 1e-8 * scale, "%zu joints", n);
    }
    cr_assert_float_eq(own, torque[i], 1e-12 * scale * (double)n, "%zu joints", n);
    cr_assert_float_eq(crossed, swapped, 1e-12 * scale * (double)n, "%zu joints", n);
  }
}

Test(terms, coriolis_matrix_is_that_of_christoffel)
{
  each_arm(christoffel);
}

/* qd' (dM/dt - 2 C) qd = 0 for a qd that is not the one of C. */
static void forces_do_no_work(const struct arm *arm)
{
  static double C[N * N], rate[N * N];
  const size_t n = arm->n;
  double v[N], power = 0;
  struct dice dice = { n + 7 };
  dice_fill(&dice, v, n, -1, 1);
  armdyn_coriolis_matrix(arm->robot, arm->q, arm->qd, arm->workspace, C);
  along_motion(arm, mass_matrix, n * n, rate);
  for (size_t k = 0; k < n * n; k++) power += v[k / n] * (rate[k] - 2 * C[k]) * v[k % n];
  cr_assert_float_eq(power, 0, 1e-8 * largest(C, n * n) * (double)(n * n));
}

Test(terms, mass_rate_less_twice_coriolis_is_skew)
{
  each_arm(forces_do_no_work);
}

/* ---- Gravity and friction */

static void single_terms(const struct arm *arm)
{
  double tau[N], g[N], f[N], own[N];
  const struct armdyn_torque_parts parts = { .gravity = g, .friction = f };
  armdyn_inverse_dynamics_parts(arm->robot, arm->q, arm->qd, arm->qd, NULL, arm->workspace, tau, &parts);
  armdyn_gravity_torque(arm->robot, arm->q, arm->workspace, own);
  for (size_t i = 0; i < arm->n; i++) cr_assert_eq(own[i], g[i]);
  armdyn_friction_torques(arm->robot, arm->q, arm->qd, own);
  for (size_t i = 0; i < arm->n; i++) cr_assert_eq(own[i], f[i]);
}

Test(terms, gravity_and_friction_are_those_of_inverse_dynamics)
{
  each_arm(single_terms);
}

/* ---- Jacobian */

static void tool(const struct arm *arm, const double *q, double *T)
{
  armdyn_forward_kinematics(arm->robot, q, arm->workspace, T, NULL);
}
static void jacobian_base(const struct arm *arm, const double *q, double *J)
{
  armdyn_jacobian(arm->robot, q, ARMDYN_JACOBIAN_BASE, arm->workspace, J);
}
static void jacobian_tool(const struct arm *arm, const double *q, double *J)
{
  armdyn_jacobian(arm->robot, q, ARMDYN_JACOBIAN_TOOL, arm->workspace, J);
}

static void times_qd(const struct arm *arm, const double *J, double out[6])
{
  memset(out, 0, 6 * sizeof *out);
  for (size_t k = 0; k < 6 * arm->n; k++) out[k / arm->n] += J[k] * arm->qd[k % arm->n];
}

/* J qd = [w; v] with R' = [w]x R and v = p' of the tool. */
static void tool_velocity(const struct arm *arm)
{
  double T[16], rate[16], J[6 * N], base[6], own[6];
  tool(arm, arm->q, T);
  along_motion(arm, tool, 16, rate);
  jacobian_base(arm, arm->q, J);
  times_qd(arm, J, base);
  jacobian_tool(arm, arm->q, J);
  times_qd(arm, J, own);
  for (int i = 0; i < 3; i++) {
    double turned[2] = { 0 };
    for (int j = 0; j < 3; j++) { /* column j of R, turning */
      const double column[3] = { T[j], T[4 + j], T[8 + j] };
      double wanted[3];
      cross3(wanted, base, column);
      cr_assert_float_eq(wanted[i], rate[4 * i + j], 1e-8);
      turned[0] += T[4 * i + j] * own[j];
      turned[1] += T[4 * i + j] * own[3 + j];
    }
    cr_assert_float_eq(base[3 + i], rate[4 * i + 3], 1e-8, "%zu joints", arm->n);
    cr_assert_float_eq(turned[0], base[i], 1e-12 * (double)arm->n);
    cr_assert_float_eq(turned[1], base[3 + i], 1e-12 * (double)arm->n);
  }
}

Test(terms, jacobian_is_the_slope_of_kinematics)
{
  each_arm(tool_velocity);
}

static void jacobian_rate(const struct arm *arm)
{
  static double rate[6 * N];
  double wanted[6], got[6];
  for (int frame = ARMDYN_JACOBIAN_BASE; frame <= ARMDYN_JACOBIAN_TOOL; frame++) {
    along_motion(arm, frame == ARMDYN_JACOBIAN_BASE ? jacobian_base : jacobian_tool, 6 * arm->n, rate);
    times_qd(arm, rate, wanted);
    armdyn_jacobian_dot_qd(arm->robot, arm->q, arm->qd, (enum armdyn_jacobian_frame)frame, arm->workspace, got);
    for (int k = 0; k < 6; k++) {
      cr_assert_float_eq(got[k], wanted[k], 1e-7 * largest(wanted, 6), "%zu joints, frame %d, row %d: %.12g, %.12g",
                         arm->n, frame, k, got[k], wanted[k]);
    }
  }
}

Test(terms, jacobian_dot_qd_is_the_rate_of_the_jacobian)
{
  each_arm(jacobian_rate);
}

/* ---- Momentum */

static void frames(const struct arm *arm, const double *q, double *T)
{
  armdyn_forward_kinematics(arm->robot, q, arm->workspace, T + 16 * arm->n, T);
}

/* A body on a frame T whose rate is known: p += m c', L += c x m c' + R I w with [w]x = R' R'. */
static void add_momentum(const double *T, const double *rate, const struct armdyn_body *body, double sum[6])
{
  const struct armdyn_inertia *e = &body->inertia;
  const double I[9] = { e->xx, e->xy, e->xz, e->xy, e->yy, e->yz, e->xz, e->yz, e->zz };
  double c[3], v[3], spin[9], moment[3];
  for (int i = 0; i < 3; i++) {
    c[i] = T[4 * i + 3] + dot3(T + 4 * i, body->com);
    v[i] = body->mass * (rate[4 * i + 3] + dot3(rate + 4 * i, body->com));
    for (int j = 0; j < 3; j++) {
      spin[3 * i + j] = T[i] * rate[j] + T[4 + i] * rate[4 + j] + T[8 + i] * rate[8 + j]; /* R' dR/dt */
    }
  }
  const double w[3] = { spin[7], spin[2], spin[3] };
  double Iw[3];
  rotate3(Iw, I, w);
  cross3(moment, c, v);
  for (int i = 0; i < 3; i++) {
    sum[i] += moment[i] + dot3(T + 4 * i, Iw);
    sum[3 + i] += v[i];
  }
}

static void momentum(const struct arm *arm)
{
  static double T[16 * (N + 1)], rate[16 * (N + 1)];
  double wanted[6] = { 0 }, got[6];
  frames(arm, arm->q, T);
  along_motion(arm, frames, 16 * (arm->n + 1), rate);
  for (size_t i = 0; i < arm->n; i++) {
    add_momentum(T + 16 * i, rate + 16 * i, &arm->description.joints[i].link, wanted);
  }
  add_momentum(T + 16 * arm->n, rate + 16 * arm->n, &arm->description.payload, wanted);
  armdyn_momentum(arm->robot, arm->q, arm->qd, arm->workspace, got);
  for (int k = 0; k < 6; k++) {
    cr_assert_float_eq(got[k], wanted[k], 1e-8 * largest(wanted, 6), "%zu joints, %d: %.12g, %.12g", arm->n, k, got[k],
                       wanted[k]);
  }
}

Test(terms, momentum_is_that_of_the_bodies)
{
  each_arm(momentum);
}

/* ---- Statics */

/* [moment about the base origin; force] in base axes of a wrench at and in the frame T; added with a sign. */
static void add_wrench(const double *T, const double *wrench, double sign, double sum[6])
{
  const double R[9] = { T[0], T[1], T[2], T[4], T[5], T[6], T[8], T[9], T[10] }, p[3] = { T[3], T[7], T[11] };
  double moment[3], force[3], arm[3];
  rotate3(moment, R, wrench);
  rotate3(force, R, wrench + 3);
  cross3(arm, p, force);
  for (int k = 0; k < 3; k++) {
    sum[k] += sign * (moment[k] + arm[k]);
    sum[3 + k] += sign * force[k];
  }
}

static void add_weight(const double *T, const struct armdyn_body *body, const double gravity[3], double sum[6])
{
  double c[3], moment[3];
  for (int i = 0; i < 3; i++) c[i] = T[4 * i + 3] + dot3(T + 4 * i, body->com);
  cross3(moment, c, gravity);
  for (int k = 0; k < 3; k++) {
    sum[k] += body->mass * moment[k];
    sum[3 + k] += body->mass * gravity[k];
  }
}

/* Every link is in balance: what the link before exerts, less what it exerts on the next, weight, payload, wrench. */
static void balance(const struct arm *arm)
{
  static double T[16 * (N + 1)], joint[6 * N];
  const size_t n = arm->n;
  double tau[N];
  frames(arm, arm->q, T);
  armdyn_statics(arm->robot, arm->q, arm->wrench, ARMDYN_WRENCH_TOOL, arm->workspace, tau, joint);
  for (size_t i = 0; i < n; i++) {
    double sum[6] = { 0 };
    add_wrench(T + 16 * i, joint + 6 * i, 1, sum);
    add_weight(T + 16 * i, &arm->description.joints[i].link, arm->description.gravity, sum);
    if (i + 1 < n) {
      add_wrench(T + 16 * (i + 1), joint + 6 * (i + 1), -1, sum);
    } else {
      add_weight(T + 16 * n, &arm->description.payload, arm->description.gravity, sum);
      add_wrench(T + 16 * n, arm->wrench, 1, sum);
    }
    for (int k = 0; k < 6; k++) cr_assert_float_eq(sum[k], 0, 1e-10 * largest(joint, 6 * n), "%zu joints", n);
  }
}

Test(terms, every_link_at_rest_is_in_balance)
{
  each_arm(balance);
}

/* tau = g - J' w in both axes of the wrench, with or without the joint wrenches. */
static void virtual_work(const struct arm *arm)
{
  const size_t n = arm->n;
  double J[6 * N], g[N], tau[N];
  armdyn_gravity_torque(arm->robot, arm->q, arm->workspace, g);
  for (int tool_axes = 0; tool_axes < 2; tool_axes++) {
    (tool_axes ? jacobian_tool : jacobian_base)(arm, arm->q, J);
    armdyn_statics(arm->robot, arm->q, arm->wrench, tool_axes ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE, arm->workspace,
                   tau, NULL);
    for (size_t i = 0; i < n; i++) {
      double wanted = g[i];
      for (size_t k = 0; k < 6; k++) wanted -= J[k * n + i] * arm->wrench[k];
      cr_assert_float_eq(tau[i], wanted, 1e-11 * largest(g, n) * (double)n, "%zu joints", n);
    }
  }
  armdyn_statics(arm->robot, arm->q, NULL, ARMDYN_WRENCH_TOOL, arm->workspace, tau, NULL);
  for (size_t i = 0; i < n; i++) cr_assert_eq(tau[i], g[i]);
}

Test(terms, statics_is_virtual_work)
{
  each_arm(virtual_work);
}

/* ---- Motion of links, and what their joints carry in motion */

/* Where a motion q + qd t + qdd t^2 / 2 is after h steps of a millisecond. */
static void ahead(const struct arm *arm, const double *qdd, double h, double *q, double *qd)
{
  const double t = 1e-3 * h;
  for (size_t i = 0; i < arm->n; i++) {
    q[i] = arm->q[i] + t * arm->qd[i] + t * t * qdd[i] / 2;
    qd[i] = arm->qd[i] + t * qdd[i];
  }
}

/* Velocities are rates of poses, accelerations rates of velocities; the tool's are J qd and J qdd + dJ/dt qd. */
static void moving_frames(const struct arm *arm)
{
  static const double weight[4] = { 1, -8, 8, -1 }, step[4] = { -2, -1, 1, 2 };
  static double rate[16 * (N + 1)], T[16 * (N + 1)], slope[6 * (N + 1)], J[6 * N];
  static struct armdyn_frame_motion got[N + 1], near[N + 1];
  const size_t n = arm->n;
  double qdd[N] = { 0 }, q[N] = { 0 }, qd[N] = { 0 }, drift[6];
  struct dice dice = { n + 77 };
  dice_fill(&dice, qdd, n, -2, 2);
  armdyn_link_motion(arm->robot, arm->q, arm->qd, qdd, arm->workspace, &got[n], got);
  frames(arm, arm->q, T);
  along_motion(arm, frames, 16 * (n + 1), rate);
  memset(slope, 0, sizeof slope);
  for (int k = 0; k < 4; k++) {
    ahead(arm, qdd, step[k], q, qd);
    armdyn_link_motion(arm->robot, q, qd, NULL, arm->workspace, &near[n], near);
    for (size_t m = 0; m < 6 * (n + 1); m++) slope[m] += weight[k] * near[m / 6].velocity[m % 6] / (12 * 1e-3);
  }
  for (size_t i = 0; i <= n; i++) {
    for (size_t j = 0; j < 3; j++) { /* column j of R, turning */
      const double *at = T + 16 * i, column[3] = { at[j], at[4 + j], at[8 + j] };
      double wanted[3];
      cross3(wanted, got[i].velocity, column);
      for (size_t k = 0; k < 3; k++) cr_assert_float_eq(wanted[k], rate[16 * i + 4 * k + j], 1e-7, "%zu joints", n);
      cr_assert_float_eq(got[i].velocity[3 + j], rate[16 * i + 4 * j + 3], 1e-7 * (double)n, "%zu joints", n);
    }
    for (size_t k = 0; k < 6; k++)
      cr_assert_float_eq(got[i].acceleration[k], slope[6 * i + k], 1e-6 * largest(slope, 6 * (n + 1)), "%zu joints", n);
  }
  jacobian_base(arm, arm->q, J);
  armdyn_jacobian_dot_qd(arm->robot, arm->q, arm->qd, ARMDYN_JACOBIAN_BASE, arm->workspace, drift);
  for (size_t k = 0; k < 6; k++) {
    double velocity = 0, acceleration = drift[k];
    for (size_t i = 0; i < n; i++) velocity += J[k * n + i] * arm->qd[i], acceleration += J[k * n + i] * qdd[i];
    cr_assert_float_eq(got[n].velocity[k], velocity, 1e-11 * (double)n);
    cr_assert_float_eq(got[n].acceleration[k], acceleration, 1e-11 * largest(slope, 6 * (n + 1)) * (double)n);
  }
}

Test(terms, links_move_as_poses_change)
{
  each_arm(moving_frames);
}

/* The momentum of the whole arm changes by what its base exerts, weight, and the wrench. */
static void newton(const struct arm *arm)
{
  static const double weight[4] = { 1, -8, 8, -1 }, step[4] = { -2, -1, 1, 2 };
  static double T[16 * (N + 1)], joint[6 * N];
  const struct armdyn_load load = { arm->wrench, ARMDYN_WRENCH_TOOL, true };
  const size_t n = arm->n;
  double qdd[N] = { 0 }, q[N] = { 0 }, qd[N] = { 0 }, momentum[6], sum[6] = { 0 }, change[6] = { 0 };
  struct dice dice = { n + 99 };
  dice_fill(&dice, qdd, n, -2, 2);
  armdyn_joint_wrenches(arm->robot, arm->q, arm->qd, qdd, &load, arm->workspace, joint);
  frames(arm, arm->q, T);
  add_wrench(T, joint, 1, sum);
  add_wrench(T + 16 * n, arm->wrench, 1, sum);
  add_weight(T + 16 * n, &arm->description.payload, arm->description.gravity, sum);
  for (size_t i = 0; i < n; i++)
    add_weight(T + 16 * i, &arm->description.joints[i].link, arm->description.gravity, sum);
  for (int k = 0; k < 4; k++) {
    ahead(arm, qdd, step[k], q, qd);
    armdyn_momentum(arm->robot, q, qd, arm->workspace, momentum);
    for (int m = 0; m < 6; m++) change[m] += weight[k] * momentum[m] / (12 * 1e-3);
  }
  for (int k = 0; k < 6; k++) cr_assert_float_eq(sum[k], change[k], 1e-6 * largest(joint, 6 * n), "%zu joints", n);
}

Test(terms, momentum_changes_by_what_the_base_exerts)
{
  each_arm(newton);
}

/* At rest they are those of statics. */
static void at_rest(const struct arm *arm)
{
  static double joint[6 * N], held[6 * N];
  const struct armdyn_load load = { arm->wrench, ARMDYN_WRENCH_BASE, false };
  const double zero[N] = { 0 };
  double tau[N];
  armdyn_joint_wrenches(arm->robot, arm->q, zero, zero, &load, arm->workspace, joint);
  armdyn_statics(arm->robot, arm->q, arm->wrench, ARMDYN_WRENCH_BASE, arm->workspace, tau, held);
  for (size_t k = 0; k < 6 * arm->n; k++) cr_assert_eq(joint[k], held[k]);
}

Test(terms, joints_at_rest_carry_what_statics_tells)
{
  each_arm(at_rest);
}
