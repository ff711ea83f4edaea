/* Rotation vectors: there and back at every angle, and their rates against differences. */
#include <criterion/criterion.h>

#include "lib/math/rotation.h"
#include "lib/math/vector.h"
#include "tests/support/robots.h"

Test(rotation, vectors_come_back_at_every_angle)
{
  struct dice dice = { 5 };
  const double angles[] = { 0, 1e-12, 1e-7, 1e-3, 0.5, 1.5, 2.6, 2.7, 3, 3.1415, M_PI - 1e-7, M_PI - 1e-10 };
  for (size_t k = 0; k < sizeof angles / sizeof *angles; k++)
    for (int trial = 0; trial < 30; trial++) {
      double phi[3], R[9], back[3], length;
      dice_fill(&dice, phi, 3, -1, 1);
      length = sqrt(dot3(phi, phi));
      for (int i = 0; i < 3; i++) phi[i] *= angles[k] / length;
      rotation_of_vector(phi, R);
      rotation_vector(R, back);
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(back[i], phi[i],
                           1e-14 + 1e-14 * angles[k] / fmax(1e-8, M_PI - angles[k]) + 2e-15 * (angles[k] > 2.6),
                           "%g: %g, not %g", angles[k], back[i], phi[i]);
    }
}

Test(rotation, a_quarter_turn_about_z)
{
  const double R[9] = { 0, -1, 0, 1, 0, 0, 0, 0, 1 };
  double phi[3];
  rotation_vector(R, phi);
  cr_assert(phi[0] == 0 && phi[1] == 0 && fabs(phi[2] - M_PI / 2) < 1e-15);
}

/* A turn by omega h in the axes that phi is written in. */
Test(rotation, rates_are_differences)
{
  struct dice dice = { 6 };
  for (int trial = 0; trial < 60; trial++) {
    double phi[3], omega[3], A[9], rate[3], R[9], turn[9], turned[9], ends[2][3];
    const double h = 1e-6;
    dice_fill(&dice, phi, 3, trial < 20 ? -1e-4 : -1.6, trial < 20 ? 1e-4 : 1.6);
    dice_fill(&dice, omega, 3, -1, 1);
    rotation_vector_rate(phi, A);
    rotate3(rate, A, omega);
    rotation_of_vector(phi, R);
    for (int end = 0; end < 2; end++) {
      double step[3];
      for (int i = 0; i < 3; i++) step[i] = omega[i] * (end ? h : -h);
      rotation_of_vector(step, turn);
      multiply3(turned, turn, R);
      rotation_vector(turned, ends[end]);
    }
    for (int i = 0; i < 3; i++) cr_assert_float_eq(rate[i], (ends[1][i] - ends[0][i]) / (2 * h), 1e-8);
  }
}
