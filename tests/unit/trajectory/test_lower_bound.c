/* The lower bound of electricity: below every motion there is, and at the best one where that is known. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"
#include "tests/support/sanitized.h"

enum { N = ARMDYN_JOINTS_MAX, WAYS = 3 };

static const struct armdyn_electrical_model models[] = { { ARMDYN_REGENERATION_NONE, 0 },
                                                         { ARMDYN_REGENERATION_SHARED_BUS, 0 },
                                                         { ARMDYN_REGENERATION_GRID, 0.7 } };
enum { MODELS = sizeof models / sizeof *models };

static struct armdyn_energy_bound bound_of(const struct armdyn_robot *robot,
                                           const struct armdyn_electrical_model *model,
                                           const struct armdyn_energy_bound_request *request)
{
  struct armdyn_energy_bound bound;
  struct armdyn_error error;
  cr_assert_eq(armdyn_electrical_lower_bound(robot, model, request, &bound, &error), ARMDYN_OK, "%s %s", error.pointer,
               error.message);
  const double causes =
      bound.gravity + bound.offset + bound.dry + bound.viscous + bound.gear + bound.copper + bound.burnt;
  cr_assert_float_eq(causes, bound.total, 1e-9 * (1 + fabs(bound.total)));
  return bound;
}

static double energy_of(const struct armdyn_robot *robot, const struct armdyn_electrical_model *model,
                        const struct armdyn_trajectory *motion)
{
  struct armdyn_electrical_energy energy;
  cr_assert_eq(armdyn_trajectory_electrical_energy(robot, model, motion, &energy, NULL), ARMDYN_OK);
  return energy.total;
}

/* -- a slide -- */

enum { SLIDE_COEFFICIENTS = 9 };

/* At an even speed but for short ramps. */
static void even_motion(double way, double T, double ramp, struct armdyn_trajectory *out, double breaks[4],
                        double coefficients[SLIDE_COEFFICIENTS])
{
  const double v = way / (T - ramp), a = v / (2 * ramp);
  const double c[SLIDE_COEFFICIENTS] = { 0, 0, a, ramp * v / 2, v, 0, way - ramp * v / 2, v, -a };
  const double b[4] = { 0, ramp, T - ramp, T };
  memcpy(coefficients, c, sizeof c);
  memcpy(breaks, b, sizeof b);
  *out = (struct armdyn_trajectory){
    .joint_count = 1, .piece_count = 3, .degree = 2, .breaks = breaks, .coefficients = coefficients
  };
}

/* A slide of 100 N whose inertia, resistance and width of the sign go to 0 is best lifted at an even speed, and that costs
 * (weight + Coulomb + offset + viscous v) way / efficiency: the bound meets it. */
Test(lower_bound, meets_the_best_way_to_lift_a_slide)
{
  const double way = 0.4, T = 0.8, eta = 0.8;
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_trajectory motion;
  double breaks[4], coefficients[SLIDE_COEFFICIENTS];
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  d.gravity[2] = -1e8;
  struct armdyn_joint *joint = &d.joints[0];
  joint->type = ARMDYN_PRISMATIC;
  joint->link.mass = 1e-6;
  joint->velocity_scale = 1e-9;
  joint->drive =
      (struct armdyn_drive){ .gear_ratio = 200, .torque_constant = 0.1, .resistance = 1e-9, .efficiency = eta };
  joint->friction.coulomb = (struct armdyn_directed){ 20, 30 };
  joint->friction.viscous = (struct armdyn_directed){ 8, 90 };
  joint->friction.offset = 3;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  even_motion(way, T, 1e-7, &motion, breaks, coefficients);
  const double points[2] = { 0, way }, even = (100 + 20 + 3 + 8 * way / T) * way / eta;
  for (size_t k = 0; k < MODELS; k++) {
    const struct armdyn_energy_bound_request request = {
      .point_count = 2, .points = points, .duration_min = T, .duration_max = T
    };
    const struct armdyn_energy_bound bound = bound_of(robot, &models[k], &request);
    const double energy = energy_of(robot, &models[k], &motion);
    cr_assert_float_eq(energy, even, 1e-6 * even, "%.9g, not %.9g", energy, even);
    cr_assert_leq(bound.total, energy * (1 + 1e-9));
    cr_assert_float_eq(bound.total, even, 1e-6 * even, "%s: %.9g, not %.9g",
                       armdyn_regeneration_name(models[k].regeneration), bound.total, even);
  }
  armdyn_robot_free(robot);
}

