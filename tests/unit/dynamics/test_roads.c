/* Independent roads lead to one dynamics: Newton-Euler, Lagrange and the closed form; ABA, CRBA and Gauss. 1,000 random
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

static void check_roads(struct arm *arm)
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

Test(roads, random_arms_agree)
{
  static struct arm arm;
  struct dice dice = { 20 };
  for (size_t k = 0; k < ARMS; k++) {
    random_description(&dice, &arm.description, 1 + k % N, (enum armdyn_convention)(k / N % 3));
    make_some_massless(&arm, k);
    arm_open(&arm, &dice);
    check_roads(&arm);
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

Test(roads, scara_arms_have_a_closed_form)
{
  static struct arm arm;
  struct dice dice = { 21 };
  for (size_t k = 0; k < 600; k++) {
    scara_description(&dice, &arm.description, (enum armdyn_convention)(k % 3), 2 + k / 3 % 2);
    arm_open(&arm, &dice);
    cr_assert(armdyn_is_scara(arm.robot, NULL));
    check_inverse(&arm, ARMDYN_INVERSE_CLOSED_FORM, "closed_form");
    check_roads(&arm);
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

Test(roads, other_arms_have_none)
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

/* A joint with nothing to push against has no acceleration, whichever road; qdd is left alone. */
Test(roads, singular_arms_are_told)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 23 };
  struct armdyn_robot *robot;
  const double zero[5] = { 0 };
  random_description(&dice, &d, 5, ARMDYN_MDH);
  d.payload = d.joints[4].link = (struct armdyn_body){ 0 };
  d.joints[4].drive.rotor_inertia = 0;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(5);
  for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
    double qdd[5] = { 7, 7, 7, 7, 7 };
    cr_assert_eq(
        armdyn_forward_dynamics_by(robot, (enum armdyn_forward_method)method, zero, zero, zero, NULL, workspace, qdd),
        ARMDYN_ESINGULAR);
    for (int i = 0; i < 5; i++) cr_assert_eq(qdd[i], 7);
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

/* Two joints of one kind on one axis with nothing between them: what the first does the second can undo, det M = 0. In
 * general directions rounding makes the last pivot of M anything but 0, of either sign. Answers the first of the two. */
static size_t twin_description(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t n = 2 + k % 9, twin = k % (n - 1);
  random_description(dice, d, n, ARMDYN_FRAMES);
  struct armdyn_joint *first = &d->joints[twin], *second = first + 1;
  d->has_transmission = k % 3 == 0;
  for (size_t i = 0; i < n; i++) d->joints[i].drive.rotor_inertia *= i != twin && i != twin + 1;
  if (d->has_transmission) memset(d->transmission, 0, sizeof d->transmission);
  for (size_t i = 0; d->has_transmission && i < n; i++) d->transmission[i * n + i] = 50;
  first->link = (struct armdyn_body){ 0 };
  second->type = first->type;
  memset(&second->frame, 0, sizeof second->frame);
  for (int i = 0; i < 3; i++) {
    second->axis[i] = first->axis[i];
    second->frame.translation[i] = 0.3 * first->axis[i];
  }
  return twin;
}

Test(roads, arms_singular_but_for_rounding_are_told)
{
  static struct arm arm;
  struct dice dice = { 24 };
  for (size_t k = 0; k < 300; k++) {
    const size_t twin = twin_description(&dice, &arm.description, k);
    arm_open(&arm, &dice);
    for (int method = ARMDYN_FORWARD_ABA; method <= ARMDYN_FORWARD_GAUSS; method++) {
      double qdd[N] = { 7 };
      cr_assert_eq(armdyn_forward_dynamics_by(arm.robot, (enum armdyn_forward_method)method, arm.q, arm.qd, arm.qdd,
                                              &arm.load, arm.workspace, qdd),
                   ARMDYN_ESINGULAR, "arm %zu, method %d: %g", k, method, qdd[0]);
      cr_assert_eq(qdd[0], 7);
    }
    cr_assert_eq(armdyn_massless_joint(arm.robot, arm.q, arm.workspace), twin + 1);
    arm_close(&arm);

    /* a rotor of 1e-8 kg m^2 is all that they need */
    arm.description.joints[twin].drive.rotor_inertia = 1e-8;
    cr_assert_eq(armdyn_robot_new(&arm.description, &arm.robot, NULL), ARMDYN_OK);
    arm.workspace = armdyn_workspace_new(arm.n);
    cr_assert_eq(armdyn_massless_joint(arm.robot, arm.q, arm.workspace), arm.n);
    arm_close(&arm);
  }
}

/* The same in batch: rows of NAN, and a refusal. */
Test(roads, samples_singular_but_for_rounding_are_told)
{
  enum { COUNT = 24 };
  static struct arm arm;
  struct dice dice = { 25 };
  for (size_t k = 0; k < 60; k++) {
    double q[COUNT * N], qdd[COUNT * N];
    twin_description(&dice, &arm.description, k);
    arm_open(&arm, &dice);
    dice_fill(&dice, q, COUNT * arm.n, -3, 3);
    const struct armdyn_samples samples = {
      .count = COUNT, .q = { q, arm.n }, .qd = { arm.qd, 0 }, .tau = { arm.qdd, 0 }
    };
    cr_assert_eq(armdyn_forward_dynamics_batch(arm.robot, &samples, arm.workspace, qdd), ARMDYN_ESINGULAR);
    for (size_t i = 0; i < COUNT * arm.n; i++)
      cr_assert(isnan(qdd[i]), "arm %zu, sample %zu: %g", k, i / arm.n, qdd[i]);
    arm_close(&arm);
  }
}
