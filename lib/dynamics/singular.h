/* Is a mass matrix positive definite, or singular but for rounding? */
#ifndef LIB_DYNAMICS_SINGULAR_H
#define LIB_DYNAMICS_SINGULAR_H

#include "lib/model/compiled.h"

/* What Cholesky's factorisation, or articulated bodies, leave a joint of its inertia is a difference: where the mass matrix is
 * singular it is rounding, of either sign. An arm whose joints' bounds (struct inertia_bound) are this many times what is
 * left to them, summed, may be such and must be looked at. */
static const double THINNESS_SUSPECT = 1e7;

/* M = L L' in the lower triangle of M (n x n, rotors included; the upper is not read). False: not positive definite, or by
 * no more than the rounding of its elements. The verdict is the same in all units of length and mass. */
bool mass_matrix_factor(const struct armdyn_robot *robot, const double *q, double *M);

#endif
