/* What of the signals of logs is used, and how they are filtered, before anything is identified: velocities that were logged,
 * cut-offs, torques that are late. Training data alone choose; what becomes of a log's own velocities it chooses itself. */
#ifndef SERVER_WORK_SIGNALS_H
#define SERVER_WORK_SIGNALS_H

#include "server/work/signals_order.h"

struct signals {
  struct identification_velocity velocities[OPENED_LOGS_MOST];
  struct identification_delay delays[ARMDYN_JOINTS_MAX];
  struct armdyn_unknowns *usual;         /* with the friction that logs are looked through with */
  struct armdyn_warnings warnings;       /* in the logs */
  size_t warned_of[ARMDYN_WARNINGS_MAX]; /* which log each of them is of */
};

/* Choose as the request wishes.
 *   conditioning  in/out  chosen by the rates and bandwidths of the logs; complete then
 *   signals       out     zeroed before; release in any case
 *   result        in/out  conditioning; gets velocities, cut-offs and delays to tell, as long as the signals
 * OK, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status signals_choose(const struct signals_order *order, struct armdyn_conditioning *conditioning,
                                  struct signals *signals, struct identification_result *result,
                                  struct armdyn_error *error);

void signals_release(struct signals *signals);

/* Which of the logs it was that a refusal is of. Answers the status. */
enum armdyn_status signals_name_log(const struct opened_logs *logs, size_t index, enum armdyn_status status,
                                    struct armdyn_error *error);

#endif
