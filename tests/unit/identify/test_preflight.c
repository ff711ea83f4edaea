/* Every mistake that people make with a log is named, and a good log is let pass. */
#include "armdyn/signals.h"
#include "tests/support/logs.h"
#include "tests/support/sanitized.h"
#include "tests/support/simulated.h"

static const struct armdyn_conditioning usual = { .position_cutoff = 20, .torque_cutoff = 20, .trim = 0.5 };
static double times[COUNT], positions[COUNT * N], torques[COUNT * N];
static const struct armdyn_log simulated_log = { .count = COUNT, .time = times, .q = positions, .tau = torques };

static const bool thorough = !SANITIZED; /* or one case of each kind */

/* The SCARA stands upright: gravity has only its slide to act on. */
static struct armdyn_robot *good_log(void)
{
  struct armdyn_robot *robot = scara();
  simulate(robot, 4, COUNT, 1e-4, 0.01, times, positions, torques);
  return robot;
}

/* What is plain of delays, too. */
static void look_for_delays(const struct armdyn_unknowns *unknowns, const struct armdyn_log *log, size_t n,
                            const struct armdyn_conditioning *conditioning, struct armdyn_warnings *warnings)
{
  struct armdyn_plain_delay plain[ARMDYN_JOINTS_MAX];
  cr_assert_eq(armdyn_plain_delays(unknowns, log, conditioning, plain, NULL), ARMDYN_OK);
  armdyn_delay_warnings(plain, n, false, warnings);
}

static struct armdyn_warnings warnings_of(const struct armdyn_robot *robot, const struct armdyn_log *log)
{
  struct armdyn_warnings warnings = { 0 };
  struct armdyn_unknowns *unknowns;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_preflight(unknowns, log, &usual, &warnings, &error), ARMDYN_OK, "%s", error.message);
  look_for_delays(unknowns, log, N, &usual, &warnings);
  armdyn_unknowns_free(unknowns);
  for (size_t k = 0; k < warnings.count; k++) {
    cr_log_info("%s %d: %s", armdyn_warning_name(warnings.list[k].code), warnings.list[k].joint,
                warnings.list[k].detail);
  }
  return warnings;
}

static bool has(const struct armdyn_warnings *warnings, enum armdyn_warning_code code, int joint)
{
  for (size_t k = 0; k < warnings->count; k++) {
    if (warnings->list[k].code == code && warnings->list[k].joint == joint) return true;
  }
  return false;
}

/* Exactly this warning and no other. */
static void expect_only(const struct armdyn_robot *robot, enum armdyn_warning_code code, int joint)
{
  const struct armdyn_warnings warnings = warnings_of(robot, &simulated_log);
  cr_expect_eq(warnings.count, 1, "%zu warnings", warnings.count);
  cr_expect(has(&warnings, code, joint));
}

static void scale(double *x, size_t column, double factor)
{
  for (size_t k = 0; k < COUNT; k++) x[k * N + column] *= factor;
}

static void exchange(double *x, size_t a, size_t b)
{
  for (size_t k = 0; k < COUNT; k++) {
    const double kept = x[k * N + a];
    x[k * N + a] = x[k * N + b];
    x[k * N + b] = kept;
  }
}

Test(preflight, a_good_log_passes)
{
  struct armdyn_robot *robot = good_log();
  cr_expect_eq(warnings_of(robot, &simulated_log).count, 0);
  armdyn_robot_free(robot);
}

Test(preflight, gravity_direction)
{
  struct armdyn_robot *robot = good_log(), *tilted;
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  d.gravity[0] = -9.81;
  d.gravity[2] = 0;
  cr_assert_eq(armdyn_robot_new(&d, &tilted, NULL), ARMDYN_OK);
  const struct armdyn_warnings warnings = warnings_of(tilted, &simulated_log);
  cr_expect(has(&warnings, ARMDYN_WARNING_GRAVITY_DIRECTION, -1));
  cr_expect(strstr(warnings.list[warnings.count - 1].detail, "along -z"));
  armdyn_robot_free(tilted);
  armdyn_robot_free(robot);
}

