/* What a motion costs: the integral over time of a weighted sum of models. A model is a density L(q, qd, tau) of the joint
 * positions, velocities and torques; all models are rows of the table in cost.c.
 *
 * To add one: a constant before ARMDYN_COST_MODELS, its parameters in struct armdyn_cost_term, a row in cost.c, and its
 * functions in a file of their own. tests/unit/trajectory/test_cost.c then holds its slopes against differences. */
#ifndef LIB_TRAJECTORY_COST_H
#define LIB_TRAJECTORY_COST_H

#include "armdyn/trajectory.h"

/* Where a density is evaluated. */
struct cost_state {
  const struct armdyn_robot *robot;
  const double *q, *qd, *tau; /* n */
  double rounding; /* width over which a kink (max(0, power)) is rounded, in the unit of the density; 0: exact */
};

struct cost_slopes {
  double q[ARMDYN_JOINTS_MAX], qd[ARMDYN_JOINTS_MAX], tau[ARMDYN_JOINTS_MAX];
};

/* weight (a . d)^2 / 2, d the changes of q, qd and tau; a is zero outside the joints first .. last - 1. */
struct cost_square {
  double weight;
  size_t first, last;
  struct cost_slopes a;
};

/* A second derivative as a sum of squares with weights >= 0, so that it is positive semidefinite whatever the model: an
 * exact one of a convex density, otherwise what is left of it without its negative part (Gauss-Newton's). */
enum { COST_SQUARES_MAX = 2 * ARMDYN_JOINTS_MAX + ARMDYN_COST_TERMS_MAX };
struct cost_bend {
  double tau[ARMDYN_JOINTS_MAX]; /* weights of the changes of single torques */
  size_t count;
  struct cost_square squares[COST_SQUARES_MAX]; /* a term adds at most 2 n + 1; only one term may couple all joints */
};

struct cost_model {
  const char *name;
  /* Are the parameters of this term sane, and has the robot what it needs? EINPUT with a pointer relative to the term. */
  enum armdyn_status (*judge)(const struct armdyn_robot *robot, const struct armdyn_cost_term *term,
                              struct armdyn_error *error); /* NULL: nothing to judge */
  double (*density)(const struct armdyn_cost_term *term, const struct cost_state *x);
  /* += by times the derivatives of the density; NULL: a constant density */
  void (*slopes)(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_slopes *out);
  void (*bend)(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out);
  /* what `bend` left out: squares with weights <= 0; NULL: nothing */
  void (*dent)(const struct armdyn_cost_term *term, const struct cost_state *x, double by, struct cost_bend *out);
};
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
void cost_bend(const struct cost *cost, const double *q, const double *qd, const double *tau, double by,
               struct cost_bend *out);
void cost_dent(const struct cost *cost, const double *q, const double *qd, const double *tau, double by,
               struct cost_bend *out);
bool cost_is_dented(const struct cost *cost);

/* Integrals of the exact densities of every term along a motion, each times its weight, by five Gauss nodes on quarters
 * of every piece; returns their sum.
 *   terms  out  count */
double cost_of_motion(const struct cost *cost, const struct armdyn_trajectory *trajectory,
                      struct armdyn_workspace *workspace, double *terms);

/* Round the kinks of every term over this share of its mean density along a motion. */
void cost_round(struct cost *cost, const struct armdyn_trajectory *trajectory, struct armdyn_workspace *workspace,
                double share);

#endif
