/* A mistake in a log is told by its name and joint, and a log without one is left in peace. */
#include "lib/identify/hypotheses.h"
#include "tests/support/sanitized.h"
#include "tests/support/simulated.h"

static void scale(double *x, size_t count, size_t joint, double factor)
{
  for (size_t k = 0; k < count; k++) x[k * N + joint] *= factor;
}

static void exchange(double *x, size_t count, size_t a, size_t b)
{
  for (size_t k = 0; k < count; k++) {
    const double kept = x[k * N + a];
    x[k * N + a] = x[k * N + b];
    x[k * N + b] = kept;
  }
}

static void no_mistake(struct armdyn_motion *m)
{
  (void)m;
}
static void torque_of_the_second_turned(struct armdyn_motion *m)
{
  scale(m->tau_raw, m->count, 1, -1);
}
static void all_torques_turned(struct armdyn_motion *m)
{
  for (size_t i = 0; i < N; i++) scale(m->tau_raw, m->count, i, -1);
}
static void position_of_the_second_turned(struct armdyn_motion *m)
{
  double *const tables[] = { m->q, m->qd, m->qdd };
  for (int t = 0; t < 3; t++) scale(tables[t], m->count, 1, -1);
}
static void torques_of_the_first_two_exchanged(struct armdyn_motion *m)
{
  exchange(m->tau_raw, m->count, 0, 1);
}
static void degrees_for_radians(struct armdyn_motion *m)
{
  double *const tables[] = { m->q, m->qd, m->qdd };
  for (int t = 0; t < 3; t++) {
    for (size_t i = 0; i < N; i++) scale(tables[t], m->count, i, i == 2 ? 1 : 180 / pi);
  }
}

static const struct {
  void (*make)(struct armdyn_motion *motion);
  int code; /* -1: none */
  int joint;
} cases[] = {
  { no_mistake, -1, -1 },
  { torque_of_the_second_turned, ARMDYN_WARNING_TORQUE_SIGN, 1 },
  { all_torques_turned, ARMDYN_WARNING_TORQUE_SIGN, -1 },
  { position_of_the_second_turned, ARMDYN_WARNING_POSITION_SIGN, 1 },
  { torques_of_the_first_two_exchanged, ARMDYN_WARNING_CHANNELS_SWAPPED, -1 },
  { degrees_for_radians, ARMDYN_WARNING_UNIT_SUSPECT, -1 },
};

Test(hypotheses, a_mistake_is_told_by_name)
{
  struct known known = known_open();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k += SANITIZED ? 3 : 1) {
    struct armdyn_motion motion = simulated(known.robot, 3, 1e-5, 0.01);
    struct armdyn_warnings warnings = { 0 };
    cases[k].make(&motion);
    cr_assert_eq(hypotheses_try(known.unknowns, &motion, NULL, &warnings), ARMDYN_OK);
    cr_assert_eq(warnings.count, cases[k].code >= 0, "case %zu: %s", k, warnings.list[0].detail);
    if (warnings.count) {
      cr_expect_eq((int)warnings.list[0].code, cases[k].code, "case %zu: %s", k, warnings.list[0].detail);
      cr_expect_eq(warnings.list[0].joint, cases[k].joint, "case %zu: %d", k, warnings.list[0].joint);
    }
    armdyn_motion_free(&motion);
  }
  known_close(&known);
}
