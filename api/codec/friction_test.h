/* Friction tests between JSON and the library: what is asked, and the motion that is answered. */
#ifndef API_CODEC_FRICTION_TEST_H
#define API_CODEC_FRICTION_TEST_H

#include "api/codec/trajectory.h"
#include "armdyn/friction_test.h"

struct friction_test_request {
  struct carried carried;
  bool has_joints, joints[ARMDYN_JOINTS_MAX];
  bool has_q;
  double q[ARMDYN_JOINTS_MAX];
  size_t speeds;
  double speed_least, speed_most; /* of the velocity limit */
  double travel, cruise;          /* of the range; s */
  struct requested_limits limits;
  struct clearance_constraint clear;
  double sample_rate; /* Hz */
  struct result_labels labels;
};

/* Decode and check in full: everything but whether the motion keeps its limits.
 *   out  out  holds no memory of its own
 * OK, ESYNTAX (400), EINPUT (422), EMEMORY. */
enum armdyn_status friction_test_request_decode(const char *text, size_t length,
                                                const struct armdyn_robot_description *robot,
                                                struct friction_test_request *out, struct faults *faults);

/* What was planned. margin: ARMDYN_LIMIT_KINDS x n. */
struct friction_test_result {
  const struct armdyn_robot_description *robot;
  const struct friction_test_request *request;
  const char *request_text;
  double duration;
  const struct armdyn_friction_run *runs;
  size_t run_count;
  const struct armdyn_margin *margin;
  const struct armdyn_motion_clearance *clearance; /* NULL: no cell is named */
  const bool *stepping;                            /* n, see struct trajectory_result */
};
/* The document that is kept: a JSON object. */
void friction_test_result_encode(const struct friction_test_result *result, struct buffer *out);
extern const struct result_form friction_test_form;

#endif
