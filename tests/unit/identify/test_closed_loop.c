/* An arm that was logged in a soft loop with noisy encoders: along the simulated loop its inertias are found, along the
 * measured positions they are not. */
#include "armdyn/control.h"
#include "armdyn/filter_test.h"
#include "tests/support/simulated.h"

enum { SAMPLES = SANITIZED ? 2500 : 5000 };
static const double RATE = 500, ENCODER = 4e-3, CUTOFF = 25;

/* Half of the stiffness with which the arm follows to a hundredth. */
static const double kp[N] = { 1500, 600, 8000, 20 }, kd[N] = { 150, 60, 600, 2 };

struct logged {
  double time[SAMPLES], clean[SAMPLES * N], q[SAMPLES * N], wanted[SAMPLES * N], tau[SAMPLES * N];
  size_t count;
};

static struct armdyn_robot *truth_of(double heavier)
{
  struct armdyn_robot *full = scara(), *robot;
  struct armdyn_robot_description d = *armdyn_robot_description(full);
  for (size_t i = 0; i < N; i++) {
    struct armdyn_joint *joint = &d.joints[i];
    joint->velocity_scale = 0.05;
    joint->friction.ripple_count = 0;
    joint->friction.high_speed = 0;
    joint->friction.stiction = NAN;
    joint->link.mass *= heavier;
    double *const inertia[] = { &joint->link.inertia.xx, &joint->link.inertia.yy, &joint->link.inertia.zz,
                                &joint->link.inertia.xy, &joint->link.inertia.xz, &joint->link.inertia.yz };
    for (size_t k = 0; k < 6; k++) *inertia[k] *= heavier;
  }
  cr_assert_eq(armdyn_robot_new(&d, &robot, NULL), ARMDYN_OK);
  armdyn_robot_free(full);
  return robot;
}

static void wanted_at(void *context, double t, double *q, double *qd, double *qdd)
{
  (void)context;
  for (size_t i = 0; i < N; i++) {
    q[i] = qd[i] = qdd[i] = 0;
    for (int l = 0; l < 5; l++) {
      const double w = 2 * pi * 0.3 * (l + 1 + 0.13 * (double)i), a = (i == 2 ? 0.1 : 0.6) / (l + 1);
      q[i] += a * sin(w * t + 1.7 * l + (double)i);
      qd[i] += a * w * cos(w * t + 1.7 * l + (double)i);
    }
  }
}

static bool take(void *context, const struct armdyn_loop_sample *sample)
{
  struct logged *log = context;
  if (log->count == SAMPLES) return false;
  log->time[log->count] = sample->plant->t;
  memcpy(log->clean + log->count * N, sample->plant->q, N * sizeof(double));
  memcpy(log->wanted + log->count * N, sample->wanted, N * sizeof(double));
  memcpy(log->tau + log->count * N, sample->tau, N * sizeof(double));
  log->count++;
  return true;
}

static void log_in_loop(const struct armdyn_robot *robot, struct logged *log)
{
  struct armdyn_control control = { .law = ARMDYN_LAW_PID, .period = 1 / RATE };
  double q[N], qd[N], qdd[N];
  struct armdyn_error error = { "", "" };
  struct dice dice = { 11 };
  wanted_at(NULL, 0, q, qd, qdd);
  for (size_t i = 0; i < N; i++) {
    control.gains.kp[i] = kp[i];
    control.gains.kd[i] = kd[i];
    control.torque_limit[i] = INFINITY;
  }
  const struct armdyn_loop loop = { .model = robot,
                                    .plant = robot,
                                    .control = &control,
                                    .reference = wanted_at,
                                    .plant_motion = { .q = q, .qd = qd, .duration = SAMPLES / RATE } };
  log->count = 0;
  const enum armdyn_status status = armdyn_loop_simulate(&loop, take, log, NULL, &error);
  cr_assert(status == ARMDYN_OK || status == ARMDYN_ECANCELLED, "%s", error.message);
  cr_assert_eq(log->count, SAMPLES);
  for (size_t k = 0; k < SAMPLES * N; k++) log->q[k] = log->clean[k] + (k % N == 2 ? 0.1 : 1) * ENCODER * normal(&dice);
}

