#include "lib/trajectory/transcription.h"

#include <math.h>

#include "armdyn/derivatives.h"
#include "lib/math/band.h"
#include "lib/trajectory/bspline.h"

enum { N = ARMDYN_JOINTS_MAX };

void transcription_carve(struct transcription *t, struct carve *c)
{
  const size_t n = t->n, knots = t->intervals + 1;
  t->points = 2 * t->intervals + 1;
  t->controls = t->intervals + 3;
  t->most = carve(c, t->bound_count * knots, sizeof *t->most);
  t->unit = carve(c, t->points, sizeof *t->unit);
  t->basis = carve(c, t->points, sizeof *t->basis);
  t->drift = carve(c, t->controls * n, sizeof *t->drift);
  t->q = carve(c, t->points * n, sizeof *t->q);
  t->qd = carve(c, t->points * n, sizeof *t->qd);
  t->qdd = carve(c, t->points * n, sizeof *t->qdd);
  t->tau = carve(c, t->points * n, sizeof *t->tau);
  t->jacobian = carve(c, t->points * 3 * n * n, sizeof *t->jacobian);
  t->room = carve(c, t->bound_count * knots, sizeof *t->room);
  t->by_duration = t->free_duration ? carve(c, t->points * 5 * n, sizeof *t->by_duration) : NULL;
  t->friction = t->rated ? carve(c, knots * n, sizeof *t->friction) : NULL;
  t->reach = t->wary ? carve(c, 2 * knots * n, sizeof *t->reach) : NULL;
  t->tool = t->tool_speed > 0 ? carve(c, knots * TOOL_FIGURES(n), sizeof *t->tool) : NULL;
  t->shift = t->wary ? carve(c, 2 * knots * n, sizeof *t->shift) : NULL;
  curvature_carve(t, c);
}

size_t transcription_interval(const struct transcription *t, size_t point)
{
  return point / 2 < t->intervals ? point / 2 : t->intervals - 1;
}

void transcription_init(struct transcription *t, double duration)
{
  for (size_t p = 0; p < t->points; p++) {
    const size_t k = transcription_interval(t, p);
    if (k > 3 && k + 4 <= t->intervals) /* away from the ends all are the same */
      memcpy(t->unit[p], t->unit[p - 2], sizeof *t->unit);
    else
      bspline_basis(t->intervals, 1, k, (double)p / 2 - (double)k, t->unit[p]);
  }
  transcription_set_duration(t, duration);
}

void transcription_set_duration(struct transcription *t, double duration)
{
  t->h = duration / (double)t->intervals;
  for (size_t p = 0; p < t->points; p++) {
    double scale = 1;
    for (size_t r = 0; r < 4; r++, scale /= t->h)
      for (size_t a = 0; a < 4; a++) t->basis[p][r][a] = scale * t->unit[p][r][a];
  }
}

double transcription_duration(const struct transcription *t)
{
  return t->h * (double)t->intervals;
}

void transcription_set_ends(struct transcription *t, double *controls)
{
  const size_t n = t->n, last = t->controls - 1;
  for (size_t e = 0; e < 2; e++) {
    const struct end_state *end = &t->ends[e];
    const size_t point = e ? t->points - 1 : 0;
    for (size_t j = 0; j < n; j++) {
      /* derivative r at an end takes r + 1 controls: one after the other follows */
      double value[3] = { 0 }, drift[3] = { 0 }, power = 1;
      for (size_t r = 0; r < end->given; r++, power *= t->h) {
        const double *b = t->unit[point][r];
        double sum = power * end->x[r][j], change = (double)r * sum;
        for (size_t a = 0; a < r; a++) {
          sum -= b[e ? 3 - a : a] * value[a];
          change -= b[e ? 3 - a : a] * drift[a];
        }
        value[r] = sum / b[e ? 3 - r : r];
        drift[r] = change / b[e ? 3 - r : r];
        const size_t at = (e ? last - r : r) * n + j;
        controls[at] = value[r];
        t->drift[at] = drift[r];
      }
    }
  }
}

/* Simpson's rule on every interval */
static double quadrature_weight(const struct transcription *t, size_t point)
{
  if (point % 2) return 4 * t->h / 6;
  return point == 0 || point + 1 == t->points ? t->h / 6 : 2 * t->h / 6;
}

