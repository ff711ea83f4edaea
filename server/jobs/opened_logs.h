/* The data sets that a request lists, opened as logs. */
#ifndef SERVER_JOBS_OPENED_LOGS_H
#define SERVER_JOBS_OPENED_LOGS_H

#include "api/codec/identification.h"
#include "server/jobs/logged_motion.h"

struct opened_logs {
  size_t count;
  struct logged_motion motions[LIMIT_DATASETS];
  struct identification_data data[LIMIT_DATASETS]; /* what a result tells of them */
};

/* Open all of a list.
 *   name   in   of the member that lists them: refusals point into it
 *   logs   out  zeroed before; release it in any case. It stays where it is
 * OK; EINPUT: one does not fit this robot, or is gone; EIO, EMEMORY, EBUSY. */
enum armdyn_status opened_logs_open(struct store *store, const struct id_list *list, const char *name,
                                    const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                    struct armdyn_error *error);
void opened_logs_release(struct opened_logs *logs);

/* Condition all of them, one after the other: see armdyn_log_stream_new.
 *   stream  out  release it with armdyn_log_stream_free, before the logs */
enum armdyn_status opened_logs_stream(struct opened_logs *logs, const struct armdyn_conditioning *conditioning,
                                      struct armdyn_log_stream **stream, struct armdyn_error *error);

#endif
