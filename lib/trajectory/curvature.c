/* The second derivatives of lambda . tau at every point, tau = M(q) qdd + c(q, qd) + g(q), by differences of the analytic
 * first derivatives by q:
 *   d2 / dq dq, d2 / dq dqd    differences of d (lambda . tau) / dq and / dqd
 *   d2 / dq dqdd               G_lj = d (M lambda)_j / dq_l
 *   d2 / dqd_l dqd_j           G_lj + G_jl - d M_lj along lambda: Christoffel's symbols, as c is quadratic in qd
 * Friction is added by the speed alone: what it bends where it changes its sign decides whether Newton's steps are good for
 * anything there. Source: Siciliano et al., Robotics, 7.2 (Christoffel's symbols). */
#include <math.h>

#include "armdyn/derivatives.h"
#include "lib/model/friction.h"
#include "lib/trajectory/lagrangian.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double STEP = 1e-6;

/* Some points at a time */
struct batch {
  const struct transcription *t;
  size_t first, count;
  double *q, *qd, *lambda; /* count x n */
  double *bend;            /* count x n, as in struct point_pull */
  double *base, *moved;    /* 3 x CURVATURE_POINTS x n: lambda . tau by q, qd, qdd */
  /* count x n x n each: derivative by element l of q^(r) and j of q^(s); where both are symmetric, so are these */
  double *qq, *qv, *qa, *vv;
};

/* Rows of a point that are read along with those of the transposed ones. */
struct transposed {
  double qv[N * N], qa[N * N];
};

static struct batch batch_at(const struct transcription *t, size_t first)
{
  const size_t n = t->n, row = CURVATURE_POINTS * n;
  struct batch b = { .t = t, .first = first, .q = t->curvature };
  b.count = t->points - first < CURVATURE_POINTS ? t->points - first : CURVATURE_POINTS;
  b.qd = b.q + row, b.lambda = b.qd + row, b.bend = b.lambda + row, b.base = b.bend + row, b.moved = b.base + 3 * row;
  b.qq = b.moved + 3 * row, b.qv = b.qq + row * n, b.qa = b.qv + row * n, b.vv = b.qa + row * n;
  memcpy(b.q, t->q + first * n, b.count * n * sizeof *b.q);
  memcpy(b.qd, t->qd + first * n, b.count * n * sizeof *b.qd);
  return b;
}

static void slopes_of(const struct batch *b, double *out)
{
  const size_t n = b->t->n, row = CURVATURE_POINTS * n;
  const struct armdyn_rows weights = { b->lambda, n };
  const struct armdyn_samples samples = { .count = b->count,
                                          .q = { b->q, n },
                                          .qd = { b->qd, n },
                                          .qdd = { b->t->qdd + b->first * n, n },
                                          .frictionless = true };
  armdyn_inverse_dynamics_adjoint_batch(b->t->robot, &samples, &weights, b->t->workspace, out, out + row,
                                        out + 2 * row);
}

/* vv = - d M along lambda */
static void mass_differences(const struct batch *b)
{
  const size_t n = b->t->n, square = n * n;
  struct armdyn_samples samples = { .count = b->count, .q = { b->q, n } };
  double *base = b->qq, step[CURVATURE_POINTS] = { 0 }; /* qq is not known yet */
  armdyn_mass_matrix_batch(b->t->robot, &samples, b->t->workspace, base);
  for (size_t p = 0; p < b->count; p++) {
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(b->lambda[p * n + j]));
    step[p] = largest > 0 ? STEP / largest : 0;
    for (size_t j = 0; j < n; j++) b->q[p * n + j] += step[p] * b->lambda[p * n + j];
  }
  armdyn_mass_matrix_batch(b->t->robot, &samples, b->t->workspace, b->vv);
  for (size_t p = 0; p < b->count; p++)
    for (size_t i = p * square; i < (p + 1) * square; i++) b->vv[i] = step[p] > 0 ? (base[i] - b->vv[i]) / step[p] : 0;
  memcpy(b->q, b->t->q + b->first * n, b->count * n * sizeof *b->q);
}

