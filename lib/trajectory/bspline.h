/* Cubic B-splines on equal intervals with clamped ends: K intervals, K + 3 controls; on interval k the controls
 * k .. k + 3 count. Source: de Boor, A Practical Guide to Splines, ch. IX and X. */
#ifndef LIB_TRAJECTORY_BSPLINE_H
#define LIB_TRAJECTORY_BSPLINE_H

#include "armdyn/trajectory.h"

/* Derivatives 0 to 3 of the four basis functions of interval k at s in [0, 1] of it, by t in seconds.
 *   h    in   length of an interval
 *   out  out  derivative x function */
void bspline_basis(size_t intervals, double h, size_t k, double s, double out[4][4]);

/* The spline as a polynomial on every interval.
 *   controls  in      (K + 3) x n
 *   out       in/out  room for K pieces of degree 3; its breaks and coefficients are set */
void bspline_pieces(size_t intervals, double duration, const double *controls, struct armdyn_trajectory *out);

/* Controls of the spline that is equal to a trajectory of degree 3 wherever that is itself such a spline on intervals
 * which these divide, and close to it elsewhere (polar forms; Ramshaw 1989).
 *   controls  out  (K + 3) x n */
void bspline_controls(size_t intervals, const struct armdyn_trajectory *trajectory, double *controls);

#endif
