/* Modes behind standing motors: the closed form of one and of two degrees of freedom, and shares against finite differences. */
#include <criterion/criterion.h>
#include <math.h>

#include "armdyn/posture_modes.h"

static const double PI = 3.14159265358979323846;

/* M = [[a, b], [b, c]], K = diag(k1, k2): w^2 are the roots of (k1 - a x)(k2 - c x) = b^2 x^2. */
Test(posture_modes, two_degrees_of_freedom)
{
  const double a = 2.3, b = 0.9, c = 0.7, k1 = 5000, k2 = 1200;
  const double A = a * c - b * b, B = -(a * k2 + c * k1), root = sqrt(B * B - 4 * A * k1 * k2);
  double frequency[2], part[4];
  cr_assert_eq(armdyn_posture_modes(2, (const double[]){ a, b, b, c }, (const double[]){ k1, k2 }, frequency, part), 2);
  cr_assert_float_eq(frequency[0], sqrt((-B - root) / (2 * A)) / (2 * PI), 1e-12 * frequency[0]);
  cr_assert_float_eq(frequency[1], sqrt((-B + root) / (2 * A)) / (2 * PI), 1e-12 * frequency[1]);
  cr_assert_eq(
      armdyn_posture_modes(2, (const double[]){ a, b, b, c }, (const double[]){ INFINITY, k2 }, frequency, NULL), 1);
  cr_assert_float_eq(frequency[0], sqrt(k2 / c) / (2 * PI), 1e-13);
}

Test(posture_modes, shares_are_the_slopes_of_the_logarithms)
{
  const double M[9] = { 3, 0.8, 0.2, 0.8, 1.5, 0.3, 0.2, 0.3, 0.4 }, k[3] = { 8000, 3000, 900 }, h = 1e-5;
  double frequency[3], part[9], up[3], down[3];
  cr_assert_eq(armdyn_posture_modes(3, M, k, frequency, part), 3);
  for (int m = 0; m < 3; m++) cr_assert_float_eq(part[3 * m] + part[3 * m + 1] + part[3 * m + 2], 1, 1e-13);
  for (int j = 0; j < 3; j++) {
    double more[3] = { k[0], k[1], k[2] }, less[3] = { k[0], k[1], k[2] };
    more[j] *= exp(h), less[j] *= exp(-h);
    armdyn_posture_modes(3, M, more, up, NULL);
    armdyn_posture_modes(3, M, less, down, NULL);
    for (int m = 0; m < 3; m++)
      cr_assert_float_eq(log(up[m] / down[m]) / (2 * h), part[3 * m + j] / 2, 1e-8, "mode %d, joint %d", m, j);
  }
}

/* Postures that differ tell both gears by the lowest mode alone; two of one posture do not. */
Test(posture_modes, a_fit_gives_back_what_made_the_frequencies)
{
  const double M[3][4] = { { 2.3, 0.9, 0.9, 0.7 }, { 1.1, 0.3, 0.3, 0.7 }, { 1.6, 0.6, 0.6, 0.7 } };
  const double k[2] = { 5000, 1200 };
  struct armdyn_sight sights[3];
  struct armdyn_stiffness_fit fit;
  struct armdyn_error error;
  double frequency[2];
  for (int i = 0; i < 3; i++) {
    armdyn_posture_modes(2, M[i], k, frequency, NULL);
    sights[i] = (struct armdyn_sight){ M[i], 1, { frequency[0] }, 0.01 };
  }
  cr_assert_eq(armdyn_fit_stiffness(2, sights, 3, (const bool[]){ true, true }, &fit, &error), ARMDYN_OK);
  cr_assert_float_eq(fit.stiffness[0], k[0], 1e-7 * k[0]);
  cr_assert_float_eq(fit.stiffness[1], k[1], 1e-7 * k[1]);
  sights[1] = sights[2] = sights[0];
  cr_assert_eq(armdyn_fit_stiffness(2, sights, 3, (const bool[]){ true, true }, &fit, &error), ARMDYN_ESINGULAR);
}

/* One gear: 2 zeta w M = d. Two that lose in proportion to their stiffness, D = b K, damp every mode by b w / 2. */
Test(posture_modes, damping_of_gears_from_ratios)
{
  const double M[4] = { 2.3, 0.9, 0.9, 0.7 }, k[2] = { 5000, 1200 }, b = 2e-4, alone[2] = { INFINITY, 1200 };
  double frequency[2], ratios[ARMDYN_SIGHT_MODES], d[2];
  armdyn_posture_modes(2, M, alone, frequency, NULL);
  struct armdyn_sight sight = { M, 1, { frequency[0] }, 0.01 };
  ratios[0] = 3 / (2 * 2 * PI * frequency[0] * M[3]);
  armdyn_fit_damping(2, &sight, 1, ratios, alone, d);
  cr_assert_float_eq(d[1], 3, 1e-12);
  cr_assert_float_eq(d[0], 0, 0);
  armdyn_posture_modes(2, M, k, frequency, NULL);
  sight = (struct armdyn_sight){ M, 2, { frequency[0], frequency[1] }, 0.01 };
  for (int m = 0; m < 2; m++) ratios[m] = b * PI * frequency[m];
  armdyn_fit_damping(2, &sight, 1, ratios, k, d);
  for (int j = 0; j < 2; j++) cr_assert_float_eq(d[j], b * k[j], 1e-9 * b * k[j]);
  ratios[0] = ratios[1] = NAN;
  armdyn_fit_damping(2, &sight, 1, ratios, k, d);
  for (int j = 0; j < 2; j++) cr_assert_float_eq(d[j], 0, 0);
}
