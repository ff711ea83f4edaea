/* Loads whose truth is known, on arms whose parameters are. */
#include <criterion/criterion.h>

#include "tests/support/robots.h"

enum { JOINTS = 6, TEN = 10, SAMPLES = 6000 };
static const double rate = 200, two_pi = 6.28318530717958647692;
static const struct armdyn_body load = { 3.2, { 0.04, -0.03, 0.11 }, { 0.021, 0.017, 0.012, 0.001, -0.002, 0.0015 } };

static double normal(struct dice *dice)
{
  return sqrt(-2 * log(dice_uniform(dice, 1e-12, 1))) * cos(two_pi * dice_uniform(dice, 0, 1));
}

/* Six revolute joints with bodies, rotors and friction; its tool is away from the flange and turned. */
static struct armdyn_robot_description arm(void)
{
  static const double a[JOINTS] = { 0, -0.612, -0.5723 }, d[JOINTS] = { 0.1273, 0, 0, 0.164, 0.1157, 0.0922 };
  static const double quarters[JOINTS] = { 1, 0, 0, 1, -1, 0 }, mass[JOINTS] = { 7, 12, 4, 2, 2, 0.4 };
  struct armdyn_robot_description r;
  armdyn_robot_description_init(&r);
  r.joint_count = JOINTS;
  for (int i = 0; i < JOINTS; i++) {
    struct armdyn_joint *joint = &r.joints[i];
    armdyn_joint_init(joint);
    joint->a = a[i], joint->d = d[i], joint->alpha = quarters[i] * two_pi / 4;
    joint->link = (struct armdyn_body){ mass[i], { -a[i] / 2, 0.01, 0.02 }, { 0.02, 0.1, 0.09, 0.001, 0, 0.002 } };
    joint->drive.rotor_inertia = 1e-4, joint->drive.gear_ratio = 100;
    joint->friction.coulomb = (struct armdyn_directed){ 6.0 / (i + 1), 6.0 / (i + 1) };
    joint->friction.viscous = (struct armdyn_directed){ 8.0 / (i + 1), 8.0 / (i + 1) };
  }
  r.tool = (struct armdyn_pose){ { 0.02, -0.01, 0.15 }, { 0.3, -0.2, 0.7 } };
  return r;
}

static struct armdyn_robot *build(const struct armdyn_robot_description *d)
{
  struct armdyn_robot *robot = NULL;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_robot_new(d, &robot, &error), ARMDYN_OK, "%s %s", error.pointer, error.message);
  return robot;
}

/* A motion of sums of sines from `begin` s on, with the torques of a robot and noise of so much of their rms. */
static struct armdyn_motion moved(const struct armdyn_robot *robot, uint64_t seed, double begin, size_t count,
                                  double noise, uint64_t noise_seed)
{
  const size_t n = armdyn_robot_joint_count(robot), table = count * n;
  struct dice dice = { seed }, other = { noise_seed };
  double a[32][4], phase[32][4], square[32] = { 0 };
  struct armdyn_workspace *workspace = armdyn_workspace_new(n);
  struct armdyn_motion m = { .count = count, .rate = rate, .memory = malloc(5 * table * sizeof(double)) };
  cr_assert(m.memory && workspace);
  m.q = m.memory, m.qd = m.q + table, m.qdd = m.qd + table, m.tau = m.qdd + table, m.tau_raw = m.tau + table;
  for (size_t i = 0; i < n; i++) {
    dice_fill(&dice, a[i], 4, 0.2, 0.9);
    dice_fill(&dice, phase[i], 4, -3, 3);
  }
  for (size_t k = 0; k < count; k++) {
    const size_t row = k * n;
    for (size_t i = 0; i < n; i++) {
      m.q[row + i] = m.qd[row + i] = m.qdd[row + i] = 0;
      for (int l = 0; l < 4; l++) {
        const double w = two_pi * 0.1 * (l + 1 + 0.17 * (double)i), at = w * (begin + (double)k / rate) + phase[i][l];
        m.q[row + i] += a[i][l] * sin(at) / (l + 1);
        m.qd[row + i] += a[i][l] * w * cos(at) / (l + 1);
        m.qdd[row + i] -= a[i][l] * w * w * sin(at) / (l + 1);
      }
    }
    armdyn_inverse_dynamics(robot, m.q + row, m.qd + row, m.qdd + row, NULL, workspace, m.tau + row);
    for (size_t i = 0; i < n; i++) square[i] += m.tau[row + i] * m.tau[row + i] / (double)count;
  }
  for (size_t k = 0; k < table; k++) m.tau_raw[k] = m.tau[k] += noise * sqrt(square[k % n]) * normal(&other);
  armdyn_workspace_free(workspace);
  return m;
}

