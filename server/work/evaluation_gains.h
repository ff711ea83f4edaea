/* The gains of drives that an evaluation takes from an identification: by them it multiplies what data sets say of torques. */
#ifndef SERVER_WORK_EVALUATION_GAINS_H
#define SERVER_WORK_EVALUATION_GAINS_H

#include "api/json/document.h"
#include "armdyn/loads.h"
#include "server/work/work.h"

/* Gains of drives that an identification went on with, 1 where it did not; of the robot's joints, by their names.
 * Answers whether there are any. */
bool evaluation_gains_read(const cJSON *identification, const struct armdyn_robot_description *robot, double *gains);

/*   id     in   an identification; "": none
 *   gains  out  of the robot's joints
 *   loads  out  that multiply by them; NULL of none. armdyn_loads_free
 * OK, EINPUT (not there, of another robot, has no such gains), EMEMORY, EIO. */
enum armdyn_status evaluation_gains_open(struct work *work, const char *id, const struct armdyn_robot *robot,
                                         double *gains, struct armdyn_loads **loads, struct armdyn_error *error);

/* Where a request names it. */
#define EVALUATION_GAINS_POINTER "/drive_gains_from"

#endif
