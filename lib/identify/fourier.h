/* Modified Fourier series: q = q0 + sum_l [(a_l / w_l) sin w_l t - (b_l / w_l) cos w_l t] + the quintic that makes q - q0,
 * qd and qdd zero at both ends; w_l = 2 pi l base_frequency. Source: Swevers et al. 1997 for the series. */
#ifndef LIB_IDENTIFY_FOURIER_H
#define LIB_IDENTIFY_FOURIER_H

#include "armdyn/excitation.h"

enum { WAVES_MAX = 2 * ARMDYN_HARMONICS_MAX, WAVE_ORDERS = 4 };

struct fourier {
  size_t harmonics;
  double duration, base_frequency; /* s, Hz */
};

/* What a coefficient of 1 gives at time t, each a_l and then each b_l, with its quintic.
 *   out  out  2 harmonics: position, velocity, acceleration, jerk */
void fourier_waves(const struct fourier *fourier, double t, double (*out)[WAVE_ORDERS]);

/* The motion as polynomials, equal to 1e-9 of the amplitudes of q, qd and qdd.
 *   q0      in   n
 *   a, b    in   n x harmonics, m/s or rad/s
 *   out     out  release with armdyn_trajectory_free
 * OK or EMEMORY. */
enum armdyn_status fourier_trajectory(const struct fourier *fourier, size_t n, const double *q0, const double *a,
                                      const double *b, struct armdyn_trajectory *out);

#endif
