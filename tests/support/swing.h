/* An arm that swings forth and back as a transcription with some limits, whose derivatives are compared with differences. */
#ifndef TESTS_SUPPORT_SWING_H
#define TESTS_SUPPORT_SWING_H

#include <criterion/criterion.h>
#include <math.h>

#include "lib/trajectory/bspline.h"
#include "lib/trajectory/lagrangian.h"
#include "tests/support/campaign.h"

enum {
  SWING_INTERVALS = 8,
  SWING_KNOTS = SWING_INTERVALS + 1,
  SWING_BOUNDS = 4,
  SWING_ROWS = SWING_BOUNDS * SWING_KNOTS
};
enum { SWING_CONTROLS = (SWING_INTERVALS + 3) * CAMPAIGN_N };

struct swing {
  size_t n, controls_used, rows;
  struct armdyn_robot *robot;
  struct armdyn_trajectory motion;
  struct transcription t;
  double controls[SWING_CONTROLS], H[SWING_CONTROLS * 4 * CAMPAIGN_N], S[SWING_CONTROLS * 4 * CAMPAIGN_N];
  void *memory;
};

/* Before: s->t has bounds, and whatever they need. */
static inline void swing_open(struct swing *s, const struct armdyn_robot_description *d)
{
  struct transcription *t = &s->t;
  struct carve size = { 0 };
  const struct armdyn_optimal_request request = { 0 };
  cr_assert_eq(armdyn_robot_new(d, &s->robot, NULL), ARMDYN_OK);
  s->n = d->joint_count;
  t->robot = s->robot, t->n = s->n, t->intervals = SWING_INTERVALS;
  cr_assert_eq(cost_init(&t->cost, s->robot, &request, NULL), ARMDYN_OK);
  t->workspace = armdyn_workspace_new(s->n);
  transcription_carve(t, &size);
  s->memory = calloc(1, size.used);
  struct carve room = { s->memory, 0 };
  transcription_carve(t, &room);
  transcription_init(t, 1.0);
  s->controls_used = t->controls * s->n, s->rows = t->bound_count * SWING_KNOTS;
  for (size_t i = 0; i < s->rows; i++) t->most[i] = 1;
  for (size_t i = 0; i < s->controls_used; i++)
    s->controls[i] = 0.4 * sin(0.9 * (double)(i / s->n) + (double)(i % s->n));
  double *breaks = calloc(SWING_INTERVALS + 1, sizeof *breaks), *times = calloc(2, sizeof *times);
  double *pieces = calloc(SWING_INTERVALS * s->n * 4, sizeof *pieces);
  s->motion = (struct armdyn_trajectory){ s->n, SWING_INTERVALS, 3, breaks, pieces, 2, times };
  bspline_pieces(SWING_INTERVALS, 1.0, s->controls, &s->motion);
}

static inline void swing_close(struct swing *s)
{
  armdyn_trajectory_free(&s->motion);
  armdyn_workspace_free(s->t.workspace);
  armdyn_robot_free(s->robot);
  free(s->memory);
}

/* L = cost - multiplier . room, evaluated */
static inline double swing_lagrangian(struct swing *s, const double *controls, const double *multiplier)
{
  double sum = lagrangian_evaluate(&s->t, controls);
  for (size_t i = 0; i < s->rows; i++) sum -= multiplier[i] * s->t.room[i];
  return sum;
}

static inline void swing_gradient(struct swing *s, const double *controls, const double *multiplier, double *out)
{
  memset(out, 0, s->controls_used * sizeof *out);
  lagrangian_evaluate(&s->t, controls);
  lagrangian_differentiate(&s->t, controls);
  lagrangian_gradient(&s->t, multiplier, out, NULL);
}

/* 0 where a row is no limit, such as the jerk after the last interval. */
static inline void swing_multipliers(const struct swing *s, double *z)
{
  for (size_t i = 0; i < s->rows; i++)
    z[i] = bound_applies(&s->t, &s->t.bounds[i / SWING_KNOTS], i % SWING_KNOTS) ? 5 + 4 * sin(1.7 * (double)i) : 0;
}

