/* Shapers against published figures, and shaped motions against a spring and mass that is integrated step by step. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

static double sum_of(const double *x, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  return sum;
}

static struct armdyn_impulses impulses_of(enum armdyn_shaper shaper, const struct armdyn_mode *modes, size_t count)
{
  struct armdyn_impulses out;
  struct armdyn_error error;
  cr_assert_eq(armdyn_shaper_impulses(shaper, modes, count, &out, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_float_eq(sum_of(out.amplitude, out.count), 1, 1e-12);
  cr_assert_eq(out.time[0], 0);
  for (size_t i = 0; i < out.count; i++) cr_assert(out.amplitude[i] > 0 && (i == 0 || out.time[i] > out.time[i - 1]));
  return out;
}

/* ZV without damping: two halves, half a period apart; with 0.1 of it K = exp(-0.1 pi / sqrt(0.99)) = 0.7292476. */
Test(shaper, zv_and_zvd_are_the_textbook_s)
{
  const struct armdyn_mode plain = { 15, 0 }, damped = { 2, 0.1 };
  const double K = 0.729247614287671, half = 0.5 / (2 * sqrt(0.99));
  struct armdyn_impulses x = impulses_of(ARMDYN_SHAPER_ZV, &plain, 1);
  cr_assert(x.count == 2 && x.amplitude[0] == 0.5);
  cr_assert_float_eq(x.time[1], 1.0 / 30, 1e-15);
  x = impulses_of(ARMDYN_SHAPER_ZV, &damped, 1);
  cr_assert_float_eq(x.amplitude[0], 1 / (1 + K), 1e-12);
  cr_assert_float_eq(x.time[1], half, 1e-15);
  x = impulses_of(ARMDYN_SHAPER_ZVD, &damped, 1);
  cr_assert_eq(x.count, 3);
  cr_assert_float_eq(x.amplitude[1], 2 * K / ((1 + K) * (1 + K)), 1e-12);
  cr_assert_float_eq(x.time[2], 2 * half, 1e-15);
}

/* The curves that Singhose, Seering & Singer fitted to EI with damping, here for 5 %: amplitudes to 1e-3, the second time
 * to 2e-2 of a period, because they hold the third at one period. */
Test(shaper, ei_is_near_the_published_fit)
{
  const double V = 0.05;
  for (double z = 0; z < 0.31; z += 0.05) {
    const struct armdyn_mode mode = { 1, z };
    const struct armdyn_impulses x = impulses_of(ARMDYN_SHAPER_EI, &mode, 1);
    const double period = 1 / sqrt(1 - z * z);
    const double first = 0.24968 + 0.24961 * V + 0.80008 * z + 1.23328 * V * z + 0.49599 * z * z + 3.17316 * V * z * z;
    const double third = 0.25149 + 0.21474 * V - 0.83249 * z + 1.41498 * V * z + 0.85181 * z * z - 4.90094 * V * z * z;
    const double second = 0.49990 + 0.46159 * V * z + 4.26169 * V * z * z + 1.75601 * V * z * z * z +
                          8.57843 * V * V * z - 108.644 * V * V * z * z + 336.989 * V * V * z * z * z;
    cr_assert_float_eq(x.amplitude[0], first, 1.5e-3, "%g: %g, not %g", z, x.amplitude[0], first);
    cr_assert_float_eq(x.amplitude[2], third, 1.5e-3, "%g: %g, not %g", z, x.amplitude[2], third);
    cr_assert_float_eq(x.time[1] / period, second, 2e-2);
    cr_assert_float_eq(x.time[2] / period, 1, 3e-2);
  }
}

