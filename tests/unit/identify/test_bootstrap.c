/* Intervals of errors: that they hold what is true as often as they say, and that what is equal differs by nothing. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/bootstrap.h"
#include "lib/base/random.h"
#include "tests/support/sanitized.h"

enum { COLUMNS = 2, MODELS = 2 };

/* Errors of models as AR(1) noise about a torque of ones and minus ones, whose relative error is the noise's deviation. The
 * second model's is what the first's is, and more of its own. */
struct noise {
  size_t count;
  double memory;                     /* correlation of one sample with the next */
  double deviation[MODELS][COLUMNS]; /* of all of a model's noise */
};

static void make(const struct noise *noise, uint64_t seed, struct armdyn_error_cells *cells[MODELS])
{
  uint64_t random = random_from_seed(seed);
  double state[MODELS][COLUMNS], fresh = sqrt(1 - noise->memory * noise->memory);
  for (size_t m = 0; m < MODELS; m++) {
    cr_assert_eq(armdyn_error_cells_new(COLUMNS, &cells[m]), ARMDYN_OK);
    for (size_t j = 0; j < COLUMNS; j++) state[m][j] = random_normal(&random);
  }
  for (size_t k = 0; k < noise->count; k++) {
    double measured[COLUMNS], predicted[MODELS][COLUMNS];
    for (size_t j = 0; j < COLUMNS; j++) {
      const double *deviation[] = { noise->deviation[0], noise->deviation[1] };
      const double own = sqrt(deviation[1][j] * deviation[1][j] - deviation[0][j] * deviation[0][j]);
      for (size_t m = 0; m < MODELS; m++) state[m][j] = noise->memory * state[m][j] + fresh * random_normal(&random);
      measured[j] = k % 2 ? 1 : -1;
      predicted[0][j] = measured[j] - deviation[0][j] * state[0][j];
      predicted[1][j] = predicted[0][j] - own * state[1][j];
    }
    for (size_t m = 0; m < MODELS; m++) armdyn_error_cells_add(cells[m], measured, predicted[m]);
  }
}

static void release(struct armdyn_error_cells *cells[MODELS])
{
  for (size_t m = 0; m < MODELS; m++) armdyn_error_cells_free(cells[m]);
}

struct bounds {
  struct armdyn_blocks blocks;
  struct armdyn_interval errors[MODELS][COLUMNS + 1], differences[MODELS][COLUMNS + 1];
};

static void bound(struct armdyn_error_cells *cells[MODELS], uint64_t seed, struct bounds *out)
{
  const struct armdyn_error_cells *const both[] = { cells[0], cells[1] };
  struct armdyn_bootstrap order = { .resamples = 500, .level = 0.95, .seed = seed };
  cr_assert_eq(armdyn_blocks_choose(both, MODELS, 0, &order.blocks), ARMDYN_OK);
  out->blocks = order.blocks;
  cr_assert_eq(armdyn_bootstrap(&order, both, MODELS, 0, out->errors[0], out->differences[0]), ARMDYN_OK);
}

static bool holds(struct armdyn_interval interval, double truth)
{
  return interval.low <= truth && truth <= interval.high;
}

/* Of 95 in 100 intervals; also of those of two columns together, and of differences. */
static void check_coverage(const struct noise *noise)
{
  enum { LOGS = SANITIZED ? 40 : 400 };
  double held[2][MODELS][COLUMNS + 1] = { 0 };
  for (uint64_t seed = 1; seed <= LOGS; seed++) {
    struct armdyn_error_cells *cells[MODELS];
    struct bounds bounds;
    double truth[MODELS][COLUMNS + 1];
    make(noise, seed, cells);
    bound(cells, seed, &bounds);
    for (size_t m = 0; m < MODELS; m++) {
      const double *d = noise->deviation[m];
      truth[m][0] = d[0], truth[m][1] = d[1], truth[m][COLUMNS] = sqrt((d[0] * d[0] + d[1] * d[1]) / COLUMNS);
      for (size_t j = 0; j <= COLUMNS; j++) {
        held[0][m][j] += holds(bounds.errors[m][j], truth[m][j]);
        held[1][m][j] += holds(bounds.differences[m][j], truth[m][j] - truth[0][j]);
      }
    }
    release(cells);
  }
  for (size_t m = 0; m < MODELS; m++)
    for (size_t j = 0; j <= COLUMNS; j++)
      for (size_t of = 0; of < 2; of++) {
        const double part = held[of][m][j] / LOGS;
        if (of && !m)
          cr_expect_eq(part, 1, "what differs by nothing");
        else
          cr_expect(part >= (SANITIZED ? 0.8 : 0.90) && part <= (SANITIZED ? 1 : 0.98),
                    "%s of model %zu, column %zu: %.3f of intervals hold the truth", of ? "difference" : "error", m, j,
                    part);
      }
}

Test(bootstrap, holds_the_error_of_noise_without_memory)
{
  check_coverage(&(struct noise){ 1000, 0, { { 0.05, 0.2 }, { 0.06, 0.25 } } });
}

Test(bootstrap, holds_the_error_of_noise_with_memory)
{
  check_coverage(&(struct noise){ 2500, 0.9, { { 0.05, 0.2 }, { 0.06, 0.25 } } });
}