static void differences(const struct batch *b, size_t l)
{
  const size_t n = b->t->n, size = CURVATURE_POINTS * n;
  for (size_t p = 0; p < b->count; p++) b->q[p * n + l] += STEP;
  slopes_of(b, b->moved);
  for (size_t p = 0; p < b->count; p++) {
    const double *base = b->base + p * n, *moved = b->moved + p * n;
    const size_t row = (p * n + l) * n;
    b->q[p * n + l] = b->t->q[(b->first + p) * n + l];
    for (size_t j = 0; j < n; j++) {
      b->qq[row + j] = (moved[j] - base[j]) / STEP;
      b->qv[row + j] = (moved[size + j] - base[size + j]) / STEP;
      b->qa[row + j] = (moved[2 * size + j] - base[2 * size + j]) / STEP;
    }
  }
}

/* What differences leave unsymmetrical, and the rest of vv. */
static void symmetrize(const struct batch *b)
{
  const size_t n = b->t->n;
  for (size_t p = 0; p < b->count; p++) {
    double *qq = b->qq + p * n * n, *vv = b->vv + p * n * n;
    const double *qa = b->qa + p * n * n;
    for (size_t l = 0; l < n; l++)
      for (size_t j = l; j < n; j++) {
        qq[l * n + j] = qq[j * n + l] = (qq[l * n + j] + qq[j * n + l]) / 2;
        vv[l * n + j] = vv[j * n + l] = (vv[l * n + j] + vv[j * n + l]) / 2 + qa[l * n + j] + qa[j * n + l];
      }
  }
}

/* The bend of friction over the speed, by differences of its slopes. */
static void friction_add(const struct batch *b)
{
  const size_t n = b->t->n;
  for (size_t p = 0; p < b->count; p++)
    for (size_t j = 0; j < n; j++) {
      const double q = b->q[p * n + j], qd = b->qd[p * n + j];
      const double h = 1e-2 * armdyn_robot_description(b->t->robot)->joints[j].velocity_scale;
      double ignored, up, down;
      friction_slopes(b->t->robot, j, q, qd + h, &ignored, &up);
      friction_slopes(b->t->robot, j, q, qd - h, &ignored, &down);
      b->vv[(p * n + j) * n + j] += b->lambda[p * n + j] * (up - down) / (2 * h) + b->bend[p * n + j];
    }
}

/* The bends of limited values beside those of the torques */
static void bounds_add(const struct batch *b, const double *multiplier)
{
  const struct transcription *t = b->t;
  const size_t n = t->n;
  for (size_t i = 0; i < t->bound_count && multiplier; i++) {
    const struct bound_kind *kind = bound_kinds[t->bounds[i].kind];
    if (!kind->bend) continue;
    const double *row = multiplier + i * (t->intervals + 1);
    for (size_t p = b->first % 2; p < b->count; p += 2) {
      const size_t knot = (b->first + p) / 2;
      if (kind->applies(t, &t->bounds[i], knot))
        kind->bend(t, &t->bounds[i], row[knot], knot, b->qq + p * n * n, b->qv + p * n * n);
    }
  }
}

static void transpose(size_t n, const double *A, double *out)
{
  for (size_t l = 0; l < n; l++)
    for (size_t j = 0; j < n; j++) out[j * n + l] = A[l * n + j];
}

/* Second derivatives of one point, n x n each, and the transposed ones of those that are not symmetric */
struct bends {
  const double *qq, *qv, *vq, *qa, *aq, *vv;
};

/* block += what they are in the four controls of the point. With a number of joints that the compiler knows there is no
 * counting. */
