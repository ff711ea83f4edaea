#include <criterion/criterion.h>

#include "lib/model/friction.h"
#include "lib/model/parameters.h"
#include "tests/support/robots.h"

static void random_friction_joint(uint64_t seed, struct armdyn_joint *joint)
{
  struct dice dice = { seed };
  armdyn_joint_init(joint);
  joint->velocity_scale = 0.05;
  joint->drive.gear_ratio = -3;
  random_friction(&dice, &joint->friction);
  joint->friction.load = dice_uniform(&dice, 0.05, 0.5);
}

/* Slopes of every row against central differences; away from v = 0, where unequal directions have a kink unless they
 * blend. */
static void slopes_are_differences(const struct armdyn_joint *joint, size_t term, double qd, bool blended)
{
  const double h = 1e-5;
  const char *name = armdyn_friction_term_name((enum armdyn_friction_term)term);
  struct friction_state x, y[2];
  double by_position, by_speed;
  friction_state_set(&x, joint, 0.3, qd);
  x.blended = blended;
  x.load = -7;
  friction_terms[term].slope(&x, &by_position, &by_speed);
  for (int along = 0; along < 2; along++) {
    for (int side = 0; side < 2; side++) {
      const double step = side ? h : -h;
      friction_state_set(&y[side], joint, along ? 0.3 : 0.3 + step, along ? qd + step : qd);
      y[side].blended = blended;
      y[side].load = -7;
    }
    const double difference = (friction_terms[term].torque(&y[1]) - friction_terms[term].torque(&y[0])) / (2 * h);
    cr_assert_float_eq(along ? by_speed : by_position, difference, blended && along ? 1e-5 : 1e-6, "%s at %g: %g, %g",
                       name, qd, along ? by_speed : by_position, difference);
  }
}

Test(friction, slopes_are_differences_of_the_torque)
{
  struct armdyn_joint joint;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    random_friction_joint(seed, &joint);
    for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
      cr_assert(friction_terms[k].present(&joint.friction), "%s is not tested",
                armdyn_friction_term_name((enum armdyn_friction_term)k));
      for (double qd = -2.05; qd < 2; qd += 0.1)
        for (int blended = 0; blended < 2; blended++) slopes_are_differences(&joint, k, qd, blended);
    }
  }
}

/* Directions that blend are the same friction beyond some velocity scales, nowhere off by more than an eighth of their
 * difference, s (1 - s) / 2 for 0 <= s <= 1, and without a jump of the slope at rest. */
Test(friction, directions_that_blend_have_no_kink)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  joint.velocity_scale = 0.05;
  joint.friction.coulomb = (struct armdyn_directed){ 9, 5 };
  const struct friction_term *coulomb = &friction_terms[ARMDYN_FRICTION_COULOMB];
  double slope[2][2];
  for (double qd = -1; qd <= 1; qd += 0.01) {
    struct friction_state sharp, blended;
    friction_state_set(&sharp, &joint, 0, qd);
    blended = sharp, blended.blended = true;
    const double off = fabs(coulomb->torque(&blended) - coulomb->torque(&sharp));
    cr_assert_leq(off, fabs(qd) > 0.5 ? 1e-7 : 4.0 / 8 + 1e-12, "at %g: %g", qd, off);
  }
  for (int blended = 0; blended < 2; blended++)
    for (int side = 0; side < 2; side++) {
      struct friction_state x;
      double ignored;
      friction_state_set(&x, &joint, 0, side ? 1e-9 : -1e-9);
      x.blended = blended;
      coulomb->slope(&x, &ignored, &slope[blended][side]);
    }
  cr_assert_float_eq(slope[0][1] - slope[0][0], (9 - 5) / 0.05, 1e-4);
  cr_assert_float_eq(slope[1][1], slope[1][0], 1e-4);
}

