/* Noise that is drawn like residuals, shares and their intervals, and how a study counts. */
#include "armdyn/study.h"

#include "tests/support/simulated.h"

enum { SAMPLES_DRAWN = 40000, COLUMNS = 2 };

/* AR(2) noise of known numbers in two columns that are correlated at a moment; what is drawn from a fit to it has its
 * correlations, by Yule and Walker's equations: rho_1 = a_1 / (1 - a_2), rho_2 = a_1 rho_1 + a_2. */
static const double a1 = 1.2, a2 = -0.5, together = 0.6;

static void make_residuals(double *e)
{
  struct dice dice = { 11 };
  for (size_t k = 0; k < SAMPLES_DRAWN; k++) {
    const double first = normal(&dice), second = together * first + sqrt(1 - together * together) * normal(&dice);
    const double fresh[COLUMNS] = { first, 2 * second };
    for (size_t j = 0; j < COLUMNS; j++) {
      double *at = e + k * COLUMNS + j;
      *at = fresh[j];
      if (k > 1) *at += a1 * at[-COLUMNS] + a2 * at[-2 * COLUMNS];
    }
  }
}

static double correlation(const double *x, const double *y, size_t lag)
{
  double xy = 0, xx = 0, yy = 0;
  for (size_t k = lag; k < SAMPLES_DRAWN; k++) {
    xy += x[k * COLUMNS] * y[(k - lag) * COLUMNS];
    xx += x[k * COLUMNS] * x[k * COLUMNS];
    yy += y[(k - lag) * COLUMNS] * y[(k - lag) * COLUMNS];
  }
  return xy / sqrt(xx * yy);
}

static double deviation_of(const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < SAMPLES_DRAWN; k++) sum += x[k * COLUMNS] * x[k * COLUMNS] / SAMPLES_DRAWN;
  return sqrt(sum);
}

