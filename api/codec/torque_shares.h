/* What a motion's torques are made of: what is asked, and what is answered. */
#ifndef API_CODEC_TORQUE_SHARES_H
#define API_CODEC_TORQUE_SHARES_H

#include "api/codec/carried.h"
#include "api/json/writer.h"
#include "armdyn/dynamics.h"
#include "armdyn/shares.h"

enum { SHARES_ID = 27, SHARES_MEMORIES = 3 };

/* A stored motion, a stored data set, or samples. */
struct torque_shares_request {
  struct carried carried;
  char trajectory[SHARES_ID], dataset[SHARES_ID]; /* "": samples */
  bool friction;
  double error_percent;
  size_t samples; /* of a stored motion */
  size_t count;
  struct armdyn_rows q, qd, qdd;
  double *memory[SHARES_MEMORIES];
};

/*   out  out  release with torque_shares_request_release unless refused
 * OK, ESYNTAX (400), EINPUT (422), ELIMIT (413), EMEMORY. */
enum armdyn_status torque_shares_request_decode(size_t joints, const char *body, size_t length,
                                                struct torque_shares_request *out, struct faults *faults);
void torque_shares_request_release(struct torque_shares_request *request);

struct torque_shares_answer {
  const struct armdyn_robot_description *robot;
  long long revision;
  const struct torque_shares_request *request;
  const struct armdyn_torque_shares *shares;
  size_t samples;
  double cutoff_hz; /* of a data set; NAN: none */
};
void torque_shares_encode(struct buffer *out, const struct torque_shares_answer *answer);

#endif
