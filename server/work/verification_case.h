/* One case of a verification: a plant under a law on a reference, and its figures. */
#ifndef SERVER_WORK_VERIFICATION_CASE_H
#define SERVER_WORK_VERIFICATION_CASE_H

#include "api/codec/verification.h"
#include "server/work/reference_motion.h"

struct measured_motion;

struct case_order {
  struct work *work;
  const struct armdyn_robot *model;
  const struct verification_request *request;
  const struct armdyn_control *control; /* in force */
  struct reference_motion *motion;
  double begun, part; /* of the whole work: how far it is, and what this case is of it */
  const char *sentence;
  const struct measured_motion *measured; /* of the reference; NULL: nothing was */
  /* Beside the drives' torques, as of armdyn_loop; NULL: none. */
  void (*disturbance)(void *context, double t, double *tau);
  void *disturbance_context;
  /* How far the tool is off at every period that counts, m in base axes; NULL: nobody asks. */
  void (*trace)(void *context, double t, const double off[3]);
  void *trace_context;
};

struct simulated_loop;
/* The case's loop, ready to run: all but what it takes from a sink. `loop`, zeroed before, is released with
 * simulated_loop_close, refused or not; q and qd must live as long.
 *   q, qd  out  where it starts */
enum armdyn_status verification_case_loop(const struct case_order *order, const struct verification_case *c,
                                          double duration, struct armdyn_workspace *workspace,
                                          struct simulated_loop *loop, double *q, double *qd,
                                          struct armdyn_error *error);

/* Run it.
 *   c  in/out  plant, law, reference and alone in; all else out, `responses` released with it (free)
 * OK, also where the loop diverges, which the case says; EMEMORY, EINPUT (a plant that is no arm). */
enum armdyn_status verification_case_run(const struct case_order *order, struct verification_case *c,
                                         struct armdyn_error *error);

#endif
