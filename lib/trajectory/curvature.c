/* The second derivatives of lambda . tau at every point: differences of the analytic first derivatives, by q and by qd
 * (by qdd there are none but M's, and the torque is quadratic in qd). Friction is left out: where it changes its sign its
 * curvature is a spike that Newton steps do not profit from. */
#include <math.h>

#include "armdyn/derivatives.h"
#include "lib/trajectory/transcription.h"

enum { N = ARMDYN_JOINTS_MAX };
static const double STEP = 1e-6;

/* d(lambda . tau) by q, qd, qdd */
struct slopes {
  double by[3][N];
};
/* blocks [r][s]: derivative by element l of q^(r) and j of q^(s) */
struct curvature {
  double qq[N][N], qv[N][N], qa[N][N], vv[N][N];
};

static void slopes_at(const struct transcription *t, const double *q, const double *qd, const double *qdd,
                      const double *lambda, struct slopes *out)
{
  const size_t n = t->n;
  const struct armdyn_load load = { .frictionless = true };
  double D[3][N * N];
  armdyn_inverse_dynamics_derivatives(t->robot, q, qd, qdd, &load, t->workspace, D[0], D[1], D[2]);
  memset(out, 0, sizeof *out);
  for (size_t r = 0; r < 3; r++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) out->by[r][j] += lambda[i] * D[r][i * n + j];
}

static void curvature_at(const struct transcription *t, size_t p, const double *lambda, struct curvature *c)
{
  const size_t n = t->n;
  const double *qdd = t->qdd + p * n;
  double q[N], qd[N];
  struct slopes base, moved;
  memcpy(q, t->q + p * n, n * sizeof *q);
  memcpy(qd, t->qd + p * n, n * sizeof *qd);
  slopes_at(t, q, qd, qdd, lambda, &base);
  for (size_t l = 0; l < n; l++) {
    q[l] += STEP;
    slopes_at(t, q, qd, qdd, lambda, &moved);
    q[l] = t->q[p * n + l];
    for (size_t j = 0; j < n; j++) {
      c->qq[l][j] = (moved.by[0][j] - base.by[0][j]) / STEP;
      c->qv[l][j] = (moved.by[1][j] - base.by[1][j]) / STEP;
      c->qa[l][j] = (moved.by[2][j] - base.by[2][j]) / STEP;
    }
    qd[l] += 1;
    slopes_at(t, q, qd, qdd, lambda, &moved);
    qd[l] = t->qd[p * n + l];
    for (size_t j = 0; j < n; j++) c->vv[l][j] = moved.by[1][j] - base.by[1][j];
  }
}

static void add(const struct transcription *t, size_t p, const struct curvature *c, double *S)
{
  const size_t n = t->n, width = 4 * n, k = p / 2 < t->intervals ? p / 2 : t->intervals - 1;
  double(*B)[4] = t->basis[p];
  for (size_t a = 0; a < 4; a++)
    for (size_t b = a; b < 4; b++)
      for (size_t l = 0; l < n; l++)
        for (size_t j = a == b ? l : 0; j < n; j++)
          S[((k + a) * n + l) * width + (b - a) * n + j - l] +=
              B[0][a] * B[0][b] * (c->qq[l][j] + c->qq[j][l]) / 2 + B[0][a] * B[1][b] * c->qv[l][j] +
              B[1][a] * B[0][b] * c->qv[j][l] + B[0][a] * B[2][b] * c->qa[l][j] + B[2][a] * B[0][b] * c->qa[j][l] +
              B[1][a] * B[1][b] * (c->vv[l][j] + c->vv[j][l]) / 2;
}

void transcription_curvature(const struct transcription *t, const double *multiplier, double *S)
{
  const size_t n = t->n;
  struct curvature c;
  memset(S, 0, t->controls * n * 4 * n * sizeof *S);
  for (size_t p = 0; p < t->points; p++) {
    double lambda[N];
    transcription_torque_pull(t, p, multiplier, lambda);
    curvature_at(t, p, lambda, &c);
    add(t, p, &c, S);
  }
}
