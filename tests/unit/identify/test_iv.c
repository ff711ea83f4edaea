/* Instrumental variables where the truth is a closed form: a mass that slides,
 *   tau = m a + c v + rho n + e,   logged acceleration a + n,   a = A sin w t, v = -A / w cos w t over whole periods,
 * n the noise of the acceleration, of which a loop's gains make a torque of rho n, e noise of the torque. a + n is
 * correlated with the error (rho - m) n + e of its equation, the instrument a is not:
 *   least squares  m + (rho - m) s_n^2 / (A^2 / 2 + s_n^2)
 *   instruments    m, deviation sqrt(((rho - m)^2 s_n^2 + s_e^2) / (N A^2 / 2))
 * and where rho = m there is nothing for the test of Durbin, Wu and Hausman to find, however noisy the columns are. */
#include "armdyn/filter_test.h"
#include "tests/support/simulated.h"

enum { ROWS = 800, PERIODS = 10, DRAWS = SANITIZED ? 30 : 120 };
static const double MASS = 3, VISCOUS = 5, A = 2, NOISE_A = 0.5, NOISE_TAU = 0.4;

struct slide {
  struct armdyn_robot *robot;
  struct armdyn_unknowns *unknowns;
  double q[ROWS], qd[ROWS], qdd[ROWS], noisy[ROWS], tau[ROWS];
};

