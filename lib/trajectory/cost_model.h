/* What a model of the cost of a motion is: a density L(q, qd, tau) of the joint positions, velocities and torques with its
 * derivatives. All models are rows of the table in cost.c. */
#ifndef LIB_TRAJECTORY_COST_MODEL_H
#define LIB_TRAJECTORY_COST_MODEL_H

#include "armdyn/trajectory.h"

/* Where a density is evaluated. */
struct cost_state {
  const struct armdyn_robot *robot;
  const double *q, *qd, *tau; /* n */
  double rounding; /* width over which a kink (max(0, power)) is rounded, in the unit of the density; 0: exact */
  /* Of every kink, for `bend` and `dent` alone: on which side of it, -1 .. 1 (electrical_cost.c); NULL: as its power says */
  const double *sides;
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
  /* The powers of its kinks; how many? NULL: none */
  size_t (*kinks)(const struct armdyn_cost_term *term, const struct cost_state *x, double *power);
};

#endif
