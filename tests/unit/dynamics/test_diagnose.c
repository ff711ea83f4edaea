/* Usual mistakes in a pendulum's closed form, tau = (I + m c^2 + n^2 J) a + m c g cos(q) + d v: which one is named. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/diagnose.h"

enum { COUNT = 12 };
static const double MASS = 3, CENTRE = 0.4, INERTIA = 0.2, FALL = 9.81, RATIO = 50, ROTOR = 1e-4, VISCOUS = 0.7;

/* The terms of the closed form, and what multiplies each of them. */
struct pendulum {
  double body, carried, rotor, weight, rubbing;
};
static const struct pendulum right = { 1, 1, 1, 1, 1 };

struct log {
  double q[COUNT], qd[COUNT], qdd[COUNT], tau[COUNT];
};

static void play(struct log *log, struct pendulum p)
{
  for (int i = 0; i < COUNT; i++) {
    log->q[i] = 0.3 * i - 1;
    log->qd[i] = sin(2.1 * i);
    log->qdd[i] = 4 * cos(1.3 * i);
    log->tau[i] =
        (p.body * INERTIA + p.carried * MASS * CENTRE * CENTRE + p.rotor * RATIO * RATIO * ROTOR) * log->qdd[i] +
        p.weight * MASS * CENTRE * FALL * cos(log->q[i]) + p.rubbing * VISCOUS * log->qd[i];
  }
}

/* Turns about a horizontal axis: the frame's y points up, x lies along the arm at q = 0. */
static struct armdyn_robot *pendulum_new(void)
{
  static struct armdyn_robot_description d;
  struct armdyn_robot *robot = NULL;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  d.convention = ARMDYN_MDH;
  d.gravity[0] = 0, d.gravity[1] = -FALL, d.gravity[2] = 0;
  d.joints[0].link =
      (struct armdyn_body){ .mass = MASS, .com = { CENTRE, 0, 0 }, .inertia = { 0.1, INERTIA, INERTIA, 0, 0, 0 } };
  d.joints[0].drive.rotor_inertia = ROTOR;
  d.joints[0].drive.gear_ratio = RATIO;
  d.joints[0].friction.viscous = (struct armdyn_directed){ VISCOUS, VISCOUS };
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static struct armdyn_diagnosis diagnose(const struct log *log, double tolerance)
{
  struct armdyn_robot *robot = pendulum_new();
  const struct armdyn_samples samples = {
    .count = COUNT, .q = { log->q, 1 }, .qd = { log->qd, 1 }, .qdd = { log->qdd, 1 }, .tau = { log->tau, 1 }
  };
  struct armdyn_diagnosis diagnosis;
  cr_assert_eq(armdyn_diagnose(robot, &samples, tolerance, &diagnosis), ARMDYN_OK);
  armdyn_robot_free(robot);
  return diagnosis;
}

Test(diagnose, the_closed_form_itself_agrees)
{
  struct log log;
  play(&log, right);
  struct armdyn_diagnosis d = diagnose(&log, 1e-9);
  cr_assert(d.agrees && d.error < 1e-12 && d.finding_count == 0);
}

Test(diagnose, each_mistake_is_named)
{
  static const struct {
    const char *code;
    struct pendulum made;
  } cases[] = {
    { "parallel_axis_forgotten", { 1, 0, 1, 1, 1 } },
    { "parallel_axis_twice", { 1, 2, 1, 1, 1 } },
    { "inertia_in_kg_mm2", { 1e6, 1, 1, 1, 1 } },
    { "rotor_ratio_not_squared", { 1, 1, 1 / 50.0, 1, 1 } },
    { "rotor_not_reflected", { 1, 1, 1 / 2500.0, 1, 1 } },
    { "gear_ratio_inverted", { 1, 1, 1 / 6250000.0, 1, 1 } },
    { "rotor_forgotten", { 1, 1, 0, 1, 1 } },
    { "friction_forgotten", { 1, 1, 1, 1, 0 } },
    { "friction_sign", { 1, 1, 1, 1, -1 } },
    { "torque_sign", { -1, -1, -1, -1, -1 } },
    { "torque_at_motor", { 0.02, 0.02, 0.02, 0.02, 0.02 } },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct log log;
    play(&log, cases[k].made);
    struct armdyn_diagnosis d = diagnose(&log, 1e-9);
    const struct armdyn_finding *best = &d.findings[0];
    cr_assert(!d.agrees && best->mistake_count == 1 && best->error < 1e-9, "%s", cases[k].code);
    cr_assert_str_eq(armdyn_mistake_code(best->mistakes[0]), cases[k].code);
    cr_assert(best->explains && !best->ambiguous, "%s", cases[k].code);
  }
}

/* Centre and gravity turned round are one, m c g cos(q) with either sign; no gravity is gravity along the axis. */
Test(diagnose, what_a_pendulum_cannot_tell_is_ambiguous)
{
  for (int weight = -1; weight <= 0; weight++) {
    struct log log;
    play(&log, (struct pendulum){ 1, 1, 1, weight, 1 });
    struct armdyn_diagnosis d = diagnose(&log, 1e-9);
    cr_assert(d.findings[0].error < 1e-9 && d.findings[0].ambiguous && d.findings[1].ambiguous);
    cr_assert(!d.findings[0].explains && !d.findings[1].explains);
  }
}

Test(diagnose, two_mistakes_leave_nothing)
{
  struct log log;
  play(&log, (struct pendulum){ 1, 0, 1, 1, -1 });
  struct armdyn_diagnosis d = diagnose(&log, 1e-9);
  cr_assert_eq(d.findings[0].mistake_count, 2u);
  cr_assert_str_eq(armdyn_mistake_code(d.findings[0].mistakes[0]), "parallel_axis_forgotten");
  cr_assert_str_eq(armdyn_mistake_code(d.findings[0].mistakes[1]), "friction_sign");
  cr_assert_lt(d.findings[0].error, 1e-9);
}

/* The share of a term that is left out: rms of it over rms of the torques given. */
Test(diagnose, the_error_is_the_share_of_the_torques_given)
{
  struct log full, less;
  play(&full, right);
  play(&less, (struct pendulum){ 1, 1, 1, 1, 0 });
  double missing = 0, given = 0;
  for (int i = 0; i < COUNT; i++) {
    missing += VISCOUS * full.qd[i] * VISCOUS * full.qd[i];
    given += less.tau[i] * less.tau[i];
  }
  struct armdyn_diagnosis d = diagnose(&less, 1e-9);
  cr_assert_float_eq(d.error, sqrt(missing / given), 1e-12);
  cr_assert_float_eq(d.joint_error[0], d.error, 1e-15);
}
