/* What the estimators share. */
#ifndef LIB_IDENTIFY_ESTIMATE_H
#define LIB_IDENTIFY_ESTIMATE_H

#include "lib/identify/regression.h"

enum { FOLDS_MAX = 32 };

/* Training data in consecutive parts, and how joints are weighed. */
struct training {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_motion *motions;
  size_t motion_count;
  size_t fold_count;
  struct armdyn_regression *fold[FOLDS_MAX];
  struct armdyn_regression *all;
  double weight[ARMDYN_JOINTS_MAX]; /* 1 / deviation of the joint's residuals */
  double *R, *scratch;              /* (b + 1)^2 and (b + 2)^2 */
};

enum armdyn_status training_open(const struct armdyn_unknowns *unknowns, const struct armdyn_motion *motions,
                                 size_t motion_count, size_t folds, struct training *training,
                                 struct armdyn_error *error);
void training_close(struct training *training);

/* R <- the weighted equations of all folds but one (`without` >= fold_count: of all). Answers how many samples. */
size_t training_stack(struct training *training, size_t without);

/* Weights from what beta leaves. */
void training_weigh(struct training *training, const double *beta);

/* Least squares of the stacked equations. OK, or ESINGULAR with the parameter's name. */
enum armdyn_status solve_stacked(const struct training *training, double *beta, struct armdyn_error *error);

/* Residuals of all motions, samples of every motion in turn: count x n. */
enum armdyn_status training_residuals(const struct training *training, const double *beta, double *residuals);
size_t training_sample_count(const struct training *training);

#endif
