#include "lib/trajectory/lagrangian.h"

#include <math.h>

#include "lib/math/vector_units.h"
#include "lib/trajectory/electrical_cost.h"

enum { N = ARMDYN_JOINTS_MAX };

/* Simpson's rule on every interval */
static double quadrature_weight(const struct transcription *t, size_t point)
{
  if (point % 2) return 4 * t->h / 6;
  return point == 0 || point + 1 == t->points ? t->h / 6 : 2 * t->h / 6;
}

static const struct bound_kind *kind_of(const struct transcription *t, size_t bound)
{
  return bound_kinds[t->bounds[bound].kind];
}

double lagrangian_evaluate(struct transcription *t, const double *controls)
{
  const size_t n = t->n;
  double cost = 0;
  transcription_move(t, controls);
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    cost += quadrature_weight(t, p) * cost_density(&t->cost, t->q + at, t->qd + at, t->tau + at);
  }
  for (size_t kind = 0; kind < BOUND_KINDS; kind++)
    if (bound_kinds[kind]->prepare) bound_kinds[kind]->prepare(t);
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    const size_t row = b * (t->intervals + 1);
    for (size_t k = 0; k <= t->intervals; k++)
      t->room[row + k] = t->most[row + k] - bound->scale * kind_of(t, b)->value(t, bound, k);
  }
  return t->total = cost;
}

/* Of the room for 32 joints most is not used. */
static void pull_clear(const struct transcription *t, struct point_pull *out)
{
  for (size_t j = 0; j < t->n; j++) {
    out->torque[j] = out->bend[j] = 0;
    for (size_t r = 0; r < 4; r++) out->motion[r][j] = 0;
  }
}

/* out = scale times the slopes of the cost */
static void slopes_pull(const struct transcription *t, size_t point, double scale, struct point_pull *out)
{
  const double *slopes = t->cost_slopes + point * 3 * t->n;
  for (size_t j = 0; j < t->n; j++) {
    out->motion[0][j] = scale * slopes[j];
    out->motion[1][j] = scale * slopes[t->n + j];
    out->torque[j] = scale * slopes[2 * t->n + j];
    out->motion[2][j] = out->motion[3][j] = out->bend[j] = 0;
  }
}

void lagrangian_pull(const struct transcription *t, size_t point, const double *multiplier, struct point_pull *out)
{
  slopes_pull(t, point, t->cost.scale, out);
  for (size_t b = 0; b < t->bound_count && point % 2 == 0 && multiplier; b++)
    if (kind_of(t, b)->pull) kind_of(t, b)->pull(t, &t->bounds[b], multiplier + b * (t->intervals + 1), point / 2, out);
}

/* motion += D' torque. With a number of joints that the compiler knows there is no counting. */
static inline __attribute__((always_inline)) void chain_rows(size_t n, const double *restrict D, const double *torque,
                                                             double *restrict motion)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) motion[j] += D[i * n + j] * torque[i];
}

/* The pull on the torques becomes one on the motion. */
static inline __attribute__((always_inline)) void chain(const struct transcription *t, size_t p,
                                                        struct point_pull *pull)
{
  for (size_t r = 0; r < 3; r++) {
    const double *D = transcription_slopes(t, p, r);
    switch (t->n) {
    case 6: chain_rows(6, D, pull->torque, pull->motion[r]); break;
    case 7: chain_rows(7, D, pull->torque, pull->motion[r]); break;
    default: chain_rows(t->n, D, pull->torque, pull->motion[r]); break;
    }
  }
}

/* gradient += what a point pulls at its four controls; the largest summands so far of every joint. */
static inline __attribute__((always_inline)) void pull_controls(size_t n, double (*basis)[4],
                                                                const struct point_pull *pull, double *restrict out,
                                                                double *restrict most)
{
  for (size_t a = 0; a < 4; a++)
    for (size_t j = 0; j < n; j++) {
      const double sum = basis[0][a] * pull->motion[0][j] + basis[1][a] * pull->motion[1][j] +
                         basis[2][a] * pull->motion[2][j] + basis[3][a] * pull->motion[3][j];
      out[a * n + j] += sum;
      most[j] = fabs(sum) > most[j] ? fabs(sum) : most[j];
    }
}

