/* The estimating of an identification whose subject is the load. */
#ifndef SERVER_WORK_PAYLOAD_H
#define SERVER_WORK_PAYLOAD_H

#include "armdyn/payload.h"
#include "server/data/logged_motion.h"

struct payload_order {
  const struct armdyn_unknowns *unknowns; /* of the arm without load */
  const struct armdyn_conditioning *conditioning;
  struct armdyn_source source;             /* of the motions with the load, unless there is a run without */
  struct logged_motion *loaded, *unloaded; /* unloaded NULL: there is none */
  enum armdyn_payload_estimator estimator;
  bool (*cancelled)(void *context);
  void *context;
};

/* The model without what it says of a payload. OK, EINPUT or EMEMORY. */
enum armdyn_status payload_bare_robot(const struct armdyn_robot_description *model, struct armdyn_robot **out,
                                      struct armdyn_error *error);

/* Find the load.
 *   beta  out  as many as there are base parameters: the arm with it
 * OK, EINPUT, EIO, ECANCELLED, EMEMORY. */
enum armdyn_status payload_estimate(const struct payload_order *order, struct armdyn_payload_estimate *out,
                                    double *beta, struct armdyn_error *error);

#endif
