/* A local search without derivatives: an evolution strategy that learns the shape of the valley it is in. */
#ifndef LIB_IDENTIFY_POLISH_H
#define LIB_IDENTIFY_POLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct polish {
  size_t variables, rounds;
  double step; /* about how far the first steps go */
  uint64_t *random;
  /* What x costs; may mend x. */
  double (*cost)(void *context, double *x);
  /* Told after every round; false ends it. */
  bool (*go)(void *context, size_t round, double best);
  void *context;
};

/* How often a round asks for the cost. */
size_t polish_samples(size_t variables);

/* Improve x, whose cost is given.
 *   x  in/out  variables
 *   Returns its cost, never more than before. NAN: out of memory.
 * Source: Hansen, The CMA Evolution Strategy: A Tutorial, 2016. */
double polish_search(const struct polish *polish, double cost, double *x);

#endif
