/* Training data along their measured path, filtered otherwise than they are identified from: instruments where the loop that
 * the arm was logged in is not known. A stiff one follows that path. */
#ifndef SERVER_WORK_FILTERED_PATH_H
#define SERVER_WORK_FILTERED_PATH_H

#include "armdyn/gears.h"
#include "server/data/opened_logs.h"

struct filtered_path_order {
  const struct identification_request *request;   /* what it excludes is left out */
  const struct armdyn_robot *robot;               /* whose friction acts at joints or at motors */
  const struct armdyn_conditioning *conditioning; /* that they are identified with */
  struct opened_logs *logs;                       /* the training data are the first `count` */
  size_t count;
};
/* Zeroed at first; it stays where it is, and is released in any case. */
struct filtered_path {
  double cutoff; /* Hz, of the filter */
  struct armdyn_log_stream *stream;
  struct armdyn_gears *gears;
  struct armdyn_source source; /* as the unknowns want it: of joints, or of the gears' outputs */
};
/* OK, EINPUT, EIO, EMEMORY. */
enum armdyn_status filtered_path_open(const struct filtered_path_order *order, struct filtered_path *path,
                                      struct armdyn_error *error);
void filtered_path_release(struct filtered_path *path);

#endif
