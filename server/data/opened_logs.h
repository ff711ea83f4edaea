/* The data sets that a request lists, opened as logs. */
#ifndef SERVER_DATA_OPENED_LOGS_H
#define SERVER_DATA_OPENED_LOGS_H

#include "api/codec/identification.h"
#include "server/data/logged_motion.h"

/* To train with, to validate with, and one more. */
enum { OPENED_LOGS_MOST = 2 * LIMIT_DATASETS + 1 };

struct opened_logs {
  size_t count;
  struct logged_motion motions[OPENED_LOGS_MOST];
  struct identification_data data[OPENED_LOGS_MOST]; /* what a result tells of them */
};

/* A list of data sets, as a request has it. */
struct listed_logs {
  const struct id_list *list;
  const char *name; /* of the member that lists them: refusals point into it */
  enum identification_role role;
  double from, to; /* parts of the rows of each, 0..1 */
};

/* Open all of a list, behind those that are open already.
 *   logs  in/out  zeroed before the first call; release it in any case. It stays where it is
 * OK; EINPUT: one does not fit this robot, or is gone; EIO, EMEMORY, EBUSY. */
enum armdyn_status opened_logs_open(struct store *store, const struct listed_logs *listed,
                                    const struct armdyn_robot_description *robot, struct opened_logs *logs,
                                    struct armdyn_error *error);
void opened_logs_release(struct opened_logs *logs);

/* Condition the first `count` of them, one after the other: see armdyn_log_stream_new.
 *   stream  out  release it with armdyn_log_stream_free, before the logs */
enum armdyn_status opened_logs_stream(struct opened_logs *logs, size_t count,
                                      const struct armdyn_conditioning *conditioning, struct armdyn_log_stream **stream,
                                      struct armdyn_error *error);

#endif
