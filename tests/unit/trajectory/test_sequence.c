/* Motions and rests in a row: held against the motions alone, and at rest against the gravity of two point masses. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double length = 0.5, mass = 2, weight = 9.81 * 2;

/* Two links in a vertical plane, a point mass at the end of each. */
static struct armdyn_robot *arm(void)
{
  struct armdyn_robot_description d;
  struct armdyn_error error;
  struct armdyn_robot *robot;
  armdyn_robot_description_init(&d);
  d.joint_count = 2;
  d.gravity[0] = 0, d.gravity[1] = -9.81, d.gravity[2] = 0;
  for (size_t j = 0; j < 2; j++) {
    snprintf(d.joints[j].name, sizeof d.joints[j].name, "j%zu", j + 1);
    d.joints[j].a = length, d.joints[j].link.mass = mass;
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, &error), ARMDYN_OK, "%s", error.message);
  return robot;
}

static struct armdyn_trajectory motion(const struct armdyn_robot *robot, enum armdyn_profile profile,
                                       const double points[4], double duration)
{
  const struct armdyn_profile_request request = { profile, 2, points, NULL, duration, NULL, 0 };
  struct armdyn_trajectory out;
  struct armdyn_error error;
  cr_assert_eq(armdyn_profile_plan(robot, &request, &out, NULL, NULL, NULL, NULL, &error), ARMDYN_OK, "%s",
               error.message);
  return out;
}

struct cycle {
  struct armdyn_robot *robot;
  struct armdyn_trajectory there, back, whole;
};
static const double outwards[4] = { 0.2, -0.1, 1.4, -0.6 }, homewards[4] = { 1.4, -0.6, 0.2, -0.1 };

/* 0.25 s of rest, 1.1 s there by a quintic, 0.75 s of rest, 0.9 s back by a cubic: pieces of other degrees. */
static struct cycle cycle_new(void)
{
  struct cycle c = { .robot = arm() };
  struct armdyn_error error;
  c.there = motion(c.robot, ARMDYN_QUINTIC, outwards, 1.1);
  c.back = motion(c.robot, ARMDYN_CUBIC, homewards, 0.9);
  const struct armdyn_sequence_step steps[] = { { NULL, 0.25 }, { &c.there, 0 }, { NULL, 0.75 }, { &c.back, 0 } };
  cr_assert_eq(armdyn_trajectory_sequence(steps, 4, &c.whole, &error), ARMDYN_OK, "%s", error.message);
  return c;
}

static void cycle_free(struct cycle *c)
{
  armdyn_trajectory_free(&c->there);
  armdyn_trajectory_free(&c->back);
  armdyn_trajectory_free(&c->whole);
  armdyn_robot_free(c->robot);
}

Test(sequence, borders_are_where_and_when_they_were_planned)
{
  static const double times[] = { 0, 0.25, 1.35, 2.1, 3 }, *const places[] = { outwards, outwards, outwards + 2,
                                                                               outwards + 2, outwards };
  struct cycle c = cycle_new();
  cr_assert_eq(c.whole.waypoint_count, 5);
  cr_assert_float_eq(armdyn_trajectory_duration(&c.whole), 3, 1e-12);
  for (size_t i = 0; i < 5; i++) {
    double q[N], qd[N];
    cr_assert_float_eq(c.whole.waypoint_times[i], times[i], 1e-12);
    armdyn_trajectory_state(&c.whole, times[i], q, qd, NULL, NULL);
    for (int j = 0; j < 2; j++) cr_assert(fabs(q[j] - places[i][j]) < 1e-12 && fabs(qd[j]) < 1e-10, "border %zu", i);
  }
  cycle_free(&c);
}

Test(sequence, every_motion_is_what_it_was)
{
  struct cycle c = cycle_new();
  const struct armdyn_trajectory *const motions[] = { &c.there, &c.back };
  const double begins[] = { 0.25, 2.1 };
  for (int m = 0; m < 2; m++)
    for (int k = 1; k < 500; k++) {
      const double t = armdyn_trajectory_duration(motions[m]) * k / 500;
      double a[4][N], b[4][N];
      armdyn_trajectory_state(motions[m], t, a[0], a[1], a[2], a[3]);
      armdyn_trajectory_state(&c.whole, begins[m] + t, b[0], b[1], b[2], b[3]);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) cr_assert_float_eq(a[i][j], b[i][j], 1e-11, "%d %d %d", m, k, i);
    }
  cycle_free(&c);
}

/* At rest: m g l cos(q1 + q2) at the elbow, 2 m g l cos q1 more at the shoulder; and no power. */
Test(sequence, rests_carry_the_gravity_of_the_closed_form)
{
  static const double inside[] = { 0.1, 1.36, 1.7, 2.09 };
  struct cycle c = cycle_new();
  struct armdyn_workspace *workspace = armdyn_workspace_new(2);
  for (int k = 0; k < 4; k++) {
    double row[11];
    armdyn_trajectory_sample(c.robot, &c.whole, inside[k], workspace, row);
    const double *q = k ? outwards + 2 : outwards, elbow = weight * length * cos(q[0] + q[1]);
    cr_assert_float_eq(row[7], 2 * weight * length * cos(q[0]) + elbow, 1e-10);
    cr_assert_float_eq(row[8], elbow, 1e-10);
    for (int j = 0; j < 2; j++) cr_assert(row[3 + j] == 0 && row[5 + j] == 0 && row[9 + j] == 0);
  }
  armdyn_workspace_free(workspace);
  cycle_free(&c);
}

Test(sequence, energy_is_the_sum_of_the_motions)
{
  struct cycle c = cycle_new();
  struct armdyn_motion_energy there, back, whole;
  cr_assert_eq(armdyn_trajectory_energy(c.robot, &c.there, &there), ARMDYN_OK);
  cr_assert_eq(armdyn_trajectory_energy(c.robot, &c.back, &back), ARMDYN_OK);
  cr_assert_eq(armdyn_trajectory_energy(c.robot, &c.whole, &whole), ARMDYN_OK);
  cr_assert_gt(there.positive_work, 1);
  cr_assert_float_eq(whole.positive_work, there.positive_work + back.positive_work, 1e-7);
  cr_assert_float_eq(whole.gravity, 0, 1e-8); /* it is back */
  cycle_free(&c);
}

Test(sequence, what_cannot_follow_is_refused_with_its_place)
{
  struct cycle c = cycle_new();
  struct armdyn_trajectory none = { 0 };
  const struct {
    struct armdyn_sequence_step steps[2];
    const char *pointer;
  } cases[] = {
    { { { &c.there, 0 }, { &c.there, 0 } }, "/steps/1" },
    { { { NULL, 1 }, { NULL, 2 } }, "/steps" },
    { { { &c.there, 0 }, { NULL, -1 } }, "/steps/1/dwell" },
    { { { NULL, NAN }, { &c.there, 0 } }, "/steps/0/dwell" },
    { { { NULL, INFINITY }, { &c.there, 0 } }, "/steps/0/dwell" },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct armdyn_error error = { "", "" };
    cr_assert_eq(armdyn_trajectory_sequence(cases[k].steps, 2, &none, &error), ARMDYN_EINPUT, "%zu", k);
    cr_assert_str_eq(error.pointer, cases[k].pointer);
    cr_assert_null(none.breaks);
  }
  cycle_free(&c);
}