/* What each is made for: ZV nothing at the mode, ZVD flat there, EI 5 % there and never more over the widest range. */
Test(shaper, insensitivity_is_what_each_promises)
{
  for (double z = 0; z < 0.21; z += 0.1) {
    const struct armdyn_mode mode = { 3, z }, near[2] = { { 3 * 0.999, z }, { 3 * 1.001, z } };
    double width[ARMDYN_SHAPER_COUNT];
    for (int shaper = 0; shaper < ARMDYN_SHAPER_COUNT; shaper++) {
      const struct armdyn_impulses x = impulses_of((enum armdyn_shaper)shaper, &mode, 1);
      const double at = armdyn_impulses_residual(&x, &mode), low = armdyn_impulses_residual(&x, &near[0]),
                   high = armdyn_impulses_residual(&x, &near[1]);
      if (shaper == ARMDYN_SHAPER_EI) {
        cr_assert_float_eq(at, 0.05, 1e-9);
        cr_assert(low < 0.05 + 1e-9 && high < 0.05 + 1e-9);
      } else {
        cr_assert_lt(at, 1e-14);
        /* 0.1 % beside the mode: of first order for ZV, of second for ZVD */
        cr_assert(shaper == ARMDYN_SHAPER_ZV ? low > 5e-4 : fmax(low, high) < 5e-6, "%s",
                  armdyn_shaper_name((enum armdyn_shaper)shaper));
      }
      double from = 1, to = 1;
      for (struct armdyn_mode m = mode; from > 0.3; from -= 1e-3) {
        m.frequency = 3 * from;
        if (armdyn_impulses_residual(&x, &m) > 0.05 + 1e-9) break;
      }
      for (struct armdyn_mode m = mode; to < 3; to += 1e-3) {
        m.frequency = 3 * to;
        if (armdyn_impulses_residual(&x, &m) > 0.05 + 1e-9) break;
      }
      width[shaper] = to - from;
    }
    cr_assert(width[0] < width[1] && width[1] < width[2]);
    /* Singhose: 0.06, 0.29 and 0.40 of the frequency without damping */
    if (z == 0)
      cr_assert(fabs(width[0] - 0.06) < 0.01 && fabs(width[1] - 0.29) < 0.01 && fabs(width[2] - 0.40) < 0.01,
                "%g %g %g", width[0], width[1], width[2]);
  }
}

struct motion {
  struct armdyn_robot *robot;
  struct armdyn_trajectory trajectory;
};

static void motion_plan(struct motion *m, enum armdyn_profile profile, double limit)
{
  static const double points[] = { 0.2, -0.1, 0.9, 0.4, 1.4, -0.3 };
  struct armdyn_robot_description d;
  struct armdyn_error error;
  double minimum;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  for (size_t j = 0; j < 2; j++) {
    snprintf(d.joints[j].name, sizeof d.joints[j].name, "j%zu", j + 1);
    d.joints[j].a = 0.5, d.joints[j].link.mass = 2, d.joints[j].limits.torque = limit;
    d.joints[j].drive.rotor_inertia = 0.5;
  }
  const struct armdyn_profile_request request = { profile, 3, points, NULL, 1.1, NULL, 0 };
  cr_assert_eq(armdyn_robot_new(&d, &m->robot, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_profile_plan(m->robot, &request, &m->trajectory, NULL, &minimum, NULL, NULL, &error), ARMDYN_OK,
               "%s", error.message);
}

static void motion_close(struct motion *m)
{
  armdyn_trajectory_free(&m->trajectory);
  armdyn_robot_free(m->robot);
}

/* e'' + 2 z w e' + w^2 e = -u'' by classical Runge-Kutta steps, to the end; amplitude of the envelope there. */
static double simulated(const struct armdyn_trajectory *t, size_t joint, const struct armdyn_mode *mode)
{
  enum { STEPS = 100000 };
  const double w = 2 * M_PI * mode->frequency, z = mode->damping, h = armdyn_trajectory_duration(t) / STEPS;
  double e = 0, v = 0, qdd[3][2];
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < 3; i++) armdyn_trajectory_state(t, (k + i / 2.0) * h, NULL, NULL, qdd[i], NULL);
    double ke[4], kv[4];
    for (int i = 0; i < 4; i++) {
      const double c = i == 0 ? 0 : i == 3 ? h : h / 2, at = i == 0 ? 0 : c;
      const double x = e + (i ? at * ke[i - 1] : 0), y = v + (i ? at * kv[i - 1] : 0);
      ke[i] = y;
      kv[i] = -2 * z * w * y - w * w * x - qdd[i == 0 ? 0 : i == 3 ? 2 : 1][joint];
    }
    e += h / 6 * (ke[0] + 2 * ke[1] + 2 * ke[2] + ke[3]);
    v += h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
  }
  return hypot(e, (v + z * w * e) / (w * sqrt(1 - z * z)));
}

