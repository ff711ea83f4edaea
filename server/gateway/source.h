/* From a motion to the profile of a controller: sampled on the controller's grid. */
#ifndef SERVER_GATEWAY_SOURCE_H
#define SERVER_GATEWAY_SOURCE_H

#include "armdyn/trajectory.h"
#include "server/gateway/profile.h"

/* Sample a trajectory at a rate into a profile, not yet held against any limit.
 *   robot, trajectory  in
 *   map                in   of the controller
 *   content            in   what of the trajectory's torques it is sent
 *   rate               in   Hz; its period must be a whole number of microseconds
 *   profile            out  release with profile_release unless refused
 * The last sample lies on the grid: it is the end of the trajectory, or, when that falls between two grid points, the
 * rest state after it. EINPUT or ELIMIT with a pointer into the request; EMEMORY. */
enum armdyn_status profile_of_trajectory(const struct armdyn_robot *robot, const struct armdyn_trajectory *trajectory,
                                         const struct axis_map *map, enum torque_content content,
                                         enum sample_format format, double rate, struct profile *profile,
                                         struct armdyn_error *error);

#endif
