/* Training data, which the estimators share. */
#ifndef LIB_IDENTIFY_TRAINING_H
#define LIB_IDENTIFY_TRAINING_H

#include "lib/identify/regression.h"
#include "lib/identify/signs.h"

enum { FOLDS_MAX = ARMDYN_FOLDS_MAX };

/* How far and how fast each joint goes. */
struct reach {
  double low[ARMDYN_JOINTS_MAX], high[ARMDYN_JOINTS_MAX]; /* rad (m) */
  double fastest[ARMDYN_JOINTS_MAX];                      /* rad/s (m/s) */
};

struct instruments;

/* Training data in consecutive parts, and how joints are weighed. */
struct training {
  const struct armdyn_unknowns *unknowns;
  const struct armdyn_source *source;
  const struct armdyn_estimation *estimation; /* asked whether the work is cancelled */
  size_t fold_count;
  struct armdyn_regression *fold[FOLDS_MAX];
  struct armdyn_regression *all;
  struct instruments *instruments;  /* whose equations stand in for those of `all`, NULL: none do */
  double weight[ARMDYN_JOINTS_MAX]; /* 1 / deviation of the joint's residuals */
  double clip[ARMDYN_JOINTS_MAX];   /* a residual beyond this pulls as this much, INFINITY: none does */
  double inside[ARMDYN_JOINTS_MAX]; /* share of the joint's residuals that is within that */
  double *R, *scratch;              /* (b + 1)^2 and (b + 2)^2 */
  double *inverse;                  /* b^2: of the Hessian that the estimate minimised, up to a factor */
  struct reach reach;
  struct signs signs;
  bool
      *held; /* standard_count: friction of a joint that rests in all data. It stays the prior's, for what the data show
                 of it is noise. */
};

/* A joint that moves by less than this rests: rad (m). */
double motion_least(const struct armdyn_robot *robot, size_t joint);

enum armdyn_status training_open(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                                 const struct armdyn_estimation *estimation, size_t folds, struct training *training,
                                 struct armdyn_error *error);
void training_close(struct training *training);

/* R <- the weighted equations of all folds but one (`without` >= fold_count: of all). Answers how many samples. */
size_t training_stack(struct training *training, size_t without);

/* Weights from what beta leaves. */
void training_weigh(struct training *training, const double *beta);

/* The first base parameter from k on that the stacked equations do not tell from those before it; base_count: none. */
size_t training_open_parameter(const struct training *training, size_t k);

/* Least squares of the stacked equations, with the signs of friction. OK, or ESINGULAR with the parameter's name. */
enum armdyn_status solve_stacked(struct training *training, double *beta, struct armdyn_error *error);

/* Block `index` of the data, or ECANCELLED. */
enum armdyn_status training_read(const struct training *training, size_t index, struct armdyn_motion *motion,
                                 struct armdyn_error *error);
enum armdyn_status training_cancelled(const struct training *training, struct armdyn_error *error);

/* What beta leaves of a motion's torque, count x n, its prediction filtered as the torque is. */
enum armdyn_status residuals_of(const struct armdyn_unknowns *unknowns, const double *beta,
                                const struct armdyn_motion *motion, double *residuals);

#endif