Test(shaper, vibration_is_what_a_simulation_leaves)
{
  const struct armdyn_mode modes[] = { { 2.3, 0 }, { 4.1, 0.05 }, { 7, 0.2 } };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++) {
    struct motion m;
    motion_plan(&m, (enum armdyn_profile)profile, INFINITY);
    for (int k = 0; k < 3; k++)
      for (size_t joint = 0; joint < 2; joint++) {
        const double reference = simulated(&m.trajectory, joint, &modes[k]);
        /* the steps of the simulation do not meet those of the trapezoid's acceleration */
        cr_assert_float_eq(armdyn_residual_vibration(&m.trajectory, joint, &modes[k]), reference,
                           2e-4 * reference + 1e-6, "%d %d %zu", profile, k, joint);
      }
    motion_close(&m);
  }
}

/* Shaped by two modes: still there at both ends, the same limits of motion, longer by the impulses, and at rest. */
Test(shaper, shaped_motions_end_at_rest)
{
  const struct armdyn_mode modes[] = { { 3, 0.04 }, { 6.5, 0.1 } };
  for (int profile = 0; profile < ARMDYN_PROFILE_COUNT; profile++)
    for (int shaper = 0; shaper < ARMDYN_SHAPER_COUNT; shaper++) {
      struct motion m;
      struct armdyn_trajectory shaped;
      struct armdyn_margin margin[2][ARMDYN_LIMIT_KINDS * 2];
      motion_plan(&m, (enum armdyn_profile)profile, 60);
      const struct armdyn_impulses x = impulses_of((enum armdyn_shaper)shaper, modes, 2);
      cr_assert_eq(armdyn_trajectory_shape(&m.trajectory, &x, &shaped), ARMDYN_OK);
      cr_assert_float_eq(armdyn_trajectory_duration(&shaped), 1.1 + x.time[x.count - 1], 1e-12);
      double q[2], qd[2], from[2], worst = 0;
      const double ends[2] = { 0, armdyn_trajectory_duration(&shaped) };
      for (int end = 0; end < 2; end++) {
        armdyn_trajectory_state(&shaped, ends[end], q, qd, NULL, NULL);
        armdyn_trajectory_state(&m.trajectory, end ? 1.1 : 0, from, NULL, NULL, NULL);
        for (int j = 0; j < 2; j++) cr_assert(fabs(q[j] - from[j]) < 1e-12 && fabs(qd[j]) < 1e-10);
      }
      /* the sum itself, anywhere */
      for (int k = 0; k <= 500; k++) {
        const double t = ends[1] * k / 500;
        double sum[2] = { 0 };
        for (size_t i = 0; i < x.count; i++) {
          armdyn_trajectory_state(&m.trajectory, t - x.time[i], from, NULL, NULL, NULL);
          for (int j = 0; j < 2; j++) sum[j] += x.amplitude[i] * from[j];
        }
        armdyn_trajectory_state(&shaped, t, q, NULL, NULL, NULL);
        for (int j = 0; j < 2; j++) worst = fmax(worst, fabs(q[j] - sum[j]));
      }
      cr_assert_lt(worst, 1e-12);
      for (int k = 0; k < 2; k++)
        for (size_t joint = 0; joint < 2; joint++) {
          const double before = armdyn_residual_vibration(&m.trajectory, joint, &modes[k]);
          const double after = armdyn_residual_vibration(&shaped, joint, &modes[k]);
          cr_assert_lt(after, shaper == ARMDYN_SHAPER_EI ? 0.0501 * before : 1e-12, "%d %d: %g of %g", profile, shaper,
                       after, before);
        }
      cr_assert_eq(armdyn_trajectory_margins(m.robot, NULL, &m.trajectory, margin[0]), ARMDYN_OK);
      cr_assert_eq(armdyn_trajectory_margins(m.robot, NULL, &shaped, margin[1]), ARMDYN_OK);
      const int torque = ARMDYN_LIMIT_TORQUE * 2;
      cr_assert(margin[1][torque].usage > 0 && fabs(margin[1][torque].usage - margin[0][torque].usage) > 1e-3);
      armdyn_trajectory_free(&shaped);
      motion_close(&m);
    }
}

