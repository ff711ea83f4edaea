#include "lib/trajectory/transcription.h"

#include <math.h>

#include "armdyn/derivatives.h"
#include "lib/trajectory/bspline.h"

enum { N = ARMDYN_JOINTS_MAX };

void transcription_carve(struct transcription *t, struct carve *c)
{
  const size_t n = t->n;
  t->points = 2 * t->intervals + 1;
  t->controls = t->intervals + 3;
  t->basis = carve(c, t->points, sizeof *t->basis);
  t->q = carve(c, t->points * n, sizeof *t->q);
  t->qd = carve(c, t->points * n, sizeof *t->qd);
  t->qdd = carve(c, t->points * n, sizeof *t->qdd);
  t->tau = carve(c, t->points * n, sizeof *t->tau);
  t->jacobian = carve(c, t->points * 3 * n * n, sizeof *t->jacobian);
  t->room = carve(c, t->bound_count * (t->intervals + 1), sizeof *t->room);
}

static size_t interval_of(const struct transcription *t, size_t point)
{
  return point / 2 < t->intervals ? point / 2 : t->intervals - 1;
}

void transcription_init(struct transcription *t)
{
  for (size_t p = 0; p < t->points; p++) {
    const size_t k = interval_of(t, p);
    bspline_basis(t->intervals, t->h, k, (double)p / 2 - (double)k, t->basis[p]);
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
  const bool end = knot == 0 || knot == t->intervals;
  switch (b->kind) {
  case ARMDYN_LIMIT_POSITION:
  case ARMDYN_LIMIT_VELOCITY: return !end;
  case ARMDYN_LIMIT_ACCELERATION: return !end || t->fixed < 3;
  case ARMDYN_LIMIT_JERK: return knot < t->intervals;
  default: return true;
  }
}

/* Derivative r of the spline of one joint at a point */
static double combine(const struct transcription *t, const double *controls, size_t point, size_t r, size_t joint)
{
  const double *b = t->basis[point][r], *c = controls + interval_of(t, point) * t->n + joint;
  return b[0] * c[0] + b[1] * c[t->n] + b[2] * c[2 * t->n] + b[3] * c[3 * t->n];
}

static double value_at(const struct transcription *t, const struct bound *b, const double *controls, size_t knot)
{
  if (b->kind == ARMDYN_LIMIT_TORQUE) return t->tau[2 * knot * t->n + b->joint];
  return combine(t, controls, 2 * knot, (size_t)b->kind, b->joint);
}

double transcription_evaluate(struct transcription *t, const double *controls)
{
  const size_t n = t->n;
  double cost = 0;
  for (size_t p = 0; p < t->points; p++) {
    for (size_t j = 0; j < n; j++) {
      t->q[p * n + j] = combine(t, controls, p, 0, j);
      t->qd[p * n + j] = combine(t, controls, p, 1, j);
      t->qdd[p * n + j] = combine(t, controls, p, 2, j);
    }
  }
  const struct armdyn_samples samples = {
    .count = t->points, .q = { t->q, n }, .qd = { t->qd, n }, .qdd = { t->qdd, n }
  };
  armdyn_inverse_dynamics_batch(t->robot, &samples, t->workspace, t->tau);
  for (size_t p = 0; p < t->points; p++) {
    const double *tau = t->tau + p * n;
    for (size_t j = 0; j < n; j++) cost += quadrature_weight(t, p) * t->weights[j] * tau[j] * tau[j];
  }
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    double *room = t->room + b * (t->intervals + 1);
    for (size_t k = 0; k <= t->intervals; k++) room[k] = bound->most - bound->scale * value_at(t, bound, controls, k);
  }
  return cost;
}

void transcription_differentiate(struct transcription *t)
{
  const size_t n = t->n;
  for (size_t p = 0; p < t->points; p++) {
    double *D = t->jacobian + p * 3 * n * n;
    armdyn_inverse_dynamics_derivatives(t->robot, t->q + p * n, t->qd + p * n, t->qdd + p * n, NULL, t->workspace, D,
                                        D + n * n, D + 2 * n * n);
  }
}

/* What pulls at one point: on the torques, and on derivative r of the position. */
struct point_pull {
  double torque[N], motion[4][N];
};

