/* Moments of the training data at which several joints are far off at once. */
#ifndef LIB_IDENTIFY_EVENTS_H
#define LIB_IDENTIFY_EVENTS_H

#include "armdyn/identify.h"

struct window {
  double time; /* s, from the first sample of the data to its own */
  double rms[ARMDYN_JOINTS_MAX];
};

/* Zeros before the first block. */
struct events {
  size_t n, count, room;
  struct window *list;
  double time, seconds;                       /* of all blocks so far; of a window */
  double samples, squares[ARMDYN_JOINTS_MAX]; /* of all blocks: how many, and of the torque */
  bool out_of_memory;
};

/* What is left of the torques of one more block, count x n; of a long log only the first hour is looked at. */
void events_add(struct events *events, const struct armdyn_motion *motion, size_t n, const double *residuals);
/* Warn of those that stand out. OK or EMEMORY. */
enum armdyn_status events_warn(const struct events *events, struct armdyn_warnings *warnings);
void events_free(struct events *events);

#endif