Test(study, noise_is_like_the_residuals)
{
  static double e[SAMPLES_DRAWN * COLUMNS], drawn[SAMPLES_DRAWN * COLUMNS];
  const double rho1 = a1 / (1 - a2), rho2 = a1 * rho1 + a2;
  const double power = 1 / (1 - a1 * rho1 - a2 * rho2); /* of the noise against that of what is fresh */
  const double slow = 1 / ((1 - a1 - a2) * (1 - a1 - a2)) / power;
  struct armdyn_noise *noise;
  make_residuals(e);
  /* in two stretches, between which nothing is learnt */
  const struct armdyn_residuals stretches[] = { { 15000, e }, { SAMPLES_DRAWN - 15000, e + 15000 * COLUMNS } };
  cr_assert_eq(armdyn_noise_fit(COLUMNS, stretches, 2, &noise, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_noise_draw(noise, 5, SAMPLES_DRAWN, drawn), ARMDYN_OK);
  for (size_t j = 0; j < COLUMNS; j++) {
    cr_expect_float_eq(armdyn_noise_deviation(noise, j) / (sqrt(power) * (double)(j + 1)), 1, 0.03);
    cr_expect_float_eq(deviation_of(drawn + j) / (sqrt(power) * (double)(j + 1)), 1, 0.03);
    cr_expect_float_eq(armdyn_noise_correlation(noise, j) / slow, 1, 0.15);
    cr_expect_float_eq(correlation(drawn + j, drawn + j, 1), rho1, 0.02);
    cr_expect_float_eq(correlation(drawn + j, drawn + j, 2), rho2, 0.03);
    cr_expect_geq(armdyn_noise_order(noise, j), 2);
    cr_expect_leq(armdyn_noise_order(noise, j), 6);
  }
  cr_expect_float_eq(correlation(drawn, drawn + 1, 0), together, 0.03);
  double again[COLUMNS * 10];
  cr_assert_eq(armdyn_noise_draw(noise, 5, 10, again), ARMDYN_OK);
  cr_expect_arr_eq(again, drawn, sizeof again);
  armdyn_noise_free(noise);
}

/* A joint without residuals, and one that always errs with another, have noise of nothing, and of the other's. */
Test(study, noise_of_columns_that_are_no_noise)
{
  static double e[1000 * 3], drawn[1000 * 3];
  struct dice dice = { 3 };
  struct armdyn_noise *noise;
  struct armdyn_error error;
  for (size_t k = 0; k < 1000; k++) e[3 * k + 2] = -(e[3 * k] = normal(&dice));
  const struct armdyn_residuals all = { 1000, e }, few = { 15, e };
  cr_assert_eq(armdyn_noise_fit(3, &all, 1, &noise, NULL), ARMDYN_OK);
  cr_assert_eq(armdyn_noise_draw(noise, 1, 1000, drawn), ARMDYN_OK);
  for (size_t k = 0; k < 1000; k++) {
    cr_expect_eq(drawn[3 * k + 1], 0);
    cr_expect_float_eq(drawn[3 * k + 2], -drawn[3 * k], 1e-9);
  }
  armdyn_noise_free(noise);
  cr_expect_eq(armdyn_noise_fit(3, &few, 1, &noise, &error), ARMDYN_EINPUT);
  cr_expect_null(noise);
}

/* Of the binomial distribution: 1 - (1 - p)^n of one hit or more, p^n of hits alone; and what tables of Clopper and Pearson's
 * intervals have for 8 of 10 (0.4439, 0.9748) and 95 of 100 (0.8872, 0.9836). */
Test(study, binomial_shares)
{
  struct armdyn_share share = armdyn_binomial_share(0, 20, 0.95);
  cr_expect_eq(share.low, 0);
  cr_expect_float_eq(share.high, 1 - pow(0.025, 1.0 / 20), 1e-9);
  share = armdyn_binomial_share(20, 20, 0.95);
  cr_expect_float_eq(share.low, pow(0.025, 1.0 / 20), 1e-9);
  cr_expect_eq(share.high, 1);
  share = armdyn_binomial_share(8, 10, 0.95);
  cr_expect_float_eq(share.low, 0.4439, 5e-5);
  cr_expect_float_eq(share.high, 0.9748, 5e-5);
  share = armdyn_binomial_share(95, 100, 0.95);
  cr_expect_float_eq(share.low, 0.8872, 5e-5);
  cr_expect_float_eq(share.high, 0.9836, 5e-5);
  cr_expect(isnan(armdyn_binomial_share(0, 0, 0.95).value));
}

/* -- counting: estimates whose numbers are drawn -- */

struct drawn {
  struct armdyn_unknowns *unknowns;
  struct armdyn_estimate estimate;
  size_t b;
};

static void open_drawn(const struct armdyn_robot *robot, unsigned friction, struct drawn *d)
{
  cr_assert_eq(armdyn_unknowns_new(robot, friction, ARMDYN_ROTORS_ALL, &d->unknowns, NULL), ARMDYN_OK);
  d->b = armdyn_base_parameter_count(armdyn_unknowns_base(d->unknowns));
  d->estimate = (struct armdyn_estimate){ .beta = calloc(d->b, sizeof(double)),
                                          .deviation = calloc(d->b, sizeof(double)),
                                          .covariance = calloc(d->b * d->b, sizeof(double)) };
}

static void close_drawn(struct drawn *d)
{
  free(d->estimate.beta);
  free(d->estimate.deviation);
  free(d->estimate.covariance);
  armdyn_unknowns_free(d->unknowns);
}

/* All errors normal, of deviation 2; half of that is stated: 68 % within one deviation of the truth become P(|z| < 0.5) =
 * 38.3 %, 95 % become P(|z| < 0.98) = 67.3 %. What rests on a bound states nothing. */
Test(study, counts_what_holds)
{
  enum { RUNS = 400 };
  struct armdyn_robot *robot = scara();
  struct drawn d;
  struct armdyn_study *study;
  struct dice dice = { 21 };
  open_drawn(robot, 0, &d);
  double *truth = calloc(d.b, sizeof *truth);
  for (size_t k = 0; k < d.b; k++) truth[k] = (double)k;
  cr_assert_eq(armdyn_study_new(d.unknowns, truth, &study), ARMDYN_OK);
  for (size_t run = 0; run < RUNS; run++) {
    for (size_t k = 0; k < d.b; k++) {
      d.estimate.beta[k] = truth[k] + 2 * normal(&dice) + (k == 1 ? 1 : 0);
      d.estimate.deviation[k] = 1;
      d.estimate.covariance[k * d.b + k] = 1;
    }
    d.estimate.deviation[2] = run % 4 ? 1 : NAN;
    d.estimate.covariance[2 * d.b + 2] = run % 4 ? 1 : 0;
    cr_assert_eq(armdyn_study_add(study, d.unknowns, &d.estimate), ARMDYN_OK);
  }
  const struct armdyn_study_parameter first = armdyn_study_parameter(study, 0);
  const struct armdyn_study_parameter off = armdyn_study_parameter(study, 1), bound = armdyn_study_parameter(study, 2);
  const double sure = 4 * 2 / sqrt(RUNS); /* four standard errors */
  cr_expect_eq(first.runs, RUNS);
  cr_expect_float_eq(first.bias, 0, sure);
  cr_expect_float_eq(first.spread, 2, 2 * 4 / sqrt(2.0 * RUNS));
  cr_expect_float_eq(first.stated, 1, 1e-12);
  cr_expect_float_eq(first.bias_error, first.spread / sqrt(RUNS), 1e-12);
  cr_expect_float_eq(off.bias, 1, sure);
  cr_expect_float_eq(off.mean, truth[1] + off.bias, 1e-12);
  cr_expect_eq(bound.at_bound, RUNS / 4);
  const struct armdyn_share one = armdyn_study_coverage(study, ARMDYN_WITHIN_68);
  const struct armdyn_share most = armdyn_study_coverage(study, ARMDYN_WITHIN_95);
  cr_expect_float_eq(one.value, 0.383, 0.02);
  cr_expect_float_eq(most.value, 0.673, 0.02);
  cr_expect(one.low < one.value && one.value < one.high && one.high - one.low < 0.03);
  armdyn_study_free(study);
  free(truth);
  close_drawn(&d);
  armdyn_robot_free(robot);
}

/* A run with other terms of friction tells of links and of what both have; of a line over the motor angle only if it is the
 * same line. */
Test(study, runs_of_other_terms)
{
  struct armdyn_robot *robot = scara(), *moved = NULL;
  struct armdyn_robot_description other = *armdyn_robot_description(robot);
  struct drawn all, same, few;
  struct armdyn_study *study;
  other.joints[0].friction.ripples[0].order *= 1.1;
  cr_assert_eq(armdyn_robot_new(&other, &moved, NULL), ARMDYN_OK);
  struct armdyn_robot *plain = without_friction(robot);
  open_drawn(robot, 0, &all);
  open_drawn(moved, 0, &same);
  open_drawn(plain, ARMDYN_IDENTIFY_VISCOUS, &few);
  cr_assert_eq(armdyn_study_new(all.unknowns, all.estimate.beta, &study), ARMDYN_OK);
  cr_assert_eq(armdyn_study_add(study, same.unknowns, &same.estimate), ARMDYN_OK);
  cr_assert_eq(armdyn_study_add(study, few.unknowns, &few.estimate), ARMDYN_OK);
  for (size_t k = 0; k < all.b; k++) {
    char name[64];
    armdyn_base_parameter_text(armdyn_unknowns_base(all.unknowns), k, name, sizeof name);
    const bool line = strstr(name, "position"),
               lacks = strstr(name, "coulomb") || strstr(name, "stiction") || strstr(name, "high");
    const size_t expected = line ? 0 : lacks ? 1 : 2;
    cr_expect_eq(armdyn_study_parameter(study, k).runs, expected, "%s: %zu", name,
                 armdyn_study_parameter(study, k).runs);
  }
  armdyn_study_free(study);
  close_drawn(&all);
  close_drawn(&same);
  close_drawn(&few);
  armdyn_robot_free(plain);
  armdyn_robot_free(moved);
  armdyn_robot_free(robot);
}
