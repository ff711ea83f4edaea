/* The request for joint positions of a pose, and its answer. */
#ifndef API_CODEC_INVERSE_KINEMATICS_H
#define API_CODEC_INVERSE_KINEMATICS_H

#include "api/json/fields.h"
#include "armdyn/inverse_kinematics.h"

struct inverse_kinematics_request {
  double tool[16];
  double q[ARMDYN_JOINTS_MAX]; /* the seed; rad, m */
  unsigned task;               /* ARMDYN_TASK_... */
  size_t starts, seed;
};

/* Of an unsigned: names of components, "x" to "rz", as the bits ARMDYN_TASK_...; at least one. */
json_decode_function pose_task_decode;

/* OK, ESYNTAX (400), EINPUT (422), EMEMORY. Nothing to release. */
enum armdyn_status inverse_kinematics_decode(const char *body, size_t length, size_t joints,
                                             struct inverse_kinematics_request *out, struct faults *faults);

void inverse_kinematics_encode(struct buffer *out, size_t joints, long long revision,
                               const struct armdyn_inverse_kinematics_result *result);

#endif
