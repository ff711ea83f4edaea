/* Least squares that forget, against batches with the same weights and closed forms; and an arm that changes. */
#include "armdyn/drift.h"

#include "tests/support/simulated.h"

/* -- recursive least squares -- */

enum { UNKNOWNS = 5, ROWS = 700 };

/* x of (sum w row'row + diag(information)) x = sum w row' value by elimination in long double. */
static void batch(const double *rows, size_t count, double forgetting, const double *information, double *x,
                  double *inverse)
{
  long double A[UNKNOWNS][2 * UNKNOWNS + 1] = { { 0 } };
  for (size_t k = 0; k < count; k++) {
    const double *row = rows + k * (UNKNOWNS + 1);
    const long double w = powl(forgetting, (long double)(count - 1 - k));
    for (size_t i = 0; i < UNKNOWNS; i++) {
      for (size_t j = 0; j < UNKNOWNS; j++) A[i][j] += w * row[i] * row[j];
      A[i][2 * UNKNOWNS] += w * row[i] * row[UNKNOWNS];
    }
  }
  for (size_t i = 0; i < UNKNOWNS; i++) A[i][i] += information[i], A[i][UNKNOWNS + i] = 1;
  for (size_t i = 0; i < UNKNOWNS; i++)
    for (size_t r = 0; r < UNKNOWNS; r++) {
      const long double by = A[r][i] / A[i][i];
      for (size_t c = 0; c <= 2 * UNKNOWNS && r != i; c++) A[r][c] -= by * A[i][c];
    }
  for (size_t i = 0; i < UNKNOWNS; i++) {
    x[i] = (double)(A[i][2 * UNKNOWNS] / A[i][i]);
    for (size_t j = 0; j < UNKNOWNS; j++) inverse[i * UNKNOWNS + j] = (double)(A[i][UNKNOWNS + j] / A[i][i]);
  }
}

/* A drifting truth, columns of very different size, noise. */
static void make_rows(double *rows)
{
  static const double size[UNKNOWNS] = { 1, 30, 0.02, 400, 5 };
  struct dice dice = { 5 };
  for (size_t k = 0; k < ROWS; k++) {
    double *row = rows + k * (UNKNOWNS + 1);
    row[UNKNOWNS] = 0.3 * normal(&dice);
    for (size_t i = 0; i < UNKNOWNS; i++) {
      row[i] = size[i] * normal(&dice);
      row[UNKNOWNS] += row[i] * (1 + 0.01 * (double)k * (double)i) / size[i];
    }
  }
}

Test(drift, recursion_is_the_batch_with_the_same_weights)
{
  static double rows[ROWS * (UNKNOWNS + 1)], some[ROWS * (UNKNOWNS + 1)];
  static const double forgettings[] = { 1, 0.99, 0.7 }, information[UNKNOWNS] = { 0.5, 0, 1e-4, 3, 0 };
  for (size_t f = 0; f < 3; f++) {
    struct armdyn_recursive *r = armdyn_recursive_new(UNKNOWNS);
    double x[UNKNOWNS], inverse[UNKNOWNS * UNKNOWNS], want[UNKNOWNS], want_inverse[UNKNOWNS * UNKNOWNS], weight = 0;
    make_rows(rows);
    for (size_t k = 0, step = 1; k < ROWS; k += step, step = 1 + (step * 7) % 61) { /* pieces of any length */
      if (k + step > ROWS) step = ROWS - k;
      memcpy(some, rows + k * (UNKNOWNS + 1), step * (UNKNOWNS + 1) * sizeof *some);
      armdyn_recursive_take(r, step, some, forgettings[f]);
    }
    for (size_t k = 0; k < ROWS; k++) weight += pow(forgettings[f], (double)k);
    batch(rows, ROWS, forgettings[f], information, want, want_inverse);
    cr_assert_eq(armdyn_recursive_solve(r, information, x, inverse), ARMDYN_OK);
    cr_expect_float_eq(armdyn_recursive_weight(r) / weight, 1, 1e-12);
    double squares = 0;
    for (size_t k = 0; k < ROWS; k++) {
      const double *row = rows + k * (UNKNOWNS + 1);
      double e = row[UNKNOWNS];
      for (size_t i = 0; i < UNKNOWNS; i++) e -= row[i] * want[i];
      squares += pow(forgettings[f], (double)(ROWS - 1 - k)) * e * e;
    }
    cr_expect_float_eq(armdyn_recursive_squares(r, want) / squares, 1, 1e-9);
    for (size_t i = 0; i < UNKNOWNS; i++) {
      cr_expect_float_eq(x[i] / want[i], 1, 1e-9, "forgetting %g, %zu: %.12g for %.12g", forgettings[f], i, x[i],
                         want[i]);
      for (size_t j = 0; j < UNKNOWNS; j++)
        cr_expect_float_eq(inverse[i * UNKNOWNS + j], want_inverse[i * UNKNOWNS + j],
                           1e-9 * sqrt(want_inverse[i * UNKNOWNS + i] * want_inverse[j * UNKNOWNS + j]));
    }
    armdyn_recursive_free(r);
  }
}

