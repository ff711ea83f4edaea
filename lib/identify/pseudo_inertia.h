/* The ten parameters of a body as one symmetric 4 x 4 matrix, P = [[S, h], [h', m]] with S the second moment, tr(I)/2 1 - I.
 * A distribution of mass that is positive somewhere in every direction has P positive definite, and the other way round.
 * Order of the ten as in armdyn_parameter_choice. Source: Wensing, Kim & Slotine 2018. */
#ifndef LIB_IDENTIFY_PSEUDO_INERTIA_H
#define LIB_IDENTIFY_PSEUDO_INERTIA_H

#include <stdbool.h>

#include "armdyn/robot.h"

/* P is linear in the parameters. */
void pseudo_inertia_of(const double link[10], double P[16]);
void pseudo_inertia_parameters(const double P[16], double link[10]);

/* log det P and P^-1 (NULL: not wanted). False: P is not positive definite. */
bool pseudo_inertia_invert(const double P[16], double *log_determinant, double *inverse);

/* The nearest one, mass and centre kept, whose eigenvalues about its centre of mass are at least `least` times the largest
 * of them. The mass must be above 0. */
void pseudo_inertia_project(double least, double P[16]);

/* How far a body is from another one, P0: tr(P0^-1 P) - log det P - 4 - log det P0^-1; INFINITY for what no body can have.
 *   inverse0, log_determinant0  in   P0^-1 and log det P0
 *   x                           in   the ten parameters
 *   gradient, hessian           out  10 and 10 x 10; NULL: not wanted
 * Source: Lee, Wensing & Park 2019. */
double pseudo_inertia_distance(const double inverse0[16], double log_determinant0, const double x[10], double *gradient,
                               double *hessian);

/* From about the origin to about the centre of mass. Without mass the centre is the origin. */
struct armdyn_body body_of_parameters(const double parameters[10]);
void parameters_of_body(const struct armdyn_body *body, double parameters[10]);

#endif
