/* A planar arm whose torques are computed by hand, cause by cause.
 *
 * Two links along x of their frames, a1 = 0.5, a2 = 0.4, both joints about z, at q = (90 deg, -90 deg): link 1 points along
 * +y, link 2 along +x. Elbow E = (0, 0.5), tool P = (0.4, 0.5). Centres of mass half-way: c1 = (0, 0.25), c2 = (0.2, 0.5).
 * m1 = 2, m2 = 1, Izz = 0.05 and 0.02, payload 0.5 kg in P. Gravity is tilted: g = (3, -9, 1).
 *   gravity    joint 1: sum m (c_y g_x - c_x g_y) with sum m c = 2 c1 + c2 + 0.5 P = (0.4, 1.25): 3.75 + 3.6 = 7.35
 *              joint 2: about E, sum m c = (0.2 + 0.2, 0): 3.6
 *   M (links)  M22 = 0.02 + 0.04 + 0.5 * 0.16 = 0.14
 *              M12 = 0.02 + c2.(c2 - E) + 0.5 P.(P - E) = 0.02 + 0.04 + 0.08 = 0.14
 *              M11 = 0.05 + 2 * 0.0625 + 0.02 + |c2|^2 + 0.5 |P|^2 = 0.05 + 0.125 + 0.02 + 0.29 + 0.205 = 0.69
 *   rotors     50^2 * 1e-4 = 0.25 and 100^2 * 2e-5 = 0.2
 *   inertial   qdd = (2, -1): 0.94 * 2 - 0.14 = 1.74 and 0.28 - 0.34 = -0.06
 *   coriolis   h = -(0.5 * 0.2 + 0.5 * 0.5 * 0.4) sin q2 = 0.2; qd = (1, -3):
 *              h (2 qd1 qd2 + qd2^2) = 0.2 * 3 = 0.6 and -h qd1^2 = -0.2
 *   friction   joint 1 forwards: 0.1 + 1.5 + 0.4 * 1 = 2; joint 2 backwards: -0.8 - 0.5 * 3 = -2.3
 *   wrench     moment (1, 1, 4) and force (10, -5, 2) in base axes, at P: -(4 + 0.4 * -5 - 0.5 * 10) = 3 and
 *              -(4 + 0.4 * -5) = -2. The tool is turned by 90 deg about z (x_tool = y, y_tool = -x), so the same in tool
 *              axes is moment (1, -1, 4), force (-5, -10, 2).
 *   torque     1.74 + 0.6 + 7.35 + 2 + 3 = 14.69 and -0.06 - 0.2 + 3.6 - 2.3 - 2 = -0.96
 *   motors     14.69 / 50 = 0.2938 and -0.96 / -100 = 0.0096 */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

static const double base_wrench[6] = { 1, 1, 4, 10, -5, 2 }, tool_wrench[6] = { 1, -1, 4, -5, -10, 2 };

static void planar_description(struct armdyn_robot_description *d)
{
  const double length[2] = { 0.5, 0.4 }, mass[2] = { 2, 1 }, izz[2] = { 0.05, 0.02 };
  armdyn_robot_description_init(d);
  d->joint_count = 2;
  for (int i = 0; i < 2; i++) {
    d->joints[i].a = length[i];
    d->joints[i].link = (struct armdyn_body){ mass[i], { -length[i] / 2, 0, 0 }, { .zz = izz[i] } };
  }
  memcpy(d->gravity, (const double[3]){ 3, -9, 1 }, sizeof d->gravity);
  d->tool.rpy[2] = acos(-1) / 2;
  d->payload.mass = 0.5;
  d->joints[0].drive.rotor_inertia = 1e-4;
  d->joints[0].drive.gear_ratio = 50;
  d->joints[1].drive.rotor_inertia = 2e-5;
  d->joints[1].drive.gear_ratio = -100;
  d->joints[0].friction.offset = 0.1;
  d->joints[0].friction.coulomb = (struct armdyn_directed){ 1.5, 9 };
  d->joints[0].friction.viscous = (struct armdyn_directed){ 0.4, 9 };
  d->joints[1].friction.coulomb = (struct armdyn_directed){ 9, 0.8 };
  d->joints[1].friction.viscous = (struct armdyn_directed){ 9, 0.5 };
}

