#include "lib/identify/pseudo_inertia.h"

#include <math.h>
#include <string.h>

#include "lib/math/linear.h"

enum { M, MX, MY, MZ, IXX, IXY, IYY, IXZ, IYZ, IZZ };

void pseudo_inertia_of(const double x[10], double P[16])
{
  const double half = (x[IXX] + x[IYY] + x[IZZ]) / 2;
  const double out[16] = { half - x[IXX], -x[IXY], -x[IXZ],       x[MX], -x[IXY], half - x[IYY], -x[IYZ], x[MY],
                           -x[IXZ],       -x[IYZ], half - x[IZZ], x[MZ], x[MX],   x[MY],         x[MZ],   x[M] };
  memcpy(P, out, sizeof out);
}

void pseudo_inertia_parameters(const double P[16], double link[10])
{
  const double out[10] = { P[15], P[3], P[7], P[11], P[5] + P[10], -P[1], P[0] + P[10], -P[2], -P[6], P[0] + P[5] };
  memcpy(link, out, sizeof out);
}

/* slopes[k] = tr(A dP/d parameter k), A symmetric. */
static void pseudo_inertia_slopes(const double A[16], double slopes[10])
{
  const double out[10] = { A[15],
                           2 * A[3],
                           2 * A[7],
                           2 * A[11],
                           (-A[0] + A[5] + A[10]) / 2,
                           -2 * A[1],
                           (A[0] - A[5] + A[10]) / 2,
                           -2 * A[2],
                           -2 * A[6],
                           (A[0] + A[5] - A[10]) / 2 };
  memcpy(slopes, out, sizeof out);
}

bool pseudo_inertia_invert(const double P[16], double *log_determinant, double *inverse)
{
  double L[16], column[4];
  memcpy(L, P, sizeof L);
  if (!cholesky_factor(4, L)) return false;
  if (log_determinant) *log_determinant = 2 * (log(L[0]) + log(L[5]) + log(L[10]) + log(L[15]));
  for (int k = 0; k < 4 && inverse; k++) {
    memset(column, 0, sizeof column);
    column[k] = 1;
    cholesky_solve(4, L, column);
    for (int i = 0; i < 4; i++) inverse[4 * i + k] = column[i];
  }
  return true;
}

double pseudo_inertia_distance(const double inverse0[16], double log_determinant0, const double x[10], double *gradient,
                               double *hessian)
{
  double P[16], log_determinant, inverse[16], slopes[10], distance = 0;
  pseudo_inertia_of(x, P);
  if (!pseudo_inertia_invert(P, &log_determinant, inverse)) return INFINITY;
  for (int k = 0; k < 16; k++) distance += inverse0[k] * P[k];
  if (gradient) {
    double difference[16];
    for (int k = 0; k < 16; k++) difference[k] = inverse0[k] - inverse[k];
    pseudo_inertia_slopes(difference, gradient);
  }
  for (int column = 0; column < 10 && hessian; column++) {
    /* d(-P^-1) = P^-1 dP P^-1 */
    double unit[10] = { 0 }, E[16], half[16] = { 0 }, whole[16] = { 0 };
    unit[column] = 1;
    pseudo_inertia_of(unit, E);
    for (int r = 0; r < 4; r++) {
      for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 4; c++) half[4 * r + c] += inverse[4 * r + k] * E[4 * k + c];
      }
    }
    for (int r = 0; r < 4; r++) {
      for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 4; c++) whole[4 * r + c] += half[4 * r + k] * inverse[4 * k + c];
      }
    }
    pseudo_inertia_slopes(whole, slopes);
    for (int row = 0; row < 10; row++) hessian[10 * row + column] = slopes[row];
  }
  return distance - log_determinant + log_determinant0 - 4;
}

void pseudo_inertia_project(double least, double P[16])
{
  const double m = P[15], h[3] = { P[3], P[7], P[11] };
  double S[9], vectors[9], values[3], largest = m;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) S[3 * i + j] = P[4 * i + j] - h[i] * h[j] / m;
  }
  eigenvectors3(S, values, vectors);
  for (int k = 0; k < 3; k++) largest = fmax(largest, values[k]);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = h[i] * h[j] / m;
      for (int k = 0; k < 3; k++) {
        sum += fmax(values[k], least * largest) * vectors[3 * i + k] * vectors[3 * j + k];
      }
      P[4 * i + j] = sum;
    }
  }
}

struct armdyn_body body_of_parameters(const double p[10])
{
  const double m = p[0];
  struct armdyn_body body = { .mass = m };
  for (int i = 0; i < 3 && m != 0; i++) body.com[i] = p[1 + i] / m;
  const double *c = body.com;
  body.inertia = (struct armdyn_inertia){ .xx = p[4] - m * (c[1] * c[1] + c[2] * c[2]),
                                          .yy = p[6] - m * (c[0] * c[0] + c[2] * c[2]),
                                          .zz = p[9] - m * (c[0] * c[0] + c[1] * c[1]),
                                          .xy = p[5] + m * c[0] * c[1],
                                          .xz = p[7] + m * c[0] * c[2],
                                          .yz = p[8] + m * c[1] * c[2] };
  return body;
}

void parameters_of_body(const struct armdyn_body *body, double p[10])
{
  const double m = body->mass, *c = body->com;
  const struct armdyn_inertia *I = &body->inertia;
  const double about[10] = { m,
                             m * c[0],
                             m * c[1],
                             m * c[2],
                             I->xx + m * (c[1] * c[1] + c[2] * c[2]),
                             I->xy - m * c[0] * c[1],
                             I->yy + m * (c[0] * c[0] + c[2] * c[2]),
                             I->xz - m * c[0] * c[2],
                             I->yz - m * c[1] * c[2],
                             I->zz + m * (c[0] * c[0] + c[1] * c[1]) };
  memcpy(p, about, sizeof about);
}
