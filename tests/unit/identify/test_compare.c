/* Motions that repeat each other, and base parameters of one set in those of another. */
#define LOG_SAMPLES 20000 /* pieces of them are compared */

#include "tests/support/logs.h"
#include "tests/support/simulated.h"

static bool repeats(size_t n, const struct armdyn_motion *a, const struct armdyn_motion *b, double *shift)
{
  bool out = false;
  cr_assert_eq(armdyn_motion_repeats(n, a, b, &out, shift), ARMDYN_OK);
  return out;
}

Test(compare, a_motion_repeats_itself_later)
{
  struct known known = known_open();
  struct armdyn_motion motion = simulated(known.robot, 5, 1e-4, 0.01), other = simulated(known.robot, 6, 1e-4, 0.01);
  const struct armdyn_motion early = armdyn_motion_part(&motion, N, 0, 12000);
  const struct armdyn_motion late = armdyn_motion_part(&motion, N, 3000, 15000);
  const struct armdyn_motion end = armdyn_motion_part(&motion, N, 12000, motion.count - 12000);
  double shift = 0;
  cr_expect(repeats(N, &early, &late, &shift));
  cr_expect_float_eq(shift, 3, 0.1);
  cr_expect(repeats(N, &late, &early, &shift));
  cr_expect_float_eq(shift, -3, 0.1);
  cr_expect_not(repeats(N, &early, &end, &shift));
  cr_expect_not(repeats(N, &motion, &other, &shift));
  armdyn_motion_free(&motion);
  armdyn_motion_free(&other);
  known_close(&known);
}

Test(compare, of_real_logs_m1_and_m2_are_one_motion)
{
  static struct log_file file;
  const struct armdyn_conditioning conditioning = { .position_cutoff = 8, .torque_cutoff = 8, .trim = 2.5 };
  struct armdyn_motion m[3];
  for (int k = 0; k < 3; k++) {
    char name[64];
    snprintf(name, sizeof name, "kuka_lwr4/m%d.csv", k + 1);
    if (!log_read(name, LWR, 0, &file)) cr_skip("no measured data kuka_lwr4");
    cr_assert_eq(armdyn_condition(LWR, &file.log, &conditioning, &m[k], NULL), ARMDYN_OK);
  }
  cr_expect(repeats(LWR, &m[0], &m[1], NULL));
  cr_expect_not(repeats(LWR, &m[0], &m[2], NULL));
  cr_expect_not(repeats(LWR, &m[1], &m[2], NULL));
  for (int k = 0; k < 3; k++) armdyn_motion_free(&m[k]);
}

/* The same arm with and without rotors: what stands in both is the same number; what does not is said so. */
Test(compare, base_parameters_in_another_base)
{
  struct armdyn_robot *robot = scara();
  struct armdyn_unknowns *with, *without;
  double factors[64];
  bool expressible;
  size_t found[2] = { 0, 0 };
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_ALL, &with, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_NONE, &without, NULL), ARMDYN_OK);
  const struct armdyn_unknowns *pairs[2][2] = { { without, with }, { with, without } };
  for (int p = 0; p < 2; p++) {
    const struct armdyn_base_parameters *wanted = armdyn_unknowns_base(pairs[p][0]);
    const struct armdyn_base_parameters *known = armdyn_unknowns_base(pairs[p][1]);
    for (size_t k = 0; k < armdyn_base_parameter_count(wanted); k++) {
      cr_assert_eq(armdyn_base_parameter_in(pairs[p][0], k, pairs[p][1], factors, &expressible), ARMDYN_OK);
      found[p] += expressible;
      if (!expressible) continue;
      double sum = 0;
      for (size_t j = 0; j < armdyn_base_parameter_count(known); j++) {
        sum += factors[j] * armdyn_base_parameter_value(known, j);
      }
      const double value = armdyn_base_parameter_value(wanted, k);
      cr_expect_float_eq(sum, value, 1e-6 * fabs(value) + 1e-9, "%d %zu", p, k);
    }
  }
  /* of the 8 of links (11 with rotors) joint 1's rotor takes the place of its link: 7 and the 10 of friction are the same */
  cr_expect_lt(found[1], armdyn_base_parameter_count(armdyn_unknowns_base(with)));
  cr_expect_gt(found[0], 10);
  armdyn_unknowns_free(with);
  armdyn_unknowns_free(without);
  armdyn_robot_free(robot);
}
