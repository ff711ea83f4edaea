/* Signs that friction has whatever its material: it takes energy out at every speed that the joint may run at. A term of the
 * wrong sign follows the motion that it was fitted to, and drives the joint on others. */
#ifndef LIB_IDENTIFY_SIGNS_H
#define LIB_IDENTIFY_SIGNS_H

#include "lib/identify/unknowns.h"

/* factor[0] x[standard[0]] + factor[1] x[standard[1]] >= 0 */
struct sign {
  size_t standard[2]; /* parameters; the second may have the factor 0 */
  double factor[2];
  size_t bound;  /* the parameter that is said to be at its bound when this is 0 */
  double wanted; /* its value, had it been free in the last estimate that it was imposed on */
  bool active;   /* it had to be imposed */
};

struct signs {
  const struct armdyn_unknowns *unknowns;
  size_t count;
  struct sign *list;
  double *in_base, *in_standard; /* count x base_count (0: not told by them), count x standard_count: coefficients */
  double *scratch;
};

/* Coulomb, viscous and what else only brakes >= 0, stiction >= coulomb (either direction), and viscous + 2 high_speed v >= 0,
 * the slope of friction at the highest speed v that is answered for.
 *   fastest  in   n: that each joint moves in the data, rad/s (m/s); three times that is answered for, at most its limit
 *   held     in   standard_count: parameters that stay the prior's; nothing is asked of them
 *   signs    out  release with signs_close
 * OK or EMEMORY. */
enum armdyn_status signs_open(const struct armdyn_unknowns *unknowns, const double *fastest, const bool *held,
                              struct signs *signs);
void signs_close(struct signs *signs);

/* The highest speed of a joint that is answered for; what has run faster than its limit may do so again. */
double signs_speed(const struct armdyn_robot *robot, size_t joint, double fastest);

/* The value of one. */
double sign_value(const struct sign *sign, const double *standard);

/* What they are imposed on: x minimises a quadratic function, whose Hessian H `solve` knows, y <- H^-1 y. */
struct quadratic {
  size_t count;       /* of x */
  const double *rows; /* signs->count x count: in_base or in_standard */
  void (*solve)(const void *context, double *y);
  const void *context;
};
/* From its minimum to that among those that have the signs; `active` tells which ones it took. Cannot fail.
 * Source: the dual problem, Nocedal & Wright 16.1. */
void signs_impose(struct signs *signs, const struct quadratic *quadratic, double *x);

/* Variance of a sign's value by a covariance of base parameters, b x b. */
double sign_variance(const struct signs *signs, size_t sign, const double *covariance);

/* A covariance of base parameters, b x b, of an estimate that keeps the active signs as equalities. Cannot fail.
 *   K  in/out  b x b: inverse of the Hessian that the estimate minimised, under the same condition afterwards */
void signs_condition(const struct signs *signs, double *K, double *covariance);

#endif
