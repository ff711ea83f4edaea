/* Payloads that data sets were logged with, as their conditions say, and the gains of drives that they tell. */
#ifndef SERVER_WORK_DATASET_LOADS_H
#define SERVER_WORK_DATASET_LOADS_H

#include "armdyn/loads.h"
#include "server/data/opened_logs.h"

struct dataset_loads {
  struct armdyn_loads *loads; /* of the logs, in their order; NULL: all are logged with the payload of the model */
  struct identification_gain gains[ARMDYN_JOINTS_MAX];
  struct identification_weighed weighed; /* what of them was found, where the mass alone was known */
};

/* Of the first `count` logs.
 *   loads  out  zeroed before; release it in any case
 * OK, EINPUT, EMEMORY. */
enum armdyn_status dataset_loads_open(const struct armdyn_robot *model, const struct opened_logs *logs, size_t count,
                                      struct dataset_loads *loads, struct armdyn_error *error);
void dataset_loads_release(struct dataset_loads *loads);

/* Training data as they are of the model: find the gains of drives, if the request wants them, and take both off.
 *   source  in/out
 * OK, EINPUT (no loads that differ), the refusals of the source, EMEMORY. */
enum armdyn_status dataset_loads_take_off(struct dataset_loads *loads, const struct identification_request *request,
                                          const struct armdyn_robot *model, struct armdyn_source *source,
                                          struct armdyn_error *error);

#endif
