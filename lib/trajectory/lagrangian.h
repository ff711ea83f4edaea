/* What is minimised over a transcription, with its derivatives:
 *   L(c, s; z) = f - z . room,  room = most - scale value  (bound.h), so that every gradient adds sum z scale d value
 *   gradient  dL/dc_(i(p)+a) += sum_r basis[p][r][a] (dL/dq^(r) + D_r' dL/dtau)(p) over the points, D = (Q, V, M); and of the
 *             velocity's limits, which are of the controls. dL/ds = f + sum_p sum_r (..)(p) . dq^(r)/ds + d/dh of the rows
 *   Hessian   = gauss_newton + curvature. gauss_newton: J' W J over all squares of cost and bounds (W >= 0), and what log T
 *             bends; curvature: sum_p dL/dtau . d^2 tau, the bends of values (curvature.c), and negative squares of the cost
 * Source: Nocedal & Wright, Numerical Optimization, ch. 10 and 19. */
#ifndef LIB_TRAJECTORY_LAGRANGIAN_H
#define LIB_TRAJECTORY_LAGRANGIAN_H

#include "lib/trajectory/bound.h"

/* Motion, torque and room at all points; returns the cost. */
double lagrangian_evaluate(struct transcription *t, const double *controls);
/* The derivatives of what was evaluated there. */
void lagrangian_differentiate(struct transcription *t, const double *controls);
/* The sides of the cost's kinks, where they are unknowns: as the powers say; and after a step of this length led to what
 * was evaluated. */
void lagrangian_sides_start(struct transcription *t);
void lagrangian_sides_move(struct transcription *t, double length);

/* Derivatives at one point.
 *   multiplier  in  bound_count x knots, as everywhere below; NULL = none */
void lagrangian_pull(const struct transcription *t, size_t point, const double *multiplier, struct point_pull *out);

/* gradient += of L; size: the largest sum of magnitudes that an element is made of.
 * Returns the derivative by log T, 0 where the duration is given. */
double lagrangian_gradient(const struct transcription *t, const double *multiplier, double *gradient, double *size);
/* H (band, 4 n wide) = what the squares of the cost and the stiffness of the bounds make, without the curvature of the
 * torques. bend is set where the duration is free; it takes the multipliers' share in it. */
void lagrangian_gauss_newton(const struct transcription *t, const double *stiffness, const double *multiplier,
                             double *H, struct duration_bend *bend);
/* S (band) and bend = the curvature of the torques, by differences of the analytic derivatives. */
void lagrangian_curvature(const struct transcription *t, const double *multiplier, double *S,
                          struct duration_bend *bend);
/* S and bend += what the squares of the cost leave out of its second derivative. */
void lagrangian_dent_add(const struct transcription *t, double *S, struct duration_bend *bend);
/* Change of every room for a change of the controls and of log T. */
void lagrangian_room_change(const struct transcription *t, const double *step, double duration_step, double *change);

#endif
