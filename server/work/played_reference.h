/* References of verifications as motions that an arm can play: from rest to rest. */
#ifndef SERVER_WORK_PLAYED_REFERENCE_H
#define SERVER_WORK_PLAYED_REFERENCE_H

#include "server/work/plan.h"
#include "server/work/reference_motion.h"

struct played_reference {
  struct reference_motion motion;
  double duration, rate; /* s; Hz, at which samples show all of it */
};

/* What p->request.samples describes.
 *   reference  out  zeroed before; close it, refused or not
 * OK; EINPUT, EINFEASIBLE with words (p->unreachable: no duration helps); EMEMORY. */
enum armdyn_status played_reference_open(struct plan *p, struct played_reference *reference,
                                         struct armdyn_error *error);
void played_reference_close(struct played_reference *reference);
/* Where the joints are at t, 0..duration. */
void played_reference_at(struct played_reference *reference, double t, double *q);

#endif
