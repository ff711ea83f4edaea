/* Modes of elastic gears from a log of chirps: joints that were swept one after the other, with their torques. */
#ifndef ARMDYN_SWEEP_H
#define ARMDYN_SWEEP_H

#include <stdbool.h>

#include "armdyn/vibration.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One joint's chirp with the rest after it: these rows of the log. */
struct armdyn_sweep_window {
  size_t joint, first, count;
};

/* At an even clock, unfiltered: positions of the motors, by their gears at the joints, and the torques of the
 * drives, at the joints too. */
struct armdyn_sweep {
  double period; /* s */
  size_t n, count;
  const double *q, *tau; /* count x n: rad, N m (m, N) */
  double from, to;       /* Hz, what was swept; at most a quarter of the rate */
  size_t window_count;
  struct armdyn_sweep_window windows[ARMDYN_JOINTS_MAX];
  const double *mass_matrix;       /* n x n, of the links alone, there and with what was carried */
  const double *weight_slope;      /* n x n, of their weight by positions there, symmetric */
  bool elastic[ARMDYN_JOINTS_MAX]; /* whose gears give; each has a window */
  bool some_rigid;                 /* of those, joints that show no gear are taken as rigid, as long as one shows it */
};

struct armdyn_sweep_gear {
  double stiffness, stiffness_deviation; /* N m/rad (N/m); INFINITY and 0: does not give */
  double damping, damping_deviation;     /* N m s/rad (N s/m) */
  double inertia, viscous, coulomb;      /* of the motor at the joint; NAN where it was not swept */
};

struct armdyn_sweep_modes {
  /* Behind motors that stand, from the lowest on; mean: the posture; residual: of torques, rms of what is left in the
   * band; amplitude: zeros. */
  struct armdyn_vibration seen;
  struct armdyn_sweep_gear gears[ARMDYN_JOINTS_MAX];
  /* Amplitude of the joint that swings most, where it passes the mode, in steps of its positions. */
  double steps[ARMDYN_MODES_MAX];
  double inertia_scale, inertia_scale_deviation; /* of the links against `mass_matrix` */
  double delay;                                  /* s, from torque to motion */
  double excess;                                 /* weighted squares that are left, over those that noise gives */
};

/* In the window of joint j, with s = j w and spectra of all joints' positions,
 *
 *   tau_j e^(-s delay) = (B_j s^2 + F_j s) theta_j + C_j sign(theta_j') + sum_i Z_ji theta_i,
 *   Z = A (A + k)^-1 k in the elastic joints, A = scale (M s^2 + G), k = diag(K_j + D_j s);
 *
 * with M and G, the slope of the weight, of the links; K, D, the scale and the delay are those of all windows.
 * What is left, r, has the variance S = t_j^2 + sum_i |Y_ji|^2 e_i^2, with the noise e of positions (seen above
 * the band, at least their step / sqrt 12) and t of torques (what is left besides), and sum |r|^2 / S is least:
 * errors in variables, so that neither the noise of the position, which is the equation's input, nor a loop that
 * feeds it back into the torque biases. The other joints' own equations are not used: they stand, held by dry
 * friction. Levenberg-Marquardt, from the best single gear of each joint. Deviations are those of the Gauss-Newton
 * matrix, which is the bound of Cramer and Rao for such noise, times the root of `excess` where that is above 1.
 *   modes_max  in  1 to ARMDYN_MODES_MAX
 * OK; EINPUT: too short or too slow, a joint that did not move or shows no gear that gives, a mode outside of the
 * band, or one that is told badly; the message says which, and goes on after "data set X "; EMEMORY. Allocates.
 * Source: Pintelon & Schoukens, System Identification: A Frequency Domain Approach, 2nd ed., 9 (errors in
 * variables); Spong 1987. */
enum armdyn_status armdyn_find_sweep_modes(const struct armdyn_sweep *sweep, size_t modes_max,
                                           struct armdyn_sweep_modes *out, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
