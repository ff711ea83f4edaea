#include "lib/math/symmetric.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Reflect A on both sides so that column k ends below its subdiagonal element, which goes to *next. The reflector,
 * 1 - factor v v', stays in A below the diagonal of column k; answers its factor, 0 where there is nothing to do. */
static double reduce_column(size_t n, double *A, size_t k, double *next, double *w)
{
  double below = 0;
  for (size_t i = k + 2; i < n; i++) below += A[i * n + k] * A[i * n + k];
  const double head = A[(k + 1) * n + k];
  *next = head;
  if (below == 0) return 0;
  const double length = -copysign(sqrt(head * head + below), head);
  const double top = head - length, factor = -1 / (length * top);
  *next = length;
  A[(k + 1) * n + k] = top;
  /* w = factor A v - (factor^2 v'A v / 2) v;  A <- A - v w' - w v' */
  double along = 0;
  memset(w + k + 1, 0, (n - k - 1) * sizeof *w);
  for (size_t i = k + 1; i < n; i++) {
    const double v = A[i * n + k];
    double sum = A[i * n + i] * v;
    for (size_t j = k + 1; j < i; j++) {
      sum += A[i * n + j] * A[j * n + k];
      w[j] += A[i * n + j] * v;
    }
    w[i] += sum;
  }
  for (size_t i = k + 1; i < n; i++) along += A[i * n + k] * (w[i] *= factor);
  for (size_t i = k + 1; i < n; i++) w[i] -= factor * along / 2 * A[i * n + k];
  for (size_t i = k + 1; i < n; i++) {
    const double v = A[i * n + k];
    for (size_t j = k + 1; j <= i; j++) A[i * n + j] -= v * w[j] + w[i] * A[j * n + k];
  }
  return factor;
}

/* One implicit QR step with Wilkinson's shift on the block first .. last of a tridiagonal matrix. */
static void qr_step(size_t n, size_t first, size_t last, double *d, double *e, double *vectors)
{
  const double half = (d[last - 1] - d[last]) / 2, off = e[last - 1];
  double x = d[first] - (d[last] - off * off / (half + copysign(hypot(half, off), half))), z = e[first];
  for (size_t k = first; k < last; k++) {
    const double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    const double dk = d[k], dn = d[k + 1], ek = e[k];
    if (k > first) e[k - 1] = r;
    d[k] = c * c * dk + 2 * c * s * ek + s * s * dn;
    d[k + 1] = s * s * dk - 2 * c * s * ek + c * c * dn;
    x = e[k] = c * s * (dn - dk) + (c * c - s * s) * ek;
    if (k + 1 < last) {
      z = s * e[k + 1];
      e[k + 1] *= c;
    }
    for (size_t i = 0; vectors && i < n; i++) {
      const double a = vectors[k * n + i], b = vectors[(k + 1) * n + i];
      vectors[k * n + i] = c * a + s * b;
      vectors[(k + 1) * n + i] = c * b - s * a;
    }
  }
}

static void sort_ascending(size_t n, double *values, double *vectors)
{
  for (size_t k = 0; k + 1 < n; k++) {
    size_t least = k;
    for (size_t i = k + 1; i < n; i++) {
      if (values[i] < values[least]) least = i;
    }
    const double value = values[k];
    values[k] = values[least];
    values[least] = value;
    for (size_t i = 0; vectors && least != k && i < n; i++) {
      const double x = vectors[k * n + i];
      vectors[k * n + i] = vectors[least * n + i];
      vectors[least * n + i] = x;
    }
  }
}

/* Back from the axes of the tridiagonal matrix: x <- H_0 H_1 ... x for every vector. */
static void reflect_back(size_t n, const double *A, const double *factor, double *vectors)
{
  for (size_t row = 0; row < n; row++) {
    double *x = vectors + row * n;
    for (size_t k = n - 2; k-- > 0;) {
      double dot = 0;
      for (size_t i = k + 1; i < n; i++) dot += A[i * n + k] * x[i];
      for (size_t i = k + 1; i < n; i++) x[i] -= factor[k] * dot * A[i * n + k];
    }
  }
}

void symmetric_eigen(size_t n, double *A, double *values, double *vectors, double *scratch)
{
  double *e = scratch, *factor = scratch + n, *w = scratch + 2 * n, *d = values;
  memset(scratch, 0, 3 * n * sizeof *scratch);
  for (size_t k = 0; k + 2 < n; k++) factor[k] = reduce_column(n, A, k, &e[k], w);
  if (n > 1) e[n - 2] = A[(n - 1) * n + n - 2];
  for (size_t k = 0; k < n; k++) d[k] = A[k * n + k];
  if (vectors) {
    memset(vectors, 0, n * n * sizeof *vectors);
    for (size_t k = 0; k < n; k++) vectors[k * n + k] = 1;
  }
  size_t steps = 60 * n; /* two or three a value are usual */
  for (size_t last = n - 1; last > 0 && last < n && steps-- > 0;) {
    size_t first = last;
    while (first > 0 && fabs(e[first - 1]) > DBL_EPSILON * (fabs(d[first - 1]) + fabs(d[first]))) first--;
    if (first == last) {
      last--;
    } else {
      qr_step(n, first, last, d, e, vectors);
    }
  }
  if (vectors && n > 2) reflect_back(n, A, factor, vectors);
  sort_ascending(n, values, vectors);
}