/* Of a ramp, exponential forgetting shows what was 1 / (1 - forgetting) - 1 samples ago. */
Test(drift, a_ramp_is_followed_with_the_lag_of_the_memory)
{
  struct armdyn_recursive *r = armdyn_recursive_new(1);
  const double forgetting = 0.98, slope = 0.25;
  double x;
  for (size_t k = 0; k < 3000; k++) {
    double row[2] = { 2, 2 * slope * (double)k };
    armdyn_recursive_take(r, 1, row, forgetting);
  }
  cr_assert_eq(armdyn_recursive_solve(r, NULL, &x, NULL), ARMDYN_OK);
  cr_expect_float_eq(x, slope * (2999 - forgetting / (1 - forgetting)), 1e-9 * x);
  armdyn_recursive_free(r);
}

/* Nothing excites the second unknown any more: it goes back to 0, and its variance to the one that it was given, however
 * long that goes on; the first one is as well known as before. */
Test(drift, what_is_not_excited_does_not_wind_up)
{
  struct armdyn_recursive *r = armdyn_recursive_new(2);
  const double information[2] = { 1e-3, 0.04 }, forgetting = 0.9;
  double x[2], inverse[4], bare[2];
  for (size_t k = 0; k < 20000; k++) {
    double row[3] = { 1, k < 500 ? sin((double)k) : 0, 3 };
    row[2] += 7 * row[1];
    armdyn_recursive_take(r, 1, row, forgetting);
    if (k != 499) continue;
    cr_assert_eq(armdyn_recursive_solve(r, information, x, inverse), ARMDYN_OK);
    cr_expect_float_eq(x[1], 7, 0.1);
  }
  cr_assert_eq(armdyn_recursive_solve(r, information, x, inverse), ARMDYN_OK);
  cr_expect_float_eq(x[0], 3 * 10 / (10 + 1e-3), 1e-9);
  cr_expect_float_eq(x[1], 0, 1e-9);
  cr_expect_float_eq(inverse[3], 1 / 0.04, 1e-9);
  cr_expect_float_eq(inverse[0], 1 / (10 + 1e-3), 1e-9);
  cr_expect_eq(armdyn_recursive_solve(r, NULL, bare, NULL), ARMDYN_ESINGULAR);
  armdyn_recursive_free(r);
}

/* -- an arm -- */

static struct armdyn_drift *follow(const struct armdyn_robot *model, bool all, double memory)
{
  const struct armdyn_drift_choice choice = { .all = all, .memory = memory };
  struct armdyn_drift *drift;
  struct armdyn_error error;
  cr_assert_eq(armdyn_drift_new(model, &choice, &drift, &error), ARMDYN_OK, "%s", error.message);
  return drift;
}

enum { MOST = 128 };
struct found {
  double change[MOST], deviation[MOST];
  struct armdyn_drift_estimate estimate;
};

static void read_drift(const struct armdyn_drift *drift, struct found *out)
{
  cr_assert_leq(armdyn_drift_count(drift), MOST);
  out->estimate = (struct armdyn_drift_estimate){ .change = out->change, .deviation = out->deviation };
  cr_assert_eq(armdyn_drift_read(drift, &out->estimate), ARMDYN_OK);
}

