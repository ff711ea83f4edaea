/* Which of the velocities that were logged are taken. */
#ifndef SERVER_WORK_VELOCITIES_H
#define SERVER_WORK_VELOCITIES_H

#include "server/data/logged_motion.h"

#include "api/codec/identification.h"

/* Hold the velocities of a log against its own positions, and take them as the request says. Every log is judged by itself, so
 * what validates chooses nothing of what is trained on.
 *   trained   in      it is trained on
 *   logged    in/out  takes from now on the velocities that are used
 *   out       out
 *   warnings  in/out
 * OK, EINPUT, EIO, EMEMORY, EBUSY. */
enum armdyn_status velocities_choose(const struct identification_request *request, const struct armdyn_robot *robot,
                                     const struct armdyn_conditioning *conditioning, bool trained,
                                     struct logged_motion *logged, struct identification_velocity *out,
                                     struct armdyn_warnings *warnings, struct armdyn_error *error);

#endif