bool transcription_bounds(const struct transcription *t, const struct bound *b, size_t knot)
{
  const size_t given = knot == 0 ? t->ends[0].given : knot == t->intervals ? t->ends[1].given : 0;
  switch (b->kind) {
  case ARMDYN_LIMIT_VELOCITY: return knot + 1 >= t->ends[0].given && knot + t->ends[1].given <= t->intervals + 2;
  case ARMDYN_LIMIT_POSITION:
  case ARMDYN_LIMIT_ACCELERATION: return given <= (size_t)b->kind;
  case BOUND_TOOL_SPEED: return given <= ARMDYN_LIMIT_VELOCITY;
  case ARMDYN_LIMIT_JERK:
  case ARMDYN_LIMIT_TORQUE_RATE: return knot < t->intervals;
  default: return true;
  }
}

double transcription_combine(const struct transcription *t, const double *controls, size_t point, size_t r,
                             size_t joint)
{
  const double *b = t->basis[point][r], *c = controls + transcription_interval(t, point) * t->n + joint;
  return b[0] * c[0] + b[1] * c[t->n] + b[2] * c[2 * t->n] + b[3] * c[3 * t->n];
}

/* The same for all joints, side by side in vectors */
static void combine_all(const struct transcription *t, const double *controls, size_t point, size_t r,
                        double *restrict out)
{
  const size_t n = t->n;
  const double *b = t->basis[point][r], *c = controls + transcription_interval(t, point) * n;
  for (size_t j = 0; j < n; j++) out[j] = b[0] * c[j] + b[1] * c[n + j] + b[2] * c[2 * n + j] + b[3] * c[3 * n + j];
}

static double value_at(const struct transcription *t, const struct bound *b, const double *controls, size_t knot)
{
  const size_t at = 2 * knot * t->n + b->joint;
  switch (b->kind) {
  case ARMDYN_LIMIT_POSITION: return t->q[at];
  case ARMDYN_LIMIT_VELOCITY: return velocity_bound_value(t, controls, knot, b->joint);
  case ARMDYN_LIMIT_ACCELERATION: return t->qdd[at];
  case ARMDYN_LIMIT_JERK: return transcription_combine(t, controls, 2 * knot, 3, b->joint);
  case BOUND_TOOL_SPEED: return tool_bound_value(t, knot);
  case ARMDYN_LIMIT_TORQUE: return t->tau[at] + (t->wary ? torque_bound_at(t, b, knot)->torque : 0);
  default: return knot < t->intervals ? torque_rate_value(t, knot, b->joint) : 0;
  }
}

double transcription_evaluate(struct transcription *t, const double *controls)
{
  const size_t n = t->n;
  double cost = 0;
  t->at = controls;
  for (size_t p = 0; p < t->points; p++) {
    combine_all(t, controls, p, 0, t->q + p * n);
    combine_all(t, controls, p, 1, t->qd + p * n);
    combine_all(t, controls, p, 2, t->qdd + p * n);
  }
  const struct armdyn_samples samples = {
    .count = t->points, .q = { t->q, n }, .qd = { t->qd, n }, .qdd = { t->qdd, n }
  };
  armdyn_inverse_dynamics_batch(t->robot, &samples, t->workspace, t->tau);
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    cost += quadrature_weight(t, p) * cost_density(&t->cost, t->q + at, t->qd + at, t->tau + at);
  }
  if (t->rated) torque_rate_friction(t);
  if (t->wary) torque_bound_shift(t);
  if (t->tool) tool_bound_evaluate(t);
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    const size_t row = b * (t->intervals + 1);
    for (size_t k = 0; k <= t->intervals; k++)
      t->room[row + k] = t->most[row + k] - bound->scale * value_at(t, bound, controls, k);
  }
  return t->total = cost;
}

const double *transcription_slopes(const struct transcription *t, size_t point, size_t r)
{
  return t->jacobian + (r * t->points + point) * t->n * t->n;
}

/* out += D x */
static void slopes_apply(const struct transcription *t, size_t point, size_t r, const double *x, double *out)
{
  const double *D = transcription_slopes(t, point, r);
  for (size_t i = 0; i < t->n; i++)
    for (size_t j = 0; j < t->n; j++) out[i] += D[i * t->n + j] * x[j];
}

