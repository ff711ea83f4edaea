#include "lib/math/triangle.h"

#include <math.h>
#include <string.h>

void triangle_update(size_t n, double *R, size_t m, double *A, double *dot)
{
  for (size_t k = 0; k < n; k++) {
    double below = 0;
    for (size_t i = 0; i < m; i++) below += A[i * n + k] * A[i * n + k];
    if (below == 0) continue;
    /* v = [head; column], H = 1 - v v' factor maps [R_kk; column] to [pivot; 0] */
    double *row = R + k * n;
    const double pivot = -copysign(sqrt(row[k] * row[k] + below), row[k]), head = row[k] - pivot;
    const double factor = -1 / (pivot * head);
    for (size_t j = k + 1; j < n; j++) dot[j] = head * row[j];
    for (size_t i = 0; i < m; i++) {
      const double v = A[i * n + k];
      for (size_t j = k + 1; j < n; j++) dot[j] += v * A[i * n + j];
    }
    row[k] = pivot;
    for (size_t j = k + 1; j < n; j++) row[j] -= (dot[j] *= factor) * head;
    for (size_t i = 0; i < m; i++) {
      const double v = A[i * n + k];
      for (size_t j = k + 1; j < n; j++) A[i * n + j] -= v * dot[j];
    }
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
