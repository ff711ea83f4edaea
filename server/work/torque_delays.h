/* By how much torques are logged later than positions, found in training data and taken out. */
#ifndef SERVER_WORK_TORQUE_DELAYS_H
#define SERVER_WORK_TORQUE_DELAYS_H

#include "server/work/signals_order.h"

/*   joints        in      n, of which to take delays out; NULL: of all
 *   conditioning  in/out  gets the delays that show
 *   used          in/out  as it is told
 *   delays        out     n
 * OK, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status torque_delays_find(const struct signals_order *order, const bool *joints,
                                      struct armdyn_conditioning *conditioning,
                                      struct identification_conditioning *used, struct identification_delay *delays,
                                      struct armdyn_error *error);

#endif
