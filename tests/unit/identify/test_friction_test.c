/* Friction tests: the plan keeps what it promises, and simulated logs of it give back the friction that made them. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = 4 };
static const double pi = 3.14159265358979323846;

/* A SCARA whose joints have Coulomb and viscous friction, and each one thing more. */
static void describe(struct armdyn_robot_description *d)
{
  cJSON *json = json_load("tests/data/robots/scara.json");
  cr_assert_not_null(json);
  description_from_json(json, d);
  cJSON_Delete(json);
  d->joints[0].friction.stiction = 2.6; /* over Coulomb's 1.5 */
  d->joints[0].friction.stribeck_velocity = 0.4;
  d->joints[1].friction.high_speed = 0.06;
  d->joints[1].friction.ripple_count = 1;
  d->joints[1].friction.ripples[0] = (struct armdyn_ripple){ 0.35, 1, 0.4 };
  d->joints[2].friction.offset = 4;
  d->joints[3].friction.ripple_count = 2;
  d->joints[3].friction.ripples[0] = (struct armdyn_ripple){ 0.03, 2, -1 };
  d->joints[3].friction.ripples[1] = (struct armdyn_ripple){ 0.02, 0.5, 2 };
}

struct test {
  struct armdyn_robot_description d;
  struct armdyn_robot *robot;
  struct armdyn_friction_plan_request request;
  struct armdyn_trajectory trajectory;
  struct armdyn_margin margin[ARMDYN_LIMIT_KINDS * N];
  struct armdyn_friction_run *runs;
  size_t run_count;
  struct armdyn_error error;
};

static struct test *test_new(void)
{
  struct test *t = calloc(1, sizeof *t);
  describe(&t->d);
  cr_assert_eq(armdyn_robot_new(&t->d, &t->robot, NULL), ARMDYN_OK);
  t->request = (struct armdyn_friction_plan_request){
    .speeds = 36, .speed_least = 0.01, .speed_most = 0.9, .travel = 0.8, .cruise = 1.5
  };
  return t;
}

static enum armdyn_status plan(struct test *t)
{
  armdyn_trajectory_free(&t->trajectory);
  free(t->runs);
  return armdyn_friction_plan(t->robot, &t->request, &t->trajectory, t->margin, &t->runs, &t->run_count, &t->error);
}

static void test_free(struct test *t)
{
  armdyn_trajectory_free(&t->trajectory);
  armdyn_robot_free(t->robot);
  free(t->runs);
  free(t);
}

Test(friction_plan, runs_are_at_constant_speed_with_all_others_at_rest)
{
  struct test *t = test_new();
  cr_assert_eq(plan(t), ARMDYN_OK, "%s", t->error.message);
  cr_assert_eq(t->run_count, 2 * 36 * N);
  for (size_t r = 0; r < t->run_count; r++) {
    const struct armdyn_friction_run *run = &t->runs[r];
    const double most = t->d.joints[run->joint].limits.velocity;
    double q[N], qd[N], qdd[N];
    cr_assert(run->to - run->from >= 0.3 - 1e-9 && run->to - run->from <= 1.5 + 1e-9);
    cr_assert(fabs(run->speed) <= 0.9 * most + 1e-9 && fabs(run->speed) > 0.009 * 0.3 * most);
    for (int k = 0; k <= 4; k++) {
      armdyn_trajectory_state(&t->trajectory, run->from + (run->to - run->from) * (0.001 + 0.998 * k / 4), q, qd, qdd,
                              NULL);
      for (size_t j = 0; j < N; j++) {
        cr_assert_float_eq(qd[j], j == run->joint ? run->speed : 0, 1e-9);
        cr_assert_float_eq(qdd[j], 0, 1e-7);
      }
    }
    if (r % 2) cr_assert_float_eq(run->speed, -t->runs[r - 1].speed, 1e-12);
  }
  test_free(t);
}

