/* The request for a gravity map, and its answer: what two joints carry over a grid of their positions. */
#ifndef API_CODEC_GRAVITY_MAP_H
#define API_CODEC_GRAVITY_MAP_H

#include "api/codec/parts.h"

struct gravity_map_request {
  struct overrides overrides; /* first */
  bool has_ranges;
  size_t joints[2];
  double q[ARMDYN_JOINTS_MAX]; /* rad, m; of the two joints it is of no account */
  double points[2];            /* whole numbers */
  double ranges[4];            /* lower, upper of the one and of the other joint, rad, m */
};

/* A range that was not given is that of the position limits; of a revolute joint without them, a turn.
 *   robot  in   the stored model
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. Nothing to release. */
enum armdyn_status gravity_map_decode(const char *body, size_t length, const struct armdyn_robot_description *robot,
                                      struct gravity_map_request *out, struct faults *faults);

/* Position of point i of an axis: evenly from end to end. */
double gravity_map_position(const struct gravity_map_request *request, int axis, size_t i);

/*   torque  in   2 x points[0] x points[1], N m (N) */
void gravity_map_encode(struct buffer *out, const struct gravity_map_request *request,
                        const struct armdyn_robot_description *robot, long long revision, const double *torque);

#endif
