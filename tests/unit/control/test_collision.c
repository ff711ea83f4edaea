/* The observer of momentum against closed forms: the filter of first order that it is, on arms that are simulated, so that
 * what pushes them is known; and the alarm. */
#include <criterion/criterion.h>

#include "armdyn/collision.h"
#include "tests/support/robots.h"

enum { N = 6 };
static const double GAIN = 25; /* 1/s */

/* An arm that moves under known torques, watched by an observer. */
struct watched {
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n;
  double q[N], qd[N], swing[N], external[N]; /* of the drives: swing sin(2 t); what pushes besides */
  bool ramp;                                 /* the push grows as t */
  struct armdyn_load load;                   /* what acts */
  const struct armdyn_load *known;           /* what the observer knows of it */
  struct armdyn_observer observer;
  double filtered[N], before[N], worst; /* J' w behind the same filter, and how far the residual was off it */
};

static void watched_open(struct watched *w, size_t n)
{
  static struct armdyn_robot_description d;
  struct dice dice = { 31 * n + 4 };
  random_description(&dice, &d, n, (enum armdyn_convention)(n % 3));
  for (size_t i = 0; i < n; i++) d.joints[i].velocity_scale = 0.1;
  *w = (struct watched){ .n = n };
  cr_assert_eq(armdyn_robot_new(&d, &w->robot, NULL), ARMDYN_OK);
  w->workspace = armdyn_workspace_new(n);
  dice_fill(&dice, w->q, n, -1, 1);
  dice_fill(&dice, w->qd, n, -1, 1);
  dice_fill(&dice, w->swing, n, -20, 20);
  armdyn_observer_init(&w->observer, GAIN, false);
}

static void watched_close(struct watched *w)
{
  armdyn_robot_free(w->robot);
  armdyn_workspace_free(w->workspace);
}

static void drives_and_push(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct watched *w = context;
  (void)q, (void)qd;
  for (size_t i = 0; i < w->n; i++) tau[i] = w->swing[i] * sin(2 * t) + w->external[i] * (w->ramp ? t : 1);
}

/* J' w, by statics with and without the wrench. */
static void push_of_wrench(struct watched *w, const double *q, double *push)
{
  double without[N];
  armdyn_statics(w->robot, q, w->load.wrench, w->load.wrench_frame, w->workspace, push, NULL);
  armdyn_statics(w->robot, q, NULL, ARMDYN_WRENCH_TOOL, w->workspace, without, NULL);
  for (size_t i = 0; i < w->n; i++) push[i] = without[i] - push[i];
}

/* The same filter by its own way: exact for a push that is a straight line between samples. */
static void filter_wrench(struct watched *w, const struct armdyn_simulation_sample *sample)
{
  double push[N];
  const double T = sample->t - w->observer.t, kept = exp(-GAIN * T);
  push_of_wrench(w, sample->q, push);
  for (size_t i = 0; i < w->n; i++) {
    const double slope = T > 0 ? (push[i] - w->before[i]) / T : 0;
    if (w->observer.begun)
      w->filtered[i] = push[i] - slope / GAIN + kept * (w->filtered[i] - w->before[i] + slope / GAIN);
    w->before[i] = push[i];
  }
}

static bool observe(void *context, const struct armdyn_simulation_sample *sample)
{
  struct watched *w = context;
  double tau[N];
  for (size_t i = 0; i < w->n; i++) tau[i] = sample->tau[i] - w->external[i] * (w->ramp ? sample->t : 1);
  if (w->load.wrench) filter_wrench(w, sample);
  armdyn_observe(&w->observer, w->robot, sample->t, sample->q, sample->qd, tau, w->known, w->workspace);
  for (size_t i = 0; i < w->n; i++) w->worst = fmax(w->worst, fabs(w->observer.residual[i] - w->filtered[i]));
  return true;
}

static void watch(struct watched *w, double duration, double period)
{
  const struct armdyn_simulation simulation = {
    .q = w->q,
    .qd = w->qd,
    .duration = duration,
    .sample_period = period,
    .torque = drives_and_push,
    .torque_context = w,
    .load = &w->load,
    .relative_tolerance = 1e-10,
    .absolute_tolerance = 1e-10,
  };
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_simulate(w->robot, &simulation, observe, w, w->workspace, NULL, &error), ARMDYN_OK, "%s",
               error.message);
}

