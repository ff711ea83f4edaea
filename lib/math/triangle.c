#include "lib/math/triangle.h"

#include <math.h>
#include <string.h>

#include "lib/math/vector_units.h"

/* Less is what earlier columns left over by rounding; its inverse would overflow. */
static const double SQUARES_LEAST = 1e-280;

/* Every row of A loses `v dot`, v its element k, and what becomes of the rows adds up to the next column's products:
 * next[j] += A_i,k+1 A_i,j. One pass over memory for both; four rows at a time share the loads of dot and next. */
FOR_VECTOR_UNITS
static void take_off(size_t n, size_t k, size_t m, double *A, const double *restrict dot, double *restrict next)
{
  size_t i = 0;
  for (; i + 4 <= m; i += 4) {
    double *restrict a = A + i * n, *restrict b = a + n, *restrict c = b + n, *restrict d = c + n;
    const double va = a[k], vb = b[k], vc = c[k], vd = d[k], by = dot[k + 1];
    const double ua = a[k + 1] - va * by, ub = b[k + 1] - vb * by, uc = c[k + 1] - vc * by, ud = d[k + 1] - vd * by;
    for (size_t j = k + 1; j < n; j++) {
      const double x = dot[j];
      a[j] -= va * x;
      b[j] -= vb * x;
      c[j] -= vc * x;
      d[j] -= vd * x;
      next[j] += (ua * a[j] + ub * b[j]) + (uc * c[j] + ud * d[j]);
    }
  }
  for (; i < m; i++) {
    double *restrict a = A + i * n;
    const double v = a[k], u = a[k + 1] - v * dot[k + 1];
    for (size_t j = k + 1; j < n; j++) {
      a[j] -= v * dot[j];
      next[j] += u * a[j];
    }
  }
}

void triangle_update(size_t n, double *R, size_t m, double *A, double *scratch)
{
  double *dot = scratch, *next = scratch + n;
  memset(dot, 0, n * sizeof *dot);
  for (size_t i = 0; i < m; i++) {
    for (size_t j = 0; j < n; j++) dot[j] += A[i * n] * A[i * n + j];
  }
  for (size_t k = 0; k < n; k++) {
    /* v = [head; column], H = 1 - v v' factor maps [R_kk; column] to [pivot; 0]; dot[j] is column k times column j of A */
    double *row = R + k * n;
    const double below = dot[k];
    const double pivot = -copysign(sqrt(row[k] * row[k] + below), row[k]), head = row[k] - pivot;
    const bool reflects = below >= SQUARES_LEAST;
    const double factor = reflects ? -1 / (pivot * head) : 0;
    if (reflects) row[k] = pivot;
    for (size_t j = k + 1; j < n; j++) {
      dot[j] = factor * (dot[j] + head * row[j]);
      row[j] -= dot[j] * head;
    }
    if (k + 1 == n) break;
    memset(next, 0, n * sizeof *next);
    take_off(n, k, m, A, dot, next);
    double *const kept = dot;
    dot = next;
    next = kept;
  }
}

void triangle_solve(size_t k, const double *R, size_t stride, const double *z, double *x)
{
  for (size_t i = k; i-- > 0;) {
    double sum = z[i];
    for (size_t j = i + 1; j < k; j++) sum -= R[i * stride + j] * x[j];
    x[i] = sum / R[i * stride + i];
  }
}

void triangle_solve_transposed(size_t k, const double *R, size_t stride, const double *z, double *x)
{
  for (size_t i = 0; i < k; i++) {
    double sum = z[i];
    for (size_t j = 0; j < i; j++) sum -= R[j * stride + i] * x[j];
    x[i] = sum / R[i * stride + i];
  }
}

/* Rotate columns a and b so that they stand at right angles; false: they did already. */
static bool straighten(size_t m, size_t n, double *A, size_t a, size_t b)
{
  double aa = 0, bb = 0, ab = 0;
  for (size_t i = 0; i < m; i++) {
    const double x = A[i * n + a], y = A[i * n + b];
    aa += x * x;
    bb += y * y;
    ab += x * y;
  }
  if (!(fabs(ab) > 1e-14 * sqrt(aa * bb))) return false;
  const double zeta = (bb - aa) / (2 * ab), t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  for (size_t i = 0; i < m; i++) {
    const double x = A[i * n + a], y = A[i * n + b];
    A[i * n + a] = c * x - s * y;
    A[i * n + b] = s * x + c * y;
  }
  return true;
}

void singular_values(size_t m, size_t n, double *A, double *values)
{
  bool turned = true;
  for (int sweep = 0; sweep < 40 && turned; sweep++) {
    turned = false;
    for (size_t a = 0; a < n; a++) {
      for (size_t b = a + 1; b < n; b++) turned |= straighten(m, n, A, a, b);
    }
  }
  for (size_t j = 0; j < n; j++) {
    double sum = 0;
    for (size_t i = 0; i < m; i++) sum += A[i * n + j] * A[i * n + j];
    values[j] = sqrt(sum);
  }
}
