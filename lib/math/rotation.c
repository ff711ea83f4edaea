#include "lib/math/rotation.h"

#include <math.h>
#include <string.h>

#include "lib/math/vector.h"

void rotation_vector(const double *R, double phi[3])
{
  /* R - R' = 2 sin(a) [axis], trace = 1 + 2 cos(a) */
  const double v[3] = { (R[7] - R[5]) / 2, (R[2] - R[6]) / 2, (R[3] - R[1]) / 2 };
  const double sine = sqrt(dot3(v, v)), cosine = (R[0] + R[4] + R[8] - 1) / 2, angle = atan2(sine, cosine);
  if (cosine > -0.9) {
    const double scale = sine > 0 ? angle / sine : 1;
    for (int i = 0; i < 3; i++) phi[i] = scale * v[i];
    return;
  }
  /* near half a turn: R + R' = 2 cos(a) + 2 (1 - cos(a)) axis axis', by its largest column */
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (R[4 * i] > R[4 * k]) k = i;
  double axis[3];
  for (int i = 0; i < 3; i++) axis[i] = (R[3 * i + k] + R[3 * k + i]) / 2 - (i == k ? cosine : 0);
  const double length = copysign(sqrt(dot3(axis, axis)), dot3(axis, v));
  for (int i = 0; i < 3; i++) phi[i] = angle * axis[i] / length;
}

void rotation_of_rpy(const double rpy[3], double *R)
{
  const double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]),
               sy = sin(rpy[2]);
  R[0] = cy * cp, R[1] = cy * sp * sr - sy * cr, R[2] = cy * sp * cr + sy * sr;
  R[3] = sy * cp, R[4] = sy * sp * sr + cy * cr, R[5] = sy * sp * cr - cy * sr;
  R[6] = -sp, R[7] = cp * sr, R[8] = cp * cr;
}

void rotation_of_vector(const double phi[3], double *R)
{
  const double a2 = dot3(phi, phi), a = sqrt(a2);
  const double s = a > 1e-4 ? sin(a) / a : 1 - a2 / 6, c = a > 1e-4 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
  const double x = phi[0], y = phi[1], z = phi[2];
  /* 1 + s [phi] + c [phi]^2 */
  /* clang-format off */
  const double out[9] = { 1 - c * (y * y + z * z), c * x * y - s * z,       c * x * z + s * y,
                          c * x * y + s * z,       1 - c * (x * x + z * z), c * y * z - s * x,
                          c * x * z - s * y,       c * y * z + s * x,       1 - c * (x * x + y * y) };
  /* clang-format on */
  memcpy(R, out, sizeof out);
}

void rotation_vector_rate(const double phi[3], double out[9])
{
  const double a2 = dot3(phi, phi), half = sqrt(a2) / 2;
  const double c = a2 > 1e-6 ? (1 - half / tan(half)) / a2 : 1.0 / 12 + a2 / 720;
  const double x = phi[0], y = phi[1], z = phi[2];
  /* clang-format off */
  const double A[9] = { 1 - c * (y * y + z * z), c * x * y + z / 2,       c * x * z - y / 2,
                        c * x * y - z / 2,       1 - c * (x * x + z * z), c * y * z + x / 2,
                        c * x * z + y / 2,       c * y * z - x / 2,       1 - c * (x * x + y * y) };
  /* clang-format on */
  memcpy(out, A, sizeof A);
}