Test(preflight, torque_sign)
{
  struct armdyn_robot *robot = good_log();
  scale(torques, 0, -1);
  expect_only(robot, ARMDYN_WARNING_TORQUE_SIGN, 0);
  for (size_t i = 1; i < N; i++) scale(torques, i, -1);
  if (thorough) expect_only(robot, ARMDYN_WARNING_TORQUE_SIGN, -1);
  armdyn_robot_free(robot);
}

Test(preflight, channels_swapped)
{
  struct armdyn_robot *robot = good_log();
  exchange(torques, 0, 1);
  expect_only(robot, ARMDYN_WARNING_CHANNELS_SWAPPED, -1);
  exchange(torques, 0, 1);
  exchange(positions, 0, 1);
  if (thorough) expect_only(robot, ARMDYN_WARNING_CHANNELS_SWAPPED, -1);
  exchange(positions, 0, 1);
  const struct armdyn_log swapped = { .count = COUNT, .time = times, .q = torques, .tau = positions };
  const struct armdyn_warnings warnings = warnings_of(robot, &swapped);
  cr_expect(has(&warnings, ARMDYN_WARNING_CHANNELS_SWAPPED, -1));
  armdyn_robot_free(robot);
}

Test(preflight, units)
{
  struct armdyn_robot *robot = good_log();
  for (size_t i = 0; i < N; i++) scale(torques, i, 1000); /* N mm */
  expect_only(robot, ARMDYN_WARNING_UNIT_SUSPECT, -1);
  for (size_t i = 0; i < N; i++) scale(torques, i, 1e-3);
  for (size_t i = 0; i < N; i++) scale(positions, i, i == 2 ? 1 : 180 / pi); /* degrees */
  const struct armdyn_warnings warnings = warnings_of(robot, &simulated_log);
  cr_expect(has(&warnings, ARMDYN_WARNING_UNIT_SUSPECT, 0));
  armdyn_robot_free(robot);
}

Test(preflight, joint_at_rest)
{
  struct armdyn_robot *robot = good_log();
  for (size_t k = 0; k < COUNT; k++) positions[k * N + 1] = 0.3;
  const struct armdyn_warnings warnings = warnings_of(robot, &simulated_log);
  cr_expect(has(&warnings, ARMDYN_WARNING_JOINT_AT_REST, 1));
  armdyn_robot_free(robot);
}

/* Each joint by itself; a shift of none is none. */
Test(preflight, channel_delay)
{
  static const int late[N] = { 25, 0, -12, 6 }; /* ms */
  struct armdyn_robot *robot = good_log();
  static double shifted[COUNT * N];
  for (size_t k = 0; k < COUNT; k++)
    for (size_t j = 0; j < N; j++) {
      const ptrdiff_t from = (ptrdiff_t)k - late[j], last = COUNT - 1;
      shifted[k * N + j] = torques[(size_t)(from < 0 ? 0 : from > last ? last : from) * N + j];
    }
  const struct armdyn_log log = { .count = COUNT, .time = times, .q = positions, .tau = shifted };
  const struct armdyn_warnings warnings = warnings_of(robot, &log);
  size_t told = 0;
  for (size_t k = 0; k < warnings.count; k++) {
    const struct armdyn_warning *w = &warnings.list[k];
    if (w->code != ARMDYN_WARNING_CHANNEL_DELAY) continue;
    const char *about = strstr(w->detail, "about ");
    cr_assert(about && w->joint >= 0 && late[w->joint] != 0, "%s", w->detail);
    cr_expect_float_eq(strtod(about + 6, NULL), abs(late[w->joint]), 2, "%s", w->detail);
    cr_expect(strstr(about, late[w->joint] > 0 ? "later" : "earlier"));
    told++;
  }
  cr_expect_eq(told, 3, "%zu", told);
  armdyn_robot_free(robot);
}

