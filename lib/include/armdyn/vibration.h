/* Frequencies and damping of what vibrates, from samples of how it dies out after a motion. */
#ifndef ARMDYN_VIBRATION_H
#define ARMDYN_VIBRATION_H

#include "armdyn/shaper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is found: x_j(t) = mean_j + sum_m exp(-damping w t) (cosine_jm cos(w_d t) + sine_jm sin(w_d t)), w = 2 pi frequency,
 * w_d = w sqrt(1 - damping^2), t = 0 at the first sample. */
struct armdyn_vibration {
  size_t mode_count;                          /* 0: nothing that is more than noise */
  struct armdyn_mode modes[ARMDYN_MODES_MAX]; /* by frequency */
  double frequency_deviation[ARMDYN_MODES_MAX], damping_deviation[ARMDYN_MODES_MAX]; /* Hz, 1 */
  double amplitude[ARMDYN_MODES_MAX][ARMDYN_JOINTS_MAX];                             /* at the first sample, as x */
  double mean[ARMDYN_JOINTS_MAX], residual[ARMDYN_JOINTS_MAX];                       /* as x; what is left, rms */
};

/* By least squares over all channels at once, each weighted by its own noise (of its second differences), amplitudes and means
 * projected out (Golub & Pereyra 1973). A mode begins where a grid of frequencies and dampings takes most of what is left, all
 * modes are then refined together by pattern search; it stays where what it takes is more than its parameters are worth
 * (three times the penalty of Schwarz's criterion). Deviations are those of independent noise of the size that is left.
 *   period         in   s, between samples
 *   count, n       in   >= 16 samples of n channels: joints, whose positions, speeds or torques die out
 *   x              in   count rows of n
 *   modes_max      in   1 to ARMDYN_MODES_MAX
 *   frequency_max  in   Hz, below half of the rate; frequencies from one and a half periods in the whole are looked for
 *   out            out
 * OK, EINPUT (too few samples, a frequency_max that is no room), EMEMORY. Allocates. */
enum armdyn_status armdyn_find_vibration(double period, size_t count, size_t n, const struct armdyn_rows *x,
                                         size_t modes_max, double frequency_max, struct armdyn_vibration *out,
                                         struct armdyn_error *error);

/* The first of ZV, ZVD, EI that leaves at most `left` (0.05) of each mode where all frequencies are off by `range` (0.1) of
 * themselves and two of their deviations, either way.
 *   impulses  out
 * OK; EINFEASIBLE: none of them. */
enum armdyn_status armdyn_vibration_shaper(const struct armdyn_vibration *vibration, double range, double left,
                                           enum armdyn_shaper *shaper, struct armdyn_impulses *impulses);

#ifdef __cplusplus
}
#endif
#endif