/* About the tool's origin, by Steiner: what the load's ten parameters are. */
static void truth_of(const struct armdyn_body *b, double x[TEN])
{
  const double m = b->mass, *c = b->com;
  const double all[TEN] = { m,
                            m * c[0],
                            m * c[1],
                            m * c[2],
                            b->inertia.xx + m * (c[1] * c[1] + c[2] * c[2]),
                            b->inertia.xy - m * c[0] * c[1],
                            b->inertia.yy + m * (c[0] * c[0] + c[2] * c[2]),
                            b->inertia.xz - m * c[0] * c[2],
                            b->inertia.yz - m * c[1] * c[2],
                            b->inertia.zz + m * (c[0] * c[0] + c[1] * c[1]) };
  memcpy(x, all, sizeof all);
}

static enum armdyn_status read_one(void *context, size_t index, struct armdyn_motion *motion,
                                   struct armdyn_error *error)
{
  (void)index, (void)error;
  *motion = *(struct armdyn_motion *)context;
  return ARMDYN_OK;
}

struct setting {
  struct armdyn_robot_description description;
  struct armdyn_robot *bare, *loaded;
  struct armdyn_unknowns *unknowns; /* of the arm alone */
};

static struct setting setting_open(const struct armdyn_robot_description *d, const struct armdyn_body *payload)
{
  struct setting s = { .description = *d };
  s.bare = build(d);
  struct armdyn_robot_description with = *d;
  with.payload = *payload;
  s.loaded = build(&with);
  cr_assert_eq(armdyn_unknowns_new(s.bare, 0, ARMDYN_ROTORS_PRESENT, &s.unknowns, NULL), ARMDYN_OK);
  return s;
}

static void setting_close(struct setting *s)
{
  armdyn_unknowns_free(s->unknowns);
  armdyn_robot_free(s->bare);
  armdyn_robot_free(s->loaded);
}

static struct armdyn_payload_estimate found(const struct setting *s, const struct armdyn_motion *m,
                                            enum armdyn_payload_estimator estimator)
{
  struct armdyn_motion motion = *m;
  const struct armdyn_source source = { m->count, 1, read_one, &motion };
  struct armdyn_payload_estimate out;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify_payload(s->unknowns, &source, estimator, NULL, NULL, &out, &error), ARMDYN_OK, "%s",
               error.message);
  return out;
}

/* Torques without noise have one answer. */
Test(payload, is_exact_without_noise)
{
  const struct armdyn_robot_description d = arm();
  struct setting s = setting_open(&d, &load);
  struct armdyn_motion m = moved(s.loaded, 1, 0, 1000, 0, 1);
  double truth[TEN];
  truth_of(&load, truth);
  for (int estimator = ARMDYN_PAYLOAD_WLS; estimator <= ARMDYN_PAYLOAD_CONSISTENT; estimator++) {
    const struct armdyn_payload_estimate e = found(&s, &m, (enum armdyn_payload_estimator)estimator);
    for (int k = 0; k < TEN; k++) {
      cr_expect_float_eq(e.parameters[k], truth[k], 1e-6, "%d: %g %g", k, e.parameters[k], truth[k]);
      cr_expect(e.identifiable[k]);
    }
    cr_expect(e.physical && e.rank == TEN && isfinite(e.condition));
    cr_expect_float_eq(e.body.mass, load.mass, 1e-6);
    for (int k = 0; k < 3; k++) cr_expect_float_eq(e.body.com[k], load.com[k], 1e-6);
    cr_expect_float_eq(e.body.inertia.xz, load.inertia.xz, 1e-6);
    cr_expect_eq(e.warnings.count, 0);
  }
  armdyn_motion_free(&m);
  setting_close(&s);
}

/* What the base parameters with the load predict is what a robot that holds it does. */
Test(payload, predicts_what_the_loaded_robot_does)
{
  const struct armdyn_robot_description d = arm();
  struct setting s = setting_open(&d, &load);
  struct armdyn_motion m = moved(s.loaded, 2, 0, 50, 0, 1);
  double truth[TEN], beta[128], tau[50 * JOINTS];
  truth_of(&load, truth);
  armdyn_model_base_parameters(s.unknowns, truth, beta);
  cr_assert_eq(armdyn_predict(s.unknowns, beta, &m, tau), ARMDYN_OK);
  for (size_t k = 0; k < m.count * JOINTS; k++) cr_expect_float_eq(tau[k], m.tau[k], 1e-9 * (1 + fabs(m.tau[k])));
  armdyn_motion_free(&m);
  setting_close(&s);
}

