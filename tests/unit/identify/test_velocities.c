/* Logged velocities against positions: gains and delays that are known, and noise by its closed form. */
#include <math.h>

#include "armdyn/signals.h"
#include "tests/support/simulated.h"

enum { VCOUNT = 8000 };

/* Two sines a joint, 500 Hz, positions in steps of an encoder. */
struct velocity_log {
  double time[VCOUNT], q[VCOUNT * N], qd[VCOUNT * N], tau[VCOUNT * N];
  struct armdyn_log log;
};
struct spoilt {
  double gain, delay, offset, noise, encoder;
};

static double velocity_at(size_t joint, double t)
{
  const double w = 2 * pi * 0.4, u = 2 * pi * (0.9 + 0.05 * (double)joint);
  return 0.6 * w * cos(w * t + (double)joint) + 0.2 * u * cos(u * t);
}

static struct velocity_log *velocity_log(const struct spoilt spoilt[N])
{
  struct velocity_log *l = calloc(1, sizeof *l);
  struct dice dice = { 41 };
  for (size_t k = 0; k < VCOUNT; k++) {
    const double t = l->time[k] = (double)k / 500;
    for (size_t j = 0; j < N; j++) {
      const double w = 2 * pi * 0.4, u = 2 * pi * (0.9 + 0.05 * (double)j), step = spoilt[j].encoder;
      const double q = 0.6 * sin(w * t + (double)j) + 0.2 * sin(u * t);
      l->q[k * N + j] = step > 0 ? round(q / step) * step : q;
      l->qd[k * N + j] =
          spoilt[j].gain * velocity_at(j, t - spoilt[j].delay) + spoilt[j].offset + spoilt[j].noise * normal(&dice);
    }
  }
  l->log = (struct armdyn_log){ .count = VCOUNT, .time = l->time, .q = l->q, .tau = l->tau, .qd = l->qd };
  return l;
}

static const struct armdyn_conditioning usual = { .position_cutoff = 9, .trim = 0.3 };

static void check(const struct spoilt spoilt[N], struct armdyn_logged_velocity found[N])
{
  struct armdyn_robot *robot = scara();
  struct velocity_log *l = velocity_log(spoilt);
  cr_assert_eq(armdyn_check_velocities(robot, &l->log, &usual, found, NULL), ARMDYN_OK);
  armdyn_robot_free(robot);
  free(l);
}

Test(velocities, gains_and_delays_are_found)
{
  const struct spoilt spoilt[N] = {
    { 1, 0, 0, 1e-3, 1e-4 }, { 57.29578, 0, 0, 0.05, 1e-4 }, { -1, 0.012, 0, 1e-3, 1e-4 }, { 1, 0.0153, 0, 1e-3, 1e-4 }
  };
  const enum armdyn_velocity_verdict verdicts[N] = { ARMDYN_VELOCITY_AGREES, ARMDYN_VELOCITY_GAIN, ARMDYN_VELOCITY_GAIN,
                                                     ARMDYN_VELOCITY_LATE };
  struct armdyn_logged_velocity found[N];
  check(spoilt, found);
  for (size_t j = 0; j < N; j++) {
    const struct armdyn_logged_velocity *v = &found[j];
    cr_assert_eq(v->verdict, verdicts[j], "joint %zu: %d, %g +- %g, %g +- %g s", j, (int)v->verdict, v->gain,
                 v->gain_deviation, v->delay, v->delay_deviation);
    cr_assert_lt(fabs(v->gain / spoilt[j].gain - 1), 5e-4, "%zu: %g", j, v->gain);
    cr_assert_lt(fabs(v->delay - spoilt[j].delay), 2e-4, "%zu: %g", j, v->delay);
    cr_assert_lt(v->gain_deviation, 1e-3 * fabs(v->gain));
  }
}

Test(velocities, offsets_and_what_is_no_velocity_are_told)
{
  const struct spoilt spoilt[N] = {
    { 1, 0, 0.1, 1e-3, 1e-4 }, { 0, 0, 0, 1, 1e-4 }, { 1, 0.004, 0, 1e-3, 1e-4 }, { 1, 0.0008, 0, 1e-3, 1e-4 }
  };
  struct armdyn_logged_velocity found[N];
  check(spoilt, found);
  cr_assert_eq(found[0].verdict, ARMDYN_VELOCITY_OFFSET);
  cr_assert_float_eq(found[0].offset, 0.1, 1e-3);
  cr_assert_eq(found[1].verdict, ARMDYN_VELOCITY_UNLIKE);
  cr_assert_eq(found[2].verdict, ARMDYN_VELOCITY_LATE);
  cr_assert_eq(found[3].verdict, ARMDYN_VELOCITY_AGREES);
}

/* Errors of accelerations behind the low-pass, measured against the truth, are in the ratio that is told. */
Test(velocities, noise_is_that_of_the_accelerations)
{
  const struct spoilt spoilt[N] = {
    { 1, 0, 0, 4e-3, 1e-4 }, { 1, 0, 0, 8e-4, 1e-4 }, { 1, 0, 0, 1e-3, 5e-4 }, { 1, 0, 0, 0, 0 }
  };
  struct armdyn_logged_velocity found[N];
  struct velocity_log *l = velocity_log(spoilt);
  struct armdyn_motion motions[2];
  double squares[2][N] = { { 0 } };
  bool all[N] = { true, true, true, true };
  check(spoilt, found);
  for (int with = 0; with < 2; with++) {
    l->log.use_qd = with ? all : NULL;
    cr_assert_eq(armdyn_condition(N, &l->log, &usual, &motions[with], NULL), ARMDYN_OK);
    for (size_t k = 0; k < motions[with].count; k++)
      for (size_t j = 0; j < N; j++) {
        const double t = motions[with].start + (double)k / motions[with].rate, h = 1e-5;
        const double qdd = (velocity_at(j, t + h) - velocity_at(j, t - h)) / (2 * h);
        squares[with][j] += pow(motions[with].qdd[k * N + j] - qdd, 2);
      }
    armdyn_motion_free(&motions[with]);
  }
  for (size_t j = 0; j < 3; j++) {
    const double measured = sqrt(squares[1][j] / squares[0][j]);
    cr_assert_lt(fabs(log(found[j].noise / measured)), log(1.35), "%zu: %g, measured %g", j, found[j].noise, measured);
    cr_assert_eq(found[j].verdict, measured > 1 ? ARMDYN_VELOCITY_NOISY : ARMDYN_VELOCITY_AGREES);
  }
  cr_assert_eq(found[3].verdict, ARMDYN_VELOCITY_AGREES);
  free(l);
}

Test(velocities, joints_that_rest_tell_nothing)
{
  const struct spoilt spoilt[N] = { { 1, 0, 0, 0, 0 }, { 1, 0, 0, 0, 0 }, { 1, 0, 0, 0, 0 }, { 1, 0, 0, 0, 0 } };
  struct armdyn_robot *robot = scara();
  struct velocity_log *l = velocity_log(spoilt);
  struct armdyn_logged_velocity found[N];
  for (size_t k = 0; k < VCOUNT; k++) l->q[k * N] = 0.3, l->qd[k * N] = 0;
  cr_assert_eq(armdyn_check_velocities(robot, &l->log, &usual, found, NULL), ARMDYN_OK);
  cr_assert_eq(found[0].verdict, ARMDYN_VELOCITY_RESTS);
  for (size_t j = 1; j < N; j++) cr_assert_eq(found[j].verdict, ARMDYN_VELOCITY_AGREES);
  armdyn_robot_free(robot);
  free(l);
}
