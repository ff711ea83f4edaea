/* Where to look for what is chosen of signals, and whom to tell. */
#ifndef SERVER_WORK_SIGNALS_ORDER_H
#define SERVER_WORK_SIGNALS_ORDER_H

#include "server/data/opened_logs.h"

struct signals_order {
  const struct identification_request *request; /* parts of training data that it excludes are left out */
  const struct armdyn_robot *robot;
  struct opened_logs *logs;
  size_t training_count; /* the first of them */
  void (*tell)(void *context, const char *sentence);
  void *context;
};

#endif