/* Each parameter and each number of the body within three of its deviations in nine of ten runs, and not within one in all
 * of them. */
Test(payload, is_within_its_deviations)
{
  enum { RUNS = 10, NUMBERS = 5 };
  const struct armdyn_robot_description d = arm();
  struct setting s = setting_open(&d, &load);
  double truth[TEN];
  size_t within[TEN] = { 0 }, beyond_one = 0, body = 0;
  truth_of(&load, truth);
  for (uint64_t run = 1; run <= RUNS; run++) {
    struct armdyn_motion m = moved(s.loaded, 3, 0, SAMPLES / 4, 0.02, 100 + run);
    const struct armdyn_payload_estimate e = found(&s, &m, ARMDYN_PAYLOAD_CONSISTENT);
    for (int k = 0; k < TEN; k++) {
      const double off = fabs(e.parameters[k] - truth[k]) / sqrt(e.covariance[k * TEN + k]);
      within[k] += off <= 3;
      beyond_one += off > 1;
    }
    const double off[NUMBERS] = { (e.body.mass - load.mass) / e.deviation.mass,
                                  (e.body.com[0] - load.com[0]) / e.deviation.com[0],
                                  (e.body.com[2] - load.com[2]) / e.deviation.com[2],
                                  (e.body.inertia.xx - load.inertia.xx) / e.deviation.inertia.xx,
                                  (e.body.inertia.yz - load.inertia.yz) / e.deviation.inertia.yz };
    for (int k = 0; k < NUMBERS; k++) body += fabs(off[k]) <= 3;
    cr_expect(e.physical);
    armdyn_motion_free(&m);
  }
  for (int k = 0; k < TEN; k++) cr_expect_geq(within[k], RUNS * 9 / 10, "%d: %zu", k, within[k]);
  cr_expect_geq(body, RUNS * NUMBERS * 9 / 10, "%zu", body);
  cr_expect(beyond_one > RUNS * TEN / 8 && beyond_one < RUNS * TEN / 2, "%zu", beyond_one);
  setting_close(&s);
}

/* A small load in much noise: least squares give a body that cannot be, the consistent estimate one that can, and its mass
 * is no worse. */
Test(payload, is_a_possible_body)
{
  static const struct armdyn_body small = { 0.3, { 0, 0, 0.03 }, { 1e-4, 1e-4, 1e-4, 0, 0, 0 } };
  const struct armdyn_robot_description d = arm();
  struct setting s = setting_open(&d, &small);
  struct armdyn_motion m = moved(s.loaded, 4, 0, 1000, 0.05, 7);
  const struct armdyn_payload_estimate free_one = found(&s, &m, ARMDYN_PAYLOAD_WLS);
  const struct armdyn_payload_estimate e = found(&s, &m, ARMDYN_PAYLOAD_CONSISTENT);
  cr_expect(!free_one.physical);
  cr_expect(e.physical && armdyn_body_check(&e.body, NULL) == ARMDYN_OK);
  cr_expect_leq(fabs(e.body.mass - small.mass), 3 * e.deviation.mass);
  armdyn_motion_free(&m);
  setting_close(&s);
}

/* A SCARA turns a load about the vertical only: mass (by the slide), the centre beside the axis and one moment of inertia
 * are all that it tells. */
