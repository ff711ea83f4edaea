/* Every kind of limit in a transcription: values by the motion itself, derivatives against differences. */
#include "tests/support/swing.h"

static const enum armdyn_limit_kind kinds[] = {
  ARMDYN_LIMIT_POSITION, ARMDYN_LIMIT_VELOCITY, ARMDYN_LIMIT_ACCELERATION,
  ARMDYN_LIMIT_JERK,     ARMDYN_LIMIT_TORQUE,   ARMDYN_LIMIT_TORQUE_RATE
};

/* Both sides of one limit of two joints of an arm with parallel axes (0), axes across each other (1) or a slide (2). */
static void limits_open(struct swing *s, size_t arm, enum armdyn_limit_kind kind)
{
  struct armdyn_robot_description d;
  campaign_arm(arm, &d);
  s->t = (struct transcription){ .rated = kind == ARMDYN_LIMIT_TORQUE_RATE };
  for (size_t b = 0; b < SWING_BOUNDS; b++)
    s->t.bounds[s->t.bound_count++] = (struct bound){ kind, b / 2, (b % 2 ? -1 : 1) / 3.0 };
  swing_open(s, &d);
}

Test(transcription, derivatives_are_those_of_differences)
{
  static struct swing s;
  for (size_t arm = 0; arm < 3; arm++)
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      limits_open(&s, arm, kinds[k]);
      swing_expect_gradients(&s);
      swing_expect_second_derivatives(&s);
      swing_expect_stiffness(&s, SWING_KNOTS + 3);
      swing_close(&s);
    }
}

/* Rooms at knots are what the spline leaves of the limits there; torques are those of inverse dynamics. */
Test(transcription, rooms_are_those_of_the_motion)
{
  static struct swing s;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (kinds[k] == ARMDYN_LIMIT_VELOCITY || kinds[k] == ARMDYN_LIMIT_TORQUE_RATE) continue; /* not of one knot */
    limits_open(&s, 1, kinds[k]);
    lagrangian_evaluate(&s.t, s.controls);
    for (size_t knot = 0; knot < SWING_INTERVALS; knot++) {
      double x[5][CAMPAIGN_N];
      armdyn_trajectory_state(&s.motion, (double)knot / SWING_INTERVALS, x[0], x[1], x[2], x[3]);
      armdyn_inverse_dynamics(s.robot, x[0], x[1], x[2], NULL, s.t.workspace, x[4]);
      for (size_t b = 0; b < SWING_BOUNDS; b++) {
        const double want = 1 - s.t.bounds[b].scale * x[kinds[k]][b / 2], is = s.t.room[b * SWING_KNOTS + knot];
        cr_expect_float_eq(is, want, 1e-9 * (1 + fabs(want)), "%s at knot %zu: %g, not %g", armdyn_limit_name(kinds[k]),
                           knot, is, want);
      }
    }
    swing_close(&s);
  }
}

/* A joint without gravity that is driven from rest to rest by the cubic: tau = I qdd is linear in time, and Simpson's rule
 * integrates its square exactly: 12 I^2 D^2 / T^3. */
Test(transcription, cost_of_a_cubic_is_its_integral)
{
  const double inertia = 2.5, distance = 1.2, duration = 0.8;
  static struct swing s;
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  snprintf(d.joints[0].name, sizeof d.joints[0].name, "j1");
  d.joints[0].drive.rotor_inertia = inertia;
  s.t = (struct transcription){ .bound_count = 0 };
  swing_open(&s, &d);
  s.t.cost.weights[0] = 1;
  transcription_set_duration(&s.t, duration);
  double coefficients[4] = { 0, 0, 3 * distance / pow(duration, 2), -2 * distance / pow(duration, 3) };
  double breaks[2] = { 0, duration };
  const struct armdyn_trajectory cubic = { 1, 1, 3, breaks, coefficients, 0, NULL };
  bspline_controls(SWING_INTERVALS, &cubic, s.controls);
  const double want = 12 * pow(inertia * distance, 2) / pow(duration, 3);
  cr_expect_float_eq(lagrangian_evaluate(&s.t, s.controls), want, 1e-9 * want);
  swing_close(&s);
}