static inline __attribute__((always_inline)) void block_add(size_t n, double (*B)[4], const struct bends *x,
                                                            double *block)
{
  for (size_t a = 0; a < 4; a++)
    for (size_t b = a; b < 4; b++) {
      const double bqq = B[0][a] * B[0][b], bvv = B[1][a] * B[1][b];
      const double bqv = B[0][a] * B[1][b], bvq = B[1][a] * B[0][b], bqa = B[0][a] * B[2][b], baq = B[2][a] * B[0][b];
      for (size_t l = 0; l < n; l++) {
        const double *qq = x->qq + l * n, *qv = x->qv + l * n, *vq = x->vq + l * n;
        const double *qa = x->qa + l * n, *aq = x->aq + l * n, *vv = x->vv + l * n;
        double *restrict out = block + (a * n + l) * 4 * n + (b - a) * n - l;
        for (size_t j = a == b ? l : 0; j < n; j++)
          out[j] += bqq * qq[j] + bqv * qv[j] + bvq * vq[j] + bqa * qa[j] + baq * aq[j] + bvv * vv[j];
      }
    }
}

static void add(const struct batch *batch, size_t i, double *S)
{
  const struct transcription *t = batch->t;
  const size_t n = t->n, p = batch->first + i, at = i * n * n;
  double *block = S + transcription_interval(t, p) * n * 4 * n;
  struct transposed across;
  transpose(n, batch->qv + at, across.qv);
  transpose(n, batch->qa + at, across.qa);
  const struct bends x = { batch->qq + at, batch->qv + at, across.qv, batch->qa + at, across.qa, batch->vv + at };
  switch (n) {
  case 6: block_add(6, t->basis[p], &x, block); break;
  case 7: block_add(7, t->basis[p], &x, block); break;
  default: block_add(n, t->basis[p], &x, block); break;
  }
}

/* The same with the change of the motion by log T on one side, and on both. */
static void add_duration(const struct batch *batch, size_t i, struct duration_bend *bend)
{
  const struct transcription *t = batch->t;
  const size_t n = t->n, p = batch->first + i;
  const double *qq = batch->qq + i * n * n, *qv = batch->qv + i * n * n, *qa = batch->qa + i * n * n;
  const double *vv = batch->vv + i * n * n, *x = t->by_duration + p * 5 * n, *v = x + n, *w = v + n;
  double *mixed = bend->mixed + transcription_interval(t, p) * n;
  for (size_t l = 0; l < n; l++) {
    double by[3] = { 0 }; /* row l of the form times (x, v, w) */
    for (size_t j = 0; j < n; j++) {
      const size_t at = l * n + j, across = j * n + l;
      by[0] += qq[at] * x[j] + qv[at] * v[j] + qa[at] * w[j];
      by[1] += qv[across] * x[j] + vv[at] * v[j];
      by[2] += qa[across] * x[j];
    }
    for (size_t r = 0; r < 3; r++)
      for (size_t a = 0; a < 4; a++) mixed[a * n + l] += t->basis[p][r][a] * by[r];
    bend->corner += x[l] * by[0] + v[l] * by[1] + w[l] * by[2];
  }
}

void lagrangian_curvature(const struct transcription *t, const double *multiplier, double *S,
                          struct duration_bend *bend)
{
  const size_t n = t->n;
  memset(S, 0, t->controls * n * 4 * n * sizeof *S);
  if (t->by_duration) memset(bend->mixed, 0, t->controls * n * sizeof *bend->mixed), bend->corner = 0;
  for (size_t first = 0; first < t->points; first += CURVATURE_POINTS) {
    const struct batch b = batch_at(t, first);
    for (size_t p = 0; p < b.count; p++) {
      struct point_pull pull;
      lagrangian_pull(t, first + p, multiplier, &pull);
      memcpy(b.lambda + p * n, pull.torque, n * sizeof *b.lambda);
      memcpy(b.bend + p * n, pull.bend, n * sizeof *b.bend);
    }
    slopes_of(&b, b.base);
    mass_differences(&b);
    for (size_t l = 0; l < n; l++) differences(&b, l);
    friction_add(&b);
    bounds_add(&b, multiplier);
    symmetrize(&b);
    for (size_t p = 0; p < b.count; p++) {
      add(&b, p, S);
      if (t->by_duration) add_duration(&b, p, bend);
    }
  }
  lagrangian_dent_add(t, S, bend);
}