/* Longer than the cells: two samples become one, then four. */
Test(bootstrap, holds_the_error_of_a_long_log)
{
  check_coverage(&(struct noise){ 7000, 0.98, { { 0.05, 0.2 }, { 0.06, 0.25 } } });
}

Test(bootstrap, of_equal_models_says_no_difference)
{
  struct armdyn_error_cells *cells[MODELS];
  struct bounds bounds;
  make(&(struct noise){ 3000, 0.9, { { 0.05, 0.2 }, { 0.05, 0.2 } } }, 7, cells);
  bound(cells, 1, &bounds);
  for (size_t j = 0; j <= COLUMNS; j++) {
    cr_expect_eq(bounds.differences[1][j].low, 0);
    cr_expect_eq(bounds.differences[1][j].high, 0);
    cr_expect_eq(bounds.errors[1][j].low, bounds.errors[0][j].low);
    cr_expect_gt(bounds.errors[1][j].high, bounds.errors[1][j].low);
  }
  release(cells);
}

Test(bootstrap, is_the_same_for_the_same_seed_only)
{
  struct armdyn_error_cells *cells[MODELS];
  struct bounds bounds[3];
  make(&(struct noise){ 3000, 0.9, { { 0.05, 0.2 }, { 0.06, 0.25 } } }, 7, cells);
  for (uint64_t k = 0; k < 3; k++) bound(cells, 1 + k / 2, &bounds[k]);
  cr_expect_eq(bounds[0].errors[0][0].low, bounds[1].errors[0][0].low);
  cr_expect_neq(bounds[0].errors[0][0].low, bounds[2].errors[0][0].low);
  release(cells);
}

/* The correlation memory^k falls to 1/e at k = -1 / ln memory. */
Test(bootstrap, cuts_blocks_longer_than_the_correlation)
{
  struct armdyn_error_cells *cells[MODELS];
  struct bounds bounds;
  make(&(struct noise){ 20000, 0.98, { { 0.05, 0.2 }, { 0.06, 0.25 } } }, 3, cells);
  bound(cells, 1, &bounds);
  cr_expect_float_eq(bounds.blocks.correlation, -1 / log(0.98), 20, "%g", bounds.blocks.correlation);
  cr_expect_geq((double)bounds.blocks.length, 2 * bounds.blocks.correlation);
  cr_expect_eq(bounds.blocks.step, 16);
  cr_expect_eq(bounds.blocks.samples, 20000);
  cr_expect_eq(bounds.blocks.length % bounds.blocks.step, 0);
  cr_expect_not(bounds.blocks.limited);
  release(cells);
}

Test(bootstrap, says_when_a_log_is_too_short)
{
  struct armdyn_error_cells *cells[MODELS];
  struct armdyn_blocks blocks;
  make(&(struct noise){ 600, 0.99, { { 0.05, 0.2 }, { 0.06, 0.25 } } }, 3, cells);
  const struct armdyn_error_cells *const both[] = { cells[0], cells[1] };
  cr_assert_eq(armdyn_blocks_choose(both, MODELS, 0, &blocks), ARMDYN_OK);
  cr_expect(blocks.limited);
  cr_expect_eq(blocks.length, 60);
  cr_expect_eq(armdyn_blocks_choose(both, MODELS, 60, &blocks), ARMDYN_OK);
  cr_expect_eq(armdyn_blocks_choose(both, MODELS, 61, &blocks), ARMDYN_EINPUT);
  release(cells);
  make(&(struct noise){ 39, 0, { { 0.05, 0.2 }, { 0.06, 0.25 } } }, 3, cells);
  cr_expect_eq(armdyn_blocks_choose((const struct armdyn_error_cells *const[]){ cells[0] }, 1, 0, &blocks),
               ARMDYN_EINPUT);
  release(cells);
}

/* A joint that carries nothing has no relative error; the others have. */
Test(bootstrap, leaves_a_joint_without_torque_open)
{
  struct armdyn_error_cells *cells;
  struct armdyn_bootstrap order = { .resamples = 200, .level = 0.9, .seed = 1 };
  struct armdyn_interval errors[COLUMNS + 1], differences[COLUMNS + 1];
  uint64_t random = random_from_seed(1);
  cr_assert_eq(armdyn_error_cells_new(COLUMNS, &cells), ARMDYN_OK);
  for (int k = 0; k < 500; k++)
    armdyn_error_cells_add(cells, (double[]){ 1, 0 }, (double[]){ 1 + 0.1 * random_normal(&random), 0 });
  const struct armdyn_error_cells *const only[] = { cells };
  cr_assert_eq(armdyn_blocks_choose(only, 1, 0, &order.blocks), ARMDYN_OK);
  cr_assert_eq(armdyn_bootstrap(&order, only, 1, 0, errors, differences), ARMDYN_OK);
  cr_expect(holds(errors[0], 0.1));
  cr_expect(holds(errors[COLUMNS], 0.1));
  cr_expect(isnan(errors[1].low) && isnan(errors[1].high) && isnan(differences[1].low));
  armdyn_error_cells_free(cells);
}
