/* A genetic algorithm over real variables of about -1 .. 1. */
#ifndef LIB_IDENTIFY_GENETIC_H
#define LIB_IDENTIFY_GENETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct genetic {
  size_t variables, block; /* a block of variables is inherited together now and then: the joint's */
  size_t population, generations;
  uint64_t *random;
  /* What x costs; may mend x. */
  double (*cost)(void *context, double *x);
  /* Told after every generation; false ends it. */
  bool (*go)(void *context, size_t generation, double best);
  void *context;
};

/* Search from random beginnings; each generation keeps the two best.
 *   best  out  variables
 *   Returns its cost. NAN: out of memory. Source: Goldberg 1989; Eshelman & Schaffer 1993 for the blending. */
double genetic_search(const struct genetic *genetic, double *best);

#endif
