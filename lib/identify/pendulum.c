/* Unknown: I about the axis. One equation: the mean period of the swings, each longer by its amplitude and by the
 * damping, is what was measured. See the header for the sources. */
#include "armdyn/pendulum.h"

#include <math.h>
#include <stddef.h>

enum { FIGURES = ARMDYN_PENDULUM_FIGURES, SWINGS_MOST = 10000 };
/* Of every figure: beyond it squares of deviations are no numbers any more. */
static const double SMALLEST = 1e-12, GREATEST = 1e12;
static const double PI = 3.14159265358979323846, LARGEST = 3, STEP = 1e-5;

/* M(1, k) of k in (0, 1]. */
static double agm(double k)
{
  double a = 1, b = k;
  while (fabs(a - b) > 1e-15 * a) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}

/* z of a viscous decay: the logarithmic decrement over a swing is 2 pi z / sqrt(1 - z^2). */
static double damping_of(const struct armdyn_pendulum_test *t, const double *x)
{
  if (t->decay != ARMDYN_DECAY_VISCOUS) return 0;
  const double decrement = log(x[ARMDYN_PENDULUM_FIRST] / x[ARMDYN_PENDULUM_LAST]) / t->swings;
  return decrement / sqrt(4 * PI * PI + decrement * decrement);
}

/* By how much the mean swing is longer than a small undamped one. A swing's own amplitude is that of its middle. */
static double lengthening(const struct armdyn_pendulum_test *t, const double *x)
{
  const double first = x[ARMDYN_PENDULUM_FIRST], last = x[ARMDYN_PENDULUM_LAST], z = damping_of(t, x);
  double sum = 0;
  for (int k = 0; k < t->swings; k++) {
    const double s = (k + 0.5) / t->swings;
    const double amplitude =
        t->decay == ARMDYN_DECAY_VISCOUS ? first * pow(last / first, s) : first + s * (last - first);
    sum += 1 / agm(cos(amplitude / 2));
  }
  return sum / t->swings / sqrt(1 - z * z);
}

static double small_period(const struct armdyn_pendulum_test *t, const double *x)
{
  return x[ARMDYN_PENDULUM_TIME] / t->swings / lengthening(t, x);
}

static double about_axis(const struct armdyn_pendulum_test *t, const double *x)
{
  const double w = 2 * PI / small_period(t, x);
  return x[ARMDYN_PENDULUM_MASS] * x[ARMDYN_PENDULUM_GRAVITY] * x[ARMDYN_PENDULUM_DISTANCE] / (w * w);
}

static double steiner(const double *x)
{
  return x[ARMDYN_PENDULUM_MASS] * x[ARMDYN_PENDULUM_DISTANCE] * x[ARMDYN_PENDULUM_DISTANCE];
}

static enum armdyn_status check(const struct armdyn_pendulum_test *t, struct armdyn_error *error)
{
  static const char *const names[] = {
    "/mass", "/distance", "/times", "/amplitude_first", "/amplitude_last", "/gravity"
  };
  for (size_t i = 0; i < FIGURES; i++) {
    if (!(t->value[i] >= SMALLEST && t->value[i] <= GREATEST))
      return armdyn_refuse(error, ARMDYN_EINPUT, names[i], "must be %g to %g, got %g", SMALLEST, GREATEST, t->value[i]);
    if (!(t->deviation[i] >= 0 && t->deviation[i] <= GREATEST))
      return armdyn_refuse(error, ARMDYN_EINPUT, names[i], "its deviation must be 0 to %g, got %g", GREATEST,
                           t->deviation[i]);
  }
  const double first = t->value[ARMDYN_PENDULUM_FIRST], last = t->value[ARMDYN_PENDULUM_LAST];
  if (first > LARGEST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/amplitude_first", "must be <= %g rad, got %g", LARGEST, first);
  if (last > first)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/amplitude_last", "must be <= the first, %g rad, got %g", first, last);
  if (t->swings < 1 || t->swings > SWINGS_MOST)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/swings", "must be 1 to %d, got %d", SWINGS_MOST, t->swings);
  return ARMDYN_OK;
}

/* Linear, by central differences: of a figure's slope only its sign and size over one step matter. */
static void deviations(const struct armdyn_pendulum_test *t, struct armdyn_pendulum *out)
{
  double axis = 0, com = 0;
  for (size_t i = 0; i < FIGURES; i++) {
    double x[FIGURES], slope[2] = { 0, 0 };
    for (int side = -1; side <= 1; side += 2) {
      for (size_t k = 0; k < FIGURES; k++) x[k] = t->value[k];
      x[i] *= 1 + side * STEP;
      const double inertia = about_axis(t, x), per = side / (2 * STEP * t->value[i]);
      slope[0] += inertia * per;
      slope[1] += (inertia - steiner(x)) * per;
    }
    axis += pow(slope[0] * t->deviation[i], 2);
    out->share[i] = pow(slope[1] * t->deviation[i], 2);
    com += out->share[i];
  }
  for (size_t i = 0; i < FIGURES && com > 0; i++) out->share[i] /= com;
  out->inertia_axis_deviation = sqrt(axis);
  out->inertia_com_deviation = sqrt(com);
}

/* Energy: what the height has lost went along the way, 4 n times the mean amplitude. */
static double dry_torque(const struct armdyn_pendulum_test *t)
{
  const double *x = t->value, first = x[ARMDYN_PENDULUM_FIRST], last = x[ARMDYN_PENDULUM_LAST];
  const double weight = x[ARMDYN_PENDULUM_MASS] * x[ARMDYN_PENDULUM_GRAVITY] * x[ARMDYN_PENDULUM_DISTANCE];
  const double height = 2 * sin((first + last) / 2) * sin((first - last) / 2); /* cos last - cos first */
  return weight * height / (2 * t->swings * (first + last));
}

enum armdyn_status armdyn_pendulum_reduce(const struct armdyn_pendulum_test *test, struct armdyn_pendulum *out,
                                          struct armdyn_error *error)
{
  const double *x = test->value;
  enum armdyn_status status = check(test, error);
  if (status) return status;
  *out = (struct armdyn_pendulum){ .period = x[ARMDYN_PENDULUM_TIME] / test->swings,
                                   .period_small = small_period(test, x),
                                   .damping = damping_of(test, x),
                                   .inertia_axis = about_axis(test, x) };
  out->inertia_com = out->inertia_axis - steiner(x);
  if (!(out->inertia_com > 0))
    return armdyn_refuse(error, ARMDYN_EINPUT, "/times",
                         "a small swing of %.6g s is too short for a centre of mass %g m off the axis: a point of mass "
                         "there takes %.6g s",
                         out->period_small, x[ARMDYN_PENDULUM_DISTANCE],
                         2 * PI * sqrt(x[ARMDYN_PENDULUM_DISTANCE] / x[ARMDYN_PENDULUM_GRAVITY]));
  out->radius_of_gyration = sqrt(out->inertia_com / x[ARMDYN_PENDULUM_MASS]);
  out->viscous = 2 * out->damping * 2 * PI / out->period_small * out->inertia_axis;
  if (test->decay == ARMDYN_DECAY_DRY) out->dry = dry_torque(test);
  deviations(test, out);
  return ARMDYN_OK;
}