/* Continuous to the acceleration, within every limit by another way of asking, and back where it began. */
Test(friction_plan, is_smooth_and_keeps_the_limits)
{
  struct test *t = test_new();
  cr_assert_eq(plan(t), ARMDYN_OK);
  const struct armdyn_trajectory *motion = &t->trajectory;
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  double x[2][3][N], jerk[N], tau[N];
  for (size_t k = 1; k < motion->piece_count; k++) {
    for (int side = 0; side < 2; side++) {
      armdyn_trajectory_state(motion, motion->breaks[k] + (side ? 1e-9 : -1e-9), x[side][0], x[side][1], x[side][2],
                              NULL);
    }
    for (size_t j = 0; j < N; j++) {
      for (int order = 0; order < 3; order++) {
        cr_assert_float_eq(x[0][order][j], x[1][order][j], 1e-5, "piece %zu, joint %zu, order %d", k, j, order);
      }
    }
  }
  const double T = armdyn_trajectory_duration(motion);
  for (int k = 0; k <= 200000; k++) {
    armdyn_trajectory_state(motion, T * k / 200000, x[0][0], x[0][1], x[0][2], jerk);
    armdyn_inverse_dynamics(t->robot, x[0][0], x[0][1], x[0][2], NULL, workspace, tau);
    for (size_t j = 0; j < N; j++) {
      const struct armdyn_limits *limits = &t->d.joints[j].limits;
      cr_assert(x[0][0][j] >= limits->position[0] && x[0][0][j] <= limits->position[1]);
      cr_assert(fabs(x[0][1][j]) <= limits->velocity && fabs(x[0][2][j]) <= limits->acceleration);
      cr_assert(fabs(jerk[j]) <= limits->jerk && fabs(tau[j]) <= limits->torque);
    }
  }
  armdyn_trajectory_state(motion, 0, x[0][0], NULL, NULL, NULL);
  armdyn_trajectory_state(motion, T, x[1][0], NULL, NULL, NULL);
  for (size_t j = 0; j < N; j++) {
    const double *range = t->d.joints[j].limits.position;
    cr_assert_float_eq(x[0][0][j], (range[0] + range[1]) / 2, 1e-12);
    cr_assert_float_eq(x[1][0][j], x[0][0][j], 1e-9);
  }
  armdyn_workspace_free(workspace);
  test_free(t);
}

Test(friction_plan, says_what_cannot_be)
{
  struct test *t = test_new();
  const bool one[N] = { false, false, true, false }, none[N] = { false };
  const double outside[N] = { 0, 0, 9, 0 };
  t->request.joints = one;
  cr_assert_eq(plan(t), ARMDYN_OK);
  cr_assert_eq(t->run_count, 72);
  for (size_t r = 0; r < t->run_count; r++) cr_assert_eq(t->runs[r].joint, 2);
  t->request.joints = none;
  cr_assert_eq(plan(t), ARMDYN_EINPUT);
  cr_assert_str_eq(t->error.pointer, "/joints");
  t->request.joints = one;
  t->request.q = outside;
  cr_assert_eq(plan(t), ARMDYN_EINPUT);
  cr_assert_str_eq(t->error.pointer, "/q/2");
  t->request.q = NULL;
  struct armdyn_limits limits[N];
  for (size_t j = 0; j < N; j++) limits[j] = t->d.joints[j].limits;
  t->request.limits = limits;
  limits[2].torque = 25; /* it weighs about 20 N, and friction is more */
  cr_assert_eq(plan(t), ARMDYN_EINFEASIBLE);
  cr_assert_str_eq(t->error.pointer, "/limits/torque");
  limits[2].velocity = INFINITY;
  cr_assert_eq(plan(t), ARMDYN_EINPUT);
  t->request.speeds = 2;
  cr_assert_eq(plan(t), ARMDYN_EINPUT);
  cr_assert_str_eq(t->error.pointer, "/speeds");
  test_free(t);
}

