/* Equations in triangles, one a joint, over the base parameters that the joint's torque can depend on.
 *   unknowns   beta, b base parameters: beta = B x of the standard ones x; column k of the regressor is that of its lead
 *   rows       w_ik Y_ik beta = w_ik tau_ik of joint i at sample k, Y its row of the regressor at (q, q', q''); w_ik = 1 or given
 *   objective  of joint i  e_i = sum_k w_ik^2 (Y_ik beta - tau_ik)^2
 *   kept       [R z; 0 r] = triangle of the QR factorisation of [Y tau]: e_i = |R beta - z|^2 + r^2, in so much memory however many
 *              samples; more rows, or those of another triangle, are added by factoring them below it
 *   stacked    all joints: minimise sum_i weight_i^2 e_i; weight_i = 1 / deviation of the joint's residuals
 * Sources: Gautier 1997, Dynamic identification of robots with power model; Golub & Van Loan, Matrix Computations, 6.5. */
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

/* Each sample of a motion: its joints' rows stand at regression_row, as many columns as the joint sees and then the torque,
 * those of friction filtered as the torque is; `take` is called with the sample's place in the motion, and may let them be
 * overwritten by the next. OK, EMEMORY or EINPUT. */
typedef void (*sample_taker)(void *context, size_t k);
enum armdyn_status regression_walk(struct armdyn_regression *regression, const struct armdyn_motion *motion,
                                   sample_taker take, void *context);
double *regression_row(const struct armdyn_regression *regression, size_t joint);

/* Columns that jump, for samples from .. to - 1, after the filter of the motion's torque, if it has one.
 *   n        in   joints
 *   fill     in   a row of `width` columns at q, qd, qdd (n)
 *   lead     out  rows before that of the first sample
 *   out      out  the rows; free it, also when it fails
 * OK, EMEMORY or EINPUT (a torque_cutoff beyond half the rate). */
typedef void (*row_function)(const void *context, const double *q, const double *qd, const double *qdd, double *row);
enum armdyn_status filtered_rows(size_t n, const struct armdyn_motion *motion, size_t from, size_t to, size_t width,
                                 row_function fill, const void *context, size_t *lead, double **out);

#endif