/* At rest the slope of the Stribeck term is that of s(v) alone, whatever its exponent. */
Test(friction, slopes_are_finite_at_rest)
{
  struct armdyn_joint joint;
  random_friction_joint(1, &joint);
  for (size_t k = 0; k < ARMDYN_FRICTION_TERM_COUNT; k++) {
    struct friction_state x;
    double by_position, by_speed;
    friction_state_set(&x, &joint, 0, 0);
    friction_terms[k].slope(&x, &by_position, &by_speed);
    cr_assert(isfinite(by_position) && isfinite(by_speed), "%s",
              armdyn_friction_term_name((enum armdyn_friction_term)k));
  }
}

/* Far beyond vs nothing is left of stiction, and nothing of its slopes, although (|v|/vs)^delta is beyond all numbers;
 * next to rest, where s(v) = v / velocity_scale, the torque is (fs - fc) s(v) and nearly straight. */
Test(friction, slopes_of_stiction_are_finite_at_any_speed)
{
  const double speeds[] = { 1e-320, 1e-300, 30, 1e6 }, slopes[] = { 2 / 0.05, 2 / 0.05, 0, 0 };
  const struct friction_term *stribeck = &friction_terms[ARMDYN_FRICTION_STRIBECK];
  const struct friction_parameter *column = &friction_parameters[ARMDYN_PARAMETER_STRIBECK_SLOPE];
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  joint.velocity_scale = 0.05;
  joint.friction.stiction = 2;
  joint.friction.stribeck_velocity = 1e-4;
  joint.friction.stribeck_exponent = 80;
  for (size_t k = 0; k < 8; k++) {
    const double direction = k < 4 ? 1 : -1;
    struct friction_state x;
    double by_position, by_speed;
    friction_state_set(&x, &joint, 0, direction * speeds[k % 4]);
    stribeck->slope(&x, &by_position, &by_speed);
    cr_assert_float_eq(by_speed, slopes[k % 4], 1e-12, "at %g: %g", x.speed, by_speed);
    cr_assert_float_eq(column->slope(&x, 0), 0, 1e-12, "at %g", x.speed);
  }
}

static double torque_of(const struct armdyn_joint *joint, double q, double qd)
{
  static struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&description);
  description.joint_count = 1;
  description.joints[0] = *joint;
  cr_assert_eq(armdyn_robot_new(&description, &robot, NULL), ARMDYN_OK);
  const double torque = armdyn_friction_torque(robot, 0, q, qd);
  armdyn_robot_free(robot);
  return torque;
}

/* offset 0.5; coulomb 2 forwards, 3 backwards; viscous 0.7 and 0.9; stiction 4 with vs = 0.5, delta = 2; high speed 0.1;
 * ripple 0.25 sin(2 p + 0) with p = 10 q. */
Test(friction, formula_in_numbers)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  joint.drive.gear_ratio = 10;
  joint.friction = (struct armdyn_friction){ .offset = 0.5,
                                             .coulomb = { 2, 3 },
                                             .stiction = 4,
                                             .stribeck_velocity = 0.5,
                                             .stribeck_exponent = 2,
                                             .viscous = { 0.7, 0.9 },
                                             .high_speed = 0.1,
                                             .ripple_count = 1,
                                             .ripples = { { 0.25, 2, 0 } } };
  /* v = 1: 0.5 + 2 + 2 exp(-4) + 0.7 + 0.1, and at q = pi/40 the ripple is 0.25 sin(pi/2) */
  cr_assert_float_eq(torque_of(&joint, 0, 1), 3.3 + 2 * exp(-4), 1e-13);
  cr_assert_float_eq(torque_of(&joint, acos(-1) / 40, 1), 3.55 + 2 * exp(-4), 1e-13);
  /* v = -2: 0.5 - 3 - 1 exp(-16) - 1.8 - 0.4 */
  cr_assert_float_eq(torque_of(&joint, 0, -2), -4.7 - exp(-16), 1e-13);
  /* at rest only the offset is left */
  cr_assert_float_eq(torque_of(&joint, 0, 0), 0.5, 1e-15);
  /* halfway: s(v) = tanh(0.5) at half the default velocity scale */
  joint.friction.stiction = NAN;
  cr_assert_float_eq(torque_of(&joint, 0, 5e-4), 0.5 + 2 * tanh(0.5) + 0.7 * 5e-4 + 0.1 * 25e-8 * tanh(0.5), 1e-13);
}

