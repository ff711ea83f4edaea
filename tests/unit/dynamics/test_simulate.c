/* Motion in time against what is known without integrating: energy, momentum, the pendulum's period, a given motion. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { N = ARMDYN_JOINTS_MAX };

static const struct armdyn_load frictionless = { .frictionless = true };

struct run {
  struct armdyn_robot_description description;
  struct armdyn_robot *robot;
  struct armdyn_workspace *workspace;
  size_t n, samples;
  struct armdyn_simulation_sample first, last;
  double q[N], qd[N];
  double peak_kinetic, energy_drift, momentum_drift;
  double conserved, end_q[N], end_qd[N];
};

static void run_open(struct run *run)
{
  struct armdyn_error error = { 0 };
  cr_assert_eq(armdyn_robot_new(&run->description, &run->robot, &error), ARMDYN_OK, "%s", error.message);
  run->n = run->description.joint_count;
  run->workspace = armdyn_workspace_new(run->n);
  run->samples = 0;
  run->peak_kinetic = run->energy_drift = run->momentum_drift = 0;
}

static void run_close(struct run *run)
{
  armdyn_robot_free(run->robot);
  armdyn_workspace_free(run->workspace);
}

/* Momentum along or about axis 1, which is the base's z in DH; the rotor of joint 1 turns with the joint. */
static double first_momentum(const struct run *run, const struct armdyn_simulation_sample *sample)
{
  const struct armdyn_joint *joint = &run->description.joints[0];
  const double ratio = joint->drive.gear_ratio, rotor = ratio * ratio * joint->drive.rotor_inertia;
  return sample->momentum[joint->type == ARMDYN_PRISMATIC ? 5 : 2] + rotor * sample->qd[0];
}

static bool watch(void *context, const struct armdyn_simulation_sample *sample)
{
  struct run *run = context;
  const double momentum = first_momentum(run, sample);
  if (run->samples++ == 0) {
    run->first = *sample;
    run->conserved = momentum;
  }
  const double energy = sample->kinetic + sample->potential - run->first.kinetic - run->first.potential;
  run->energy_drift = fmax(run->energy_drift, fabs(energy));
  run->momentum_drift = fmax(run->momentum_drift, fabs(momentum - run->conserved));
  run->peak_kinetic = fmax(run->peak_kinetic, sample->kinetic);
  run->last = *sample;
  memcpy(run->end_q, sample->q, run->n * sizeof *sample->q);
  memcpy(run->end_qd, sample->qd, run->n * sizeof *sample->qd);
  return true;
}

static enum armdyn_status simulate(struct run *run, struct armdyn_simulation *request, struct armdyn_error *error)
{
  long steps = 0;
  request->q = run->q;
  request->qd = run->qd;
  if (!request->load) request->load = &frictionless;
  return armdyn_simulate(run->robot, request, watch, run, run->workspace, &steps, error);
}

/* ---- Laws of free motion, 10 s */

static void free_motion(struct run *run, const char *name)
{
  struct armdyn_simulation request = { .duration = 10, .sample_period = 0.25 };
  struct armdyn_error error = { 0 };
  cr_assert_eq(simulate(run, &request, &error), ARMDYN_OK, "%s: %s", name, error.message);
  cr_assert_eq(run->samples, 41);
  cr_assert_eq(run->last.t, 10);
  cr_assert_leq(run->energy_drift, 1e-9 * run->peak_kinetic, "%s: energy drifts by %g of %g J", name, run->energy_drift,
                run->peak_kinetic);
}

Test(simulate, free_arms_keep_their_energy)
{
  static const char *const files[] = { "puma560", "scara", "prismatic_dh", "prismatic_mdh" };
  static struct run run;
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    struct dice dice = { 40 + k };
    char path[128];
    snprintf(path, sizeof path, "tests/data/vectors/%s.json", files[k]);
    cJSON *json = json_load(path);
    description_from_json(cJSON_GetObjectItemCaseSensitive(json, "robot"), &run.description);
    cJSON_Delete(json);
    /* slides have no stops here: they would fall for 10 s */
    if (k > 0) memset(run.description.gravity, 0, sizeof run.description.gravity);
    run_open(&run);
    dice_fill(&dice, run.q, run.n, -1, 1);
    dice_fill(&dice, run.qd, run.n, -0.5, 0.5);
    free_motion(&run, files[k]);
    run_close(&run);
  }
}

