/* The structure of a joint's friction: which terms it has, and in which shape; and what a structure leaves on data that it
 * was not fitted to, from the sums of products of lib/identify/candidates.h. */
#ifndef LIB_IDENTIFY_STRUCTURE_H
#define LIB_IDENTIFY_STRUCTURE_H

#include "lib/identify/candidates.h"

struct structure {
  unsigned terms; /* of enum armdyn_friction_terms */
  size_t scale;   /* of the joint's velocity scales */
  size_t shape;   /* of its Stribeck friction, if the terms have it */
};

/* What is believed of links and rotors: half the square of (beta - value) in the metric of `information`. */
struct rigid_prior {
  double *information; /* b x b, for one sample */
  double *pull;        /* b: information times value */
};

/* information, pull: allocated.
 *   strength  in  of the prior against one sample's squares
 *   weight    in  n, 1 / deviation of each joint's residuals
 * OK or EMEMORY. */
enum armdyn_status rigid_prior_open(const struct candidates *candidates, const struct armdyn_estimation *estimation,
                                    double strength, const double *weight, struct rigid_prior *prior);
void rigid_prior_close(struct rigid_prior *prior);

/* One joint, with links, rotors and the friction of the others profiled out. */
struct profiled {
  const struct candidates *candidates;
  size_t joint, width;             /* columns of friction + 1, the torque */
  double *normal[FOLDS_MAX + 2];   /* width x width: without one part; then without what is fast; then of all */
  double *held_out[FOLDS_MAX + 1]; /* width x width: the squares left there, a form in (coefficients, 1) */
  double power;                    /* of the torque */
  double spread;                   /* variance of a coefficient over that by the sums: residuals are correlated */
};

/*   structures  in  n, of the others
 * OK or EMEMORY. */
enum armdyn_status profiled_open(const struct candidates *candidates, const struct rigid_prior *prior,
                                 const double *weight, const struct structure *structures, size_t joint,
                                 struct profiled *profiled);
void profiled_close(struct profiled *profiled);

/* How a structure does. */
struct tried {
  double error;              /* |e| / |tau| on the held-out parts */
  double squares[FOLDS_MAX]; /* |e|^2 of each */
  double fast;               /* |e|^2 of what is fast, foretold from what is slower */
  bool has_signs;            /* no sign of friction is broken by more than two of its deviations */
};
/*   speed  in  the highest that is answered for */
void profiled_try(const struct profiled *profiled, const struct structure *structure, double speed,
                  struct tried *tried);
/* Of tried.fast the part that is expected of a right structure, because its coefficients are only known as well as the slower
 * data tell them. */
double profiled_unsure(const struct profiled *profiled, const struct structure *structure);

#endif
