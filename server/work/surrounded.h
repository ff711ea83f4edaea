/* The robot of a job in the cell that its request names. */
#ifndef SERVER_WORK_SURROUNDED_H
#define SERVER_WORK_SURROUNDED_H

#include "api/codec/cell.h"
#include "api/codec/surroundings.h"
#include "armdyn/trajectory.h"
#include "server/work/work.h"

struct surrounded {
  struct cell_document cell;
  struct armdyn_scene *scene; /* NULL: no cell is named, and all else is nothing */
  double deviation[ARMDYN_JOINTS_MAX];
  struct armdyn_surroundings around; /* as the library wants it */
  struct armdyn_motion_clearance clearance;
};

/*   constraint   in/out  its cell's revision becomes the one that is used
 *   sample_rate  in      Hz, that the motion is to be played at
 * OK; EINPUT with a pointer: there is no such cell, the robot has no bodies, or a touch is of what is not there; what the
 * store says. Release with surrounded_close, zeroed ones too. */
enum armdyn_status surrounded_open(struct work *work, const struct armdyn_robot *robot,
                                   struct clearance_constraint *constraint, double sample_rate, struct surrounded *out,
                                   struct armdyn_error *error);
void surrounded_close(struct surrounded *s);

/* For the library's requests; NULL where nothing is kept clear of. */
const struct armdyn_surroundings *surrounded_around(const struct surrounded *s);

/* How near a motion comes, as it is played: s->clearance. OK, EINPUT, EMEMORY. */
enum armdyn_status surrounded_measure(struct surrounded *s, const struct armdyn_trajectory *motion,
                                      struct armdyn_error *error);
/* That; NULL where no cell is named. */
const struct armdyn_motion_clearance *surrounded_clearance(const struct surrounded *s);

#endif
