/* The controls of the velocity by which its limits are kept are those of the spline's derivative. */
#include "tests/support/swing.h"

static void velocity_open(struct swing *s)
{
  struct armdyn_robot_description d;
  campaign_arm(1, &d);
  s->t = (struct transcription){ 0 };
  for (size_t b = 0; b < SWING_BOUNDS; b++)
    s->t.bounds[s->t.bound_count++] = (struct bound){ ARMDYN_LIMIT_VELOCITY, b / 2, (b % 2 ? -1 : 1) / 3.0 };
  swing_open(s, &d);
  lagrangian_evaluate(&s->t, s->controls);
}

/* A quadratic spline lies on every interval between the least and the greatest of its three controls, begins and ends in the
 * first and the last of all, and is over interval k + 1 their weighted mean with sum 1: in the midst 1/8, 6/8 and 1/8. */
Test(velocity_bound, the_velocity_stays_between_its_controls)
{
  static struct swing s;
  velocity_open(&s);
  for (size_t j = 0; j < s.n; j++)
    for (int i = 0; i <= 200 * SWING_INTERVALS; i++) {
      double v[CAMPAIGN_N], low = INFINITY, high = -INFINITY;
      const double time = (double)i / (200 * SWING_INTERVALS);
      const size_t from = i == 200 * SWING_INTERVALS ? SWING_INTERVALS - 1 : (size_t)i / 200;
      armdyn_trajectory_state(&s.motion, time, NULL, v, NULL, NULL);
      for (size_t k = from; k < from + 3; k++) {
        const double control = velocity_control(&s.t, s.controls, k, j);
        low = fmin(low, control), high = fmax(high, control);
      }
      cr_expect(v[j] >= low - 1e-12 && v[j] <= high + 1e-12, "joint %zu at %g: %g of %g to %g", j, time, v[j], low,
                high);
      const bool end = i == 0 || i == 200 * SWING_INTERVALS;
      const size_t last = i ? SWING_INTERVALS + 1 : 0;
      if (end) cr_expect_float_eq(v[j], velocity_control(&s.t, s.controls, last, j), 1e-12, "end of joint %zu", j);
      if (i % 200 != 100 || from < 2 || from > SWING_INTERVALS - 3) continue;
      const double *const c = s.controls + j;
      const double middle = (velocity_control(&s.t, c, from, 0) + 6 * velocity_control(&s.t, c, from + 1, 0) +
                             velocity_control(&s.t, c, from + 2, 0)) /
                            8;
      cr_expect_float_eq(v[j], middle, 1e-12, "joint %zu in the middle of interval %zu", j, from);
    }
  swing_close(&s);
}

/* The integral of a spline is the sum of its controls, each times a third of the way from its first knot to its last. */
Test(velocity_bound, the_controls_add_up_to_the_way)
{
  static struct swing s;
  velocity_open(&s);
  for (size_t j = 0; j < s.n; j++) {
    double q[2][CAMPAIGN_N], way = 0;
    for (size_t k = 0; k < SWING_INTERVALS + 2; k++) {
      const double first = fmax((double)k - 2, 0), last = fmin((double)k + 1, SWING_INTERVALS);
      way += velocity_control(&s.t, s.controls, k, j) * (last - first) / (3 * SWING_INTERVALS);
    }
    armdyn_trajectory_state(&s.motion, 0, q[0], NULL, NULL, NULL);
    armdyn_trajectory_state(&s.motion, 1, q[1], NULL, NULL, NULL);
    cr_expect_float_eq(way, q[1][j] - q[0][j], 1e-12, "joint %zu", j);
  }
  swing_close(&s);
}
