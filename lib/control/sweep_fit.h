/* The fit of gears to the spectra of chirps, from where it is begun: see armdyn/sweep.h for the equations. */
#ifndef LIB_CONTROL_SWEEP_FIT_H
#define LIB_CONTROL_SWEEP_FIT_H

#include "lib/control/sweep_spectra.h"
#include "lib/control/sweep_start.h"

enum {
  SWEEP_OWN = 3,
  SWEEP_SHARED = 2 * ARMDYN_JOINTS_MAX + 2,
  SWEEP_FIGURES = SWEEP_SHARED + SWEEP_OWN * ARMDYN_JOINTS_MAX
};

/* x: log K and log D of the elastic joints, log scale, delay in periods; then of each window B, F, C, in their units. */
struct sweep_fit {
  const struct armdyn_sweep *sweep;
  struct sweep_spectra spectra[ARMDYN_JOINTS_MAX];
  double units[ARMDYN_JOINTS_MAX][SWEEP_OWN];
  double torque_noise[ARMDYN_JOINTS_MAX];                           /* of windows; variances of a sample */
  size_t e, elastic[ARMDYN_JOINTS_MAX], of[ARMDYN_JOINTS_MAX];      /* elastic joints and their windows */
  size_t common, p;                                                 /* figures that windows share, and all */
  double x[SWEEP_FIGURES], low[SWEEP_FIGURES], high[SWEEP_FIGURES]; /* within bounds */
};

/* Row j of Z, symmetric.
 *   x     in   log K, log D, log scale
 *   y     out  (A_ee + k)^-1 A_e, e x n: no pivot is 0 with damping. Z is A - A_e' y, dZ / dk_a is y_a' y_a; NULL: not wanted */
void sweep_fit_row(const struct sweep_fit *fit, const double *x, double complex s, size_t j, double complex *row,
                   double complex *y);

/* M s^2 + G of joints i and j. */
static inline double complex sweep_links(const struct sweep_fit *fit, size_t i, size_t j, double complex s)
{
  const size_t at = i * fit->sweep->n + j;
  return fit->sweep->mass_matrix[at] * s * s + fit->sweep->weight_slope[at];
}

static inline double complex sweep_fit_s(const struct sweep_fit *fit, size_t w, size_t k)
{
  return I * 6.28318530717958647693 * sweep_frequency(&fit->spectra[w], k);
}

/* Torque of line k, `delay` periods later. */
double complex sweep_fit_torque(const struct sweep_fit *fit, size_t w, size_t k, double delay);

/* Normal equations A (lower triangle) and right side b of a step, of independent lines. */
void sweep_fit_normal(const struct sweep_fit *fit, double *A, double *b);

/* Levenberg 1944, Marquardt 1963, within bounds.
 *   room  in  2 p (p + 1)
 * Answers the weighted squares that are left. */
double sweep_fit_refine(struct sweep_fit *fit, double *room);

/* The noise of torques: what is left beyond that of positions. */
void sweep_fit_torque_noise(struct sweep_fit *fit);

#endif
