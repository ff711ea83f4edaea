/* Velocity limits, kept by the controls of the velocity: these are differences of neighbours, and the velocity stays between
 * the smallest and the largest of them, at knots and between. (Kept at the knots alone, gravity would drive it to several
 * times the limit between them and back.) Source: de Boor, A Practical Guide to Splines, ch. X and XI. */
#include <math.h>

#include "lib/trajectory/bound.h"

/* Control k of the velocity is rate times the difference of controls k + 1 and k. */
static double rate_of(const struct transcription *t, size_t k)
{
  const size_t last = t->intervals + 1;
  if (k == 0 || k == last) return 3 / t->h;
  return (k == 1 || k + 1 == last ? 1.5 : 1) / t->h; /* holds for 2 intervals and more */
}

double velocity_control(const struct transcription *t, const double *controls, size_t k, size_t joint)
{
  return rate_of(t, k) * (controls[(k + 1) * t->n + joint] - controls[k * t->n + joint]);
}

static double by_log_duration(const struct transcription *t, size_t k, size_t joint)
{
  return velocity_control(t, t->drift, k, joint) - velocity_control(t, t->at, k, joint);
}

/* Every control of the velocity has its knot, but for the last two, of which the end gives one. */
static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return knot + 1 >= t->ends[0].given && knot + t->ends[1].given <= t->intervals + 2;
}

static double value(const struct transcription *t, const struct bound *b, size_t knot)
{
  return velocity_control(t, t->at, knot, b->joint);
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  return velocity_control(t, step->controls, knot, b->joint) +
         (t->by_duration ? step->duration * by_log_duration(t, knot, b->joint) : 0);
}

static double pull_controls(const struct transcription *t, const struct bound *b, const double *multiplier,
                            double *gradient, double *size)
{
  double by_duration = 0;
  for (size_t k = 0; k <= t->intervals; k++) {
    if (!applies(t, b, k)) continue;
    const double pull = multiplier[k] * b->scale, force = pull * rate_of(t, k);
    gradient[(k + 1) * t->n + b->joint] += force;
    gradient[k * t->n + b->joint] -= force;
    *size = fmax(*size, fabs(force));
    if (t->by_duration) by_duration += pull * by_log_duration(t, k, b->joint);
  }
  return by_duration;
}

/* A free duration bends the value: v ~ 1 / T, so that d^2 v / dc ds = -dv / dc, and d^2 v / ds^2 = -dv / ds. */
static void squares(const struct transcription *t, const struct bound *b, const double *stiffness,
                    const double *multiplier, double *H, struct duration_bend *bend)
{
  const size_t n = t->n, width = 4 * n;
  for (size_t k = 0; k <= t->intervals; k++) {
    if (!applies(t, b, k)) continue;
    const size_t from = k * n + b->joint, to = from + n;
    const double rate = rate_of(t, k), weight = stiffness[k] * b->scale * b->scale;
    H[from * width] += weight * rate * rate;
    H[to * width] += weight * rate * rate;
    H[from * width + n] -= weight * rate * rate;
    if (!t->by_duration) continue;
    const double pull = multiplier[k] * b->scale, by = by_log_duration(t, k, b->joint);
    bend->mixed[to] += (weight * by - pull) * rate;
    bend->mixed[from] -= (weight * by - pull) * rate;
    bend->corner += weight * by * by - pull * by;
  }
}

const struct bound_kind velocity_bound = {
  .applies = applies, .value = value, .change = change, .pull_controls = pull_controls, .squares = squares
};
