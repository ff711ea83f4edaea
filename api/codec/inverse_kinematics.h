/* The request for joint positions of a pose, and its answer. */
#ifndef API_CODEC_INVERSE_KINEMATICS_H
#define API_CODEC_INVERSE_KINEMATICS_H

#include "api/codec/carried.h"
#include "armdyn/inverse_kinematics.h"

struct inverse_kinematics_request {
  struct carried carried;      /* its tool, here "tool_frame", is that whose pose is asked for */
  double tool[16];             /* a pose that was given as {translation, rpy} too */
  bool by_pose;                /* so it was, and so are those of the answer */
  double q[ARMDYN_JOINTS_MAX]; /* the seed; rad, m */
  unsigned task;               /* ARMDYN_TASK_... */
  size_t starts, seed;
};

/* Of an unsigned: names of components, "x" to "rz", as the bits ARMDYN_TASK_...; at least one. */
json_decode_function pose_task_decode;
/* Components of the translation, and of the rotation. */
enum { TASK_PLACE = ARMDYN_TASK_X | ARMDYN_TASK_Y | ARMDYN_TASK_Z, TASK_TURN = ARMDYN_TASK_ALL & ~TASK_PLACE };
/* What counts of a pose must be given: faults below "/tool". */
void tool_pose_check(struct json_reader *r, const struct tool_pose *tool, unsigned task);

/* OK, ESYNTAX (400), EINPUT (422), EMEMORY. Nothing to release. */
enum armdyn_status inverse_kinematics_decode(const char *body, size_t length, size_t joints,
                                             struct inverse_kinematics_request *out, struct faults *faults);

/* poses: of the tool, of every branch; NULL: they are not told. */
void inverse_kinematics_encode(struct buffer *out, size_t joints, long long revision,
                               const struct armdyn_inverse_kinematics_result *result, const struct armdyn_pose *poses);

#endif