/* -- momentum -- */

static void check_momentum(struct dice *dice, size_t n, enum armdyn_convention convention)
{
  enum { MOST = ARMDYN_JOINTS_MAX };
  static struct armdyn_robot_description d;
  static double M[MOST * MOST], C[MOST * MOST];
  double q[MOST], qd[MOST], g[MOST], p[MOST], drift[MOST], scale = 0;
  struct armdyn_robot *robot;
  random_description(dice, &d, n, convention);
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  dice_fill(dice, q, n, -3, 3);
  dice_fill(dice, qd, n, -2, 2);
  armdyn_mass_matrix(robot, q, workspace, M);
  armdyn_coriolis_matrix(robot, q, qd, workspace, C);
  armdyn_gravity_torque(robot, q, workspace, g);
  armdyn_joint_momentum(robot, q, qd, workspace, p, drift);
  for (size_t i = 0; i < n * n; i++) scale = fmax(scale, fabs(M[i]) + fabs(C[i]));
  for (size_t i = 0; i < n; i++) {
    double Mqd = 0, CTqd = 0;
    for (size_t j = 0; j < n; j++) Mqd += M[i * n + j] * qd[j], CTqd += C[j * n + i] * qd[j];
    cr_assert_float_eq(p[i], Mqd, 1e-11 * scale * (double)n, "joint %zu of %zu: %g, %g", i, n, p[i], Mqd);
    cr_assert_float_eq(drift[i], CTqd - g[i], 1e-11 * (scale + 100) * (double)n, "joint %zu of %zu: %g, %g", i, n,
                       drift[i], CTqd - g[i]);
  }
  armdyn_workspace_free(workspace);
  armdyn_robot_free(robot);
}

Test(collision, joint_momentum_is_that_of_the_matrices)
{
  struct dice dice = { 8 };
  for (size_t n = 1; n <= ARMDYN_JOINTS_MAX; n = n < 8 ? n + 1 : 2 * n)
    for (int convention = ARMDYN_DH; convention <= ARMDYN_FRAMES; convention++)
      for (int k = 0; k < 5; k++) check_momentum(&dice, n, (enum armdyn_convention)convention);
}

/* -- the observer -- */

Test(collision, a_constant_push_is_followed_as_by_a_filter_of_first_order)
{
  for (size_t n = 1; n <= N; n++) {
    struct watched w;
    watched_open(&w, n);
    for (size_t i = 0; i < n; i++) w.external[i] = 3.0 - 2.0 * (double)i;
    watch(&w, 0.12, 1e-3);
    for (size_t i = 0; i < n; i++) {
      const double expected = w.external[i] * (1 - exp(-GAIN * 0.12));
      cr_assert_float_eq(w.observer.residual[i], expected, 2e-3, "joint %zu of %zu: %.9g, %.9g", i, n,
                         w.observer.residual[i], expected);
    }
    watched_close(&w);
  }
}

Test(collision, without_a_push_the_residual_is_the_error_of_the_trapezoid_of_second_order)
{
  for (size_t n = 1; n <= N; n++) {
    double worst[3];
    for (int k = 0; k < 3; k++) {
      struct watched w;
      watched_open(&w, n);
      watch(&w, 0.2, 2e-3 / (1 << k));
      worst[k] = w.worst;
      watched_close(&w);
    }
    cr_assert_lt(worst[0], 0.05, "%zu joints: %g N m", n, worst[0]);
    cr_assert_lt(fabs(log2(worst[0] / worst[1]) - 2), 0.25, "%zu joints: order %g", n, log2(worst[0] / worst[1]));
    cr_assert_lt(fabs(log2(worst[1] / worst[2]) - 2), 0.25, "%zu joints: order %g", n, log2(worst[1] / worst[2]));
  }
}

