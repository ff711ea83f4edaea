/* Zones: widths that have a closed form, bounds against what is found, poles against the roots of their equation. */
#include <complex.h>
#include <stdint.h>

#include "armdyn/zones.h"
#include "tests/unit/control/loops.h"

static const double PI = 3.14159265358979323846;
static const double MASS = 2, LENGTH = 0.3, GRAVITY = 9.81;

static struct armdyn_robot *a_pendulum(void)
{
  static struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.gravity[0] = GRAVITY, d.gravity[1] = d.gravity[2] = 0;
  d.joint_count = 1;
  d.joints[0].link.mass = MASS;
  d.joints[0].link.com[0] = LENGTH;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static struct armdyn_zones found_of(const struct armdyn_zoning *zoning)
{
  struct armdyn_zones zones;
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_zones_find(zoning, &zones, &error), ARMDYN_OK, "%s", error.message);
  return zones;
}

/* Held still, its torque within what is allowed; all of it must outlive the zoning. */
static struct armdyn_zoning of_pendulum(const struct armdyn_robot *robot, const double *low, const double *high,
                                        const double *allowed, size_t most)
{
  static const double none = 0;
  return (struct armdyn_zoning){ .robot = robot,
                                 .low = low,
                                 .high = high,
                                 .acceleration = &none,
                                 .torque = allowed,
                                 .law = ARMDYN_LAW_PID,
                                 .bandwidth = 3,
                                 .most = most,
                                 .depth = 20 };
}

/* g = m g l sin q: the tangent in the middle of h is off by at most m g l h^2 / 8, and a turn is halved until that is kept. */
Test(zones, of_a_pendulum_are_as_wide_as_its_tangents_hold)
{
  struct armdyn_robot *robot = a_pendulum();
  const double weight = MASS * GRAVITY * LENGTH, low = -PI, high = PI;
  for (double allowed = 4; allowed > 0.004; allowed /= 3.7) {
    const struct armdyn_zoning zoning = of_pendulum(robot, &low, &high, &allowed, 512);
    struct armdyn_zones zones = found_of(&zoning);
    const double halvings = ceil(log2(2 * PI / sqrt(8 * allowed / weight))), h = 2 * PI / exp2(halvings);
    cr_assert_eq(zones.count, (size_t)exp2(halvings));
    cr_assert_eq(zones.left, 0);
    double sharpest = 0;
    for (size_t k = 0; k < zones.count; k++) {
      cr_assert_float_eq(zones.zones[k].error[0], weight * h * h / 8, 1e-8 * weight);
      cr_assert_leq(zones.zones[k].found, zones.zones[k].worst);
      cr_assert_float_eq(zones.zones[k].kp[0], 3 * pow(6 * PI, 2) * MASS * LENGTH * LENGTH, 1e-9);
      sharpest = fmax(sharpest, zones.zones[k].found / zones.zones[k].worst);
    }
    if (h < 0.5) cr_assert_gt(sharpest, 0.95, "the bound is met where sin q is 1: %g", sharpest);
    armdyn_zones_free(&zones);
  }
  armdyn_robot_free(robot);
}

Test(zones, left_over_are_told_with_their_share)
{
  struct armdyn_robot *robot = a_pendulum();
  const double low = 0, high = 2, allowed = 1e-9;
  struct armdyn_zoning zoning = of_pendulum(robot, &low, &high, &allowed, 5);
  struct armdyn_zones zones = found_of(&zoning);
  cr_assert_eq(zones.count, 5);
  cr_assert_eq(zones.left, 5);
  cr_assert_float_eq(zones.left_share, 1, 1e-15);
  cr_assert_float_eq(zones.worst, MASS * GRAVITY * LENGTH * 0.25 / 8 / allowed, 10);
  armdyn_zones_free(&zones);
  zoning.depth = 1, zoning.most = 100;
  zones = found_of(&zoning);
  cr_assert_eq(zones.count, 2, "halved once");
  armdyn_zones_free(&zones);
  armdyn_robot_free(robot);
}

/* At points by chance nothing is beyond the bound; as zones become small it is near what is found, its remainder gone. */
static double sharpness(const char *file, enum armdyn_zones_about about, double width)
{
  static struct scene scene;
  double low[N], high[N], one[N], worst = 0, found = 0;
  an_arm(&scene, file);
  scene_open(&scene, ARMDYN_LAW_PID, 3, 100);
  for (size_t j = 0; j < scene.n; j++) low[j] = 0.4, high[j] = 0.4 + width, one[j] = 1;
  const struct armdyn_zoning zoning = { .robot = scene.model,
                                        .about = about,
                                        .low = low,
                                        .high = high,
                                        .acceleration = one,
                                        .torque = one,
                                        .inertia = 0.01,
                                        .law = ARMDYN_LAW_PID,
                                        .bandwidth = 3,
                                        .most = 40,
                                        .depth = 20 };
  struct armdyn_zones zones = found_of(&zoning);
  for (size_t k = 0; k < zones.count; k++) {
    cr_assert_leq(zones.zones[k].found, zones.zones[k].worst, "%s %d", file, about);
    worst = fmax(worst, zones.zones[k].worst), found = fmax(found, zones.zones[k].found);
  }
  armdyn_zones_free(&zones);
  scene_close(&scene);
  return found / worst;
}

