#include "armdyn/response.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"

enum { HALVINGS = 60 };
static const double ALIKE = 1e-9; /* of a sum of squares: what is left of it is rounding */

/* ---- a step */

void armdyn_step_init(struct armdyn_step_response *step, double from, double to, double duration, double band)
{
  *step = (struct armdyn_step_response){ .from = from,
                                         .to = to,
                                         .duration = duration,
                                         .band = band,
                                         .rise = { NAN, NAN },
                                         .peak = -INFINITY,
                                         .settled_t = NAN };
}

/* The cubic between two samples: y at part s of the way, and its slope there. */
struct cubic {
  double y[2], slope[2]; /* at both ends; dy/ds */
};

static double cubic_at(const struct cubic *c, double s)
{
  const double r = 1 - s;
  return r * r * (1 + 2 * s) * c->y[0] + s * r * r * c->slope[0] + s * s * (3 - 2 * s) * c->y[1] -
         s * s * r * c->slope[1];
}

static double cubic_slope(const struct cubic *c, double s)
{
  const double r = 1 - s;
  return 6 * s * r * (c->y[1] - c->y[0]) + r * (1 - 3 * s) * c->slope[0] - s * (2 - 3 * s) * c->slope[1];
}

/* Where, between two parts on different sides of the level, the cubic passes it. */
static double passage(const struct cubic *c, double (*value)(const struct cubic *, double), double level, double low,
                      double high)
{
  const bool rises = value(c, high) > value(c, low);
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = (low + high) / 2;
    if ((value(c, middle) < level) == rises)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Where the cubic turns inside, in order; the slope is a parabola, whose own extremum parts its two roots. Answers how many. */
static size_t turns_of(const struct cubic *c, double turns[2])
{
  const double first = c->slope[0], last = c->slope[1];
  const double bend = 3 * (c->slope[0] + c->slope[1] - 2 * (c->y[1] - c->y[0])); /* of the slope: bend s^2 + ... */
  const double apex = bend != 0 ? (bend + first - last) / (2 * bend) : -1;
  double parts[3] = { 0, 1, 1 };
  size_t pieces = 1, count = 0;
  if (apex > 0 && apex < 1) parts[1] = apex, pieces = 2;
  for (size_t k = 0; k < pieces; k++) {
    const double a = cubic_slope(c, parts[k]), b = cubic_slope(c, parts[k + 1]);
    if ((a < 0 && b > 0) || (a > 0 && b < 0)) turns[count++] = passage(c, cubic_slope, 0, parts[k], parts[k + 1]);
  }
  return count;
}

/* One monotone part of the cubic, from part `low` to part `high` of the time between t and t + span. */
static void take_part(struct armdyn_step_response *step, const struct cubic *c, double span, double low, double high)
{
  static const double levels[] = { 0.1, 0.9 };
  const double begin = cubic_at(c, low), end = cubic_at(c, high);
  for (size_t k = 0; k < 2; k++)
    if (isnan(step->rise[k]) && end >= levels[k])
      step->rise[k] = step->t + span * (begin >= levels[k] ? low : passage(c, cubic_at, levels[k], low, high));
  if (end > step->peak) step->peak = end, step->peak_t = step->t + span * high;
  if (fabs(end - 1) > step->band) {
    step->settled_t = NAN;
  } else if (fabs(begin - 1) > step->band) {
    const double entered = begin > 1 ? 1 + step->band : 1 - step->band;
    step->settled_t = step->t + span * passage(c, cubic_at, entered, low, high);
  } else if (isnan(step->settled_t)) {
    step->settled_t = step->t + span * low; /* it begins within the band */
  }
}

/* The mean of what is off over the last tenth. */
static void take_steady(struct armdyn_step_response *step, double t, double q)
{
  const double begin = fmax(step->t, 0.9 * step->duration), span = t - begin;
  if (span > 0) {
    const double part = (begin - step->t) / (t - step->t), before = step->q + part * (q - step->q);
    step->area += span * (step->to - (before + q) / 2);
    step->span += span;
  }
  step->steady = step->span > 0 ? step->area / step->span : step->to - q;
}

void armdyn_step_take(struct armdyn_step_response *step, double t, double q, double qd)
{
  const double size = step->to - step->from, span = t - step->t, y = (q - step->from) / size;
  if (!step->begun) {
    step->peak = y, step->peak_t = t;
    if (fabs(y - 1) <= step->band) step->settled_t = t;
    for (size_t k = 0; k < 2; k++)
      if (y >= (k ? 0.9 : 0.1)) step->rise[k] = t;
  } else if (span > 0) {
    const struct cubic c = { { (step->q - step->from) / size, y }, { span * step->qd / size, span * qd / size } };
    double turns[3];
    size_t count = turns_of(&c, turns);
    turns[count++] = 1;
    double low = 0;
    for (size_t k = 0; k < count; k++) take_part(step, &c, span, low, turns[k]), low = turns[k];
    take_steady(step, t, q);
  }
  step->begun = true;
  step->t = t, step->q = q, step->qd = qd;
}

double armdyn_step_overshoot(const struct armdyn_step_response *step)
{
  return fmax(0, step->peak - 1);
}

/* ---- a sine */

void armdyn_sine_init(struct armdyn_sine_fit *fit, double frequency)
{
  *fit = (struct armdyn_sine_fit){ .w = 2 * 3.14159265358979323846 * frequency };
}

void armdyn_sine_take(struct armdyn_sine_fit *fit, double t, double q)
{
  const double basis[3] = { 1, sin(fit->w * t), cos(fit->w * t) };
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 3; j++) fit->normal[3 * i + j] += basis[i] * basis[j];
    fit->right[i] += basis[i] * q;
  }
  fit->square += q * q;
  fit->count++;
}

enum armdyn_status armdyn_sine_end(const struct armdyn_sine_fit *fit, double component[2], double *left)
{
  double factor[9], x[3];
  memcpy(factor, fit->normal, sizeof factor);
  memcpy(x, fit->right, sizeof x);
  if (fit->count < 3 || !cholesky_factor(3, factor)) return ARMDYN_EINPUT;
  for (size_t i = 0; i < 3; i++)
    if (factor[4 * i] * factor[4 * i] < ALIKE * fit->normal[4 * i]) return ARMDYN_EINPUT;
  cholesky_solve(3, factor, x);
  double explained = 0;
  for (size_t i = 0; i < 3; i++) explained += x[i] * fit->right[i];
  component[0] = x[1], component[1] = x[2];
  *left = sqrt(fmax(0, fit->square - explained) / (double)fit->count);
  return ARMDYN_OK;
}

/* a sin + b cos is the imaginary part of (a + i b) exp(i w t). */
void armdyn_sine_ratio(const double in[2], const double out[2], double *gain, double *phase)
{
  const double square = in[0] * in[0] + in[1] * in[1];
  const double real = (out[0] * in[0] + out[1] * in[1]) / square,
               imaginary = (out[1] * in[0] - out[0] * in[1]) / square;
  *gain = hypot(real, imaginary);
  *phase = atan2(imaginary, real);
}

double armdyn_gain_bandwidth(const double *frequencies, const double *gains, size_t count)
{
  const double level = -log(2) / 2; /* of the logarithm of the gain */
  for (size_t k = 0; k < count; k++) {
    const double here = log(gains[k]);
    if (!(here < level)) continue;
    if (k == 0) return NAN;
    const double before = log(gains[k - 1]), part = (level - before) / (here - before);
    return frequencies[k - 1] * pow(frequencies[k] / frequencies[k - 1], part);
  }
  return NAN;
}
