/* Arms whose joints can move without moving anything that has inertia: refused by every method (articulated bodies, mass
 * matrix, least constraint, batches of every vector unit, linear state space), also where rounding leaves the mass matrix
 * anything but singular, and in whatever units they are written. Arms that are merely thin are answered. */
#include <criterion/criterion.h>

#include "armdyn/derivatives.h"
#include "lib/dynamics/lanes.h"
#include "lib/model/compiled.h"
#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, COUNT = 16 };

static const enum armdyn_forward_method methods[] = { ARMDYN_FORWARD_ABA, ARMDYN_FORWARD_CRBA, ARMDYN_FORWARD_GAUSS };
enum { METHODS = sizeof methods / sizeof *methods };

struct arm {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], tau[N];
};

static const struct armdyn_load frictionless = { NULL, ARMDYN_WRENCH_TOOL, true };

static void arm_state(struct arm *arm, struct dice *dice)
{
  arm->n = arm->description.joint_count;
  dice_fill(dice, arm->q, arm->n, -3, 3);
  dice_fill(dice, arm->qd, arm->n, -2, 2);
  dice_fill(dice, arm->tau, arm->n, -5, 5);
}

static void arm_open(struct arm *arm)
{
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_robot_new(&arm->description, &arm->robot, &error), ARMDYN_OK, "%s", error.message);
  arm->workspace = armdyn_workspace_new(arm->n);
}

static void arm_close(struct arm *arm)
{
  armdyn_robot_free(arm->robot);
  armdyn_workspace_free(arm->workspace);
}

/* ---- the same arm, written in other units of length and mass */

static void body_in_units(struct armdyn_body *body, double length, double mass)
{
  double *inertia[] = { &body->inertia.xx, &body->inertia.yy, &body->inertia.zz,
                        &body->inertia.xy, &body->inertia.xz, &body->inertia.yz };
  body->mass *= mass;
  for (int k = 0; k < 3; k++) body->com[k] *= length;
  for (int k = 0; k < 6; k++) *inertia[k] *= mass * length * length;
}

static void arm_in_units(const struct arm *arm, double length, double mass, struct arm *out)
{
  struct armdyn_robot_description *d = &out->description;
  *out = *arm;
  for (size_t i = 0; i < arm->n; i++) {
    struct armdyn_joint *joint = &d->joints[i];
    const double way = joint->type == ARMDYN_PRISMATIC ? length : 1;
    joint->a *= length;
    joint->d *= length;
    joint->offset *= way;
    for (int k = 0; k < 3; k++) joint->frame.translation[k] *= length;
    body_in_units(&joint->link, length, mass);
    joint->drive.rotor_inertia *= mass * length * length;
    joint->drive.gear_ratio /= way;
    for (size_t k = 0; k < arm->n; k++) d->transmission[k * arm->n + i] /= way;
    out->q[i] *= way;
    out->qd[i] *= way;
    out->tau[i] *= mass * length * length / way;
  }
  for (int k = 0; k < 3; k++) {
    d->gravity[k] *= length;
    d->tool.translation[k] *= length;
  }
  body_in_units(&d->payload, length, mass);
}

static const double units[][2] = { { 1, 1 }, { 1e-3, 1 }, { 1e3, 1 }, { 1, 1e-5 }, { 1, 1e5 }, { 1e4, 1e-4 } };
enum { UNITS = sizeof units / sizeof *units };

/* ---- every method */

