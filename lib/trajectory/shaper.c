#include "armdyn/shaper.h"

#include <complex.h>
#include <math.h>

#include "lib/math/linear.h"
#include "lib/trajectory/polynomial.h"
#include "lib/trajectory/quadrature.h"

enum { MOST = 3 }; /* impulses of one mode */

static const double FREQUENCY_MIN = 1e-3, FREQUENCY_MAX = 1e4, TOLERATED = 0.05;

/* -- one mode: times in damped periods -- */

typedef void shaper_builder(double damping, struct armdyn_impulses *out);

/* What is left of an impulse half a damped period later. */
static double half_period_decay(double damping)
{
  return exp(-damping * M_PI / sqrt(1 - damping * damping));
}

static void zv_build(double damping, struct armdyn_impulses *out)
{
  const double K = half_period_decay(damping);
  *out = (struct armdyn_impulses){ 2, { 0, 0.5 }, { 1 / (1 + K), K / (1 + K) } };
}

static void zvd_build(double damping, struct armdyn_impulses *out)
{
  const double K = half_period_decay(damping), sum = (1 + K) * (1 + K);
  *out = (struct armdyn_impulses){ 3, { 0, 0.5, 1 }, { 1 / sum, 2 * K / sum, K * K / sum } };
}

/* The three impulses of EI as unknowns, with the two frequencies at which no vibration is left (in units of the mode's). */
enum { A2, A3, T2, T3, BELOW, ABOVE, UNKNOWNS };

/* Vibration left at a frequency (relative), and its derivative. */
static double complex residual_of(const double x[UNKNOWNS], double damping, double frequency, double complex *slope)
{
  const double w = 2 * M_PI / sqrt(1 - damping * damping), root = sqrt(1 - damping * damping);
  const double amplitude[MOST] = { 1 - x[A2] - x[A3], x[A2], x[A3] }, time[MOST] = { 0, x[T2], x[T3] };
  double complex sum = 0;
  *slope = 0;
  for (int i = 0; i < MOST; i++) {
    const double complex p = w * (damping * (time[i] - x[T3]) + I * root * time[i]);
    const double complex term = amplitude[i] * cexp(p * frequency);
    sum += term;
    *slope += p * term;
  }
  return sum;
}

/* At the mode: as much as is tolerated, and not more on either side; at two frequencies: nothing. */
static void extra_insensitive(const double x[UNKNOWNS], double damping, double out[UNKNOWNS])
{
  double complex slope, at = residual_of(x, damping, 1, &slope);
  out[0] = creal(at * conj(at)) - TOLERATED * TOLERATED;
  out[1] = creal(conj(at) * slope);
  for (int k = 0; k < 2; k++) {
    at = residual_of(x, damping, x[BELOW + k], &slope);
    out[2 + 2 * k] = creal(at);
    out[3 + 2 * k] = cimag(at);
  }
}

static void newton_step(double x[UNKNOWNS], double damping)
{
  const double h = 1e-6;
  double f[UNKNOWNS], lower[UNKNOWNS], upper[UNKNOWNS], J[UNKNOWNS * UNKNOWNS], inverse[UNKNOWNS * UNKNOWNS];
  extra_insensitive(x, damping, f);
  for (int k = 0; k < UNKNOWNS; k++) {
    const double here = x[k];
    x[k] = here - h;
    extra_insensitive(x, damping, lower);
    x[k] = here + h;
    extra_insensitive(x, damping, upper);
    x[k] = here;
    for (int i = 0; i < UNKNOWNS; i++) J[i * UNKNOWNS + k] = (upper[i] - lower[i]) / (2 * h);
  }
  invert(UNKNOWNS, J, inverse); /* far from singular up to the damping that is allowed */
  for (int k = 0; k < UNKNOWNS; k++)
    for (int i = 0; i < UNKNOWNS; i++) x[k] -= inverse[k * UNKNOWNS + i] * f[i];
}

/* From the closed form without damping, in small steps of it. */
static void ei_build(double damping, struct armdyn_impulses *out)
{
  enum { NEWTON_STEPS = 8 };
  const double V = TOLERATED, apart = acos((1 - V) / (1 + V)) / M_PI, step = 0.02;
  double x[UNKNOWNS] = { (1 - V) / 2, (1 + V) / 4, 0.5, 1, 1 - apart, 1 + apart };
  const int steps = (int)ceil(damping / step);
  for (int k = 1; k <= steps; k++)
    for (int newton = 0; newton < NEWTON_STEPS; newton++) newton_step(x, damping * k / steps);
  *out = (struct armdyn_impulses){ 3, { 0, x[T2], x[T3] }, { 1 - x[A2] - x[A3], x[A2], x[A3] } };
}

/* To add a shaper: its name in enum armdyn_shaper, a builder of at most MOST impulses and a row here. The tests loop over
 * the rows. */
static const struct {
  const char *name;
  shaper_builder *build;
  double damping_max;
} shapers[ARMDYN_SHAPER_COUNT] = {
  [ARMDYN_SHAPER_ZV] = { "zv", zv_build, 0.99 },
  [ARMDYN_SHAPER_ZVD] = { "zvd", zvd_build, 0.99 },
  [ARMDYN_SHAPER_EI] = { "ei", ei_build, 0.3 },
};