/* At a speed of 8 the cube root is 2; at the velocity scale, 1e-3, that of 1e-9 / 2e-6: 0.1 over the root of 2. */
Test(friction, sublinear_is_the_cube_root)
{
  struct armdyn_joint joint;
  armdyn_joint_init(&joint);
  joint.friction.sublinear = 0.6;
  cr_assert_float_eq(torque_of(&joint, 0, 8), 1.2, 1e-7);
  cr_assert_float_eq(torque_of(&joint, 0, -1e-3), -0.06 / cbrt(2), 1e-14);
  cr_assert_float_eq(torque_of(&joint, 0, 0), 0, 0);
}

/* Every name leads to its parameter and back, and what is none is refused. */
Test(friction, names_of_parameters)
{
  const char *const names[] = { "m",
                                "Izz",
                                "rotor_inertia",
                                "offset",
                                "coulomb.negative",
                                "position.0",
                                "viscous",
                                "stribeck_velocity",
                                "position.7.order",
                                "position.7.phase",
                                "stiction",
                                "high_speed",
                                "sublinear",
                                "load" };
  const char *const none[] = {
    "",           "M",           "coulomb.",          "coulomb.both",  "position",     "position.", "position.x",
    "position.*", "position.0.", "position.0.order.", "position.1234", "position.999", "offset.0"
  };
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    struct armdyn_parameter_id id = { .joint = 3 };
    char name[ARMDYN_PARAMETER_NAME_SIZE];
    cr_assert(armdyn_parameter_id_read(names[k], &id), "%s", names[k]);
    armdyn_parameter_id_name(&id, name);
    cr_assert_str_eq(name, names[k]);
    cr_assert_eq(id.joint, 3);
  }
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
    struct armdyn_parameter_id id;
    cr_assert(!armdyn_parameter_id_read(none[k], &id), "%s", none[k]);
  }
}

/* What is written to a joint is read there: every number of every parameter that is one, and no other changes. */
Test(friction, parameters_are_numbers_of_a_joint)
{
  for (size_t p = 0; p < ARMDYN_FRICTION_PARAMETER_COUNT; p++) {
    const struct armdyn_friction_parameter_info *info =
        armdyn_friction_parameter_info((enum armdyn_friction_parameter)p);
    const struct armdyn_parameter_id id = { 0, ARMDYN_PARAMETER_FRICTION, p, info->over_angle ? 1 : 0 };
    struct armdyn_joint joint;
    random_friction_joint(1, &joint);
    joint.friction.ripple_count = 2;
    const bool is_number = p != ARMDYN_PARAMETER_STRIBECK_SLOPE;
    cr_assert_eq(armdyn_joint_parameter_set(&joint, &id, 0.375), is_number, "%s", info->name);
    if (!is_number) continue;
    cr_assert_float_eq(armdyn_joint_parameter(&joint, &id), 0.375, 0, "%s", info->name);
    for (size_t other = 0; other < ARMDYN_FRICTION_PARAMETER_COUNT; other++) {
      const struct armdyn_friction_parameter_info *of =
          armdyn_friction_parameter_info((enum armdyn_friction_parameter)other);
      const struct armdyn_parameter_id it = { 0, ARMDYN_PARAMETER_FRICTION, other, of->over_angle ? 1 : 0 };
      if (other == p || (of->term == info->term && (!of->path || !info->path))) continue;
      cr_assert_neq(armdyn_joint_parameter(&joint, &it), 0.375, "%s changed %s", info->name, of->name);
    }
  }
}
