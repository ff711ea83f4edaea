/* Limits of torques: value = tau of one joint at a knot; where `robust`, with what the friction around the knot adds to it.
 * Dry friction jumps where a joint turns back. A limit that is kept at
 * the knots before and after is exceeded between them by up to twice the friction, and a solver that knows nothing but
 * knots moves the turn to where that pays. So a limit counts the friction of the fastest (a lower one of the slowest) speed
 * within half an interval of its knot, by how far off that was in a motion that is known. */
#include <math.h>

#include "lib/model/friction.h"
#include "lib/trajectory/bound.h"

enum { N = ARMDYN_JOINTS_MAX, SAMPLES = 4 };
/* Velocity scales beyond the speed, so that all of the friction counts; parts of one that are no change of speed. */
static const double ALL_OF_IT = 2, NO_CHANGE = 0.05;

void torque_bound_reach(struct transcription *t, const struct armdyn_trajectory *motion)
{
  const size_t n = t->n, knots = t->intervals + 1;
  const double step = armdyn_trajectory_duration(motion) / (double)t->intervals;
  for (size_t k = 0; k < knots; k++) {
    double at[N], qd[N], *const up = t->reach + k * n, *const down = t->reach + (knots + k) * n;
    armdyn_trajectory_state(motion, step * (double)k, NULL, at, NULL, NULL);
    for (int i = -SAMPLES; i <= SAMPLES; i++) {
      armdyn_trajectory_state(motion, step * ((double)k + 0.5 * i / SAMPLES), NULL, qd, NULL, NULL);
      for (size_t j = 0; j < n; j++) {
        up[j] = fmax(i > -SAMPLES ? up[j] : 0, qd[j] - at[j]);
        down[j] = fmax(i > -SAMPLES ? down[j] : 0, at[j] - qd[j]);
      }
    }
    for (size_t j = 0; j < n; j++) {
      const double scale = armdyn_robot_description(t->robot)->joints[j].velocity_scale;
      if (up[j] > NO_CHANGE * scale) up[j] += ALL_OF_IT * scale;
      if (down[j] > NO_CHANGE * scale) down[j] += ALL_OF_IT * scale;
    }
  }
}

/* Torque, slope and bend of the friction at a speed; the bend by differences of the slopes. */
static struct friction_shift friction_at(const struct transcription *t, size_t joint, double q, double qd)
{
  const double h = 1e-2 * armdyn_robot_description(t->robot)->joints[joint].velocity_scale;
  struct friction_shift f = { .torque = armdyn_friction_torque(t->robot, joint, q, qd) };
  double ignored, up, down;
  friction_slopes(t->robot, joint, q, qd, &ignored, &f.slope);
  friction_slopes(t->robot, joint, q, qd + h, &ignored, &up);
  friction_slopes(t->robot, joint, q, qd - h, &ignored, &down);
  f.bend = (up - down) / (2 * h);
  return f;
}

/* What friction adds at the speeds around every knot, upward (for upper limits) and downward. */
static void prepare(struct transcription *t)
{
  if (!t->robust) return;
  const size_t n = t->n, knots = t->intervals + 1;
  for (size_t k = 0; k < knots; k++)
    for (size_t j = 0; j < n; j++) {
      const double q = t->q[2 * k * n + j], qd = t->qd[2 * k * n + j];
      const struct friction_shift here = friction_at(t, j, q, qd);
      for (size_t side = 0; side < 2; side++) {
        const size_t at = (side * knots + k) * n + j;
        const struct friction_shift there = friction_at(t, j, q, side ? qd - t->reach[at] : qd + t->reach[at]);
        t->shift[at] =
            (struct friction_shift){ there.torque - here.torque, there.slope - here.slope, there.bend - here.bend };
      }
    }
}

static const struct friction_shift *shift_of(const struct transcription *t, const struct bound *b, size_t knot)
{
  static const struct friction_shift none = { 0 };
  const size_t side = b->scale < 0;
  return t->robust ? &t->shift[(side * (t->intervals + 1) + knot) * t->n + b->joint] : &none;
}

static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return knot <= t->intervals;
}

static double value(const struct transcription *t, const struct bound *b, size_t knot)
{
  return t->tau[2 * knot * t->n + b->joint] + shift_of(t, b, knot)->torque;
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  return step->x[4][b->joint] + shift_of(t, b, knot)->slope * step->x[1][b->joint];
}

static void pull(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
                 struct point_pull *out)
{
  const struct friction_shift *shift = shift_of(t, b, knot);
  const double x = multiplier[knot] * b->scale;
  out->torque[b->joint] += x;
  out->motion[1][b->joint] += x * shift->slope;
  out->bend[b->joint] += x * shift->bend;
}

static void stiffen(const struct transcription *t, const struct bound *b, const double *stiffness, size_t knot,
                    struct point_pull *out)
{
  if (shift_of(t, b, knot)->slope == 0) out->torque[b->joint] += stiffness[knot] * b->scale * b->scale;
}

/* Those with a friction of their own: d value = d tau + slope d qd. */
static void squares(const struct transcription *t, const struct bound *b, const double *stiffness,
                    const double *multiplier, double *H, struct duration_bend *bend)
{
  (void)multiplier;
  const size_t n = t->n, j = b->joint;
  for (size_t k = 0; k <= t->intervals && t->robust; k++) {
    const struct block block = block_at(t, transcription_interval(t, 2 * k), H, bend);
    const double *by = t->by_duration ? t->by_duration + 2 * k * 5 * n : NULL;
    const double slope = shift_of(t, b, k)->slope;
    double row[4 * N];
    if (slope == 0) continue;
    transcription_torque_row(t, 2 * k, j, row);
    for (size_t a = 0; a < 4; a++) row[a * n + j] += slope * t->basis[2 * k][1][a];
    square_add(&block, stiffness[k] * b->scale * b->scale, row, by ? by[4 * n + j] + slope * by[n + j] : 0);
  }
}

const struct bound_kind torque_bound = { .prepare = prepare,
                                         .applies = applies,
                                         .value = value,
                                         .change = change,
                                         .pull = pull,
                                         .stiffen = stiffen,
                                         .squares = squares };