/* Gravity along axis 1, or none where that is a slide: nothing turns or pushes the whole arm but joint 1, which is free. */
Test(simulate, free_arms_keep_their_momentum)
{
  static struct run run;
  for (size_t n = 1; n <= 6; n++) {
    struct dice dice = { 50 + n };
    random_description(&dice, &run.description, n, ARMDYN_DH);
    run.description.has_transmission = false;
    for (size_t i = 1; i < n; i++) run.description.joints[i].type = ARMDYN_REVOLUTE;
    const bool slides = run.description.joints[0].type == ARMDYN_PRISMATIC;
    memcpy(run.description.gravity, (double[3]){ 0, 0, slides ? 0 : -9.81 }, sizeof run.description.gravity);
    run_open(&run);
    dice_fill(&dice, run.q, n, -1, 1);
    dice_fill(&dice, run.qd, n, -1, 1);
    free_motion(&run, "random");
    cr_assert_leq(run.momentum_drift, 1e-9 * fmax(1, fabs(run.conserved)), "%zu joints: %g", n, run.momentum_drift);
    run_close(&run);
  }
}

/* ---- Known motions */

/* m = 2 kg at 0.7 m under gravity along x, released at 2 rad: the period is 2 pi sqrt(l/g) / agm(1, cos 1). */
static double pendulum(struct run *run)
{
  double a = 1, b = cos(1.0);
  armdyn_robot_description_init(&run->description);
  run->description.joint_count = 1;
  run->description.joints[0].a = 0.7;
  run->description.joints[0].link.mass = 2;
  memcpy(run->description.gravity, (double[3]){ 9.81, 0, 0 }, sizeof run->description.gravity);
  run_open(run);
  run->q[0] = 2;
  run->qd[0] = 0;
  for (int k = 0; k < 8; k++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * acos(-1) * sqrt(0.7 / 9.81) / a;
}

Test(simulate, pendulum_comes_back_after_its_period)
{
  static struct run run;
  const double period = pendulum(&run);
  struct armdyn_simulation request = { .duration = period, .sample_period = period / 4 };
  cr_assert_eq(simulate(&run, &request, NULL), ARMDYN_OK);
  cr_assert_eq(run.samples, 5);
  cr_assert_float_eq(run.end_q[0], 2, 1e-9);
  cr_assert_float_eq(run.end_qd[0], 0, 1e-9);
  run_close(&run);
}

/* The error of a pair of order 8 falls by 2^8 when the step is halved; order 7 would be 2^7. Judged at the bottom, where energy
 * gives the velocity: after a whole swing the errors of its halves cancel. */
Test(simulate, fixed_0Lhave_order_eight)
{
  static struct run run;
  const double bottom = pendulum(&run) / 4, velocity = -sqrt(2 * 9.81 / 0.7 * (1 - cos(2.0)));
  double error[2];
  for (int k = 0; k < 2; k++) {
    struct armdyn_simulation request = { .duration = bottom, .sample_period = bottom, .fixed_step = bottom / (8 << k) };
    long steps = 0;
    request.q = run.q;
    request.qd = run.qd;
    request.load = &frictionless;
    cr_assert_eq(armdyn_simulate(run.robot, &request, watch, &run, run.workspace, &steps, NULL), ARMDYN_OK);
    cr_assert_eq(steps, 8 << k);
    error[k] = hypot(run.end_q[0], run.end_qd[0] - velocity);
  }
  cr_assert(error[0] < 1e-7 && error[0] / error[1] > 200 && error[0] / error[1] < 400, "%g, %g", error[0], error[1]);
  run_close(&run);
}

/* ---- Forces of time alone, of which Fehlberg's pair of order 8(7) sees no error */

static void wave(void *context, double t, const double *q, const double *qd, double *tau)
{
  (void)context, (void)q, (void)qd;
  tau[0] = 2 * cos(50 * t);
}

/* m = 2 kg on a slide without gravity: qd = sin(50 t) / 50, q = (1 - cos(50 t)) / 2500. */
Test(simulate, a_force_of_time_alone_is_followed)
{
  static struct run run;
  armdyn_robot_description_init(&run.description);
  run.description.joint_count = 1;
  run.description.joints[0].type = ARMDYN_PRISMATIC;
  run.description.joints[0].link.mass = 2;
  memset(run.description.gravity, 0, sizeof run.description.gravity);
  run_open(&run);
  run.q[0] = run.qd[0] = 0;
  for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
    struct armdyn_simulation request = { .duration = 3, .sample_period = 3, .torque = wave };
    request.relative_tolerance = request.absolute_tolerance = tolerance;
    cr_assert_eq(simulate(&run, &request, NULL), ARMDYN_OK);
    cr_assert_float_eq(run.end_q[0], (1 - cos(150.0)) / 2500, 10 * tolerance, "%g: %g", tolerance, run.end_q[0]);
    cr_assert_float_eq(run.end_qd[0], sin(150.0) / 50, 10 * tolerance, "%g: %g", tolerance, run.end_qd[0]);
  }
  run_close(&run);
}

