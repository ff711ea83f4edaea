/* Han's tracking differentiator: velocities and accelerations of a noisy position without differences. */
#include <math.h>

#include "lib/identify/condition.h"

enum { LAG_ROUNDS = 4 };

/* The acceleration that brings position error x1 and velocity x2 to 0 soonest with at most r, without chatter; where it asks
 * for less than r, that of a filter with a double pole at -1 / h0. Source: Han 2009, IEEE Trans. Ind. Electronics 56(3). */
static double fhan(double x1, double x2, double r, double h0)
{
  const double d = r * h0 * h0, a0 = h0 * x2, y = x1 + a0;
  const double a1 = sqrt(d * (d + 8 * fabs(y)));
  const double a = fabs(y) < d ? a0 + y : a0 + copysign((a1 - d) / 2, y);
  return fabs(a) < d ? -r * a / d : -copysign(r, a);
}

/* One pass: x1 follows `in` with a lag of 2 h0, x2 is its rate of change half a sample later. r 0: without limit, which is
 * fhan for r to infinity. */
static void pass(size_t count, double h, double h0, double r, const double *in, double *x1, double *x2)
{
  double p = in[0], v = 0;
  for (size_t k = 0; k < count; k++) {
    const double e = p - in[k], u = r > 0 ? fhan(e, v, r, h0) : -(e + 2 * h0 * v) / (h0 * h0);
    x1[k] = p;
    x2[k] = v;
    p += h * v;
    v += h * u;
  }
}

/* The cubic through the four samples around a place between them. */
static double value_at(size_t count, const double *x, double place)
{
  const double last = (double)count - 3, whole = fmin(fmax(floor(place), 1), last), s = place - whole;
  const double *p = x + (size_t)whole;
  return p[-1] * -s * (s - 1) * (s - 2) / 6 + p[0] * (s + 1) * (s - 1) * (s - 2) / 2 -
         p[1] * (s + 1) * s * (s - 2) / 2 + p[2] * (s + 1) * s * (s - 1) / 6;
}

/* The h0 of a pass with this cut-off. Its poles are at 1 - c, c = h / h0: |c / (exp(i w h) - 1 + c)|^2 = 1 / sqrt(2). */
static double filter_factor(double rate, double cutoff)
{
  const double m = 1 - cos(2 * 3.14159265358979323846 * cutoff / rate), s = sqrt(2) - 1;
  return s / (sqrt(m * m + 2 * m * s) - m) / rate;
}

/* How many samples `out` is behind `in`, by least squares; `rate` is the change of out from one sample to the next. What
 * does not move keeps the lag of the filter. */
static double measure_lag(size_t count, size_t edge, const double *in, const double *out, const double *rate,
                          double lag)
{
  const double most = (double)edge;
  for (int round = 0; round < LAG_ROUNDS; round++) {
    double product = 0, square = 0;
    for (size_t k = edge; k < count - edge; k++) {
      const double slope = value_at(count, rate, (double)k + lag - 0.5);
      product += (in[k] - value_at(count, out, (double)k + lag)) * slope;
      square += slope * slope;
    }
    if (square > 0) lag = fmin(fmax(lag + product / square, 0), most);
  }
  return lag;
}

enum armdyn_status armdyn_track(size_t count, size_t columns, double rate, double cutoff, double acceleration,
                                const double *x, double *q, double *qd, double *qdd, double *lag,
                                struct armdyn_error *error)
{
  if (!(cutoff > 0 && cutoff < rate / 2)) {
    return armdyn_refuse(error, ARMDYN_EINPUT, "/cutoff", "must be between 0 and half the rate, %g Hz, got %g Hz",
                         rate / 2, cutoff);
  }
  if (count < 4) return armdyn_refuse(error, ARMDYN_EINPUT, "", "needs 4 samples, got %zu", count);
  const double h = 1 / rate, h0 = filter_factor(rate, cutoff);
  const size_t settled = lowpass_edge(rate, cutoff), edge = settled < count - 1 ? settled : count - 1;
  const size_t length = count + 2 * edge;
  double *memory = malloc(7 * length * sizeof *memory);
  if (!memory) return ARMDYN_EMEMORY;
  double *in = memory, *p1 = in + length, *v1 = p1 + length, *p2 = v1 + length, *slope = p2 + length;
  double *v2 = slope + length, *a2 = v2 + length;
  for (size_t c = 0; c < columns; c++) {
    reflect_ends(count, columns, x + c, edge, in);
    pass(length, h, h0, acceleration, in, p1, v1);
    pass(length, h, h0, 0, p1, p2, slope);
    pass(length, h, h0, 0, v1, v2, a2);
    for (size_t k = 0; k < length; k++) slope[k] *= h;
    const double behind = measure_lag(length, edge, in, p2, slope, 4 * h0 * rate);
    for (size_t k = 0; k < count; k++) { /* every differentiation is half a sample ahead */
      const double place = (double)(edge + k) + behind;
      q[k * columns + c] = value_at(length, p2, place);
      qd[k * columns + c] = value_at(length, v2, place - 0.5);
      qdd[k * columns + c] = value_at(length, a2, place - 1);
    }
    if (lag) lag[c] = behind * h;
  }
  free(memory);
  return ARMDYN_OK;
}
