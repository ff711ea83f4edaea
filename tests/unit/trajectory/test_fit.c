/* Splines through samples: of functions whose derivatives are known, of noise, of what stands still, and of nonsense. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

static void fit_of(size_t n, size_t count, const double *t, const double *q, double tolerance,
                   struct armdyn_trajectory *out, struct armdyn_motion_fit *fit)
{
  const struct armdyn_motion_fit_request request = { n, count, t, q, tolerance };
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_trajectory_fit(&request, out, fit, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
}

/* q = (sin w t, cos w t) at uneven times: every derivative is known. The farther apart the intervals the better the
 * derivatives, so that they are the measure. */
Test(fit, a_sine_has_the_derivatives_of_a_sine)
{
  enum { COUNT = 1001 };
  const double w = 2 * M_PI;
  static double t[COUNT], q[2 * COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    t[i] = 5 + 0.002 * ((double)i + (i > 0 && i + 1 < COUNT ? 0.4 * sin(9.0 * (double)i) : 0));
    q[2 * i] = sin(w * (t[i] - 5)), q[2 * i + 1] = cos(w * (t[i] - 5));
  }
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  fit_of(2, COUNT, t, q, 1e-6, &motion, &fit);
  cr_assert(!fit.at_rest && fit.deviation <= 1e-6 && fit.intervals < 60, "%zu intervals", fit.intervals);
  cr_assert_float_eq(armdyn_trajectory_duration(&motion), 2, 1e-12);
  double farthest = 0;
  for (size_t i = 0; i < COUNT; i++) {
    double at[2];
    armdyn_trajectory_state(&motion, t[i] - 5, at, NULL, NULL, NULL);
    for (size_t j = 0; j < 2; j++) farthest = fmax(farthest, fabs(at[j] - q[2 * i + j]));
  }
  cr_assert_float_eq(farthest, fit.deviation, 1e-12);
  for (double s = 0; s <= 2; s += 0.0137) {
    double at[2], qd[2], qdd[2], qddd[2];
    armdyn_trajectory_state(&motion, s, at, qd, qdd, qddd);
    cr_assert_float_eq(at[0], sin(w * s), 2e-6);
    cr_assert_float_eq(qd[0], w * cos(w * s), 1e-4);
    cr_assert_float_eq(qdd[1], -w * w * cos(w * s), 1e-2);
    cr_assert_float_eq(qddd[1], w * w * w * sin(w * s), 2);
  }
  armdyn_trajectory_free(&motion);
}

/* A polynomial of the fifth degree is such a spline itself: found exactly, from rest to rest. */
Test(fit, a_quintic_is_found_again)
{
  enum { COUNT = 301 };
  static double t[COUNT], q[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    const double s = (double)i / (COUNT - 1);
    t[i] = 1.5 * s;
    q[i] = 0.2 + 0.7 * s * s * s * (10 - 15 * s + 6 * s * s);
  }
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  fit_of(1, COUNT, t, q, 1e-6, &motion, &fit);
  cr_assert(fit.at_rest && fit.intervals == 2, "%zu intervals", fit.intervals);
  for (double time = 0; time <= 1.5; time += 0.01) {
    const double s = time / 1.5;
    double at, qd, qdd;
    armdyn_trajectory_state(&motion, time, &at, &qd, &qdd, NULL);
    cr_assert_float_eq(at, 0.2 + 0.7 * s * s * s * (10 - 15 * s + 6 * s * s), 1e-8);
    cr_assert_float_eq(qd, 0.7 / 1.5 * 30 * s * s * (1 - s) * (1 - s), 1e-7);
    cr_assert_float_eq(qdd, 0.7 / 2.25 * 60 * s * (1 - s) * (1 - 2 * s), 1e-5);
  }
  double first, last, begins, ends;
  armdyn_trajectory_state(&motion, 0, &first, &begins, NULL, NULL);
  armdyn_trajectory_state(&motion, 1.5, &last, &ends, NULL, NULL);
  cr_assert(first == q[0] && begins == 0);
  cr_assert_float_eq(last, q[COUNT - 1], 1e-15);
  cr_assert_float_eq(ends, 0, 1e-12);
  armdyn_trajectory_free(&motion);
}