static void slide_open(struct slide *s)
{
  struct armdyn_robot_description d;
  armdyn_robot_description_init(&d);
  d.joint_count = 1;
  armdyn_joint_init(&d.joints[0]);
  d.joints[0].type = ARMDYN_PRISMATIC;
  d.joints[0].alpha = 0;
  d.gravity[0] = d.gravity[1] = d.gravity[2] = 0;
  d.joints[0].link = (struct armdyn_body){ 1, { 0, 0, 0 }, { 0.01, 0.01, 0.01, 0, 0, 0 } };
  cr_assert_eq(armdyn_robot_new(&d, &s->robot, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_unknowns_new(s->robot, ARMDYN_IDENTIFY_VISCOUS, ARMDYN_ROTORS_PRESENT, &s->unknowns, NULL),
               ARMDYN_OK);
  cr_assert_eq(armdyn_base_parameter_count(armdyn_unknowns_base(s->unknowns)), 2);
}

static void slide_close(struct slide *s)
{
  armdyn_unknowns_free(s->unknowns);
  armdyn_robot_free(s->robot);
}

static void draw(struct slide *s, uint64_t seed, double rho)
{
  struct dice dice = { seed };
  const double w = 2 * pi * PERIODS; /* over one second */
  for (size_t k = 0; k < ROWS; k++) {
    const double t = (double)k / ROWS, n = NOISE_A * normal(&dice), e = NOISE_TAU * normal(&dice);
    s->q[k] = -A / (w * w) * sin(w * t);
    s->qd[k] = -A / w * cos(w * t);
    s->qdd[k] = A * sin(w * t);
    s->noisy[k] = s->qdd[k] + n;
    s->tau[k] = MASS * s->qdd[k] + VISCOUS * s->qd[k] + rho * n + e;
  }
}

static struct armdyn_motion motion_of(struct slide *s, double *qdd)
{
  return (struct armdyn_motion){
    .count = ROWS, .rate = ROWS, .q = s->q, .qd = s->qd, .qdd = qdd, .tau = s->tau, .tau_raw = s->tau
  };
}

/* What one draw gives: the mass by least squares and by instruments, its deviation, and p of the test. */
struct found {
  double ols, iv, deviation, p;
};

static struct found find(struct slide *s, uint64_t seed, double rho)
{
  struct found found = { 0 };
  draw(s, seed, rho);
  struct armdyn_motion noisy = motion_of(s, s->noisy), clean = motion_of(s, s->qdd);
  const struct armdyn_source source = { ROWS, 1, read_one, &noisy }, instruments = { ROWS, 1, read_one, &clean };
  const struct armdyn_estimation estimations[2] = {
    { .estimator = ARMDYN_OLS, .free_signs = true },
    { .estimator = ARMDYN_IV, .free_signs = true, .instruments = &instruments }
  };
  const struct armdyn_base_parameters *base = armdyn_unknowns_base(s->unknowns);
  const size_t mass = armdyn_base_parameter_lead(base, 0) < 10 ? 0 : 1;
  for (int k = 0; k < 2; k++) {
    struct armdyn_error error = { "", "" };
    struct armdyn_estimate e;
    cr_assert_eq(armdyn_identify_source(s->unknowns, &source, &estimations[k], &e, &error), ARMDYN_OK, "%s",
                 error.message);
    *(k ? &found.iv : &found.ols) = e.beta[mass];
    if (k) found.deviation = e.deviation[mass];
    armdyn_estimate_free(&e);
  }
  struct armdyn_filter_test test;
  cr_assert_eq(armdyn_test_filters(s->unknowns, &source, &instruments, &test, NULL), ARMDYN_OK);
  found.p = test.p;
  return found;
}

Test(iv, is_unbiased_where_least_squares_are_not_and_says_how_well)
{
  static struct slide s;
  const double rho = -4, square = A * A / 2, error = (rho - MASS) * NOISE_A;
  const double biased = MASS + (rho - MASS) * NOISE_A * NOISE_A / (square + NOISE_A * NOISE_A);
  const double deviation = sqrt((error * error + NOISE_TAU * NOISE_TAU) / (ROWS * square));
  double ols = 0, iv = 0, squares = 0, said = 0;
  size_t rejected = 0;
  slide_open(&s);
  for (uint64_t seed = 1; seed <= DRAWS; seed++) {
    const struct found f = find(&s, seed, rho);
    ols += f.ols / DRAWS, iv += f.iv / DRAWS, said += f.deviation / DRAWS;
    squares += (f.iv - MASS) * (f.iv - MASS) / DRAWS;
    rejected += f.p < 0.05;
  }
  slide_close(&s);
  cr_log_info("ols %g (%g), iv %g (%g), deviation %g drawn, %g said, %g; %zu rejected", ols, biased, iv, MASS,
              sqrt(squares), said, deviation, rejected);
  const double mean = 4 * deviation / sqrt(DRAWS);
  cr_expect_float_eq(iv, MASS, mean, "%g, is %g", iv, MASS);
  cr_expect_float_eq(ols, biased, mean, "%g, is %g", ols, biased);
  cr_expect_lt(biased, MASS - 10 * mean);
  cr_expect_float_eq(sqrt(squares) / deviation, 1, 3 / sqrt(2.0 * DRAWS), "%g drawn", sqrt(squares) / deviation);
  cr_expect_float_eq(said / deviation, 1, 0.04, "%g said", said / deviation);
  cr_expect_eq(rejected, DRAWS);
}

/* Columns as noisy, but an error that they do not know of. */
Test(iv, the_test_has_its_size_by_instruments_without_noise)
{
  static struct slide s;
  size_t rejected = 0;
  slide_open(&s);
  for (uint64_t seed = 1; seed <= DRAWS; seed++) rejected += find(&s, 5000 + seed, MASS).p < 0.05;
  slide_close(&s);
  const double share = (double)rejected / DRAWS, three = 3 * sqrt(0.05 * 0.95 / DRAWS);
  cr_log_info("%g of %d rejected", share, DRAWS);
  cr_expect_float_eq(share, 0.05, three, "%g", share);
}

/* The columns themselves as instruments are least squares with these weights; what is of other samples, or not there, is
 * refused. */
Test(iv, by_the_columns_themselves_it_is_wls)
{
  struct known k = known_open();
  struct armdyn_motion motion = simulated_filtered(k.robot, 1, 1e-6, 0.02, 4);
  const struct armdyn_motion shorter = armdyn_motion_part(&motion, N, 0, motion.count - 1);
  const struct armdyn_source source = { motion.count, 1, read_one, &motion };
  const struct armdyn_source other = { shorter.count, 1, read_one, (void *)&shorter };
  struct armdyn_estimation estimation = { .estimator = ARMDYN_WLS };
  struct armdyn_estimate wls, iv;
  struct armdyn_error error = { "", "" };
  cr_assert_eq(armdyn_identify_source(k.unknowns, &source, &estimation, &wls, NULL), ARMDYN_OK);
  estimation.estimator = ARMDYN_IV;
  cr_expect_eq(armdyn_identify_source(k.unknowns, &source, &estimation, &iv, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "are missing"), "%s", error.message);
  estimation.instruments = &other;
  cr_expect_eq(armdyn_identify_source(k.unknowns, &source, &estimation, &iv, &error), ARMDYN_EINPUT);
  cr_expect(strstr(error.message, "other samples"), "%s", error.message);
  estimation.instruments = &source;
  cr_assert_eq(armdyn_identify_source(k.unknowns, &source, &estimation, &iv, &error), ARMDYN_OK, "%s", error.message);
  const size_t b = armdyn_base_parameter_count(armdyn_unknowns_base(k.unknowns));
  for (size_t i = 0; i < b; i++) {
    cr_expect_eq(isnan(wls.deviation[i]), isnan(iv.deviation[i]), "%zu", i);
    if (isnan(wls.deviation[i])) continue;
    /* weights are those of one more round */
    cr_expect_float_eq(iv.beta[i], wls.beta[i], 0.15 * wls.deviation[i], "%zu: %g, %g", i, iv.beta[i], wls.beta[i]);
    cr_expect_float_eq(iv.deviation[i] / wls.deviation[i], 1, 0.02, "%zu: %g, %g", i, iv.deviation[i],
                       wls.deviation[i]);
  }
  armdyn_estimate_free(&wls);
  armdyn_estimate_free(&iv);
  armdyn_motion_free(&motion);
  known_close(&k);
}