static void check_parts(const struct armdyn_robot_description *d, const struct armdyn_load *load,
                        const double wanted[7][2])
{
  static const char *const names[7] = { "inertial", "coriolis", "gravity", "friction", "external", "tau", "motor" };
  const double half_turn = acos(-1) / 2, q[2] = { half_turn, -half_turn }, qd[2] = { 1, -3 }, qdd[2] = { 2, -1 };
  double got[7][2];
  const struct armdyn_torque_parts parts = { got[0], got[1], got[2], got[3], got[4], got[6] };
  struct armdyn_robot *robot;
  struct armdyn_error error;
  cr_assert_eq(armdyn_robot_new(d, &robot, &error), ARMDYN_OK, "%s", error.message);
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  armdyn_inverse_dynamics_parts(robot, q, qd, qdd, load, workspace, got[5], &parts);
  for (int k = 0; k < 7; k++) {
    for (int i = 0; i < 2; i++) {
      cr_assert_float_eq(got[k][i], wanted[k][i], 1e-13, "%s of joint %d: %.17g, not %.17g", names[k], i + 1, got[k][i],
                         wanted[k][i]);
    }
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(by_hand, every_cause)
{
  const double wanted[7][2] = { { 1.74, -0.06 }, { 0.6, -0.2 },    { 7.35, 3.6 },     { 2, -2.3 },
                                { 3, -2 },       { 14.69, -0.96 }, { 0.2938, 0.0096 } };
  struct armdyn_robot_description d;
  planar_description(&d);
  check_parts(&d, &(struct armdyn_load){ base_wrench, ARMDYN_WRENCH_BASE, false }, wanted);
  check_parts(&d, &(struct armdyn_load){ tool_wrench, ARMDYN_WRENCH_TOOL, false }, wanted);
}

Test(by_hand, without_wrench_and_friction)
{
  const double wanted[7][2] = { { 1.74, -0.06 }, { 0.6, -0.2 },  { 7.35, 3.6 },      { 0, 0 },
                                { 0, 0 },        { 9.69, 3.34 }, { 0.1938, -0.0334 } };
  struct armdyn_robot_description d;
  planar_description(&d);
  check_parts(&d, &(struct armdyn_load){ .frictionless = true }, wanted);
}

/* Coupled drives, motor = [50 0; 20 -100] joint: rotors T' Jm T = [0.258 -0.04; -0.04 0.2], so
 * inertial (0.69 + 0.258) 2 - (0.14 - 0.04) = 1.796 and (0.14 - 0.04) 2 - 0.34 = -0.14, torque 14.746 and -1.04;
 * T' motor = torque: motor 2 = 0.0104, motor 1 = (14.746 - 20 * 0.0104) / 50 = 0.29076. */
Test(by_hand, coupled_transmission)
{
  const double wanted[7][2] = { { 1.796, -0.14 }, { 0.6, -0.2 },     { 7.35, 3.6 },      { 2, -2.3 },
                                { 3, -2 },        { 14.746, -1.04 }, { 0.29076, 0.0104 } };
  struct armdyn_robot_description d;
  planar_description(&d);
  d.has_transmission = true;
  memcpy(d.transmission, (const double[4]){ 50, 0, 20, -100 }, 4 * sizeof *d.transmission);
  check_parts(&d, &(struct armdyn_load){ base_wrench, ARMDYN_WRENCH_BASE, false }, wanted);
}

/* The same arm at rest under gravity (0, -10, 0), the wrench moment 4 and force (10, -5) in the plane; the worked example of
 * deploy/doc/dynamics.md.
 *   link 2 is held by force -((0, -10) + (0, -5) + (10, -5)) = (-10, 20) and, at the tool, moment -(0.2 * 10 + 4) = -6
 *   link 1 by (-10, 20) + (0, 20) = (-10, 40) and, at the elbow, moment -(-2 - 2 + 4 - 2) = 2; frame 1 has x up, y to -x
 *   torque about the elbow -6 + 0.4 * 20 = 2, about the base 2 + 0.5 * 10 = 7 */
Test(by_hand, statics)
{
  const double half_turn = acos(-1) / 2, q[2] = { half_turn, -half_turn }, wrench[6] = { 0, 0, 4, 10, -5, 0 };
  const double wanted[2][6] = { { 0, 0, 2, 40, 10, 0 }, { 0, 0, -6, -10, 20, 0 } };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  double tau[2], got[2][6];
  planar_description(&d);
  memcpy(d.gravity, (const double[3]){ 0, -10, 0 }, sizeof d.gravity);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  armdyn_statics(robot, q, wrench, ARMDYN_WRENCH_BASE, workspace, tau, got[0]);
  cr_assert_float_eq(tau[0], 7, 1e-13);
  cr_assert_float_eq(tau[1], 2, 1e-13);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 6; k++) cr_assert_float_eq(got[i][k], wanted[i][k], 1e-13, "joint %d, %d", i + 1, k);
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* A slide that leans 30 degrees from the vertical, m = 3 kg with 1 kg of payload, against free fall (0, 0, -10):
 * gravity 4 * 10 * cos 30 deg, inertial 4 * 2, a push of 7 N along the slide helps, so -7. */
Test(by_hand, leaning_slide)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  const double q = 0.3, qd = 0.1, qdd = 2, push[6] = { 0, 0, 0, 0, 0, 7 };
  double tau, gravity, inertial, external;
  const struct armdyn_torque_parts parts = { .inertial = &inertial, .gravity = &gravity, .external = &external };
  armdyn_robot_description_init(&d);
  d.convention = ARMDYN_FRAMES;
  d.gravity[2] = -10;
  d.joint_count = 1;
  d.joints[0].type = ARMDYN_PRISMATIC;
  d.joints[0].frame.rpy[0] = acos(-1) / 6;
  d.joints[0].link.mass = 3;
  d.payload.mass = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(1);
  armdyn_inverse_dynamics_parts(robot, &q, &qd, &qdd, &(struct armdyn_load){ .wrench = push }, workspace, &tau, &parts);
  cr_assert_float_eq(gravity, 40 * sqrt(0.75), 1e-13);
  cr_assert_float_eq(inertial, 8, 1e-13);
  cr_assert_float_eq(external, -7, 1e-13);
  cr_assert_float_eq(tau, 40 * sqrt(0.75) + 1, 1e-13);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* An arm without any mass: no torque, a zero mass matrix, and forward dynamics that says so. */
Test(by_hand, massless_arm)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  const double q[3] = { 0.1, 0.2, 0.3 }, qd[3] = { 1, 2, 3 }, qdd[3] = { 4, 5, 6 };
  double tau[3], M[9], answer[3] = { 7, 7, 7 };
  armdyn_robot_description_init(&d);
  d.joint_count = 3;
  for (int i = 0; i < 3; i++) d.joints[i].a = 0.3;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(3);
  armdyn_inverse_dynamics(robot, q, qd, qdd, NULL, workspace, tau);
  armdyn_mass_matrix(robot, q, workspace, M);
  for (int k = 0; k < 9; k++) cr_assert_eq(M[k], 0);
  for (int i = 0; i < 3; i++) cr_assert_eq(tau[i], 0);
  cr_assert_eq(armdyn_forward_dynamics(robot, q, qd, tau, NULL, workspace, answer), ARMDYN_ESINGULAR);
  for (int i = 0; i < 3; i++) cr_assert_eq(answer[i], 7);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(by_hand, workspace_has_a_most)
{
  cr_assert_null(armdyn_workspace_new(ARMDYN_JOINTS_MAX + 1));
}