Test(shaper, a_motion_without_time_stays_where_it_is)
{
  const double points[2] = { 0.7, 0.7 };
  const struct armdyn_mode mode = { 5, 0.1 };
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_trajectory still, shaped;
  struct armdyn_error error;
  double minimum, q[1];
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  const struct armdyn_profile_request request = { ARMDYN_QUINTIC, 2, points, NULL, NAN, NULL, 0 };
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK);
  cr_assert_eq(armdyn_profile_plan(robot, &request, &still, NULL, &minimum, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  const struct armdyn_impulses x = impulses_of(ARMDYN_SHAPER_ZVD, &mode, 1);
  cr_assert_eq(armdyn_trajectory_shape(&still, &x, &shaped), ARMDYN_OK);
  for (int k = 0; k <= 4; k++) {
    armdyn_trajectory_state(&shaped, x.time[2] * k / 4, q, NULL, NULL, NULL);
    cr_assert_float_eq(q[0], 0.7, 1e-15);
  }
  cr_assert_eq(armdyn_residual_vibration(&shaped, 0, &mode), 0);
  armdyn_trajectory_free(&still);
  armdyn_trajectory_free(&shaped);
  armdyn_robot_free(robot);
}

Test(shaper, modes_that_make_no_sense_are_refused)
{
  const struct {
    struct armdyn_mode mode;
    enum armdyn_shaper shaper;
    const char *pointer;
  } rows[] = { { { 0, 0.1 }, ARMDYN_SHAPER_ZV, "/shaper/modes/1/frequency_hz" },
               { { NAN, 0.1 }, ARMDYN_SHAPER_ZV, "/shaper/modes/1/frequency_hz" },
               { { INFINITY, 0.1 }, ARMDYN_SHAPER_ZV, "/shaper/modes/1/frequency_hz" },
               { { 5, -0.1 }, ARMDYN_SHAPER_ZVD, "/shaper/modes/1/damping" },
               { { 5, 1 }, ARMDYN_SHAPER_ZVD, "/shaper/modes/1/damping" },
               { { 5, 0.31 }, ARMDYN_SHAPER_EI, "/shaper/modes/1/damping" },
               { { 5, NAN }, ARMDYN_SHAPER_ZV, "/shaper/modes/1/damping" } };
  struct armdyn_impulses x;
  struct armdyn_error error;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const struct armdyn_mode modes[2] = { { 10, 0 }, rows[k].mode };
    cr_assert_eq(armdyn_shaper_impulses(rows[k].shaper, modes, 2, &x, &error), ARMDYN_EINPUT);
    cr_assert_str_eq(error.pointer, rows[k].pointer);
  }
  const struct armdyn_mode same[5] = { { 5, 0 }, { 5, 0 }, { 5, 0 }, { 5, 0 }, { 5, 0 } };
  cr_assert_eq(armdyn_shaper_impulses(ARMDYN_SHAPER_ZV, same, 5, &x, &error), ARMDYN_EINPUT);
  cr_assert_eq(armdyn_shaper_impulses(ARMDYN_SHAPER_ZV, same, 0, &x, &error), ARMDYN_EINPUT);
  cr_assert_eq(impulses_of(ARMDYN_SHAPER_ZV, same, 2).count, 3); /* equal modes: impulses that meet are one */
  cr_assert_eq(armdyn_shaper_impulses(ARMDYN_SHAPER_COUNT, same, 1, &x, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/shaper/type");
}