static struct armdyn_motion conditioned(const struct logged *log, const double *q)
{
  const struct armdyn_log raw = { .count = SAMPLES, .time = log->time, .q = q, .tau = log->tau };
  const struct armdyn_conditioning c = { .position_cutoff = CUTOFF, .torque_cutoff = CUTOFF, .trim = 0.2 };
  struct armdyn_motion motion;
  cr_assert_eq(armdyn_condition(N, &raw, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

/* How far the torques of what was found are from the truth's along the path that the arm had in truth: of all joints, and the
 * most of one, relative. */
static double worst(const struct armdyn_unknowns *u, const double *beta, const struct armdyn_robot *truth,
                    const struct armdyn_motion *clean)
{
  double most = 0, *tau = malloc(2 * clean->count * N * sizeof *tau), *own = tau + clean->count * N;
  struct armdyn_workspace *workspace = armdyn_workspace_new(N);
  struct armdyn_fit joints[N], together;
  cr_assert_eq(armdyn_predict(u, beta, clean, tau), ARMDYN_OK);
  for (size_t k = 0; k < clean->count; k++)
    armdyn_inverse_dynamics(truth, clean->q + k * N, clean->qd + k * N, clean->qdd + k * N, NULL, workspace,
                            own + k * N);
  armdyn_fit(clean->count, N, own, tau, joints, &together);
  for (size_t i = 0; i < N; i++) {
    cr_log_info("joint %zu: %.3f %%", i + 1, 100 * joints[i].relative);
    most = fmax(most, joints[i].relative);
  }
  armdyn_workspace_free(workspace);
  free(tau);
  return most;
}

Test(closed_loop, noise_of_positions_biases_nothing)
{
  static struct logged log;
  struct armdyn_robot *truth = truth_of(1), *model = truth_of(1.3);
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate plain, didim;
  struct armdyn_closed_loop told;
  struct armdyn_error error = { "", "" };
  log_in_loop(truth, &log);
  struct armdyn_motion measured = conditioned(&log, log.q), wanted = conditioned(&log, log.wanted);
  struct armdyn_motion clean = conditioned(&log, log.clean);
  const struct armdyn_source source = { measured.count, 1, read_one, &measured };
  const struct armdyn_source reference = { wanted.count, 1, read_one, &wanted };
  const struct armdyn_known_loop loop = { kp, kd, &reference };
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_DIDIM };
  cr_assert_eq(armdyn_unknowns_new(model, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_source(unknowns, &source, &estimation, &plain, &error), ARMDYN_OK, "%s", error.message);
  cr_assert_eq(armdyn_identify_in_loop(model, unknowns, &source, &loop, &estimation, &didim, &told, &error), ARMDYN_OK,
               "%s", error.message);
  const double along_path = worst(unknowns, plain.beta, truth, &clean);
  const double in_loop = worst(unknowns, didim.beta, truth, &clean);
  cr_log_info("%g along the path, %g in the loop, %zu rounds, path %g %g %g %g", along_path, in_loop, told.rounds,
              told.path[0], told.path[1], told.path[2], told.path[3]);
  cr_expect_lt(in_loop, 0.01, "%g", in_loop);
  cr_expect_gt(along_path, 20 * in_loop, "%g and %g", along_path, in_loop);
  cr_expect(told.settled && told.rounds <= 8, "%zu rounds", told.rounds);
  /* what the filter leaves of the encoder's noise: its share of half the rate */
  const double noise = ENCODER * sqrt(2 * CUTOFF / RATE);
  for (size_t i = 0; i < N; i++)
    cr_expect(told.path[i] > 0.5 * noise * (i == 2 ? 0.1 : 1) && told.path[i] < 1.5 * noise * (i == 2 ? 0.1 : 1),
              "joint %zu: %g, noise %g", i + 1, told.path[i], noise);
  armdyn_estimate_free(&plain);
  armdyn_estimate_free(&didim);
  armdyn_unknowns_free(unknowns);
  armdyn_motion_free(&measured);
  armdyn_motion_free(&wanted);
  armdyn_motion_free(&clean);
  armdyn_robot_free(truth);
  armdyn_robot_free(model);
}

/* -- instruments of the loop -- */

static const double FINE =
    5e-4; /* rad, of encoders whose noise of the velocity is less than that over which friction jumps */

/* The loop, logged once, and its path with an arm that is a little off: instruments. */
struct looped {
  struct logged log;
  struct armdyn_robot *truth, *model;
  struct armdyn_unknowns *unknowns;
  struct armdyn_motion wanted, clean;
  struct armdyn_source reference, path;
  struct armdyn_known_loop loop;
  struct armdyn_loop_path *made;
  struct armdyn_source instruments;
};

static void looped_open(struct looped *l)
{
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_DIDIM };
  struct armdyn_estimate first;
  struct armdyn_closed_loop told;
  l->truth = truth_of(1), l->model = truth_of(1.3);
  log_in_loop(l->truth, &l->log);
  l->wanted = conditioned(&l->log, l->log.wanted), l->clean = conditioned(&l->log, l->log.clean);
  l->reference = (struct armdyn_source){ l->wanted.count, 1, read_one, &l->wanted };
  l->path = (struct armdyn_source){ l->clean.count, 1, read_one, &l->clean };
  l->loop = (struct armdyn_known_loop){ kp, kd, &l->reference };
  cr_assert_eq(armdyn_unknowns_new(l->model, 0, ARMDYN_ROTORS_ALL, &l->unknowns, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_identify_in_loop(l->model, l->unknowns, &l->path, &l->loop, &estimation, &first, &told, NULL),
               ARMDYN_OK);
  cr_assert_eq(armdyn_loop_path_new(l->model, l->unknowns, &first, &l->path, &l->loop, &l->made, NULL), ARMDYN_OK);
  l->instruments = armdyn_loop_path_source(l->made);
  armdyn_estimate_free(&first);
}

static void looped_close(struct looped *l)
{
  armdyn_loop_path_free(l->made);
  armdyn_unknowns_free(l->unknowns);
  armdyn_motion_free(&l->wanted);
  armdyn_motion_free(&l->clean);
  armdyn_robot_free(l->truth);
  armdyn_robot_free(l->model);
}

/* The log once more with other noise: of encoders, of which the gains make a torque, and of the torques. */
static struct armdyn_motion drawn(const struct looped *l, uint64_t seed, double encoder)
{
  static double q[SAMPLES * N], tau[SAMPLES * N];
  const struct armdyn_log raw = { .count = SAMPLES, .time = l->log.time, .q = q, .tau = tau };
  const struct armdyn_conditioning c = { .position_cutoff = CUTOFF, .torque_cutoff = CUTOFF, .trim = 0.2 };
  struct dice dice = { seed };
  struct armdyn_motion motion;
  for (size_t k = 0; k < SAMPLES * N; k++) {
    const double off = (k % N == 2 ? 0.1 : 1) * encoder * normal(&dice);
    q[k] = l->log.clean[k] + off;
    const double applied = (l->log.tau[k] + l->log.tau[k < N ? k : k - N]) / 2; /* about the sample, of held torques */
    tau[k] = applied - kp[k % N] * off + (k % N == 3 ? 0.05 : 1) * normal(&dice);
  }
  cr_assert_eq(armdyn_condition(N, &raw, &c, &motion, NULL), ARMDYN_OK);
  return motion;
}

struct draws {
  double count, mean[64], squares[64], said[64], wls[64]; /* said: squares of deviations */
};

static void add_draw(struct draws *d, const struct looped *l, const struct armdyn_source *source)
{
  const size_t b = armdyn_base_parameter_count(armdyn_unknowns_base(l->unknowns));
  for (int k = 0; k < 2; k++) {
    const struct armdyn_estimation estimation = { .estimator = k ? ARMDYN_IV : ARMDYN_WLS,
                                                  .free_signs = true,
                                                  .instruments = k ? &l->instruments : NULL };
    struct armdyn_estimate e;
    struct armdyn_error error = { "", "" };
    cr_assert_eq(armdyn_identify_source(l->unknowns, source, &estimation, &e, &error), ARMDYN_OK, "%s", error.message);
    for (size_t i = 0; i < b; i++) {
      if (!k) d->wls[i] += e.beta[i];
      if (!k) continue;
      d->mean[i] += e.beta[i];
      d->squares[i] += e.beta[i] * e.beta[i];
      d->said[i] += e.deviation[i] * e.deviation[i];
    }
    armdyn_estimate_free(&e);
  }
  d->count++;
}

/* The SCARA along the loop that it was logged in: the mean over repeated draws is the truth within one deviation, for what is
 * not linear in the noise stays; weighted least squares are far off in the same draws. Deviations are not smaller than those
 * that the draws have, and at most three times as large: differentiated noise has no power where the motion is. */
Test(iv, over_draws_of_a_soft_loop_is_the_truth_and_says_how_well)
{
  static struct looped l;
  static struct draws d;
  struct armdyn_unknowns *of_truth;
  looped_open(&l);
  for (int k = 0; k < (getenv("ARMDYN_SOAK") ? 200 : SANITIZED ? 8 : 24); k++) {
    struct armdyn_motion motion = drawn(&l, 100 + (uint64_t)k, FINE);
    const struct armdyn_source source = { motion.count, 1, read_one, &motion };
    add_draw(&d, &l, &source);
    armdyn_motion_free(&motion);
  }
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(l.unknowns);
  cr_assert_eq(armdyn_unknowns_new(l.truth, 0, ARMDYN_ROTORS_ALL, &of_truth, NULL), ARMDYN_OK);
  const double *truths = armdyn_unknowns_prior(of_truth), chance = 3 / sqrt(2 * d.count);
  const double most = SANITIZED ? 8 : 3; /* windows are a share of the log, which is shorter there */
  double worst_wls = 0;
  for (size_t i = 0; i < armdyn_base_parameter_count(base); i++) {
    const double mean = d.mean[i] / d.count, said = sqrt(d.said[i] / d.count);
    const double spread = sqrt(fmax(d.squares[i] / d.count - mean * mean, 0) * d.count / (d.count - 1));
    double truth = 0;
    for (size_t k = 0; k < armdyn_unknowns_standard_count(of_truth); k++)
      truth += armdyn_base_parameter_coefficients(base, i)[k] * truths[k];
    cr_log_info("%zu: truth %.5g, iv %.5g, wls %.5g; deviation %.3g drawn, %.3g said", i, truth, mean,
                d.wls[i] / d.count, spread, said);
    cr_expect_float_eq(mean, truth, said + 3 * spread / sqrt(d.count), "%zu: %g, is %g", i, mean, truth);
    cr_expect(said / spread > 1 - chance && said / spread < most * (1 + chance), "%zu: %g drawn, %g said", i, spread,
              said);
    worst_wls = fmax(worst_wls, fabs(d.wls[i] / d.count - truth) / said);
  }
  cr_expect_gt(worst_wls, 5, "%g", worst_wls);
  armdyn_unknowns_free(of_truth);
  looped_close(&l);
}

/* By instruments of the loop the test of Durbin, Wu and Hausman leaves encoders alone whose noise does no harm, and finds
 * the noise that both filters of the measured path would let through. */
Test(iv, the_test_by_a_loop_has_its_size_and_finds_noise)
{
  static struct looped l;
  const int draws = getenv("ARMDYN_SOAK") ? 400 : SANITIZED ? 6 : 24;
  int wrong = 0, found = 0;
  looped_open(&l);
  for (int d = 0; d < draws; d++)
    for (int k = 0; k < 2; k++) {
      struct armdyn_motion motion = drawn(&l, 9000 + (uint64_t)d, k ? FINE : 1e-7);
      const struct armdyn_source source = { motion.count, 1, read_one, &motion };
      struct armdyn_filter_test test;
      cr_assert_eq(armdyn_test_filters(l.unknowns, &source, &l.instruments, &test, NULL), ARMDYN_OK);
      *(k ? &found : &wrong) += test.p < 0.05;
      armdyn_motion_free(&motion);
    }
  cr_log_info("%d and %d of %d rejected", wrong, found, draws);
  cr_expect_leq(wrong, draws * 0.05 + 3 * sqrt(draws * 0.05 * 0.95), "%d of %d", wrong, draws);
  cr_expect_eq(found, draws, "%d of %d", found, draws);
  looped_close(&l);
}

/* A reference of other samples, and gains that make the loop of a sampled controller fly apart. */
Test(closed_loop, refuses_what_is_no_loop_of_the_log)
{
  static struct logged log;
  struct armdyn_robot *truth = truth_of(1);
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  struct armdyn_closed_loop told;
  struct armdyn_error error = { "", "" };
  static const double wild[N] = { 1e9, 1e9, 1e9, 1e9 };
  log_in_loop(truth, &log);
  struct armdyn_motion measured = conditioned(&log, log.q), wanted = conditioned(&log, log.wanted);
  struct armdyn_motion shorter = armdyn_motion_part(&wanted, N, 0, wanted.count - 5);
  shorter.after = 0;
  const struct armdyn_source source = { measured.count, 1, read_one, &measured };
  const struct armdyn_source reference = { wanted.count, 1, read_one, &wanted },
                             other = { shorter.count, 1, read_one, &shorter };
  const struct armdyn_known_loop loops[2] = { { kp, kd, &other }, { wild, wild, &reference } };
  static const char *const said[2] = { "reference of block 1", "Look at the gains" };
  const struct armdyn_estimation estimation = { .estimator = ARMDYN_DIDIM };
  cr_assert_eq(armdyn_unknowns_new(truth, 0, ARMDYN_ROTORS_ALL, &unknowns, NULL), ARMDYN_OK);
  for (int k = 0; k < 2; k++) {
    cr_expect_eq(armdyn_identify_in_loop(truth, unknowns, &source, &loops[k], &estimation, &estimate, &told, &error),
                 ARMDYN_EINPUT);
    cr_expect(strstr(error.message, said[k]), "%s", error.message);
  }
  armdyn_unknowns_free(unknowns);
  armdyn_motion_free(&measured);
  armdyn_motion_free(&wanted);
  armdyn_robot_free(truth);
}