/* The torque that inverse dynamics asks for a motion makes that motion, friction, wrench and all. */
struct given {
  const struct run *run;
  const struct armdyn_load *load;
};

static void given_motion(double t, size_t n, double *q, double *qd, double *qdd)
{
  for (size_t i = 0; i < n; i++) {
    const double w = 1 + 0.3 * (double)i;
    q[i] = 0.4 * sin(w * t);
    qd[i] = 0.4 * w * cos(w * t);
    qdd[i] = -0.4 * w * w * sin(w * t);
  }
}

static void given_torque(void *context, double t, const double *q, const double *qd, double *tau)
{
  const struct given *given = context;
  double x[N], v[N], a[N];
  (void)q, (void)qd;
  given_motion(t, given->run->n, x, v, a);
  armdyn_inverse_dynamics(given->run->robot, x, v, a, given->load, given->run->workspace, tau);
}

Test(simulate, a_given_torque_makes_its_motion)
{
  static struct run run;
  double q[N], qd[N], qdd[N];
  const double wrench[6] = { 1, -2, 3, -4, 5, -6 };
  for (int fixed = 0; fixed < 2; fixed++) {
    struct dice dice = { 60 };
    random_description(&dice, &run.description, 3, ARMDYN_FRAMES);
    for (int i = 0; i < 3; i++) run.description.joints[i].velocity_scale = 0.5; /* smooth friction */
    run_open(&run);
    const struct armdyn_load load = { wrench, ARMDYN_WRENCH_BASE, false };
    const struct given given = { &run, &load };
    struct armdyn_simulation request = { .duration = 1, .sample_period = 0.3, .load = &load };
    request.torque = given_torque;
    request.torque_context = (void *)&given;
    request.fixed_step = fixed ? 1e-3 : 0;
    given_motion(0, 3, run.q, run.qd, qdd);
    cr_assert_eq(simulate(&run, &request, NULL), ARMDYN_OK);
    cr_assert_eq(run.samples, 5); /* 0, 0.3, 0.6, 0.9, 1 */
    given_motion(1, 3, q, qd, qdd);
    for (int i = 0; i < 3; i++) {
      cr_assert_float_eq(run.end_q[i], q[i], 1e-8);
      cr_assert_float_eq(run.end_qd[i], qd[i], 1e-8);
    }
    run_close(&run);
  }
}

/* ---- What does not work is told. */

static bool two_samples(void *context, const struct armdyn_simulation_sample *sample)
{
  (void)sample;
  return ++*(int *)context < 2;
}

static void runaway(void *context, double t, const double *q, const double *qd, double *tau)
{
  (void)context, (void)t, (void)qd;
  tau[0] = q[0] * q[0] * 1e3; /* infinite within a second */
}

Test(simulate, faults_are_told_with_their_time)
{
  static struct run run;
  struct armdyn_error error;
  int samples = 0;
  pendulum(&run);
  struct armdyn_simulation request = { .duration = 1, .sample_period = 0.1, .steps_max = 5 };
  cr_assert_eq(simulate(&run, &request, &error), ARMDYN_ELIMIT);
  cr_assert_str_eq(error.pointer, "/steps_max");
  request.steps_max = 0;
  cr_assert_eq(armdyn_simulate(run.robot, &request, two_samples, &samples, run.workspace, NULL, &error),
               ARMDYN_ECANCELLED);
  cr_assert_eq(samples, 2);
  request.torque = runaway;
  cr_assert_eq(simulate(&run, &request, &error), ARMDYN_ELIMIT, "%s", error.message);
  request.torque = NULL;
  request.duration = NAN;
  cr_assert_eq(simulate(&run, &request, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/duration");
  request.duration = 1;
  run.q[0] = INFINITY;
  cr_assert_eq(simulate(&run, &request, &error), ARMDYN_EINPUT);
  cr_assert_str_eq(error.pointer, "/q");
  run_close(&run);
  run.description.joints[0].link.mass = 0;
  run.q[0] = 0;
  run_open(&run);
  cr_assert_eq(simulate(&run, &request, &error), ARMDYN_ESINGULAR);
  run_close(&run);
}