static size_t followed(const struct armdyn_drift *drift, const char *wanted)
{
  char text[256];
  for (size_t k = 0; k < armdyn_drift_count(drift); k++) {
    armdyn_drift_text(drift, k, text, sizeof text);
    if (!strcmp(text, wanted)) return k;
  }
  cr_assert_fail("%s is not followed", wanted);
  return 0;
}

static struct armdyn_robot *changed(const struct armdyn_robot *robot, void (*change)(struct armdyn_robot_description *))
{
  struct armdyn_robot_description d = *armdyn_robot_description(robot);
  struct armdyn_robot *out;
  change(&d);
  cr_assert_eq(armdyn_robot_new(&d, &out, NULL), ARMDYN_OK);
  return out;
}

static void worn(struct armdyn_robot_description *d)
{
  d->joints[1].friction.coulomb = (struct armdyn_directed){ 3, 3 };     /* of 2 */
  d->joints[1].friction.stiction = 4;                                   /* of 3 */
  d->joints[3].friction.viscous = (struct armdyn_directed){ 2.1, 2.1 }; /* of 1.5 */
}

static void loaded(struct armdyn_robot_description *d)
{
  d->payload = (struct armdyn_body){ 2, { 0.05, 0.02, 0.1 }, { 0.02, 0.02, 0.01, 0, 0, 0 } };
}

static void take(struct armdyn_drift *drift, const struct armdyn_robot *arm, uint64_t seed, double torque_cutoff)
{
  struct armdyn_motion motion = simulated_filtered(arm, seed, 0, 0.02, torque_cutoff);
  cr_assert_eq(armdyn_drift_take(drift, &motion, NULL), ARMDYN_OK);
  armdyn_motion_free(&motion);
}

Test(drift, friction_that_has_changed_is_found_and_forgotten)
{
  struct armdyn_robot *model = scara(), *arm = changed(model, worn);
  for (int all = 0; all < 2; all++) {
    struct armdyn_drift *drift = follow(model, all, 4);
    struct found found;
    take(drift, arm, 3, all ? 0 : 10);
    read_drift(drift, &found);
    const size_t coulomb = followed(drift, "j2.coulomb"), viscous = followed(drift, "j4.viscous");
    cr_expect_float_eq(armdyn_drift_parameter(drift, coulomb).model, 2, 1e-12);
    cr_expect_float_eq(found.change[coulomb], 1, fmax(0.03, 3 * found.deviation[coulomb]), "%g +- %g",
                       found.change[coulomb], found.deviation[coulomb]);
    cr_expect_float_eq(found.change[viscous], 0.6, fmax(0.02, 3 * found.deviation[viscous]), "%g +- %g",
                       found.change[viscous], found.deviation[viscous]);
    for (size_t j = 0; j < N; j++) {
      const struct armdyn_drift_joint *joint = &found.estimate.joints[j];
      cr_expect_eq(joint->torque > 3 * joint->noise, j == 1 || j == 3, "joint %zu: %g, noise %g", j, joint->torque,
                   joint->noise);
    }
    for (uint64_t k = 0; k < 2; k++)
      take(drift, model, 4 + k, all ? 0 : 10); /* it is mended: some ten memories later */
    read_drift(drift, &found);
    for (size_t j = 0; j < N; j++)
      cr_expect_lt(found.estimate.joints[j].torque, 3 * found.estimate.joints[j].noise, "joint %zu", j);
    armdyn_drift_free(drift);
  }
  armdyn_robot_free(arm);
  armdyn_robot_free(model);
}

