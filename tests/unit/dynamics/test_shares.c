/* Terms of torques against two rods in closed form, and choices of them against every sample of a motion. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/shares.h"
#include "tests/support/robots.h"

enum { T = ARMDYN_TORQUE_TERMS, SAMPLES = 60 };

/* Two rods of 1 m and 0.8 m in a vertical plane, their centres half way, rotors and friction. */
static struct armdyn_robot *rods(void)
{
  static struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  d.gravity[1] = -9.81, d.gravity[2] = 0;
  for (size_t j = 0; j < 2; j++) {
    struct armdyn_joint *joint = &d.joints[j];
    snprintf(joint->name, sizeof joint->name, "j%zu", j + 1);
    joint->a = j ? 0.8 : 1, joint->link.com[0] = -joint->a / 2;
    joint->link.mass = j ? 2 : 3, joint->link.inertia.zz = j ? 0.1 : 0.25;
    joint->drive.rotor_inertia = 1e-4, joint->drive.gear_ratio = 50;
    joint->friction.viscous.positive = joint->friction.viscous.negative = j ? 0.3 : 0.7;
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static void closed_form(const double *q, const double *qd, const double *qdd, double terms[T][2])
{
  const double m1 = 3, m2 = 2, l = 1, c1 = 0.5, c2 = 0.4, I1 = 0.25, I2 = 0.1, r = 1e-4 * 50 * 50, g = 9.81;
  const double h = m2 * l * c2 * sin(q[1]), M12 = I2 + m2 * (c2 * c2 + l * c2 * cos(q[1])), M22 = I2 + m2 * c2 * c2;
  const double M11 = I1 + m1 * c1 * c1 + I2 + m2 * (l * l + c2 * c2 + 2 * l * c2 * cos(q[1]));
  const double weight2 = m2 * g * c2 * cos(q[0] + q[1]);
  const double each[T][2] = {
    [ARMDYN_TORQUE_INERTIA] = { M11 * qdd[0], M22 * qdd[1] },
    [ARMDYN_TORQUE_COUPLING] = { M12 * qdd[1], M12 * qdd[0] },
    [ARMDYN_TORQUE_CENTRIFUGAL] = { -h * qd[1] * qd[1], h * qd[0] * qd[0] },
    [ARMDYN_TORQUE_CORIOLIS] = { -2 * h * qd[0] * qd[1], 0 },
    [ARMDYN_TORQUE_GRAVITY] = { (m1 * c1 + m2 * l) * g * cos(q[0]) + weight2, weight2 },
    [ARMDYN_TORQUE_FRICTION] = { 0.7 * qd[0], 0.3 * qd[1] },
    [ARMDYN_TORQUE_ROTORS] = { r * qdd[0], r * qdd[1] },
  };
  memcpy(terms, each, sizeof each);
}

static void state_at(int k, double *q, double *qd, double *qdd)
{
  const double t = 0.1 * k;
  for (size_t j = 0; j < 2; j++) {
    const double w = 1 + (double)j, a = j ? 0.2 : 0.9;
    q[j] = 0.3 + a * sin(w * t), qd[j] = a * w * cos(w * t), qdd[j] = -a * w * w * sin(w * t);
  }
}

Test(shares, of_two_rods)
{
  struct armdyn_robot *robot = rods();
  struct armdyn_torque_shares *shares;
  struct armdyn_torque_share told[2];
  double squares[T][2] = { 0 }, peaks[T][2] = { 0 }, magnitudes[T][2] = { 0 }, missing[1 << T][2] = { 0 };
  cr_assert_eq(armdyn_torque_shares_new(robot, false, &shares), ARMDYN_OK);
  for (int k = 0; k < SAMPLES; k++) {
    double q[2], qd[2], qdd[2], terms[T][2];
    state_at(k, q, qd, qdd);
    armdyn_torque_shares_take(shares, q, qd, qdd);
    closed_form(q, qd, qdd, terms);
    for (size_t j = 0; j < 2; j++) {
      for (int t = 0; t < T; t++) {
        squares[t][j] += terms[t][j] * terms[t][j], magnitudes[t][j] += fabs(terms[t][j]);
        peaks[t][j] = fmax(peaks[t][j], fabs(terms[t][j]));
      }
      for (unsigned choice = 0; choice < 1u << T; choice++) {
        double sum = 0;
        for (int t = 0; t < T; t++) sum += choice >> t & 1 ? terms[t][j] : 0;
        missing[choice][j] = fmax(missing[choice][j], fabs(sum));
      }
    }
  }
  armdyn_torque_shares_tell(shares, told);
  for (size_t j = 0; j < 2; j++) {
    double all = 0;
    for (int t = 0; t < T; t++) all += magnitudes[t][j];
    cr_assert_float_eq(told[j].peak, missing[(1 << T) - 1][j], 1e-9);
    for (int t = 0; t < T; t++) {
      cr_assert_float_eq(told[j].term_rms[t], sqrt(squares[t][j] / SAMPLES), 1e-9, "joint %zu, term %d", j, t);
      cr_assert_float_eq(told[j].term_peak[t], peaks[t][j], 1e-9);
      cr_assert_float_eq(told[j].share[t], magnitudes[t][j] / all, 1e-9);
    }
    for (double bound = 0.001; bound < 1.2; bound *= 1.7) {
      const struct armdyn_left_out out = armdyn_torque_shares_leave_out(shares, j, bound);
      cr_assert_float_eq(out.error, missing[out.terms][j], 1e-9);
      cr_assert_leq(out.error, bound * told[j].peak * (1 + 1e-12));
      for (unsigned choice = 0; choice < 1u << T; choice++) {
        const int more = __builtin_popcount(choice) - __builtin_popcount(out.terms);
        if (missing[choice][j] > bound * told[j].peak * (1 - 1e-9)) continue;
        cr_assert(more < 0 || (more == 0 && missing[choice][j] >= out.error - 1e-9), "bound %g, joint %zu", bound, j);
      }
    }
  }
  armdyn_torque_shares_free(shares);
  armdyn_robot_free(robot);
}

/* On any arm, coupled drives among them, all terms together are inverse dynamics. */
Test(shares, all_terms_are_the_torque)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 21 };
  for (int k = 0; k < 40; k++) {
    struct armdyn_robot *robot;
    struct armdyn_torque_shares *shares;
    struct armdyn_torque_share told[6];
    double q[6], qd[6], qdd[6], tau[6], largest = 1;
    random_description(&dice, &d, 6, ARMDYN_DH);
    d.has_transmission = k % 4 < 2;
    for (size_t j = 0; j < 6; j++) d.joints[j].friction.load = k % 3 ? 0.2 : 0;
    cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
    struct armdyn_workspace *workspace = armdyn_workspace_new(6);
    dice_fill(&dice, q, 6, -2, 2), dice_fill(&dice, qd, 6, -2, 2), dice_fill(&dice, qdd, 6, -5, 5);
    const struct armdyn_load load = { .frictionless = k % 2 };
    cr_assert_eq(armdyn_torque_shares_new(robot, k % 2, &shares), ARMDYN_OK);
    armdyn_torque_shares_take(shares, q, qd, qdd);
    armdyn_torque_shares_tell(shares, told);
    armdyn_inverse_dynamics(robot, q, qd, qdd, &load, workspace, tau);
    for (size_t j = 0; j < 6; j++) largest = fmax(largest, fabs(tau[j]));
    for (size_t j = 0; j < 6; j++) cr_assert_float_eq(told[j].peak, fabs(tau[j]), 1e-10 * largest);
    armdyn_torque_shares_free(shares);
    armdyn_workspace_free(workspace);
    armdyn_robot_free(robot);
  }
}
