/* Rates of torques as limits: the difference of the torques without friction over an interval, whose knots share its four
 * controls, plus the mean of the rate that friction has without its change of sign. */
#include "lib/model/friction.h"
#include "lib/trajectory/bound.h"

enum { N = ARMDYN_JOINTS_MAX };

static void prepare(struct transcription *t)
{
  if (!t->rated) return;
  for (size_t k = 0; k <= t->intervals; k++)
    for (size_t j = 0; j < t->n; j++) {
      const double q = t->q[2 * k * t->n + j], qd = t->qd[2 * k * t->n + j];
      struct knot_friction *f = &t->friction[k * t->n + j];
      *f = (struct knot_friction){ .torque = armdyn_friction_torque(t->robot, j, q, qd) };
      friction_slopes(t->robot, j, q, qd, &f->slope[0], &f->slope[1]);
      friction_smooth_slopes(t->robot, j, q, qd, &f->smooth[0], &f->smooth[1]);
    }
}

static bool applies(const struct transcription *t, const struct bound *b, size_t knot)
{
  (void)b;
  return knot < t->intervals;
}

/* The torque of a joint at a knot without friction */
static double frictionless(const struct transcription *t, size_t knot, size_t joint)
{
  return t->tau[2 * knot * t->n + joint] - t->friction[knot * t->n + joint].torque;
}

static double value(const struct transcription *t, const struct bound *b, size_t knot)
{
  double rate = 0;
  if (!applies(t, b, knot)) return 0;
  for (size_t e = 0; e < 2; e++) {
    const size_t at = 2 * (knot + e) * t->n + b->joint;
    const struct knot_friction *f = &t->friction[(knot + e) * t->n + b->joint];
    rate += (f->smooth[0] * t->qd[at] + f->smooth[1] * t->qdd[at]) / 2;
  }
  return (frictionless(t, knot + 1, b->joint) - frictionless(t, knot, b->joint)) / t->h + rate;
}

/* A knot is in the rates of the intervals before and after it. */
static void pull(const struct transcription *t, const struct bound *b, const double *multiplier, size_t knot,
                 struct point_pull *out)
{
  const size_t joint = b->joint;
  const double before = knot > 0 ? b->scale * multiplier[knot - 1] : 0;
  const double after = knot < t->intervals ? b->scale * multiplier[knot] : 0;
  const double force = (before - after) / t->h, mean = (before + after) / 2;
  const struct knot_friction *f = &t->friction[knot * t->n + joint];
  out->torque[joint] += force;
  out->motion[0][joint] -= force * f->slope[0];
  out->motion[1][joint] -= force * f->slope[1] - mean * f->smooth[0];
  out->motion[2][joint] += mean * f->smooth[1];
}

/* By log T beyond the motion: differences are divided by h, which grows with T. */
static double pull_controls(const struct transcription *t, const struct bound *b, const double *multiplier,
                            double *gradient, double *size)
{
  (void)gradient, (void)size;
  double sum = 0;
  for (size_t k = 0; k < t->intervals && t->by_duration; k++)
    sum -= multiplier[k] * b->scale * (frictionless(t, k + 1, b->joint) - frictionless(t, k, b->joint)) / t->h;
  return sum;
}

/* The rate's derivatives by the 4 n controls of its interval; returns that by log T. */
static double row_of(const struct transcription *t, size_t interval, size_t joint, double *row)
{
  const size_t n = t->n;
  double by_duration = 0, rise = 0;
  memset(row, 0, 4 * n * sizeof *row);
  for (size_t e = 0; e < 2; e++) {
    const size_t knot = interval + e, point = 2 * knot, shift = transcription_interval(t, point) - interval;
    const double sign = (e ? 1 : -1) / t->h;
    const struct knot_friction *f = &t->friction[knot * n + joint];
    /* the rate by q, qd and qdd of this knot, of joint i */
    for (size_t i = 0; i < n; i++) {
      double by[3];
      for (size_t r = 0; r < 3; r++) by[r] = sign * transcription_slopes(t, point, r)[joint * n + i];
      if (i == joint) {
        by[0] -= sign * f->slope[0];
        by[1] -= sign * f->slope[1] - f->smooth[0] / 2;
        by[2] += f->smooth[1] / 2;
      }
      for (size_t r = 0; r < 3; r++) {
        for (size_t a = 0; a + shift < 4; a++) row[(a + shift) * n + i] += by[r] * t->basis[point][r][a];
        if (t->by_duration) by_duration += by[r] * t->by_duration[(point * 5 + r) * n + i];
      }
    }
    rise += sign * (t->tau[point * n + joint] - f->torque);
  }
  return t->by_duration ? by_duration - rise : 0;
}

static double change(const struct transcription *t, const struct bound *b, const struct knot_step *step, size_t knot)
{
  if (!applies(t, b, knot)) return 0;
  double row[4 * N], sum = row_of(t, knot, b->joint, row) * step->duration;
  for (size_t a = 0; a < 4 * t->n; a++) sum += row[a] * step->controls[knot * t->n + a];
  return sum;
}

static void squares(const struct transcription *t, const struct bound *b, const double *stiffness,
                    const double *multiplier, double *H, struct duration_bend *bend)
{
  (void)multiplier;
  double row[4 * N];
  for (size_t k = 0; k < t->intervals; k++) {
    const double by_duration = row_of(t, k, b->joint, row);
    const struct block block = block_at(t, k, H, bend);
    square_add(&block, stiffness[k] * b->scale * b->scale, row, by_duration);
  }
}

const struct bound_kind torque_rate_bound = { .of_interval = true,
                                              .prepare = prepare,
                                              .applies = applies,
                                              .value = value,
                                              .change = change,
                                              .pull = pull,
                                              .pull_controls = pull_controls,
                                              .squares = squares };
