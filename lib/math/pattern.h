/* Pattern search: minima of functions without derivatives, which may jump and be infinite. */
#ifndef LIB_MATH_PATTERN_H
#define LIB_MATH_PATTERN_H

#include <stddef.h>

/* What is minimised. */
struct pattern {
  size_t p;
  double (*value)(void *context, double *x); /* INFINITY: x is not allowed; it may move x to the next one that is */
  void *context;
  const double *directions; /* count x p, that span all: to each side of every one is looked */
  size_t count;
  double step, least;     /* times a direction: the first, and the last */
  size_t evaluations;     /* at most */
  double *trial, *before; /* scratch: p each */
};

/* From x, of which `value` is known, along the directions in turn; a round that went down is gone once more as a whole
 * (Hooke & Jeeves), one that did not halves the step. Answers how often it asked. `value` is that of x at the end.
 * Source: Hooke & Jeeves 1961; Kolda, Lewis & Torczon 2003 for where it ends. */
size_t pattern_minimise(const struct pattern *pattern, double *x, double *value);

#endif
