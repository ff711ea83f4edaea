#include "server/transfers/deviation.h"

#include <math.h>

static const double lag_most = 0.2;     /* s: beyond it the plan cannot be continued by two derivatives */
static const double moves_least = 1e-4; /* rad/s, m/s: scatter of a velocity that tells a lag from an offset */
static const double gap_least = 5;      /* mean intervals */
enum { ITERATIONS_MOST = 20 };

void deviation_worst(size_t count, size_t n, const double *t, const double *planned, const double *measured,
                     struct playback_error *errors)
{
  for (size_t j = 0; j < n; j++) {
    struct playback_error *e = &errors[j];
    e->worst = 0;
    e->worst_at = t[0];
    for (size_t k = 0; k < count; k++) {
      double off = measured[k * n + j] - planned[k * n + j];
      if (!(fabs(off) > fabs(e->worst))) continue;
      e->worst = off;
      e->worst_at = t[k];
    }
  }
}

/* Sums of one step of Gauss-Newton for lag and offset: r = q_measured - q_planned(t - lag), its slope g = dr/dlag. */
struct sums {
  double r, g, rr, gr, gg;
};

static struct sums sum_up(size_t count, size_t n, size_t j, const struct motion *planned, const double *measured_q,
                          double lag)
{
  struct sums s = { 0 };
  for (size_t i = j; i < count * n; i += n) {
    double qd = planned->qd[i], qdd = planned->qdd[i];
    double r = measured_q[i] - (planned->q[i] - lag * qd + lag * lag / 2 * qdd), g = qd - lag * qdd;
    s.r += r;
    s.g += g;
    s.rr += r * r;
    s.gr += g * r;
    s.gg += g * g;
  }
  const double m = (double)count;
  s.r /= m, s.g /= m;
  s.rr = s.rr / m - s.r * s.r; /* of what scatters about the means: the offset is free */
  s.gr = s.gr / m - s.g * s.r;
  s.gg = s.gg / m - s.g * s.g;
  return s;
}

struct playback_lag deviation_lag(size_t count, size_t n, size_t j, const struct motion *planned,
                                  const double *measured_q)
{
  const struct playback_lag unknown = { NAN, NAN, NAN };
  double lag = 0, step = 1;
  struct sums s = sum_up(count, n, j, planned, measured_q, lag);
  for (int k = 0; k < ITERATIONS_MOST && fabs(step) > 1e-9; k++) {
    if (!(s.gg > moves_least * moves_least)) return unknown;
    step = -s.gr / s.gg;
    lag += step;
    if (!(fabs(lag) <= lag_most)) return unknown;
    s = sum_up(count, n, j, planned, measured_q, lag);
  }
  return (struct playback_lag){ lag, s.r, sqrt(fmax(s.rr, 0)) };
}

size_t deviation_parts(size_t count, const double *t, struct playback_part *parts, size_t room)
{
  const double gap = gap_least * (t[count - 1] - t[0]) / (double)(count - 1);
  size_t found = 0;
  for (size_t k = 0; k < count; k++) {
    if (k == 0 || (t[k] - t[k - 1] > gap && found < room)) parts[found++] = (struct playback_part){ .from = t[k] };
    parts[found - 1].to = t[k];
    parts[found - 1].samples++;
  }
  return found;
}

double deviation_braking(size_t count, size_t n, const double *t, const double *qd, const double *tau)
{
  double sum = 0, before = 0;
  for (size_t k = 0; k < count; k++) {
    double back = 0;
    for (size_t i = k * n; i < (k + 1) * n; i++) back += fmax(0, -tau[i] * qd[i]);
    if (k) sum += (before + back) / 2 * (t[k] - t[k - 1]);
    before = back;
  }
  return sum;
}
