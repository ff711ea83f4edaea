/* The condition index of two columns of unit length with the cosine c between them is sqrt((1 + c) / (1 - c)): the
 * eigenvalues of [1 c; c 1] are 1 + c and 1 - c. */
#include "lib/identify/collinear.h"
#include "tests/support/simulated.h"

enum { SAMPLES = 400 };

/* A wheel about an upright axis: its inertia, a column of accelerations, and viscous friction, one of velocities. */
static struct armdyn_robot *wheel(void)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  d.joints[0].link = (struct armdyn_body){ 3, { 0 }, { 0.02, 0.02, 0.03, 0, 0, 0 } };
  d.joints[0].friction.viscous = (struct armdyn_directed){ 2, 2 };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

/* Accelerations that are the velocities but for a part of `apart`. What is said of it, and the index that should be. */
static struct armdyn_warnings said_of(double apart, double *index)
{
  double q[SAMPLES], qd[SAMPLES], qdd[SAMPLES], tau[SAMPLES], vv = 0, aa = 0, va = 0;
  struct armdyn_motion motion = {
    .count = SAMPLES, .rate = 100, .q = q, .qd = qd, .qdd = qdd, .tau = tau, .tau_raw = tau
  };
  const struct armdyn_source source = { SAMPLES, 1, read_one, &motion };
  const struct armdyn_estimation estimation = { 0 };
  struct armdyn_warnings warnings = { 0 };
  struct armdyn_robot *robot = wheel();
  struct armdyn_unknowns *unknowns;
  struct training training;
  struct dice dice = { 5 };
  for (size_t k = 0; k < SAMPLES; k++) {
    q[k] = dice_uniform(&dice, -1, 1), qd[k] = dice_uniform(&dice, -1, 1), tau[k] = dice_uniform(&dice, -1, 1);
    qdd[k] = 7 * (qd[k] + apart * dice_uniform(&dice, -1, 1)); /* lengths do not matter */
    vv += qd[k] * qd[k], aa += qdd[k] * qdd[k], va += qd[k] * qdd[k];
  }
  const double cosine = va / sqrt(vv * aa);
  *index = sqrt((1 + cosine) / (1 - cosine));
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_base_parameter_count(armdyn_unknowns_base(unknowns)), 2);
  cr_assert_eq(training_open(unknowns, &source, &estimation, 1, &training, NULL), ARMDYN_OK);
  cr_assert_eq(warn_of_collinear(&training, &warnings), ARMDYN_OK);
  training_close(&training);
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
  return warnings;
}

Test(collinear, two_columns_have_the_index_of_their_angle)
{
  for (double apart = 1; apart > 1e-5; apart /= 4) {
    double index, told;
    const struct armdyn_warnings warnings = said_of(apart, &index);
    cr_expect_eq(warnings.count, index > 100, "%zu warnings at %g", warnings.count, index);
    if (!warnings.count) continue;
    const char *detail = warnings.list[0].detail, *number = strstr(detail, "index ");
    cr_assert(number && sscanf(number, "index %lf", &told) == 1, "%s", detail);
    cr_expect_float_eq(told, index, 0.5 + 1e-6 * index, "%s, not %g", detail, index);
    cr_expect(strstr(detail, "viscous") && strstr(detail, "zz"), "%s", detail);
  }
}

Test(collinear, columns_that_are_one_are_no_matter_of_motion)
{
  double index;
  cr_expect_eq(said_of(0, &index).count, 0, "nothing tells them apart: the estimate refuses or names it itself");
}
