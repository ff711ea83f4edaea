#include "lib/trajectory/kkt.h"

#include <math.h>
#include <string.h>

#include "lib/math/band.h"

void kkt_carve(struct kkt *k, struct carve *c)
{
  const size_t u = k->unknowns, e = k->equations;
  k->mixed = carve_zeroed(c, u * k->order, sizeof(double));
  k->equal = carve_zeroed(c, e * k->order, sizeof(double));
  k->solved = carve(c, (u + e) * k->order, sizeof(double));
  k->corner = carve_zeroed(c, u * u, sizeof(double));
  k->across = carve_zeroed(c, e * u, sizeof(double));
  k->inner = carve_zeroed(c, e * e, sizeof(double));
  k->outer = carve_zeroed(c, u * u, sizeof(double));
  k->weight = carve_zeroed(c, 2 * e * u, sizeof(double));
  k->beside = carve_zeroed(c, e, sizeof(double));
  k->level = carve_zeroed(c, e, sizeof(double));
  k->spans = carve_zeroed(c, e, sizeof *k->spans);
  k->sides = carve(c, u + e > 0 ? k->order * BAND_SIDES : 0, sizeof(double));
}

static double along(const struct kkt *k, const double *a, const double *b)
{
  double sum = 0;
  for (size_t i = k->first; i < k->first + k->count; i++) sum += a[i] * b[i];
  return sum;
}

/* Row r of A times that; it is of few elements. */
static double along_equation(const struct kkt *k, size_t r, const double *x)
{
  const double *row = k->equal + r * k->order;
  double sum = 0;
  for (size_t i = k->spans[r].begin; i < k->spans[r].end; i++) sum += row[i] * x[i];
  return sum;
}

static void spans_find(struct kkt *k)
{
  for (size_t r = 0; r < k->equations; r++) {
    const double *row = k->equal + r * k->order;
    size_t begin = k->first, end = k->first + k->count;
    while (begin < end && row[begin] == 0) begin++;
    while (end > begin && row[end - 1] == 0) end--;
    k->spans[r] = (struct kkt_span){ begin, end };
  }
}

/* A dense matrix is a band as wide as itself: rows hold the upper triangle from their diagonal on. */
static void shift_up(size_t n, const double *full, double *rows, double shift)
{
  for (size_t r = 0; r < n; r++)
    for (size_t c = r; c < n; c++) rows[r * n + c - r] = full[r * n + c] + (c == r ? shift : 0);
}

/* S = A H^-1 A' with its diagonal raised by 1e-13 of itself, factored. */
static bool reduce_equations(struct kkt *k)
{
  const size_t e = k->equations;
  for (size_t i = 0; i < e; i++)
    for (size_t j = i; j < e; j++)
      k->inner[i * e + j - i] =
          along_equation(k, i, k->solved + (k->unknowns + j) * k->order) * (i == j ? 1 + 1e-13 : 1);
  return band_factor(e, e, k->inner);
}

bool kkt_reduce(struct kkt *k)
{
  const size_t u = k->unknowns, e = k->equations, size = k->order;
  double largest = 0;
  memcpy(k->solved, k->mixed, u * size * sizeof *k->solved);
  memcpy(k->solved + u * size, k->equal, e * size * sizeof *k->solved);
  spans_find(k);
  band_solve_all(k->count, k->width, k->factor + k->first * k->width, u + e, size, k->solved + k->first, k->sides);
  if (e > 0 && !reduce_equations(k)) return false;
  /* F, and S^-1 F beside it; both by unknowns, so that a column is contiguous */
  double *F = k->weight, *SF = F + e * u;
  for (size_t i = 0; i < u; i++) {
    for (size_t r = 0; r < e; r++) F[i * e + r] = k->across[r * u + i] - along_equation(k, r, k->solved + i * size);
    memcpy(SF + i * e, F + i * e, e * sizeof *F);
    if (e > 0) band_solve(e, e, k->inner, SF + i * e);
  }
  for (size_t i = 0; i < u; i++)
    for (size_t j = i; j < u; j++) {
      double *sum = &k->corner[i * u + j]; /* becomes the complement, upper triangle */
      *sum -= along(k, k->mixed + i * size, k->solved + j * size);
      for (size_t r = 0; r < e; r++) *sum += F[i * e + r] * SF[j * e + r];
      if (i == j) largest = fmax(largest, fabs(*sum));
    }
  for (double shift = 0;; shift = shift > 0 ? 4 * shift : 1e-4 * largest) {
    shift_up(u, k->corner, k->outer, shift);
    if (band_factor(u, u, k->outer)) return true;
    if (!(shift < 1e6 * largest)) return u == 0;
  }
}

void kkt_solve(struct kkt *k, double *x, double *y, const double *miss, double *lambda)
{
  const size_t u = k->unknowns, e = k->equations, size = k->order;
  const double *F = k->weight, *SF = F + e * u;
  band_solve(k->count, k->width, k->factor + k->first * k->width, x + k->first);
  for (size_t r = 0; r < e; r++) k->beside[r] = miss[r] + along_equation(k, r, x);
  memcpy(k->level, k->beside, e * sizeof *k->level);
  if (e > 0) band_solve(e, e, k->inner, k->level);
  for (size_t i = 0; i < u; i++) {
    y[i] -= along(k, k->mixed + i * size, x);
    for (size_t r = 0; r < e; r++) y[i] -= F[i * e + r] * k->level[r];
  }
  if (u > 0) band_solve(u, u, k->outer, y);
  for (size_t r = 0; r < e; r++) {
    lambda[r] = k->level[r];
    for (size_t i = 0; i < u; i++) lambda[r] += SF[i * e + r] * y[i];
  }
  for (size_t i = k->first; i < k->first + k->count; i++) {
    for (size_t c = 0; c < u; c++) x[i] -= k->solved[c * size + i] * y[c];
    for (size_t r = 0; r < e; r++) x[i] -= k->solved[(u + r) * size + i] * lambda[r];
  }
}
