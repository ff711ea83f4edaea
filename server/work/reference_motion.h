/* References of verifications: where the arm should be, and how far the tool is from there. */
#ifndef SERVER_WORK_REFERENCE_MOTION_H
#define SERVER_WORK_REFERENCE_MOTION_H

#include "api/codec/verification.h"
#include "armdyn/trajectory.h"
#include "server/work/kinds.h"

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

/* Where the tool of an arm at q is, against where the model would have it with the positions wanted.
 *   off   out  m, base axes
 *   turn  out  rad */
void reference_tool_off(const struct armdyn_robot *model, const double *wanted, const struct armdyn_robot *arm,
                        const double *q, struct armdyn_workspace *workspace, double off[3], double *turn);

#endif