void transcription_differentiate(struct transcription *t, const double *controls)
{
  const size_t n = t->n, size = t->points * n * n;
  const struct armdyn_samples samples = {
    .count = t->points, .q = { t->q, n }, .qd = { t->qd, n }, .qdd = { t->qdd, n }
  };
  armdyn_inverse_dynamics_derivatives_batch(t->robot, &samples, t->workspace, t->jacobian, t->jacobian + size,
                                            t->jacobian + 2 * size);
  for (size_t p = 0; p < t->points && t->by_duration; p++) {
    double *out = t->by_duration + p * 5 * n;
    for (size_t r = 0; r < 4; r++)
      for (size_t j = 0; j < n; j++)
        out[r * n + j] =
            transcription_combine(t, t->drift, p, r, j) - (double)r * transcription_combine(t, controls, p, r, j);
    memset(out + 4 * n, 0, n * sizeof *out);
    for (size_t r = 0; r < 3; r++) slopes_apply(t, p, r, out + r * n, out + 4 * n);
  }
}

/* Sum over the bounds of factor . amount at a knot; those of velocities and stiffnesses of torque rates are not of one
 * knot and left out, and so are stiffnesses of what is of several joints, or of torques with a friction of their own. */
static void collect(const struct transcription *t, size_t point, const double *amount, bool squared,
                    struct point_pull *out)
{
  for (size_t j = 0; j < t->n; j++) { /* of the room for 32 joints most is not used */
    out->torque[j] = out->bend[j] = 0;
    for (size_t r = 0; r < 4; r++) out->motion[r][j] = 0;
  }
  if (point % 2 || !amount) return;
  const size_t knot = point / 2;
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    const double *row = amount + b * (t->intervals + 1);
    if (bound->kind == ARMDYN_LIMIT_TORQUE_RATE) {
      if (!squared) torque_rate_pull(t, bound->joint, knot, row, bound->scale, out);
      continue;
    }
    if (bound->kind == ARMDYN_LIMIT_VELOCITY || !transcription_bounds(t, bound, knot)) continue;
    const double x = row[knot] * bound->scale * (squared ? bound->scale : 1);
    if (bound->kind == BOUND_TOOL_SPEED) {
      const double *slopes = tool_bound_slopes(t, knot, 0);
      for (size_t r = 0; r < 2 && !squared; r++)
        for (size_t j = 0; j < t->n; j++) out->motion[r][j] += x * slopes[r * t->n + j];
      continue;
    }
    const struct friction_shift *shift = t->wary ? torque_bound_at(t, bound, knot) : NULL;
    if (shift && squared && shift->slope != 0) continue;
    (bound->kind == ARMDYN_LIMIT_TORQUE ? out->torque : out->motion[bound->kind])[bound->joint] += x;
    if (squared || !shift) continue;
    out->motion[ARMDYN_LIMIT_VELOCITY][bound->joint] += x * shift->slope;
    out->bend[bound->joint] += x * shift->bend;
  }
}

void transcription_pull(const struct transcription *t, size_t point, const double *multiplier, struct point_pull *out)
{
  const size_t at = point * t->n;
  struct cost_slopes x;
  collect(t, point, multiplier, false, out);
  cost_slopes(&t->cost, t->q + at, t->qd + at, t->tau + at, quadrature_weight(t, point), &x);
  for (size_t j = 0; j < t->n; j++) {
    out->torque[j] += x.tau[j];
    out->motion[0][j] += x.q[j];
    out->motion[1][j] += x.qd[j];
  }
}

/* The pull on the torques becomes one on the motion. */
static void chain(const struct transcription *t, size_t p, struct point_pull *pull)
{
  const size_t n = t->n;
  for (size_t r = 0; r < 3; r++) {
    const double *restrict D = transcription_slopes(t, p, r);
    double *restrict motion = pull->motion[r];
    for (size_t i = 0; i < n; i++) {
      const double torque = pull->torque[i];
      for (size_t j = 0; j < n; j++) motion[j] += D[i * n + j] * torque;
    }
  }
}

/* The part of the derivative by log T that the rates of torques have beyond the motion's: they are divided by h. */
static double rates_shrink(const struct transcription *t, const double *multiplier)
{
  double sum = 0;
  for (size_t b = 0; b < t->bound_count && multiplier; b++) {
    const struct bound *bound = &t->bounds[b];
    if (bound->kind != ARMDYN_LIMIT_TORQUE_RATE) continue;
    for (size_t k = 0; k < t->intervals; k++) {
      const size_t from = k * t->n + bound->joint, to = from + t->n;
      const double rise = t->tau[2 * to - bound->joint] - t->friction[to].torque -
                          (t->tau[2 * from - bound->joint] - t->friction[from].torque);
      sum -= multiplier[b * (t->intervals + 1) + k] * bound->scale * rise / t->h;
    }
  }
  return sum;
}

