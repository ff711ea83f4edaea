#include "lib/math/linear.h"

#include <math.h>
#include <string.h>

/* sum - a . b. Eight sums side by side, for one would wait for itself at every product. */
static double less_product(double sum, size_t n, const double *a, const double *b)
{
  enum { SIDE = 8 };
  double part[SIDE] = { 0 };
  size_t k = 0;
  for (; k + SIDE <= n; k += SIDE) {
    for (size_t l = 0; l < SIDE; l++) part[l] += a[k + l] * b[k + l];
  }
  for (; k < n; k++) sum -= a[k] * b[k];
  return sum - (((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])));
}

bool cholesky_row(size_t n, double *A, size_t i)
{
  double *row = A + i * n;
  for (size_t j = 0; j <= i; j++) {
    const double *other = A + j * n;
    const double sum = less_product(row[j], j, row, other);
    if (j == i && (!(sum > 0) || isinf(sum))) return false;
    row[j] = j == i ? sqrt(sum) : sum / other[j];
  }
  return true;
}

bool cholesky_factor(size_t n, double *A)
{
  for (size_t i = 0; i < n; i++) {
    if (!cholesky_row(n, A, i)) return false;
  }
  return true;
}

void cholesky_solve(size_t n, const double *L, double *x)
{
  for (size_t i = 0; i < n; i++) x[i] = less_product(x[i], i, L + i * n, x) / L[i * n + i];
  for (size_t i = n; i-- > 0;) {
    const double found = x[i] /= L[i * n + i];
    for (size_t k = 0; k < i; k++) x[k] -= L[i * n + k] * found;
  }
}

bool scaled_cholesky_factor(size_t n, double *A, double *scale)
{
  for (size_t k = 0; k < n; k++) {
    if (!(A[k * n + k] > 0)) return false;
    scale[k] = 1 / sqrt(A[k * n + k]);
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) A[i * n + j] *= scale[i] * scale[j];
  }
  return cholesky_factor(n, A);
}

void scaled_cholesky_solve(size_t n, const double *L, const double *scale, double *x)
{
  for (size_t k = 0; k < n; k++) x[k] *= scale[k];
  cholesky_solve(n, L, x);
  for (size_t k = 0; k < n; k++) x[k] *= scale[k];
}

static void swap_rows(size_t n, double *A, size_t i, size_t j)
{
  for (size_t k = 0; k < n; k++) {
    const double t = A[i * n + k];
    A[i * n + k] = A[j * n + k];
    A[j * n + k] = t;
  }
}

bool invert(size_t n, double *A, double *inverse)
{
  double largest = 0;
  for (size_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(A[k]));
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t k = 0; k < n; k++) inverse[k * n + k] = 1;
  for (size_t c = 0; c < n; c++) {
    size_t best = c;
    for (size_t r = c + 1; r < n; r++) {
      if (fabs(A[r * n + c]) > fabs(A[best * n + c])) best = r;
    }
    if (!(fabs(A[best * n + c]) > 1e-12 * largest)) return false;
    swap_rows(n, A, c, best);
    swap_rows(n, inverse, c, best);
    const double scale = 1 / A[c * n + c];
    for (size_t k = 0; k < n; k++) {
      A[c * n + k] *= scale;
      inverse[c * n + k] *= scale;
    }
    for (size_t r = 0; r < n; r++) {
      const double factor = A[r * n + c];
      if (r == c || factor == 0) continue;
      for (size_t k = 0; k < n; k++) {
        A[r * n + k] -= factor * A[c * n + k];
        inverse[r * n + k] -= factor * inverse[c * n + k];
      }
    }
  }
  return true;
}

/* One Jacobi rotation that makes element (p, q) zero; the columns of V turn with it. */
static void jacobi_rotate(double A[3][3], double V[3][3], int p, int q)
{
  if (A[p][q] == 0) return;
  const double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
  const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    const double a = A[k][p], b = A[k][q], v = V[k][p], w = V[k][q];
    A[k][p] = c * a - s * b;
    A[k][q] = s * a + c * b;
    V[k][p] = c * v - s * w;
    V[k][q] = s * v + c * w;
  }
  for (int k = 0; k < 3; k++) {
    const double a = A[p][k], b = A[q][k];
    A[p][k] = c * a - s * b;
    A[q][k] = s * a + c * b;
  }
}

static void jacobi_sweeps(double A[3][3], double V[3][3])
{
  for (int sweep = 0; sweep < 12; sweep++) {
    jacobi_rotate(A, V, 0, 1);
    jacobi_rotate(A, V, 0, 2);
    jacobi_rotate(A, V, 1, 2);
  }
}

void eigenvalues3(const double s[6], double values[3])
{
  double A[3][3] = { { s[0], s[3], s[4] }, { s[3], s[1], s[5] }, { s[4], s[5], s[2] } }, V[3][3] = { { 0 } };
  jacobi_sweeps(A, V);
  const double a = A[0][0], b = A[1][1], c = A[2][2];
  values[0] = fmin(a, fmin(b, c));
  values[2] = fmax(a, fmax(b, c));
  values[1] = fmax(fmin(a, b), fmin(fmax(a, b), c));
}

void eigenvectors3(const double matrix[9], double values[3], double vectors[9])
{
  double A[3][3], V[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  memcpy(A, matrix, sizeof A);
  jacobi_sweeps(A, V);
  for (int k = 0; k < 3; k++) values[k] = A[k][k];
  memcpy(vectors, V, sizeof V);
}

/* B = A^-1 B for one block A (b x b, b <= 2) and B (b x columns). */
static void block_divide(size_t b, size_t columns, const double *A, double *B)
{
  if (b == 1) {
    for (size_t c = 0; c < columns; c++) B[c] /= A[0];
    return;
  }
  const double determinant = A[0] * A[3] - A[1] * A[2];
  for (size_t c = 0; c < columns; c++) {
    const double x = B[c], y = B[columns + c];
    B[c] = (A[3] * x - A[1] * y) / determinant;
    B[columns + c] = (A[0] * y - A[2] * x) / determinant;
  }
}

/* B -= L A for one block L (b x b) and A, B (b x columns). */
static void block_subtract(size_t b, size_t columns, const double *L, const double *A, double *B)
{
  for (size_t i = 0; i < b; i++) {
    for (size_t k = 0; k < b; k++) {
      for (size_t c = 0; c < columns; c++) B[i * columns + c] -= L[i * b + k] * A[k * columns + c];
    }
  }
}

void block_tridiagonal_solve(size_t n, size_t b, size_t columns, const double *lower, double *diagonal, double *upper,
                             double *d)
{
  const size_t block = b * b, row = b * columns;
  for (size_t i = 0; i < n; i++) {
    if (i > 0) {
      block_subtract(b, b, lower + i * block, upper + (i - 1) * block, diagonal + i * block);
      block_subtract(b, columns, lower + i * block, d + (i - 1) * row, d + i * row);
    }
    block_divide(b, b, diagonal + i * block, upper + i * block);
    block_divide(b, columns, diagonal + i * block, d + i * row);
  }
  for (size_t i = n; i-- > 1;) block_subtract(b, columns, upper + (i - 1) * block, d + i * row, d + (i - 1) * row);
}
