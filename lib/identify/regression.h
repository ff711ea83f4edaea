/* Equations in triangles, one a joint, over the base parameters that the joint's torque can depend on. */
#ifndef LIB_IDENTIFY_REGRESSION_H
#define LIB_IDENTIFY_REGRESSION_H

#include "lib/identify/unknowns.h"

struct joint_equations {
  size_t count;   /* of base parameters it sees */
  size_t *column; /* count: which */
  size_t *lead;   /* count: their standard parameters */
  double *R;      /* (count + 1)^2: [R z; 0 sqrt(rest)] */
  double *block;  /* rows not yet in R, count + 1 wide */
};

struct armdyn_regression {
  const struct armdyn_unknowns *unknowns;
  size_t samples, pending; /* taken in; rows in the blocks */
  struct armdyn_workspace *workspace;
  double *Y;       /* a few samples of n x standard_count */
  double *scratch; /* 2 (base_count + 1) */
  struct joint_equations joints[ARMDYN_JOINTS_MAX];
};

/* All joints' equations, those of joint i times weight[i], in one triangle (b + 1)^2, which must be 0 before or hold
 * earlier ones. scratch: (b + 2)^2. */
void regression_stack(const struct armdyn_regression *regression, const double *weight, double *R, double *scratch);

#endif
