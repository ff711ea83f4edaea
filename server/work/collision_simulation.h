/* A simulated arm that follows a trajectory by computed torque and is struck on the way. */
#ifndef SERVER_WORK_COLLISION_SIMULATION_H
#define SERVER_WORK_COLLISION_SIMULATION_H

#include "server/work/collision_watch.h"

/*   request  in/out  a tracking bandwidth and a sample rate that were not given are filled in
 *   watch    in/out  the observer knows nothing of the collision; series and events are filled
 *   figures  in/out  added to
 *   outcome  out
 * OK, EINPUT (pointer into the request), EIO, EMEMORY. */
enum armdyn_status collision_simulate(struct work *work, struct collision_check_request *request,
                                      const double *thresholds, struct collision_watch *watch,
                                      struct collision_figures *figures, struct collision_outcome *outcome,
                                      struct armdyn_error *error);

#endif
