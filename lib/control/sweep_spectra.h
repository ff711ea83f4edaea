/* Spectra of a joint's chirp from rest to rest. */
#ifndef LIB_CONTROL_SWEEP_SPECTRA_H
#define LIB_CONTROL_SWEEP_SPECTRA_H

#include <complex.h>

#include "armdyn/sweep.h"

/* At the frequencies (first + k) step of the band. Samples are followed by zeros up to a power of two, so that lines are closer
 * than they tell apart: `share` of them are independent. */
struct sweep_spectra {
  size_t joint, count, n;
  double first, step, share;
  double samples;                       /* a noise of variance v has the power v samples in a line */
  double noise[ARMDYN_JOINTS_MAX];      /* of positions: variance of a sample */
  double resolution[ARMDYN_JOINTS_MAX]; /* smallest difference of a joint's positions; 0: it stood */
  double torque_square, torque_noise;   /* variances of a sample; a first guess of the noise */
  /* count; position: count x n. The torque's are of one that is held between samples. */
  double complex *torque, *sign, *position;
  /* count, of independent lines: over the noise of the torque and that of the position through the response that is seen
   * about the line */
  double *weight;
};

/* OK, EINPUT (the joint did not move, or its band is no room), EMEMORY; closed then. */
enum armdyn_status sweep_spectra_open(const struct armdyn_sweep *sweep, size_t window, struct sweep_spectra *spectra,
                                      struct armdyn_error *error);
void sweep_spectra_close(struct sweep_spectra *spectra);

static inline double sweep_frequency(const struct sweep_spectra *spectra, size_t k)
{
  return (spectra->first + (double)k) * spectra->step;
}

#endif
