/* What a drift remembers: see drift.c, which says what is estimated. */
#ifndef LIB_IDENTIFY_DRIFT_H
#define LIB_IDENTIFY_DRIFT_H

#include "lib/identify/recursive.h"
#include "lib/identify/regression.h"

struct joint_drift {
  size_t count;     /* of the followed parameters it sees */
  size_t *followed; /* count: which */
  size_t *place;    /* count: where they stand in its row of the regression */
  struct armdyn_recursive *fit;
  double *rows;              /* CHUNK x (count + 1), twice: to be taken in, and to be looked at afterwards */
  double *sums;              /* of the window that is filled: count, then the number of samples */
  double *meat;              /* M, count x count */
  double friction, measured; /* sums of squares that fade */
};

struct armdyn_drift {
  struct armdyn_unknowns *unknowns;
  struct armdyn_unknowns *carried;      /* the same with what it carries: friction may grow with that; NULL: nothing */
  struct armdyn_regression *regression; /* of them; makes rows */
  bool all;
  double memory;
  double gravity[3];
  double rate;          /* Hz, of the last motion */
  size_t b, n, pending; /* pending: samples in rows */
  double *model;        /* base_count, without a load */
  double *loaded;       /* base_count, what is taken off */
  size_t *base;         /* b: the followed base parameters */
  double *information;  /* b: diagonal of P */
  double *change;       /* b: after the last chunk */
  struct joint_drift joints[ARMDYN_JOINTS_MAX];
};

#endif
