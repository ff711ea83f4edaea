/* What a motion costs: the integral over time of a weighted sum of models. Models are densities
 * (cost_model.h), rows of the table in cost.c.
 *
 * To add one: a constant before ARMDYN_COST_MODELS, its parameters in struct armdyn_cost_term, a row in cost.c, and its
 * functions in a file of their own. tests/unit/trajectory/test_cost.c then holds its slopes against differences. */
#ifndef LIB_TRAJECTORY_COST_H
#define LIB_TRAJECTORY_COST_H

#include "lib/trajectory/cost_model.h"

extern const struct cost_model cost_models[ARMDYN_COST_MODELS];

/* A sum of terms, all times `scale`. */
struct cost {
  const struct armdyn_robot *robot;
  size_t count;
  struct armdyn_cost_term terms[ARMDYN_COST_TERMS_MAX];
  double rounding[ARMDYN_COST_TERMS_MAX]; /* of every term, as in struct cost_state */
  double weights[ARMDYN_JOINTS_MAX];      /* the R_j of torque terms that have none of their own */
  double scale;
};

/* The terms that are asked for, or the one of the torques with the request's weights. OK or EINPUT. */
enum armdyn_status cost_init(struct cost *cost, const struct armdyn_robot *robot,
                             const struct armdyn_optimal_request *request, struct armdyn_error *error);

double cost_density(const struct cost *cost, const double *q, const double *qd, const double *tau);
/* out = by times the derivatives of the density */
void cost_slopes(const struct cost *cost, const double *q, const double *qd, const double *tau, double by,
                 struct cost_slopes *out);
/*   sides  in  of the kinks; NULL: as their powers say */
void cost_bend(const struct cost *cost, const double *q, const double *qd, const double *tau, const double *sides,
               double by, struct cost_bend *out);
void cost_dent(const struct cost *cost, const double *q, const double *qd, const double *tau, const double *sides,
               double by, struct cost_bend *out);
bool cost_is_dented(const struct cost *cost);

/* Integrals of the exact densities of every term along a motion, each times its weight, by five Gauss nodes on quarters
 * of every piece, or on the piece where they are many and nothing bends within one; returns their sum.
 *   terms  out  count */
double cost_of_motion(const struct cost *cost, const struct armdyn_trajectory *trajectory,
                      struct armdyn_workspace *workspace, double *terms);

/* The powers of its kinks, n at most, and what they are rounded over; how many? */
size_t cost_kinks(const struct cost *cost, const double *q, const double *qd, const double *tau, double *power,
                  double *rounding);
/* Has it terms whose slope jumps where power changes its sign? */
bool cost_has_kinks(const struct cost *cost);
/* Round the kinks of every term over this share of its mean density along a motion. */
void cost_round(struct cost *cost, const struct armdyn_trajectory *trajectory, struct armdyn_workspace *workspace,
                double share);

#endif