/* Sum over the bounds of factor . amount at a knot. */
static void collect(const struct transcription *t, size_t point, const double *amount, bool squared,
                    struct point_pull *out)
{
  memset(out, 0, sizeof *out);
  if (point % 2 || !amount) return;
  const size_t knot = point / 2;
  for (size_t b = 0; b < t->bound_count; b++) {
    const struct bound *bound = &t->bounds[b];
    if (!transcription_bounds(t, bound, knot)) continue;
    const double x = amount[b * (t->intervals + 1) + knot] * bound->scale * (squared ? bound->scale : 1);
    if (bound->kind == ARMDYN_LIMIT_TORQUE)
      out->torque[bound->joint] += x;
    else
      out->motion[bound->kind][bound->joint] += x;
  }
}

void transcription_torque_pull(const struct transcription *t, size_t point, const double *multiplier, double *pull)
{
  struct point_pull x;
  collect(t, point, multiplier, false, &x);
  for (size_t i = 0; i < t->n; i++)
    pull[i] = x.torque[i] + 2 * quadrature_weight(t, point) * t->weights[i] * t->tau[point * t->n + i];
}

void transcription_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size)
{
  const size_t n = t->n;
  double largest = 0;
  for (size_t p = 0; p < t->points; p++) {
    const double *D = t->jacobian + p * 3 * n * n;
    struct point_pull pull;
    collect(t, p, multiplier, false, &pull);
    transcription_torque_pull(t, p, multiplier, pull.torque);
    for (size_t r = 0; r < 3; r++)
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) pull.motion[r][j] += D[(r * n + i) * n + j] * pull.torque[i];
    for (size_t a = 0; a < 4; a++)
      for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t r = 0; r < 4; r++) sum += t->basis[p][r][a] * pull.motion[r][j];
        gradient[(interval_of(t, p) + a) * n + j] += sum;
        largest = fmax(largest, fabs(sum));
      }
  }
  if (size) *size = largest;
}

/* J: rows of torque by the 4 n controls of a point */
static void control_jacobian(const struct transcription *t, size_t p, double *J)
{
  const size_t n = t->n;
  const double *Q = t->jacobian + p * 3 * n * n, *V = Q + n * n, *M = V + n * n;
  for (size_t i = 0; i < n; i++)
    for (size_t a = 0; a < 4; a++) {
      const double b0 = t->basis[p][0][a], b1 = t->basis[p][1][a], b2 = t->basis[p][2][a];
      for (size_t j = 0; j < n; j++) J[(i * 4 + a) * n + j] = b0 * Q[i * n + j] + b1 * V[i * n + j] + b2 * M[i * n + j];
    }
}

void transcription_gauss_newton(const struct transcription *t, const double *stiffness, double *H)
{
  const size_t n = t->n, width = 4 * n;
  double J[4 * N * N];
  memset(H, 0, t->controls * n * width * sizeof *H);
  for (size_t p = 0; p < t->points; p++) {
    const double w = quadrature_weight(t, p);
    double *block = H + interval_of(t, p) * n * width;
    struct point_pull pull;
    collect(t, p, stiffness, true, &pull);
    control_jacobian(t, p, J);
    for (size_t i = 0; i < n; i++) {
      const double *row = J + i * width, W = 2 * w * t->weights[i] + pull.torque[i];
      for (size_t a = 0; a < width; a++) {
        double *restrict out = block + a * width;
        const double *restrict tail = row + a, factor = W * row[a];
        for (size_t b = 0; b < width - a; b++) out[b] += factor * tail[b];
      }
    }
    if (p % 2) continue;
    for (size_t r = 0; r < 4; r++)
      for (size_t a = 0; a < 4; a++)
        for (size_t b = a; b < 4; b++)
          for (size_t j = 0; j < n; j++)
            block[(a * n + j) * width + (b - a) * n] += t->basis[p][r][a] * t->basis[p][r][b] * pull.motion[r][j];
  }
}

void transcription_room_change(const struct transcription *t, const double *step, double *change)
{
  const size_t n = t->n;
  for (size_t k = 0; k <= t->intervals; k++) {
    const double *D = t->jacobian + 2 * k * 3 * n * n;
    double x[4][N], tau[N] = { 0 };
    for (size_t r = 0; r < 4; r++)
      for (size_t j = 0; j < n; j++) x[r][j] = combine(t, step, 2 * k, r, j);
    for (size_t r = 0; r < 3; r++)
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) tau[i] += D[(r * n + i) * n + j] * x[r][j];
    for (size_t b = 0; b < t->bound_count; b++) {
      const struct bound *bound = &t->bounds[b];
      const double value = bound->kind == ARMDYN_LIMIT_TORQUE ? tau[bound->joint] : x[bound->kind][bound->joint];
      change[b * (t->intervals + 1) + k] = -bound->scale * value;
    }
  }
}
