/* Limits of torques beside changes of friction's sign. Dry friction jumps where a joint turns back. A limit that is kept at
 * the knots before and after is exceeded between them by up to twice the friction, and a solver that knows nothing but
 * knots moves the turn to where that pays. So a limit counts the friction of the fastest (a lower one of the slowest) speed
 * within half an interval of its knot, by how far off that was in a motion that is known. */
#include <math.h>

#include "lib/model/friction.h"
#include "lib/trajectory/transcription.h"

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

void torque_bound_shift(struct transcription *t)
{
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

const struct friction_shift *torque_bound_at(const struct transcription *t, const struct bound *b, size_t knot)
{
  static const struct friction_shift none = { 0 };
  const size_t side = b->scale < 0;
  if (b->kind != ARMDYN_LIMIT_TORQUE) return &none;
  return &t->shift[(side * (t->intervals + 1) + knot) * t->n + b->joint];
}
