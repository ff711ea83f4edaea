#include <criterion/criterion.h>
#include <math.h>

#include "server/gateway/profile.h"
#include "server/gateway/source.h"

/* Two prismatic joints along fixed axes, 1 kg each, no friction: torques are known without computing. */
static struct armdyn_robot *two_slides(double torque, double rate)
{
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  snprintf(d.name, sizeof d.name, "slides");
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    armdyn_joint_init(&d.joints[j]);
    snprintf(d.joints[j].name, sizeof d.joints[j].name, "s%zu", j + 1);
    d.joints[j].type = ARMDYN_PRISMATIC;
    d.joints[j].link.mass = 1;
    d.joints[j].limits.torque = torque;
    d.joints[j].limits.torque_rate = rate;
    d.joints[j].drive.gear_ratio = j ? -4 : 1;
  }
  struct armdyn_robot *robot = NULL;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static struct controller_description controller_of(const char *profile)
{
  static struct faults faults;
  struct controller_description c;
  char text[2048];
  snprintf(text, sizeof text,
           "{\"name\":\"c\",\"host\":\"h\",\"robot\":\"slides\",\"profile\":{\"protocol\":\"armdyn-v2\"%s}}", profile);
  faults.count = 0;
  cr_assert_eq(controller_decode(text, strlen(text), &c, &faults), ARMDYN_OK, "%s: %s", faults.items[0].where,
               faults.items[0].detail);
  return c;
}

static struct axis_map map_of(const char *profile, const struct armdyn_robot *robot)
{
  static struct faults faults;
  struct controller_description c = controller_of(profile);
  struct axis_map map;
  faults.count = 0;
  cr_assert_eq(axis_map_make(&c, armdyn_robot_description(robot), &map, &faults), ARMDYN_OK);
  return map;
}

Test(profile, a_period_is_a_whole_number_of_microseconds)
{
  uint32_t period;
  struct armdyn_error error;
  const struct {
    double rate;
    uint32_t period;
  } whole[] = { { 1000, 1000 }, { 250, 4000 }, { 1, 1000000 }, { 10000, 100 }, { 1e6 / 333, 333 }, { 62.5, 16000 } };
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    cr_assert_eq(profile_period(whole[i].rate, &period, &error), ARMDYN_OK, "%g", whole[i].rate);
    cr_assert_eq(period, whole[i].period);
  }
  const double refused[] = { 300, 7, 0.5, 10001, 20000, 1e300, 999.9999 };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    cr_assert_eq(profile_period(refused[i], &period, &error), ARMDYN_EINPUT, "%g", refused[i]);
    cr_assert_str_eq(error.pointer, "/rate");
  }
}

Test(profile, limits_are_the_smallest_of_joint_drive_and_controller_on_the_axis_side)
{
  struct armdyn_robot *robot = two_slides(100, 1000);
  struct axis_map plain = map_of("", robot);
  cr_assert_eq(plain.count, 2);
  cr_assert(plain.axes[1].torque_most == 100 && plain.axes[1].rate_most == 1000 && plain.axes[1].rated == 100);

  struct axis_map map = map_of(",\"axes\":[{\"joint\":\"s2\",\"axis\":1,\"torque_side\":\"motor\",\"rated_torque\":30},"
                               "{\"joint\":\"s1\",\"axis\":4,\"sign\":-1,\"rated_torque\":300}],"
                               "\"limits\":{\"torque\":[50,80],\"torque_rate\":[2000,400]}",
                               robot);
  cr_assert(map.axes[0].axis == 0 && map.axes[0].joint == 1 && map.axes[0].torque_scale == -0.25);
  cr_assert(map.axes[0].torque_most == 20 && map.axes[0].rate_most == 100); /* min(100, 80) / 4, below 30; 400 / 4 */
  cr_assert(map.axes[1].axis == 3 && map.axes[1].joint == 0 && map.axes[1].torque_scale == -1);
  cr_assert(map.axes[1].torque_most == 50 && map.axes[1].rate_most == 1000);
  armdyn_robot_free(robot);
}

/* Fill a profile of `count` samples with torque(k) on joint 0 and rest on joint 1. */
static struct profile profile_with(const struct axis_map *map, enum sample_format format, size_t count,
                                   double (*torque)(size_t k))
{
  struct profile p;
  cr_assert_eq(profile_init(&p, map, format, 1000, count, NULL), ARMDYN_OK);
  for (size_t k = 0; k < count; k++) profile_put(&p, map, k, (double[]){ 0.25, 0 }, (double[]){ torque(k), 0 });
  profile_finish(&p);
  return p;
}

static double ramp(size_t k)
{
  return (double)k;
}
static double jump(size_t k)
{
  return k < 3 ? 0 : 5;
}
static double exactly_100(size_t k)
{
  return k % 2 ? 100 : 100 - 1e-9;
}
static double broken(size_t k)
{
  return k == 2 ? (double)NAN : 0;
}

