#include "lib/math/nonnegative.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"

/* Relative to the scale of S and d: what is smaller is rounding. */
static const double ROUNDING = 1e-12;

struct minimum {
  size_t n;
  const double *S, *d;
  double *x, *free_x, *A, *scale; /* n, n, n x n, n */
  double *is_free;                /* n: 1 or 0 */
};

/* The element whose growth from 0 lowers the function fastest, or n. */
static size_t steepest(const struct minimum *m)
{
  size_t best = m->n;
  double least = 0;
  for (size_t i = 0; i < m->n; i++) {
    double slope = m->d[i], size = fabs(m->d[i]);
    for (size_t k = 0; k < m->n; k++) {
      slope += m->S[i * m->n + k] * m->x[k];
      size += fabs(m->S[i * m->n + k] * m->x[k]);
    }
    const double curvature = m->S[i * m->n + i];
    if (m->is_free[i] > 0 || !(curvature > 0) || slope >= -ROUNDING * size) continue;
    const double gain = slope / sqrt(curvature);
    if (gain >= least) continue;
    least = gain;
    best = i;
  }
  return best;
}

/* Over the free elements alone, wherever their signs lead: S_ff x_f = -d_f. False: S is flat there. */
static bool solve_free(const struct minimum *m)
{
  size_t f = 0;
  for (size_t i = 0; i < m->n; i++) {
    if (!(m->is_free[i] > 0)) continue;
    for (size_t k = 0, column = 0; k <= i; k++) {
      if (m->is_free[k] > 0) m->A[f * m->n + column++] = m->S[i * m->n + k];
    }
    m->free_x[f++] = -m->d[i];
  }
  for (size_t i = 1; i < f; i++) memmove(m->A + i * f, m->A + i * m->n, f * sizeof *m->A);
  if (!scaled_cholesky_factor(f, m->A, m->scale)) return false;
  scaled_cholesky_solve(f, m->A, m->scale, m->free_x);
  return true;
}

/* From x to free_x, at most as far as none becomes negative. True: all the way. */
static bool go(const struct minimum *m)
{
  double part = 1;
  size_t stops = m->n;
  for (size_t i = 0, f = 0; i < m->n; i++) {
    if (!(m->is_free[i] > 0)) continue;
    const double to = m->free_x[f++];
    if (to > 0 || !(m->x[i] / (m->x[i] - to) < part)) continue;
    part = m->x[i] / (m->x[i] - to);
    stops = i;
  }
  for (size_t i = 0, f = 0; i < m->n; i++) {
    if (m->is_free[i] > 0) m->x[i] += part * (m->free_x[f++] - m->x[i]);
  }
  if (stops == m->n) return true;
  m->x[stops] = m->is_free[stops] = 0;
  return false;
}

void nonnegative_minimum(size_t n, const double *S, const double *d, double *x, double *scratch)
{
  const struct minimum m = { n, S, d, x, scratch, scratch + n, scratch + n + n * n, scratch + 2 * n + n * n };
  memset(x, 0, n * sizeof *x);
  memset(m.is_free, 0, n * sizeof *m.is_free);
  for (size_t round = 0; round < 3 * n; round++) {
    const size_t grows = steepest(&m);
    if (grows == n) return;
    m.is_free[grows] = 1;
    while (solve_free(&m)) {
      if (go(&m)) break;
    }
  }
}
