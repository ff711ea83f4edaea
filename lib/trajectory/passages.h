/* Points that a motion passes, and the few unknowns beside its controls: the logarithm of a free duration (the first, if
 * it is one) and the free times of passing, as fractions of the duration. */
#ifndef LIB_TRAJECTORY_PASSAGES_H
#define LIB_TRAJECTORY_PASSAGES_H

#include "lib/trajectory/transcription.h"

struct passage {
  const double *q; /* n */
  double time;     /* s; NAN = free */
  double at;       /* fraction of the duration */
};

struct passages {
  size_t count, unknowns; /* unknowns: with log T */
  struct passage *list;
  double duration_min, duration_max;
};

/* Unknowns of the list; its fractions must be set. */
void passages_count(struct passages *x, const struct transcription *t);
void passages_get(const struct passages *x, const struct transcription *t, double *unknowns);
/* Take over unknowns: passages, duration, ends of the controls. */
void passages_set(struct passages *x, struct transcription *t, const double *unknowns, double *controls);

/* How far the motion misses: count x n. */
void passages_miss(const struct passages *x, const struct transcription *t, const double *controls, double *miss);
/* Derivatives of the misses, by the controls (rows of controls x n) and by the unknowns (rows of `unknowns`). */
void passages_slopes(const struct passages *x, const struct transcription *t, const double *controls,
                     double *by_controls, double *by_unknowns);
/* += the bend of pull . miss: unknowns by controls (rows as above), unknowns by unknowns. */
void passages_bend(const struct passages *x, const struct transcription *t, const double *controls, const double *pull,
                   double *mixed, double *corner);

/* Bounds on the unknowns: order of the passages, and the range of the duration. */
size_t passages_gap_count(const struct passages *x, const struct transcription *t);
double passages_gap(const struct passages *x, const struct transcription *t, size_t gap);
/* Its derivatives by the unknowns. */
void passages_gap_slopes(const struct passages *x, const struct transcription *t, size_t gap, double *by_unknowns);

#endif