/* Behind a ramp a t the residual settles at a (t - lag); by the largest period that makes sense, too. */
Test(collision, a_ramp_is_followed_with_the_lag_of_the_filter)
{
  static const double periods[] = { 1e-3, 0.04 };
  for (size_t k = 0; k < 2; k++) {
    /* a slide without gravity: nothing but the ramp is there, so the trapezoid has no error */
    static struct armdyn_robot_description d;
    struct watched w = { .n = 1, .ramp = true, .external = { 7 } };
    armdyn_robot_description_init(&d);
    d.joint_count = 1;
    d.joints[0].type = ARMDYN_PRISMATIC;
    d.joints[0].link.mass = 2;
    memset(d.gravity, 0, sizeof d.gravity);
    cr_assert_eq(armdyn_robot_new(&d, &w.robot, NULL), ARMDYN_OK);
    w.workspace = armdyn_workspace_new(1);
    armdyn_observer_init(&w.observer, GAIN, false);
    watch(&w, 2, periods[k]);
    const double x = GAIN * periods[k] / 2, lag = periods[k] / 2 / tanh(x);
    cr_assert_float_eq(w.observer.residual[0], 7 * (2 - lag), 1e-8, "%.12g, %.12g", w.observer.residual[0],
                       7 * (2 - lag));
    cr_assert_lt(fabs(lag * GAIN - 1 - x * x / 3), x * x * x * x / 40, "as the header says");
    watched_close(&w);
  }
}

Test(collision, a_wrench_on_a_moving_tool_is_followed_and_one_that_is_known_is_not_seen)
{
  static const double wrench[6] = { 1, -2, 0.5, 20, -15, 30 };
  for (size_t n = 1; n <= N; n++)
    for (int known = 0; known < 2; known++) {
      struct watched w;
      double felt = 0;
      const bool frictionless = n == 3;
      const struct armdyn_load unknown = { .frictionless = frictionless };
      watched_open(&w, n);
      w.load = (struct armdyn_load){ wrench, n % 2 ? ARMDYN_WRENCH_BASE : ARMDYN_WRENCH_TOOL, frictionless };
      w.known = known ? &w.load : &unknown;
      push_of_wrench(&w, w.q, w.before);
      watch(&w, 0.2, 5e-4);
      for (size_t i = 0; i < n; i++) {
        const double expected = known ? 0 : w.filtered[i];
        felt = fmax(felt, fabs(w.filtered[i]));
        cr_assert_float_eq(w.observer.residual[i], expected, 5e-3, "joint %zu of %zu: %g, %g", i, n,
                           w.observer.residual[i], expected);
      }
      cr_assert_gt(felt, 0.1, "%zu joints: there was something to feel", n);
      watched_close(&w);
    }
}

/* -- a torque that is held -- */

static void held_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct watched *w = context;
  (void)t, (void)q, (void)qd;
  memcpy(tau, w->swing, w->n * sizeof *tau);
}

static bool keep_state(void *context, const struct armdyn_simulation_sample *sample)
{
  struct watched *w = context;
  memcpy(w->q, sample->q, w->n * sizeof *w->q);
  memcpy(w->qd, sample->qd, w->n * sizeof *w->qd);
  return true;
}

static double worst_of_held(size_t n, bool held, double period)
{
  struct watched w;
  struct dice dice = { 77 };
  watched_open(&w, n);
  armdyn_observer_init(&w.observer, GAIN, held);
  armdyn_observe(&w.observer, w.robot, 0, w.q, w.qd, w.swing, NULL, w.workspace);
  for (int k = 1; k <= 40; k++) {
    double q[N], qd[N];
    memcpy(q, w.q, sizeof q), memcpy(qd, w.qd, sizeof qd);
    dice_fill(&dice, w.swing, n, -20, 20);
    const struct armdyn_simulation simulation = {
      .q = q, .qd = qd, .duration = period, .sample_period = period, .torque = held_torque, .torque_context = &w
    };
    cr_assert_eq(armdyn_simulate(w.robot, &simulation, keep_state, &w, w.workspace, NULL, NULL), ARMDYN_OK);
    armdyn_observe(&w.observer, w.robot, k * period, w.q, w.qd, w.swing, NULL, w.workspace);
    for (size_t i = 0; i < n; i++) w.worst = fmax(w.worst, fabs(w.observer.residual[i]));
  }
  watched_close(&w);
  return w.worst;
}