/* Refused one by one, by every method and unit in batch, and as a linear system; nothing is touched but rows of NAN. */
static void check_refused(struct arm *arm, const char *what)
{
  static double q[COUNT * N], qdd[COUNT * N], a[4 * N * N], b[2 * N * N];
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds), n = arm->n;
  for (size_t m = 0; m < METHODS; m++) {
    double out[N] = { 7 };
    cr_assert_eq(armdyn_forward_dynamics_by(arm->robot, methods[m], arm->q, arm->qd, arm->tau, &frictionless,
                                            arm->workspace, out),
                 ARMDYN_ESINGULAR, "%s, %zu joints, method %zu: %g", what, n, m, out[0]);
    cr_assert_eq(out[0], 7);
  }
  cr_assert_eq(armdyn_linearize(arm->robot, arm->q, arm->qd, arm->tau, &frictionless, arm->workspace, a, b),
               ARMDYN_ESINGULAR);
  cr_assert_lt(armdyn_massless_joint(arm->robot, arm->q, arm->workspace), n);
  for (size_t k = 0; k < COUNT * n; k++) q[k] = arm->q[k % n] + 0.1 * (double)(k / n);
  const struct armdyn_samples samples = {
    .count = COUNT, .q = { q, n }, .qd = { arm->qd, 0 }, .tau = { arm->tau, 0 }, .frictionless = true
  };
  for (size_t kind = 0; kind < kind_count && !arm->description.has_transmission; kind++) {
    cr_assert_not(kinds[kind]->forward_batch(arm->robot, &samples, false, qdd));
    cr_assert_not(kinds[kind]->forward_batch(arm->robot, &samples, true, qdd));
    for (size_t k = 0; k < COUNT * n; k++) {
      cr_assert(isnan(qdd[k]), "%s, %zu joints, %s: %g", what, n, kinds[kind]->name, qdd[k]);
    }
  }
  cr_assert_eq(armdyn_forward_dynamics_batch(arm->robot, &samples, arm->workspace, qdd), ARMDYN_ESINGULAR);
}

/* Every method answers, and inverse dynamics of the answer is the torque, to `tolerance` of the largest. */
static void check_answered(struct arm *arm, double tolerance, const char *what)
{
  static double q[COUNT * N], qdd[COUNT * N], a[4 * N * N], b[2 * N * N];
  const struct lanes_kernels *kinds[LANES_KINDS];
  const size_t kind_count = lanes_supported(kinds), n = arm->n;
  for (size_t m = 0; m < METHODS; m++) {
    double out[N], tau[N], largest = 0;
    cr_assert_eq(armdyn_forward_dynamics_by(arm->robot, methods[m], arm->q, arm->qd, arm->tau, &frictionless,
                                            arm->workspace, out),
                 ARMDYN_OK, "%s, %zu joints, method %zu", what, n, m);
    armdyn_inverse_dynamics(arm->robot, arm->q, arm->qd, out, &frictionless, arm->workspace, tau);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(arm->tau[i]));
    for (size_t i = 0; i < n; i++) {
      cr_assert_float_eq(tau[i], arm->tau[i], tolerance * largest, "%s, %zu joints, method %zu: %g", what, n, m,
                         fabs(tau[i] - arm->tau[i]) / largest);
    }
  }
  cr_assert_eq(armdyn_linearize(arm->robot, arm->q, arm->qd, arm->tau, &frictionless, arm->workspace, a, b), ARMDYN_OK);
  cr_assert_eq(armdyn_massless_joint(arm->robot, arm->q, arm->workspace), n);
  for (size_t k = 0; k < COUNT * n; k++) q[k] = arm->q[k % n];
  const struct armdyn_samples samples = {
    .count = COUNT, .q = { q, n }, .qd = { arm->qd, 0 }, .tau = { arm->tau, 0 }, .frictionless = true
  };
  for (size_t kind = 0; kind < kind_count && !arm->description.has_transmission; kind++) {
    cr_assert(kinds[kind]->forward_batch(arm->robot, &samples, false, qdd), "%s, %zu joints, %s", what, n,
              kinds[kind]->name);
    cr_assert(kinds[kind]->forward_batch(arm->robot, &samples, true, qdd), "%s, %zu joints, %s", what, n,
              kinds[kind]->name);
  }
}