Test(profile, check_names_every_sample_and_axis)
{
  static struct faults faults;
  struct armdyn_robot *robot = two_slides(100, INFINITY);
  struct axis_map map = map_of("", robot);
  for (int format = FORMAT_TORQUE_PERMILLE; format < FORMAT_END; format++) {
    struct profile p = profile_with(&map, (enum sample_format)format, 106, ramp);
    faults.count = 0;
    cr_assert_eq(profile_check(&p, &faults), ARMDYN_EINPUT);
    cr_assert_eq(faults.count, 5, "format %d: %zu", format, faults.count); /* 101 .. 105 */
    cr_assert(faults.items[0].place == FAULT_AT_CELL && faults.items[0].row == 101 && faults.items[0].column == 0);
    cr_assert(strstr(faults.items[0].detail, "sample 101, axis 1 (s1)"), "%s", faults.items[0].detail);
    profile_release(&p);

    p = profile_with(&map, (enum sample_format)format, 4, exactly_100);
    faults.count = 0;
    cr_assert_eq(profile_check(&p, &faults), ARMDYN_OK);
    profile_release(&p);
  }
  armdyn_robot_free(robot);
}

Test(profile, check_finds_steps_and_what_is_no_number)
{
  static struct faults faults;
  struct armdyn_robot *robot = two_slides(100, 4999);
  struct axis_map map = map_of("", robot);
  struct profile p = profile_with(&map, FORMAT_TORQUE, 6, jump); /* 5 N in 1 ms are 5000 N/s */
  cr_assert_eq(profile_check(&p, &faults), ARMDYN_EINPUT);
  cr_assert(faults.count == 1 && faults.items[0].row == 3 && strstr(faults.items[0].detail, "rate 5000"));
  profile_release(&p);

  p = profile_with(&map, FORMAT_POSITION_TORQUE, 6, broken);
  faults.count = 0;
  cr_assert_eq(profile_check(&p, &faults), ARMDYN_EINPUT);
  cr_assert(faults.items[0].row == 2 && faults.items[0].code == FAULT_FINITE);
  profile_release(&p);
  armdyn_robot_free(robot);
}

Test(profile, permille_never_rounds_beyond_the_limit)
{
  struct armdyn_robot *robot = two_slides(33.3377, INFINITY);
  struct axis_map map = map_of(",\"axes\":[{\"joint\":\"s1\",\"axis\":1,\"rated_torque\":100},"
                               "{\"joint\":\"s2\",\"axis\":2,\"rated_torque\":100}]",
                               robot);
  struct profile p;
  cr_assert_eq(profile_init(&p, &map, FORMAT_TORQUE_PERMILLE, 1000, 1, NULL), ARMDYN_OK);
  for (double tau = -33.3377; tau <= 33.3377; tau += 0.01) {
    profile_put(&p, &map, 0, (double[]){ 0, 0 }, (double[]){ tau, -tau });
    for (size_t a = 0; a < 2; a++) {
      cr_assert_leq(fabs(profile_torque(&p, 0, a)), 33.3377);
      cr_assert_leq(fabs(profile_torque(&p, 0, a) - (a ? -tau : tau)), 0.1);
    }
  }
  cr_assert_eq((int16_t)p.words[0], 333); /* 33.33 of 100, toward zero at the limit */
  profile_release(&p);
  armdyn_robot_free(robot);
}

/* q = t^2 on s1, which lifts 2 kg with qdd = 2: tau = 2 (g + 2) while it moves, 2 g at rest. */
static struct armdyn_trajectory parabola(double duration, double *breaks, double *coefficients)
{
  breaks[0] = 0;
  breaks[1] = duration;
  memset(coefficients, 0, 6 * sizeof *coefficients);
  coefficients[2] = 1;
  return (struct armdyn_trajectory){
    .joint_count = 2, .piece_count = 1, .degree = 2, .breaks = breaks, .coefficients = coefficients
  };
}

Test(profile, the_last_sample_is_the_end_or_the_rest_state_after_it)
{
  struct armdyn_robot *robot = two_slides(100, INFINITY);
  struct axis_map map = map_of("", robot);
  double breaks[2], coefficients[6];
  const struct {
    double duration;
    size_t samples;
    bool at_rest;
  } cases[] = { { 0.01, 11, false }, { 0.0101, 12, true }, { 0.0109, 12, true }, { 0.011, 12, false } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct armdyn_trajectory t = parabola(cases[i].duration, breaks, coefficients);
    struct profile p;
    cr_assert_eq(profile_of_trajectory(robot, &t, &map, TORQUE_FULL, FORMAT_POSITION_TORQUE, 1000, &p, NULL),
                 ARMDYN_OK);
    size_t last = p.head.total - 1;
    cr_assert_eq(p.head.total, cases[i].samples);
    cr_assert_float_eq(profile_position(&p, last, 0), cases[i].duration * cases[i].duration, 1e-9);
    cr_assert_float_eq(profile_torque(&p, 1, 0), 2 * (9.81 + 2), 1e-5);
    cr_assert_float_eq(profile_torque(&p, last, 0), cases[i].at_rest ? 2 * 9.81 : 2 * (9.81 + 2), 1e-5);
    cr_assert_eq(p.head.crc, protocol_crc32(0, p.words, p.head.total * 8u));
    profile_release(&p);
  }
  armdyn_robot_free(robot);
}
