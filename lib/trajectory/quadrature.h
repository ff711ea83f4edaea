/* Integrals over a motion, by Gauss-Legendre quadrature on intervals that are halved until they agree with their halves. */
#ifndef LIB_TRAJECTORY_QUADRATURE_H
#define LIB_TRAJECTORY_QUADRATURE_H

#include "armdyn/trajectory.h"

/* Gauss and Legendre's nodes on [-1, 1] and their weights, exact to degree nine. */
enum { GAUSS_NODES = 5 };
extern const double gauss_node[GAUSS_NODES], gauss_weight[GAUSS_NODES];

enum { QUADRATURE_TERMS_MAX = 6 * ARMDYN_JOINTS_MAX + 8 };

/* All integrands at once on piece k at s = t - breaks[k].
 *   value  out  terms */
typedef void quadrature_integrand(void *context, size_t piece, double s, double *value);

/* sum: out, terms, each to about 1e-10 of the largest one's mean where integrands are smooth. They may have kinks and
 * steps, which are halved towards; but one that lies beyond the outermost nodes of an interval and of its halves (the last
 * 2.4 hundredths of its length) is not seen when all the rest is smooth. Beyond 2^17 halvings (a motion of millions of
 * turns) an interval is taken as it is. */
void quadrature_integrate(const struct armdyn_trajectory *trajectory, size_t terms, quadrature_integrand *integrand,
                          void *context, double *sum);

#endif
