/* Motions again as cubics: what a cubic is stays, what is not comes near with the fourth power of the pieces' length. */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/support/robots.h"

/* A rest to rest of two axes by this profile in 1.5 s. */
static struct armdyn_trajectory motion_of(enum armdyn_profile profile)
{
  static const double points[] = { 0, 0.2, 1.2, -0.7 };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * 2];
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&d.joints[j]);
    d.joints[j].drive.rotor_inertia = 1;
  }
  const struct armdyn_profile_request request = { profile, 2, points, NULL, 1.5, NULL, 0 };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_profile_plan(robot, &request, &trajectory, margin, NULL, NULL, NULL, NULL), ARMDYN_OK);
  armdyn_robot_free(robot);
  return trajectory;
}

/* The largest distance at corresponding times. */
static double distance(const struct armdyn_trajectory *a, const struct armdyn_trajectory *b)
{
  double most = 0;
  for (int k = 0; k <= 1000; k++) {
    double p[2], q[2];
    armdyn_trajectory_state(a, armdyn_trajectory_duration(a) * k / 1000, p, NULL, NULL, NULL);
    armdyn_trajectory_state(b, armdyn_trajectory_duration(b) * k / 1000, q, NULL, NULL, NULL);
    for (int j = 0; j < 2; j++) most = fmax(most, fabs(p[j] - q[j]));
  }
  return most;
}

Test(hermite, a_cubic_stays_what_it_is)
{
  struct armdyn_trajectory motion = motion_of(ARMDYN_CUBIC), again;
  cr_assert_eq(armdyn_trajectory_cubic(&motion, 1, 1.5, &again, NULL), ARMDYN_OK);
  cr_assert(again.piece_count == 1 && again.degree == 3 && again.waypoint_times[1] == 1.5);
  for (int i = 0; i < 8; i++) cr_expect(fabs(again.coefficients[i] - motion.coefficients[i]) < 1e-15);
  armdyn_trajectory_free(&again);
  armdyn_trajectory_free(&motion);
}

Test(hermite, others_come_near_in_any_duration)
{
  struct armdyn_trajectory motion = motion_of(ARMDYN_QUINTIC);
  double far = 0;
  for (size_t pieces = 8; pieces <= 64; pieces *= 2) {
    struct armdyn_trajectory again;
    cr_assert_eq(armdyn_trajectory_cubic(&motion, pieces, 0.4, &again, NULL), ARMDYN_OK);
    cr_expect(armdyn_trajectory_duration(&again) == 0.4);
    const double near = distance(&motion, &again);
    if (far > 0) cr_expect(near < far / 14, "%zu pieces: %g after %g", pieces, near, far);
    far = near;
    armdyn_trajectory_free(&again);
  }
  cr_expect(far < 1e-6);
  armdyn_trajectory_free(&motion);
}

Test(hermite, what_is_no_motion_is_refused)
{
  struct armdyn_trajectory motion = motion_of(ARMDYN_CUBIC), again;
  static const double durations[] = { 0, -1, NAN };
  for (size_t k = 0; k < 3; k++)
    cr_expect_eq(armdyn_trajectory_cubic(&motion, 4, durations[k], &again, NULL), ARMDYN_EINPUT);
  cr_expect_eq(armdyn_trajectory_cubic(&motion, 0, 1, &again, NULL), ARMDYN_EINPUT);
  armdyn_trajectory_free(&motion);
}
