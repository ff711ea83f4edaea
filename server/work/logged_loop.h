/* The loop that training data were logged in: its gains, and the data sets that say where the arm should have been. */
#ifndef SERVER_WORK_LOGGED_LOOP_H
#define SERVER_WORK_LOGGED_LOOP_H

#include "server/data/opened_logs.h"

struct logged_loop_order {
  const struct identification_request *request; /* has a loop */
  const struct armdyn_robot_description *robot;
  const struct armdyn_conditioning *conditioning; /* of the training data, and so of the reference */
  const struct opened_logs *logs;                 /* the training data first */
  bool has_payloads;                              /* some of them says that the arm carried something */
};
/* Zeroed at first; it stays where it is, and is released in any case. */
struct logged_loop {
  struct armdyn_known_loop known;
  struct armdyn_source wanted; /* the same samples as the training data */
  struct opened_logs logs;
  struct armdyn_log_stream *stream;
};
/* OK; EINPUT: an arm with a payload, a data set that does not fit or is gone; EIO, EMEMORY, EBUSY. */
enum armdyn_status logged_loop_open(struct store *store, const struct logged_loop_order *order,
                                    struct logged_loop *loop, struct armdyn_error *error);
void logged_loop_release(struct logged_loop *loop);

#endif
