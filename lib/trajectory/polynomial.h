/* Evaluating one piece of a trajectory, whatever the time says. */
#ifndef LIB_TRAJECTORY_POLYNOMIAL_H
#define LIB_TRAJECTORY_POLYNOMIAL_H

#include "armdyn/trajectory.h"

/* State on piece k at s = t - breaks[k]; any out pointer may be NULL. */
void piece_state(const struct armdyn_trajectory *trajectory, size_t k, double s, double *q, double *qd, double *qdd,
                 double *qddd);

/* Room for a trajectory of up to this many pieces; counts are set, numbers are zero. */
enum armdyn_status trajectory_allocate(struct armdyn_trajectory *trajectory, size_t joints, size_t pieces,
                                       size_t degree, size_t waypoints);
enum armdyn_status trajectory_copy(const struct armdyn_trajectory *from, struct armdyn_trajectory *to);

/* The cubic on [0, h] that rises by `way` from `from`.
 *   x, y  in   velocity at 0 and at h, 1 each
 *   c     out  4 coefficients, of rising powers */
void polynomial_cubic(double from, double way, double h, const double *x, const double *y, double *c);

/* The quintic on [0, h] that rises by `way` from `from`.
 *   x, y  in   velocity and acceleration at 0 and at h
 *   c     out  6 coefficients, of rising powers */
void polynomial_quintic(double from, double way, double h, const double x[2], const double y[2], double *c);

/* c += factor times a polynomial with its origin moved to s: c_0 grows by factor p(s), and so on.
 *   c  in/out  degree + 1 */
void polynomial_add_shifted(const double *polynomial, size_t degree, double s, double factor, double *c);

#endif