/* Of travel, position limits and slowest speed each may be next to nothing: no speed of a run may come out as 0 / 0. */
Test(friction_plan, a_joint_without_room_is_refused)
{
  struct test *t = test_new();
  struct armdyn_limits limits[N];
  for (size_t j = 0; j < N; j++) limits[j] = t->d.joints[j].limits;
  t->request.limits = limits;
  t->request.travel = 5e-324;
  cr_assert_eq(plan(t), ARMDYN_EINFEASIBLE);
  cr_assert_str_eq(t->error.pointer, "/travel");
  t->request.travel = 0.8;
  t->request.speed_least = 1e-300;
  cr_assert_eq(plan(t), ARMDYN_EINFEASIBLE);
  t->request.speed_least = 0.01;
  limits[2].position[1] = limits[2].position[0];
  cr_assert_neq(plan(t), ARMDYN_OK);
  test_free(t);
}

/* -- logs -- */

static double normal(struct dice *dice)
{
  return sqrt(-2 * log(dice_uniform(dice, 1e-12, 1))) * cos(2 * pi * dice_uniform(dice, 0, 1));
}

struct logged {
  struct armdyn_motion motion;
};

static enum armdyn_status read_logged(void *context, size_t index, struct armdyn_motion *motion,
                                      struct armdyn_error *error)
{
  (void)index, (void)error;
  *motion = ((struct logged *)context)->motion;
  return ARMDYN_OK;
}

/* What an encoder of 1e-4 rad (1e-5 m) and a torque sensor of 1 % log at 500 Hz, conditioned as any log is. */
static struct logged log_of(const struct test *t, double noise)
{
  const double rate = 500, T = armdyn_trajectory_duration(&t->trajectory);
  const size_t count = (size_t)(T * rate);
  double *time = malloc(count * (1 + 2 * N) * sizeof *time), *q = time + count, *tau = q + count * N, qd[N], qdd[N];
  double mean2[N] = { 0 };
  struct dice dice = { 11 };
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  for (size_t k = 0; k < count; k++) {
    time[k] = (double)k / rate;
    armdyn_trajectory_state(&t->trajectory, time[k], q + k * N, qd, qdd, NULL);
    armdyn_inverse_dynamics(t->robot, q + k * N, qd, qdd, NULL, workspace, tau + k * N);
    for (size_t j = 0; j < N; j++) mean2[j] += tau[k * N + j] * tau[k * N + j] / (double)count;
  }
  for (size_t k = 0; k < count; k++) {
    for (size_t j = 0; j < N; j++) {
      q[k * N + j] += noise * (j == 2 ? 1e-5 : 1e-4) * normal(&dice);
      tau[k * N + j] += noise * 0.01 * sqrt(mean2[j]) * normal(&dice);
    }
  }
  struct logged logged;
  const struct armdyn_log log = { .count = count, .time = time, .q = q, .tau = tau };
  const struct armdyn_conditioning conditioning = { .rate = rate, .position_cutoff = 20 };
  cr_assert_eq(armdyn_condition(N, &log, &conditioning, &logged.motion, NULL), ARMDYN_OK);
  armdyn_workspace_free(workspace);
  free(time);
  return logged;
}

static void about(double value, double truth, double tolerance, const char *what)
{
  cr_assert_float_eq(value, truth, tolerance * fabs(truth), "%s is %g instead of %g", what, value, truth);
}

/* The model that the fit starts from knows no friction, and has wrong masses. */
static struct armdyn_robot *frictionless(const struct test *t)
{
  struct armdyn_robot_description d = t->d;
  struct armdyn_robot *robot;
  for (size_t j = 0; j < N; j++) {
    struct armdyn_joint plain;
    armdyn_joint_init(&plain);
    d.joints[j].friction = plain.friction;
  }
  d.joints[3].link.mass *= 1.2;
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  return robot;
}

