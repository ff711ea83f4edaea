/* Friction that an identification of its own has found, and that an identification of the arm holds. */
#ifndef SERVER_WORK_HELD_FRICTION_H
#define SERVER_WORK_HELD_FRICTION_H

#include "api/codec/identification.h"
#include "server/work/kinds.h"

struct held_friction {
  struct armdyn_known_friction *known; /* NULL: none is held */
  bool which[ARMDYN_JOINTS_MAX];
  struct identification_held joints[ARMDYN_JOINTS_MAX];
  struct armdyn_robot_description *told; /* see held_friction_told */
};

/* What a request names; "": nothing is held.
 * OK, EINPUT (of another robot, or of no joint), EMEMORY, EIO. */
enum armdyn_status held_friction_open(struct work *work, const char *id, const struct armdyn_robot *robot,
                                      struct held_friction *out, struct armdyn_error *error);
void held_friction_release(struct held_friction *held);

/* The robot as it was identified, with the friction that was held; `identified` where there is none. Lives as long.
 * NULL: out of memory. */
const struct armdyn_robot_description *held_friction_told(struct held_friction *held,
                                                          const struct armdyn_robot_description *identified);

/* The source that it is, for struct job_kind. Answers how many. */
size_t held_friction_source(const char *id, struct job_source *source);

#endif