/* Gradient of L, and the changes of all rooms. */
static inline void swing_expect_gradients(struct swing *s)
{
  double z[SWING_ROWS], g[SWING_CONTROLS], moved[SWING_CONTROLS], change[SWING_ROWS], slope[SWING_ROWS];
  const double h = 1e-5;
  swing_multipliers(s, z);
  swing_gradient(s, s->controls, z, g);
  for (size_t i = 0; i < s->controls_used; i++) {
    memcpy(moved, s->controls, sizeof moved);
    moved[i] += h;
    const double up = swing_lagrangian(s, moved, z);
    memcpy(slope, s->t.room, s->rows * sizeof *slope);
    moved[i] -= 2 * h;
    const double down = swing_lagrangian(s, moved, z);
    cr_expect_float_eq(g[i], (up - down) / (2 * h), 1e-5 * (1 + fabs(g[i])), "control %zu", i);
    for (size_t r = 0; r < s->rows; r++) slope[r] = (slope[r] - s->t.room[r]) / (2 * h);
    swing_gradient(s, s->controls, z, moved);
    memset(moved, 0, sizeof moved);
    moved[i] = 1;
    lagrangian_room_change(&s->t, moved, 0, change);
    for (size_t r = 0; r < s->rows; r++)
      cr_expect_float_eq(change[r], slope[r], 1e-5 * (1 + fabs(slope[r])), "control %zu, row %zu", i, r);
  }
}

/* The element of a symmetric band, of which the upper rows are kept. */
static inline double swing_element(const struct swing *s, const double *band, size_t i, size_t j)
{
  const size_t low = i < j ? i : j, off = i < j ? j - i : i - j;
  return off < 4 * s->n ? band[low * 4 * s->n + off] : 0;
}

/* The squares of the torque cost and of the limits, and all curvature, are together the second derivative of L. */
static inline void swing_expect_second_derivatives(struct swing *s)
{
  double z[SWING_ROWS], none[SWING_ROWS] = { 0 }, up[SWING_CONTROLS], down[SWING_CONTROLS], moved[SWING_CONTROLS];
  double largest = 0;
  const double h = 1e-5;
  struct duration_bend ignored = { NULL, 0 };
  swing_multipliers(s, z);
  swing_gradient(s, s->controls, z, up);
  lagrangian_gauss_newton(&s->t, none, z, s->H, &ignored);
  lagrangian_curvature(&s->t, z, s->S, &ignored);
  for (size_t i = 0; i < s->controls_used; i++) largest = fmax(largest, fabs(s->H[i * 4 * s->n]));
  for (size_t i = 0; i < s->controls_used; i++) {
    memcpy(moved, s->controls, sizeof moved);
    moved[i] += h;
    swing_gradient(s, moved, z, up);
    moved[i] -= 2 * h;
    swing_gradient(s, moved, z, down);
    for (size_t j = 0; j < s->controls_used; j++)
      cr_expect_float_eq(swing_element(s, s->H, i, j) + swing_element(s, s->S, i, j), (up[j] - down[j]) / (2 * h),
                         1e-5 * largest, "controls %zu and %zu", i, j);
  }
}

/* Stiffness w of one row alone is w times the square of the row's gradient. */
static inline void swing_expect_stiffness(struct swing *s, size_t row)
{
  double stiffness[SWING_ROWS] = { 0 }, none[SWING_ROWS] = { 0 }, z[SWING_ROWS] = { 0 };
  double g[SWING_CONTROLS], plain[SWING_CONTROLS];
  struct duration_bend ignored = { NULL, 0 };
  swing_gradient(s, s->controls, none, plain);
  lagrangian_gauss_newton(&s->t, none, none, s->S, &ignored);
  stiffness[row] = 7, z[row] = 1;
  swing_gradient(s, s->controls, z, g);
  lagrangian_gauss_newton(&s->t, stiffness, none, s->H, &ignored);
  for (size_t i = 0; i < s->controls_used; i++)
    for (size_t j = i; j < s->controls_used; j++) {
      const double want = 7 * (g[i] - plain[i]) * (g[j] - plain[j]);
      const double is = swing_element(s, s->H, i, j) - swing_element(s, s->S, i, j);
      cr_expect_float_eq(is, want, 1e-9 * (1 + fabs(want) + fabs(swing_element(s, s->S, i, j))), "%zu, %zu", i, j);
    }
}

#endif