static const struct armdyn_extra_trial *kept(const struct armdyn_joint_friction *found, enum armdyn_friction_term term)
{
  for (size_t k = 0; k < found->trial_count; k++) {
    if (found->trials[k].term == term && found->trials[k].kept) return &found->trials[k];
  }
  return NULL;
}

Test(friction_fit, gives_back_the_friction_that_was_simulated)
{
  struct test *t = test_new();
  struct armdyn_joint_friction found[N];
  cr_assert_eq(plan(t), ARMDYN_OK);
  struct logged logged = log_of(t, 1);
  struct armdyn_robot *model = frictionless(t);
  const struct armdyn_source source = { logged.motion.count, 1, read_logged, &logged };
  cr_assert_eq(armdyn_friction_fit(model, &source, found, NULL, NULL, &t->error), ARMDYN_OK, "%s", t->error.message);
  for (size_t j = 0; j < N; j++) {
    const struct armdyn_friction *truth = &t->d.joints[j].friction, *f = &found[j].friction;
    cr_assert(found[j].found);
    cr_assert(found[j].point_count >= 70, "joint %zu has %zu runs", j, found[j].point_count);
    about(f->coulomb.positive, truth->coulomb.positive, 0.05, "coulomb");
    about(f->viscous.positive, truth->viscous.positive, 0.05, "viscous");
    cr_assert(found[j].deviation.coulomb.positive > 0 &&
              found[j].deviation.coulomb.positive < 0.05 * f->coulomb.positive);
    cr_assert(fabs(f->coulomb.positive - truth->coulomb.positive) < 5 * found[j].deviation.coulomb.positive + 1e-3);
    cr_assert_eq(f->ripple_count, truth->ripple_count, "joint %zu: %zu lines", j, f->ripple_count);
    for (size_t k = 0; k < f->ripple_count; k++) { /* the strongest first, as in the truth */
      about(f->ripples[k].order, truth->ripples[k].order, 0.01, "order");
      about(f->ripples[k].amplitude, truth->ripples[k].amplitude, 0.05, "amplitude");
      cr_assert_float_eq(remainder(f->ripples[k].phase - truth->ripples[k].phase, 2 * pi), 0, 0.3);
    }
  }
  cr_assert(kept(&found[0], ARMDYN_FRICTION_STRIBECK) && !kept(&found[1], ARMDYN_FRICTION_STRIBECK));
  about(found[0].friction.stiction, 2.6, 0.05, "stiction");
  about(found[0].friction.stribeck_velocity, 0.4, 0.1, "stribeck_velocity");
  cr_assert(kept(&found[1], ARMDYN_FRICTION_HIGH_SPEED) && !kept(&found[2], ARMDYN_FRICTION_POSITION));
  about(found[1].friction.high_speed, 0.06, 0.05, "high_speed");
  for (size_t k = 1; k < found[0].point_count; k++) cr_assert(found[0].points[k].speed >= found[0].points[k - 1].speed);
  armdyn_joint_friction_free(N, found);
  armdyn_motion_free(&logged.motion);
  armdyn_robot_free(model);
  test_free(t);
}

Test(friction_fit, refuses_motion_without_runs)
{
  struct test *t = test_new();
  struct armdyn_joint_friction found[N];
  const bool one[N] = { true };
  t->request.joints = one;
  t->request.speeds = 3; /* six runs are too few */
  cr_assert_eq(plan(t), ARMDYN_OK);
  struct logged logged = log_of(t, 0);
  const struct armdyn_source source = { logged.motion.count, 1, read_logged, &logged };
  cr_assert_eq(armdyn_friction_fit(t->robot, &source, found, NULL, NULL, &t->error), ARMDYN_EINPUT);
  cr_assert_str_eq(t->error.pointer, "/datasets");
  cr_assert(strstr(t->error.message, "any has is 6"), "%s", t->error.message);
  armdyn_motion_free(&logged.motion);
  test_free(t);
}