static inline __attribute__((always_inline)) void pull_add(const struct transcription *t, size_t p,
                                                           const struct point_pull *pull, double *gradient,
                                                           double *most)
{
  double *out = gradient + transcription_interval(t, p) * t->n;
  switch (t->n) {
  case 6: pull_controls(6, t->basis[p], pull, out, most); break;
  case 7: pull_controls(7, t->basis[p], pull, out, most); break;
  default: pull_controls(t->n, t->basis[p], pull, out, most); break;
  }
}

/* Gradient and most += what a point pulls; returns its part by log T. */
FOR_VECTOR_UNITS
static double gradient_add(const struct transcription *t, size_t p, struct point_pull *pull, double *gradient,
                           double *most)
{
  double by_duration = 0;
  chain(t, p, pull);
  pull_add(t, p, pull, gradient, most);
  for (size_t r = 0; r < 4 && t->by_duration; r++)
    for (size_t j = 0; j < t->n; j++) by_duration += pull->motion[r][j] * t->by_duration[(p * 5 + r) * t->n + j];
  return by_duration;
}

static double largest_of(size_t n, const double *x)
{
  double largest = 0;
  for (size_t j = 0; j < n; j++) largest = fmax(largest, x[j]);
  return largest;
}

void lagrangian_differentiate(struct transcription *t, const double *controls)
{
  const size_t n = t->n, size = n * sizeof *t->cost_slopes;
  double most[N] = { 0 };
  transcription_differentiate(t, controls);
  memset(t->middles, 0, t->controls * size);
  t->middles_by_duration = 0;
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    double *out = t->cost_slopes + 3 * at;
    struct cost_slopes x;
    cost_slopes(&t->cost, t->q + at, t->qd + at, t->tau + at, quadrature_weight(t, p) / t->cost.scale, &x);
    memcpy(out, x.q, size);
    memcpy(out + n, x.qd, size);
    memcpy(out + 2 * n, x.tau, size);
    if (p % 2 == 0) continue;
    struct point_pull pull;
    slopes_pull(t, p, 1, &pull);
    t->middles_by_duration += gradient_add(t, p, &pull, t->middles, most);
  }
  t->middles_most = largest_of(n, most);
}

double lagrangian_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size)
{
  const size_t n = t->n;
  const double scale = t->cost.scale;
  double most[N] = { 0 }; /* of every joint, so that joints are side by side in vectors */
  double by_duration = t->by_duration ? t->total + scale * t->middles_by_duration : 0;
  for (size_t i = 0; i < t->controls * n; i++) gradient[i] += scale * t->middles[i];
  for (size_t p = 0; p < t->points; p += 2) {
    struct point_pull pull;
    lagrangian_pull(t, p, multiplier, &pull);
    by_duration += gradient_add(t, p, &pull, gradient, most);
  }
  double largest = fmax(largest_of(n, most), scale * t->middles_most);
  for (size_t b = 0; b < t->bound_count && multiplier; b++)
    if (kind_of(t, b)->pull_controls)
      by_duration +=
          kind_of(t, b)->pull_controls(t, &t->bounds[b], multiplier + b * (t->intervals + 1), gradient, &largest);
  if (size) *size = largest;
  return by_duration;
}

/* A square of the cost in terms of the 4 n controls of a point; returns its part by log T. */
static double square_row(const struct transcription *t, size_t p, const struct cost_square *square, const double *J,
                         double *row)
{
  const size_t n = t->n, width = 4 * n;
  const double *by = t->by_duration ? t->by_duration + p * 5 * n : NULL;
  double by_duration = 0;
  memset(row, 0, width * sizeof *row);
  for (size_t j = square->first; j < square->last; j++) {
    for (size_t a = 0; a < 4; a++)
      row[a * n + j] += t->basis[p][0][a] * square->a.q[j] + t->basis[p][1][a] * square->a.qd[j];
    for (size_t b = 0; b < width; b++) row[b] += square->a.tau[j] * J[j * width + b];
    if (by) by_duration += square->a.q[j] * by[j] + square->a.qd[j] * by[n + j] + square->a.tau[j] * by[4 * n + j];
  }
  return by_duration;
}