/* What it holds is taken off; what nobody told of shows in the links. */
Test(drift, a_load_is_no_drift_when_it_is_told)
{
  struct armdyn_robot *model = scara(), *arm = changed(model, loaded);
  struct armdyn_drift *drift = follow(model, true, 10);
  struct found found;
  take(drift, arm, 3, 0);
  read_drift(drift, &found);
  cr_expect_gt(found.estimate.joints[2].torque, 10 * found.estimate.joints[2].noise);
  armdyn_drift_free(drift);
  drift = follow(model, true, 10);
  cr_assert_eq(armdyn_drift_load(drift, arm, NULL), ARMDYN_OK);
  take(drift, arm, 3, 0);
  read_drift(drift, &found);
  for (size_t j = 0; j < N; j++)
    cr_expect_lt(found.estimate.joints[j].torque, 3 * found.estimate.joints[j].noise, "joint %zu", j);
  armdyn_drift_free(drift);
  armdyn_robot_free(arm);
  armdyn_robot_free(model);
}

static void geared(struct armdyn_robot_description *d)
{
  d->joints[0].friction.load = d->joints[1].friction.load = 0.15;
}

/* Friction that grows with what the joint transmits grows with the load, too: no drift either. */
Test(drift, friction_of_the_load_is_the_load_s)
{
  struct armdyn_robot *plain = scara(), *model = changed(plain, geared), *arm = changed(model, loaded);
  struct armdyn_drift *drift = follow(model, false, 10);
  struct found found;
  cr_assert_eq(armdyn_drift_load(drift, arm, NULL), ARMDYN_OK);
  take(drift, arm, 3, 0);
  read_drift(drift, &found);
  for (size_t j = 0; j < N; j++)
    cr_expect_lt(found.estimate.joints[j].torque, 3 * found.estimate.joints[j].noise, "joint %zu", j);
  armdyn_drift_free(drift);
  armdyn_robot_free(arm);
  armdyn_robot_free(model);
  armdyn_robot_free(plain);
}

/* Noise that is correlated (by the torque filter): over many draws changes vary as their deviations say. */
Test(drift, deviations_are_those_of_repeated_draws)
{
  enum { DRAWS = SANITIZED ? 6 : 24 };
  struct armdyn_robot *model = scara();
  double squares = 0;
  size_t count = 0, beyond = 0;
  for (uint64_t seed = 0; seed < DRAWS; seed++) {
    struct armdyn_drift *drift = follow(model, false, 6);
    struct found found;
    take(drift, model, 20 + seed, 10);
    read_drift(drift, &found);
    for (size_t k = 0; k < armdyn_drift_count(drift); k++) {
      const double z = found.change[k] / found.deviation[k];
      squares += fmin(z * z, 25);
      count++;
    }
    for (size_t j = 0; j < N; j++) beyond += found.estimate.joints[j].torque > 3 * found.estimate.joints[j].noise;
    armdyn_drift_free(drift);
  }
  cr_expect(fabs(sqrt(squares / (double)count) - 1) < 0.25, "changes are %g deviations", sqrt(squares / (double)count));
  cr_expect_leq(beyond, DRAWS / 12, "%zu of %d joints are told to have changed", beyond, DRAWS * N);
  armdyn_robot_free(model);
}

Test(drift, a_state_goes_on_where_it_was)
{
  struct armdyn_robot *model = scara(), *arm = changed(model, worn);
  struct armdyn_drift *whole = follow(model, false, 8), *again = follow(model, false, 8),
                      *other = follow(model, true, 8);
  struct found one, two;
  take(whole, arm, 3, 10);
  const size_t count = armdyn_drift_state_count(whole);
  double *state = malloc(count * sizeof *state);
  armdyn_drift_save(whole, state);
  cr_expect_not(armdyn_drift_restore(other, state, count));
  cr_expect_not(armdyn_drift_restore(again, state, count - 1));
  cr_assert(armdyn_drift_restore(again, state, count));
  take(whole, arm, 4, 10), take(again, arm, 4, 10);
  read_drift(whole, &one), read_drift(again, &two);
  cr_expect_arr_eq(one.change, two.change, armdyn_drift_count(whole) * sizeof *one.change);
  cr_expect_arr_eq(one.deviation, two.deviation, armdyn_drift_count(whole) * sizeof *one.deviation);
  free(state);
  armdyn_drift_free(whole), armdyn_drift_free(again), armdyn_drift_free(other);
  armdyn_robot_free(arm);
  armdyn_robot_free(model);
}