const char *armdyn_shaper_name(enum armdyn_shaper shaper)
{
  return (unsigned)shaper < ARMDYN_SHAPER_COUNT ? shapers[shaper].name : "unknown";
}

/* -- several modes -- */

static enum armdyn_status mode_check(enum armdyn_shaper shaper, const struct armdyn_mode *mode, size_t index,
                                     struct armdyn_error *error)
{
  char where[64];
  if (!(mode->frequency >= FREQUENCY_MIN && mode->frequency <= FREQUENCY_MAX)) {
    snprintf(where, sizeof where, "/shaper/modes/%zu/frequency_hz", index);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be >= %g and <= %g, got %g", FREQUENCY_MIN, FREQUENCY_MAX,
                         mode->frequency);
  }
  if (!(mode->damping >= 0 && mode->damping <= shapers[shaper].damping_max)) {
    snprintf(where, sizeof where, "/shaper/modes/%zu/damping", index);
    return armdyn_refuse(error, ARMDYN_EINPUT, where, "must be >= 0 and <= %g for \"%s\", got %g",
                         shapers[shaper].damping_max, shapers[shaper].name, mode->damping);
  }
  return ARMDYN_OK;
}

/* Put an impulse in its place; one at the same time grows. */
static void impulse_add(struct armdyn_impulses *to, double time, double amplitude)
{
  size_t at = to->count;
  while (at > 0 && to->time[at - 1] > time + 1e-12) at--;
  if (at > 0 && fabs(to->time[at - 1] - time) <= 1e-12) {
    to->amplitude[at - 1] += amplitude;
    return;
  }
  memmove(to->time + at + 1, to->time + at, (to->count - at) * sizeof *to->time);
  memmove(to->amplitude + at + 1, to->amplitude + at, (to->count - at) * sizeof *to->amplitude);
  to->time[at] = time;
  to->amplitude[at] = amplitude;
  to->count++;
}

enum armdyn_status armdyn_shaper_impulses(enum armdyn_shaper shaper, const struct armdyn_mode *modes, size_t mode_count,
                                          struct armdyn_impulses *out, struct armdyn_error *error)
{
  struct armdyn_impulses all = { 1, { 0 }, { 1 } }, one, product;
  if ((unsigned)shaper >= ARMDYN_SHAPER_COUNT)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/shaper/type", "is no shaper: %d", (int)shaper);
  if (mode_count < 1 || mode_count > ARMDYN_MODES_MAX)
    return armdyn_refuse(error, ARMDYN_EINPUT, "/shaper/modes", "must have 1 to %d modes, got %zu", ARMDYN_MODES_MAX,
                         mode_count);
  for (size_t m = 0; m < mode_count; m++) {
    const enum armdyn_status rc = mode_check(shaper, &modes[m], m, error);
    if (rc) return rc;
    const double period = 1 / (modes[m].frequency * sqrt(1 - modes[m].damping * modes[m].damping));
    shapers[shaper].build(modes[m].damping, &one);
    product.count = 0;
    for (size_t i = 0; i < all.count; i++)
      for (size_t k = 0; k < one.count; k++)
        impulse_add(&product, all.time[i] + period * one.time[k], all.amplitude[i] * one.amplitude[k]);
    all = product;
  }
  *out = all;
  return ARMDYN_OK;
}

/* -- vibration -- */

/* x - u after a step of u' at time 0 is the imaginary part of exp(rate t) / damped, but for the sign. */
static double complex rate_of(const struct armdyn_mode *mode, double *damped)
{
  const double w = 2 * M_PI * mode->frequency;
  *damped = w * sqrt(1 - mode->damping * mode->damping);
  return -mode->damping * w + I * *damped;
}

double armdyn_impulses_residual(const struct armdyn_impulses *impulses, const struct armdyn_mode *mode)
{
  double damped;
  double complex rate = rate_of(mode, &damped), sum = 0;
  for (size_t i = 0; i < impulses->count; i++)
    sum += impulses->amplitude[i] * cexp(rate * (impulses->time[impulses->count - 1] - impulses->time[i]));
  return cabs(sum);
}

/* By parts, so that steps of u' count too: integral of exp(rate (T - t)) u'' = rate times that of exp(rate (T - t)) u'. */
double armdyn_residual_vibration(const struct armdyn_trajectory *trajectory, size_t joint,
                                 const struct armdyn_mode *mode)
{
  const double T = armdyn_trajectory_duration(trajectory);
  double damped, qd[ARMDYN_JOINTS_MAX];
  const double complex rate = rate_of(mode, &damped);
  double complex sum = 0;
  if (T * mode->frequency > 1e6) return NAN;
  for (size_t k = 0; k < trajectory->piece_count; k++) {
    const double length = trajectory->breaks[k + 1] - trajectory->breaks[k];
    const size_t parts = 1 + (size_t)(length * cabs(rate) / 0.5);
    const double part = length / (double)parts;
    for (size_t i = 0; i < GAUSS_NODES * parts; i++) {
      const size_t before = i / GAUSS_NODES;
      const double s = part * ((double)before + (1 + gauss_node[i % GAUSS_NODES]) / 2);
      piece_state(trajectory, k, s, NULL, qd, NULL, NULL);
      sum += part / 2 * gauss_weight[i % GAUSS_NODES] * qd[joint] * cexp(rate * (T - trajectory->breaks[k] - s));
    }
  }
  return cabs(rate * sum) / damped;
}
