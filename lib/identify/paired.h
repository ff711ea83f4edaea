/* The same samples twice: columns X of the path that is identified from, and instruments Z, the same columns of another one. */
#ifndef LIB_IDENTIFY_PAIRED_H
#define LIB_IDENTIFY_PAIRED_H

#include "lib/identify/regression.h"

struct paired {
  const struct armdyn_source *source, *instruments;
  struct armdyn_regression *X, *Z;
  size_t stride; /* of so many samples one is taken; 1 at first */
  size_t taken;
  double *kept; /* rows of Z of a block, which is walked through first */
  size_t width; /* of a sample there */
  size_t at;    /* samples before the block */
  const struct paired_taker *taker;
};

/* What is called for each sample that is taken: for each joint, m columns of either and the torque after those of X; then,
 * unless it is NULL, once more. */
struct paired_taker {
  void (*joint)(void *context, size_t joint, const double *x, const double *z);
  void (*sample)(void *context);
  void *context;
};

/* EMEMORY: close it too. */
enum armdyn_status paired_open(const struct armdyn_unknowns *unknowns, const struct armdyn_source *source,
                               const struct armdyn_source *instruments, struct paired *paired);
void paired_close(struct paired *paired);

/* All samples of both. OK, EINPUT (sources that differ in their samples), the refusals of either, or EMEMORY. */
enum armdyn_status paired_walk(struct paired *paired, const struct paired_taker *taker, struct armdyn_error *error);

#endif
