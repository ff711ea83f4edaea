/* Velocity limits, kept by the controls of the velocity: these are differences of neighbours, and the velocity stays between
 * the smallest and the largest of them, at knots and between. (Kept at the knots alone, gravity would drive it to several
 * times the limit between them and back.) Source: de Boor, A Practical Guide to Splines, ch. X and XI. */
#include <math.h>

#include "lib/trajectory/transcription.h"

/* Control k of the velocity is rate times the difference of controls k + 1 and k. */
static double rate_of(const struct transcription *t, size_t k)
{
  const size_t last = t->intervals + 1;
  if (k == 0 || k == last) return 3 / t->h;
  return (k == 1 || k + 1 == last ? 1.5 : 1) / t->h; /* holds for 2 intervals and more */
}

double velocity_bound_value(const struct transcription *t, const double *controls, size_t k, size_t joint)
{
  return rate_of(t, k) * (controls[(k + 1) * t->n + joint] - controls[k * t->n + joint]);
}

double velocity_bound_by_duration(const struct transcription *t, const double *controls, size_t k, size_t joint)
{
  return velocity_bound_value(t, t->drift, k, joint) - velocity_bound_value(t, controls, k, joint);
}

double velocity_bound_pull(const struct transcription *t, const struct bound *b, const double *multiplier,
                           double *gradient, double *largest)
{
  double by_duration = 0;
  for (size_t k = 0; k <= t->intervals; k++) {
    if (!transcription_bounds(t, b, k)) continue;
    const double pull = multiplier[k] * b->scale, force = pull * rate_of(t, k);
    gradient[(k + 1) * t->n + b->joint] += force;
    gradient[k * t->n + b->joint] -= force;
    *largest = fmax(*largest, fabs(force));
    if (t->by_duration) by_duration += pull * velocity_bound_by_duration(t, t->at, k, b->joint);
  }
  return by_duration;
}

void velocity_bound_bend(const struct transcription *t, const struct bound *b, const double *stiffness,
                         const double *multiplier, double *H, struct duration_bend *bend)
{
  const size_t n = t->n, width = 4 * n;
  for (size_t k = 0; k <= t->intervals; k++) {
    if (!transcription_bounds(t, b, k)) continue;
    const size_t from = k * n + b->joint, to = from + n;
    const double rate = rate_of(t, k), weight = stiffness[k] * b->scale * b->scale;
    H[from * width] += weight * rate * rate;
    H[to * width] += weight * rate * rate;
    H[from * width + n] -= weight * rate * rate;
    if (!t->by_duration) continue;
    const double pull = multiplier[k] * b->scale, by = velocity_bound_by_duration(t, t->at, k, b->joint);
    bend->mixed[to] += (weight * by - pull) * rate;
    bend->mixed[from] -= (weight * by - pull) * rate;
    bend->corner += weight * by * by - pull * by;
  }
}