static void in_all_units(const struct arm *arm, void (*check)(struct arm *arm, const char *what), const char *what)
{
  static struct arm written;
  for (size_t u = 0; u < UNITS; u++) {
    arm_in_units(arm, units[u][0], units[u][1], &written);
    arm_open(&written);
    check(&written, what);
    arm_close(&written);
  }
}

/* ---- arms that are singular by what they are */

/* Joints first .. last of an arm of frames have no rotors and, but for the last, no bodies. */
static void bare(struct armdyn_robot_description *d, size_t first, size_t last)
{
  d->has_transmission = false;
  for (size_t i = first; i <= last; i++) {
    d->joints[i].drive.rotor_inertia = 0;
    if (i < last) d->joints[i].link = (struct armdyn_body){ 0 };
  }
}

/* Two joints of one kind on one axis with nothing between them: what the first does the second can undo. In general
 * directions rounding makes the last pivot of M anything but 0, of either sign. */
static size_t twins(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t n = 2 + k % 31, twin = (size_t)dice_uniform(dice, 0, (double)n - 1);
  random_description(dice, d, n, ARMDYN_FRAMES);
  bare(d, twin, twin + 1);
  struct armdyn_joint *first = &d->joints[twin], *second = first + 1;
  second->type = first->type;
  memset(&second->frame, 0, sizeof second->frame);
  for (int i = 0; i < 3; i++) {
    second->axis[i] = first->axis[i];
    second->frame.translation[i] = 0.3 * first->axis[i];
  }
  return twin + 1;
}

/* The same, and all that they turn is a thin rod along their axis, with a heavy arm before it and joints of other kinds and
 * sizes around. */
static size_t thin_twins(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t at = twins(dice, d, k);
  const double *u = d->joints[at].axis, mass = 4, span = 0.6, thin = dice_uniform(dice, 1e-9, 1e-6);
  struct armdyn_body *rod = &d->joints[at].link;
  d->joint_count = at + 1;
  d->payload = (struct armdyn_body){ 0 };
  rod->mass = mass;
  for (int i = 0; i < 3; i++) rod->com[i] = span * u[i];
  const double I = mass * span * span / 3;
  rod->inertia = (struct armdyn_inertia){ I * (1 - u[0] * u[0]) + thin,
                                          I * (1 - u[1] * u[1]) + thin,
                                          I * (1 - u[2] * u[2]) + thin,
                                          -I * u[0] * u[1],
                                          -I * u[0] * u[2],
                                          -I * u[1] * u[2] };
  for (size_t i = 0; i + 1 < at; i++) d->joints[i].drive.rotor_inertia *= 10;
  return at;
}

/* Four axes through one point with nothing between them: a body turns in three ways. */
static size_t four_concurrent(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t n = 4 + k % 9, first = (size_t)dice_uniform(dice, 0, (double)n - 3);
  random_description(dice, d, n, ARMDYN_FRAMES);
  bare(d, first, first + 3);
  for (size_t i = first; i < first + 4; i++) {
    d->joints[i].type = ARMDYN_REVOLUTE;
    if (i > first) memset(d->joints[i].frame.translation, 0, sizeof d->joints[i].frame.translation);
  }
  return first + 3;
}

/* Four slides in any directions: a body is moved in three ways. */
static size_t four_slides(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t n = 4 + k % 9, first = (size_t)dice_uniform(dice, 0, (double)n - 3);
  random_description(dice, d, n, ARMDYN_FRAMES);
  bare(d, first, first + 3);
  for (size_t i = first; i < first + 4; i++) d->joints[i].type = ARMDYN_PRISMATIC;
  return first + 3;
}