double transcription_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size)
{
  const size_t n = t->n;
  double largest = 0, most[N] = { 0 }; /* of every joint, so that joints are side by side in vectors */
  double by_duration = t->by_duration ? t->total + rates_shrink(t, multiplier) : 0;
  for (size_t p = 0; p < t->points; p++) {
    struct point_pull pull;
    transcription_pull(t, p, multiplier, &pull);
    chain(t, p, &pull);
    for (size_t a = 0; a < 4; a++) {
      double *restrict out = gradient + (transcription_interval(t, p) + a) * n;
      const double b[4] = { t->basis[p][0][a], t->basis[p][1][a], t->basis[p][2][a], t->basis[p][3][a] };
      for (size_t j = 0; j < n; j++) {
        const double sum =
            b[0] * pull.motion[0][j] + b[1] * pull.motion[1][j] + b[2] * pull.motion[2][j] + b[3] * pull.motion[3][j];
        out[j] += sum;
        most[j] = fabs(sum) > most[j] ? fabs(sum) : most[j];
      }
    }
    for (size_t r = 0; r < 4 && t->by_duration; r++)
      for (size_t j = 0; j < n; j++) by_duration += pull.motion[r][j] * t->by_duration[(p * 5 + r) * n + j];
  }
  for (size_t j = 0; j < n; j++) largest = fmax(largest, most[j]);
  for (size_t b = 0; b < t->bound_count && multiplier; b++)
    if (t->bounds[b].kind == ARMDYN_LIMIT_VELOCITY)
      by_duration += velocity_bound_pull(t, &t->bounds[b], multiplier + b * (t->intervals + 1), gradient, &largest);
  if (size) *size = largest;
  return by_duration;
}

/* J: rows of torque by the 4 n controls of a point */
static void control_jacobian(const struct transcription *t, size_t p, double *J)
{
  const size_t n = t->n;
  const double *Q = transcription_slopes(t, p, 0), *V = transcription_slopes(t, p, 1),
               *M = transcription_slopes(t, p, 2);
  for (size_t i = 0; i < n; i++)
    for (size_t a = 0; a < 4; a++) {
      const double b0 = t->basis[p][0][a], b1 = t->basis[p][1][a], b2 = t->basis[p][2][a];
      for (size_t j = 0; j < n; j++) J[(i * 4 + a) * n + j] = b0 * Q[i * n + j] + b1 * V[i * n + j] + b2 * M[i * n + j];
    }
}

/* Where second derivatives of one interval are added up. */
struct block {
  size_t width;
  double *H, *mixed, *corner; /* mixed NULL: a given duration */
};

static struct block block_at(const struct transcription *t, size_t interval, double *H, struct duration_bend *bend)
{
  const size_t width = 4 * t->n, at = interval * t->n;
  return (struct block){ width, H + at * width, t->by_duration ? bend->mixed + at : NULL,
                         t->by_duration ? &bend->corner : NULL };
}

/* weight times the square of (row, by_duration), for some rows of the torques' Jacobian: where a basis function is zero, as
 * the last one is at a knot, so are their columns.
 *   by_duration  in  NULL: a given duration */
static void squares_add(const struct transcription *t, size_t p, const struct block *block, const double *weight,
                        const double *J, const double *by_duration)
{
  const size_t n = t->n, width = block->width;
  double(*b)[4] = t->basis[p];
  const bool first = b[0][0] == 0 && b[1][0] == 0 && b[2][0] == 0;
  const bool last = b[0][3] == 0 && b[1][3] == 0 && b[2][3] == 0;
  const struct band_rows rows = { n, width - (first ? n : 0) - (last ? n : 0), width, weight, J + (first ? n : 0) };
  band_squares_add(&rows, width, block->H + (first ? n * width : 0));
  for (size_t i = 0; i < n && by_duration; i++) {
    for (size_t a = 0; a < width; a++) block->mixed[a] += weight[i] * by_duration[i] * J[i * width + a];
    *block->corner += weight[i] * by_duration[i] * by_duration[i];
  }
}

