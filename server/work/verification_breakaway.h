/* What sets the joints of an arm in motion that a law holds. */
#ifndef SERVER_WORK_VERIFICATION_BREAKAWAY_H
#define SERVER_WORK_VERIFICATION_BREAKAWAY_H

#include "server/work/verification_case.h"

/* After the hold, whose figures c has, the drives keep their torque; a torque that grows on one joint alone, up and then down,
 * moves it at `breakaway`. Runs the loop twice for every joint.
 * As verification_case_run. */
enum armdyn_status verification_breakaway(const struct case_order *order, struct verification_case *c,
                                          struct armdyn_error *error);

#endif
