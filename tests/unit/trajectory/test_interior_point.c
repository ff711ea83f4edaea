/* The elastic rows of the interior point: where they start, and that their step is Newton's. */
#include <criterion/criterion.h>

#include "lib/trajectory/interior_point.h"
#include "tests/support/robots.h"

enum { ROWS = 64 };
static const double PRICE = 0.1;

/* Rows with rooms on both sides of their limits, the last of which limits nothing. */
static void *rows_open(struct elastic_rows *rows, struct dice *dice)
{
  struct carve size = { 0 };
  *rows = (struct elastic_rows){ .count = ROWS };
  elastic_carve(rows, &size);
  void *memory = aligned_alloc(64, size.used);
  cr_assert_not_null(memory);
  struct carve room = { memory, 0 };
  elastic_carve(rows, &room);
  memset(memory, 0, size.used);
  for (size_t i = 0; i < ROWS; i++) {
    rows->on[i] = i + 1 < ROWS;
    rows->room[i] = dice_uniform(dice, -1, 1) * pow(10, dice_uniform(dice, -6, 1));
    rows->z[i] = PRICE * pow(10, dice_uniform(dice, -9, 0.5)); /* some beyond the price */
    rows->change[i] = dice_uniform(dice, -1, 1) * fabs(rows->room[i]);
  }
  return memory;
}

static void expect_near(double is, double want, double scale, const char *what, size_t row)
{
  cr_expect_leq(fabs(is - want), 1e-9 * scale, "%s of row %zu: %g, not %g", what, row, is, want);
}

Test(elastic, a_cold_start_is_on_the_central_path)
{
  static const double where[] = { 1e-9, 1e-6, 1e-3, 0.1 };
  struct dice dice = { 1 };
  struct elastic_rows rows;
  void *memory = rows_open(&rows, &dice);
  for (size_t k = 0; k < sizeof where / sizeof *where; k++) {
    const double mu = where[k];
    elastic_start(&rows, PRICE, mu, false);
    for (size_t i = 0; i + 1 < ROWS; i++) {
      expect_near(rows.s[i] * rows.z[i], mu, mu, "s z", i);
      expect_near(rows.p[i] * rows.y[i], mu, mu, "p y", i);
      expect_near(rows.z[i] + rows.y[i], PRICE, PRICE, "z + y", i);
      expect_near(rows.s[i] - rows.p[i], rows.room[i], rows.s[i] + rows.p[i], "s - p", i);
    }
    cr_expect_eq(elastic_lag(&rows), 0);
  }
  free(memory);
}

/* Multipliers that pull are kept, rooms that are wide too; what does not fit is in the lag. */
Test(elastic, a_warm_start_keeps_what_is_known)
{
  const double mu = 1e-6;
  struct dice dice = { 2 };
  struct elastic_rows rows;
  double known[ROWS];
  size_t pulling = 0, wide = 0;
  void *memory = rows_open(&rows, &dice);
  memcpy(known, rows.z, sizeof known);
  elastic_start(&rows, PRICE, mu, true);
  for (size_t i = 0; i + 1 < ROWS; i++) {
    cr_expect(rows.s[i] > 0 && rows.p[i] > 0 && rows.z[i] > 0 && rows.y[i] > 0, "row %zu", i);
    expect_near(rows.lag[i], rows.room[i] - (rows.s[i] - rows.p[i]), rows.s[i] + rows.p[i], "lag", i);
    expect_near(rows.z[i] + rows.y[i], PRICE, PRICE, "z + y", i);
    if (known[i] > 1e-3 && known[i] < 0.9 * PRICE) {
      pulling++;
      expect_near(rows.z[i], known[i], PRICE, "z", i);
      expect_near(rows.s[i] * rows.z[i], mu, mu, "s z", i);
    } else if (known[i] < 1e-3 && rows.room[i] > 1e-3) {
      wide++;
      expect_near(rows.s[i] - rows.p[i], rows.room[i], rows.s[i], "room", i);
      cr_expect_geq(rows.s[i] * rows.z[i], mu * (1 - 1e-9), "row %zu", i);
    }
  }
  cr_assert(pulling > 3 && wide > 3, "these rows are no test");
  free(memory);
}

/* The step solves the linear equations of the path, the lag included; what the merit changes by along it, with rooms that
 * change as they were told, is the slope. A part of the step leaves as much of the lag. */
Test(elastic, the_step_is_that_of_newton)
{
  const double mu = 1e-5, target = 1e-6;
  for (unsigned warm = 0; warm < 2; warm++) {
    struct dice dice = { 3 };
    struct elastic_rows rows;
    double slope = 0, primal, dual, pulled = 0, known[ROWS];
    void *memory = rows_open(&rows, &dice);
    elastic_start(&rows, PRICE, mu, warm);
    elastic_condense(&rows, target);
    elastic_direction(&rows, PRICE, target, &slope);
    for (size_t i = 0; i + 1 < ROWS; i++) {
      const double s = rows.s[i], p = rows.p[i], z = rows.z[i], y = rows.y[i], dz = rows.dz[i];
      expect_near(s * z + s * dz + z * rows.ds[i], target, s * z + target + fabs(s * dz), "s z after the step", i);
      expect_near(p * y - p * dz + y * rows.dp[i], target, p * y + target + fabs(p * dz), "p y after the step", i);
      expect_near(s + rows.ds[i] - p - rows.dp[i], rows.room[i] + rows.change[i],
                  s + p + fabs(rows.ds[i]) + fabs(rows.dp[i]) + mu / z + mu / y, "room after the step", i);
      pulled += rows.pull[i] * rows.change[i];
    }
    elastic_lengths(&rows, &primal, &dual);
    const double length = 1e-6 * primal, before = elastic_merit(&rows, PRICE, target, 0);
    memcpy(known, rows.room, sizeof known);
    for (size_t i = 0; i < ROWS; i++) rows.room[i] = known[i] + length * rows.change[i];
    const double after = elastic_merit(&rows, PRICE, target, length), want = slope - pulled;
    cr_expect_float_eq((after - before) / length, want, 1e-3 * fabs(want), "%g, not %g", (after - before) / length,
                       want);
    const double lag = elastic_lag(&rows);
    cr_expect(warm ? lag > 0 : lag == 0);
    for (size_t i = 0; i < ROWS; i++) rows.room[i] = known[i] + primal * rows.change[i];
    elastic_move(&rows, primal, dual);
    cr_expect_float_eq(elastic_lag(&rows), (1 - primal) * lag, 1e-12 * (1 + lag));
    for (size_t i = 0; i + 1 < ROWS; i++) {
      cr_expect(rows.s[i] > 0 && rows.p[i] > 0 && rows.z[i] > 0 && rows.y[i] > 0, "row %zu", i);
      expect_near(rows.s[i] - rows.p[i] + rows.lag[i], rows.room[i], rows.s[i] + rows.p[i], "room after the move", i);
    }
    free(memory);
  }
}