/* The same for one row that may have any columns. */
static void square_add(const struct block *block, double weight, const double *row, double by_duration)
{
  const size_t width = block->width;
  if (weight == 0) return;
  band_squares_add(&(struct band_rows){ 1, width, width, &weight, row }, width, block->H);
  if (!block->mixed) return;
  for (size_t a = 0; a < width; a++) block->mixed[a] += weight * by_duration * row[a];
  *block->corner += weight * by_duration * by_duration;
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

/* Limits of position, velocity, acceleration and jerk touch one joint each. */
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

static void rate_squares_add(const struct transcription *t, const double *stiffness, double *H,
                             struct duration_bend *bend)
{
  double row[4 * N];
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    if (bound->kind != ARMDYN_LIMIT_TORQUE_RATE) continue;
    for (size_t k = 0; k < t->intervals; k++) {
      const double by_duration = torque_rate_row(t, k, bound->joint, row);
      const struct block block = block_at(t, k, H, bend);
      square_add(&block, stiffness[b * (t->intervals + 1) + k] * bound->scale * bound->scale, row, by_duration);
    }
  }
}

/* Limits of torques with a friction of their own */
static void shifted_squares_add(const struct transcription *t, const double *stiffness, double *H,
                                struct duration_bend *bend)
{
  const size_t n = t->n;
  double J[4 * N * N];
  for (size_t k = 0; k <= t->intervals; k++) {
    const struct block block = block_at(t, transcription_interval(t, 2 * k), H, bend);
    const double *by = t->by_duration ? t->by_duration + 2 * k * 5 * n : NULL;
    control_jacobian(t, 2 * k, J);
    for (size_t b = 0; b < t->bound_count; b++) {
      const struct bound *bound = &t->bounds[b];
      const double slope = torque_bound_at(t, bound, k)->slope;
      const size_t j = bound->joint;
      double row[4 * N];
      if (slope == 0) continue;
      memcpy(row, J + j * 4 * n, 4 * n * sizeof *row);
      for (size_t a = 0; a < 4; a++) row[a * n + j] += slope * t->basis[2 * k][1][a];
      square_add(&block, stiffness[b * (t->intervals + 1) + k] * bound->scale * bound->scale, row,
                 by ? by[4 * n + j] + slope * by[n + j] : 0);
    }
  }
}

/* The limit of the tool's speed, and the squares that its value is made of */
static void tool_squares_add(const struct transcription *t, const struct bound *bound, const double *stiffness,
                             const double *multiplier, double *H, struct duration_bend *bend)
{
  const size_t n = t->n;
  for (size_t k = 0; k <= t->intervals; k++) {
    const struct block block = block_at(t, transcription_interval(t, 2 * k), H, bend);
    const double *by = t->by_duration ? t->by_duration + 2 * k * 5 * n : NULL;
    if (!transcription_bounds(t, bound, k)) continue;
    for (size_t part = 0; part < 4; part++) {
      const double *slopes = tool_bound_slopes(t, k, part);
      double row[4 * N] = { 0 }, by_duration = 0;
      for (size_t r = 0; r < 2; r++)
        for (size_t j = 0; j < n; j++) {
          for (size_t a = 0; a < 4; a++) row[a * n + j] += t->basis[2 * k][r][a] * slopes[r * n + j];
          if (by) by_duration += slopes[r * n + j] * by[r * n + j];
        }
      square_add(&block, part == 0 ? stiffness[k] : multiplier[k], row, by_duration);
    }
  }
}

/* What log T bends besides squares: the weights of the quadrature grow with it, and derivative r falls with its power. */
static void duration_bend_add(const struct transcription *t, const double *multiplier, struct duration_bend *bend)
{
  const size_t n = t->n;
  bend->corner += 2 * transcription_gradient(t, NULL, bend->mixed, NULL) - t->total;
  for (size_t p = 0; p < t->points; p++) {
    double *mixed = bend->mixed + transcription_interval(t, p) * n;
    const double *by = t->by_duration + p * 5 * n;
    struct point_pull pull;
    transcription_pull(t, p, multiplier, &pull);
    chain(t, p, &pull);
    for (size_t r = 1; r < 4; r++)
      for (size_t j = 0; j < n; j++) {
        const double share = (double)r * pull.motion[r][j];
        for (size_t a = 0; a < 4; a++) mixed[a * n + j] -= share * t->basis[p][r][a];
        bend->corner -= share * by[r * n + j];
      }
  }
}

