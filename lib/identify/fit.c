#include <math.h>

#include "armdyn/identify.h"

/* Sums over one set of numbers. */
struct sums {
  double count, error2, torque, torque2, low, high, max;
};

static struct armdyn_fit fit_of(const struct sums *s, double spread2)
{
  const double rms = sqrt(s->error2 / s->count);
  return (struct armdyn_fit){ .relative = s->torque2 > 0 ? sqrt(s->error2 / s->torque2) : NAN,
                              .rms = rms,
                              .nrmse = s->high > s->low ? rms / (s->high - s->low) : NAN,
                              .r2 = spread2 > 0 ? 1 - s->error2 / spread2 : NAN,
                              .max = s->max };
}

static void sums_add(struct sums *s, double measured, double predicted)
{
  const double e = measured - predicted;
  s->count += 1;
  s->error2 += e * e;
  s->torque += measured;
  s->torque2 += measured * measured;
  s->low = fmin(s->low, measured);
  s->high = fmax(s->high, measured);
  s->max = fmax(s->max, fabs(e));
}

void armdyn_fit(size_t count, size_t n, const double *measured, const double *predicted, struct armdyn_fit *joints,
                struct armdyn_fit *together)
{
  struct sums all = { .low = INFINITY, .high = -INFINITY };
  double all_spread2 = 0;
  for (size_t k = 0; k < count * n; k++) sums_add(&all, measured[k], predicted[k]);
  for (size_t i = 0; i < n; i++) {
    struct sums s = { .low = INFINITY, .high = -INFINITY };
    double spread2 = 0;
    for (size_t k = i; k < count * n; k += n) sums_add(&s, measured[k], predicted[k]);
    const double mean = s.torque / s.count, all_mean = all.torque / all.count;
    for (size_t k = i; k < count * n; k += n) {
      spread2 += (measured[k] - mean) * (measured[k] - mean);
      all_spread2 += (measured[k] - all_mean) * (measured[k] - all_mean);
    }
    joints[i] = fit_of(&s, spread2);
  }
  *together = fit_of(&all, all_spread2);
}
