/* The budget of accuracy: what the doubt about identified parameters makes of a case. */
#ifndef SERVER_WORK_VERIFICATION_ACCURACY_H
#define SERVER_WORK_VERIFICATION_ACCURACY_H

#include "server/work/verification_case.h"

/* Of the case that `order` and `c` are, to first order: the loop is run once for every column of a factor of the covariance
 * of the base parameters, the plant's torque off by it along the motion wanted.
 *   identification  in   whose covariance it is; "": the one that the revision of the job was promoted from
 *   budget          out  law and reference are the caller's; `why` where there is none
 * OK, EMEMORY, EINPUT, what the store says. */
enum armdyn_status verification_accuracy(const struct case_order *order, const struct verification_case *c,
                                         const char *identification, struct verification_budget *budget,
                                         struct armdyn_error *error);

#endif