/* The squares of the cost that are of several torques at a point */
static void cost_squares_add(const struct transcription *t, size_t p, const struct cost_bend *squares, const double *J,
                             const struct block *block)
{
  enum { TOGETHER = 8 };
  double rows[TOGETHER * 4 * N], weight[TOGETHER], by_duration[TOGETHER];
  for (size_t first = 0, count; first < squares->count; first += count) {
    count = squares->count - first < TOGETHER ? squares->count - first : TOGETHER;
    for (size_t k = 0; k < count; k++) {
      const struct cost_square *square = &squares->squares[first + k];
      weight[k] = square->weight;
      by_duration[k] = square_row(t, p, square, J, rows + k * 4 * t->n);
    }
    squares_add(block, count, weight, rows, by_duration);
  }
}

/* Squares of single derivatives of the position: sum of weight (basis[r] c_j)^2 */
static void motion_squares_add(const struct transcription *t, size_t p, const struct point_pull *stiffness,
                               const struct block *block)
{
  const size_t n = t->n;
  for (size_t r = 0; r < 4; r++) {
    const double *b = t->basis[p][r], *by = t->by_duration ? t->by_duration + (p * 5 + r) * n : NULL;
    for (size_t j = 0; j < n; j++) {
      const double weight = stiffness->motion[r][j];
      if (weight == 0) continue;
      for (size_t a = 0; a < 4; a++) {
        double *out = block->H + (a * n + j) * block->width;
        for (size_t c = a; c < 4; c++) out[(c - a) * n] += weight * b[a] * b[c];
        if (by) block->mixed[a * n + j] += weight * b[a] * by[j];
      }
      if (by) *block->corner += weight * by[j] * by[j];
    }
  }
}

/* What log T bends besides squares: the weights of the quadrature grow with it, and derivative r falls with its power. */
static void duration_bend_add(const struct transcription *t, const double *multiplier, struct duration_bend *bend)
{
  const size_t n = t->n;
  bend->corner += 2 * lagrangian_gradient(t, NULL, bend->mixed, NULL) - t->total;
  for (size_t p = 0; p < t->points; p++) {
    double *mixed = bend->mixed + transcription_interval(t, p) * n;
    const double *by = t->by_duration + p * 5 * n;
    struct point_pull pull;
    lagrangian_pull(t, p, multiplier, &pull);
    chain(t, p, &pull);
    for (size_t r = 1; r < 4; r++)
      for (size_t j = 0; j < n; j++) {
        const double share = (double)r * pull.motion[r][j];
        for (size_t a = 0; a < 4; a++) mixed[a * n + j] -= share * t->basis[p][r][a];
        bend->corner -= share * by[r * n + j];
      }
  }
}

static const double *sides_of(const struct transcription *t, size_t p)
{
  return t->sides ? t->sides + p * t->n : NULL;
}

void lagrangian_sides_start(struct transcription *t)
{
  double rounding;
  for (size_t p = 0; p < t->points && t->sides; p++) {
    const size_t at = p * t->n;
    const size_t count = cost_kinks(&t->cost, t->q + at, t->qd + at, t->tau + at, t->powers + at, &rounding);
    for (size_t k = at; k < at + count; k++) t->sides[k] = electrical_side(t->powers[k], rounding);
  }
}

void lagrangian_sides_move(struct transcription *t, double length)
{
  double rounding, power[N];
  for (size_t p = 0; p < t->points && t->sides; p++) {
    const size_t at = p * t->n, count = cost_kinks(&t->cost, t->q + at, t->qd + at, t->tau + at, power, &rounding);
    for (size_t k = 0; k < count; k++) {
      t->sides[at + k] = electrical_side_moved(t->sides[at + k], t->powers[at + k], power[k], length, rounding);
      t->powers[at + k] = power[k];
    }
  }
}

