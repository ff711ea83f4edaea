/* Timing problems whose best solution is known: bounded acceleration and speed, and the squares of accelerations. */
#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/timing_problem.h"

enum { K = 120, ROWS = 3 };

struct straight {
  struct timing_problem problem;
  struct timing_interval interval[K];
  struct timing_row rows[ROWS * K];
  double b[K + 1];
};

/* A straight way of this length in equal intervals, with |a| <= acceleration and speed <= speed where these are finite, and a
 * slow motion to start from. */
static void straight_open(struct straight *w, double length, double acceleration, double speed)
{
  const double h = length / K, by = 1 / (2 * h * acceleration);
  *w = (struct straight){ .problem = { .intervals = K, .interval = w->interval, .rows = w->rows, .time_price = 1 } };
  for (size_t k = 0; k < K; k++) {
    struct timing_interval *i = &w->interval[k];
    const double square = 1 / (4 * h * h); /* of a = (b_(k+1) - b_k) / 2 h */
    *i = (struct timing_interval){
      .h = h, .xx = square, .xy = -square, .yy = square, .row_first = w->problem.row_count
    };
    const struct timing_row rows[ROWS] = { { -by, by, 1 }, { by, -by, 1 }, { 0, 1 / (speed * speed), 1 } };
    for (size_t r = 0; r < ROWS; r++)
      if (rows[r].y != 0) w->rows[w->problem.row_count++] = rows[r];
    i->row_count = w->problem.row_count - i->row_first;
    const double s = (double)k / K;
    w->b[k] = 1e-3 * s * (1 - s);
  }
}

/* From rest to rest over L: with a full push and a full brake in 2 sqrt(L / A); where a speed V cuts the peak off, in
 * L / V + V / A. The mesh has a point where the acceleration changes. */
Test(timing_solver, the_fastest_motion_is_bang_bang)
{
  static struct straight w;
  struct timing_solution solution;
  straight_open(&w, 0.8, 2.5, INFINITY);
  cr_assert_eq(timing_solve(&w.problem, w.b, NULL, NULL, &solution), ARMDYN_OK);
  const double bang = 2 * sqrt(0.8 / 2.5);
  cr_expect_float_eq(timing_duration(&w.problem, w.b), bang, 1e-6 * bang);
  cr_expect_float_eq(solution.cost, bang, 1e-6 * bang);
  cr_expect(solution.gap >= 0 && solution.gap <= 1e-6 * bang && solution.iterations < 60);
  cr_expect_float_eq(w.b[K / 2], 2.5 * 0.8, 1e-5, "the square of the speed half-way");

  const double V = sqrt(2 * 2.5 * 0.8 * 30 / K), coasting = 0.8 / V + V / 2.5; /* full speed after 30 intervals */
  straight_open(&w, 0.8, 2.5, V);
  cr_assert_eq(timing_solve(&w.problem, w.b, NULL, NULL, &solution), ARMDYN_OK);
  cr_expect_float_eq(timing_duration(&w.problem, w.b), coasting, 1e-6 * coasting);
  cr_expect_float_eq(w.b[15], V * V / 2, 1e-5, "half of its square after half of the ramp");
}

/* Integral of a^2 + c: 12 L^2 / T^3 + c T is least at T = (36 L^2 / c)^(1/4). What the mesh can do is a little dearer. */
Test(timing_solver, squares_and_time_in_balance)
{
  static struct straight w;
  struct timing_solution solution;
  const double L = 0.8, c = 3, T = pow(36 * L * L / c, 0.25), least = 12 * L * L / pow(T, 3) + c * T;
  straight_open(&w, L, INFINITY, INFINITY);
  w.problem.torque_price = 1, w.problem.time_price = c;
  cr_assert_eq(timing_solve(&w.problem, w.b, NULL, NULL, &solution), ARMDYN_OK);
  cr_expect(solution.cost >= least * (1 - 1e-6) && solution.cost < least * 1.005, "%g, not %g", solution.cost, least);
  cr_expect_float_eq(timing_duration(&w.problem, w.b), T, 0.01 * T);
}

/* The rows leave room for so many times b, and not for more. */
Test(timing_solver, room_is_the_factor_to_the_first_limit)
{
  static struct straight w;
  straight_open(&w, 0.8, 2.5, 1.1);
  w.b[K / 2] = 0.9; /* a step up and one down: 0.9 / 2 h, less what was there */
  const double h = 0.8 / K, up = (0.9 - w.b[K / 2 - 1]) / (2 * h), down = (0.9 - w.b[K / 2 + 1]) / (2 * h);
  const double want = fmin(2.5 / fmax(up, down), 1.1 * 1.1 / 0.9);
  cr_expect_float_eq(timing_room(&w.problem, w.b), want, 1e-12 * want);
  straight_open(&w, 0.8, INFINITY, INFINITY);
  cr_expect_eq(timing_room(&w.problem, w.b), INFINITY);
}

Test(timing_solver, costs_have_their_derivatives)
{
  static struct straight w;
  straight_open(&w, 0.8, 2.5, INFINITY);
  w.interval[7].yy *= 2, w.interval[7].x = 0.3, w.interval[7].y = -0.2, w.interval[7].one = 0.5;
  w.b[7] = 0.4, w.b[8] = 0.7;
  const struct timing_cost c = timing_cost_of(&w.problem, 7, w.b, 0.01, 2);
  const double d = 1e-4;
  double v[3][3];
  for (int x = -1; x <= 1; x++)
    for (int y = -1; y <= 1; y++) {
      w.b[7] = 0.4 + x * d, w.b[8] = 0.7 + y * d;
      v[x + 1][y + 1] = timing_cost_of(&w.problem, 7, w.b, 0.01, 2).value;
    }
  cr_expect_float_eq(c.x, (v[2][1] - v[0][1]) / (2 * d), 1e-6 * fabs(c.x));
  cr_expect_float_eq(c.y, (v[1][2] - v[1][0]) / (2 * d), 1e-6 * fabs(c.y));
  cr_expect_float_eq(c.xx, (v[2][1] - 2 * v[1][1] + v[0][1]) / (d * d), 1e-4 * fabs(c.xx));
  cr_expect_float_eq(c.yy, (v[1][2] - 2 * v[1][1] + v[1][0]) / (d * d), 1e-4 * fabs(c.yy));
  cr_expect_float_eq(c.xy, (v[2][2] - v[2][0] - v[0][2] + v[0][0]) / (4 * d * d), 1e-4 * fabs(c.xy));
}

static enum armdyn_go stop(void *context)
{
  int *left = context;
  return (*left)-- > 0 ? ARMDYN_GO_ON : ARMDYN_GO_CANCEL;
}

Test(timing_solver, it_ends_when_it_is_told)
{
  static struct straight w;
  struct timing_solution solution;
  int rounds = 3;
  straight_open(&w, 0.8, 2.5, INFINITY);
  cr_expect_eq(timing_solve(&w.problem, w.b, stop, &rounds, &solution), ARMDYN_ECANCELLED);
  cr_expect_eq(rounds, -1);
}
