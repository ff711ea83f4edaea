/* lib/control/elastic_modes.c: modes of a model whose gears give, in closed form, and where they are not told. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/posture_modes.h"
#include "armdyn/robot.h"

static const double PI = 3.14159265358979323846;
static const double MASS = 2.5, K = 4000, D = 3;

/* A mass that slides behind a motor. */
static void slide(struct armdyn_robot_description *robot)
{
  armdyn_robot_description_init(robot);
  robot->joint_count = 1;
  robot->joints[0].type = ARMDYN_PRISMATIC;
  robot->joints[0].link.mass = MASS;
  robot->joints[0].drive.rotor_inertia = 9;
  robot->joints[0].elasticity = (struct armdyn_elasticity){
    .stiffness = K, .deviation = 0.04 * K, .damping = D, .position = { -1, 1 }, .payload_mass = { 0, 2 }
  };
}

/* w^2 = k / m and 2 z w = d / m, of the mass without the rotor; 4 % of the stiffness are 2 % of the frequency. */
Test(elastic_modes, a_mass_behind_its_gear)
{
  static struct armdyn_robot_description robot;
  struct armdyn_vibration seen;
  for (double carried = 0; carried <= 2; carried += 1) {
    slide(&robot);
    robot.payload.mass = carried;
    const double m = MASS + carried, w = sqrt(K / m);
    cr_assert_eq(armdyn_elastic_modes(&robot, (const double[]){ 0.5 }, 4, &seen, NULL), ARMDYN_OK);
    cr_assert_eq(seen.mode_count, 1);
    cr_assert_float_eq(seen.modes[0].frequency, w / (2 * PI), 1e-12 * w);
    cr_assert_float_eq(seen.modes[0].damping, D / (2 * m * w), 1e-12);
    cr_assert_float_eq(seen.frequency_deviation[0], 0.02 * seen.modes[0].frequency, 1e-12);
  }
}

Test(elastic_modes, outside_of_what_was_seen_nothing_is_told)
{
  static struct armdyn_robot_description robot;
  struct armdyn_vibration seen;
  struct armdyn_error error;
  slide(&robot);
  cr_assert_eq(armdyn_elastic_modes(&robot, (const double[]){ 1.1 }, 4, &seen, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "from -1 to 1, not at 1.1") != NULL, "%s", error.message);
  robot.payload.mass = 3;
  cr_assert_eq(armdyn_elastic_modes(&robot, (const double[]){ 0 }, 4, &seen, &error), ARMDYN_EINPUT);
  cr_assert(strstr(error.message, "0 to 2 kg carried, not with 3 kg") != NULL, "%s", error.message);
  slide(&robot);
  robot.joints[0].elasticity.stiffness = INFINITY;
  cr_assert_not(armdyn_has_elasticity(&robot));
  cr_assert_eq(armdyn_elastic_modes(&robot, (const double[]){ 0 }, 4, &seen, &error), ARMDYN_EINPUT);
}

/* A rotor stands, and a payload that is given is there instead of the model's. */
Test(elastic_modes, the_matrix_is_that_of_the_links)
{
  static struct armdyn_robot_description robot;
  double matrix[1];
  slide(&robot);
  robot.payload.mass = 1;
  cr_assert_eq(armdyn_links_matrix(&robot, NULL, (const double[]){ 0 }, matrix, NULL), ARMDYN_OK);
  cr_assert_float_eq(matrix[0], MASS + 1, 1e-14);
  const struct armdyn_body other = { .mass = 4 };
  cr_assert_eq(armdyn_links_matrix(&robot, &other, (const double[]){ 0 }, matrix, NULL), ARMDYN_OK);
  cr_assert_float_eq(matrix[0], MASS + 4, 1e-14);
}

/* Two gears whose modes lose as Rayleigh says: the ratios give the damping back, none below 0. */
Test(elastic_modes, damping_from_ratios)
{
  const double M[4] = { 2.3, 0.9, 0.9, 0.7 }, k[2] = { 5000, 1200 }, d[2] = { 4, 1.5 };
  double frequency[2], part[4], ratio[ARMDYN_SIGHT_MODES] = { NAN, NAN, NAN, NAN }, found[2];
  armdyn_posture_modes(2, M, k, frequency, part);
  for (int m = 0; m < 2; m++)
    ratio[m] = PI * frequency[m] * (part[2 * m] * d[0] / k[0] + part[2 * m + 1] * d[1] / k[1]);
  const struct armdyn_sight sight = { M, 2, { frequency[0], frequency[1] }, 0.01 };
  armdyn_fit_damping(2, &sight, 1, ratio, k, found);
  cr_assert_float_eq(found[0], d[0], 1e-6 * d[0]);
  cr_assert_float_eq(found[1], d[1], 1e-6 * d[1]);
}
