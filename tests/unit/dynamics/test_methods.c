/* Independent methods lead to one dynamics: Newton-Euler, Lagrange and the closed form; ABA, CRBA and Gauss. 1,000 random
 * arms of 1 to 32 joints with everything an arm can have; arms of SCARA structure in every convention and order. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX, ARMS = 1000 };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], qdd[N], tau[N], wrench[6];
  struct armdyn_load load;
};

/* A state and a load for the arm's description. */
static void arm_open(struct arm *arm, struct dice *dice)
{
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_robot_new(&arm->description, &arm->robot, &error), ARMDYN_OK, "%s", error.message);
  arm->n = arm->description.joint_count;
  arm->workspace = armdyn_workspace_new(arm->n);
  dice_fill(dice, arm->q, arm->n, -3, 3);
  dice_fill(dice, arm->qd, arm->n, -2, 2);
  dice_fill(dice, arm->qdd, arm->n, -5, 5);
  dice_fill(dice, arm->wrench, 6, -20, 20);
  arm->load = (struct armdyn_load){ dice_uniform(dice, 0, 1) < 0.8 ? arm->wrench : NULL,
                                    dice_uniform(dice, 0, 1) < 0.5 ? ARMDYN_WRENCH_TOOL : ARMDYN_WRENCH_BASE,
                                    dice_uniform(dice, 0, 1) < 0.3 };
}

static void arm_close(struct arm *arm)
{
  armdyn_robot_free(arm->robot);
  armdyn_workspace_free(arm->workspace);
}

/* |a - b| <= 1e-10 of the largest */
static void check_same(const struct arm *arm, const char *what, const double *a, const double *b)
{
  double largest = 1e-9;
  for (size_t i = 0; i < arm->n; i++) largest = fmax(largest, fabs(a[i]));
  for (size_t i = 0; i < arm->n; i++) {
    cr_assert_leq(fabs(a[i] - b[i]), 1e-10 * largest, "%s, %zu joints, convention %d, joint %zu: %.17g and %.17g", what,
                  arm->n, arm->description.convention, i + 1, a[i], b[i]);
  }
}

static void check_inverse(struct arm *arm, enum armdyn_inverse_method method, const char *name)
{
  struct armdyn_error error = { 0 };
  double tau[N];
  armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace, arm->tau);
  cr_assert_eq(armdyn_inverse_dynamics_by(arm->robot, method, arm->q, arm->qd, arm->qdd, &arm->load, arm->workspace,
                                          tau, &error),
               ARMDYN_OK, "%s", error.message);
  check_same(arm, name, arm->tau, tau);
}

/* Forward dynamics of the torque that inverse dynamics gave answers the accelerations that it was asked for. */
static void check_forward(struct arm *arm, enum armdyn_forward_method method, const char *name)
{
  double qdd[N];
  cr_assert_eq(
      armdyn_forward_dynamics_by(arm->robot, method, arm->q, arm->qd, arm->tau, &arm->load, arm->workspace, qdd),
      ARMDYN_OK);
  check_same(arm, name, arm->qdd, qdd);
}

static void check_methods(struct arm *arm)
{
  check_inverse(arm, ARMDYN_INVERSE_NEWTON_EULER, "newton_euler");
  check_inverse(arm, ARMDYN_INVERSE_LAGRANGE, "lagrange");
  check_forward(arm, ARMDYN_FORWARD_ABA, "aba");
  check_forward(arm, ARMDYN_FORWARD_CRBA, "crba");
  check_forward(arm, ARMDYN_FORWARD_GAUSS, "gauss");
}

/* Every fourth arm has links without any mass; rotors hold their joints. */
static void make_some_massless(struct arm *arm, size_t k)
{
  for (size_t i = k % 3; k % 4 == 0 && i < arm->description.joint_count; i += 3) {
    arm->description.joints[i].link = (struct armdyn_body){ 0 };
  }
}

Test(methods, random_arms_agree)
{
  static struct arm arm;
  struct dice dice = { 20 };
  for (size_t k = 0; k < ARMS; k++) {
    random_description(&dice, &arm.description, 1 + k % N, (enum armdyn_convention)(k / N % 3));
    make_some_massless(&arm, k);
    arm_open(&arm, &dice);
    check_methods(&arm);
    arm_close(&arm);
  }
}

/* A random arm with all axes parallel, some of them upside down; the base is tilted by gravity. */
static void scara_description(struct dice *dice, struct armdyn_robot_description *d, enum armdyn_convention convention,
                              size_t slide)
{
  random_description(dice, d, 4, convention);
  d->has_transmission = dice_uniform(dice, 0, 1) < 0.5;
  for (size_t i = 0; i < 4; i++) {
    struct armdyn_joint *joint = &d->joints[i];
    const bool over = dice_uniform(dice, 0, 1) < 0.5, down = dice_uniform(dice, 0, 1) < 0.5;
    joint->type = i == slide ? ARMDYN_PRISMATIC : ARMDYN_REVOLUTE;
    joint->alpha = over ? acos(-1) : 0;
    joint->frame.rpy[0] = over ? acos(-1) : 0;
    joint->frame.rpy[1] = 0;
    joint->axis[0] = joint->axis[1] = 0;
    joint->axis[2] = down ? -1 : 1;
  }
}

Test(methods, scara_arms_have_a_closed_form)
{
  static struct arm arm;
  struct dice dice = { 21 };
  for (size_t k = 0; k < 600; k++) {
    scara_description(&dice, &arm.description, (enum armdyn_convention)(k % 3), 2 + k / 3 % 2);
    arm_open(&arm, &dice);
    cr_assert(armdyn_is_scara(arm.robot, NULL));
    check_inverse(&arm, ARMDYN_INVERSE_CLOSED_FORM, "closed_form");
    check_methods(&arm);
    arm_close(&arm);
  }
}

/* What is no SCARA is told so, with the joint that makes the difference, and leaves tau alone. */
static void check_refused(const struct armdyn_robot_description *d, const char *pointer, const char *why)
{
  struct armdyn_robot *robot;
  struct armdyn_error error = { 0 };
  const double zero[N] = { 0 };
  double tau[N] = { 7 };
  cr_assert_eq(armdyn_robot_new(d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(d->joint_count);
  cr_assert_not(armdyn_is_scara(robot, NULL));
  cr_assert_eq(
      armdyn_inverse_dynamics_by(robot, ARMDYN_INVERSE_CLOSED_FORM, zero, zero, zero, NULL, workspace, tau, &error),
      ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, pointer);
  cr_assert(strstr(error.message, why), "%s", error.message);
  cr_assert_eq(tau[0], 7);
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(methods, other_arms_have_none)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 22 };
  random_description(&dice, &d, 6, ARMDYN_DH);
  check_refused(&d, "/joints", "has 6");
  scara_description(&dice, &d, ARMDYN_MDH, 2);
  d.joints[3].alpha = 1e-6;
  check_refused(&d, "/joints/3", "not parallel");
  scara_description(&dice, &d, ARMDYN_DH, 1);
  check_refused(&d, "/joints/1", "is prismatic");
  scara_description(&dice, &d, ARMDYN_FRAMES, 2);
  d.joints[3].type = ARMDYN_PRISMATIC;
  check_refused(&d, "/joints/3", "of one type");
}
