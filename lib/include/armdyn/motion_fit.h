/* A motion that was sampled, as a smooth one. */
#ifndef ARMDYN_MOTION_FIT_H
#define ARMDYN_MOTION_FIT_H

#include "armdyn/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ARMDYN_FIT_INTERVALS_MAX = 20000 };

struct armdyn_motion_fit_request {
  size_t joint_count, count; /* at least 2 samples */
  const double *t;           /* count, s, increasing, at any spacing; over 1e-6 to 1e6 s */
  const double *q;           /* count x joint_count, rad (m), of magnitude <= 1e6 */
  double tolerance;          /* rad, m: how far the motion may be off a sample, > 0 */
};

struct armdyn_motion_fit {
  size_t intervals;
  bool at_rest;     /* does it begin and end without velocity? */
  double deviation; /* rad, m: the farthest that it is off a sample, */
  size_t joint;     /* of which joint, */
  double time;      /* and when, s from the first sample */
};

/* The quintic spline on the fewest equal intervals (within a half) that is nowhere farther off the samples than the
 * tolerance, by least squares: four times differentiable, so that velocity, acceleration and jerk are continuous. Noise
 * below the tolerance is smoothed away. Where at most twice as many intervals also do with the ends at rest, exactly
 * at the first and last sample, that one is taken.
 *   out  out  begins at 0; release with armdyn_trajectory_free unless refused
 * OK; EINPUT (pointer "/t/7", "/q/7/0", "/tolerance": no such spline of ARMDYN_FIT_INTERVALS_MAX intervals), EMEMORY.
 * Source: de Boor, A Practical Guide to Splines, ch. XIV; where samples leave the spline open, by the smallest third
 * differences of its controls (Eilers & Marx 1996). Linear in the number of samples. */
enum armdyn_status armdyn_trajectory_fit(const struct armdyn_motion_fit_request *request, struct armdyn_trajectory *out,
                                         struct armdyn_motion_fit *fit, struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
