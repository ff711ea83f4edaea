#include <math.h>
#include <string.h>

#include "armdyn/collision.h"

void armdyn_alarm_init(struct armdyn_alarm *alarm, const double *threshold, double hold)
{
  *alarm = (struct armdyn_alarm){ .threshold = threshold, .hold = hold };
}

static void alarm_begin(struct armdyn_alarm *alarm, size_t n, double t, const double *residual, size_t joint)
{
  alarm->on = true;
  alarm->joint = joint;
  alarm->begin = t;
  alarm->residual = residual[joint];
  memset(alarm->peak, 0, n * sizeof *alarm->peak);
}

enum armdyn_alarm_change armdyn_alarm_take(struct armdyn_alarm *alarm, size_t n, double t, const double *residual)
{
  const bool before = alarm->on;
  size_t farthest = 0;
  for (size_t i = 1; i < n; i++) {
    const double here = fabs(residual[i]) * alarm->threshold[farthest];
    if (here > fabs(residual[farthest]) * alarm->threshold[i]) farthest = i;
  }
  const bool beyond = fabs(residual[farthest]) > alarm->threshold[farthest];
  if (beyond && !before) alarm_begin(alarm, n, t, residual, farthest);
  if (beyond) alarm->end = t;
  for (size_t i = 0; i < n && alarm->on; i++) {
    if (fabs(residual[i]) > fabs(alarm->peak[i])) alarm->peak[i] = residual[i];
  }
  if (alarm->on && t - alarm->end > alarm->hold) alarm->on = false;
  if (alarm->on == before) return ARMDYN_ALARM_NONE;
  return before ? ARMDYN_ALARM_ENDS : ARMDYN_ALARM_BEGINS;
}

/* P(at most `count`) of a Poisson distribution of this mean. */
static double poisson_at_most(size_t count, double mean)
{
  static const double large = 1e100; /* taken out of the sum, of which exp(-mean) would leave nothing */
  double term = 1, sum = 1, taken_out = 0;
  for (size_t k = 1; k <= count; k++) {
    term *= mean / (double)k;
    sum += term;
    if (sum < large) continue;
    sum /= large, term /= large, taken_out += log(large);
  }
  return sum * exp(taken_out - mean);
}

double armdyn_alarms_at_most(size_t count, double confidence)
{
  double low = (double)count, high = low + 10 * sqrt(low + 10);
  for (int k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    if (poisson_at_most(count, middle) > 1 - confidence) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return (low + high) / 2;
}
