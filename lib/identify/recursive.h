/* Least squares that forget, inside: the triangle, for who stacks several of them. */
#ifndef LIB_IDENTIFY_RECURSIVE_H
#define LIB_IDENTIFY_RECURSIVE_H

#include "armdyn/drift.h"

struct armdyn_recursive {
  size_t count;
  double weight; /* sum_k forgetting^(K - k) */
  double *R;     /* (count + 1)^2: [R z; 0 r], R'R = sum of rows, r^2 what no x explains; nothing below the diagonal */
  double *scratch; /* 2 (count + 1) */
};

/* x and (R'R)^-1 of a triangle [R z; 0 r] of `count` unknowns, `work` count^2. ESINGULAR: a zero on the diagonal. */
enum armdyn_status triangle_estimate(size_t count, const double *R, double *x, double *inverse, double *work);

#endif
