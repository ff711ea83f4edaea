/* By how much torques are logged later than positions, found in training data and taken out. */
#ifndef SERVER_WORK_TORQUE_DELAYS_H
#define SERVER_WORK_TORQUE_DELAYS_H

#include "server/data/opened_logs.h"

/* Where to look: the first `count` of the logs, without what the request excludes. */
struct torque_delays_order {
  const struct identification_request *request;
  const struct armdyn_robot *robot;
  struct opened_logs *logs;
  size_t count;
  void (*round)(void *context, size_t round, size_t rounds); /* another one begins */
  void *context;
};
/*   conditioning  in/out  gets the delays that show
 *   used          in/out  as it is told
 *   delays        out     n
 * OK, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status torque_delays_find(const struct torque_delays_order *order, struct armdyn_conditioning *conditioning,
                                      struct identification_conditioning *used, struct identification_delay *delays,
                                      struct armdyn_error *error);

#endif
