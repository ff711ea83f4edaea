/* Trapezoidal velocity along the straight line from point to point, with s(t) from 0 to 1 in time T common to all joints:
 * ramps of length Ta, v = 1/(T - Ta), a = v/(Ta - gamma), j = a/gamma, where gamma is the time that the acceleration
 * takes to come and go (0: a step).
 *
 * Without limits the ramps are thirds, Ta = T/3, the trapezoid with the smallest integral of squared acceleration.
 * A shorter ramp lowers v; a longer one, up to T/2, lowers a and j. */
#include <math.h>

#include "lib/trajectory/profile_problem.h"

struct shape {
  double ramp, gamma, v, a, j;
};

/* The shape with this ramp and the smallest gamma that keeps the jerk limit (half the ramp if none does). */
static struct shape shape_of(double T, double ramp, double jerk)
{
  struct shape x = { .ramp = ramp, .v = 1 / (T - ramp) };
  if (isfinite(jerk)) { /* gamma (ramp - gamma) = v / jerk */
    const double discriminant = ramp * ramp - 4 * x.v / jerk;
    x.gamma = 2 * x.v / jerk / (ramp + sqrt(fmax(discriminant, 0)));
    x.gamma = fmin(x.gamma, ramp / 2);
  }
  x.a = x.v / (ramp - x.gamma);
  x.j = x.gamma > 0 ? x.a / x.gamma : 0;
  return x;
}

static bool gentle(const struct shape *x, const struct path_limits *limits)
{
  return x->a <= limits->acceleration * (1 + 1e-12) && x->j <= limits->jerk * (1 + 1e-12);
}

/* Thirds, moved only as far as the limits need; where they contradict each other, the velocity limit is kept. */
static struct shape choose_shape(double T, const struct path_limits *limits)
{
  const double longest = fmin(T / 2, T - 1 / limits->velocity); /* of the ramps that keep the velocity limit */
  if (!(longest > 1e-9 * T)) return shape_of(T, T / 3, limits->jerk);
  struct shape x = shape_of(T, fmin(T / 3, longest), limits->jerk);
  if (gentle(&x, limits)) return x;
  double low = x.ramp, high = longest;
  for (int k = 0; k < 60; k++) { /* acceleration and jerk fall as the ramp grows to T/2 */
    const double middle = (low + high) / 2;
    x = shape_of(T, middle, limits->jerk);
    if (gentle(&x, limits)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return shape_of(T, high, limits->jerk);
}

static void add_piece(const struct profile_problem *problem, size_t segment, struct armdyn_trajectory *out,
                      const double s[4], double end)
{
  const size_t n = problem->joint_count, k = out->piece_count++;
  const double *from = problem->points + segment * n, *to = from + n;
  for (size_t j = 0; j < n; j++) {
    double *c = out->coefficients + (k * n + j) * 4;
    const double way = to[j] - from[j];
    c[0] = s[0] < 0.5 ? from[j] + way * s[0] : to[j] - way * (1 - s[0]);
    for (int i = 1; i < 4; i++) c[i] = way * s[i] / (i == 3 ? 6 : i);
  }
  out->breaks[k + 1] = end;
}

/* Phases of constant jerk: three for each ramp, the cruise between. Those without length are left out. */
static void add_segment(const struct profile_problem *problem, size_t segment, double start, double end,
                        struct armdyn_trajectory *out)
{
  const double T = end - start;
  const struct shape x = choose_shape(T, &problem->path[segment]);
  const double length[7] = { x.gamma, x.ramp - 2 * x.gamma, x.gamma, T - 2 * x.ramp,
                             x.gamma, x.ramp - 2 * x.gamma, x.gamma };
  static const double jerk[7] = { 1, 0, -1, 0, -1, 0, 1 }, acceleration[7] = { 0, 1, 1, 0, 0, -1, -1 };
  double t = start, s[4] = { 0 };
  for (int k = 0; k < 7; k++) {
    const double h = length[k];
    if (!(h > 1e-9 * T)) continue;
    s[2] = x.a * acceleration[k];
    s[3] = x.j * jerk[k];
    t = k == 6 || (k == 5 && !(length[6] > 1e-9 * T)) ? end : t + h;
    add_piece(problem, segment, out, s, t);
    s[0] += h * (s[1] + h * (s[2] / 2 + h * s[3] / 6));
    s[1] += h * (s[2] + h * s[3] / 2);
  }
}

void trapezoid_build(const struct profile_problem *problem, const double *times, struct armdyn_trajectory *out)
{
  out->piece_count = 0;
  for (size_t k = 0; k + 1 < problem->point_count; k++) {
    if (times[k + 1] > times[k]) add_segment(problem, k, times[k], times[k + 1], out);
  }
  if (out->piece_count == 0) add_piece(problem, 0, out, (const double[4]){ 0 }, 0);
}