Test(collision, a_held_torque_is_no_trapezoid)
{
  for (size_t n = 1; n <= 4; n += 3) {
    const double held = worst_of_held(n, true, 2e-3), taken_for_measured = worst_of_held(n, false, 2e-3);
    cr_assert_lt(held, 0.02, "%zu joints: %g N m", n, held);
    cr_assert_gt(taken_for_measured, 10 * held, "%zu joints: %g N m", n, taken_for_measured);
  }
}

Test(collision, times_that_do_not_advance_are_passed_over)
{
  struct watched w;
  watched_open(&w, 2);
  w.external[0] = 5;
  watch(&w, 0.1, 1e-3);
  const struct armdyn_observer before = w.observer;
  static const double times[] = { 0.1, 0.05, -1, NAN };
  for (size_t k = 0; k < 4; k++) armdyn_observe(&w.observer, w.robot, times[k], w.q, w.qd, w.swing, NULL, w.workspace);
  cr_assert_arr_eq(&w.observer, &before, sizeof before);
  watched_close(&w);
}

/* -- the alarm -- */

Test(collision, an_alarm_names_the_joint_and_lasts_until_all_is_quiet)
{
  static const double threshold[2] = { 1, 10 };
  /* residuals of joints 1 and 2 at t = 0, 1, ...; the change that they make, with a hold of 1.5 */
  static const struct {
    double residual[2];
    enum armdyn_alarm_change change;
  } rows[] = {
    { { 0.9, -9.9 }, ARMDYN_ALARM_NONE }, { { 1, 10 }, ARMDYN_ALARM_NONE }, { { 1.2, -13 }, ARMDYN_ALARM_BEGINS },
    { { -3, 5 }, ARMDYN_ALARM_NONE },     { { 0, 0 }, ARMDYN_ALARM_NONE },  { { 0, 10.5 }, ARMDYN_ALARM_NONE },
    { { 0, 0 }, ARMDYN_ALARM_NONE },      { { 0, 0 }, ARMDYN_ALARM_ENDS },  { { 0, 0 }, ARMDYN_ALARM_NONE },
    { { -1.1, 0 }, ARMDYN_ALARM_BEGINS },
  };
  struct armdyn_alarm alarm;
  armdyn_alarm_init(&alarm, threshold, 1.5);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    cr_assert_eq(armdyn_alarm_take(&alarm, 2, (double)k, rows[k].residual), rows[k].change, "row %zu", k);
    if (k != 7) continue;
    cr_assert(!alarm.on && alarm.joint == 1 && alarm.begin == 2 && alarm.end == 5 && alarm.residual == -13);
    cr_assert(alarm.peak[0] == -3 && alarm.peak[1] == -13);
  }
  cr_assert(alarm.on && alarm.joint == 0 && alarm.begin == 9 && alarm.residual == -1.1);
  cr_assert(alarm.peak[0] == -1.1 && alarm.peak[1] == 0);
}

/* Against tables of the upper limit of a Poisson mean, one-sided 95 % and 99 % (Pearson & Hartley, table 40). */
Test(collision, so_many_alarms_must_be_reckoned_with)
{
  static const struct {
    size_t count;
    double confidence, most;
  } rows[] = { { 0, 0.95, 2.996 },   { 1, 0.95, 4.744 }, { 2, 0.95, 6.296 },  { 5, 0.95, 10.513 },
               { 10, 0.95, 16.962 }, { 0, 0.99, 4.605 }, { 30, 0.95, 40.691 } };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double most = armdyn_alarms_at_most(rows[k].count, rows[k].confidence);
    cr_assert_float_eq(most, rows[k].most, 6e-4, "%zu: %g", rows[k].count, most);
  }
  /* many: half a quantile of chi squared with 2 count + 2 degrees, by Wilson and Hilferty */
  const double c = 1.0 / (9 * 5001), z = 1.6448536269514722;
  cr_assert_float_eq(armdyn_alarms_at_most(5000, 0.95), 5001 * pow(1 - c + z * sqrt(c), 3), 1e-2);
}