/* What squares of the cost and of bounds weigh at one point, and the squares of the cost that are of several torques */
static void weights_at(const struct transcription *t, size_t p, const double *stiffness, struct point_pull *out,
                       struct cost_bend *squares)
{
  const size_t n = t->n, at = p * n;
  pull_clear(t, out);
  for (size_t b = 0; b < t->bound_count && p % 2 == 0 && stiffness; b++)
    if (kind_of(t, b)->stiffen)
      kind_of(t, b)->stiffen(t, &t->bounds[b], stiffness + b * (t->intervals + 1), p / 2, out);
  cost_bend(&t->cost, t->q + at, t->qd + at, t->tau + at, sides_of(t, p), quadrature_weight(t, p), squares);
  for (size_t i = 0; i < n; i++) out->torque[i] += squares->tau[i];
}

void lagrangian_gauss_newton(const struct transcription *t, const double *stiffness, const double *multiplier,
                             double *H, struct duration_bend *bend)
{
  const size_t n = t->n, width = 4 * n;
  double J[4 * N * N];
  struct cost_bend squares;
  memset(H, 0, t->controls * n * width * sizeof *H);
  if (t->by_duration) memset(bend->mixed, 0, t->controls * n * sizeof *bend->mixed), bend->corner = 0;
  for (size_t p = 0; p < t->points; p++) {
    const struct block block = block_at(t, transcription_interval(t, p), H, bend);
    struct point_pull weight;
    weights_at(t, p, stiffness, &weight, &squares);
    transcription_torque_rows(t, p, J);
    torque_squares_add(t, p, &block, weight.torque, J, t->by_duration ? t->by_duration + (p * 5 + 4) * n : NULL);
    cost_squares_add(t, p, &squares, J, &block);
    if (p % 2 == 0) motion_squares_add(t, p, &weight, &block);
  }
  for (size_t b = 0; b < t->bound_count && stiffness; b++) {
    const size_t first = b * (t->intervals + 1);
    if (kind_of(t, b)->squares)
      kind_of(t, b)->squares(t, &t->bounds[b], stiffness + first, multiplier + first, H, bend);
  }
  if (t->by_duration) duration_bend_add(t, multiplier, bend);
}

void lagrangian_dent_add(const struct transcription *t, double *S, struct duration_bend *bend)
{
  const size_t n = t->n;
  double J[4 * N * N];
  struct cost_bend squares;
  if (!cost_is_dented(&t->cost)) return;
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    const struct block block = block_at(t, transcription_interval(t, p), S, bend);
    cost_dent(&t->cost, t->q + at, t->qd + at, t->tau + at, sides_of(t, p), quadrature_weight(t, p), &squares);
    transcription_torque_rows(t, p, J);
    cost_squares_add(t, p, &squares, J, &block);
  }
}

void lagrangian_room_change(const struct transcription *t, const double *step, double duration_step, double *change)
{
  const size_t n = t->n;
  struct knot_step at = { .controls = step, .duration = duration_step };
  for (size_t k = 0; k <= t->intervals; k++) {
    for (size_t r = 0; r < 4; r++) {
      transcription_combine_all(t, step, 2 * k, r, at.x[r]);
      for (size_t j = 0; j < n && t->by_duration; j++)
        at.x[r][j] += duration_step * t->by_duration[(2 * k * 5 + r) * n + j];
    }
    memset(at.x[4], 0, n * sizeof **at.x);
    for (size_t r = 0; r < 3; r++) transcription_slopes_apply(t, 2 * k, r, at.x[r], at.x[4]);
    for (size_t b = 0; b < t->bound_count; b++) {
      const struct bound *bound = &t->bounds[b];
      change[b * (t->intervals + 1) + k] = -bound->scale * kind_of(t, b)->change(t, bound, &at, k);
    }
  }
}
