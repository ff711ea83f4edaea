/* The inertia of a body from how it swings about a fixed horizontal axis: the compound pendulum. */
#ifndef ARMDYN_PENDULUM_H
#define ARMDYN_PENDULUM_H

#include "armdyn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What dies the swings: a torque that grows with the speed (amplitudes fall by a ratio), or one that does not (they fall by a
 * step). */
enum armdyn_pendulum_decay { ARMDYN_DECAY_VISCOUS, ARMDYN_DECAY_DRY };

/* What was measured; each has its standard deviation at the same place of the other array. */
enum armdyn_pendulum_figure {
  ARMDYN_PENDULUM_MASS,     /* kg */
  ARMDYN_PENDULUM_DISTANCE, /* m, from the axis to the centre of mass */
  ARMDYN_PENDULUM_TIME,     /* s, of all swings, there and back */
  ARMDYN_PENDULUM_FIRST,    /* rad, amplitude at the beginning */
  ARMDYN_PENDULUM_LAST,     /* rad, at the end; <= the first */
  ARMDYN_PENDULUM_GRAVITY,  /* m/s^2 */
  ARMDYN_PENDULUM_FIGURES
};

struct armdyn_pendulum_test {
  double value[ARMDYN_PENDULUM_FIGURES], deviation[ARMDYN_PENDULUM_FIGURES];
  int swings;
  enum armdyn_pendulum_decay decay;
};

struct armdyn_pendulum {
  double inertia_axis, inertia_axis_deviation; /* kg m^2, about the axis */
  double inertia_com, inertia_com_deviation;   /* about the parallel through the centre of mass */
  double share[ARMDYN_PENDULUM_FIGURES];       /* of the variance of inertia_com; 0 where that is 0 */
  double period, period_small;                 /* s, the mean of the swings; of an undamped, small one */
  double damping, viscous, dry;                /* 1, N m s/rad, N m; 0 of the other kind of decay */
  double radius_of_gyration;                   /* m, about the centre of mass */
};

/* I q'' + c q' + f sign(q') + m g l sin q = 0. A small undamped swing takes T0 = 2 pi sqrt(I / (m g l)); one of
 * amplitude A takes T0 / AGM(1, cos(A / 2)), the complete elliptic integral by the arithmetic-geometric mean
 * (Abramowitz & Stegun 17.6); viscous damping z makes it longer by 1 / sqrt(1 - z^2), dry friction does not in the
 * first order, as it only moves the middle of each half swing. The mean over the swings is what the time is divided
 * by. I about the axis is m g l (T0 / 2 pi)^2, about the centre of mass m l^2 less (Steiner). Deviations by central
 * differences of that chain, independent.
 *   test   in   figures of 1e-12 to 1e12, deviations of 0 to 1e12; last <= first <= 3 rad; swings 1 to 10,000
 *   out    out
 *   error  out  the figure, by its name
 * OK or EINPUT: also when the inertia about the centre of mass would not be positive. Threads: any. */
enum armdyn_status armdyn_pendulum_reduce(const struct armdyn_pendulum_test *test, struct armdyn_pendulum *out,
                                          struct armdyn_error *error);

#ifdef __cplusplus
}
#endif
#endif
