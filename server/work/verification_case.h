/* One case of a verification: a plant under a law on a reference, and its figures. */
#ifndef SERVER_WORK_VERIFICATION_CASE_H
#define SERVER_WORK_VERIFICATION_CASE_H

#include "api/codec/verification.h"
#include "armdyn/trajectory.h"
#include "server/work/kinds.h"

/* Where the arm should be, at any time. */
struct reference_motion {
  const struct verification_reference *asked;
  size_t n;
  double q[ARMDYN_JOINTS_MAX];   /* where it begins; the step goes from here */
  struct armdyn_trajectory path; /* of a trajectory; of a circle, whose parameter is the part of the way */
  double moving;                 /* s: it rests from there on; 0: nothing moves by a plan */
  double frequency;              /* Hz, of the sine that is asked for now */
};

/*   q        in   of the request; NULL: only trajectories are asked for
 *   pointer  in   "/references/0"
 *   motion   out  zeroed before; release with reference_motion_close, refused or not
 * OK; EINPUT, EINFEASIBLE with words; what the store says. */
enum armdyn_status reference_motion_open(struct work *work, const struct armdyn_robot *model,
                                         const struct verification_reference *asked, const double *q,
                                         const char *pointer, struct reference_motion *motion,
                                         struct armdyn_error *error);
/* The stored motions among the references, as job_kind's sources. Answers how many. */
size_t reference_sources(const struct verification_request *request, struct job_source *list);
void reference_motion_close(struct reference_motion *motion);
/* An armdyn_reference whose context is a struct reference_motion. */
void reference_motion_at(void *context, double t, double *q, double *qd, double *qdd);

struct case_order {
  struct work *work;
  const struct armdyn_robot *model;
  const struct verification_request *request;
  const struct armdyn_control *control; /* in force */
  struct reference_motion *motion;
  double begun, part; /* of the whole work: how far it is, and what this case is of it */
  const char *sentence;
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