/* Noise below the tolerance goes: what is left of it is less than was put in. */
Test(fit, noise_below_the_tolerance_is_smoothed)
{
  enum { COUNT = 2001 };
  static double t[COUNT], q[COUNT];
  unsigned long state = 1;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    const double noise = 1e-4 * (2 * ((double)(state >> 11) / 9007199254740992.0) - 1);
    t[i] = 0.001 * (double)i;
    q[i] = 1 - cos(M_PI * t[i]) + (i == 0 || i + 1 == COUNT ? 0 : noise);
  }
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  fit_of(1, COUNT, t, q, 1.2e-4, &motion, &fit);
  cr_assert(fit.at_rest && fit.intervals < 40, "%zu intervals", fit.intervals);
  double sum = 0;
  for (size_t i = 0; i < COUNT; i++) {
    double at;
    armdyn_trajectory_state(&motion, t[i], &at, NULL, NULL, NULL);
    sum += (at - 1 + cos(M_PI * t[i])) * (at - 1 + cos(M_PI * t[i]));
  }
  cr_assert_lt(sqrt(sum / COUNT), 1e-4 / sqrt(3));
  armdyn_trajectory_free(&motion);
}

/* Corners cost intervals, and two samples are a motion from rest to rest between them. */
Test(fit, corners_and_few_samples)
{
  enum { COUNT = 200 };
  static double t[COUNT], q[COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    t[i] = 0.01 * (double)i;
    const double s = fmin(fmax(t[i] - 0.5, 0), 1); /* stands, goes at once, stands */
    q[i] = s;
  }
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  fit_of(1, COUNT, t, q, 1e-4, &motion, &fit);
  cr_assert(fit.at_rest && fit.deviation <= 1e-4 && fit.intervals > 50);
  armdyn_trajectory_free(&motion);
  double at, qd;
  const double two[] = { 0, 2 }, ends[] = { -0.5, 0.5 };
  fit_of(1, 2, two, ends, 1e-6, &motion, &fit);
  cr_assert(fit.at_rest);
  armdyn_trajectory_state(&motion, 1, &at, &qd, NULL, NULL);
  cr_assert_float_eq(at, 0, 1e-6);
  cr_assert_gt(qd, 0.5);
  armdyn_trajectory_free(&motion);
}

Test(fit, what_stands_still_stands_still)
{
  const double t[] = { 0, 1, 2, 3 }, q[] = { 0.3, 0.3, 0.3, 0.3 };
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  double at, qd, qdd;
  fit_of(1, 4, t, q, 1e-9, &motion, &fit);
  armdyn_trajectory_state(&motion, 1.3, &at, &qd, &qdd, NULL);
  cr_assert(fit.at_rest && at == 0.3 && qd == 0 && qdd == 0);
  armdyn_trajectory_free(&motion);
}

Test(fit, nonsense_is_named)
{
  double t[] = { 0, 1, 2 }, q[] = { 0, 1, 0 };
  struct armdyn_motion_fit_request request = { 1, 3, t, q, 1e-3 };
  struct armdyn_trajectory motion;
  struct armdyn_motion_fit fit;
  struct armdyn_error error;
  const struct {
    double *at, value;
    const char *pointer;
  } wrong[] = { { &t[2], 1, "/t/2" },         { &t[1], NAN, "/t/1" },
                { &t[0], -INFINITY, "/t/0" }, { &q[1], NAN, "/q/1/0" },
                { &q[2], 2e6, "/q/2/0" },     { &request.tolerance, 0, "/tolerance" },
                { &t[2], 1e9, "/t" },         { &request.tolerance, NAN, "/tolerance" } };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const double right = *wrong[k].at;
    *wrong[k].at = wrong[k].value;
    cr_assert_eq(armdyn_trajectory_fit(&request, &motion, &fit, &error), ARMDYN_EINPUT, "%zu", k);
    cr_assert_str_eq(error.pointer, wrong[k].pointer);
    *wrong[k].at = right;
  }
  request.count = 1;
  cr_assert_eq(armdyn_trajectory_fit(&request, &motion, &fit, &error), ARMDYN_EINPUT);
}
