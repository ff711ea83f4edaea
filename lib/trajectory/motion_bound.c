/* Limits of positions, accelerations and jerks: value = q^(r) of one joint at a knot, linear in the controls. */
#include "lib/trajectory/bound.h"

static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  return bound_given(t, knot) <= (size_t)b->kind;
}

static bool inside(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return knot < t->intervals;
}

static double position(const struct transcription *t, const struct bound *b, size_t knot)
{
  return t->q[2 * knot * t->n + b->joint];
}

static double acceleration(const struct transcription *t, const struct bound *b, size_t knot)
{
  return t->qdd[2 * knot * t->n + b->joint];
}

static double jerk(const struct transcription *t, const struct bound *b, size_t knot)
{
  return transcription_combine(t, t->at, 2 * knot, 3, b->joint);
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  (void)t, (void)knot;
  return step->x[b->kind][b->joint];
}

static void pull(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
                 struct point_pull *out)
{
  if (bound_applies(t, b, knot)) out->motion[b->kind][b->joint] += multiplier[knot] * b->scale;
}

static void stiffen(const struct transcription *t, const struct bound *b, const double *stiffness, size_t knot,
                    struct point_pull *out)
{
  if (bound_applies(t, b, knot)) out->motion[b->kind][b->joint] += stiffness[knot] * b->scale * b->scale;
}

const struct bound_kind position_bound = {
  .applies = applies, .value = position, .change = change, .pull = pull, .stiffen = stiffen
};
const struct bound_kind acceleration_bound = {
  .applies = applies, .value = acceleration, .change = change, .pull = pull, .stiffen = stiffen
};
const struct bound_kind jerk_bound = {
  .of_interval = true, .applies = inside, .value = jerk, .change = change, .pull = pull, .stiffen = stiffen
};