Test(payload, says_what_the_arm_cannot_tell)
{
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  d.joint_count = 4;
  for (int i = 0; i < 4; i++) armdyn_joint_init(&d.joints[i]);
  d.joints[0].a = 0.4, d.joints[1].a = 0.3, d.joints[2].type = ARMDYN_PRISMATIC;
  struct setting s = setting_open(&d, &load);
  struct armdyn_motion m = moved(s.loaded, 5, 0, 1000, 0.01, 3);
  const bool told[TEN] = { true, true, true, false, false, false, false, false, false, true };
  double truth[TEN];
  truth_of(&load, truth);
  for (int estimator = ARMDYN_PAYLOAD_WLS; estimator <= ARMDYN_PAYLOAD_CONSISTENT; estimator++) {
    const struct armdyn_payload_estimate e = found(&s, &m, (enum armdyn_payload_estimator)estimator);
    for (int k = 0; k < TEN; k++) {
      cr_expect_eq(e.identifiable[k], told[k], "%d", k);
      if (told[k]) cr_expect_leq(fabs(e.parameters[k] - truth[k]), 4 * sqrt(e.covariance[k * TEN + k]));
    }
    cr_expect(e.rank == 4 && isinf(e.condition));
    cr_expect(isfinite(e.deviation.com[0]) && isnan(e.deviation.com[2]) && isnan(e.deviation.inertia.xx));
    cr_assert_eq(e.warnings.count, 1);
    cr_expect_eq(e.warnings.list[0].code, ARMDYN_WARNING_RANK_DEFICIENT);
    cr_expect(strstr(e.warnings.list[0].detail, "mz, Ixx"), "%s", e.warnings.list[0].detail);
  }
  armdyn_motion_free(&m);
  setting_close(&s);
}

Test(payload, that_is_not_there_is_said)
{
  static const struct armdyn_body none = { 0 };
  const struct armdyn_robot_description d = arm();
  struct setting s = setting_open(&d, &none);
  struct armdyn_motion m = moved(s.loaded, 6, 0, 1000, 0.02, 3);
  const struct armdyn_payload_estimate e = found(&s, &m, ARMDYN_PAYLOAD_WLS);
  cr_assert_eq(e.warnings.count, 1);
  cr_expect_eq(e.warnings.list[0].code, ARMDYN_WARNING_PAYLOAD_UNSEEN);
  armdyn_motion_free(&m);
  setting_close(&s);
}

/* A model that is wrong by a fifth in its masses and lacks its friction spoils a load that is found by it alone; the
 * difference of two runs, of which one begins 0.3173 s later, does not notice. */
Test(payload, of_two_runs_needs_no_good_model)
{
  const struct armdyn_robot_description true_arm = arm();
  struct setting real = setting_open(&true_arm, &load);
  struct armdyn_robot_description d = true_arm;
  for (int i = 0; i < JOINTS; i++) {
    d.joints[i].link.mass *= 1.2;
    d.joints[i].friction.coulomb = (struct armdyn_directed){ 0, 0 };
  }
  struct setting wrong = setting_open(&d, &load);
  struct armdyn_motion with = moved(real.loaded, 8, 0.3173, SAMPLES / 3, 0.005, 1);
  struct armdyn_motion without = moved(real.bare, 8, 0, SAMPLES / 3, 0.005, 2), difference;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_payload_difference(wrong.unknowns, &with, &without, &difference, &error), ARMDYN_OK, "%s",
               error.message);
  cr_expect_lt(difference.count, with.count);
  const struct armdyn_payload_estimate alone = found(&wrong, &with, ARMDYN_PAYLOAD_CONSISTENT);
  const struct armdyn_payload_estimate e = found(&wrong, &difference, ARMDYN_PAYLOAD_CONSISTENT);
  cr_expect_gt(fabs(alone.body.mass - load.mass), 0.3);
  cr_expect_leq(fabs(e.body.mass - load.mass), 0.02 * load.mass);
  for (int k = 0; k < 3; k++) cr_expect_leq(fabs(e.body.com[k] - load.com[k]), 0.005, "%g", e.body.com[k]);

  struct armdyn_motion other = moved(real.bare, 9, 0, 1000, 0, 1), none;
  cr_expect_eq(armdyn_payload_difference(wrong.unknowns, &with, &other, &none, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "same motion"));
  armdyn_motion_free(&other);
  armdyn_motion_free(&with);
  armdyn_motion_free(&without);
  armdyn_motion_free(&difference);
  setting_close(&real);
  setting_close(&wrong);
}

Test(payload, of_a_model_that_holds_one_is_refused)
{
  struct armdyn_robot_description d = arm();
  d.payload = load;
  struct setting s = setting_open(&d, &load);
  struct armdyn_motion m = moved(s.loaded, 1, 0, 100, 0, 1);
  const struct armdyn_source source = { m.count, 1, read_one, &m };
  struct armdyn_payload_estimate out;
  struct armdyn_error error = { "", "" };
  cr_expect_eq(armdyn_identify_payload(s.unknowns, &source, ARMDYN_PAYLOAD_WLS, NULL, NULL, &out, &error),
               ARMDYN_EINPUT);
  armdyn_motion_free(&m);
  setting_close(&s);
}