/* What holds a slide up costs copper in every motion: r (weight / (k N))^2 T of a drive without losses in its gear. Where a
 * second has a price, the best duration follows from that and from viscous friction, f way^2 / T: none is cheaper. */
Test(lower_bound, of_a_slide_that_holds_its_weight)
{
  const double way = 0.5, price = 3, weight = 4 * 9.81, gear = 100, k = 0.2, r = 0.9, f = 60;
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  struct armdyn_joint *joint = &d.joints[0];
  joint->type = ARMDYN_PRISMATIC;
  joint->link.mass = 4;
  joint->drive = (struct armdyn_drive){ .gear_ratio = gear, .torque_constant = k, .resistance = r, .efficiency = 1 };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  const double points[2] = { way, way }; /* stays where it is */
  const struct armdyn_energy_bound_request still = {
    .point_count = 2, .points = points, .duration_min = 2, .duration_max = 2
  };
  const double copper = r * pow(weight / (k * gear), 2);
  cr_assert_float_eq(bound_of(robot, &models[0], &still).total, copper * 2, 1e-12 * copper);
  armdyn_robot_free(robot);

  joint->friction.viscous = (struct armdyn_directed){ f, f };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  const double up[2] = { 0, way };
  const struct armdyn_energy_bound_request free_time = {
    .point_count = 2, .points = up, .duration_min = 0.01, .duration_max = 100, .time_price = price
  };
  const struct armdyn_energy_bound best = bound_of(robot, &models[0], &free_time);
  double least = INFINITY;
  for (double T = 0.01; T < 100; T *= 1.001) {
    const double mean = weight + f * way / T;
    least = fmin(least, weight * way + f * way * way / T + r * pow(mean / (k * gear), 2) * T + price * T);
  }
  cr_assert_float_eq(best.total + price * best.duration, least, 1e-6 * least);
  cr_assert_leq(best.total + price * best.duration, least * (1 + 1e-12));
  armdyn_robot_free(robot);
}

/* -- any motion -- */

/* 100 motions, 10,000 in a soak, 20 under a sanitizer. */
static size_t motion_count(void)
{
  const char *soak = getenv("ARMDYN_SOAK");
  return soak && strcmp(soak, "0") != 0 ? 10000 : SANITIZED ? 20 : 100;
}

/* An arm of random bodies, drives and friction, a slide among its joints, in a random posture. */
static void random_arm(struct dice *dice, struct armdyn_robot_description *d, size_t k)
{
  random_description(dice, d, 1 + k % 4, (enum armdyn_convention)(k % 3));
  for (size_t j = 0; j < d->joint_count; j++) {
    struct armdyn_joint *joint = &d->joints[j];
    joint->drive.torque_constant = dice_uniform(dice, 0.05, 0.5);
    joint->drive.resistance = k % 5 ? dice_uniform(dice, 0, 2) : 0;
    joint->drive.efficiency = dice_uniform(dice, 0.5, 1);
    joint->velocity_scale = pow(10, dice_uniform(dice, -3, 0));
    if (k % 7 == 0)
      joint->friction = (struct armdyn_friction){ .stiction = NAN, .stribeck_velocity = NAN, .stribeck_exponent = 2 };
  }
}

/* The most that every joint moves at. */
static void fastest(const struct armdyn_trajectory *motion, struct armdyn_limits *limits)
{
  const size_t n = motion->joint_count;
  for (size_t j = 0; j < n; j++)
    limits[j] = (struct armdyn_limits){ { -INFINITY, INFINITY }, 0, INFINITY, INFINITY, INFINITY, INFINITY };
  for (int i = 0; i <= 4000; i++) {
    double q[N], qd[N];
    armdyn_trajectory_state(motion, armdyn_trajectory_duration(motion) * i / 4000, q, qd, NULL, NULL);
    for (size_t j = 0; j < n; j++) limits[j].velocity = fmax(limits[j].velocity, 1.0001 * fabs(qd[j]));
  }
}