void transcription_gauss_newton(const struct transcription *t, const double *stiffness, const double *multiplier,
                                double *H, struct duration_bend *bend)
{
  const size_t n = t->n, width = 4 * n;
  double J[4 * N * N], row[4 * N];
  struct cost_bend squares;
  memset(H, 0, t->controls * n * width * sizeof *H);
  if (t->by_duration) memset(bend->mixed, 0, t->controls * n * sizeof *bend->mixed), bend->corner = 0;
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    const struct block block = block_at(t, transcription_interval(t, p), H, bend);
    const double *by = t->by_duration ? t->by_duration + (p * 5 + 4) * n : NULL;
    struct point_pull pull;
    collect(t, p, stiffness, true, &pull);
    cost_bend(&t->cost, t->q + at, t->qd + at, t->tau + at, quadrature_weight(t, p), &squares);
    control_jacobian(t, p, J);
    for (size_t i = 0; i < n; i++) pull.torque[i] += squares.tau[i];
    squares_add(t, p, &block, pull.torque, J, by);
    for (size_t k = 0; k < squares.count; k++) {
      const double by_duration = square_row(t, p, &squares.squares[k], J, row);
      square_add(&block, squares.squares[k].weight, row, by_duration);
    }
    if (p % 2 == 0) motion_squares_add(t, p, &pull, &block);
  }
  for (size_t b = 0; b < t->bound_count; b++) {
    const size_t first = b * (t->intervals + 1);
    if (t->bounds[b].kind == ARMDYN_LIMIT_VELOCITY)
      velocity_bound_bend(t, &t->bounds[b], stiffness + first, multiplier + first, H, bend);
    if (t->bounds[b].kind == BOUND_TOOL_SPEED)
      tool_squares_add(t, &t->bounds[b], stiffness + first, multiplier + first, H, bend);
  }
  if (t->rated) rate_squares_add(t, stiffness, H, bend);
  if (t->wary) shifted_squares_add(t, stiffness, H, bend);
  if (t->by_duration) duration_bend_add(t, multiplier, bend);
}

void transcription_dent_add(const struct transcription *t, double *S, struct duration_bend *bend)
{
  const size_t n = t->n;
  double J[4 * N * N], row[4 * N];
  struct cost_bend squares;
  if (!cost_is_dented(&t->cost)) return;
  for (size_t p = 0; p < t->points; p++) {
    const size_t at = p * n;
    const struct block block = block_at(t, transcription_interval(t, p), S, bend);
    cost_dent(&t->cost, t->q + at, t->qd + at, t->tau + at, quadrature_weight(t, p), &squares);
    control_jacobian(t, p, J);
    for (size_t k = 0; k < squares.count; k++) {
      const double by_duration = square_row(t, p, &squares.squares[k], J, row);
      square_add(&block, squares.squares[k].weight, row, by_duration);
    }
  }
}

static double change_of(const struct transcription *t, const struct bound *b, double x[5][N], const double *step,
                        double duration_step, size_t knot)
{
  if (b->kind == ARMDYN_LIMIT_TORQUE)
    return x[4][b->joint] + (t->wary ? torque_bound_at(t, b, knot)->slope * x[ARMDYN_LIMIT_VELOCITY][b->joint] : 0);
  if (b->kind == ARMDYN_LIMIT_VELOCITY)
    return velocity_bound_value(t, step, knot, b->joint) +
           (t->by_duration ? duration_step * velocity_bound_by_duration(t, t->at, knot, b->joint) : 0);
  if (b->kind == BOUND_TOOL_SPEED) {
    const double *slopes = tool_bound_slopes(t, knot, 0);
    double sum = 0;
    for (size_t j = 0; j < t->n; j++) sum += slopes[j] * x[0][j] + slopes[t->n + j] * x[1][j];
    return sum;
  }
  if (b->kind != ARMDYN_LIMIT_TORQUE_RATE) return x[b->kind][b->joint];
  if (knot == t->intervals) return 0;
  double row[4 * N], sum = torque_rate_row(t, knot, b->joint, row) * duration_step;
  for (size_t a = 0; a < 4 * t->n; a++) sum += row[a] * step[knot * t->n + a];
  return sum;
}

void transcription_room_change(const struct transcription *t, const double *step, double duration_step, double *change)
{
  const size_t n = t->n;
  for (size_t k = 0; k <= t->intervals; k++) {
    double x[5][N];
    for (size_t r = 0; r < 4; r++) {
      combine_all(t, step, 2 * k, r, x[r]);
      for (size_t j = 0; j < n && t->by_duration; j++)
        x[r][j] += duration_step * t->by_duration[(2 * k * 5 + r) * n + j];
    }
    memset(x[4], 0, n * sizeof **x);
    for (size_t r = 0; r < 3; r++) slopes_apply(t, 2 * k, r, x[r], x[4]);
    for (size_t b = 0; b < t->bound_count; b++) {
      const struct bound *bound = &t->bounds[b];
      change[b * (t->intervals + 1) + k] = -bound->scale * change_of(t, bound, x, step, duration_step, k);
    }
  }
}
