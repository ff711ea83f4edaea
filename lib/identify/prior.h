/* What is believed of the standard parameters before the data: how far from it others are, as a function to be minimised
 * with the equations.
 *
 * A link is as far as its pseudo-inertia P is from the prior's P0, tr(P0^-1 P) - log det P - 4 - log det P0^-1, which is
 * infinite for what no body can have; a positive parameter with a prior likewise. Parameters without a prior are left to
 * the data: a barrier too weak to be seen in the result keeps the positive ones positive.
 * Sources: Lee, Wensing & Park 2019 for the distance; deploy/doc/internals/mathematics.md for the whole. */
#ifndef LIB_IDENTIFY_PRIOR_H
#define LIB_IDENTIFY_PRIOR_H

#include "lib/identify/signs.h"
#include "lib/identify/unknowns.h"

struct prior {
  const struct armdyn_unknowns *unknowns;
  double *value;             /* standard_count; a guess where there is none */
  double *scale;             /* standard_count: how much of a parameter gives as much torque as there is */
  bool *known;               /* standard_count */
  const struct signs *signs; /* of friction, which barriers keep within the distance; NULL: none */
  const bool *held;          /* standard_count: the data are not asked of it */
  double *inverse;           /* n x 16: P0^-1 */
  double *log_determinant;   /* n: of P0 */
};

/* From the robot's parameters. Links without mass get a rough body, those that no body can have the nearest possible one;
 * both with a warning.
 *   equations  in  b x p, of all training data: A pi = z; NULL: there are none, rough bodies have 1 kg
 *   z          in  b
 *   held       in  p: those that stay what they are; NULL: none
 * OK or EMEMORY. */
enum armdyn_status prior_open(const struct armdyn_unknowns *unknowns, bool ignore, const double *equations,
                              const double *z, const bool *held, struct prior *prior, struct armdyn_warnings *warnings);
void prior_close(struct prior *prior);

/* From now on the distance is infinite where friction has signs that it cannot have; values that have them are moved. */
void prior_keep_signs(struct prior *prior, const struct signs *signs);
/* What the value of a sign would be at the minimum x without its barrier.
 *   variance  in  of it, by the Hessian that the barriers are part of */
double prior_sign_without_barrier(const struct prior *prior, const struct sign *sign, const double *x, double variance);

/* A penalty is either the distance, or its second-order expansion about the prior, which knows no bounds. */
enum penalty { PENALTY_DISTANCE, PENALTY_SQUARE };

/* strength x penalty, INFINITY outside the bounds; and what it adds to gradient (p) and Hessian (p x p). */
double prior_penalty(const struct prior *prior, enum penalty penalty, double strength, const double *x);
void prior_slopes(const struct prior *prior, enum penalty penalty, double strength, const double *x, double *gradient,
                  double *hessian);

#endif
