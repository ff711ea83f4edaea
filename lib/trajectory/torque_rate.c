/* Rates of torques as limits: the difference of the torques without friction over an interval, whose knots share its four
 * controls, plus the mean of the rate that friction has without its change of sign. */
#include "lib/model/friction.h"
#include "lib/trajectory/transcription.h"

void torque_rate_friction(struct transcription *t)
{
  for (size_t k = 0; k <= t->intervals; k++)
    for (size_t j = 0; j < t->n; j++) {
      const double q = t->q[2 * k * t->n + j], qd = t->qd[2 * k * t->n + j];
      struct knot_friction *f = &t->friction[k * t->n + j];
      *f = (struct knot_friction){ .torque = armdyn_friction_torque(t->robot, j, q, qd) };
      friction_slopes(t->robot, j, q, qd, &f->slope[0], &f->slope[1]);
      friction_smooth_slopes(t->robot, j, q, qd, &f->smooth[0], &f->smooth[1]);
    }
}

double torque_rate_value(const struct transcription *t, size_t interval, size_t joint)
{
  double torque[2], rate = 0;
  for (size_t e = 0; e < 2; e++) {
    const size_t at = 2 * (interval + e) * t->n + joint;
    const struct knot_friction *f = &t->friction[(interval + e) * t->n + joint];
    torque[e] = t->tau[at] - f->torque;
    rate += (f->smooth[0] * t->qd[at] + f->smooth[1] * t->qdd[at]) / 2;
  }
  return (torque[1] - torque[0]) / t->h + rate;
}

void torque_rate_pull(const struct transcription *t, size_t joint, size_t knot, const double *amount, double scale,
                      struct point_pull *out)
{
  const double before = knot > 0 ? scale * amount[knot - 1] : 0, after = knot < t->intervals ? scale * amount[knot] : 0;
  const double pull = (before - after) / t->h, mean = (before + after) / 2;
  const struct knot_friction *f = &t->friction[knot * t->n + joint];
  out->torque[joint] += pull;
  out->motion[0][joint] -= pull * f->slope[0];
  out->motion[1][joint] -= pull * f->slope[1] - mean * f->smooth[0];
  out->motion[2][joint] += mean * f->smooth[1];
}

double torque_rate_row(const struct transcription *t, size_t interval, size_t joint, double *row)
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