Test(zones, bounds_hold_and_are_sharp_where_zones_are_small)
{
  static const char *const files[] = { "scara", "puma560", "ur10" };
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    sharpness(files[f], ARMDYN_ZONES_LINEAR, 1.5);
    sharpness(files[f], ARMDYN_ZONES_GAINS, 1.5);
    const double linear = sharpness(files[f], ARMDYN_ZONES_LINEAR, 1e-4);
    const double gains = sharpness(files[f], ARMDYN_ZONES_GAINS, 1e-4);
    cr_log_info("%s: %g, %g", files[f], linear, gains);
    cr_assert_gt(linear, 0.7, "%s: %g", files[f], linear);
    cr_assert_gt(gains, 0.2, "%s: %g", files[f], gains);
  }
}

/* By the roots of m s^3 + 3 s^2 + 3 s + 1 themselves, found by Durand and Kerner's iteration, for all m between the ends. */
Test(zones, poles_are_worst_at_the_ends)
{
  static const double ends[][2] = { { 0.3, 1.4 }, { 0.9, 1.1 }, { 1, 1 }, { 0.01, 6 }, { 2, 8.9 } };
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
    double damping, decay, least_damping = INFINITY, least_decay = INFINITY;
    armdyn_zone_poles(ends[e], &damping, &decay);
    for (int i = 0; i <= 200; i++) {
      const double m = ends[e][0] + (ends[e][1] - ends[e][0]) * i / 200;
      double complex s[3] = { -1, 0.4 + 0.9 * I, -0.65 + 0.72 * I };
      for (int turn = 0; turn < 300; turn++)
        for (int k = 0; k < 3; k++) {
          const double complex value = ((s[k] + 3 / m) * s[k] + 3 / m) * s[k] + 1 / m;
          const double complex apart = (s[k] - s[(k + 1) % 3]) * (s[k] - s[(k + 2) % 3]);
          if (cabs(apart) > 1e-12) s[k] -= value / apart;
        }
      for (int k = 0; k < 3; k++) {
        least_damping = fmin(least_damping, -creal(s[k]) / cabs(s[k]));
        least_decay = fmin(least_decay, -creal(s[k]));
      }
    }
    cr_assert_float_eq(damping, least_damping, 2e-4, "%g .. %g: %g, %g", ends[e][0], ends[e][1], damping,
                       least_damping);
    cr_assert_float_eq(decay, least_decay, 2e-4, "%g .. %g: %g, %g", ends[e][0], ends[e][1], decay, least_decay);
  }
}

Test(zones, a_controller_takes_the_gains_of_the_zone_with_hysteresis)
{
  static struct scene scene;
  struct armdyn_zone zones[2] = { { .low = { 0 }, .high = { 1 }, .kp = { 10 } },
                                  { .low = { 1 }, .high = { 2 }, .kp = { 20 } } };
  static const struct {
    double q, kp;
  } path[] = { { 1.5, 20 }, { 0.95, 20 }, { 0.85, 10 }, { 1.05, 10 }, { 1.15, 20 }, { 7, 20 }, { -3, 10 } };
  struct armdyn_controller *c;
  struct armdyn_error error = { 0 };
  const double zero = 0;
  double tau;
  a_slide(&scene, 2);
  scene_open(&scene, ARMDYN_LAW_PID, 1, 100);
  scene.control.schedule = (struct armdyn_schedule){ .zones = zones, .zone_count = 2, .hysteresis = 0.1 };
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_OK, "%s", error.message);
  for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
    const double wanted = path[k].q + 0.1;
    armdyn_controller_step(c, &(struct armdyn_wanted){ &wanted, &zero, &zero }, &path[k].q, &zero, &tau, NULL);
    cr_assert_float_eq(tau, 0.1 * path[k].kp, 1e-12, "%zu", k);
  }
  armdyn_controller_free(c);
  scene.control.schedule.count = 2;
  cr_assert_eq(armdyn_controller_new(scene.model, &scene.control, &c, &error), ARMDYN_EINPUT);
  scene_close(&scene);
}

/* Gains go with M_jj: those that armdyn_gains_init makes at one posture become what it makes in the middle of every zone. */
Test(zones, gains_of_one_posture_become_those_of_each_middle)
{
  static struct scene scene;
  enum { ZONES = 3 };
  static struct armdyn_zone zones[ZONES];
  const double at[N] = { 0.3, -0.8, 0.5, 0.2, 0.4, -0.1 };
  double ratios[ZONES * N];
  struct armdyn_gains gains, middle;
  an_arm(&scene, "puma560");
  scene_open(&scene, ARMDYN_LAW_PID, 3, 100);
  for (size_t k = 0; k < ZONES; k++)
    for (size_t j = 0; j < scene.n; j++)
      zones[k].low[j] = 0.1 * (double)(k + j) - 0.2, zones[k].high[j] = zones[k].low[j] + 0.3;
  armdyn_gains_init(scene.model, ARMDYN_LAW_FEEDFORWARD, 4, at, scene.workspace, &gains);
  cr_assert_eq(armdyn_zones_ratios(scene.model, at, scene.workspace, zones, ZONES, ratios), ARMDYN_OK);
  armdyn_zones_take_gains(zones, ZONES, scene.n, ratios, &gains);
  for (size_t k = 0; k < ZONES; k++) {
    double q[N];
    for (size_t j = 0; j < scene.n; j++) q[j] = (zones[k].low[j] + zones[k].high[j]) / 2;
    armdyn_gains_init(scene.model, ARMDYN_LAW_FEEDFORWARD, 4, q, scene.workspace, &middle);
    for (size_t j = 0; j < scene.n; j++) {
      cr_assert_float_eq(zones[k].kp[j], middle.kp[j], 1e-12 * middle.kp[j]);
      cr_assert_float_eq(zones[k].ki[j], middle.ki[j], 1e-12 * middle.ki[j]);
      cr_assert_float_eq(zones[k].kd[j], middle.kd[j], 1e-12 * middle.kd[j]);
    }
  }
  scene_close(&scene);
}