Test(preflight, repeated_samples)
{
  struct armdyn_robot *robot = good_log();
  for (size_t k = 0; k < COUNT; k++) {
    if (k % 8 == 0) continue;
    memcpy(positions + k * N, positions + (k - k % 8) * N, N * sizeof(double));
    memcpy(torques + k * N, torques + (k - k % 8) * N, N * sizeof(double));
  }
  const struct armdyn_warnings warnings = warnings_of(robot, &simulated_log);
  cr_expect(has(&warnings, ARMDYN_WARNING_REPEATED_SAMPLES, -1));
  armdyn_robot_free(robot);
}

Test(preflight, clipped)
{
  struct armdyn_robot *robot = good_log();
  double high = 0;
  for (size_t k = 0; k < COUNT; k++) high = fmax(high, torques[k * N + 1]);
  for (size_t k = 0; k < COUNT; k++) torques[k * N + 1] = fmin(torques[k * N + 1], 0.6 * high);
  const struct armdyn_warnings warnings = warnings_of(robot, &simulated_log);
  cr_expect(has(&warnings, ARMDYN_WARNING_CLIPPED, 1));
  armdyn_robot_free(robot);
}

Test(preflight, unusable_logs_are_refused)
{
  struct armdyn_robot *robot = good_log();
  struct armdyn_warnings warnings = { 0 };
  struct armdyn_unknowns *unknowns;
  struct armdyn_error error;
  struct armdyn_log log = simulated_log;
  cr_assert_eq(armdyn_unknowns_new(robot, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  log.count = 3;
  cr_expect_eq(armdyn_preflight(unknowns, &log, &usual, &warnings, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.message, "needs 16 samples, got 3");
  log.count = COUNT;
  positions[12 * N + 1] = NAN;
  cr_expect_eq(armdyn_preflight(unknowns, &log, &usual, &warnings, &error), ARMDYN_EINPUT);
  cr_expect_str_eq(error.message, "must be finite, row 12 has nan for joint 2");
  armdyn_unknowns_free(unknowns);
  armdyn_robot_free(robot);
}

/* Logs of real arms are not perfect, but good. */
Test(preflight, real_logs_pass)
{
  static struct log_file file;
  struct armdyn_robot *lwr = lwr_robot(), *ur = ur10();
  if (!lwr || !log_read("ur10/unisa_excitation.csv", 6, 6, &file)) cr_skip("no measured data");
  const struct armdyn_conditioning slow = { .position_cutoff = 8, .torque_cutoff = 8, .trim = 2.5 };
  struct armdyn_unknowns *of_lwr, *of_ur;
  cr_assert_eq(armdyn_unknowns_new(lwr, 7, ARMDYN_ROTORS_NONE, &of_lwr, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(ur, 15, ARMDYN_ROTORS_ALL, &of_ur, NULL), ARMDYN_OK);
  for (int k = 0; k < (thorough ? 4 : 2); k++) {
    char name[64];
    struct armdyn_warnings warnings = { 0 };
    snprintf(name, sizeof name, "kuka_lwr4/m%d.csv", k);
    if (k > 0) cr_assert(log_read(name, 7, 0, &file));
    cr_assert_eq(armdyn_preflight(k > 0 ? of_lwr : of_ur, &file.log, &slow, &warnings, NULL), ARMDYN_OK);
    look_for_delays(k > 0 ? of_lwr : of_ur, &file.log, k > 0 ? 7 : 6, &slow, &warnings);
    cr_expect_eq(warnings.count, 0, "%d: %s", k, warnings.list[0].detail);
  }
  armdyn_unknowns_free(of_lwr);
  armdyn_unknowns_free(of_ur);
  armdyn_robot_free(lwr);
  armdyn_robot_free(ur);
}
