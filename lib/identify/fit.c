#include <math.h>

#include "armdyn/residuals.h"

void armdyn_fit_begin(struct armdyn_fit_sums *sums)
{
  *sums = (struct armdyn_fit_sums){ .low = INFINITY, .high = -INFINITY };
}

/* Mean and spread by Welford 1962, so that a large mean costs no digits. */
void armdyn_fit_add(struct armdyn_fit_sums *s, double measured, double predicted)
{
  const double e = measured - predicted, before = measured - s->mean;
  s->count += 1;
  s->error2 += e * e;
  s->torque2 += measured * measured;
  s->mean += before / s->count;
  s->spread2 += before * (measured - s->mean);
  s->low = fmin(s->low, measured);
  s->high = fmax(s->high, measured);
  s->max = fmax(s->max, fabs(e));
}

struct armdyn_fit armdyn_fit_end(const struct armdyn_fit_sums *s)
{
  const double rms = s->count > 0 ? sqrt(s->error2 / s->count) : NAN;
  return (struct armdyn_fit){ .relative = s->torque2 > 0 ? sqrt(s->error2 / s->torque2) : NAN,
                              .rms = rms,
                              .nrmse = s->high > s->low ? rms / (s->high - s->low) : NAN,
                              .r2 = s->spread2 > 0 ? 1 - s->error2 / s->spread2 : NAN,
                              .max = s->count > 0 ? s->max : NAN };
}

void armdyn_fit(size_t count, size_t n, const double *measured, const double *predicted, struct armdyn_fit *joints,
                struct armdyn_fit *together)
{
  struct armdyn_fit_sums all, joint;
  armdyn_fit_begin(&all);
  for (size_t k = 0; k < count * n; k++) armdyn_fit_add(&all, measured[k], predicted[k]);
  *together = armdyn_fit_end(&all);
  for (size_t i = 0; i < n; i++) {
    armdyn_fit_begin(&joint);
    for (size_t k = i; k < count * n; k += n) armdyn_fit_add(&joint, measured[k], predicted[k]);
    joints[i] = armdyn_fit_end(&joint);
  }
}