/* Three parallel axes that move a point mass in a plane. */
static size_t point_in_plane(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  const size_t n = 3 + k % 9, first = n - 3;
  random_description(dice, d, n, ARMDYN_FRAMES);
  bare(d, first, n - 1);
  d->payload = (struct armdyn_body){ 0 };
  memset(&d->joints[n - 1].link.inertia, 0, sizeof d->joints[n - 1].link.inertia);
  for (size_t i = first; i < n; i++) {
    d->joints[i].type = ARMDYN_REVOLUTE;
    memcpy(d->joints[i].axis, d->joints[first].axis, sizeof d->joints[i].axis);
    if (i > first) memset(d->joints[i].frame.rpy, 0, sizeof d->joints[i].frame.rpy);
  }
  return n - 1;
}

/* Describing answers the joint that is one too many. */
static const struct {
  const char *name;
  size_t (*describe)(struct dice *dice, struct armdyn_robot_description *d, size_t k);
} kinds_of_singular[] = {
  { "twins", twins },
  { "thin twins", thin_twins },
  { "four concurrent axes", four_concurrent },
  { "four slides", four_slides },
  { "a point in a plane", point_in_plane },
};

Test(singular, is_told_by_every_method_in_all_units)
{
  static struct arm arm;
  struct dice dice = { 24 };
  for (size_t kind = 0; kind < sizeof kinds_of_singular / sizeof *kinds_of_singular; kind++) {
    for (size_t k = 0; k < 124; k++) {
      const size_t joint = kinds_of_singular[kind].describe(&dice, &arm.description, k);
      arm_state(&arm, &dice);
      if (!sample(k)) continue;
      in_all_units(&arm, check_refused, kinds_of_singular[kind].name);
      arm_open(&arm);
      cr_assert_eq(armdyn_massless_joint(arm.robot, arm.q, arm.workspace), joint, "%s", kinds_of_singular[kind].name);
      arm_close(&arm);
    }
  }
}

/* ---- arms that are merely thin */

/* Bodies from grams to tonnes, of all sizes, one after the other at random, and rotors that are a part of 1e-9 to 1e-3 of
 * what they turn. */
static void thin_description(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  random_description(dice, d, 1 + k % 12, (enum armdyn_convention)(k % 3));
  d->has_transmission = k % 5 == 0;
  for (size_t i = 0; i < d->joint_count; i++) {
    struct armdyn_joint *joint = &d->joints[i];
    random_body(dice, &joint->link, pow(10, dice_uniform(dice, -3, 3)), pow(10, dice_uniform(dice, -2, 0)));
    joint->drive.gear_ratio = 1;
    joint->drive.rotor_inertia = 0;
  }
}

static void give_rotors(struct dice *dice, struct arm *arm)
{
  static double M[N * N];
  const size_t n = arm->n;
  arm_open(arm);
  armdyn_mass_matrix(arm->robot, arm->q, arm->workspace, M);
  for (size_t i = 0; i < n; i++) {
    arm->description.joints[i].drive.rotor_inertia = pow(10, dice_uniform(dice, -9, -3)) * M[i * n + i];
  }
  for (size_t k = 0; k < n * n; k++) arm->description.transmission[k] = k % (n + 1) == 0;
  arm_close(arm);
}

static void check_thin(struct arm *arm, const char *what)
{
  check_answered(arm, 1e-5, what);
}

Test(singular, is_not_said_of_arms_that_are_thin)
{
  static struct arm arm;
  struct dice dice = { 25 };
  for (size_t k = 0; k < 360; k++) {
    thin_description(&dice, &arm.description, k);
    arm_state(&arm, &dice);
    give_rotors(&dice, &arm);
    if (!sample(k)) continue;
    in_all_units(&arm, check_thin, "thin");
  }
}

/* Twins need no more than a small rotor. */
Test(singular, is_not_said_of_twins_with_a_rotor)
{
  static struct arm arm;
  struct dice dice = { 26 };
  for (size_t k = 0; k < 120; k++) {
    const size_t second = twins(&dice, &arm.description, k);
    arm.description.joints[second - 1].drive.rotor_inertia = 1e-9;
    arm_state(&arm, &dice);
    if (!sample(k)) continue;
    in_all_units(&arm, check_thin, "twins with a rotor");
  }
}
