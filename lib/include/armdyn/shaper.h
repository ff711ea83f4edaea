/* Input shaping: a motion convolved with a few impulses leaves a spring and mass at rest when it ends.
 *
 * After planning: armdyn_shaper_impulses for the modes, armdyn_trajectory_shape, armdyn_trajectory_margins to check the
 * limits again, armdyn_residual_vibration of both motions to see what it brought. The motion gets longer by the time of the
 * last impulse. Positions, velocities, accelerations and jerks of the shaped motion stay within those of the unshaped one,
 * torques need not. A straight line in joint space between two points stays one; other paths are rounded, and points on
 * the way are no longer passed exactly.
 * Source: Singer & Seering 1990 (ZV, ZVD); Singhose, Seering & Singer 1994 (EI). */
#ifndef ARMDYN_SHAPER_H
#define ARMDYN_SHAPER_H

#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The shapers are rows of a table in lib/trajectory/shaper.c, in this order. */
enum armdyn_shaper {
  ARMDYN_SHAPER_ZV,  /* two impulses: no vibration of the mode itself */
  ARMDYN_SHAPER_ZVD, /* three: nor a first derivative of it by the frequency */
  ARMDYN_SHAPER_EI,  /* three: 5 % of vibration left at the mode itself, and at most that over a range about it */
  ARMDYN_SHAPER_COUNT
};
const char *armdyn_shaper_name(enum armdyn_shaper shaper); /* "zv", "zvd", "ei" */

/* A spring and mass that the motion shakes: x'' + 2 damping w (x' - u') + w^2 (x - u) = 0, w = 2 pi frequency. */
struct armdyn_mode {
  double frequency; /* undamped, Hz, 1e-3 to 1e4; the period that shapers count is the damped one,
                       1 / (frequency sqrt(1 - damping^2)) */
  double damping;   /* ratio, 0 to 0.99; to 0.3 for EI */
};

enum { ARMDYN_MODES_MAX = 4, ARMDYN_IMPULSES_MAX = 81 };

/* Positive, with sum 1; ascending times, the first 0. */
struct armdyn_impulses {
  size_t count;
  double time[ARMDYN_IMPULSES_MAX];      /* s */
  double amplitude[ARMDYN_IMPULSES_MAX]; /* 1 */
};

/* The impulses of one shaper for every mode, convolved.
 *   modes       in   mode_count, 1 to ARMDYN_MODES_MAX
 *   out         out
 *   error       out
 * OK or EINPUT ("/shaper/type", "/shaper/modes/1/frequency_hz", ...). */
enum armdyn_status armdyn_shaper_impulses(enum armdyn_shaper shaper, const struct armdyn_mode *modes, size_t mode_count,
                                          struct armdyn_impulses *out, struct armdyn_error *error);

/* Vibration of a mode after the last impulse, as a part of what one impulse of 1 at time 0 would have left by its own end:
 * 0 is none, 1 is no gain. */
double armdyn_impulses_residual(const struct armdyn_impulses *impulses, const struct armdyn_mode *mode);

/* The motion sum_i amplitude_i q(t - time_i), exactly, as piecewise polynomials of the same degree.
 *   out  out  release with armdyn_trajectory_free. Inner waypoint times move by the mean of the impulse times.
 * OK or EMEMORY. */
enum armdyn_status armdyn_trajectory_shape(const struct armdyn_trajectory *trajectory,
                                           const struct armdyn_impulses *impulses, struct armdyn_trajectory *out);

/* Amplitude of the vibration x - u that is left of a mode at the end of a motion when joint j shakes it, u = q_j: with
 * damping, of the envelope at that time. rad (m); NAN for a motion of more than a million periods.
 * By Duhamel's integral, Gauss-Legendre quadrature on parts of at most half a radian of the mode. */
double armdyn_residual_vibration(const struct armdyn_trajectory *trajectory, size_t joint,
                                 const struct armdyn_mode *mode);

#ifdef __cplusplus
}
#endif
#endif