/* No motion through random points in a random time is below the bound for them, nor below that for its ends alone. */
Test(lower_bound, no_motion_is_below, .timeout = 600)
{
  struct dice dice = { 11 };
  static struct armdyn_robot_description d;
  size_t tight = 0;
  for (size_t k = 0; k < motion_count(); k++) {
    struct armdyn_robot *robot;
    struct armdyn_trajectory motion;
    struct armdyn_limits none[N], limits[N];
    double points[(WAYS + 2) * N], minimum;
    random_arm(&dice, &d, k);
    const size_t n = d.joint_count, count = 2 + k % (WAYS + 1);
    cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
    dice_fill(&dice, points, count * n, -1.5, 1.5);
    for (size_t j = 0; j < N; j++)
      none[j] = (struct armdyn_limits){ { -INFINITY, INFINITY }, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY };
    const double T = pow(10, dice_uniform(&dice, -0.5, 2));
    const struct armdyn_profile_request plan = {
      (enum armdyn_profile)(k % ARMDYN_PROFILE_COUNT), count, points, NULL, T, none, 0
    };
    cr_assert_eq(armdyn_profile_plan(robot, &plan, &motion, NULL, &minimum, NULL, NULL, NULL), ARMDYN_OK);
    fastest(&motion, limits);
    for (size_t m = 0; m < MODELS; m++) {
      double ends[2 * N];
      memcpy(ends, points, n * sizeof *ends);
      memcpy(ends + n, points + (count - 1) * n, n * sizeof *ends);
      const struct armdyn_energy_bound_request through = { count, points, T, T, 0, limits },
                                               only = { 2, ends, T, T, 0, limits };
      const double energy = energy_of(robot, &models[m], &motion), bound = bound_of(robot, &models[m], &through).total;
      cr_assert_leq(bound, energy + 1e-7 * (1 + fabs(energy)), "motion %zu, %s: %.9g is below %.9g", k,
                    armdyn_regeneration_name(models[m].regeneration), energy, bound);
      cr_assert_leq(bound_of(robot, &models[m], &only).total, bound + 1e-9 * (1 + fabs(bound)));
      tight += energy > 0 && bound > 0.3 * energy;
    }
    armdyn_trajectory_free(&motion);
    armdyn_robot_free(robot);
  }
  cr_assert_gt(tight, motion_count() / 4); /* it says something */
}

Test(lower_bound, refuses_what_is_no_question)
{
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_energy_bound bound;
  struct armdyn_error error;
  const double points[2] = { 0, 1 }, wrong[2] = { 0, NAN };
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  d.joints[0].link.mass = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_energy_bound_request request = { 2, points, 1, 1, 0, NULL };
  cr_assert_eq(armdyn_electrical_lower_bound(robot, &models[0], &request, &bound, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/joints/0/drive/torque_constant");
  armdyn_robot_free(robot);
  d.joints[0].drive.torque_constant = 1, d.joints[0].drive.resistance = 1, d.joints[0].drive.efficiency = 1;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  const struct armdyn_energy_bound_request none[] = { { 1, points, 1, 1, 0, NULL },   { 2, wrong, 1, 1, 0, NULL },
                                                      { 2, points, 0, 1, 0, NULL },   { 2, points, 2, 1, 0, NULL },
                                                      { 2, points, 1, NAN, 0, NULL }, { 2, points, 1, 1, -1, NULL } };
  for (size_t k = 0; k < sizeof none / sizeof *none; k++)
    cr_assert_eq(armdyn_electrical_lower_bound(robot, &models[0], &none[k], &bound, &error), ARMDYN_EINPUT, "row %zu",
                 k);
  armdyn_robot_free(robot);
}
