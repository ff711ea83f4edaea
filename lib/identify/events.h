/* Moments of the training data at which several joints are far off at once. */
#ifndef LIB_IDENTIFY_EVENTS_H
#define LIB_IDENTIFY_EVENTS_H

#include "armdyn/identify.h"

struct window {
  size_t log;
  double time; /* s, when it begins by the log's clock */
  double rms[ARMDYN_JOINTS_MAX];
};

/* Zeros before the first block. */
struct events {
  size_t n, count, room;
  struct window *list;
  double seconds;                             /* of a window */
  double samples, squares[ARMDYN_JOINTS_MAX]; /* of all blocks: how many, and of the torque */
  bool out_of_memory;
};

/* What is left of the torques of one more block, count x n; of a long log only the first hour is looked at. */
void events_add(struct events *events, const struct armdyn_motion *motion, size_t n, const double *residuals);
/* Tell and warn of those that stand out. OK or EMEMORY. */
enum armdyn_status events_tell(const struct events *events, struct armdyn_estimate *out);
void events_free(struct events *events);

#endif
